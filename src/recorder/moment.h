/* A moment: where an event happened, and the steps that write it into the ring. This is the hot
 * path.
 *
 * Each callback (hooks.c for sys.monitoring, tracing.c for the trace function of 3.11) comes here
 * with the code object of the event. moment_begin finds the thread, the frame and the code's
 * record, and makes room; then one of the record_* functions writes a few bytes. All of it is
 * inline, so the object file of hooks.c or tracing.c is the whole hot path.
 *
 *	look        self, the current frame, the code's record        nothing is written
 *	make room   step(): TIME, SWITCH, GAP where they are due      written, not committed
 *	inside      the frame becomes the top: POPS or LINKs          each LINK is committed
 *	  or at the caller: the caller becomes the top, for an entry
 *	write       the event, and TASK before an entry
 *	end         ring_commit: from here on it cannot be lost
 *
 * The shadow stack is pushed or popped with the event, so that both always agree.
 *
 * Nothing here raises, allocates, locks, or makes a system call once the code object is known; what
 * is not known goes to the slow halves in thread.c and code.c. A moment that could not begin is a
 * lost event, and was counted.
 */
#ifndef PL_RECORDER_MOMENT_H
#define PL_RECORDER_MOMENT_H

#include "recorder/state.h"

struct moment {
	struct thread *thread;
	PyThreadState *state;
	PyCodeObject *code;
	py_frame *frame;
	struct code_record *record;
	uint8_t *at;	  /* where the event goes */
	py_frame *caller; /* of an entry: the Python frame below; NULL: none */
	uint32_t site;	  /* of an entry: the unit at which the caller is, or EVENT_NO_SITE */
	bool again;	  /* what was disabled must be enabled again, after the event */
};

/* Is it in code that a filter leaves out? Call it after moment_look. */
static inline bool moment_is_left_out(const struct moment *m)
{
	return m->record && m->record->left_out;
}

/* Find thread, frame and record; false: nothing is recorded here. The code's record may be missing.
 * If the current frame has another code, C code reports an event of its own. */
static inline bool moment_look_in(struct moment *m, PyCodeObject *code, PyThreadState *state)
{
	m->code = code;
	m->state = state;
	m->again = false;
	m->thread = self;
	m->record = NULL;
	if (unlikely(!m->thread)) {
		if (!PyCode_Check(code))
			return false;
		m->record = code_without_mark(code);
		if (moment_is_left_out(m)) /* it does not begin a thread */
			return false;
		m->thread = thread_begin();
		if (!m->thread)
			return false;
	}
	m->frame = current_frame(m->state);
	if (unlikely(!m->frame || frame_code(m->frame) != m->code)) {
		if (!PyCode_Check(code)) /* C code may name any object */
			return false;
		m->frame = foreign_frame(m->code);
	}
	intptr_t mark = code_mark(code);
	m->record = (struct code_record *)mark;
	if (unlikely(mark <= 0)) {
		m->record = code_without_mark(code);
		if (moment_is_left_out(m))
			return false;
	}
	if (unlikely(thread_is_traced(m->state) && !root.traced))
		hooks_are_traced();
	if (unlikely(m->record && m->record->straight) && (root.tells_lines || m->record->precise))
		code_find_lines(code, m->record);
	return true;
}

static inline bool moment_look(struct moment *m, PyCodeObject *code)
{
	return moment_look_in(m, code, hook_thread_state(self));
}

/* There is an event: make room for it. false: it is lost, and was counted. */
static inline bool moment_make_room(struct moment *m)
{
	m->at = m->record ? step(m->thread) : NULL;
	if (unlikely(!m->at)) {
		event_lose(m->thread);
		return false;
	}
	return true;
}

/* The frame's place in the shadow stack if that is a little below the top, else 0. The caller knows
 * that it is not pending. */
#define DROPPED_MAX 8
__attribute__((always_inline)) static inline uint32_t place_below(
	const struct thread *t, const py_frame *frame)
{
	uint32_t place = t->depth > 1 ? t->depth - 1 : 0;

	if (!place || entry_is(t->frames[place - 1], frame))
		return place;
	uint32_t least = t->depth > DROPPED_MAX ? t->depth - DROPPED_MAX : 1;
	do {
		if (place-- <= least)
			return 0;
	} while (!entry_is(t->frames[place - 1], frame));
	return place;
}

