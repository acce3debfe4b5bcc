/* The hooks: one callback an event of sys.monitoring. This is the hot path, with moment.h. */
#include "recorder/hooks.h"

#include "bytecode/passes.h"

#include "recorder/moment.h"

static PyCodeObject *code_of(PyObject *const *args)
{
	return (PyCodeObject *)args[0];
}

/* The code unit of an event's own offset, which is in bytes. */
static uint32_t unit_of(PyObject *offset)
{
	return (uint32_t)(PyLong_AsLong(offset) / (long)sizeof(_Py_CODEUNIT));
}

PyObject *on_start(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	PyObject *thrown = PyErr_GetRaisedException();
	(void)hook, (void)n, (void)names;

	record_enter(code_of(args));
	return result_beside(thrown, Py_None);
}

static PyObject *on_resume(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	PyObject *thrown = PyErr_GetRaisedException();
	(void)hook, (void)n, (void)names;

	record_reenter(code_of(args), EVENT_RESUME);
	return result_beside(thrown, Py_None);
}

static PyObject *on_throw(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_reenter(code_of(args), EVENT_THROW);
	Py_RETURN_NONE;
}

static PyObject *on_line(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	if (!moment_begin_inside(&m, code_of(args)))
		Py_RETURN_NONE;
	uint32_t unit = moment_unit(&m);
	struct code_unit here = moment_start(&m, unit);
	/* A trace function, which has a frame object, is called before us: if it has set f_lineno,
	 * the frame stands elsewhere than at the line that is told, and which will not run. */
	if (here.start && __builtin_expect(m.frame->frame_obj != NULL, 0) &&
		here.line != PyLong_AsLong(args[1]))
		here.start = 0;
	if (__builtin_expect(here.pass & PASS_TELLS, 0))
		passes_line(m.frame, unit);
	if (__builtin_expect(here.start != 0, 1))
		moment_end(&m, event_write_line(m.at, here.start - 1));
	else
		moment_end(&m,
			event_write2(m.at, EVENT_LINE_AT, unit, (uint64_t)PyLong_AsLong(args[1])));
	Py_RETURN_NONE;
}

/* Forward jumps, and those back that cannot be AGAIN, are switched off where they run first. */
static PyObject *on_jump(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	struct moment m;
	(void)hook, (void)n, (void)names;

	if (!moment_look(&m, code_of(args)) || !m.record)
		Py_RETURN_NONE;
	uint32_t unit = unit_of(args[1]); /* 3.12 has the frame at the target by now */
	uint32_t pass = moment_start(&m, unit).pass;
	if (!(pass & (PASS_ALWAYS | PASS_CHECK | PASS_TRACK)))
		return Py_NewRef(hook_disable);
	bool again = pass & PASS_ALWAYS;
	if (pass & (PASS_CHECK | PASS_TRACK))
		again |= passes_jump(m.frame, unit_of(args[2])) && pass & PASS_CHECK;
	if (again && moment_make_room_inside(&m))
		moment_end(&m, event_write1(m.at, EVENT_AGAIN, unit));
	Py_RETURN_NONE;
}

static PyObject *on_raise(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_raise(code_of(args), exception_type_number(args[2]));
	Py_RETURN_NONE;
}

static PyObject *on_reraise(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_reraise(code_of(args), unit_of(args[1]), exception_type_number(args[2]));
	Py_RETURN_NONE;
}

static PyObject *on_handled(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_handled(code_of(args), unit_of(args[1]), exception_type_number(args[2]));
	Py_RETURN_NONE;
}

static PyObject *on_return(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_return(code_of(args));
	Py_RETURN_NONE;
}

static PyObject *on_yield(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_yield(code_of(args));
	Py_RETURN_NONE;
}

static PyObject *on_unwind(PyObject *hook, PyObject *const *args, size_t n, PyObject *names)
{
	(void)hook, (void)n, (void)names;
	record_unwind(code_of(args));
	Py_RETURN_NONE;
}

/* ---- the table ---- */

/* clang-format off */
#define HOOK(name, is_local, function) {name, is_local, false, function, {PyObject_HEAD_INIT(&hook_type) NULL}}

struct hook_row hooks[] = {
	HOOK("PY_START", true, on_start),
	HOOK("PY_RESUME", true, on_resume),
	HOOK("PY_THROW", false, on_throw),
	HOOK("LINE", true, on_line),
	HOOK("PY_RETURN", true, on_return),
	HOOK("PY_YIELD", true, on_yield),
	HOOK("PY_UNWIND", false, on_unwind),
	HOOK("RAISE", false, on_raise),
	HOOK("RERAISE", false, on_reraise),
	HOOK("EXCEPTION_HANDLED", false, on_handled),
	{"JUMP", true, true, on_jump, {PyObject_HEAD_INIT(&hook_type) NULL}},
};
/* clang-format on */
const size_t hook_count = sizeof hooks / sizeof *hooks;
