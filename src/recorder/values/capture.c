#include "recorder/values/capture.h"

#include <string.h>

#include "base/varint.h"
#include "base/view.h"
#include "format/value_table.h"
#include "recorder/compat/objects.h"
#include "recorder/values/library.h"
#include "recorder/values/members.h"
#include "recorder/values/reads.h"
#include "recorder/values/requests.h"
#include "recorder/values/secrets.h"
#include "recorder/values/text.h"
#include "recorder/values/types.h"

/* ---- bytes ----
 *
 * What has a small bound is written at once, also where it reaches beyond the limit: CAPTURE_SLACK
 * bytes are there. Then is_within says whether it counts; if not, who wrote it takes it back.
 */

static bool is_within(const struct capture *c)
{
	return c->at <= c->limit;
}

static size_t capture_room(const struct capture *c)
{
	return is_within(c) ? (size_t)(c->limit - c->at) : 0;
}

static void put_tag(struct capture *c, enum value_kind kind)
{
	*c->at++ = (uint8_t)kind;
}

static void put_number(struct capture *c, uint64_t number)
{
	c->at = varint_write(c->at, number);
}

/* An object's id: addresses of objects are multiples of 8 at least. */
static void put_id(struct capture *c, const PyObject *o)
{
	put_number(c, (uintptr_t)o >> 3);
}

/* A kind with an id, and its length where it has one. */
static void put_head(struct capture *c, enum value_kind kind, const PyObject *o)
{
	put_tag(c, kind);
	put_id(c, o);
}

static bool put_string(struct capture *c, const void *text, size_t n)
{
	if (capture_room(c) < n + PL_VARINT_MAX)
		return false;
	put_number(c, n);
	memcpy(c->at, text, n);
	c->at += n;
	return true;
}

/* As many bytes as fit, at most n. */
static bool put_some(struct capture *c, const void *bytes, size_t n)
{
	size_t room = capture_room(c);

	if (room <= PL_VARINT_MAX)
		return false;
	return put_string(c, bytes, n < room - PL_VARINT_MAX ? n : room - PL_VARINT_MAX);
}

/* ---- numbers ---- */

#define LONG_BITS_MAX	 432 /* 128 digits need 426 */
#define LONG_BYTES_MAX	 (LONG_BITS_MAX / 8)
#define SMALL_DIGITS_MAX 2 /* so many fit into 64 bits with a sign */

static unsigned bits_of_digit(digit d)
{
	unsigned bits = 0;

	for (; d; d >>= 1)
		bits++;
	return bits;
}

/* The digits, of PyLong_SHIFT bits each, as bytes. Returns their number. */
static size_t long_bytes(uint8_t *to, const struct long_parts *l)
{
	uint64_t pending = 0;
	unsigned bits = 0;
	uint8_t *p = to;

	for (size_t i = 0; i < l->count; i++) {
		pending |= (uint64_t)l->digits[i] << bits;
		for (bits += PyLong_SHIFT; bits >= 8; bits -= 8, pending >>= 8)
			*p++ = (uint8_t)pending;
	}
	if (bits)
		*p++ = (uint8_t)pending;
	while (p > to && !p[-1])
		p--;
	return (size_t)(p - to);
}

static bool put_long(struct capture *c, const struct long_parts *l)
{
	uint8_t bytes[LONG_BYTES_MAX + 2 * sizeof(digit)];
	size_t bits = (l->count - 1) * PyLong_SHIFT + bits_of_digit(l->digits[l->count - 1]);
	size_t kept = bits <= LONG_BITS_MAX ? long_bytes(bytes, l) : 0;

	put_tag(c, VALUE_LONG);
	put_number(c, bits << 1 | l->negative);
	return put_string(c, bytes, kept);
}

/* Its length, and its digits; of a digit alone with half of what is before it. Small ints live for
 * ever. */
static void note_int(const struct capture *c, PyObject *o, const struct long_parts *l)
{
	const char *digits = (const char *)l->digits;

	if (!c->reads || object_is_kept(o))
		return;
	reads_note_type(c->reads, o);
	reads_note(c->reads, digits - 8);
	if (l->count && l->count <= SMALL_DIGITS_MAX)
		reads_note(c->reads, digits - 8 + l->count * sizeof *l->digits);
	else
		reads_note_part(c->reads, digits, l->count * sizeof *l->digits);
}

