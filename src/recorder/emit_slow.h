/* The events in full, whatever must be written before them. */
#ifndef PL_RECORDER_EMIT_SLOW_H
#define PL_RECORDER_EMIT_SLOW_H

#include "recorder/compat/frame.h"
#include "recorder/compat/monitoring.h"
#include "recorder/compat/objects.h"
#include "base/expect.h"
#include "format/event.h"
#include "recorder/code.h"
#include "recorder/emit.h"
#include "recorder/engine.h"
#include "recorder/generators.h"
#include "recorder/link.h"
#include "recorder/names.h"
#include "recorder/passes.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/shadow_frames.h"
#include "recorder/step.h"
#include "recorder/tasks.h"
#include "recorder/thread.h"
#include "recorder/values/values.h"

/* ---- entries in full ---- */

/* The frame becomes the top. mark: of a frame of the interpreter. */
static inline void emit_push(const struct emit *e, enum shadow_mark mark)
{
	bool foreign = frame_is_foreign(e->frame);

	thread_push(e->thread, foreign ? entry_of_code(e->code) : entry_of_frame(e->frame, mark));
}

/* false: a filter leaves it out */
static inline bool record_enter(PyCodeObject *code, PyThreadState *state)
{
	struct emit e;

	if (!emit_begin_entry(&e, code, state))
		return !emit_is_left_out(&e);
	uint64_t generator =
		e.record->generator_like && !frame_is_foreign(e.frame) ? generator_new(e.frame) : 0;
	uint8_t *p = generator || !e.caller ? emit_write_task(&e, true, e.at) : e.at;
	if (e.record->values)
		p = values_of_call(&e, p);
	p = write_enter(e.thread, p, e.site, e.record->number, generator);
	emit_push(&e, MARK_NONE);
	e.thread->entered = e.frame;
	if (unlikely(e.record->checks))
		passes_forget(e.frame);
	if (unlikely(!e.caller || e.thread->task_frame == e.frame))
		emit_is_bottom(&e);
	emit_may_be_precise(&e);
	emit_end(&e, p);
	if (unlikely(e.again))
		hooks_hear_again();
	return true;
}

/* kind: EVENT_RESUME or EVENT_THROW; thrown: with the latter, NULL: not known; false: as above */
static inline bool record_reenter(
	PyCodeObject *code, PyThreadState *state, enum event_kind kind, PyObject *thrown)
{
	struct emit e;

	if (!emit_begin_entry(&e, code, state))
		return !emit_is_left_out(&e);
	uint8_t *p = emit_write_task(&e, false, e.at);
	if (e.record->values && !frame_is_foreign(e.frame))
		p = values_of_sent(&e, p, kind == EVENT_RESUME ? frame_sent(e.frame) : thrown);
	p = event_write_reentry(p, &e.thread->calls, kind,
		&(struct event_resume){.site = e.site,
			.code = e.record->number,
			.gen = frame_is_foreign(e.frame) ? 0 : generator_of(e.frame),
			.unit = emit_unit(&e)});
	bool raises = kind == EVENT_THROW && e.record->suspends;
	emit_push(&e, raises ? MARK_STANDS : MARK_NONE);
	e.thread->entered = e.frame;
	if (unlikely(!e.caller || e.thread->task_frame == e.frame))
		emit_is_bottom(&e);
	if (unlikely(e.record->sections))
		e.thread->tick = NO_TICK;
	emit_may_be_precise(&e);
	emit_end(&e, p);
	if (kind == EVENT_RESUME)
		e.thread->resumed_at = e.thread->ring.at;
	if (unlikely(e.again))
		hooks_hear_again();
	return true;
}

/* ---- inside ---- */

/* type: the number of its name, 0: there was no room to write that. Then the event is lost as well:
 * no event may name what is not there. */
static inline bool emit_make_room_of_type(struct emit *e, uint32_t type)
{
	if (unlikely(!type)) {
		event_lose(e->thread);
		return false;
	}
	return emit_make_room_inside(e);
}

static inline bool emit_begin_exception(struct emit *e, PyCodeObject *code, uint32_t type)
{
	return emit_look(e, code) && emit_make_room_of_type(e, type);
}

