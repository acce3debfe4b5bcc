/* How the trace function of 3.11 is put in, and stays the first one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/compat/interpreter.h"
#include "recorder/tracing.h"
#include "tests/lib/inside_hooks.h"

static Py_tracefunc function_here(void)
{
	return current_thread_state()->c_tracefunc;
}

static void put_in(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_int_equal(hooks_install(false, &why), 0);
	assert_ptr_equal(function_here(), on_trace);
	assert_non_null(*root.on_key);
	assert_true(root.policy.lines || root.wishes.traces);
	assert_true(listening);
	assert_null(PyErr_Occurred());
}

/* No event is written before the first frame of __main__. */
static void waits_for_main(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_int_equal(hooks_install(true, &why), 0);
	assert_true(awaiting && !listening);
	Py_DECREF(hooked_run("def f(): pass\nf()\n", inside_nothing));
	assert_int_equal(hooked_count, 0);
	hooks_off();
	assert_false(awaiting);
}

/* sys.settrace and sys.gettrace do what they did. */
static void settrace(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_true(hooked_in(&why));
	PyObject *names = hooked_run("import sys\nbefore = sys.gettrace()\n"
				     "def trace(*args): return None\n"
				     "sys.settrace(trace)\nis_own = sys.gettrace() is trace\n"
				     "call()\nsys.settrace(None)\nafter = sys.gettrace()\n",
		inside_nothing);
	assert_ptr_equal(inside_name(names, "before"), Py_None);
	assert_ptr_equal(inside_name(names, "is_own"), Py_True);
	assert_ptr_equal(inside_name(names, "after"), Py_None);
	assert_ptr_equal(function_here(), on_trace);
	Py_DECREF(names);
}

/* Threads that are there get it, and new ones when their state is set (on_key). */
static void of_other_threads(void **state)
{
	PyThreadState *there = PyThreadState_New(PyInterpreterState_Main()), *later;
	const char *why = NULL;

	(void)state;
	assert_true(hooked_in(&why));
	assert_ptr_equal(there->c_tracefunc, on_trace);
	later = PyThreadState_New(PyInterpreterState_Main());
	assert_ptr_equal(later->c_tracefunc, NULL);
	(*root.on_key)(~0u, later);
	assert_ptr_equal(later->c_tracefunc, NULL);
	(*root.on_key)((unsigned)_PyRuntime.gilstate.autoTSSkey._key, later);
	assert_ptr_equal(later->c_tracefunc, on_trace);
	PyThreadState_Clear(later);
	PyThreadState_Delete(later);
	PyThreadState_Clear(there);
	PyThreadState_Delete(there);
}

/* A state whose function the program has set is left by its own thread. */
static void taken_away(void **state)
{
	PyThreadState *plain = PyThreadState_New(PyInterpreterState_Main());
	PyThreadState *traced = PyThreadState_New(PyInterpreterState_Main());
	const char *why = NULL;

	(void)state;
	assert_true(hooked_in(&why));
	traced->c_traceobj = Py_None;
	hooks_remove();
	assert_false(trace_is_there);
	assert_ptr_equal(function_here(), NULL);
	assert_int_equal(current_thread_state()->cframe->use_tracing, 0);
	assert_ptr_equal(plain->c_tracefunc, NULL);
	assert_ptr_equal(traced->c_tracefunc, on_left);
	traced->c_traceobj = NULL;
	traced->c_tracefunc = NULL;
	(*root.on_key)((unsigned)_PyRuntime.gilstate.autoTSSkey._key, plain);
	assert_ptr_equal(plain->c_tracefunc, NULL);
	PyThreadState_Clear(plain);
	PyThreadState_Delete(plain);
	PyThreadState_Clear(traced);
	PyThreadState_Delete(traced);
	Py_DECREF(hooked_run("import sys\nsys.settrace(None)\n", inside_nothing));
	assert_ptr_equal(function_here(), NULL);
	assert_int_equal(hooks_install(false, &why), 0);
}

static void not_the_interpreters_own(void **state)
{
	PyObject *before = Py_NewRef(PySys_GetObject("settrace"));
	const char *why = NULL;

	(void)state;
	PySys_SetObject("settrace", Py_None);
	assert_int_equal(hooks_install(false, &why), -1);
	assert_string_equal(why, "sys.settrace is not the interpreter's own");
	PySys_SetObject("settrace", before);
	Py_DECREF(before);
	assert_int_equal(hooks_install(false, &why), 0);
}

INSIDE_TESTS(settrace)
{
	const struct CMUnitTest tests[] = {
		HOOKED_TEST(put_in),
		HOOKED_TEST(waits_for_main),
		HOOKED_TEST(settrace),
		HOOKED_TEST(of_other_threads),
		HOOKED_TEST(taken_away),
		HOOKED_TEST(not_the_interpreters_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
