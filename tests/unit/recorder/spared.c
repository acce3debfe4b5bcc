/* LINEs that are disabled before they come: of code whose lines take long to look up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_hooks.h"

/* A function of so many lines with a branch at the end. */
static const char *text_of_lines(int lines)
{
	static char text[16384];
	int used = snprintf(text, sizeof text, "def f(a):\n");

	for (int i = 0; i < lines; i++)
		used += snprintf(text + used, sizeof text - (size_t)used, "    x = a\n");
	snprintf(text + used, sizeof text - (size_t)used,
		"    if a:\n        x = 2\n    return call()\nf(1)\n");
	return text;
}

#if LINES_ARE_LOOKED_UP
static unsigned starts, witnesses, enabled;
static uint32_t heard;
static bool is_far;

/* How many LINEs of the caller are enabled. */
static PyObject *look(PyObject *module, PyObject *unused)
{
	PyCodeObject *code = PyFrame_GetCode(PyEval_GetFrame());
	const struct code_record *r = code_known(code);

	(void)module, (void)unused;
	starts = witnesses = enabled = 0;
	for (uint32_t i = 0; r && i < r->unit_count; i++) {
		starts += r->units[i].start != 0;
		witnesses += r->units[i].start && r->units[i].witness;
		enabled += _PyCode_CODE(code)[i].op.code == INSTRUMENTED_LINE;
	}
	is_far = r && r->far;
	heard = r ? r->lines_heard : 0;
	Py_DECREF(code);
	Py_RETURN_NONE;
}

static void run(int lines)
{
	const char *why = NULL;

	root.arena.head->hot_lines = 1000;
	assert_true(hooked_in(&why));
	Py_DECREF(hooked_run(text_of_lines(lines), look));
}

/* They are known from the code's first event on. */
static void lines_that_follow(void **state)
{
	PyObject *names;
	const char *why = NULL;

	(void)state;
	assert_true(hooked_in(&why));
	/* it is described, and has run no line */
	names = hooked_run("def g(a):\n    if a:\n        x = 1\n        x = 2\n    call()\n"
			   "    x = 3\n    x = 4\n    return x\ng(0)\n",
		look);
	assert_int_equal(starts, 7);
	assert_true(witnesses > 0 && enabled <= witnesses);
	assert_false(is_far);
	Py_DECREF(names);
}

static void with_others_that_want_them(void **state)
{
	(void)state;
	Py_DECREF(inside_bind("import sys\nm = sys.monitoring\nm.use_tool_id(2, 'x')\n"
			      "m.register_callback(2, m.events.LINE, lambda *args: None)\n"
			      "m.set_events(2, m.events.LINE)\n"));
	run(10);
	assert_true(enabled > witnesses);
	Py_DECREF(inside_bind("import sys\nm = sys.monitoring\nm.set_events(2, 0)\n"
			      "m.free_tool_id(2)\n"));
}

/* A witness that is far from the first line makes the code hot sooner. */
static void far_code(void **state)
{
	(void)state;
	run(200);
	assert_true(is_far);
	assert_true(heard >= 1000 - FAR_HOT_LINES);
}

static void code_that_is_near(void **state)
{
	(void)state;
	run(100);
	assert_false(is_far);
	assert_true(heard < 100);
}
#else
static void nothing_is_changed(void **state)
{
	const char *why = NULL;

	(void)state;
	root.arena.head->hot_lines = 1000;
	assert_true(hooked_in(&why));
	PyObject *names = hooked_run(text_of_lines(200), inside_nothing);
	assert_false(hooked_function(names, "f")->far);
	Py_DECREF(names);
}
#endif

INSIDE_TESTS(spared)
{
	const struct CMUnitTest tests[] = {
#if LINES_ARE_LOOKED_UP
		HOOKED_TEST(lines_that_follow),
		HOOKED_TEST(with_others_that_want_them),
		HOOKED_TEST(far_code),
		HOOKED_TEST(code_that_is_near),
#else
		HOOKED_TEST(nothing_is_changed),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
