/* The callbacks of sys.monitoring: what each event writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_paths.h"

/* Loops that stay on a line have no LINE for each pass. */
static void passes(void **state)
{
	(void)state;
	expect_path("def f():\n    for x in (1, 2, 3): pass\nf()\n", "f( 2 again again again )");
}

static void passes_that_are_not_wanted(void **state)
{
	(void)state;
	root.arena.head->passes = PASSES_NONE;
	expect_path("def f():\n    for x in (1, 2, 3): pass\nf()\n", "f( 2 )");
}

/* A return that follows from the path has no event; the next event shows that the frame is gone. */
static void silent_ends(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_true(hooked_in(&why));
	PyObject *names = hooked_run("def f(x):\n    return x\ndef g():\n    f(1)\n    f(2)\n"
				     "    return 3\ng()\ng()\n",
		inside_nothing);
	assert_true(hooked_has("g( f( ) f( ) ) g( f( ) f( "));
	assert_int_equal(hooked_count_of(EVENT_LEAVE), 0);
	assert_true(hooked_function(names, "f")->hushed);
	Py_DECREF(names);
}

static void after_the_recorder_has_stopped(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_true(hooked_in(&why));
	Py_DECREF(hooked_run("def f(): pass\nf()\n", inside_nothing));
	const unsigned before = hooked_count;
	assert_true(before > 0);
	hooks_off();
	Py_DECREF(hooked_run("def f(): pass\nf()\n", inside_nothing));
	assert_int_equal(hooked_count, before);
}

/* Cython reports a start with an exception that is set, and gets it back. */
static void an_exception_that_is_set(void **state)
{
	PyCodeObject *code = inside_code("x = 1\n", "/shop/cart.py");
	PyObject *args[] = {(PyObject *)code, PyLong_FromLong(0)};
	const char *why = NULL;

	(void)state;
	assert_true(hooked_in(&why));
	PyErr_SetString(PyExc_KeyError, "x");
	assert_null(on_start(NULL, args, 2, NULL));
	assert_true(PyErr_ExceptionMatches(PyExc_KeyError));
	assert_null(on_resume(NULL, args, 2, NULL));
	assert_true(PyErr_ExceptionMatches(PyExc_KeyError));
	PyErr_Clear();
	Py_DECREF(args[1]);
	hooked_out();
	Py_DECREF(code);
}

INSIDE_TESTS(hooks)
{
	const struct CMUnitTest tests[] = {
		PATH_TESTS,
		HOOKED_TEST(passes),
		HOOKED_TEST(passes_that_are_not_wanted),
		HOOKED_TEST(silent_ends),
		HOOKED_TEST(after_the_recorder_has_stopped),
		HOOKED_TEST(an_exception_that_is_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
