/* The hooks: one callback an event of sys.monitoring. With lines.c and emit.h this is the hot
 * path.
 *
 * Most callbacks have two halves. The fast one (witness_event, known_enter_fast, …) looks whether
 * all is as it mostly is, and if so writes the event into the ring; it calls nothing, so the
 * compiler saves no registers. The slow one (…_slow) is a function of its own, which is not
 * inlined: it handles whatever the first refused, from the beginning. A fast half that refuses has
 * written nothing.
 *
 * What a callback returns: None goes on, hook_disable (sys.monitoring.DISABLE) ends the events of
 * that instruction in that code, which then costs nothing. No callback sets an error: it runs in
 * the middle of an instruction of the program.
 */
#include "recorder/hooks.h"

#include "base/expect.h"
#include "bytecode/passes.h"
#include "format/event.h"
#include "recorder/code.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"
#include "recorder/emit.h"
#include "recorder/emit_fast.h"
#include "recorder/emit_slow.h"
#include "recorder/flight.h"
#include "recorder/names.h"
#include "recorder/passes.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/thread.h"
#include "recorder/tiers/tiers.h"
#include "recorder/tools.h"
#include "recorder/values/values.h"

/* false: disable it here, because the code is left out */
__attribute__((noinline)) static bool enter_slow(PyCodeObject *code, PyThreadState *state)
{
	struct code_record *record = PyCode_Check(code) ? code_record(code) : NULL;

	if (unlikely(record && record->reoptimization))
		tier_call(code, record);
	return record_enter(code, state);
}

/* An exception that is set meanwhile (Cython) is put aside: hooks.h, take_thrown. */
__attribute__((noinline)) static PyObject *start_slow(PyObject *const *args)
{
	PyThreadState *state = hook_thread_state(self);
	PyObject *thrown = take_thrown(state);

	bool heard = (self && enter_fast(self, code_of(args), state, STAMP_AT_TICKS)) ||
		     enter_slow(code_of(args), state);
	return result_beside(thrown, heard ? Py_None : hook_disable);
}

PyObject *on_start(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct thread *t = self;
	(void)hook, (void)n, (void)names;

	if (known_enter_fast(t, code_of(args), state_at_ease(t), STAMP_AT_TICKS))
		Py_RETURN_NONE;
	return start_slow(args);
}

__attribute__((noinline)) static bool resume_slow(PyCodeObject *code, PyThreadState *state)
{
	return record_reenter(code, state, EVENT_RESUME, NULL);
}

PyObject *on_resume(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	PyThreadState *state = hook_thread_state(self);
	PyObject *thrown = take_thrown(state);
	(void)hook, (void)n, (void)names;

	bool heard = (self && resume_fast(self, code_of(args), state)) ||
		     resume_slow(code_of(args), state);
	return result_beside(thrown, heard ? Py_None : hook_disable);
}

PyObject *on_throw(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_reenter(code_of(args), current_thread_state(), EVENT_THROW, args[2]);
	Py_RETURN_NONE;
}

/* Jumps forward, and jumps back that cannot be AGAIN, are disabled where they first run; and so are
 * those that INSTRUCTION reports. */
__attribute__((always_inline)) static inline PyObject *jump_of(PyObject *const *args, bool tells)
{
	struct emit e;

	if (!emit_look(&e, code_of(args)) || !e.record)
		return nothing_here(&e);
	uint32_t unit = unit_of(args[1]); /* 3.12 has the frame at the target by now */
	struct code_unit here = emit_start(&e, unit);
	const bool may_move = CODE_MAY_BE_HOT && unit_is_pass(unit_bits(here));
	const bool told = may_move && here.heard == HEARD_MOVED;
	uint32_t pass = here.pass;
	if (told || !(pass & (PASS_ALWAYS | PASS_CHECK | PASS_TRACK)))
		return Py_NewRef(hook_disable);
	bool again = pass & PASS_ALWAYS;
	if (pass & (PASS_CHECK | PASS_TRACK))
		again |= passes_jump(e.frame, unit_of(args[2])) && pass & PASS_CHECK;
	if (again && emit_make_room_inside(&e)) {
		uint8_t *p = tells ? emit_variables(&e) : e.at;
		p = event_write1(p, EVENT_AGAIN, unit);
		if (JUMP_IS_TOLD_AHEAD) {
			if (unlikely(landings_are_heard()))
				e.thread->lands = unit_of(args[2]) + 1;
			emit_end_ahead(&e, p);
		} else {
			emit_end(&e, p);
		}
	}
	if (unlikely(may_move && ++e.record->passes_heard >= root.hot_lines) &&
		tier_pass_moves(e.code, e.record, unit))
		return Py_NewRef(hook_disable);
	Py_RETURN_NONE;
}

