/* VARIABLES: | EVENT_PREFIX | EVENT_VARIABLES | length | flags | name string, value | ... |
 *
 * Each variable is looked at. What has another fingerprint than before is told; where the event has
 * no room for it, a flag says so, and it is told by a later event of the frame. Those that are
 * small come first, so that large ones do not keep them back.
 *
 * Now and then all are told, those that have changed first: after ALL_EVERY_BYTES of the thread's
 * stream, and where another thread goes on with a generator. So a reader that wants to know them
 * need not go back far.
 */
#include "recorder/values/variables.h"

#include <string.h>

#include "format/event.h"
#include "format/value_table.h"
#include "recorder/code.h"
#include "recorder/compat/code_object.h"
#include "recorder/compat/objects.h"
#include "recorder/emit.h"
#include "recorder/root.h"
#include "recorder/thread.h"
#include "recorder/values/event.h"
#include "recorder/values/fingerprint.h"
#include "recorder/values/kept.h"
#include "recorder/values/text.h"
#include "recorder/values/values.h"
#include "ring/ring.h"

#define ALL_EVERY_BYTES 65536
#define CHANGED_MAX	0x0fff /* what the flags can count */
/* So many names of a dict beyond KEPT_NAMES_MAX are searched for, which takes long; then the rest
 * is not looked at. */
#define BEYOND_MAX	 8
#define SMALL_CHARACTERS 32 /* of a str */

/* What Python binds in each module and class body. */
static const char *const pythons_own[] = {"__annotate__", "__annotate_func__", "__annotations__",
	"__annotations_cache__", "__builtins__", "__cached__", "__classcell__", "__classdict__",
	"__classdictcell__", "__conditional_annotations__", "__doc__", "__file__",
	"__firstlineno__", "__loader__", "__module__", "__name__", "__package__", "__qualname__",
	"__spec__", "__static_attributes__"};

bool variable_is_told(PyObject *name)
{
	size_t length;
	const char *text = text_ascii(name, &length);

	if (!text)
		return true;
	if (!length || text[0] == '.') /* the compiler's, as the iterator of a comprehension */
		return false;
	for (size_t i = 0; text[0] == '_' && i < sizeof pythons_own / sizeof *pythons_own; i++)
		if (strlen(pythons_own[i]) == length && !memcmp(pythons_own[i], text, length))
			return false;
	return true;
}

/* ---- an event that is being written ---- */

struct telling {
	const struct emit *e;
	struct kept_frame *kept;
	uint8_t *p;   /* where it begins */
	bool begun;   /* some bytes of it are there */
	bool full;    /* something had no room */
	bool beyond;  /* there is more than is looked at */
	bool rest;    /* those that have not changed are told now */
	bool small;   /* and of these the small ones, or the others */
	bool large;   /* there are others */
	uint32_t put; /* this many */
};

static bool put_value_of(const struct fingerprint *f, PyObject *o, bool hidden)
{
	struct capture *c = &value_capture;

	if (!f->value || value_event_is_over() || (size_t)(c->limit - c->at) < f->value_bytes)
		return value_event_put(o, hidden);
	memcpy(c->at, f->value, f->value_bytes);
	c->at += f->value_bytes;
	return true;
}

struct named {
	const char *text;
	size_t bytes;
	bool hidden;
};

/* false: it has no room. */
static bool put_named(
	struct telling *t, const struct named *name, PyObject *o, const struct fingerprint *f)
{
	if (!t->begun)
		value_event_begin(t->p);
	t->begun = true;
	uint8_t *before = value_capture.at;
	if (capture_text(&value_capture, name->text, name->bytes) &&
		put_value_of(f, o, name->hidden)) {
		t->put++;
		return true;
	}
	value_capture.at = before;
	t->full = true;
	return false;
}

/* Has it always room, where others were cut to fit? */
static bool is_small(PyObject *o)
{
	return !o || o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) ||
	       PyFloat_CheckExact(o) ||
	       (PyUnicode_CheckExact(o) && PyUnicode_GET_LENGTH(o) <= SMALL_CHARACTERS);
}

/* Does this pass tell the variable? Then *f is that of its object. */
static bool is_due(
	struct telling *t, struct kept_variable *v, PyObject *o, bool hidden, struct fingerprint *f)
{
	const bool small = is_small(o);

	t->large |= !small;
	if (small != t->small)
		return false;
	*f = fingerprint_of(o, hidden);
	if (t->rest)
		return f->number && !v->told;
	v->told = false;
	return f->number != v->number;
}

static void tell(struct telling *t, struct kept_variable *v, const struct named *name, PyObject *o,
	const struct fingerprint *f)
{
	if (!put_named(t, name, o, f))
		return;
	v->number = f->number;
	v->told = true;
}

/* ---- which there are ---- */

static struct named fast_name(PyObject *name, bool hidden, uint8_t room[VARIABLE_NAME_MAX])
{
	size_t length;
	const char *text = text_ascii(name, &length);

	if (text && length <= VARIABLE_NAME_MAX)
		return (struct named){text, length, hidden};
	length = text_encode(room, VARIABLE_NAME_MAX, name, SIZE_MAX);
	return (struct named){(const char *)room, length, hidden};
}

/* A variable of a comprehension in a module or a class body hides a name. When it is gone, that is
 * seen again: it is told with its value, and the variable not as deleted. */
