/* A moment: where an event happened, and the steps that write it into the ring. This is the hot
 * path.
 *
 * Whoever hears of an event (hooks.c from sys.monitoring, tracing.c from the trace function of
 * 3.11) ends here with the code object that it is about. moment_begin finds the thread, the frame
 * and the code's record, and makes room; then one of the record_* functions writes a few bytes. All
 * of it is inline: an engine's object file is its hot path whole.
 *
 *	look        self, the current frame, the code's record        nothing is written
 *	make room   step(): TIME, SWITCH, GAP where they are due      written, not committed
 *	inside      the frame becomes the top: POPS or LINKs          each LINK is committed
 *	  or at the caller: the caller becomes the top, for an entry
 *	write       the event, and TASK behind an entry
 *	end         ring_commit: from here on it cannot be lost
 *
 * The shadow stack is pushed or popped with the event, so that both always say the same.
 *
 * Nothing here raises, allocates, locks, or calls the system once the code object is known; what is
 * not known goes to the slow halves in thread.c and code.c. A moment that could not begin is a lost
 * event, and has been counted.
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
	py_frame *caller; /* of an entry: the frame of Python below, NULL: none */
	uint32_t site;	  /* and where it stands, or EVENT_NO_SITE */
};

/* Two counts: the thread's becomes a GAP when there is room again; the slot's is what the collector
 * has when there never was. `fresh`: what the stream tells of the stack is not true any more. */
static inline void moment_lose(struct thread *t)
{
	t->lost++;
	t->fresh = true;
	t->tick = UINT64_MAX; /* no tick: the next step is a slow one, which tells of it */
	if (root.slot)
		atomic_fetch_add_explicit(&root.slot->lost, 1, memory_order_relaxed);
}

/* Find out where we are; false: nothing is recorded here. The code's record may be missing. A
 * current frame of another code: C code reports an event of its own. */
static inline bool moment_look(struct moment *m, PyCodeObject *code)
{
	m->code = code;
	m->thread = self ? self : thread_begin();
	if (!m->thread)
		return false;
	m->state = current_thread_state();
	m->frame = current_frame(m->state);
	if (__builtin_expect(!m->frame || frame_code(m->frame) != m->code, 0))
		m->frame = foreign_frame(m->code);
	m->record = code_record(m->code);
	return true;
}

/* There is an event: make room for it; false: it is lost, and counted. */
static inline bool moment_make_room(struct moment *m)
{
	m->at = m->record ? step(m->thread) : NULL;
	if (__builtin_expect(!m->at, 0)) {
		moment_lose(m->thread);
		return false;
	}
	return true;
}

static inline bool moment_begin(struct moment *m, PyCodeObject *code)
{
	return moment_look(m, code) && moment_make_room(m);
}

/* The same for an event of a frame that has been entered already: it becomes the top of the shadow
 * stack. */