static bool put_int(struct capture *c, PyObject *o)
{
	const struct long_parts l = long_parts((const PyLongObject *)o);
	uint64_t number = 0;

	note_int(c, o, &l);
	if (l.count > SMALL_DIGITS_MAX)
		return put_long(c, &l);
	for (size_t i = 0; i < l.count; i++)
		number |= (uint64_t)l.digits[i] << i * PyLong_SHIFT;
	int64_t value = l.negative ? -(int64_t)number : (int64_t)number;
	put_tag(c, VALUE_INT);
	put_number(c, zigzag(value));
	return is_within(c);
}

static void put_double(struct capture *c, double d)
{
	memcpy(c->at, &d, sizeof d);
	c->at += sizeof d;
}

static bool put_float(struct capture *c, PyObject *o)
{
	reads_note(c->reads, &((const PyFloatObject *)o)->ob_fval);
	put_tag(c, VALUE_FLOAT);
	put_double(c, PyFloat_AS_DOUBLE(o));
	return is_within(c);
}

static bool put_complex(struct capture *c, PyObject *o)
{
	reads_note_words(c->reads, &((const PyComplexObject *)o)->cval, 2);
	put_tag(c, VALUE_COMPLEX);
	put_double(c, ((PyComplexObject *)o)->cval.real);
	put_double(c, ((PyComplexObject *)o)->cval.imag);
	return is_within(c);
}

static bool put_constant(struct capture *c, enum value_kind kind)
{
	put_tag(c, kind);
	return is_within(c);
}

/* ---- texts ---- */

/* Text is read a little beyond what is kept, so that a secret that is cut there is still known as
 * one. */
#define TEXT_BEYOND  SECRET_AHEAD_BYTES
#define SCRATCH_ROOM (VALUE_EVENT_MAX + 4 * TEXT_BEYOND)

/* Of a text whose secrets have marks in their place: only what is left out from its end is cut. */
static size_t length_with_marks(size_t length, size_t hidden, const struct secret_parts *parts)
{
	return length - hidden + parts->count * strlen(SECRET_MARK);
}

/* The first `chars` characters of a text, without what looks like a secret. Returns their bytes. */
static size_t put_safe(
	uint8_t *to, size_t room, struct pl_view text, size_t chars, struct secret_parts *hidden)
{
	size_t cut = text_cut(text.at, text.left, chars);
	size_t looked = text.left - cut < TEXT_BEYOND ? text.left : cut + TEXT_BEYOND;

	return secret_copy(to, cut < text.left && cut < room ? cut : room, (const char *)text.at,
		looked, hidden);
}

static uint8_t scratch[SCRATCH_ROOM]; /* with the GIL */

/* The first `chars` characters of a str, without what looks like a secret. Returns their bytes. */
static size_t put_characters(const struct capture *c, uint8_t *to, PyObject *str, size_t chars,
	struct secret_parts *hidden)
{
	size_t room = capture_room(c) - PL_VARINT_MAX, length;

	if (c->shows_secrets)
		return text_encode(to, room, str, chars);
	const char *text = text_ascii(str, &length);
	if (!text) {
		length = text_encode(scratch, sizeof scratch, str, chars + TEXT_BEYOND);
		text = (const char *)scratch;
	}
	return put_safe(to, room, view_of(text, length), chars, hidden);
}

/* `kept` bytes of a string, from where they were written: behind c->at. */
static void put_written(struct capture *c, const uint8_t *from, size_t kept)
{
	put_number(c, kept);
	memmove(c->at, from, kept);
	c->at += kept;
}

static bool put_text(struct capture *c, PyObject *str, size_t chars)
{
	struct secret_parts hidden = {0};
	uint8_t *to = c->at + PL_VARINT_MAX;

	if (capture_room(c) <= PL_VARINT_MAX)
		return false;
	put_written(c, to, put_characters(c, to, str, chars, &hidden));
	return true;
}

static void note_str(const struct capture *c, PyObject *str)
{
	if (!c->reads || object_is_kept(str))
		return;
	if (!text_is_ready(str))
		c->reads->failed = true;
	reads_note_type(c->reads, str);
	reads_note_str(c->reads, str, c->limits->chars + TEXT_BEYOND);
}

