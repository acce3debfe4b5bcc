/* The hooks with --clock call: each call and return is stamped. They are in a file of their own so
 * that the others do not become slower, not even because the compiler decides otherwise for a file
 * that has everything twice. */
#include "recorder/compat/python.h"

#include "recorder/code.h"
#include "recorder/emit_fast.h"
#include "recorder/hooks.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "ring/ring.h"

/* Before a callback whose event is to be stamped. If nothing else must come before the event, and
 * the event is sure to come, the time is written at once; if not, the event takes the slow path. */
static void stamp_next(PyCodeObject *code)
{
	struct thread *t = self;

	if (!t)
		return;
	if (step_is_slow(t, t->ring.at) || !PyCode_Check(code) || code_mark(code) <= 0)
		t->tick = NO_TICK;
	else
		ring_commit(&t->ring, write_time(t, t->ring.at, now_ticks()));
}

__attribute__((noinline)) static PyObject *start_stamped_slow(
	PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	const PyThreadState *state = hook_thread_state(self);

	if (self && !state->current_exception &&
		enter_fast(self, code_of(args), state, STAMP_ALWAYS))
		Py_RETURN_NONE;
	stamp_next(code_of(args));
	return on_start(hook, args, n, names);
}

PyObject *on_start_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct thread *t = self;

	if (known_enter_fast(t, code_of(args), state_at_ease(t), STAMP_BY_TSC))
		Py_RETURN_NONE;
	return start_stamped_slow(hook, args, n, names);
}

PyObject *on_resume_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	stamp_next(code_of(args));
	return on_resume(hook, args, n, names);
}

PyObject *on_throw_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	stamp_next(code_of(args));
	return on_throw(hook, args, n, names);
}

__attribute__((noinline)) static PyObject *return_slow(
	PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	const PyThreadState *state = hook_thread_state(self);

	if (self && return_fast(self, code_of(args), state, unit_of(args[1]), STAMP_ALWAYS))
		Py_RETURN_NONE;
	stamp_next(code_of(args));
	return on_return(hook, args, n, names);
}

PyObject *on_return_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct thread *t = self;

	if (return_fast(t, code_of(args), state_seen(t), unit_fast(args[1]), STAMP_BY_TSC))
		Py_RETURN_NONE;
	return return_slow(hook, args, n, names);
}

PyObject *on_yield_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	stamp_next(code_of(args));
	return on_yield(hook, args, n, names);
}

PyObject *on_unwind_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	stamp_next(code_of(args));
	return on_unwind(hook, args, n, names);
}

PyObject *on_raise_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	stamp_next(code_of(args));
	return on_raise(hook, args, n, names);
}
