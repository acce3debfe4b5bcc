/* Putting the callbacks of sys.monitoring in, and what is there when they have gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/window.h"
#include "tests/lib/inside_hooks.h"

static const char *why;

static PyObject *monitoring(void)
{
	return PySys_GetObject("monitoring");
}

static bool is_free(int id)
{
	PyObject *name = PyObject_CallMethod(monitoring(), "get_tool", "i", id);
	const bool none = name == Py_None;

	Py_XDECREF(name);
	return none;
}

static const struct hook_row *row_of(const char *event)
{
	size_t i = 0;

	while (i < hook_count && strcmp(hooks[i].event, event) != 0)
		i++;
	assert_true(i < hook_count);
	return &hooks[i];
}

static bool is_heard(const char *event)
{
	return row_of(event)->number != 0;
}

static void put_in_and_removed(void **state)
{
	(void)state;
	assert_int_equal(hooks_install(false, &why), 0);
	assert_int_equal(root.tool, 5);
	assert_true(is_free(5)); /* as the program sees it */
	assert_non_null(*root.on_leave);
	assert_true(is_heard("LINE") && is_heard("PY_START") && is_heard("JUMP"));
	assert_null(PyErr_Occurred());
	hooked_out();
	assert_true(is_free(5));
	assert_null(hook_disable);
	PyObject *events = PyObject_CallMethod(monitoring(), "_all_events", NULL);
	assert_int_equal(PyDict_Size(events), 0);
	Py_DECREF(events);
	assert_null(PyErr_Occurred());
}

static void the_highest_that_is_free(void **state)
{
	PyObject *names = inside_bind("import sys\nsys.monitoring.use_tool_id(5, 'another')\n");

	(void)state;
	assert_int_equal(hooks_install(false, &why), 0);
	assert_int_equal(root.tool, 4);
	hooked_out();
	assert_false(is_free(5));
	Py_DECREF(names);
	Py_DECREF(inside_bind("import sys\nsys.monitoring.free_tool_id(5)\n"));
}

static void all_ids_in_use(void **state)
{
	(void)state;
	Py_DECREF(
		inside_bind("import sys\nfor i in range(6): sys.monitoring.use_tool_id(i, 'x')\n"));
	assert_int_equal(hooks_install(false, &why), -1);
	assert_string_equal(why, "all six tool ids of sys.monitoring are in use");
	assert_null(PyErr_Occurred());
	functions_give_back();
	Py_DECREF(inside_bind("import sys\nfor i in range(6): sys.monitoring.free_tool_id(i)\n"));
}

static void events_that_are_not_wanted(void **state)
{
	(void)state;
	root.arena.head->passes = PASSES_NONE;
	root.arena.head->hot_lines = 0;
	assert_int_equal(hooks_install(false, &why), 0);
	assert_false(is_heard("JUMP") || is_heard("INSTRUCTION"));
}

static void hot_code(void **state)
{
	(void)state;
	root.arena.head->hot_lines = 10;
	assert_int_equal(hooks_install(false, &why), 0);
	assert_int_equal(root.hot_lines, 10);
	assert_true(is_heard("INSTRUCTION"));
	hooked_out();
	/* in exact order nothing is hot */
	root.arena.head->order = ORDER_EXACT;
	assert_int_equal(hooks_install(false, &why), 0);
	assert_int_equal(root.hot_lines, 0);
}

/* A recording after one that wanted more: the program's ids are still its own. */
static void another_recording(void **state)
{
	(void)state;
	root.arena.head->hot_lines = 10;
	assert_int_equal(hooks_install(false, &why), 0);
	hooked_out();
	root.arena.head->hot_lines = 0;
	root.arena.head->passes = PASSES_NONE;
	assert_int_equal(hooks_install(false, &why), 0);
	assert_false(is_heard("JUMP") || is_heard("INSTRUCTION"));
	assert_true(is_free(root.tool));
}

/* Nothing is recorded before the first frame of __main__. */
static void waits_for_main(void **state)
{
	PyObject *names = PyModule_GetDict(PyImport_AddModule("__main__"));

	(void)state;
	assert_int_equal(hooks_install(true, &why), 0);
	Py_DECREF(hooked_run("def f(): pass\nf()\n", inside_nothing));
	assert_null(self);
	Py_XDECREF(PyRun_String("x = 1\n", Py_file_input, names, names));
	assert_non_null(self);
	hooked_look();
	assert_true(hooked_count_of(EVENT_ENTER) == 1);
}

static void a_debugger(void **state)
{
	(void)state;
	assert_int_equal(hooks_install(false, &why), 0);
	assert_false(root.traced || root.policy.lines);
	hooks_are_traced();
	assert_true(root.traced && root.policy.lines);
	assert_ptr_equal(row_of("PY_START")->hook.call, on_start_traced);
	/* of one that comes when the recorder has stopped nothing is known */
	root.traced = false;
	recorder_stop(PL_GAP_UNKNOWN);
	hooks_are_traced();
	assert_false(root.traced);
}

/* The error that is set stays set. */
static void restarts(void **state)
{
	(void)state;
	assert_int_equal(hooks_install(false, &why), 0);
	PyErr_SetString(PyExc_KeyError, "x");
	hooks_hear_again();
	hooks_tell_lines();
	assert_true(PyErr_ExceptionMatches(PyExc_KeyError));
	PyErr_Clear();
}

INSIDE_TESTS(install)
{
	const struct CMUnitTest tests[] = {
		HOOKED_TEST(put_in_and_removed),
		HOOKED_TEST(the_highest_that_is_free),
		HOOKED_TEST(all_ids_in_use),
		HOOKED_TEST(events_that_are_not_wanted),
		HOOKED_TEST(hot_code),
		HOOKED_TEST(another_recording),
		HOOKED_TEST(waits_for_main),
		HOOKED_TEST(a_debugger),
		HOOKED_TEST(restarts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
