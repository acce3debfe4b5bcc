/* A value as text: Python's repr, or as near to it as what was kept allows.
 *
 * The text goes into memory of the caller's size. When that is full, nothing more is written, and
 * the last characters become "…". What could control a terminal is escaped wherever it comes from.
 */
#include "format/value.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

struct value_writer {
	char *at;
	size_t used, room; /* room: without the ellipsis and the NUL */
	bool full;
};

/* The containers in which a value is that is being written. */
struct value_above {
	const struct value_above *above;
	const struct pl_value *value;
};

static void write_value(
	struct value_writer *w, const struct pl_value *v, const struct value_above *above);

/* A piece is written as a whole or not at all: no character and no escape is split. */
static void put(struct value_writer *w, const char *bytes, size_t n)
{
	w->full |= n > w->room - w->used;
	if (w->full)
		return;
	memcpy(w->at + w->used, bytes, n);
	w->used += n;
}

static void put_word(struct value_writer *w, const char *word)
{
	put(w, word, strlen(word));
}

__attribute__((format(printf, 2, 3))) static void put_format(
	struct value_writer *w, const char *format, ...)
{
	char text[64];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	put_word(w, text);
}

/* "…+990 items" */
static void put_missing(struct value_writer *w, uint64_t n, const char *one)
{
	if (n)
		put_format(w, ELLIPSIS "+%" PRIu64 " %s%s", n, one, n == 1 ? "" : "s");
}

/* ---- characters ---- */

/* The character at `at`, of which `left` bytes are there. *bytes: how many it has; a byte that is
 * none by itself counts as one, and *valid is false. */
static uint32_t read_character(const unsigned char *at, size_t left, size_t *bytes, bool *valid)
{
	static const uint8_t first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};

	*bytes = utf8_is_surrogate(at, left) ? 3 : at[0] < 0x80 ? 1 : utf8_bytes(at, left);
	*valid = *bytes > 0;
	if (!*valid)
		*bytes = 1;
	uint32_t code = *valid ? at[0] & first_bits[*bytes] : at[0];
	for (size_t i = 1; i < *bytes; i++)
		code = code << 6 | (at[i] & 0x3f);
	return code;
}

/* Ranges of characters that a person does not see, or that move what is around them: controls,
 * blanks other than the space, marks of direction, surrogates, those for private use, and those
 * that are none. Python's list of them depends on its version. */
static const struct {
	uint32_t first, last;
} unseen[] = {
	{0, 0x1f},
	{0x7f, 0xa0},
	{0xad, 0xad},
	{0x600, 0x605},
	{0x61c, 0x61c},
	{0x6dd, 0x6dd},
	{0x70f, 0x70f},
	{0x1680, 0x1680},
	{0x180e, 0x180e},
	{0x2000, 0x200f},
	{0x2028, 0x202f},
	{0x205f, 0x206f},
	{0x3000, 0x3000},
	{0xd800, 0xf8ff},
	{0xfdd0, 0xfdef},
	{0xfeff, 0xfeff},
	{0xfff0, 0xfffb},
	{0xfffe, 0xffff},
	{0x1bca0, 0x1bca3},
	{0x1d173, 0x1d17a},
	{0xe0000, 0xe00ff},
	{0xe01f0, 0x10ffff},
};

static bool is_seen(uint32_t code)
{
	for (size_t i = 0; i < sizeof unseen / sizeof *unseen && unseen[i].first <= code; i++)
		if (code <= unseen[i].last)
			return false;
	return true;
}

static void put_escape(struct value_writer *w, uint32_t code)
{
	switch (code) {
	case '\n':
		put_word(w, "\\n");
		break;
	case '\r':
		put_word(w, "\\r");
		break;
	case '\t':
		put_word(w, "\\t");
		break;
	default:
		put_format(w,
			code < 0x100	 ? "\\x%02" PRIx32
			: code < 0x10000 ? "\\u%04" PRIx32
					 : "\\U%08" PRIx32,
			code);
	}
}

/* Characters of a text, as they are or escaped. quote: in which it stands, 0: in none. bytes: each
 * byte is a character. */
static void put_characters(struct value_writer *w, struct pl_text t, char quote, bool bytes)
{
	const unsigned char *at = (const unsigned char *)t.at;
	bool valid = true;
	size_t n = 1;

	for (size_t i = 0; i < t.length && !w->full; i += n) {
		const uint32_t code =
			bytes ? at[i] : read_character(at + i, t.length - i, &n, &valid);
		if (quote && (code == (unsigned char)quote || code == '\\'))
			put_format(w, "\\%c", (char)code);
		else if (!valid || !is_seen(code) || (bytes && code >= 0x7f))
			put_escape(w, code);
		else
			put(w, t.at + i, n);
	}
}

