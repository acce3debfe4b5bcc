#include "recorder/values/repr.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "recorder/compat/objects.h"
#include "recorder/values/text.h"

void repr_text(struct repr *r, const char *text, size_t length)
{
	if (r->cut || length > r->room - r->length) {
		size_t fits = r->cut ? 0 : text_whole(text, length, r->room - r->length);
		memcpy(r->text + r->length, text, fits);
		r->length += fits;
		r->cut = true; /* nothing after a hole */
		return;
	}
	memcpy(r->text + r->length, text, length);
	r->length += length;
}

#define FORMATTED_MAX 160 /* what is written by a format is numbers and short words */

void repr_format(struct repr *r, const char *format, ...)
{
	char text[FORMATTED_MAX];
	va_list list;

	va_start(list, format);
	int length = vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (length < 0 || (size_t)length >= sizeof text)
		r->cut = true;
	else
		repr_text(r, text, (size_t)length);
}

/* ---- quoted texts ---- */

/* The bytes of a character of well-formed UTF-8 (which text.c wrote), and the character itself. */
static size_t decode(const char *text, size_t length, uint32_t *character)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t bytes = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	if (bytes > length)
		bytes = length;
	*character = bytes == 1 ? p[0] : p[0] & (0x7fU >> bytes);
	for (size_t i = 1; i < bytes; i++)
		*character = *character << 6 | (p[i] & 0x3f);
	return bytes;
}

static bool put_short_escape(struct repr *r, uint32_t character, char quote)
{
	static const char LETTERS[] = "\\\\\nn\rr\tt"; /* a character, and what stands for it */

	if (character == (uint32_t)quote) {
		repr_format(r, "\\%c", quote);
		return true;
	}
	for (size_t i = 0; LETTERS[i]; i += 2)
		if (character == (uint32_t)LETTERS[i]) {
			repr_format(r, "\\%c", LETTERS[i + 1]);
			return true;
		}
	return false;
}

static void put_escape(struct repr *r, uint32_t character)
{
	const char *format = character <= 0xff	   ? "\\x%02" PRIx32
			     : character <= 0xffff ? "\\u%04" PRIx32
						   : "\\U%08" PRIx32;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	repr_format(r, format, character);
#pragma GCC diagnostic pop
}

static char quote_of(const char *text, size_t length)
{
	return memchr(text, '\'', length) && !memchr(text, '"', length) ? '"' : '\'';
}

/* How many bytes from here on are written as they are: ASCII without what must be escaped. */
static size_t plain_bytes(const char *text, size_t length, char quote)
{
	size_t n = 0;

	while (n < length && text[n] >= ' ' && text[n] < 0x7f && text[n] != '\\' &&
		text[n] != quote)
		n++;
	return n;
}

void repr_quoted(struct repr *r, const char *text, size_t length)
{
	const char quote = quote_of(text, length);
	uint32_t character = 0;
	size_t bytes;

	repr_text(r, &quote, 1);
	for (size_t i = 0; i < length && !r->cut; i += bytes) {
		bytes = plain_bytes(text + i, length - i, quote);
		if (bytes) {
			repr_text(r, text + i, bytes);
			continue;
		}
		bytes = decode(text + i, length - i, &character);
		if (put_short_escape(r, character, quote))
			continue;
		if (_PyUnicode_IsPrintable(character))
			repr_text(r, text + i, bytes);
		else
			put_escape(r, character);
	}
	repr_text(r, &quote, 1);
}

void repr_bytes(struct repr *r, const char *bytes, size_t length)
{
	const char quote = quote_of(bytes, length);

	repr_format(r, "b%c", quote);
	for (size_t i = 0; i < length && !r->cut; i++) {
		const uint8_t byte = (uint8_t)bytes[i];
		if (put_short_escape(r, byte, quote))
			continue;
		if (byte < ' ' || byte >= 0x7f)
			put_escape(r, byte);
		else
			repr_text(r, bytes + i, 1);
	}
	repr_text(r, &quote, 1);
}

/* ---- strs ---- */

#define SCRATCH_BYTES (2 * REPR_BYTES_MAX)
static char scratch[SCRATCH_BYTES]; /* with the GIL */

/* What does not fit here does not fit into any repr. */
static size_t encode(PyObject *str, Py_ssize_t from, Py_ssize_t to)
{
	Py_ssize_t length = PyUnicode_GET_LENGTH(str);

	if (to > length)
		to = length;
	if (from < 0 || from > to)
		return 0;
	return text_encode_part((uint8_t *)scratch, sizeof scratch, str, (size_t)from, (size_t)to);
}

void repr_slice(struct repr *r, PyObject *str, Py_ssize_t from, Py_ssize_t to)
{
	size_t bytes = encode(str, from, to);

	repr_quoted(r, scratch, bytes);
}

void repr_str(struct repr *r, PyObject *str)
{
	repr_slice(r, str, 0, PY_SSIZE_T_MAX);
}

void repr_plain(struct repr *r, PyObject *str)
{
	size_t bytes = encode(str, 0, PY_SSIZE_T_MAX);

	repr_text(r, scratch, bytes);
}

/* ---- ints ---- */

#define INT_DIGITS_MAX 16 /* of PyLong_SHIFT bits each */
#define PART	       1000000000U
#define PARTS_MAX      (INT_DIGITS_MAX * PyLong_SHIFT / 29 + 1) /* PART has more than 29 bits */

/* Divides by PART and returns the remainder. */
static uint32_t divide(digit *digits, size_t *count)
{
	uint64_t rest = 0;

	for (size_t i = *count; i-- > 0;) {
		rest = rest << PyLong_SHIFT | digits[i];
		digits[i] = (digit)(rest / PART);
		rest %= PART;
	}
	while (*count && !digits[*count - 1])
		--*count;
	return (uint32_t)rest;
}

bool repr_int(struct repr *r, PyObject *number)
{
	const struct long_parts l = long_parts((const PyLongObject *)number);
	digit digits[INT_DIGITS_MAX];
	uint32_t parts[PARTS_MAX];
	size_t left = l.count, count = 0;

	if (l.count > INT_DIGITS_MAX)
		return false;
	memcpy(digits, l.digits, l.count * sizeof *digits);
	do {
		parts[count++] = divide(digits, &left);
	} while (left);
	repr_format(r, "%s%" PRIu32, l.negative ? "-" : "", parts[--count]);
	while (count)
		repr_format(r, "%09" PRIu32, parts[--count]);
	return true;
}

/* ---- names of types ---- */

void repr_name_of_type(struct repr *r, PyObject *o)
{
	const PyTypeObject *type = Py_TYPE(o);
	const char *last = strrchr(type->tp_name, '.');

	if (type->tp_flags & Py_TPFLAGS_HEAPTYPE)
		repr_plain(r, ((const PyHeapTypeObject *)type)->ht_name);
	else
		repr_format(r, "%s", last ? last + 1 : type->tp_name);
}

void repr_full_name_of_type(struct repr *r, PyObject *o)
{
	repr_text(r, Py_TYPE(o)->tp_name, strlen(Py_TYPE(o)->tp_name));
}