/* Write POPS for the frames above `place`, at most DROPPED_MAX: their number is one byte. */
static inline uint8_t *drop_to(struct thread *t, uint8_t *p, uint32_t place)
{
	*p++ = EVENT_POPS;
	*p++ = (uint8_t)(t->depth - place);
	t->depth = place;
	t->top = t->frames[place - 1];
	return p;
}

/* A few frames above this one returned without an event, as most do: pop them. false: there is more
 * to do. */
static inline bool drop_callees(struct thread *t, uint8_t **p, const py_frame *frame)
{
	uint32_t place = place_below(t, frame);

	if (place)
		*p = drop_to(t, *p, place);
	return place != 0;
}

/* Is its frame the top of the shadow stack, and was it written? */
static inline bool moment_is_top(const struct moment *m)
{
	const py_frame *top = m->thread->top;

	if (!entry_is(top, m->frame))
		return false;
	if (likely(!m->record->late))
		return true;
	return (uintptr_t)top & (MARK_EARLY | MARK_TOLD) ||
	       !unit_is_pending(m->record, m->frame, frame_unit(m->frame, m->code));
}

/* The same for an event of a frame that was already entered: it becomes the top of the shadow
 * stack. */
static inline bool moment_make_room_inside(struct moment *m)
{
	if (!moment_make_room(m))
		return false;
	if (unlikely(!moment_is_top(m))) {
		m->at = step_to_frame(m->thread, m->at, m->frame);
		if (!m->at) {
			event_lose(m->thread);
			return false;
		}
	}
	return true;
}

static inline bool moment_begin_inside(struct moment *m, PyCodeObject *code)
{
	return moment_look(m, code) && moment_make_room_inside(m);
}

static inline void moment_end(struct moment *m, uint8_t *p)
{
	ring_commit(&m->thread->ring, p);
}

/* Commit an event, the last of its step, before it happens. */
static inline void moment_end_ahead(struct moment *m, uint8_t *p)
{
	ring_commit_ahead(&m->thread->ring, m->at, p);
}

static inline uint32_t moment_unit(const struct moment *m)
{
	return unlikely(frame_is_foreign(m->frame)) ? EVENT_NO_UNIT : frame_unit(m->frame, m->code);
}

/* The unit that the event itself names. */
static inline uint32_t moment_told_unit(const struct moment *m, uint32_t unit)
{
	return frame_is_foreign(m->frame) ? EVENT_NO_UNIT : unit;
}

/* The Python frame below this one; NULL: none. */
static inline py_frame *moment_caller(const struct moment *m)
{
	return unlikely(frame_is_foreign(m->frame)) ? top_frame(m->state) : frame_caller(m->frame);
}

/* The start at which the frame is: .start is 0 if the code's table has none. */
static inline struct code_unit moment_start(const struct moment *m, uint32_t unit)
{
	return unit < m->record->unit_count ? m->record->units[unit] : (struct code_unit){0};
}

/* ---- entries ---- */

/* Does that generator or coroutine await what is entered at `site`? */
static inline bool frame_awaits(py_frame *caller, uint32_t site)
{
	if (!caller || !frame_in_generator(caller))
		return false;
	const struct code_record *r = code_known(frame_code(caller));
	return r && site < r->unit_count && r->units[site].sends;
}

/* The task whose root this frame is, if it is one: a coroutine that was entered by an event loop,
 * or eagerly; or the bottom frame of a greenlet. The entry comes next. */
static inline uint8_t *moment_write_task(struct moment *m, bool started, uint8_t *p)
{
	if (!m->caller && m->thread->greenlet)
		return write_greenlet_name(m->thread, p);
	if (!m->record->coroutine || frame_is_foreign(m->frame) || !frame_in_generator(m->frame))
		return p;
	if (started ? frame_awaits(m->caller, m->site) : m->caller && frame_may_await(m->caller))
		return p;
	return task_write(p, m->state, m->frame, true);
}

/* What follows the frame's end may have no event, so the end must have one; so it must if the frame
 * is the root of a task, whose name may have changed by then. `again`: it is disabled by now. */
static inline void moment_is_bottom(struct moment *m)
{
	m->again |= !m->record->bottom && m->record->hushed;
	m->record->bottom = true;
}

/* What runs in a section is recorded completely. */
static inline void moment_may_be_precise(struct moment *m)
{
	if (unlikely(root.section_count != 0))
		m->again |= section_hears(m->thread, m->record);
}