/* The frame has not begun, and the entry of the shadow stack at its address is another frame. */
static inline bool emit_begin_early(struct emit *e)
{
	e->at = step_to_frame(e->thread, e->at, e->frame);
	if (!e->at)
		event_lose(e->thread);
	return e->at != NULL;
}

/* It raises at a return or yield that needs no event: another tool's callback raised, so the frame
 * was left, and is there again. false: the event is lost. */
static inline bool emit_was_left(struct emit *e, uint32_t unit)
{
	const struct code_record *r = e->record;

	if (code_policy(r).returns)
		return true;
	emit_end(e, event_write1(e->at, r->suspends ? EVENT_SUSPEND : EVENT_LEAVE, unit));
	shadow_pop(&e->thread->shadow);
	return emit_make_room_inside(e);
}

/* It raises where it has yielded without an event, and its resume was not written: because of a
 * signal, or in another tool's callback. Or such a callback came with the resume, which was
 * written, and nothing after it; as when a signal handler raises that is not recorded, which
 * happens only with filters. false: the event is lost. */
static inline bool emit_was_suspended(struct emit *e, uint32_t unit, bool interrupts)
{
	const struct thread *t = e->thread;
	bool last = t->entered == e->frame && t->resumed_at == t->ring.at;
	bool resumed = RESUME_LOOKS_FIRST && last && !interrupts && !root.filters &&
		       frame_is_executing(e->frame) && others_hear_resume(e->code, unit, root.tool);

	if (resumed)
		return true;
	e->at = step_to_frame_again(e->thread, e->at, e->frame);
	if (!e->at)
		event_lose(e->thread);
	return e->at != NULL;
}

/* Either of the two, if it is one; call it after emit_make_room_inside. false: the event is
 * lost. */
static __attribute__((noinline)) bool emit_stands_there(
	struct emit *e, uint32_t unit, struct code_unit here, bool interrupts)
{
	bool yields = e->record->suspends && (here.silent || frame_not_resumed(e->frame));

	if (here.silent && (!e->record->suspends || frame_raised_at_yield(e->frame))) {
		if (!emit_was_left(e, unit))
			return false;
	} else if (yields &&
		   !shadow_has(&e->thread->shadow, e->thread->shadow.depth, MARK_STANDS) &&
		   !emit_was_suspended(e, unit, interrupts)) {
		return false;
	}
	if (yields)
		shadow_mark(&e->thread->shadow, e->thread->shadow.depth, MARK_STANDS);
	return true;
}

static inline uint8_t *emit_exception(const struct emit *e, PyObject *exception)
{
	return unlikely(root.keeps_values) ? values_of_exception(e, e->at, exception) : e->at;
}

/* jumped: it comes from a jump whose target did not run */
static inline void record_raise(PyCodeObject *code, PyObject *exception, bool jumped)
{
	const uint32_t type = exception_type_number(exception);
	const bool interrupts = Py_IS_TYPE(exception, (PyTypeObject *)PyExc_KeyboardInterrupt);
	struct emit e;

	if (!emit_begin_exception(&e, code, type))
		return;
	bool begins = e.thread->entered != e.frame && !frame_is_foreign(e.frame) &&
		      frame_not_begun(e.frame);
	uint32_t unit = emit_unit(&e);
	struct code_unit here = emit_start(&e, unit);
	if (unlikely((unit_bits(here) & UNIT_BITS(.silent = 1, .pending = 1, .later = 1)) != 0)) {
		if (!emit_stands_there(&e, unit, here, interrupts))
			return;
		if (here.later)
			e.at = step_tell_due(e.thread, e.at);
	}
	if (unlikely(begins) && !emit_begin_early(&e))
		return;
	bool early = (jumped && here.start) || line_is_unheard(e.thread, e.frame, e.record, unit);
	uint8_t *p = emit_exception(&e, exception);
	emit_end(&e, event_write2(p, EVENT_RAISE | (early ? EVENT_EARLY : 0), unit, type));
	if (unlikely(others_hear_jumps(code, root.tool) && !root.policy.lines))
		hooks_tell_lines();
}