__attribute__((noinline)) static PyObject *jump_telling(PyObject *const *args)
{
	return jump_of(args, true);
}

PyObject *on_jump(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	return unlikely(root.keeps_lines) ? jump_telling(args) : jump_of(args, false);
}

/* Exceptions are rare: there is no fast half. */
PyObject *on_raise(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	if (!code_is_left_out(code_of(args)))
		record_raise(code_of(args), args[2],
			JUMP_RAISES_AT_TARGET && tools_raised_at_jump(args[2]));
	Py_RETURN_NONE;
}

PyObject *on_reraise(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	if (!code_is_left_out(code_of(args)))
		record_reraise(code_of(args), unit_of(args[1]), args[2]);
	Py_RETURN_NONE;
}

__attribute__((noinline)) static PyObject *handled_telling(PyObject *const *args)
{
	if (!code_is_left_out(code_of(args)))
		record_handled(
			code_of(args), unit_of(args[1]), exception_type_number(args[2]), true);
	Py_RETURN_NONE;
}

PyObject *on_handled(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	if (unlikely(root.keeps_lines))
		return handled_telling(args);
	if (!code_is_left_out(code_of(args)))
		record_handled(
			code_of(args), unit_of(args[1]), exception_type_number(args[2]), false);
	Py_RETURN_NONE;
}

/* Does a return or yield at `unit` need no event? Then it is disabled: the next event shows that
 * the frame is gone. */
static bool leave_is_hushed(const struct emit *e, uint32_t unit)
{
	struct code_record *r = e->record;
	const bool hushed = r && emit_start(e, unit).silent && !code_policy(r).returns;

	if (hushed)
		r->hushed = true;
	return hushed;
}

/* kind: EVENT_LEAVE or EVENT_SUSPEND */
__attribute__((noinline)) static PyObject *leave_slow(PyObject *const *args, enum event_kind kind)
{
	struct emit e;

	if (!emit_look(&e, code_of(args)))
		return nothing_here(&e);
	uint32_t unit = emit_told_unit(&e, unit_of(args[1]));
	if (leave_is_hushed(&e, unit))
		return Py_NewRef(hook_disable);
	if (kind == EVENT_SUSPEND)
		record_yield(&e, unit, args[2]);
	else
		record_return(&e, unit, args[2]);
	Py_RETURN_NONE;
}

PyObject *on_return(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	PyCodeObject *code = code_of(args);
	struct thread *t = self;
	const PyThreadState *state = state_seen(t);
	uint32_t unit = unit_fast(args[1]);
	(void)hook, (void)n, (void)names;

	if ((root.policy.returns && return_fast(t, code, state, unit, STAMP_AT_TICKS)) ||
		end_fast(t, code, state, unit))
		Py_RETURN_NONE;
	return leave_slow(args, EVENT_LEAVE);
}

PyObject *on_yield(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct thread *t = self;
	(void)hook, (void)n, (void)names;

	if (yield_fast(t, code_of(args), state_seen(t), unit_fast(args[1])))
		Py_RETURN_NONE;
	return leave_slow(args, EVENT_SUSPEND);
}

__attribute__((noinline)) static PyObject *unwind_telling(PyObject *const *args)
{
	record_unwind(code_of(args), root.keeps_lines);
	if (root.flight)
		flight_unwound(args[2]);
	Py_RETURN_NONE;
}

PyObject *on_unwind(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	if (unlikely(root.looks_at_unwinds))
		return unwind_telling(args);
	record_unwind(code_of(args), false);
	Py_RETURN_NONE;
}
