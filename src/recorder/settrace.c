/* Putting the trace function of 3.11 in: into every thread state, and in front of the program's own. Not on the hot path. */
#include "recorder/tracing.h"

#include <stddef.h>

static PyCFunction set_trace; /* the interpreter's sys.settrace */

/* In the place of sys.settrace's function; the object that the program sees is the same. */
static PyObject *own_set_trace(PyObject *module, PyObject *args)
{
	PyObject *result = set_trace(module, args);

	trace_adopt(current_thread_state());
	return result;
}

/* Until the first frame of __main__. */
static int on_trace_before_main(PyObject *object, PyFrameObject *f, int what, PyObject *arg)
{
	if (what == PyTrace_CALL && main_begins(f->f_frame)) {
		listening = true;
		thread_set_trace(current_thread_state(), on_trace);
	}
	return on_trace(object, f, what, arg);
}

void hooks_off(void)
{
	listening = false;
}

static bool take_set_trace(void)
{
	PyObject *function = PySys_GetObject("settrace"); /* borrowed */

	if (!function || !PyCFunction_CheckExact(function))
		return false;
	PyMethodDef *row = ((PyCFunctionObject *)function)->m_ml;
	set_trace = row->ml_meth;
	row->ml_meth = own_set_trace;
	return true;
}

/* A thread state of the main interpreter that has just come to be, in its own thread, which has not the GIL yet. Also one
 * that a forked child has found again. */
static void on_thread_state(unsigned key, const void *value)
{
	PyThreadState *ts = (PyThreadState *)(uintptr_t)value;

	if (key != (unsigned)_PyRuntime.gilstate.autoTSSkey._key || ts->c_tracefunc ||
		ts->interp != _PyRuntime.interpreters.main)
		return;
	thread_set_trace(ts, on_trace);
}

int hooks_install(bool at_main, const char **why)
{
	PyThreadState *ts = current_thread_state();

	*why = "sys.settrace is not the interpreter's own";
	if (!take_set_trace())
		return -1;
	programs = ts->c_tracefunc;
	listening = !(at_main && main_awaited());
	thread_set_trace(ts, listening ? on_trace : on_trace_before_main);
	for (PyThreadState *t = ts->interp->threads.head; t; t = t->next)
		if (!t->c_tracefunc)
			thread_set_trace(t, on_trace);
	atomic_store_explicit(root.on_key, on_thread_state, memory_order_release);
	return 0;
}
