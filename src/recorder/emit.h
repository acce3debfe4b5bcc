/* Emit an event: where it happened, and the steps that write it into the ring. This is the hot
 * path.
 *
 * Each callback (hooks.c and lines.c for sys.monitoring, tracing.c for the trace function of 3.11)
 * comes here with the code object of the event. emit_look finds the thread, the frame and the
 * code's record; emit_make_room makes room; then one of the record_* functions writes a few
 * bytes. All of it is inline, so the object files of hooks.c and lines.c, or of tracing.c, are the
 * whole hot path.
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
 * is not known goes to the slow halves in step.c, link.c and code.c. An event that could not begin
 * is lost, and was counted.
 */
#ifndef PL_RECORDER_EMIT_H
#define PL_RECORDER_EMIT_H

#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "base/expect.h"
#include "format/event.h"
#include "recorder/code.h"
#include "recorder/code_units.h"
#include "recorder/engine.h"
#include "recorder/link.h"
#include "recorder/root.h"
#include "recorder/sections.h"
#include "recorder/shadow.h"
#include "recorder/shadow_frames.h"
#include "recorder/step.h"
#include "recorder/tasks.h"
#include "recorder/thread.h"
#include "ring/ring.h"

struct emit {
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

/* Is it in code that a filter leaves out? Call it after emit_look. */
static inline bool emit_is_left_out(const struct emit *e)
{
	return e->record && e->record->left_out;
}

/* Find thread, frame and record; false: nothing is recorded here. The code's record may be missing.
 * If the current frame has another code, C code reports an event of its own. */
static inline bool emit_look_in(struct emit *e, PyCodeObject *code, PyThreadState *state)
{
	e->code = code;
	e->state = state;
	e->again = false;
	e->thread = self;
	e->record = NULL;
	if (unlikely(!e->thread)) {
		if (!PyCode_Check(code))
			return false;
		e->record = code_without_mark(code);
		if (emit_is_left_out(e)) /* it does not begin a thread */
			return false;
		e->thread = thread_begin();
		if (!e->thread)
			return false;
	}
	e->frame = current_frame(e->state);
	if (unlikely(!e->frame || frame_code(e->frame) != e->code)) {
		if (!PyCode_Check(code)) /* C code may name any object */
			return false;
		e->frame = FRAME_FOREIGN;
	}
	intptr_t mark = code_mark(code);
	e->record = (struct code_record *)mark;
	if (unlikely(mark <= 0)) {
		e->record = code_without_mark(code);
		if (emit_is_left_out(e))
			return false;
	}
	if (unlikely(thread_is_traced(e->state) && !root.traced))
		hooks_are_traced();
	if (unlikely(e->record && e->record->straight) && (code_policy(e->record).hears))
		code_find_lines(code, e->record);
	return true;
}

static inline bool emit_look(struct emit *e, PyCodeObject *code)
{
	return emit_look_in(e, code, hook_thread_state(self));
}

/* There is an event: make room for it. false: it is lost, and was counted. */
static inline bool emit_make_room(struct emit *e)
{
	e->at = e->record ? step(e->thread) : NULL;
	if (unlikely(!e->at)) {
		event_lose(e->thread);
		return false;
	}
	return true;
}

/* The frame's place in the shadow stack if that is a little below the top, else 0. The caller knows
 * that it runs. */
#define DROPPED_MAX 8
__attribute__((always_inline)) static inline uint32_t place_below(
	const struct thread *t, const py_frame *frame)
{
	uint32_t place = t->shadow.depth > 1 ? t->shadow.depth - 1 : 0;

	if (!place || shadow_at(&t->shadow, place)->frame == frame)
		return place;
	uint32_t least = t->shadow.depth > DROPPED_MAX ? t->shadow.depth - DROPPED_MAX : 1;
	do {
		if (place-- <= least)
			return 0;
	} while (shadow_at(&t->shadow, place)->frame != frame);
	return place;
}

/* Write POPS for the frames above `place`, at most DROPPED_MAX: their number is one byte. */
static inline uint8_t *drop_to(struct thread *t, uint8_t *p, uint32_t place)
{
	*p++ = EVENT_POPS;
	*p++ = (uint8_t)(t->shadow.depth - place);
	shadow_cut(&t->shadow, place);
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

/* Is its frame the top of the shadow stack? */
static inline bool emit_is_top(const struct emit *e)
{
	const struct shadow *s = &e->thread->shadow;

	return s->top == e->frame && (likely(!frame_is_foreign(e->frame)) ||
					     entry_is_of_code(shadow_at(s, s->depth), e->code));
}

/* The same for an event of a frame that was already entered: it becomes the top of the shadow
 * stack. */
static inline bool emit_make_room_inside(struct emit *e)
{
	if (!emit_make_room(e))
		return false;
	if (unlikely(!emit_is_top(e))) {
		e->at = frame_is_foreign(e->frame) ? step_to_foreign(e->thread, e->at, e->code)
						   : step_to_frame(e->thread, e->at, e->frame);
		if (!e->at) {
			event_lose(e->thread);
			return false;
		}
	}
	return true;
}

static inline bool emit_begin_inside(struct emit *e, PyCodeObject *code)
{
	return emit_look(e, code) && emit_make_room_inside(e);
}

static inline void emit_end(struct emit *e, uint8_t *p)
{
	ring_commit(&e->thread->ring, p);
}

/* Commit an event, the last of its step, before it happens. */
static inline void emit_end_ahead(struct emit *e, uint8_t *p)
{
	ring_commit_ahead(&e->thread->ring, e->at, p);
}

static inline uint32_t emit_unit(const struct emit *e)
{
	return unlikely(frame_is_foreign(e->frame)) ? EVENT_NO_UNIT : frame_unit(e->frame, e->code);
}

/* The unit that the event itself names. */
static inline uint32_t emit_told_unit(const struct emit *e, uint32_t unit)
{
	return frame_is_foreign(e->frame) ? EVENT_NO_UNIT : unit;
}

/* The Python frame below this one; NULL: none. */
static inline py_frame *emit_caller(const struct emit *e)
{
	return unlikely(frame_is_foreign(e->frame)) ? top_frame(e->state) : frame_caller(e->frame);
}

/* The start at which the frame is: .start is 0 if the code's table has none. */
static inline struct code_unit emit_start(const struct emit *e, uint32_t unit)
{
	return unit < e->record->unit_count ? e->record->units[unit] : (struct code_unit){0};
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
static inline uint8_t *emit_write_task(struct emit *e, bool started, uint8_t *p)
{
	if (!e->caller && e->thread->greenlet)
		return write_greenlet_name(e->thread, p);
	if (!e->record->coroutine || frame_is_foreign(e->frame) || !frame_in_generator(e->frame))
		return p;
	if (started ? frame_awaits(e->caller, e->site) : e->caller && frame_may_await(e->caller))
		return p;
	return task_write(p, e->state, e->frame, true);
}

/* What follows the frame's end may have no event, so the end must have one; so it must if the frame
 * is the root of a task, whose name may have changed by then. `again`: it is disabled by now. */
static inline void emit_is_bottom(struct emit *e)
{
	e->again |= e->record->hushed && !code_policy(e->record).returns;
	code_is_bottom(e->record);
}

/* What runs in a section is recorded completely. */
static inline void emit_may_be_precise(struct emit *e)
{
	if (unlikely(root.section_count != 0))
		e->again |= section_hears(e->thread, e->record);
}

/* Make the caller the top. Returns the site, or EVENT_NO_SITE; e->at NULL: the event is lost. */
static inline uint32_t emit_at_caller(struct emit *e, py_frame *caller)
{
	if (unlikely(!caller || root.filters || frame_not_begun(caller) ||
		     frame_is_foreign(e->thread->shadow.top) || frame_not_resumed(caller)) ||
		(e->thread->shadow.top != caller && !drop_callees(e->thread, &e->at, caller)))
		e->at = step_to_caller(e->thread, e->at, caller);
	if (unlikely(e->at && caller && frame_is_due(caller)))
		e->at = step_tell_due(e->thread, e->at);
	if (unlikely(e->thread->shadow.top != caller)) {
		if (e->thread->shadow.top !=
			FRAME_LEFT_OUT) /* C code that reports that it was called */
			return EVENT_NO_UNIT;
		emit_is_bottom(e);
	}
	return caller ? frame_unit(caller, frame_code(caller)) : EVENT_NO_SITE;
}

/* For an entry: the frame is not on the shadow stack yet, and its caller becomes the top. */
static inline bool emit_begin_entry(struct emit *e, PyCodeObject *code, PyThreadState *state)
{
	if (!emit_look_in(e, code, state) || !emit_make_room(e))
		return false;
	e->caller = emit_caller(e);
	e->site = emit_at_caller(e, e->caller);
	if (!e->at)
		event_lose(e->thread);
	return e->at != NULL;
}

#endif
