/* The trace function of 3.11: what its calls write, and what the program's own gets of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/tracing.h"
#include "tests/lib/inside_paths.h"

static void passes(void **state)
{
	(void)state;
	expect_path("def f():\n    for x in (1, 2):\n        x\n    return x\nf()\n",
		"f( 2 3 2 3 2 4 )");
}

#define OWN_FUNCTION                                                                               \
	"import sys\nseen = []\n"                                                                  \
	"def trace(frame, event, arg):\n"                                                          \
	"    if frame.f_code.co_name == 'f':\n"                                                    \
	"        seen.append((event, frame.f_lineno))\n"                                           \
	"    return trace\n"                                                                       \
	"def f():\n    x = 1\n    return x\n"

/* It sees what it would see without us, and the path is the same. */
static void a_function_of_the_program(void **state)
{
	(void)state;
	expect_path(OWN_FUNCTION
		"sys.settrace(trace)\nf()\nsys.settrace(None)\n"
		"assert seen == [('call', 7), ('line', 8), ('line', 9), ('return', 9)], seen\n",
		"f( 8 9 )");
	assert_ptr_equal(programs, NULL);
}

static void its_exception(void **state)
{
	(void)state;
	expect_path("import sys\n"
		    "def trace(frame, event, arg):\n    raise KeyError\n"
		    "def f():\n    x = 1\n"
		    "try:\n    sys.settrace(trace)\n    f()\n"
		    "except KeyError: pass\n"
		    "assert sys.gettrace() is None\nf()\n",
		"f( 5 )");
}

/* It has other lines: those of a frame whose lines it does not want are still recorded. */
static void lines_that_it_does_not_want(void **state)
{
	(void)state;
	expect_path("import sys\ndef trace(frame, event, arg):\n    frame.f_trace_lines = False\n"
		    "    assert event != 'line'\n    return trace\n"
		    "def f():\n    x = 1\n    return x\n"
		    "sys.settrace(trace)\nf()\nsys.settrace(None)\n",
		"f( 7 8 )");
}

static const char rules[] = "-shop/cart.py\n";

static void code_that_is_left_out(void **state)
{
	const char *why = NULL;

	(void)state;
	filter_read(&root.filter, view_of(rules, sizeof rules - 1));
	root.filters = true;
	assert_true(hooked_in(&why));
	assert_true(slow_only);
	Py_DECREF(hooked_run("def f(): pass\nf()\n", inside_nothing));
	root.filter = (struct filter){.rule_count = 0};
	assert_null(strstr(hooked_path, "f("));
}

/* Each call and return has a time of its own; there is no fast path. */
static void stamps(void **state)
{
	(void)state;
	root.arena.head->stamps = STAMPS_CALL;
	expect_path(
		"def f(): return 1\ndef g():\n    return f() + f()\ng()\n", "g( 3 f( 1 ) f( 1 ) )");
	assert_true(slow_only);
	assert_true(hooked_count_of(EVENT_TIME) >= 6);
}

static void after_the_recorder_has_stopped(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_true(hooked_in(&why));
	assert_true(listening && !awaiting);
	Py_DECREF(hooked_run("def f(): pass\nf()\n", inside_nothing));
	const unsigned before = hooked_count;
	assert_true(before > 0);
	hooks_off();
	assert_false(listening);
	Py_DECREF(hooked_run("def f(): pass\nf()\n", inside_nothing));
	assert_int_equal(hooked_count, before);
}

INSIDE_TESTS(tracing)
{
	const struct CMUnitTest tests[] = {
		PATH_TESTS,
		HOOKED_TEST(passes),
		HOOKED_TEST(a_function_of_the_program),
		HOOKED_TEST(its_exception),
		HOOKED_TEST(lines_that_it_does_not_want),
		HOOKED_TEST(code_that_is_left_out),
		HOOKED_TEST(stamps),
		HOOKED_TEST(after_the_recorder_has_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