/* Its length is written first, and is known last. It takes a byte more at most with marks, which
 * the room for the string's own length has. */
static bool put_str(struct capture *c, PyObject *o)
{
	struct secret_parts hidden = {0};
	size_t length = (size_t)PyUnicode_GET_LENGTH(o);

	note_str(c, o);
	put_tag(c, VALUE_STR);
	uint8_t *head = c->at;
	put_number(c, length);
	uint8_t *to = c->at + PL_VARINT_MAX;
	if (capture_room(c) <= PL_VARINT_MAX)
		return false;
	size_t kept = put_characters(c, to, o, c->limits->chars, &hidden);
	if (hidden.count) {
		c->at = head;
		put_number(c, length_with_marks(length, hidden.characters, &hidden));
	}
	put_written(c, to, kept);
	return true;
}

/* Bytes are bounded as text is, a byte for a character. They need not be text: what secret_copy
 * leaves out because it would be a half of a character is no secret. */
static bool put_byte_string(struct capture *c, const void *bytes, Py_ssize_t length)
{
	size_t n = (size_t)length, kept = n < c->limits->chars ? n : c->limits->chars;
	const uint8_t *from = bytes;
	struct secret_parts hidden = {0};

	reads_note_part(c->reads, bytes, n - kept < TEXT_BEYOND ? n : kept + TEXT_BEYOND);
	if (c->shows_secrets) {
		put_number(c, n);
		return put_some(c, bytes, kept);
	}
	size_t looked = n - kept < TEXT_BEYOND ? n : kept + TEXT_BEYOND;
	size_t room = kept < n ? kept : sizeof scratch;
	size_t safe = secret_copy(scratch, room, bytes, looked, &hidden);
	while (safe < kept && from[safe] >= 0x80 && !memcmp(scratch, from, safe)) {
		scratch[safe] = from[safe];
		safe++;
	}
	put_number(c, length_with_marks(n, hidden.bytes, &hidden));
	return put_some(c, scratch, safe);
}

/* Only of an exporter whose memory is there for sure: a mapped file can have become shorter. */
static bool put_memoryview(struct capture *c, PyObject *o)
{
	const PyMemoryViewObject *m = (const PyMemoryViewObject *)o;
	bool released = m->flags & _Py_MEMORYVIEW_RELEASED || !m->mbuf ||
			m->mbuf->flags & _Py_MANAGED_BUFFER_RELEASED;
	PyObject *owner = released ? NULL : m->view.obj;
	bool sure = owner && (PyBytes_CheckExact(owner) || PyByteArray_CheckExact(owner)) &&
		    m->flags & _Py_MEMORYVIEW_C;

	reads_fail(c->reads);
	put_head(c, VALUE_MEMORYVIEW, o);
	if (sure)
		return put_byte_string(c, m->view.buf, m->view.len);
	put_number(c, released ? 0 : (uint64_t)m->view.len);
	return put_string(c, "", 0);
}

static const char CUT_MARK[] = "\u2026";
#define CUT_MARK_BYTES (sizeof CUT_MARK - 1)

/* What a type of the standard library has for a text. It is bounded as a str is, and says itself
 * that it is cut. */
static bool put_repr(struct capture *c, const PyObject *o, const struct repr *r, bool is_free)
{
	char text[REPR_BYTES_MAX + CUT_MARK_BYTES];
	size_t most = r->cut ? REPR_BYTES_MAX - SECRET_AHEAD_BYTES : REPR_BYTES_MAX;
	size_t chars = c->limits->chars;
	struct secret_parts hidden = {0};

	put_head(c, VALUE_TEXT, o);
	if (capture_room(c) < PL_VARINT_MAX + CUT_MARK_BYTES)
		return false;
	if (most > capture_room(c) - PL_VARINT_MAX - CUT_MARK_BYTES)
		most = capture_room(c) - PL_VARINT_MAX - CUT_MARK_BYTES;
	size_t shown =
		text_whole(r->text, text_cut((const uint8_t *)r->text, r->length, chars), most);
	size_t kept = shown;
	if (c->shows_secrets || !is_free)
		memcpy(text, r->text, shown);
	else
		kept = put_safe((uint8_t *)text, most, view_of(r->text, r->length), chars, &hidden);
	if (r->cut || shown < r->length) {
		memcpy(text + kept, CUT_MARK, CUT_MARK_BYTES);
		kept += CUT_MARK_BYTES;
	}
	return put_string(c, text, kept);
}