/* An event of a frame that runs: if it is at a yield, it is not suspended. */
static inline void emit_is_of_running(const struct emit *e)
{
	bool there = e->record && e->record->suspends && emit_start(e, emit_unit(e)).pending;
	uint32_t place = there ? shadow_find(&e->thread->shadow, e->frame) : 0;

	if (place)
		shadow_mark(&e->thread->shadow, place, MARK_STANDS);
}

/* What comes before an event that has no values of its own. Where a callback asks by `tells`, it
 * has a half for recordings with variables, so that the other saves no registers for them. */
static inline uint8_t *emit_variables(const struct emit *e)
{
	return unlikely(e->record->values != NULL) ? values_of_line(e, e->at) : e->at;
}

/* unit: of the instruction that reraises; the frame may be at that of the first raise. */
static inline void record_reraise(PyCodeObject *code, uint32_t unit, PyObject *exception)
{
	const uint32_t type = exception_type_number(exception);
	struct emit e;

	if (!emit_look(&e, code))
		return;
	emit_is_of_running(&e); /* it is again where it raised first */
	if (!emit_make_room_of_type(&e, type))
		return;
	uint8_t *p = emit_exception(&e, exception);
	emit_end(&e, event_write3(p, EVENT_RERAISE, emit_told_unit(&e, unit), emit_unit(&e), type));
}

/* unit: of the handler */
__attribute__((always_inline)) static inline void record_handled(
	PyCodeObject *code, uint32_t unit, uint32_t type, bool tells)
{
	struct emit e;

	if (!emit_begin_exception(&e, code, type))
		return;
	struct shadow *s = &e.thread->shadow;
	if (!frame_is_foreign(e.frame) &&
		unlikely(shadow_has(s, s->depth, MARK_TOLD | MARK_STANDS)))
		shadow_mark(s, s->depth, MARK_NONE); /* it does not reach the next instruction */
	uint8_t *p = tells ? emit_variables(&e) : e.at;
	emit_end(&e, event_write2(p, EVENT_HANDLED, emit_told_unit(&e, unit), type));
}

/* ---- exits ---- */

/* The frame runs here, so the LINE here was reported. */
static inline void emit_line_was(struct thread *t, py_frame *frame)
{
	t->line_frame = frame;
	t->line_unit = frame && frame_is_real(frame) ? frame_unit(frame, frame_code(frame)) : 0;
}

static inline void emit_gone(struct emit *e, bool for_good)
{
	shadow_pop(&e->thread->shadow);
	if (unlikely(root.policy.lines))
		emit_line_was(e->thread, e->thread->shadow.top);
	if (for_good && e->record->generator_like)
		generator_gone(e->frame);
	if (for_good && unlikely(e->record->checks))
		passes_forget(e->frame);
}

/* The root of a task ends: what its task is called now was not known before. */
static inline void emit_tells_name(struct emit *e)
{
	if (unlikely(e->thread->task_frame == e->frame))
		e->at = task_write_renamed(e->at, e->frame);
}

/* unit: of the instruction that returns or yields; since 3.13 the frame is already after a yield */
static inline void record_return(struct emit *e, uint32_t unit, PyObject *result)
{
	if (emit_make_room_inside(e)) {
		emit_tells_name(e);
		uint8_t *p = e->record->values ? values_of_result(e, e->at, result) : e->at;
		emit_end(e, event_write1(p, EVENT_LEAVE, emit_told_unit(e, unit)));
		emit_gone(e, true);
	}
}

/* unit: as for record_return */
static inline void record_yield(struct emit *e, uint32_t unit, PyObject *yielded)
{
	emit_is_of_running(e);
	if (emit_make_room_inside(e)) {
		emit_tells_name(e);
		uint8_t *p = e->record->values ? values_of_yield(e, e->at, yielded) : e->at;
		emit_end(e, event_write1(p, EVENT_SUSPEND, emit_told_unit(e, unit)));
		emit_gone(e, false);
	}
}

__attribute__((always_inline)) static inline void record_unwind(PyCodeObject *code, bool tells)
{
	struct emit e;

	if (emit_begin_inside(&e, code)) {
		emit_tells_name(&e);
		uint8_t *p = tells && e.record->values ? values_of_unwind(&e, e.at) : e.at;
		emit_end(&e, event_write0(p, EVENT_UNWIND));
		emit_gone(&e, true);
	}
}

#endif
