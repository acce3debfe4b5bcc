/* Patterns and matches of re. */
#include "recorder/compat/library.h"
#include "recorder/values/library_texts.h"
#include "recorder/values/text.h"

static const struct {
	int flag;
	const char *name;
} FLAGS[] = {
	{2, "re.IGNORECASE"},
	{4, "re.LOCALE"},
	{8, "re.MULTILINE"},
	{16, "re.DOTALL"},
	{32, "re.UNICODE"},
	{64, "re.VERBOSE"},
	{128, "re.DEBUG"},
	{256, "re.ASCII"},
};

#define LOCALE	4
#define UNICODE 32
#define ASCII	256

/* A str's pattern is of UNICODE unless another is said, so that is not written. */
static void put_flags(struct repr *r, int flags, bool of_str)
{
	const char *between = ", ";

	if (of_str && (flags & (LOCALE | UNICODE | ASCII)) == UNICODE)
		flags &= ~UNICODE;
	for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
		if (flags & FLAGS[i].flag) {
			repr_format(r, "%s%s", between, FLAGS[i].name);
			flags &= ~FLAGS[i].flag;
			between = "|";
		}
	if (flags)
		repr_format(r, "%s0x%x", between, (unsigned)flags);
}

#define PATTERN_CHARS 200 /* of the pattern's own repr are in that of a pattern */

static void put_pattern(struct repr *r, PyObject *pattern)
{
	char text[REPR_BYTES_MAX];
	struct repr own = {.text = text, .room = sizeof text};

	if (PyUnicode_Check(pattern))
		repr_str(&own, pattern);
	else
		repr_bytes(&own, PyBytes_AS_STRING(pattern), (size_t)PyBytes_GET_SIZE(pattern));
	repr_text(r, text, text_cut((const uint8_t *)text, own.length, PATTERN_CHARS));
}

bool text_of_pattern(struct repr *r, PyObject *o)
{
	const struct pattern_layout *p = (const struct pattern_layout *)o;

	if (!p->pattern || !(PyUnicode_Check(p->pattern) || PyBytes_Check(p->pattern)))
		return false;
	repr_format(r, "re.compile(");
	put_pattern(r, p->pattern);
	put_flags(r, p->flags, PyUnicode_Check(p->pattern));
	repr_text(r, ")", 1);
	return true;
}

/* Of a str or bytes; other buffers can have changed since. */
bool text_of_match(struct repr *r, PyObject *o)
{
	const struct match_layout *m = (const struct match_layout *)o;
	const Py_ssize_t from = m->mark[0], to = m->mark[1];
	bool is_str = m->string && PyUnicode_Check(m->string);
	bool known = is_str || (m->string && PyBytes_Check(m->string));

	if (!known || Py_SIZE(o) < 2 || from < 0 || to < from)
		return false;
	if (to > (is_str ? PyUnicode_GET_LENGTH(m->string) : PyBytes_GET_SIZE(m->string)))
		return false;
	repr_format(r, "<re.Match object; span=(%zd, %zd), match=", from, to);
	if (is_str)
		repr_slice(r, m->string, from, to);
	else
		repr_bytes(r, PyBytes_AS_STRING(m->string) + from, (size_t)(to - from));
	repr_text(r, ">", 1);
	return true;
}