static inline bool moment_make_room_inside(struct moment *m)
{
	if (!moment_make_room(m))
		return false;
	if (__builtin_expect(m->thread->top != m->frame, 0)) {
		m->at = step_to_frame(m->thread, m->at, m->frame);
		if (!m->at) {
			moment_lose(m->thread);
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

static inline uint32_t moment_unit(const struct moment *m)
{
	return __builtin_expect(frame_is_foreign(m->frame), 0) ? EVENT_NO_UNIT
							       : frame_unit(m->frame, m->code);
}

/* The unit that the event itself names. */
static inline uint32_t moment_told_unit(const struct moment *m, uint32_t unit)
{
	return frame_is_foreign(m->frame) ? EVENT_NO_UNIT : unit;
}

/* The frame of Python below this one; NULL: none. */
static inline py_frame *moment_caller(const struct moment *m)
{
	return __builtin_expect(frame_is_foreign(m->frame), 0) ? top_frame(m->state)
							       : frame_caller(m->frame);
}

/* The start at which the frame stands: .start is 0 where the code's table has none. */
static inline struct code_unit moment_start(const struct moment *m, uint32_t unit)
{
	return unit < m->record->unit_count ? m->record->units[unit] : (struct code_unit){0};
}

/* ---- entries ---- */

/* The name of the task whose root this frame is, if it is one: a coroutine entered by an event
 * loop, or eagerly; or the bottom frame of a greenlet. */
static inline uint8_t *moment_write_task(struct moment *m, bool started, uint8_t *p)
{
	char name[EVENT_TEXT_MAX];

	if (!m->caller && m->thread->greenlet)
		return write_greenlet_name(m->thread, p);
	if (!m->record->coroutine || frame_is_foreign(m->frame) || !frame_in_generator(m->frame))
		return p;
	if (m->caller && frame_in_generator(m->caller) && !started)
		return p;
	size_t length = task_name(m->state, frame_generator(m->frame), name);
	return length ? event_write_text(p, EVENT_TASK, name, length) : p;
}

/* Bring the stack to the caller; gives the site, or EVENT_NO_SITE; m->at NULL: lost. */
static inline uint32_t moment_at_caller(struct moment *m, py_frame *caller)
{
	if (m->thread->top != caller || __builtin_expect(!caller, 0))
		m->at = step_to_caller(m->thread, m->at, caller);
	if (m->thread->top != caller) /* C code that reports itself called */
		return EVENT_NO_UNIT;
	return caller ? frame_unit(caller, frame_code(caller)) : EVENT_NO_SITE;
}

/* For an entry: the frame is not on the shadow stack yet, its caller becomes the top. */
static inline bool moment_begin_entry(struct moment *m, PyCodeObject *code)
{
	if (!moment_begin(m, code))
		return false;
	m->caller = moment_caller(m);
	m->site = moment_at_caller(m, m->caller);
	if (!m->at)
		moment_lose(m->thread);
	return m->at != NULL;
}

static inline void record_enter(PyCodeObject *code)
{
	struct moment m;

	if (!moment_begin_entry(&m, code))
		return;
	uint64_t generator =
		m.record->generator_like && !frame_is_foreign(m.frame) ? generator_new(m.frame) : 0;
	uint8_t *p = event_write_enter(m.at, m.site, m.record->number, generator);
	stack_push(m.thread, m.frame);
	if (__builtin_expect(m.record->checks, 0))
		passes_forget(m.frame);
	moment_end(&m, generator || !m.caller ? moment_write_task(&m, true, p) : p);
}

/* kind: EVENT_RESUME or EVENT_THROW */
static inline void record_reenter(PyCodeObject *code, enum event_kind kind)
{
	struct moment m;

	if (!moment_begin_entry(&m, code))
		return;
	uint8_t *p = event_write_resume(m.at, kind,
		&(struct event_resume){.site = m.site,
			.code = m.record->number,
			.gen = frame_is_foreign(m.frame) ? 0 : generator_of(m.frame),
			.unit = moment_unit(&m)});
	stack_push(m.thread, m.frame);
	moment_end(&m, moment_write_task(&m, false, p));
}

/* ---- inside ---- */

/* type: number of its name, 0: there was no room to tell that. Then the event is lost, too: none names what is not there. */
static inline bool moment_begin_exception(struct moment *m, PyCodeObject *code, uint32_t type)
{
	if (!moment_look(m, code))
		return false;
	if (__builtin_expect(!type, 0)) {
		moment_lose(m->thread);
		return false;
	}
	return moment_make_room_inside(m);
}

static inline void record_raise(PyCodeObject *code, uint32_t type)
{
	struct moment m;

	if (moment_begin_exception(&m, code, type))
		moment_end(&m, event_write2(m.at, EVENT_RAISE, moment_unit(&m), type));
}

/* unit: of the instruction that reraises; the frame may stand at that of the first raise. */
static inline void record_reraise(PyCodeObject *code, uint32_t unit, uint32_t type)
{
	struct moment m;

	if (moment_begin_exception(&m, code, type))
		moment_end(&m, event_write3(m.at, EVENT_RERAISE, moment_told_unit(&m, unit),
				       moment_unit(&m), type));
}

/* unit: of the handler */
static inline void record_handled(PyCodeObject *code, uint32_t unit, uint32_t type)
{
	struct moment m;

	if (moment_begin_exception(&m, code, type))
		moment_end(&m, event_write2(m.at, EVENT_HANDLED, moment_told_unit(&m, unit), type));
}

/* ---- exits ---- */

static inline void moment_gone(struct moment *m, bool for_good)
{
	stack_pop(m->thread);
	if (for_good && m->record->generator_like)
		generator_gone(m->frame);
	if (for_good && __builtin_expect(m->record->checks, 0))
		passes_forget(m->frame);
}

static inline void record_return(PyCodeObject *code)
{
	struct moment m;

	if (moment_begin_inside(&m, code)) {
		moment_end(&m, event_write1(m.at, EVENT_LEAVE, moment_unit(&m)));
		moment_gone(&m, true);
	}
}

static inline void record_yield(PyCodeObject *code)
{
	struct moment m;

	if (moment_begin_inside(&m, code)) {
		moment_end(&m, event_write1(m.at, EVENT_SUSPEND, moment_unit(&m)));
		moment_gone(&m, false);
	}
}

static inline void record_unwind(PyCodeObject *code)
{
	struct moment m;

	if (moment_begin_inside(&m, code)) {
		moment_end(&m, event_write0(m.at, EVENT_UNWIND));
		moment_gone(&m, true);
	}
}

#endif
