/* VALUES: | EVENT_PREFIX | EVENT_VALUES | length | flags | value... |
 *
 * The bytes are written in place, behind room for a head; the head is written when their length is
 * known.
 */
#include "recorder/values/values.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/varint.h"
#include "format/event.h"
#include "format/value_table.h"
#include "recorder/code.h"
#include "recorder/compat/code_object.h"
#include "recorder/compat/objects.h"
#include "recorder/emit.h"
#include "recorder/root.h"
#include "recorder/values/capture.h"
#include "recorder/values/secrets.h"
#include "recorder/values/text.h"
#include "recorder/values/values_of.h"

/* One capture at a time: nothing in it lets another thread run, or Python. */
static struct capture capture;

/* ---- the budget ---- */

#define SECOND_NS 1000000000

static struct {
	uint64_t bytes;	  /* that were written since then */
	uint64_t from_ns; /* of the clock below */
} spent;

/* To a few milliseconds, which costs less. */
static uint64_t coarse_now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* More bytes than a second may have, within one. The clock is read only when they are reached. */
static bool is_over_budget(void)
{
	const uint64_t most = root.arena.head->value_limits.second_bytes;

	if (!most || spent.bytes < most)
		return false;
	uint64_t now = coarse_now_ns();
	if (now - spent.from_ns < SECOND_NS)
		return true;
	spent.from_ns = now;
	spent.bytes = 0;
	return false;
}

/* ---- the event ---- */

_Static_assert(CAPTURE_SLACK <= RING_STEP_BYTES / 2, "the step has room behind its values");

#define HEAD_BYTES	4   /* prefix, kind, and at most 14 bits of length */
#define ONE_BYTE_LENGTH 127 /* a length up to this is one byte of the head */

static void values_begin(uint8_t *p)
{
	const struct arena_head *h = root.arena.head;
	bool over = is_over_budget();

	capture.at = p + HEAD_BYTES;
	capture.limits = &h->value_limits;
	capture.limit = capture.at + h->value_limits.event_bytes;
	capture.shows_secrets = h->shows_secrets;
	capture.depth = 0;
	*capture.at++ = over ? VALUES_OVER_BUDGET : 0;
	if (over)
		atomic_fetch_add_explicit(&root.slot->values_cut, 1, memory_order_relaxed);
}

static uint8_t *values_end(uint8_t *p)
{
	uint8_t *bytes = p + HEAD_BYTES;
	size_t n = (size_t)(capture.at - bytes);

	spent.bytes += n + HEAD_BYTES;
	*p++ = EVENT_PREFIX;
	*p++ = EVENT_VALUES;
	p = varint_write(p, n);
	if (n <= ONE_BYTE_LENGTH)
		memmove(p, bytes, n);
	return p + n;
}

/* One of the event's values, bounded by itself. false: there is no room, nor is there for later
 * ones. */
static bool put_one(const uint8_t *flags, PyObject *o, bool hidden)
{
	uint8_t *whole = capture.limit;
	const size_t most = capture.limits->bytes;

	if (hidden && !capture.shows_secrets)
		return capture_redacted(&capture);
	capture.seen_count = 0;
	if (*flags & VALUES_OVER_BUDGET)
		return capture_type(&capture, o);
	if ((size_t)(whole - capture.at) > most)
		capture.limit = capture.at + most;
	bool done = capture_value(&capture, o);
	capture.limit = whole;
	return done || capture_type(&capture, o);
}

static uint8_t *put_alone(uint8_t *p, PyObject *o, bool hidden)
{
	values_begin(p);
	put_one(p + HEAD_BYTES, o, hidden);
	return values_end(p);
}

static bool put_argument(const uint8_t *flags, const struct emit *e, uint32_t i)
{
	const int variable = (int)code_argument_variable(e->code, i);

	return put_one(
		flags, frame_variable(e->frame, e->code, variable), e->record->values->hidden[i]);
}

uint8_t *values_of_call(const struct emit *e, uint8_t *p)
{
	const struct code_values *v = e->record->values;

	if (!v || !v->count || frame_is_foreign(e->frame))
		return p;
	values_begin(p);
	for (uint32_t i = 0; i < v->count; i++)
		if (!put_argument(p + HEAD_BYTES, e, i))
			break;
	return values_end(p);
}

uint8_t *values_of_sent(const struct emit *e, uint8_t *p, PyObject *sent)
{
	if (!e->record->values || !sent)
		return p;
	return put_alone(p, sent, false);
}

/* An asynchronous generator yields its value in an object of its own (Objects/genobject.c). */
static PyObject *unwrapped(const PyCodeObject *code, PyObject *o)
{
	struct wrapped {
		PyObject head;
		PyObject *value;
	};
	bool is = code->co_flags & CO_ASYNC_GENERATOR &&
		  !strcmp(Py_TYPE(o)->tp_name, "async_generator_wrapped_value");

	return is ? ((struct wrapped *)o)->value : o;
}

uint8_t *values_of_result(const struct emit *e, uint8_t *p, PyObject *result)
{
	const struct code_values *v = e->record->values;

	return v && result ? put_alone(p, unwrapped(e->code, result), v->hides_result) : p;
}

uint8_t *values_of_exception(const struct emit *e, uint8_t *p, PyObject *exception)
{
	return e->record->values && exception ? put_alone(p, exception, false) : p;
}

/* ---- codes ---- */

void values_start(void)
{
	const struct arena_head *h = root.arena.head;

	root.keeps_values = h->values != VALUES_NONE;
	if (h->redact_bytes <= sizeof h->redact)
		secret_names_add(view_of(h->redact, h->redact_bytes));
	values_of_start();
}

struct code_values *code_values_of(PyCodeObject *code)
{
	if (!root.keeps_values || code_runs_once(code) || !values_are_of(code))
		return NULL;
	uint32_t count = code_argument_count(code);
	struct code_values *v = calloc(1, sizeof *v + count * sizeof v->hidden[0]);
	if (!v)
		return NULL;
	v->count = count;
	v->hides_result = capture_name_is_secret(code->co_name);
	for (uint32_t i = 0; i < count; i++)
		v->hidden[i] = capture_name_is_secret(PyTuple_GET_ITEM(
			code->co_localsplusnames, code_argument_variable(code, i)));
	return v;
}
