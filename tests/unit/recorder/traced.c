/* Debuggers: trace functions that the program sets, and frames that are moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/window.h"
#include "tests/lib/inside_hooks.h"

static const char *why;

/* What runs after it has all of its lines, and starts are heard by on_start_traced. */
static void expect_traced(const char *text)
{
	assert_true(hooked_in(&why));
	assert_false(root.traced);
	PyObject *names = hooked_run(text, inside_nothing);
	assert_true(root.traced && root.policy.lines);
	assert_true(hooked_has("f( 2 3 4 )"));
	assert_null(PyErr_Occurred());
	Py_DECREF(names);
}

#define F "def f():\n    x = 1\n    y = 2\n    return x\nf()\nimport sys\n"

static void a_trace_function(void **state)
{
	(void)state;
	expect_traced(F "sys.settrace(lambda *args: None)\nf()\nsys.settrace(None)\n");
}

static void of_all_threads(void **state)
{
	(void)state;
	expect_traced(F "sys._settraceallthreads(lambda *args: None)\nf()\n"
			"sys._settraceallthreads(None)\n");
}

static void call_tracing(void **state)
{
	(void)state;
	expect_traced(F "sys.call_tracing(f, ())\nf()\n");
}

/* Without one nothing changes. */
static void no_trace_function(void **state)
{
	(void)state;
	assert_true(hooked_in(&why));
	Py_DECREF(hooked_run(F "sys.settrace(None)\nf()\n", inside_nothing));
	assert_false(root.traced || root.policy.lines);
	assert_null(strstr(hooked_path, "f( 2 3 4"));
}

static void of_a_recorder_that_has_stopped(void **state)
{
	(void)state;
	assert_true(hooked_in(&why));
	recorder_stop(PL_GAP_UNKNOWN);
	Py_DECREF(inside_bind(F "sys.settrace(lambda *args: None)\nf()\nsys.settrace(None)\n"));
	assert_false(root.traced || root.policy.lines);
}

/* By another tool's callback for lines, which comes after ours. */
static void a_frame_that_is_moved(void **state)
{
	(void)state;
	assert_true(hooked_in(&why));
	PyObject *names = hooked_run(
		"import sys\nm = sys.monitoring\n"
		"def f():\n    x = 1\n    x = 2\n    x = 3\n    return x\n"
		"def on_line(code, line):\n"
		"    if line == 5: sys._getframe(1).f_lineno = 7\n"
		"m.use_tool_id(2, 'x')\nm.register_callback(2, m.events.LINE, on_line)\n"
		"m.set_local_events(2, f.__code__, m.events.LINE)\n"
		"result = f()\nm.set_local_events(2, f.__code__, 0)\nm.free_tool_id(2)\nf()\n",
		inside_nothing);
	assert_int_equal(PyLong_AsLong(inside_name(names, "result")), 1);
	assert_true(hooked_count_of(EVENT_GAP) >= 1);
	assert_int_equal(event_among(hooked_events, hooked_count, EVENT_GAP)->a, PL_GAP_JUMPED);
	assert_true(root.traced);
	assert_true(hooked_has("f( 4 5 6 7 )")); /* the next call has all lines */
	Py_DECREF(names);
}

static setter line_setter(void)
{
	PyObject *names = PyType_GetDict(&PyFrame_Type);
	PyObject *line = PyDict_GetItemString(names, "f_lineno");
	const setter set = ((PyGetSetDescrObject *)line)->d_getset->set;

	Py_DECREF(names);
	return set;
}

static PyCFunction function_of_sys(const char *name)
{
	return ((PyCFunctionObject *)PySys_GetObject(name))->m_ml->ml_meth;
}

/* All is as it was; a second recording finds the interpreter's own again. */
static void given_back(void **state)
{
	const setter line = line_setter();
	const PyCFunction set_trace = function_of_sys("settrace");

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_true(hooked_in(&why));
		assert_ptr_not_equal(line_setter(), line);
		assert_ptr_not_equal(function_of_sys("settrace"), set_trace);
		hooked_out();
		assert_ptr_equal(line_setter(), line);
		assert_ptr_equal(function_of_sys("settrace"), set_trace);
	}
}

INSIDE_TESTS(traced)
{
	const struct CMUnitTest tests[] = {
		HOOKED_TEST(a_trace_function),
		HOOKED_TEST(of_all_threads),
		HOOKED_TEST(call_tracing),
		HOOKED_TEST(no_trace_function),
		HOOKED_TEST(of_a_recorder_that_has_stopped),
		HOOKED_TEST(a_frame_that_is_moved),
		HOOKED_TEST(given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