static bool shows_name_again(struct telling *t, PyObject *name)
{
	struct kept_name *row = t->kept->names.count ? kept_name_find(&t->kept->names, name) : NULL;

	if (!row || !row->is.number)
		return false;
	row->is.number = ~row->is.number;
	return true;
}

/* Those that have an index in the frame: also cells, and those of functions around. */
static void tell_fast(struct telling *t)
{
	const struct emit *e = t->e;
	const struct code_values *values = e->record->values;
	uint8_t room[VARIABLE_NAME_MAX];
	struct fingerprint f;

	for (uint32_t i = 0; i < t->kept->count && i < values->variables; i++) {
		struct kept_variable *v = &t->kept->variables[i];
		const uint8_t marks = values->marks[i];
		PyObject *o = marks & VARIABLE_SHARED ? frame_variable(e->frame, e->code, (int)i)
						      : frame_local(e->frame, (int)i);
		if (marks & VARIABLE_LEFT_OUT || (!o && !v->number))
			continue;
		PyObject *name = PyTuple_GET_ITEM(e->code->co_localsplusnames, i);
		if (!o && t->small && !t->rest && shows_name_again(t, name)) {
			v->number = 0;
			continue;
		}
		const bool hidden = marks & VARIABLE_HIDDEN;
		if (!is_due(t, v, o, hidden, &f))
			continue;
		const struct named named = fast_name(name, hidden, room);
		tell(t, v, &named, o, &f);
	}
}

static void tell_name(struct telling *t, struct kept_name *row, PyObject *o)
{
	const struct named named = {row->text, row->bytes, row->hidden};
	struct fingerprint f;

	if (row->bytes && is_due(t, &row->is, o, row->hidden, &f))
		tell(t, &row->is, &named, o, &f);
}

/* Those that are not in the dict any more. */
static void tell_deleted(struct telling *t)
{
	struct kept_names *n = &t->kept->names;

	for (uint32_t i = 0; i < n->count; i++)
		if (n->at[i].turn != n->turn && n->at[i].is.number)
			tell_name(t, &n->at[i], NULL);
}

/* The names of a module or a class body. Deleted ones first: a name can come again. */
static void tell_names(struct telling *t, PyObject *names)
{
	struct kept_names *n = &t->kept->names;
	PyObject *key, *value;
	Py_ssize_t place = 0;

	unsigned beyond = 0;

	n->turn++;
	n->next = 0;
	while (beyond < BEYOND_MAX && PyDict_Next(names, &place, &key, &value)) {
		const bool may = PyUnicode_CheckExact(key);
		struct kept_name *row = may ? kept_name_of(t->kept, key) : NULL;
		beyond += may && !row;
		if (!row)
			continue;
		row->turn = n->turn;
		tell_name(t, row, value);
	}
	t->beyond |= beyond > 0;
	if (!beyond && t->small && !t->rest)
		tell_deleted(t);
}

static void tell_all_of_pass(struct telling *t)
{
	PyObject *names = code_runs_once(t->e->code) ? frame_names(t->e->frame) : NULL;

	t->small = true;
	t->large = false;
	tell_fast(t);
	if (names)
		tell_names(t, names);
	if (!t->large)
		return;
	t->small = false;
	tell_fast(t);
	if (names)
		tell_names(t, names);
}

/* ---- the event ---- */

static bool all_are_due(const struct telling *t)
{
	const struct thread *thread = t->e->thread;

	return t->kept->told != thread ||
	       ring_position(&thread->ring) - t->kept->all_at >= ALL_EVERY_BYTES;
}

/* If they have room; if not, there is another try as many bytes later. */
static void tell_rest(struct telling *t)
{
	uint8_t *before = t->begun ? value_capture.at : NULL;
	const uint32_t changed = t->kept->fresh ? 0 : t->put;

	t->beyond |= t->kept->count < (uint32_t)t->e->code->co_nlocalsplus;
	if (t->full || t->beyond || changed > CHANGED_MAX)
		return;
	t->rest = true;
	tell_all_of_pass(t);
	const bool whole = !t->full && !t->beyond;
	t->full = false; /* what has changed had room */
	if (whole && t->begun)
		value_event_set_flags(VARIABLES_ALL | changed << VARIABLES_CHANGED_SHIFT);
	else if (before)
		value_capture.at = before;
	else
		t->begun = false;
}

uint8_t *variables_put(const struct emit *e, uint8_t *p)
{
	struct kept_frame *k = kept_find(e->frame, e->code);
	struct telling t = {.e = e, .kept = k, .p = p};

	if (!k)
		return p;
	tell_all_of_pass(&t);
	if (k->fresh || all_are_due(&t)) {
		tell_rest(&t);
		k->all_at = ring_position(&e->thread->ring);
		k->told = e->thread;
		k->fresh = false;
	}
	if (t.full && t.begun)
		value_event_set_flags(VARIABLES_MORE);
	return t.begun ? value_event_end(p, EVENT_VARIABLES) : p;
}

struct kept_frame *variables_begin(const struct emit *e)
{
	struct kept_frame *k = kept_begin(e->frame, e->code);

	if (k) {
		k->told = e->thread;
		k->all_at = ring_position(&e->thread->ring);
	}
	return k;
}

void variables_know(struct kept_frame *k, uint32_t index, PyObject *o, bool hidden)
{
	if (k && index < k->count)
		k->variables[index].number = fingerprint_of(o, hidden).number;
}