/* ---- members ---- */

#define NAME_MAX_BYTES 100 /* longer names of attributes are cut */

/* Attributes and keys have few names, which come again and again. With the GIL. */
static bool name_is_secret(const char *name, size_t length)
{
	static struct known_name {
		uint8_t length; /* 0: none is known here */
		bool secret;
		char text[30];
	} known_names[512];
	struct known_name *k = &known_names[((uintptr_t)name >> 4) % 512];

	if (!length || length > sizeof k->text)
		return secret_name(name, length);
	if (k->length != length || memcmp(k->text, name, length) != 0) {
		k->length = (uint8_t)length;
		k->secret = secret_name(name, length);
		memcpy(k->text, name, length);
	}
	return k->secret;
}

/* Is it above or before in this value? If not, it is now. */
static bool is_seen(struct capture *c, const PyObject *o)
{
	for (unsigned i = 0; i < c->seen_count; i++)
		if (c->seen[i] == o)
			return true;
	if (c->seen_count < CAPTURE_SEEN_MAX)
		c->seen[c->seen_count++] = o;
	return false;
}

static bool put_seen(struct capture *c, const PyObject *o)
{
	put_head(c, VALUE_SEEN, o);
	return is_within(c);
}

bool capture_name_is_secret(PyObject *name)
{
	uint8_t encoded[4 * NAME_MAX_BYTES];
	const char *text;
	size_t length;

	if (PyBytes_Check(name))
		return name_is_secret(PyBytes_AS_STRING(name), (size_t)PyBytes_GET_SIZE(name));
	if (!PyUnicode_Check(name))
		return false;
	text = text_ascii(name, &length);
	if (!text) {
		length = text_encode(encoded, sizeof encoded, name, NAME_MAX_BYTES);
		text = (const char *)encoded;
	}
	return name_is_secret(text, length);
}

/* The member's name, or its key. */
static bool put_name_of(struct capture *c, const struct member *m)
{
	size_t length = m->slot ? strlen(m->slot) : 0;
	const char *ascii = m->name ? text_ascii(m->name, &length) : m->slot;

	if (m->key)
		return capture_value(c, m->key);
	if (ascii && length <= NAME_MAX_BYTES)
		return put_string(c, ascii, length);
	return !m->name || put_text(c, m->name, NAME_MAX_BYTES);
}

static bool member_is_secret(const struct member *m)
{
	if (m->slot)
		return name_is_secret(m->slot, strlen(m->slot));
	return capture_name_is_secret(m->name ? m->name : m->key);
}

static bool put_member(struct capture *c, const struct member *m)
{
	if (!m->name && !m->key && !m->slot)
		return capture_value(c, m->value);
	if (!put_name_of(c, m))
		return false;
	return !c->shows_secrets && member_is_secret(m) ? capture_redacted(c)
							: capture_value(c, m->value);
}

/* false: it has no room. */
static bool put_whole_member(struct capture *c, const struct member *m)
{
	uint8_t *before = c->at;
	unsigned seen = c->seen_count;

	if (put_member(c, m))
		return true;
	c->at = before;
	c->seen_count = seen;
	return false;
}

/* Returns how many of `most` there are then; `most`: no other is wanted, or fits. */
static uint32_t put_request(struct capture *c, PyObject *dict, uint32_t most)
{
	struct member first[REQUEST_KEYS];
	const size_t count = request_members(dict, first);
	uint32_t put = 0;

	while (put < most && put < count && put_whole_member(c, &first[put]))
		put++;
	return put < count || c->request == REQUEST_ALONE ? most : put;
}

static void put_those_that_fit(struct capture *c, struct members *of, uint32_t most)
{
	const bool request = c->request && c->depth == 1 && of->kind == VALUE_DICT;
	uint32_t put = request ? put_request(c, of->of, most) : 0;
	struct member m;

	while (put < most && members_next(of, &m)) {
		if (request && request_is_key(m.key))
			continue;
		if (!put_whole_member(c, &m))
			return;
		put++;
	}
}

