/* Paths that are the same with each engine: PATH_TESTS. */
#ifndef TEST_INSIDE_PATHS_H
#define TEST_INSIDE_PATHS_H

#include "tests/lib/inside_hooks.h"

static void calls(void **state)
{
	(void)state;
	expect_path("def f(x):\n    y = x\n    return y\ndef g():\n    return f(1) + f(2)\ng()\n",
		"g( 5 f( 2 3 ) f( 2 3 ) )");
	assert_int_equal(hooked_count_of(EVENT_GAP), 0);
	assert_null(PyErr_Occurred());
}

static void generators(void **state)
{
	(void)state;
	expect_path("def g():\n    x = yield 1\n    yield x\ndef f():\n    for x in g():\n"
		    "        x\nf()\n",
		"f( 5 g( 2 yield 6 5 g+( 3 yield 6 5 g+( ) )");
}

static void what_is_thrown_into(void **state)
{
	(void)state;
	expect_path("def g():\n    try:\n        yield 1\n    except ValueError:\n        yield 2\n"
		    "def f():\n    made = g()\n    next(made)\n    made.throw(ValueError)\nf()\n",
		"9 g!( raise handled 4 5 yield )");
}

static void exceptions(void **state)
{
	(void)state;
	expect_path("def f():\n    raise KeyError\ndef g():\n    try:\n        f()\n"
		    "    finally:\n        x = 1\ndef h():\n    try: g()\n    except KeyError: "
		    "pass\nh()\n",
		"g( 4 5 f( 2 raise unwind raise handled 7 reraise ");
	assert_true(hooked_has("reraise unwind raise handled 10 )"));
}

/* It is not known who holds the GIL, so no event takes the fast path. */
static int slow_begin(void **state)
{
	static PyThreadState *const nobody;

	if (hooked_begin(state) != 0)
		return -1;
	root.gil_holder = &nobody;
	return 0;
}

#define SLOW_TEST(test) cmocka_unit_test_setup_teardown(test, slow_begin, hooked_end)
#define PATH_TESTS                                                                                 \
	HOOKED_TEST(calls), HOOKED_TEST(generators), HOOKED_TEST(what_is_thrown_into),             \
		HOOKED_TEST(exceptions), SLOW_TEST(calls), SLOW_TEST(generators),                  \
		SLOW_TEST(what_is_thrown_into), SLOW_TEST(exceptions)

#endif
