/* The calls of 3.11's trace function, made into events. With emit.h this is the hot path. */
#include "recorder/tracing.h"

#include "base/expect.h"
#include "bytecode/table.h"
#include "format/event.h"
#include "recorder/code.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/trace_function.h"
#include "recorder/emit.h"
#include "recorder/emit_fast.h"
#include "recorder/emit_slow.h"
#include "recorder/flight.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/thread.h"
#include "recorder/window.h"
#include "ring/ring.h"

__thread Py_tracefunc programs;
bool set_elsewhere;
bool listening, awaiting;
bool slow_only;
bool trace_is_there;

/* ---- entries and exits ---- */

/* At a start and a resume the frame is at its RESUME; at a throw it is still where it was left. */
static void trace_call(PyFrameObject *f, PyCodeObject *code)
{
	py_frame *frame = f->f_frame;
	const struct code_record *record = code_record(code);
	unsigned arg;

	if (record && record->enters_handling && record->handling[frame_unit(frame, code)])
		f->f_trace_opcodes |= SWITCH_OURS;
	if (frame_opcode(frame, &arg) != RESUME)
		record_reenter(code, current_thread_state(), EVENT_THROW, NULL);
	else if (arg & 3)
		record_reenter(code, current_thread_state(), EVENT_RESUME, NULL);
	else
		record_enter(code, current_thread_state());
}

/* Where a generator or coroutine returned to, and the stream's position then: see is_quiet. */
static __thread struct {
	const py_frame *to; /* compared only */
	uint64_t position;
} returned;

static void note_return(const py_frame *frame, const PyCodeObject *code)
{
	if (code->co_flags & (CO_GENERATOR | CO_COROUTINE) && self) {
		returned.to = frame->previous;
		returned.position = ring_position(&self->ring);
	}
}

/* A return by an exception does not say by which: the one before was told. */
static __thread bool ends_orderly;

/* value: that it leaves; NULL: an exception. A frame that waits has no switch of ours: where it
 * goes on says what it needs, and the recorder may leave meanwhile. */
static void trace_return(PyFrameObject *f, PyCodeObject *code, PyObject *value)
{
	py_frame *frame = f->f_frame;
	unsigned arg;

	if (!value) {
		record_unwind(code, true);
		if (root.flight && !ends_orderly)
			flight_unwound(NULL);
		return;
	}
	struct emit e;
	bool looked = emit_look(&e, code);
	if (frame_opcode(frame, &arg) == YIELD_VALUE) {
		f->f_trace_opcodes &= SWITCH_PROGRAM;
		if (looked)
			record_yield(&e, emit_unit(&e), value);
		return;
	}
	if (looked)
		record_return(&e, emit_unit(&e), value);
	note_return(frame, code);
}

/* ---- exceptions ---- */

/* With a trace function a coroutine's return raises StopIteration at its SEND; 3.12 and later have
 * none there. It comes directly after the return: nothing was written to the stream in between. */
static bool is_quiet(const py_frame *frame)
{
	return returned.to == frame && self && returned.position == ring_position(&self->ring);
}

static void trace_exception(PyFrameObject *f, PyCodeObject *code, PyObject *exception)
{
	unsigned arg, opcode = frame_opcode(f->f_frame, &arg);
	bool swallowed = (opcode == FOR_ITER || opcode == SEND) &&
			 PyObject_TypeCheck(exception, (PyTypeObject *)PyExc_StopIteration);

	if (swallowed && opcode == SEND && is_quiet(f->f_frame))
		return;
	record_raise(code, exception, false);
	ends_orderly = flight_is_orderly(exception);
	if (!swallowed)
		f->f_trace_opcodes |= SWITCH_OURS | SWITCH_PENDING;
}

/* The first event of a frame after an exception, if it has not left: it is at the handler, with the
 * exception on top of its stack. */
static void trace_handled(PyFrameObject *f, PyCodeObject *code)
{
	f->f_trace_opcodes &= ~SWITCH_PENDING;
	record_handled(code, frame_unit(f->f_frame, code),
		exception_type_number(frame_stack(f->f_frame, 0)), true);
}

/* first: the unit at which the exception was first raised */
static void trace_reraise(PyFrameObject *f, PyCodeObject *code, PyObject *exception, uint32_t first)
{
	struct emit e;
	uint32_t type = exception_type_number(exception);

	f->f_trace_opcodes |= SWITCH_PENDING;
	if (emit_begin_exception(&e, code, type))
		emit_end(&e, event_write3(emit_exception(&e, exception), EVENT_RERAISE,
				     frame_unit(f->f_frame, code), first, type));
}