/* Those that fit, and the END that they need. */
static bool put_members(struct capture *c, struct members *of, uint32_t most)
{
	if (!capture_room(c))
		return false;
	if (c->depth >= c->limits->depth)
		most = 0;
	c->limit--;
	c->depth++;
	put_those_that_fit(c, of, most);
	c->depth--;
	c->limit++;
	put_tag(c, VALUE_END);
	return true;
}

static bool put_container(struct capture *c, PyObject *o, enum value_kind kind, PyObject *fields)
{
	struct members of;
	uint32_t most = kind == VALUE_OBJECT ? c->limits->attributes : c->limits->items;

	members_begin(&of, o, kind, fields, c->reads);
	if (of.length && is_seen(c, o))
		return put_seen(c, o);
	put_head(c, of.kind, o);
	put_number(c, of.length);
	return put_members(c, &of, most);
}

/* ---- the rest ---- */

/* With what a change of the type changes, as its name. */
static void note_type(const struct capture *c, const PyObject *o)
{
	reads_note_type(c->reads, o);
	reads_note(c->reads, &Py_TYPE(o)->tp_version_tag);
}

static bool put_type_of(struct capture *c, PyObject *o)
{
	if (!o || o == Py_None)
		return put_string(c, "", 0);
	note_type(c, o);
	const struct value_type *t = value_type_of(Py_TYPE(o));
	return put_string(c, t->name, t->name_length);
}

static bool put_exception(struct capture *c, PyObject *o)
{
	const PyBaseExceptionObject *e = (const PyBaseExceptionObject *)o;

	if (is_seen(c, o))
		return put_seen(c, o);
	reads_note(c->reads, &e->cause);
	reads_note(c->reads, &e->context);
	reads_note(c->reads, &e->args);
	put_head(c, VALUE_EXCEPTION, o);
	return put_type_of(c, e->cause) && put_type_of(c, e->context) && capture_value(c, e->args);
}

/* A slice can have any objects; in another slice it is its type alone, for they have no depth. */
static bool put_three(struct capture *c, enum value_kind kind, PyObject *const *parts)
{
	bool done = true;

	reads_note_words(c->reads, parts, 3);
	put_tag(c, kind);
	for (int i = 0; i < 3 && done; i++)
		done = PySlice_Check(parts[i]) ? capture_type(c, parts[i])
					       : capture_value(c, parts[i]);
	return done;
}

/* Objects/rangeobject.c */
struct range_layout {
	PyObject head;
	PyObject *parts[3]; /* start, stop, step */
};

static bool put_range(struct capture *c, PyObject *o)
{
	return put_three(c, VALUE_RANGE, ((const struct range_layout *)o)->parts);
}

static bool put_slice(struct capture *c, PyObject *o)
{
	const PySliceObject *s = (const PySliceObject *)o;

	_Static_assert(offsetof(PySliceObject, step) ==
			       offsetof(PySliceObject, start) + 2 * sizeof(PyObject *),
		"they are in a row");
	return put_three(c, VALUE_SLICE, &s->start);
}

static bool put_name(struct capture *c, PyObject *name)
{
	return name && PyUnicode_Check(name) ? put_text(c, name, c->limits->chars)
					     : put_string(c, "?", 1);
}

static bool put_function(struct capture *c, PyObject *f)
{
	note_type(c, f);
	if (PyFunction_Check(f)) {
		reads_note(c->reads, &((PyFunctionObject *)f)->func_qualname);
		note_str(c, ((PyFunctionObject *)f)->func_qualname);
		return put_name(c, ((PyFunctionObject *)f)->func_qualname);
	}
	if (PyCFunction_Check(f)) {
		reads_note(c->reads, &((PyCFunctionObject *)f)->m_ml);
		const char *name = ((PyCFunctionObject *)f)->m_ml->ml_name;
		return put_string(c, name, strlen(name));
	}
	return put_name(c, NULL);
}

