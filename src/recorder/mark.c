/* Marks, for `pathline.mark("text", order=7)`.
 *
 *	the program     mark("paid", order=7, by="card")
 *	the stream      AT, TIME, MARK "paid order=7 by='card'"
 *
 * A mark has no event of the interpreter. It is put at the frame that is on top of the stack, the
 * one that calls mark. AT says where that is, so the lines before it are known, and TIME when.
 */
#include "recorder/mark.h"

#include <string.h>

#include "base/buf.h"
#include "format/event.h"
#include "recorder/code.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/engine.h"
#include "recorder/link.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/shadow_frames.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "recorder/values/secrets.h"
#include "ring/ring.h"

#define CUT	  "\u2026"
#define CUT_BYTES (sizeof CUT - 1)
/* Of a text so many characters are looked at. */
#define LENGTH_MAX (EVENT_TEXT_MAX + SECRET_AHEAD_BYTES)

bool mark_is_recording(void)
{
	return (root.slot || root.forked) &&
	       !atomic_load_explicit(&root.stopped, memory_order_relaxed);
}

/* ---- the text ---- */

static void add_text(struct pl_buf *b, PyObject *text)
{
	PyObject *keep = NULL;
	size_t length;
	const char *bytes = text_of(text, &length, &keep);

	buf_put(b, bytes, length);
	Py_XDECREF(keep);
}

/* Its repr runs no code of the program, and is not long to make. */
static bool is_plain(PyObject *o)
{
	if (PyUnicode_CheckExact(o))
		return PyUnicode_GET_LENGTH(o) <= LENGTH_MAX;
	if (PyBytes_CheckExact(o))
		return PyBytes_GET_SIZE(o) <= LENGTH_MAX;
	return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || o == Py_None;
}

static void add_value(struct pl_buf *b, PyObject *o)
{
	PyObject *part = NULL, *repr;

	if (PyUnicode_CheckExact(o) && !is_plain(o))
		o = part = PyUnicode_Substring(o, 0, LENGTH_MAX);
	repr = o && is_plain(o) ? PyObject_Repr(o) : NULL;
	if (repr)
		add_text(b, repr);
	else
		buf_printf(b, "<%s>", o ? Py_TYPE(o)->tp_name : "str");
	Py_XDECREF(repr);
	Py_XDECREF(part);
	PyErr_Clear();
}

/* A secret is also known by the name before it. */
static void add_named(struct pl_buf *b, PyObject *name, PyObject *value)
{
	size_t begun;

	if (b->used)
		buf_u8(b, ' ');
	begun = b->used;
	add_text(b, name);
	bool hidden = !b->failed && !root.arena.head->shows_secrets &&
		      secret_name((const char *)b->at + begun, b->used - begun);
	buf_u8(b, '=');
	if (hidden)
		buf_put(b, SECRET_MARK, strlen(SECRET_MARK));
	else
		add_value(b, value);
}

static void add_all(struct pl_buf *b, PyObject *text, PyObject *values)
{
	PyObject *name, *value;
	Py_ssize_t at = 0;

	if (PyUnicode_Check(text))
		add_text(b, text);
	else
		add_value(b, text);
	while (values && b->used < LENGTH_MAX && PyDict_Next(values, &at, &name, &value))
		add_named(b, name, value);
}

/* The bytes at the end of a text that are not a whole character. */
static size_t half_character(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && n < 3 && (text[length - 1 - n] & 0xC0) == 0x80)
		n++;
	return n < length && (text[length - 1 - n] & 0xC0) == 0xC0 ? n + 1 : 0;
}

/* At most EVENT_TEXT_MAX bytes; returns their number. */
static size_t copy_text(char *to, const struct pl_buf *b)
{
	struct secret_parts hidden = {0};
	const char *from = (const char *)b->at;
	size_t room = b->used > EVENT_TEXT_MAX ? EVENT_TEXT_MAX - CUT_BYTES : EVENT_TEXT_MAX, n;

	if (b->failed || !b->used)
		return 0;
	if (root.arena.head->shows_secrets) {
		n = b->used < room ? b->used : room;
		memcpy(to, from, n);
		n -= b->used > room ? half_character(to, n) : 0;
	} else {
		n = secret_copy((uint8_t *)to, room, from, b->used, &hidden);
	}
	if (b->used > EVENT_TEXT_MAX) {
		memcpy(to + n, CUT, CUT_BYTES);
		n += CUT_BYTES;
	}
	return n;
}

/* ---- the event ---- */

/* A trace function of 3.11 is called before its frame's line is recorded; where one may be above
 * the frame the line is not told. */
static uint8_t *write_place(struct thread *t, uint8_t *p)
{
	if (!ENGINE_TRACES)
		return write_at(t, p);
	if (root.traced || !t->shadow.top || !frame_is_real(t->shadow.top))
		return p;
	return step_on(t, write_here(t, p));
}

static void write_mark(struct thread *t, py_frame *frame, const char *text, size_t length)
{
	uint8_t *p = step(t);

	if (p)
		p = step_to_caller(t, p, frame);
	if (p)
		p = write_place(t, p);
	if (!p) {
		event_lose(t);
		return;
	}
	p = write_time(t, p, now_ticks());
	ring_commit(&t->ring, event_write_text(p, EVENT_MARK, text, length));
}

void mark_put(PyObject *text, PyObject *values)
{
	struct pl_buf whole = {0};
	char kept[EVENT_TEXT_MAX];

	if (!mark_is_recording())
		return;
	add_all(&whole, text, values);
	size_t length = copy_text(kept, &whole);
	buf_release(&whole);
	py_frame *frame = top_frame(current_thread_state());
	struct thread *t = self ? self : thread_begin();
	if (t && frame)
		write_mark(t, frame, kept, length);
	PyErr_Clear();
}
