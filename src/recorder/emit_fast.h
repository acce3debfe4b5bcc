/* The fast paths: an event of a frame that is there, with known code, and nothing to write before
 * it. Almost all events.
 */
#ifndef PL_RECORDER_EMIT_FAST_H
#define PL_RECORDER_EMIT_FAST_H

#include <string.h>

#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"
#include "base/expect.h"
#include "format/event.h"
#include "os/clock.h"
#include "recorder/code.h"
#include "recorder/emit.h"
#include "recorder/generators.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/step.h"
#include "recorder/tasks.h"
#include "recorder/thread.h"
#include "ring/ring.h"

/* The frame of a plain event, and its code's record. */
struct plain_event {
	struct thread *thread;
	py_frame *frame;
	const struct code_record *record;
};

/* state: NULL: it is not known, and neither is anything else; else the thread is */
__attribute__((always_inline)) static inline bool plain_look(
	struct plain_event *e, struct thread *t, PyCodeObject *code, const PyThreadState *state)
{
	e->thread = t;
	if (!state)
		return false;
	e->frame = current_frame(state);
	if (!e->frame || frame_code(e->frame) != code)
		return false;
	intptr_t mark = code_mark(code);
	e->record = (const struct code_record *)mark;
	return mark > 0 && !thread_is_traced(state);
}

/* Whether or not C code called it, at most one frame represents that, except in rare cases. May be
 * NULL. */
static inline py_frame *plain_caller(const py_frame *frame)
{
	py_frame *below = frame->previous;

	return below && frame_is_shim(below) ? below->previous : below;
}

/* The unit of a frame that has begun and was written; EVENT_NO_SITE: not known. */
static inline uint32_t told_site(py_frame *frame)
{
	if (!frame || frame_is_shim(frame))
		return EVENT_NO_SITE;
	PyCodeObject *code = frame_code(frame);
	intptr_t mark = code_mark(code);
	const struct code_record *r = (const struct code_record *)mark;
	uint32_t unit = frame_unit_or_none(frame, code);
	bool told = mark > 0 && unit < r->unit_count &&
		    !(unit_bits(r->units[unit]) & UNIT_BITS(.pending = 1, .later = 1));

	return told ? unit : EVENT_NO_SITE;
}

/* As place_below, on the fast paths. 3.11 records all returns, so there it is never all that is to
 * do. */
static inline uint32_t few_below(const struct thread *t, const py_frame *frame)
{
	return ENGINE_TRACES ? 0 : place_below(t, frame);
}

/* What comes before an event on a fast path. */
enum plain_stamp {
	STAMP_AT_TICKS, /* nothing: the tick is the same */
	STAMP_ALWAYS,	/* its time */
	STAMP_BY_TSC,	/* its time, if CLOCK_TSC gives it: calls nothing */
};

/* Which calls take a fast path. */
enum plain_calls {
	CALLS_ANY,
	CALLS_KNOWN, /* to event_calls: calls nothing */
};

/* Is there something that the fast paths do not write: the end of a chunk, a tick or an idle wait,
 * a switch? */
__attribute__((always_inline)) static inline bool plain_is_slow(
	const struct thread *t, const uint8_t *p, enum plain_stamp stamp)
{
	return step_is_slow_inline(t, p) || (stamp == STAMP_BY_TSC && root.clock != CLOCK_TSC);
}

__attribute__((always_inline)) static inline uint8_t *plain_write_time(
	struct thread *t, uint8_t *p, enum plain_stamp stamp)
{
	if (stamp == STAMP_AT_TICKS)
		return p;
	return write_time(t, p, stamp == STAMP_BY_TSC ? clock_ticks(CLOCK_TSC) : now_ticks());
}

/* The caller, which is at `site`, becomes the top. It is the frame that wrote last, or that one's
 * caller. NULL: nothing was done. */
__attribute__((always_inline)) static inline uint8_t *plain_at_site(
	struct thread *t, const py_frame *caller, uint32_t site, enum plain_stamp stamp)
{
	uint8_t *p = t->ring.at;

	if (site == EVENT_NO_SITE || plain_is_slow(t, p, stamp) || shadow_is_full(&t->shadow))
		return NULL;
	const bool is_top = t->shadow.top == caller;
	/* if each return has its time, hardly any frame above the caller has returned without an
	 * event */
	const bool may_drop = stamp != STAMP_BY_TSC && frame_is_real(t->shadow.top);
	const uint32_t place = !is_top && may_drop ? few_below(t, caller) : 0;
	if (!is_top && !place)
		return NULL;
	p = plain_write_time(t, p, stamp);
	return is_top ? p : drop_to(t, p, place);
}