static bool put_named(struct capture *c, PyObject *o, enum value_kind kind)
{
	put_head(c, kind, o);
	if (kind == VALUE_CLASS) {
		reads_note(c->reads, &((PyTypeObject *)o)->tp_version_tag);
		const struct value_type *t = value_type_of((PyTypeObject *)o);
		return put_string(c, t->name, t->name_length);
	}
	if (kind == VALUE_METHOD)
		reads_note(c->reads, &((PyMethodObject *)o)->im_func);
	if (kind == VALUE_METHOD)
		return put_function(c, PyMethod_GET_FUNCTION(o));
	if (kind == VALUE_FUNCTION)
		return put_function(c, o);
	reads_fail(c->reads);
	PyObject *names = PyModule_GetDict(o);
	return put_name(c, names ? dict_find(names, "__name__") : NULL);
}

/* By its kind; the name of its type was written if it needs that. */
static bool put_kind(struct capture *c, PyObject *o, enum value_kind kind, PyObject *fields)
{
	switch (kind) {
	case VALUE_NONE:
		return put_constant(c, VALUE_NONE);
	case VALUE_TRUE:
		return put_constant(c, o == Py_True ? VALUE_TRUE : VALUE_FALSE);
	case VALUE_INT:
		return put_int(c, o);
	case VALUE_FLOAT:
		return put_float(c, o);
	case VALUE_COMPLEX:
		return put_complex(c, o);
	case VALUE_STR:
		return put_str(c, o);
	case VALUE_BYTES:
		reads_note(c->reads, &((const PyVarObject *)o)->ob_size);
		put_tag(c, VALUE_BYTES);
		return put_byte_string(c, PyBytes_AS_STRING(o), PyBytes_GET_SIZE(o));
	case VALUE_BYTEARRAY:
		reads_note(c->reads, &((const PyVarObject *)o)->ob_size);
		reads_note(c->reads, &((const PyByteArrayObject *)o)->ob_start);
		put_head(c, VALUE_BYTEARRAY, o);
		return put_byte_string(c, PyByteArray_AS_STRING(o), PyByteArray_GET_SIZE(o));
	case VALUE_MEMORYVIEW:
		return put_memoryview(c, o);
	case VALUE_EXCEPTION:
		return put_exception(c, o);
	case VALUE_RANGE:
		return put_range(c, o);
	case VALUE_SLICE:
		return put_slice(c, o);
	case VALUE_FUNCTION:
	case VALUE_METHOD:
	case VALUE_CLASS:
	case VALUE_MODULE:
		return put_named(c, o, kind);
	default:
		return put_container(c, o, kind, fields);
	}
}

static bool put_any(struct capture *c, PyObject *o)
{
	const struct value_type *t = value_type_of(Py_TYPE(o));
	enum value_kind kind = t->kind;
	PyObject *fields = t->fields;
	static char text[REPR_BYTES_MAX]; /* with the GIL */
	struct repr r = {.text = text, .room = sizeof text};
	bool has_text = t->library && t->library->text(&r, o);

	note_type(c, o);
	if (t->library)
		reads_fail(c->reads);
	if (!(has_text ? t->exact_text : t->exact)) {
		put_tag(c, VALUE_TYPED);
		if (!put_string(c, t->name, t->name_length))
			return false;
	}
	return has_text ? put_repr(c, o, &r, t->library->is_free) : put_kind(c, o, kind, fields);
}

/* The most frequent kinds first. */
static bool put_value(struct capture *c, PyObject *o)
{
	if (PyLong_CheckExact(o))
		return put_int(c, o);
	if (PyUnicode_CheckExact(o))
		return put_str(c, o);
	if (o == Py_None)
		return put_constant(c, VALUE_NONE);
	return put_any(c, o);
}

bool capture_value(struct capture *c, PyObject *o)
{
	uint8_t *before = c->at;
	unsigned seen = c->seen_count;
	bool done = o ? put_value(c, o) : put_constant(c, VALUE_UNSET);

	if (!done) {
		c->at = before;
		c->seen_count = seen;
	}
	return done;
}

bool capture_type(struct capture *c, PyObject *o)
{
	uint8_t *before = c->at;

	if (!o)
		return capture_value(c, NULL);
	put_head(c, VALUE_CUT, o);
	if (put_type_of(c, o))
		return true;
	c->at = before;
	return false;
}

bool capture_text(struct capture *c, const char *text, size_t length)
{
	return put_string(c, text, length);
}

bool capture_redacted(struct capture *c)
{
	uint8_t *before = c->at;

	if (put_constant(c, VALUE_REDACTED))
		return true;
	c->at = before;
	return false;
}