/* An instruction of a frame that is traced by instruction, before it runs. What raises again:
 *
 *	RERAISE n             the exception is on top; with n, f_lasti of the first raise is n below
 *	RAISE_VARARGS 0       a bare raise: what the thread is handling, in whatever frame
 *	END_ASYNC_FOR         anything but the StopAsyncIteration that ends the loop
 *
 * (Python/ceval.c of 3.11.) When nothing is being handled any more, tracing by instruction ends. */
static void trace_instruction(PyFrameObject *f, PyCodeObject *code)
{
	py_frame *frame = f->f_frame;
	unsigned arg, opcode = frame_opcode(frame, &arg);
	uint32_t unit = frame_unit(frame, code);

	if (f->f_trace_opcodes & SWITCH_PENDING)
		trace_handled(f, code);
	if (opcode == RERAISE) {
		trace_reraise(f, code, frame_stack(frame, 0),
			arg ? (uint32_t)PyLong_AsLong(frame_stack(frame, (int)arg)) : unit);
	} else if (opcode == RAISE_VARARGS && arg == 0) {
		PyObject *exception = thread_handled(current_thread_state());
		if (exception) /* if not, there is nothing to raise, which is an error */
			trace_reraise(f, code, exception, unit);
	} else if (opcode == END_ASYNC_FOR) {
		if (!PyObject_TypeCheck(
			    frame_stack(frame, 0), (PyTypeObject *)PyExc_StopAsyncIteration))
			trace_reraise(f, code, frame_stack(frame, 0), unit);
	} else {
		const struct code_record *record = code_record(code);
		if (!record || unit >= record->unit_count || !record->handling[unit])
			f->f_trace_opcodes &= SWITCH_PROGRAM;
	}
}

/* ---- lines ---- */

static void trace_line(PyFrameObject *f, PyCodeObject *code)
{
	struct emit e;

	if (unlikely(f->f_trace_opcodes & SWITCH_PENDING))
		trace_handled(f, code);
	if (!emit_begin_inside(&e, code))
		return;
	uint32_t unit = emit_unit(&e);
	struct code_unit here = emit_start(&e, unit);
	uint8_t *p = emit_variables(&e);
	if (likely(here.start != 0))
		emit_end(&e, event_write_line(p, here.start - 1));
	else
		emit_end(&e, event_write_line_at(p, unit, f->f_lineno));
}

/* ---- the program's own trace function ---- */

void trace_adopt(PyThreadState *ts)
{
	if (ts->c_tracefunc == on_trace)
		return;
	programs = ts->c_tracefunc;
	thread_set_trace(ts, on_trace);
	trace_outside_again(ts);
}

/* During the call the frame's switches are as the program has set them; the recorder may have left
 * when it returns. A frame that waits or is over gets none of ours. */
static int pass_to_program(PyObject *object, PyFrameObject *f, int what, PyObject *arg)
{
	char lines = f->f_trace_lines, opcodes = f->f_trace_opcodes;

	if ((what == PyTrace_LINE && !(lines & SWITCH_PROGRAM)) ||
		(what == PyTrace_OPCODE && !(opcodes & SWITCH_PROGRAM)))
		return 0;
	f->f_trace_lines &= SWITCH_PROGRAM;
	f->f_trace_opcodes &= SWITCH_PROGRAM;
	int result = programs(object, f, what, arg);
	if (!trace_is_there)
		return result;
	if (what != PyTrace_RETURN)
		f->f_trace_lines |= SWITCH_OURS;
	f->f_trace_opcodes |= opcodes & ~SWITCH_PROGRAM;
	trace_adopt(current_thread_state());
	return result;
}

/* ---- code that is left out ---- */

/* Its calls and returns come anyway; its lines need not, unless the program wants them. */
static void trace_outside(PyFrameObject *f, PyCodeObject *code, int what)
{
	if (what == PyTrace_CALL)
		f->f_trace_lines = programs ? SWITCH_PROGRAM : 0;
	if (what != PyTrace_RETURN)
		return;
	if (!programs)
		f->f_trace_lines = SWITCH_PROGRAM;
	note_return(f->f_frame, code);
}

void trace_outside_again(PyThreadState *ts)
{
	for (py_frame *frame = root.filters ? top_frame(ts) : NULL; frame;
		frame = frame_caller(frame))
		if (frame->frame_obj && !frame->frame_obj->f_trace_lines &&
			code_is_left_out(frame_code(frame)))
			frame->frame_obj->f_trace_lines = SWITCH_PROGRAM;
}

/* With --clock call. */
static void stamp_call(void)
{
	if (unlikely(root.arena.head->stamps == STAMPS_CALL) && self)
		self->tick = NO_TICK;
}

void trace_choose_way(void)
{
	slow_only = set_elsewhere || root.filters || root.arena.head->stamps == STAMPS_CALL;
}