static __attribute__((noinline)) uint8_t *write_new_call(
	struct thread *t, uint8_t *p, uint32_t site, const struct code_record *r)
{
	event_calls_put(&t->calls, event_call(site, r->number));
	p = event_write1(p, EVENT_ENTER, site);
	memcpy(p, &r->number_bytes, sizeof r->number_bytes);
	return p + r->number_length;
}

/* As event_write_call; `known` is the result of event_known_call. */
static inline uint8_t *plain_write_enter(
	struct thread *t, uint8_t *p, uint32_t site, const struct code_record *r, uint32_t known)
{
	if (unlikely(!known))
		return write_new_call(t, p, site, r);
	return event_write_known_call(p, known);
}

/* Prefetch what the call's first witness will read; it is usually a few units later. If the code
 * was not run for a while this is not in the cache, and the witness would wait for it: in each
 * call, if 50,000 codes are called in turn. */
#define FIRST_WITNESS_UNITS 8
__attribute__((always_inline)) static inline void begin_to_load(
	PyCodeObject *code, const struct code_record *r)
{
	__builtin_prefetch(
		(const void *)((uintptr_t)r->units + FIRST_WITNESS_UNITS * sizeof r->units[0]));
	code_begin_to_load(code, FIRST_WITNESS_UNITS);
}

/* Each of these returns false if nothing was done. */

/* The start of a plain function. */
__attribute__((always_inline)) static inline bool plain_enter(
	const struct plain_event *e, enum plain_stamp stamp, enum plain_calls calls)
{
	py_frame *caller = plain_caller(e->frame);

	if (!e->record->plain)
		return false;
	uint32_t site = told_site(caller);
	uint32_t known = event_known_call(&e->thread->calls, event_call(site, e->record->number));
	if (calls == CALLS_KNOWN && !known)
		return false;
	uint8_t *p = plain_at_site(e->thread, caller, site, stamp);
	if (!p)
		return false;
	p = plain_write_enter(e->thread, p, site, e->record, known);
	shadow_put_frame(&e->thread->shadow, e->frame);
	e->thread->entered = e->frame;
	ring_commit(&e->thread->ring, p);
	return true;
}

/* The start of a generator, or of a coroutine that is not the root of a task. */
__attribute__((noinline)) static bool plain_begin(
	const struct plain_event *e, enum plain_stamp stamp)
{
	const struct code_record *r = e->record;
	py_frame *caller = plain_caller(e->frame);

	if (!r->generator_like || r->in_full || r->checks || r->reoptimization ||
		root.section_count || !frame_in_generator(e->frame))
		return false;
	uint32_t site = told_site(caller);
	if (r->coroutine && !frame_awaits(caller, site))
		return false;
	uint8_t *p = plain_at_site(e->thread, caller, site, stamp);
	if (!p)
		return false;
	p = event_write_enter(p, site, r->number, generator_new(e->frame));
	shadow_put_frame(&e->thread->shadow, e->frame);
	e->thread->entered = e->frame;
	ring_commit(&e->thread->ring, p);
	return true;
}

__attribute__((always_inline)) static inline bool enter_fast(
	struct thread *t, PyCodeObject *code, const PyThreadState *state, enum plain_stamp stamp)
{
	struct plain_event e;

	return plain_look(&e, t, code, state) &&
	       (plain_enter(&e, stamp, CALLS_ANY) || plain_begin(&e, stamp));
}

/* A known call: nothing is called on the way, so a callback saves no registers. */
__attribute__((always_inline)) static inline bool known_enter_fast(
	struct thread *t, PyCodeObject *code, const PyThreadState *state, enum plain_stamp stamp)
{
	struct plain_event e;

	if (!plain_look(&e, t, code, state))
		return false;
	if (stamp == STAMP_AT_TICKS)
		begin_to_load(code, e.record);
	return plain_enter(&e, stamp, CALLS_KNOWN);
}