/* Make the caller the top. Returns the site, or EVENT_NO_SITE; m->at NULL: the event is lost. */
static inline uint32_t moment_at_caller(struct moment *m, py_frame *caller)
{
	if (unlikely(!caller || root.filters || frame_not_begun(caller) ||
		     frame_is_foreign(m->thread->top) || frame_is_pending(caller) ||
		     frame_not_resumed(caller)) ||
		(!entry_is(m->thread->top, caller) && !drop_callees(m->thread, &m->at, caller)))
		m->at = step_to_caller(m->thread, m->at, caller);
	if (unlikely(m->at && caller && frame_is_due(caller)))
		m->at = step_tell_due(m->thread, m->at);
	if (unlikely(!entry_is(m->thread->top, caller))) {
		if (!frame_is_outside(m->thread->top)) /* C code that reports that it was called */
			return EVENT_NO_UNIT;
		moment_is_bottom(m);
	}
	return caller ? frame_unit(caller, frame_code(caller)) : EVENT_NO_SITE;
}

/* For an entry: the frame is not on the shadow stack yet, and its caller becomes the top. */
static inline bool moment_begin_entry(struct moment *m, PyCodeObject *code, PyThreadState *state)
{
	if (!moment_look_in(m, code, state) || !moment_make_room(m))
		return false;
	m->caller = moment_caller(m);
	m->site = moment_at_caller(m, m->caller);
	if (!m->at)
		event_lose(m->thread);
	return m->at != NULL;
}

/* ---- the fast paths: an event of a frame that is there, with known code, and nothing to write
 * before it. Almost all events. ---- */

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

	if (site == EVENT_NO_SITE || plain_is_slow(t, p, stamp) || t->depth == t->room)
		return NULL;
	const bool is_top = entry_is(t->top, caller);
	/* if each return has its time, hardly any frame above the caller has returned without an
	 * event */
	const bool may_drop = stamp != STAMP_BY_TSC && frame_is_real(t->top);
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
	stack_put(e->thread, e->frame);
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

	if (!r->generator_like || r->checks || r->plan || root.section_count ||
		!frame_in_generator(e->frame))
		return false;
	uint32_t site = told_site(caller);
	if (r->coroutine && !frame_awaits(caller, site))
		return false;
	uint8_t *p = plain_at_site(e->thread, caller, site, stamp);
	if (!p)
		return false;
	p = event_write_enter(p, site, r->number, generator_new(e->frame));
	stack_put(e->thread, e->frame);
	e->thread->entered = e->frame;
	ring_commit(&e->thread->ring, p);
	return true;
}

__attribute__((always_inline)) static inline bool enter_at_once(
	struct thread *t, PyCodeObject *code, const PyThreadState *state, enum plain_stamp stamp)
{
	struct plain_event e;

	return plain_look(&e, t, code, state) &&
	       (plain_enter(&e, stamp, CALLS_ANY) || plain_begin(&e, stamp));
}

/* A known call: nothing is called on the way, so a callback saves no registers. */
__attribute__((always_inline)) static inline bool known_enter_at_once(
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

	if (e->record->sections || !caller || (e->record->coroutine && !frame_may_await(caller)))
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
	stack_put(e->thread, e->frame);
	e->thread->entered = e->frame;
	e->thread->resumed_at = p;
	ring_commit(&e->thread->ring, p);
	return true;
}

__attribute__((always_inline)) static inline bool resume_at_once(
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

	if (unit == EVENT_NO_UNIT || root.tells_lines || root.filters ||
		e->thread->task_frame == e->frame || plain_is_slow(e->thread, p, STAMP_AT_TICKS))
		return false;
	if (!entry_is(e->thread->top, e->frame)) {
		uint32_t place = few_below(e->thread, e->frame);
		if (!place)
			return false;
		p = drop_to(e->thread, p, place);
	}
	stack_pop(e->thread);
	ring_commit(&e->thread->ring, event_write1(p, kind, unit));
	return true;
}

__attribute__((always_inline)) static inline bool yield_at_once(
	struct thread *t, PyCodeObject *code, const PyThreadState *state, uint32_t unit)
{
	struct plain_event e;

	if (!plain_look(&e, t, code, state))
		return false;
	bool told = !e.record->suspends ||
		    (unit < e.record->unit_count && !e.record->units[unit].silent);
	return told && plain_end(&e, unit, EVENT_SUSPEND);
}

