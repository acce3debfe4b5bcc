/* The hooks with --clock call: calls and returns are stamped, each. Apart, so that the others pay nothing: not even by what the compiler
 * thinks of a file that has everything twice. */
#include "recorder/hooks.h"
#include "recorder/moment.h"

/* Before a callback whose event is to be stamped. Where nothing else has to stand before that, and it is sure to come, the time is
 * written at once; else the event's step is a slow one. */
static void stamp_next(PyCodeObject *code)
{
	struct thread *t = self;

	if (!t)
		return;
	if (step_is_slow(t, t->ring.at) || t->idle_ticks || code_mark(code) <= 0)
		t->tick = NO_TICK;
	else
		ring_commit(&t->ring, write_time(t, t->ring.at));
}

PyObject *on_start_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	stamp_next(code_of(args));
	return on_start(hook, args, n, names);
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

PyObject *on_return_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	stamp_next(code_of(args));
	return on_return(hook, args, n, names);
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

/* A witness may tell of its frame's call. */
static void stamp_begin(PyCodeObject *code, bool moved)
{
	intptr_t mark = code_mark(code);
	py_frame *frame = current_frame(hook_thread_state(self));

	if (mark <= 0 || !frame || frame_code(frame) != code)
		return;
	const struct code_record *r = (const struct code_record *)mark;
	uint32_t unit = frame_unit_or_none(frame, code);
	if (unit >= r->unit_count)
		return;
	const struct code_unit *here = &r->units[unit];
	if (moved && !here->start && unit >= LOOK_UP_UNITS)
		here -= LOOK_UP_UNITS;
	if (here->begins)
		stamp_next(code);
}

PyObject *on_line_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	stamp_begin(code_of(args), false);
	return on_line(hook, args, n, names);
}

#if CODE_MAY_BE_HOT
PyObject *on_instruction_stamped(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	stamp_begin(code_of(args), true);
	return on_instruction(hook, args, n, names);
}
#endif
