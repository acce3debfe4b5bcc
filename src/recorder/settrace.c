/* Install the trace function of 3.11, and take it away: in every thread state, before the program's
 * own. Not on the hot path. */
#include "recorder/compat/interpreter.h"
#include "recorder/compat/trace_function.h"

#include <pthread.h>
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

	if (trace_is_there)
		trace_adopt(current_thread_state());
	return result;
}

/* ---- set in C ---- */

static __typeof__(PyEval_SetTrace) *eval_set_trace;
static __typeof__(_PyEval_SetTrace) *eval_set_trace_of;

/* Thread state's id -> what another thread has set as its trace function; with the GIL. on_left:
 * it knows that itself, in `programs`. */
static struct pl_map elsewhere;

/* C code has set a function without an object, so the object does not show whether there is one. */
static bool bare_functions;

void trace_find_own(PyThreadState *ts)
{
	uint64_t *function = map_find(&elsewhere, ts->id);

	if (!function)
		return;
	if ((Py_tracefunc)(uintptr_t)*function != on_left)
		programs = (Py_tracefunc)(uintptr_t)*function;
	trace_outside_again(ts);
	map_remove(&elsewhere, ts->id);
	set_elsewhere = elsewhere.used != 0;
	trace_choose_way();
}

/* Its `programs` cannot be written from here, so it finds it at its next event. */
static void take_elsewhere(PyThreadState *ts)
{
	uint64_t *place = map_put(&elsewhere, ts->id);

	if (place)
		*place = (uint64_t)(uintptr_t)ts->c_tracefunc;
	set_elsewhere = elsewhere.used != 0;
	thread_set_trace(ts, on_trace);
}

/* Called by C code: the original sets function and object, then ours replaces the function. */
static void own_eval_set_trace(Py_tracefunc function, PyObject *object)
{
	bare_functions |= function && !object;
	eval_set_trace(function, object);
	if (trace_is_there)
		trace_adopt(current_thread_state());
}

static int own_eval_set_trace_of(PyThreadState *ts, Py_tracefunc function, PyObject *object)
{
	bare_functions |= function && !object;
	int result = eval_set_trace_of(ts, function, object);

	if (!trace_is_there)
		return result;
	if (ts == current_thread_state()) {
		trace_adopt(ts);
	} else if (ts->c_tracefunc != on_trace) {
		take_elsewhere(ts);
		trace_choose_way();
	}
	return result;
}

/* The symbols outlive the interpreter: in the next one ours are there already. */
static void take_eval_set_trace(void)
{
	void *one = NULL, *other = NULL;

	if (trace_is_there && eval_set_trace && eval_set_trace_of)
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

/* ---- thread states ---- */

/* A new thread state of the main interpreter, in its own thread, which does not have the GIL yet.
 * Also one that a forked child has found again. */
static void on_thread_state(unsigned key, const void *value)
{
	PyThreadState *ts = (PyThreadState *)(uintptr_t)value;

	if (!trace_is_there || key != (unsigned)_PyRuntime.gilstate.autoTSSkey._key || !ts ||
		ts->c_tracefunc || ts->interp != _PyRuntime.interpreters.main)
		return;
	thread_set_trace(ts, on_trace);
}

static int (*set_specific)(pthread_key_t key, const void *value);

/* Called by the interpreter in a program that was attached: no preload has that function there. */
static int own_set_specific(pthread_key_t key, const void *value)
{
	int err = set_specific(key, value);

	if (err == 0)
		on_thread_state((unsigned)key, value);
	return err;
}

static void hear_of_thread_states(void)
{
	void *theirs = NULL;

	atomic_store_explicit(root.on_key, on_thread_state, memory_order_release);
	if (root.leave_soon &&
		symbol_replace_in((void *)(uintptr_t)PyThread_tss_set, "pthread_setspecific",
			(void *)(uintptr_t)own_set_specific, &theirs))
		set_specific = (__typeof__(set_specific))(uintptr_t)theirs;
}

/* The interpreter keeps what it knew of the lines of a code, by its address: that may be another
 * one's since. */
static void take_thread_state(PyThreadState *ts)
{
	ts->trace_info.code = NULL;
	bare_functions |= ts->c_tracefunc && !ts->c_traceobj && ts->c_tracefunc != on_trace;
	if (ts->c_tracefunc && ts->c_tracefunc != on_trace)
		take_elsewhere(ts);
	else
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
	trace_is_there = true;
	if (ts->c_tracefunc != on_left && ts->c_tracefunc != on_trace)
		programs = ts->c_tracefunc;
	awaiting = at_main && main_awaited();
	listening = !awaiting;
	thread_set_trace(ts, on_trace);
	for (PyThreadState *t = ts->interp->threads.head; t; t = t->next)
		take_thread_state(t);
	trace_choose_way();
	hear_of_thread_states();
	return 0;
}

/* ---- leaving ---- */

static void give_thread_state_back(PyThreadState *ts, Py_tracefunc function)
{
	ts->c_tracefunc = function;
	ts->cframe->use_tracing = !ts->tracing && (ts->c_tracefunc || ts->c_profilefunc) ? 255 : 0;
}

int on_left(PyObject *object, PyFrameObject *f, int what, PyObject *arg)
{
	PyThreadState *ts = current_thread_state();
	Py_tracefunc function = ts->c_tracefunc;

	if (function == on_left || function == on_trace) {
		function = programs;
		programs = NULL;
		give_thread_state_back(ts, function);
	}
	return function ? function(object, f, what, arg) : 0;
}

/* Only the thread itself knows what the program would have in another thread, unless that is
 * nothing. */
static void leave_thread_state(PyThreadState *ts)
{
	const uint64_t *set = map_find(&elsewhere, ts->id);

	trace_leave_frames(ts);
	if (ts->c_tracefunc != on_trace)
		return;
	if (ts == current_thread_state()) {
		give_thread_state_back(ts, programs);
		programs = NULL;
	} else if (set) {
		give_thread_state_back(ts, (Py_tracefunc)(uintptr_t)*set);
	} else if (ts->c_traceobj || bare_functions) {
		ts->c_tracefunc = on_left;
	} else {
		give_thread_state_back(ts, NULL);
	}
}

void hooks_give_back(void)
{
	functions_give_back();
	symbols_give_back();
	trace_is_there = false;
}

void hooks_remove(void)
{
	PyThreadState *ts = current_thread_state()->interp->threads.head;

	hooks_off();
	hooks_give_back();
	for (; ts; ts = ts->next)
		leave_thread_state(ts);
	map_release(&elsewhere);
	set_elsewhere = false;
}