/* A return of a generator whose yields have no events. Its number is kept: the next generator at
 * this address begins with another one. */
__attribute__((always_inline)) static inline bool end_at_once(
	struct thread *t, PyCodeObject *code, const PyThreadState *state, uint32_t unit)
{
	struct plain_event e;

	return plain_look(&e, t, code, state) && e.record->suspends && !e.record->checks &&
	       plain_end(&e, unit, EVENT_LEAVE);
}

/* A function's return, if each has an event. */
__attribute__((always_inline)) static inline bool plain_leave(
	const struct plain_event *e, uint32_t unit, enum plain_stamp stamp)
{
	const struct code_record *r = e->record;
	uint8_t *p = e->thread->ring.at;

	if (!r->plain || root.tells_lines || root.filters)
		return false;
	bool told = unit < r->unit_count && !r->units[unit].pending;
	if (!told || e->thread->top != e->frame || e->thread->task_frame == e->frame ||
		plain_is_slow(e->thread, p, stamp))
		return false;
	p = plain_write_time(e->thread, p, stamp);
	stack_pop(e->thread);
	ring_commit(&e->thread->ring, event_write1(p, EVENT_LEAVE, unit));
	return true;
}

__attribute__((always_inline)) static inline bool return_at_once(struct thread *t,
	PyCodeObject *code, const PyThreadState *state, uint32_t unit, enum plain_stamp stamp)
{
	struct plain_event e;

	return plain_look(&e, t, code, state) && plain_leave(&e, unit, stamp);
}

/* A line that is in the code's table, if each has an event. */
__attribute__((always_inline)) static inline bool plain_line(
	const struct plain_event *e, const PyCodeObject *code)
{
	uint32_t unit = frame_unit_or_none(e->frame, code);
	uint8_t *p = e->thread->ring.at;

	if (!entry_is(e->thread->top, e->frame) || unit >= e->record->unit_count)
		return false;
	uint32_t start = e->record->units[unit].start;
	if (!start || step_is_slow(e->thread, p))
		return false;
	ring_commit(&e->thread->ring, event_write_line(p, start - 1));
	return true;
}

/* ---- entries in full ---- */

/* mark: MARK_EARLY, for code that is recorded late: its begin is yet to come. false: a filter
 * leaves it out */
__attribute__((always_inline)) static inline bool record_enter(
	PyCodeObject *code, PyThreadState *state, uintptr_t mark)
{
	struct moment m;

	if (!moment_begin_entry(&m, code, state))
		return !moment_is_left_out(&m);
	uint64_t generator =
		m.record->generator_like && !frame_is_foreign(m.frame) ? generator_new(m.frame) : 0;
	uint8_t *p = generator || !m.caller ? moment_write_task(&m, true, m.at) : m.at;
	p = write_enter(m.thread, p, m.site, m.record->number, generator);
	stack_push(m.thread, m.record->late ? frame_marked(m.frame, mark) : m.frame);
	m.thread->entered = m.frame;
	if (unlikely(m.record->checks))
		passes_forget(m.frame);
	if (unlikely(!m.caller || m.thread->task_frame == m.frame))
		moment_is_bottom(&m);
	moment_may_be_precise(&m);
	moment_end(&m, p);
	if (unlikely(m.again))
		hooks_hear_again();
	return true;
}

/* kind: EVENT_RESUME or EVENT_THROW; false: as above */
static inline bool record_reenter(PyCodeObject *code, PyThreadState *state, enum event_kind kind)
{
	struct moment m;

	if (!moment_begin_entry(&m, code, state))
		return !moment_is_left_out(&m);
	uint8_t *p = moment_write_task(&m, false, m.at);
	p = event_write_reentry(p, &m.thread->calls, kind,
		&(struct event_resume){.site = m.site,
			.code = m.record->number,
			.gen = frame_is_foreign(m.frame) ? 0 : generator_of(m.frame),
			.unit = moment_unit(&m)});
	bool raises = kind == EVENT_THROW && m.record->suspends;
	stack_push(m.thread, raises ? frame_marked(m.frame, MARK_STANDS) : m.frame);
	m.thread->entered = m.frame;
	if (unlikely(!m.caller || m.thread->task_frame == m.frame))
		moment_is_bottom(&m);
	if (unlikely(m.record->sections))
		m.thread->tick = NO_TICK;
	moment_may_be_precise(&m);
	moment_end(&m, p);
	if (kind == EVENT_RESUME)
		m.thread->resumed_at = m.thread->ring.at;
	if (unlikely(m.again))
		hooks_hear_again();
	return true;
}

