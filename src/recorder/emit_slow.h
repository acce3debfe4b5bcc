/* The events in full, whatever must be written before them. */
#ifndef PL_RECORDER_EMIT_SLOW_H
#define PL_RECORDER_EMIT_SLOW_H

#include "recorder/compat/frame.h"
#include "recorder/compat/monitoring.h"
#include "base/expect.h"
#include "format/event.h"
#include "recorder/code.h"
#include "recorder/emit.h"
#include "recorder/engine.h"
#include "recorder/generators.h"
#include "recorder/link.h"
#include "recorder/passes.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/shadow_frames.h"
#include "recorder/step.h"
#include "recorder/tasks.h"
#include "recorder/thread.h"

/* ---- entries in full ---- */

/* The frame becomes the top. mark: of a frame of the interpreter */
static inline void moment_push(const struct moment *m, enum shadow_mark mark)
{
	bool foreign = frame_is_foreign(m->frame);

	thread_push(m->thread, foreign ? entry_of_code(m->code) : entry_of_frame(m->frame, mark));
}

/* mark: of its entry, for code that is recorded late: its begin is yet to come. false: a filter
 * leaves it out */
__attribute__((always_inline)) static inline bool record_enter(
	PyCodeObject *code, PyThreadState *state, enum shadow_mark mark)
{
	struct moment m;

	if (!moment_begin_entry(&m, code, state))
		return !moment_is_left_out(&m);
	uint64_t generator =
		m.record->generator_like && !frame_is_foreign(m.frame) ? generator_new(m.frame) : 0;
	uint8_t *p = generator || !m.caller ? moment_write_task(&m, true, m.at) : m.at;
	p = write_enter(m.thread, p, m.site, m.record->number, generator);
	moment_push(&m, m.record->facts.late ? mark : MARK_NONE);
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
	moment_push(&m, raises ? MARK_STANDS : MARK_NONE);
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
	uint32_t place = shadow_find(&t->shadow, frame);
	bool told = place &&
		    (shadow_has(&t->shadow, place, MARK_LINKED) || was_entered(t, place, frame));

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

	if (code_policy(r).returns)
		return true;
	moment_end(m, event_write1(m->at, r->suspends ? EVENT_SUSPEND : EVENT_LEAVE, unit));
	shadow_pop(&m->thread->shadow);
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
	} else if (yields &&
		   !shadow_has(&m->thread->shadow, m->thread->shadow.depth, MARK_STANDS) &&
		   !moment_was_suspended(m, unit, interrupts)) {
		return false;
	}
	if (yields)
		shadow_mark(&m->thread->shadow, m->thread->shadow.depth, MARK_STANDS);
	return true;
}

/* interrupts: it is a KeyboardInterrupt; jumped: it comes from a jump whose target did not run */
static inline void record_raise(PyCodeObject *code, uint32_t type, bool interrupts, bool jumped)
{
	struct moment m;

	if (!moment_look(&m, code))
		return;
	bool late = m.record && m.record->facts.late,
	     entered = m.thread->entered == m.frame && !late;
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
	if (unlikely(begins) && !was_entered(m.thread, m.thread->shadow.depth, m.frame) &&
		!moment_begin_early(&m))
		return;
	bool early = (jumped && here.start) || line_is_unheard(m.thread, m.frame, m.record, unit);
	moment_end(&m, event_write2(m.at, EVENT_RAISE | (early ? EVENT_EARLY : 0), unit, type));
	if (unlikely(others_hear_jumps(code, root.tool) && !root.policy.lines))
		hooks_tell_lines();
}

/* An event of a frame that runs: if it is at a yield, it is not suspended. */
static inline void moment_is_of_running(const struct moment *m)
{
	bool there = m->record && m->record->suspends && moment_start(m, moment_unit(m)).pending;
	uint32_t place = there ? shadow_find(&m->thread->shadow, m->frame) : 0;

	if (place)
		shadow_mark(&m->thread->shadow, place, MARK_STANDS);
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
	struct shadow *s = &m.thread->shadow;
	if (!frame_is_foreign(m.frame) &&
		unlikely(shadow_has(s, s->depth, MARK_TOLD | MARK_STANDS)))
		shadow_mark(s, s->depth, MARK_NONE); /* it does not reach the next instruction */
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
	shadow_pop(&m->thread->shadow);
	if (unlikely(root.policy.lines))
		moment_line_was(m->thread, m->thread->shadow.top);
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
