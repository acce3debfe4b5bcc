/* Install the trace function of 3.11: in every thread state, before the program's own. Not on the
 * hot path. */
#include "recorder/compat/interpreter.h"
#include "recorder/compat/trace_function.h"

#include <stddef.h>
#include "base/map.h"
#include "pathline/event.h"
#include "recorder/engine.h"
#include "recorder/message.h"
#include "recorder/root.h"
#include "recorder/symbols.h"
#include "recorder/sysfunction.h"
#include "recorder/thread.h"
#include "recorder/tools.h"
#include "recorder/tracing.h"
#include "recorder/window.h"

static PyCFunction set_trace; /* the interpreter's sys.settrace */

/* In place of the function of sys.settrace; the object that the program sees is the same. */
static PyObject *own_settrace(PyObject *module, PyObject *args)
{
	PyObject *result = set_trace(module, args);

	trace_adopt(current_thread_state());
	return result;
}

/* ---- set in C ---- */

static __typeof__(PyEval_SetTrace) *eval_set_trace;
static __typeof__(_PyEval_SetTrace) *eval_set_trace_of;

/* Thread state's id -> what another thread has set as its trace function; with the GIL. */
static struct pl_map elsewhere;

void trace_find_own(PyThreadState *ts)
{
	uint64_t *function = map_find(&elsewhere, ts->id);

	if (!function)
		return;
	programs = (Py_tracefunc)(uintptr_t)*function;
	trace_outside_again(ts);
	map_remove(&elsewhere, ts->id);
	set_elsewhere = elsewhere.used != 0;
	trace_choose_way();
}

/* Called by C code: the original sets function and object, then ours replaces the function. */
static void own_eval_set_trace(Py_tracefunc function, PyObject *object)
{
	eval_set_trace(function, object);
	trace_adopt(current_thread_state());
}

/* For another thread: its `programs` cannot be written from here, so it finds it at its next
 * event. */
static int own_eval_set_trace_of(PyThreadState *ts, Py_tracefunc function, PyObject *object)
{
	int result = eval_set_trace_of(ts, function, object);

	if (ts == current_thread_state()) {
		trace_adopt(ts);
	} else if (ts->c_tracefunc != on_trace) {
		uint64_t *place = map_put(&elsewhere, ts->id);
		if (place)
			*place = (uint64_t)(uintptr_t)ts->c_tracefunc;
		set_elsewhere = true;
		trace_choose_way();
		thread_set_trace(ts, on_trace);
	}
	return result;
}

/* The symbols outlive the interpreter: in the next one ours are there already. */
static void take_eval_set_trace(void)
{
	void *one = NULL, *other = NULL;

	if (eval_set_trace && eval_set_trace_of)
		return;
	if (!symbol_replace("PyEval_SetTrace", (void *)(uintptr_t)own_eval_set_trace, &one) ||
		!symbol_replace(
			"_PyEval_SetTrace", (void *)(uintptr_t)own_eval_set_trace_of, &other))
		message_note(PL_GAP_UNKNOWN,
			"a trace function that C code sets takes the recorder's place");
	eval_set_trace = (__typeof__(eval_set_trace))(uintptr_t)one;
	eval_set_trace_of = (__typeof__(eval_set_trace_of))(uintptr_t)other;
}

void hooks_hear_again(void)
{
}

bool tools_are_all_taken(void)
{
	return false;
}

/* On 3.11 all lines are recorded. */
void hooks_tell_lines(void)
{
}

void hooks_are_traced(void)
{
}

void hooks_off(void)
{
	listening = awaiting = false;
}

/* A new thread state of the main interpreter, in its own thread, which does not have the GIL yet.
 * Also one that a forked child has found again. */
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
	if (!function_take(PySys_GetObject("settrace"), METH_O, own_settrace, &set_trace))
		return -1;
	take_eval_set_trace();
	root_wish_of_head(true);
	programs = ts->c_tracefunc;
	awaiting = at_main && main_awaited();
	listening = !awaiting;
	trace_choose_way();
	thread_set_trace(ts, on_trace);
	for (PyThreadState *t = ts->interp->threads.head; t; t = t->next)
		if (!t->c_tracefunc)
			thread_set_trace(t, on_trace);
	atomic_store_explicit(root.on_key, on_thread_state, memory_order_release);
	return 0;
}