/* A resume of a frame that is not the root of a task. */
__attribute__((always_inline)) static inline bool plain_resume(
	const struct plain_event *e, PyCodeObject *code)
{
	py_frame *caller = plain_caller(e->frame);

	if (e->record->in_full || !caller || (e->record->coroutine && !frame_may_await(caller)))
		return false;
	uint32_t site = told_site(caller);
	uint64_t generator = generator_of(e->frame);
	uint8_t *p = plain_at_site(e->thread, caller, site, STAMP_AT_TICKS);
	if (!p)
		return false;
	p = event_write_reentry(p, &e->thread->calls, EVENT_RESUME,
		&(struct event_resume){.site = site,
			.code = e->record->number,
			.gen = generator,
			.unit = frame_unit(e->frame, code)});
	shadow_put_frame(&e->thread->shadow, e->frame);
	e->thread->entered = e->frame;
	e->thread->resumed_at = p;
	ring_commit(&e->thread->ring, p);
	return true;
}

__attribute__((always_inline)) static inline bool resume_fast(
	struct thread *t, PyCodeObject *code, const PyThreadState *state)
{
	struct plain_event e;

	return plain_look(&e, t, code, state) && plain_resume(&e, code);
}

/* SUSPEND or LEAVE of the frame that wrote last, or that one's caller. */
__attribute__((always_inline)) static inline bool plain_end(
	const struct plain_event *e, uint32_t unit, enum event_kind kind)
{
	uint8_t *p = e->thread->ring.at;

	if (unit == EVENT_NO_UNIT || root.policy.slow_end || e->thread->task_frame == e->frame ||
		plain_is_slow(e->thread, p, STAMP_AT_TICKS))
		return false;
	if (e->thread->shadow.top != e->frame) {
		uint32_t place = few_below(e->thread, e->frame);
		if (!place)
			return false;
		p = drop_to(e->thread, p, place);
	}
	shadow_pop(&e->thread->shadow);
	ring_commit(&e->thread->ring, event_write1(p, kind, unit));
	return true;
}

__attribute__((always_inline)) static inline bool yield_fast(
	struct thread *t, PyCodeObject *code, const PyThreadState *state, uint32_t unit)
{
	struct plain_event e;

	if (!plain_look(&e, t, code, state) || e.record->in_full)
		return false;
	bool told = !e.record->suspends ||
		    (unit < e.record->unit_count && !e.record->units[unit].silent);
	return told && plain_end(&e, unit, EVENT_SUSPEND);
}

/* A return of a generator whose yields have no events. Its number is kept: the next generator at
 * this address begins with another one. */
__attribute__((always_inline)) static inline bool end_fast(
	struct thread *t, PyCodeObject *code, const PyThreadState *state, uint32_t unit)
{
	struct plain_event e;

	return plain_look(&e, t, code, state) && e.record->suspends && !e.record->checks &&
	       !e.record->in_full && plain_end(&e, unit, EVENT_LEAVE);
}

/* A function's return, if each has an event. */
__attribute__((always_inline)) static inline bool plain_leave(
	const struct plain_event *e, uint32_t unit, enum plain_stamp stamp)
{
	const struct code_record *r = e->record;
	uint8_t *p = e->thread->ring.at;

	if (!r->plain || root.policy.slow_end)
		return false;
	if (unit >= r->unit_count || e->thread->shadow.top != e->frame ||
		e->thread->task_frame == e->frame || plain_is_slow(e->thread, p, stamp))
		return false;
	p = plain_write_time(e->thread, p, stamp);
	shadow_pop(&e->thread->shadow);
	ring_commit(&e->thread->ring, event_write1(p, EVENT_LEAVE, unit));
	return true;
}

__attribute__((always_inline)) static inline bool return_fast(struct thread *t, PyCodeObject *code,
	const PyThreadState *state, uint32_t unit, enum plain_stamp stamp)
{
	struct plain_event e;

	return plain_look(&e, t, code, state) && plain_leave(&e, unit, stamp);
}

/* A line that is in the code's table, if each has an event; so each is a witness, but where
 * variables are told before it. */
__attribute__((always_inline)) static inline bool plain_line(
	const struct plain_event *e, const PyCodeObject *code)
{
	uint32_t unit = frame_unit_or_none(e->frame, code);
	uint8_t *p = e->thread->ring.at;

	if (e->thread->shadow.top != e->frame || unit >= e->record->unit_count)
		return false;
	struct code_unit here = e->record->units[unit];
	if (!here.witness || step_is_slow(e->thread, p))
		return false;
	ring_commit(&e->thread->ring, event_write_line(p, here.start - 1));
	return true;
}

#endif