/* A name, or a text that is one already. */
static void put_plain(struct value_writer *w, struct pl_text t)
{
	put_characters(w, t, 0, false);
}

/* With the quotes that Python takes: double ones only for a text with single ones alone. */
static void put_quoted(struct value_writer *w, const struct pl_value *v, bool bytes)
{
	const struct pl_text t = v->text;
	const bool twice = t.length && memchr(t.at, '\'', t.length) && !memchr(t.at, '"', t.length);
	const char quote[] = {twice ? '"' : '\'', 0};

	put_word(w, bytes ? "b" : "");
	put_word(w, quote);
	put_characters(w, t, quote[0], bytes);
	put_word(w, quote);
	put_missing(w, v->missing, bytes ? "byte" : "char");
}

/* ---- numbers ---- */

#define DIGITS	     9 /* of a word in base 1,000,000,000 */
#define LONG_BYTES   4096
#define WORDS(bytes) ((bytes)*9 / 32 + 1) /* 8 bits are 2.41 digits */

/* From the highest byte on: words = words * 256 + byte. Returns how many words are used. */
static size_t decimal_words(struct pl_text magnitude, uint32_t *words)
{
	size_t used = 1;

	words[0] = 0;
	for (size_t i = magnitude.length; i-- > 0;) {
		uint64_t carry = (unsigned char)magnitude.at[i];
		for (size_t k = 0; k < used; k++) {
			carry += (uint64_t)words[k] << 8;
			words[k] = (uint32_t)(carry % 1000000000);
			carry /= 1000000000;
		}
		if (carry)
			words[used++] = (uint32_t)carry;
	}
	return used;
}

static void put_long(struct value_writer *w, const struct pl_value *v)
{
	uint32_t words[WORDS(LONG_BYTES)];

	if (!v->text.length || v->text.length > LONG_BYTES) {
		put_format(w, "<int of %" PRIu64 " bits>", v->length);
		return;
	}
	size_t used = decimal_words(v->text, words);
	put_format(w, "%s%" PRIu32, v->integer < 0 ? "-" : "", words[--used]);
	while (used-- > 0)
		put_format(w, "%09" PRIu32, words[used]);
}

/* The fewest digits that give the same number: Python's repr has them. Below the normal numbers
 * these can be less than 15. text: "-1.5e+16", with another point in some locales. */
static void shortest_digits(double value, char text[40])
{
	for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
		snprintf(text, 40, "%.*e", digits - 1, value);
		if (strtod(text, NULL) == value)
			return;
	}
}

/* Without the exponent where Python writes none: 0.0001 to 9999999999999998.0. */
static void put_decimal(struct value_writer *w, const char *digits, int count, int exponent)
{
	if (exponent < -4 || exponent >= 16) {
		put(w, digits, 1);
		put_format(w, "%s%.*se%c%02d", count > 1 ? "." : "", count - 1, digits + 1,
			exponent < 0 ? '-' : '+', abs(exponent));
	} else if (exponent < 0) {
		put_format(w, "0.%.*s%.*s", -exponent - 1, "000", count, digits);
	} else {
		for (int i = 0; i <= exponent; i++)
			put(w, i < count ? digits + i : "0", 1);
		put_format(w, ".%.*s", count > exponent + 1 ? count - exponent - 1 : 1,
			count > exponent + 1 ? digits + exponent + 1 : "0");
	}
}