/* ---- inside ---- */

/* type: the number of its name, 0: there was no room to write that. Then the event is lost as well:
 * no event may name what is not there. */
static inline bool moment_make_room_of_type(struct moment *m, uint32_t type)
{
	if (unlikely(!type)) {
		event_lose(m->thread);
		return false;
	}
	return moment_make_room_inside(m);
}

static inline bool moment_begin_exception(struct moment *m, PyCodeObject *code, uint32_t type)
{
	return moment_look(m, code) && moment_make_room_of_type(m, type);
}

/* It raises while its call is pending. Did another tool raise in its callback for the call? If not,
 * it was a signal: its C handler raises KeyboardInterrupt, and one in Python was called from
 * there. */
static __attribute__((noinline)) void tell_unheard_call(
	struct thread *t, py_frame *frame, PyThreadState *state)
{
	PyCodeObject *code = frame_code(frame);
	uint32_t place = stack_find(t, frame);
	bool told = place &&
		    ((uintptr_t)t->frames[place - 1] & MARK_LINKED || was_entered(t, place, frame));

	if (!told && others_hear_resume(code, (uint32_t)code->_co_firsttraceable, root.tool))
		record_enter(code, state, MARK_EARLY);
}

/* The frame has not begun, and the entry of the shadow stack at its address is another frame. */
static inline bool moment_begin_early(struct moment *m)
{
	m->at = step_to_frame(m->thread, m->at, m->frame);
	if (!m->at)
		event_lose(m->thread);
	return m->at != NULL;
}

/* It raises at a return or yield that needs no event: another tool's callback raised, so the frame
 * was left, and is there again. false: the event is lost. */
static inline bool moment_was_left(struct moment *m, uint32_t unit)
{
	const struct code_record *r = m->record;

	if (root.tells_returns || r->precise || r->bottom)
		return true;
	moment_end(m, event_write1(m->at, r->suspends ? EVENT_SUSPEND : EVENT_LEAVE, unit));
	stack_pop(m->thread);
	return moment_make_room_inside(m);
}

/* It raises where it has yielded without an event, and its resume was not written: because of a
 * signal, or in another tool's callback. Or such a callback came with the resume, which was
 * written, and nothing after it; as when a signal handler raises that is not recorded, which
 * happens only with filters. false: the event is lost. */
static inline bool moment_was_suspended(struct moment *m, uint32_t unit, bool interrupts)
{
	const struct thread *t = m->thread;
	bool last = t->entered == m->frame && t->resumed_at == t->ring.at;
	bool resumed = RESUME_LOOKS_FIRST && last && !interrupts && !root.filters &&
		       frame_is_executing(m->frame) && others_hear_resume(m->code, unit, root.tool);

	if (resumed)
		return true;
	m->at = step_to_frame_again(m->thread, m->at, m->frame);
	if (!m->at)
		event_lose(m->thread);
	return m->at != NULL;
}

/* Either of the two, if it is one; call it after moment_make_room_inside. false: the event is
 * lost. */
static __attribute__((noinline)) bool moment_stands_there(
	struct moment *m, uint32_t unit, struct code_unit here, bool interrupts)
{
	bool yields = m->record->suspends && (here.silent || frame_not_resumed(m->frame));

	if (here.silent && (!m->record->suspends || frame_raised_at_yield(m->frame))) {
		if (!moment_was_left(m, unit))
			return false;
	} else if (yields && !((uintptr_t)m->thread->top & MARK_STANDS) &&
		   !moment_was_suspended(m, unit, interrupts)) {
		return false;
	}
	if (yields)
		stack_mark(m->thread, m->thread->depth, MARK_STANDS);
	return true;
}