/* An interpreter before 3.12 has one trace function, which is ours: the program's own one is called
 * after the event is written (pass_on), and its result is what counts. */
__attribute__((noinline)) static int trace_slow(
	PyObject *object, PyFrameObject *f, int what, PyObject *arg)
{
	PyCodeObject *code = f->f_frame->f_code;

	if (unlikely(!listening)) {
		if (!trace_is_there)
			return on_left(object, f, what, arg);
		if (awaiting && what == PyTrace_CALL && main_begins(f->f_frame)) {
			awaiting = false;
			listening = true;
		}
	}
	if (unlikely(listening && root.filters) && code_is_left_out(code)) {
		trace_outside(f, code, what);
	} else if (likely(listening)) {
		switch (what) {
		case PyTrace_LINE:
			trace_line(f, code);
			break;
		case PyTrace_CALL:
			stamp_call();
			trace_call(f, code);
			break;
		case PyTrace_RETURN:
			stamp_call();
			trace_return(f, code, arg);
			break;
		case PyTrace_EXCEPTION:
			trace_exception(f, code, PyTuple_GET_ITEM(arg, 1));
			break;
		case PyTrace_OPCODE:
			if (f->f_trace_opcodes & SWITCH_OURS)
				trace_instruction(f, code);
		}
	}
	if (unlikely(set_elsewhere))
		trace_find_own(current_thread_state());
	return unlikely(programs != NULL) ? pass_to_program(object, f, what, arg) : 0;
}

/* ---- the fast paths ---- */

/* For an event with nothing unusual. false: it takes the slow path. */
__attribute__((always_inline)) static inline bool trace_look(
	struct plain_event *e, const PyFrameObject *f, PyCodeObject *code)
{
	struct thread *t = self;
	intptr_t mark = code_mark(code);

	if (!t || !listening || slow_only || programs || mark <= 0)
		return false;
	const PyThreadState *state = __atomic_load_n(root.gil_holder, __ATOMIC_RELAXED);
	*e = (struct plain_event){t, f->f_frame, (const struct code_record *)mark};
	return state == t->state_told && current_frame(state) == e->frame;
}

/* Those that save registers are separate, so that a line saves none. Each takes its fast path, or
 * the slow one. */

__attribute__((noinline)) static int trace_resume(PyObject *object, PyFrameObject *f, PyObject *arg,
	struct thread *t, const struct code_record *r)
{
	struct plain_event e = {t, f->f_frame, r};

	return plain_resume(&e, e.frame->f_code) ? 0 : trace_slow(object, f, PyTrace_CALL, arg);
}

__attribute__((noinline)) static int trace_enter(PyObject *object, PyFrameObject *f, PyObject *arg,
	struct thread *t, const struct code_record *r)
{
	struct plain_event e = {t, f->f_frame, r};

	bool plain = plain_enter(&e, STAMP_AT_TICKS, CALLS_ANY) || plain_begin(&e, STAMP_AT_TICKS);
	return plain ? 0 : trace_slow(object, f, PyTrace_CALL, arg);
}

__attribute__((noinline)) static int trace_yield(PyObject *object, PyFrameObject *f, PyObject *arg,
	struct thread *t, const struct code_record *r)
{
	struct plain_event e = {t, f->f_frame, r};
	uint32_t unit = frame_unit(e.frame, e.frame->f_code);

	bool plain = !r->in_full && !f->f_trace_opcodes && plain_end(&e, unit, EVENT_SUSPEND);
	return plain ? 0 : trace_slow(object, f, PyTrace_RETURN, arg);
}

int on_trace(PyObject *object, PyFrameObject *f, int what, PyObject *arg)
{
	PyCodeObject *code = f->f_frame->f_code;
	struct plain_event e;
	unsigned oparg;

	if (!trace_look(&e, f, code))
		return trace_slow(object, f, what, arg);
	if (what == PyTrace_LINE && !(f->f_trace_opcodes & SWITCH_PENDING) && plain_line(&e, code))
		return 0;
	if (what == PyTrace_RETURN && arg) {
		if (frame_opcode(e.frame, &oparg) == YIELD_VALUE)
			return trace_yield(object, f, arg, e.thread, e.record);
		if (plain_leave(&e, frame_unit_or_none(e.frame, code), STAMP_AT_TICKS))
			return 0;
	}
	if (what == PyTrace_CALL && frame_opcode(e.frame, &oparg) == RESUME &&
		!e.record->enters_handling)
		return oparg & 3 ? trace_resume(object, f, arg, e.thread, e.record)
				 : trace_enter(object, f, arg, e.thread, e.record);
	return trace_slow(object, f, what, arg);
}
