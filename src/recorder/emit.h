/* A moment: where an event happened, and the steps that write it into the ring. This is the hot
 * path.
 *
 * Each callback (hooks.c and lines.c for sys.monitoring, tracing.c for the trace function of 3.11)
 * comes here with the code object of the event. moment_look finds the thread, the frame and the
 * code's record; moment_make_room makes room; then one of the record_* functions writes a few
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
 * is not known goes to the slow halves in step.c, link.c and code.c. A moment that could not begin
 * is a lost event, and was counted.
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
		m->frame = FRAME_FOREIGN;
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
	if (unlikely(m->record && m->record->straight) && (code_policy(m->record).hears))
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

/* Is its frame the top of the shadow stack, and was it written? */
static inline bool moment_is_top(const struct moment *m)
{
	const struct shadow *s = &m->thread->shadow;

	if (s->top != m->frame)
		return false;
	if (unlikely(frame_is_foreign(m->frame)))
		return entry_is_of_code(shadow_at(s, s->depth), m->code);
	if (likely(!m->record->facts.late))
		return true;
	return shadow_has(s, s->depth, MARK_EARLY | MARK_TOLD) ||
	       !unit_is_pending(m->record, m->frame, frame_unit(m->frame, m->code));
}

/* The same for an event of a frame that was already entered: it becomes the top of the shadow
 * stack. */
static inline bool moment_make_room_inside(struct moment *m)
{
	if (!moment_make_room(m))
		return false;
	if (unlikely(!moment_is_top(m))) {
		m->at = frame_is_foreign(m->frame) ? step_to_foreign(m->thread, m->at, m->code)
						   : step_to_frame(m->thread, m->at, m->frame);
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
	m->again |= m->record->hushed && !code_policy(m->record).returns;
	code_is_bottom(m->record);
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
		     frame_is_foreign(m->thread->shadow.top) || frame_is_pending(caller) ||
		     frame_not_resumed(caller)) ||
		(m->thread->shadow.top != caller && !drop_callees(m->thread, &m->at, caller)))
		m->at = step_to_caller(m->thread, m->at, caller);
	if (unlikely(m->at && caller && frame_is_due(caller)))
		m->at = step_tell_due(m->thread, m->at);
	if (unlikely(m->thread->shadow.top != caller)) {
		if (m->thread->shadow.top !=
			FRAME_LEFT_OUT) /* C code that reports that it was called */
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

#endif