/* interrupts: it is a KeyboardInterrupt; jumped: it comes from a jump whose target did not run */
static inline void record_raise(PyCodeObject *code, uint32_t type, bool interrupts, bool jumped)
{
	struct moment m;

	if (!moment_look(&m, code))
		return;
	bool late = m.record && m.record->late, entered = m.thread->entered == m.frame && !late;
	bool begins = !entered && !frame_is_foreign(m.frame) && frame_not_begun(m.frame);
	if (unlikely(begins && late && !interrupts))
		tell_unheard_call(m.thread, m.frame, m.state);
	if (!moment_make_room_of_type(&m, type))
		return;
	uint32_t unit = moment_unit(&m);
	struct code_unit here = moment_start(&m, unit);
	if (unlikely((unit_bits(here) & UNIT_BITS(.silent = 1, .pending = 1, .later = 1)) != 0)) {
		if (!moment_stands_there(&m, unit, here, interrupts))
			return;
		if (here.later)
			m.at = step_tell_due(m.thread, m.at);
	}
	if (unlikely(begins) && !was_entered(m.thread, m.thread->depth, m.frame) &&
		!moment_begin_early(&m))
		return;
	bool early = (jumped && here.start) || line_is_unheard(m.thread, m.frame, m.record, unit);
	moment_end(&m, event_write2(m.at, EVENT_RAISE | (early ? EVENT_EARLY : 0), unit, type));
	if (unlikely(others_hear_jumps(code, root.tool) && !root.tells_lines))
		hooks_tell_lines();
}

/* An event of a frame that runs: if it is at a yield, it is not suspended. */
static inline void moment_is_of_running(const struct moment *m)
{
	bool there = m->record && m->record->suspends && moment_start(m, moment_unit(m)).pending;
	uint32_t place = there ? stack_find(m->thread, m->frame) : 0;

	if (place)
		stack_mark(m->thread, place, MARK_STANDS);
}

/* unit: of the instruction that reraises; the frame may be at that of the first raise. */
static inline void record_reraise(PyCodeObject *code, uint32_t unit, uint32_t type)
{
	struct moment m;

	if (!moment_look(&m, code))
		return;
	moment_is_of_running(&m); /* it is again where it raised first */
	if (moment_make_room_of_type(&m, type))
		moment_end(&m, event_write3(m.at, EVENT_RERAISE, moment_told_unit(&m, unit),
				       moment_unit(&m), type));
}

/* unit: of the handler */
static inline void record_handled(PyCodeObject *code, uint32_t unit, uint32_t type)
{
	struct moment m;

	if (!moment_begin_exception(&m, code, type))
		return;
	if (unlikely((uintptr_t)m.thread->top & (MARK_TOLD | MARK_STANDS) &&
		     frame_is_real(m.thread->top)))
		stack_mark(
			m.thread, m.thread->depth, 0); /* it does not reach the next instruction */
	moment_end(&m, event_write2(m.at, EVENT_HANDLED, moment_told_unit(&m, unit), type));
}

/* ---- exits ---- */

/* The frame runs here, so the LINE here was reported. */
static inline void moment_line_was(struct thread *t, py_frame *frame)
{
	t->line_frame = frame;
	t->line_unit = frame && frame_is_real(frame) ? frame_unit(frame, frame_code(frame)) : 0;
}

static inline void moment_gone(struct moment *m, bool for_good)
{
	stack_pop(m->thread);
	if (unlikely(root.tells_lines))
		moment_line_was(m->thread, frame_unmarked(m->thread->top));
	if (for_good && m->record->generator_like)
		generator_gone(m->frame);
	if (for_good && unlikely(m->record->checks))
		passes_forget(m->frame);
}

/* The root of a task ends: what its task is called now was not known before. */
static inline void moment_tells_name(struct moment *m)
{
	if (unlikely(m->thread->task_frame == m->frame))
		m->at = task_write_renamed(m->at, m->frame);
}

/* unit: of the instruction that returns or yields; since 3.13 the frame is already after a yield */
static inline void record_return(struct moment *m, uint32_t unit)
{
	if (moment_make_room_inside(m)) {
		moment_tells_name(m);
		moment_end(m, event_write1(m->at, EVENT_LEAVE, moment_told_unit(m, unit)));
		moment_gone(m, true);
	}
}

/* unit: as for record_return */
static inline void record_yield(struct moment *m, uint32_t unit)
{
	moment_is_of_running(m);
	if (moment_make_room_inside(m)) {
		moment_tells_name(m);
		moment_end(m, event_write1(m->at, EVENT_SUSPEND, moment_told_unit(m, unit)));
		moment_gone(m, false);
	}
}

static inline void record_unwind(PyCodeObject *code)
{
	struct moment m;

	if (moment_begin_inside(&m, code)) {
		moment_tells_name(&m);
		moment_end(&m, event_write0(m.at, EVENT_UNWIND));
		moment_gone(&m, true);
	}
}

#endif
