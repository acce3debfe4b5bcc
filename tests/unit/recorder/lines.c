/* LINE: which lines have an event, and which follow from the path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_hooks.h"

#define TEXT                                                                                       \
	"def f(a):\n"                                                                              \
	"    x = 1\n"                                                                              \
	"    if a:\n"                                                                              \
	"        x = 2\n"                                                                          \
	"    y = 3\n"                                                                              \
	"    return y\n"                                                                           \
	"f(1)\n"                                                                                   \
	"call()\n"                                                                                 \
	"f(0)\n"

static PyObject *run(const char *text, PyCFunction call)
{
	const char *why = NULL;

	assert_true(hooked_in(&why));
	return hooked_run(text, call);
}

static unsigned lines_of(const struct code_record *r)
{
	unsigned lines = 0;
	uint32_t code = 0;

	for (unsigned i = 0; i < hooked_count; i++) {
		if (hooked_events[i].kind == EVENT_ENTER)
			code = hooked_events[i].code;
		lines += hooked_events[i].kind == EVENT_LINE && code == r->number;
	}
	return lines;
}

/* Which of the two ways ran is known by one line at most. */
static void witnesses_alone(void **state)
{
	PyObject *names = run(TEXT, inside_nothing);
	const struct code_record *r = hooked_function(names, "f");
	const unsigned lines = lines_of(r);

	(void)state;
	assert_true(lines >= 1 && lines <= 4);
	assert_null(strstr(hooked_path, "f( 2 3"));
	assert_null(strstr(hooked_path, " 5 6"));
	for (unsigned i = 0; i < hooked_count; i++)
		assert_int_not_equal(hooked_events[i].kind, EVENT_LINE_AT);
	Py_DECREF(names);
}

static PyObject *tell_lines(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	hooks_tell_lines();
	Py_RETURN_NONE;
}

static void all_of_them(void **state)
{
	PyObject *names = run(TEXT, tell_lines);

	(void)state;
	assert_true(hooked_has("f( 2 3 5 6 )"));
	Py_DECREF(names);
}

static PyObject *begin_section(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	section_begin();
	Py_RETURN_NONE;
}

static void in_a_section(void **state)
{
	PyObject *names = run(TEXT, begin_section);

	(void)state;
	assert_true(hooked_has("f( 2 3 5 6"));
	assert_true(hooked_function(names, "f")->facts.section);
	Py_DECREF(names);
}

/* Nothing of straight code needs an event, but what calls it and what it calls. */
static void straight_code(void **state)
{
	PyObject *names = run("def f():\n    x = 1\n    y = 2\n    return y\ndef g():\n    f()\n   "
			      " f()\n    f()\ng()\n",
		inside_nothing);

	(void)state;
	assert_true(hooked_has("g( f( ) f( ) f("));
	Py_DECREF(names);
}

/* Its lines are known as soon as somebody wants them. */
static void straight_code_that_is_wanted(void **state)
{
	PyObject *names = run("x = 1\ndef f():\n    y = 2\n    return y\nf()\ncall()\nf()\n"
			      "x = 3\n",
		tell_lines);

	(void)state;
	assert_true(hooked_has("f( 3 4 )"));
	Py_DECREF(names);
}

static const char rules[] = "-shop/cart.py\n";

static void code_that_is_left_out(void **state)
{
	(void)state;
	filter_read(&root.filter, view_of(rules, sizeof rules - 1));
	root.filters = true;
	Py_DECREF(run(TEXT, inside_nothing));
	root.filter = (struct filter){.rule_count = 0};
	assert_null(self);
}

/* A trace function, which is called before us, moves the frame: the line was reported, but the
 * frame is elsewhere. */
static void a_line_that_is_left(void **state)
{
	(void)state;
	expect_path("import sys\n"
		    "def trace(frame, event, arg):\n"
		    "    if (frame.f_code.co_name, event, frame.f_lineno) == ('f', 'line', 8):\n"
		    "        frame.f_lineno = 9\n"
		    "    return trace\n"
		    "def f(x=0):\n    x = 1\n    x = 2\n    return x\n"
		    "sys.settrace(trace)\nf()\nsys.settrace(None)\n",
		"f( 7 8 )");
	assert_int_equal(hooked_count_of(EVENT_LINE_AT), 1);
}

INSIDE_TESTS(lines)
{
	const struct CMUnitTest tests[] = {
		HOOKED_TEST(witnesses_alone),
		HOOKED_TEST(all_of_them),
		HOOKED_TEST(in_a_section),
		HOOKED_TEST(straight_code),
		HOOKED_TEST(straight_code_that_is_wanted),
		HOOKED_TEST(code_that_is_left_out),
		HOOKED_TEST(a_line_that_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
