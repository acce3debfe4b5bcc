/* VALUES, VARIABLES: | EVENT_PREFIX | kind | length | flags | value... |
 *
 * The bytes are written in place, behind room for a head; the head is written when their length is
 * known.
 */
#include "recorder/values/event.h"

#include <string.h>
#include <time.h>

#include "base/varint.h"
#include "format/event.h"
#include "format/value_table.h"
#include "recorder/root.h"
#include "recorder/values/known.h"

struct capture value_capture;

#define SMALL_CHARACTERS 16 /* of a str */

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

#define PREFIX_BYTES	2   /* prefix and kind */
#define LENGTH_BYTES	2   /* at most 14 bits */
#define FLAGS_BYTES	2   /* likewise */
#define ONE_BYTE_LENGTH 127 /* a number up to this is one byte */

_Static_assert(PREFIX_BYTES + LENGTH_BYTES + FLAGS_BYTES <= RING_VALUES_HEAD, "it fits");

static uint64_t event_flags;

void value_event_begin(uint8_t *p)
{
	const struct arena_head *h = root.arena.head;
	bool over = is_over_budget();

	value_capture.at = p + PREFIX_BYTES + LENGTH_BYTES + FLAGS_BYTES;
	value_capture.limits = &h->value_limits;
	value_capture.limit = value_capture.at + h->value_limits.event_bytes - 1;
	value_capture.shows_secrets = h->shows_secrets;
	value_capture.depth = 0;
	event_flags = over ? VALUES_OVER_BUDGET : 0;
	if (over)
		atomic_fetch_add_explicit(&root.slot->values_cut, 1, memory_order_relaxed);
}

bool value_event_is_over(void)
{
	return event_flags & VALUES_OVER_BUDGET;
}

void value_event_set_flags(uint64_t flags)
{
	event_flags = (event_flags & VALUES_OVER_BUDGET) | flags;
}

uint8_t *value_event_end(uint8_t *p, uint8_t kind)
{
	const uint8_t *bytes = p + PREFIX_BYTES + LENGTH_BYTES + FLAGS_BYTES;
	const size_t n = (size_t)(value_capture.at - bytes);
	const size_t flags_bytes = event_flags > ONE_BYTE_LENGTH ? FLAGS_BYTES : 1;
	uint8_t *at = p;

	*at++ = EVENT_PREFIX;
	*at++ = kind;
	at = varint_write(at, n + flags_bytes);
	at = varint_write(at, event_flags);
	if (at != bytes)
		memmove(at, bytes, n);
	spent.bytes += (size_t)(at - p) + n;
	return at + n;
}

/* It takes less to capture it than to look whether it is known. */
static bool value_is_small(PyObject *o)
{
	return !o || o == Py_None || PyLong_CheckExact(o) || PyBool_Check(o) ||
	       PyFloat_CheckExact(o) ||
	       (PyUnicode_CheckExact(o) && PyUnicode_GET_LENGTH(o) < SMALL_CHARACTERS);
}

/* There is all the room that a value can have. */
static bool put_known(struct capture *c, PyObject *o)
{
	const struct known_value v = known_value_of(o);

	memcpy(c->at, v.bytes, v.length);
	c->at += v.length;
	return v.length;
}

/* It has at most the bytes of one value. */
static bool put_bounded(struct capture *c, PyObject *o)
{
	uint8_t *whole = c->limit;

	if ((size_t)(whole - c->at) > c->limits->bytes)
		c->limit = c->at + c->limits->bytes;
	bool done = capture_value(c, o);
	c->limit = whole;
	return done || capture_type(c, o);
}

bool value_event_put(PyObject *o, bool hidden)
{
	struct capture *c = &value_capture;

	if (hidden && !c->shows_secrets)
		return capture_redacted(c);
	c->seen_count = 0;
	if (value_event_is_over())
		return capture_type(c, o);
	if ((size_t)(c->limit - c->at) > c->limits->bytes && !value_is_small(o))
		return put_known(c, o) || capture_type(c, o);
	return put_bounded(c, o);
}

bool value_event_put_request(PyObject *o, bool alone)
{
	struct capture *c = &value_capture;

	if (!o || !PyDict_Check(o))
		return alone ? capture_type(c, o) : value_event_put(o, false);
	c->seen_count = 0;
	if (value_event_is_over())
		return capture_type(c, o);
	c->request = alone ? REQUEST_ALONE : REQUEST_FIRST;
	bool done = put_bounded(c, o);
	c->request = REQUEST_NONE;
	return done;
}

bool value_event_put_type(PyObject *o)
{
	return capture_type(&value_capture, o);
}