static void put_double(struct value_writer *w, double value)
{
	char text[40], digits[20];
	int count = 0;

	if (!isfinite(value)) {
		put_word(w, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
		return;
	}
	shortest_digits(value, text);
	const char *exponent = strchr(text, 'e');
	for (const char *at = text; exponent && at < exponent && count < 18; at++)
		if (*at >= '0' && *at <= '9')
			digits[count++] = *at;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	put_word(w, signbit(value) ? "-" : "");
	put_decimal(w, digits, count, exponent ? atoi(exponent + 1) : 0);
}

/* Of a complex: without ".0", as Python writes the parts. */
static void put_part(struct value_writer *w, double value)
{
	const size_t before = w->used;

	put_double(w, value);
	if (!w->full && w->used - before > 2 && !memcmp(w->at + w->used - 2, ".0", 2))
		w->used -= 2;
}

static void put_complex(struct value_writer *w, const struct pl_value *v)
{
	const bool whole = v->real != 0 || signbit(v->real);

	if (whole) {
		put_word(w, "(");
		put_part(w, v->real);
		put_word(w, signbit(v->imaginary) && !isnan(v->imaginary) ? "" : "+");
	}
	put_part(w, v->imaginary);
	put_word(w, whole ? "j)" : "j");
}

/* ---- containers ---- */

/* How the members of a kind stand in it. word: around them, unless a type has another one. */
struct value_form {
	const char *word, *open, *close, *between;
};

static struct value_form form_of(const struct pl_value *v)
{
	switch (v->kind) {
	case PL_VALUE_TUPLE:
		return (struct value_form){NULL, "(", ")", ", "};
	case PL_VALUE_SET:
	case PL_VALUE_DICT:
		return (struct value_form){NULL, "{", "}", ", "};
	case PL_VALUE_FROZENSET:
		return (struct value_form){"frozenset", "{", "}", ", "};
	case PL_VALUE_DEQUE:
		return (struct value_form){"deque", "[", "]", ", "};
	case PL_VALUE_NAMEDTUPLE:
		return (struct value_form){"namedtuple", "", "", ", "};
	case PL_VALUE_EXCEPTION:
		return (struct value_form){"exception", "", "", ", "};
	case PL_VALUE_RANGE:
		return (struct value_form){"range", "", "", ", "};
	case PL_VALUE_SLICE:
		return (struct value_form){"slice", "", "", ", "};
	default:
		return (struct value_form){NULL, "[", "]", ", "};
	}
}

static void put_type(struct value_writer *w, const struct pl_value *v, const char *otherwise)
{
	if (v->type.at)
		put_plain(w, v->type);
	else
		put_word(w, otherwise);
}

/* "name=" of an attribute. */
static void put_member_name(struct value_writer *w, const struct pl_value *member)
{
	if (!member->name.at)
		return;
	put_plain(w, member->name);
	put_word(w, "=");
}

/* Python leaves out the step of a range that is 1. */
static bool is_left_out(const struct pl_value *v, const struct pl_value *member, uint64_t before)
{
	return v->kind == PL_VALUE_RANGE && before == 2 && member->kind == PL_VALUE_INT &&
	       member->integer == 1;
}

static void put_members(struct value_writer *w, const struct pl_value *v, const char *between,
	const struct value_above *above)
{
	const struct value_above here = {above, v};
	struct pl_values rest = v->members;
	struct pl_value member;
	uint64_t count = 0;

	for (; !w->full && pl_values_next(&rest, &member) == 0; count++) {
		if (is_left_out(v, &member, count))
			continue;
		if (count)
			put_word(w, v->kind == PL_VALUE_DICT && count & 1 ? ": " : between);
		put_member_name(w, &member);
		write_value(w, &member, &here);
	}
	if (v->kind == PL_VALUE_TUPLE && count == 1 && !v->missing)
		put_word(w, ",");
	if (v->missing && count)
		put_word(w, between);
	put_missing(w, v->missing, v->kind == PL_VALUE_OBJECT ? "attribute" : "item");
}

/* [1, 2]   {1: 2}   deque([1, 2])   MyList([1, 2])   Point(x=1, y=2)   set() */
static void put_container(
	struct value_writer *w, const struct pl_value *v, const struct value_above *above)
{
	struct value_form form = form_of(v);
	const bool empty = !v->members.bytes && !v->missing;

	if (empty && (v->kind == PL_VALUE_SET || v->kind == PL_VALUE_FROZENSET))
		form = (struct value_form){
			v->kind == PL_VALUE_SET ? "set" : "frozenset", "", "", ""};
	const bool named = form.word || v->type.at;
	if (named)
		put_type(w, v, form.word);
	put_word(w, named ? "(" : "");
	put_word(w, form.open);
	put_members(w, v, form.between, above);
	put_word(w, form.close);
	put_word(w, named ? ")" : "");
}

/* SoldOut('anvil'): the args are a tuple, if they are all there. */
static void put_exception(
	struct value_writer *w, const struct pl_value *v, const struct value_above *above)
{
	struct pl_values rest = v->members;
	struct pl_value args;

	if (pl_values_next(&rest, &args) || args.kind != PL_VALUE_TUPLE || args.type.at) {
		put_container(w, v, above);
		return;
	}
	put_type(w, v, "exception");
	put_word(w, "(");
	args.kind = PL_VALUE_EXCEPTION; /* no comma after a single one */
	put_members(w, &args, ", ", above);
	put_word(w, ")");
}

/* <Order item='anvil' count=2> */
static void put_object(
	struct value_writer *w, const struct pl_value *v, const struct value_above *above)
{
	put_word(w, "<");
	put_type(w, v, "object");
	put_word(w, v->members.bytes || v->missing ? " " : "");
	put_members(w, v, " ", above);
	put_word(w, ">");
}

/* Python shows a list within itself as [...]. */
static void put_seen(
	struct value_writer *w, const struct pl_value *v, const struct value_above *above)
{
	while (above && (!v->id || above->value->id != v->id))
		above = above->above;
	const enum pl_value_kind kind = above ? above->value->kind : PL_VALUE_SEEN;
	if (kind < PL_VALUE_LIST || kind > PL_VALUE_DICT) {
		put_word(w, "<seen>");
		return;
	}
	const struct value_form form = form_of(above->value);
	put_word(w, form.open);
	put_word(w, "...");
	put_word(w, form.close);
}

/* <function f>   <builtin_function_or_method len> */
static void put_named(struct value_writer *w, const struct pl_value *v, const char *word)
{
	put_word(w, "<");
	put_type(w, v, word);
	put_word(w, " ");
	put_plain(w, v->text);
	put_word(w, ">");
}

static void put_class(struct value_writer *w, const struct pl_value *v)
{
	put_word(w, "<class '");
	put_plain(w, v->text);
	put_word(w, "'>");
}

/* <Order …> */
static void put_cut(struct value_writer *w, const struct pl_value *v)
{
	put_word(w, "<");
	put_plain(w, v->type);
	put_word(w, v->type.length ? " " ELLIPSIS ">" : ELLIPSIS ">");
}

/* ---- a value ---- */

static void put_scalar(struct value_writer *w, const struct pl_value *v)
{
	switch (v->kind) {
	case PL_VALUE_NONE:
		put_word(w, "None");
		break;
	case PL_VALUE_FALSE:
		put_word(w, "False");
		break;
	case PL_VALUE_TRUE:
		put_word(w, "True");
		break;
	case PL_VALUE_INT:
		put_format(w, "%" PRId64, v->integer);
		break;
	case PL_VALUE_LONG:
		put_long(w, v);
		break;
	case PL_VALUE_FLOAT:
		put_double(w, v->real);
		break;
	case PL_VALUE_COMPLEX:
		put_complex(w, v);
		break;
	default:
		put_quoted(w, v, v->kind != PL_VALUE_STR);
		break;
	}
}

/* 3   MyInt(3)   bytearray(b'a') */
static void put_wrapped_scalar(struct value_writer *w, const struct pl_value *v)
{
	const char *word = v->kind == PL_VALUE_BYTEARRAY    ? "bytearray"
			   : v->kind == PL_VALUE_MEMORYVIEW ? "memoryview"
							    : NULL;
	const bool named = word || v->type.at;

	if (named)
		put_type(w, v, word);
	put_word(w, named ? "(" : "");
	put_scalar(w, v);
	put_word(w, named ? ")" : "");
}

static void write_value(
	struct value_writer *w, const struct pl_value *v, const struct value_above *above)
{
	switch (v->kind) {
	case PL_VALUE_OBJECT:
		put_object(w, v, above);
		break;
	case PL_VALUE_EXCEPTION:
		put_exception(w, v, above);
		break;
	case PL_VALUE_FUNCTION:
		put_named(w, v, "function");
		break;
	case PL_VALUE_METHOD:
		put_named(w, v, "method");
		break;
	case PL_VALUE_CLASS:
		put_class(w, v);
		break;
	case PL_VALUE_MODULE:
		put_named(w, v, "module");
		break;
	case PL_VALUE_TEXT:
		put_plain(w, v->text);
		break;
	case PL_VALUE_SEEN:
		put_seen(w, v, above);
		break;
	case PL_VALUE_REDACTED:
		put_word(w, "<redacted>");
		break;
	case PL_VALUE_UNSET:
		put_word(w, "<unset>");
		break;
	case PL_VALUE_CUT:
		put_cut(w, v);
		break;
	default:
		if (v->kind < PL_VALUE_LIST)
			put_wrapped_scalar(w, v);
		else
			put_container(w, v, above);
		break;
	}
}

size_t pl_value_text(const struct pl_value *value, char *text, size_t max)
{
	struct value_writer w = {.at = text};

	if (max < sizeof ELLIPSIS) {
		if (max)
			text[0] = 0;
		return 0;
	}
	w.room = max - sizeof ELLIPSIS;
	write_value(&w, value, NULL);
	if (w.full) {
		memcpy(text + w.used, ELLIPSIS, sizeof ELLIPSIS - 1);
		w.used += sizeof ELLIPSIS - 1;
	}
	text[w.used] = 0;
	return w.used;
}
