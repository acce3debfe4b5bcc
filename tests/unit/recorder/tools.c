/* Tool ids of sys.monitoring, as the program sees them: as if there were no recorder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_hooks.h"

static const char *why;

/* Run it without the recorder, and with it: `found` is the same. */
static void expect_same(const char *text)
{
	char all[2048];

	snprintf(all, sizeof all,
		"import sys\nm = sys.monitoring\nE = m.events\nfound = []\n"
		"def note(function, *args):\n"
		"    try: found.append(function(*args))\n"
		"    except Exception as e: found.append(repr(e))\n"
		"def f(x=0):\n    x = 1\n    return x\n%s"
		"for i in range(6):\n"
		"    if m.get_tool(i):\n        m.set_events(i, 0)\n        m.free_tool_id(i)\n",
		text);
	PyObject *before = inside_bind(all);
	const bool in = hooked_in(&why);
	PyObject *names = hooked_run(all, inside_nothing);
	hooked_out();
	assert_true(in);
	PyObject *one = PyObject_Repr(inside_name(before, "found")),
		 *other = PyObject_Repr(inside_name(names, "found"));
	assert_string_equal(PyUnicode_AsUTF8(other), PyUnicode_AsUTF8(one));
	assert_null(PyErr_Occurred());
	Py_DECREF(one);
	Py_DECREF(other);
	Py_DECREF(before);
	Py_DECREF(names);
}

static void all_ids_are_free(void **state)
{
	(void)state;
	expect_same("for i in range(6):\n    note(m.get_tool, i)\n    note(m.get_events, i)\n"
		    "note(m.get_local_events, 5, f.__code__)\n");
	expect_same("note(m._all_events)\n");
}

static void an_id_is_used(void **state)
{
	(void)state;
	expect_same("note(m.use_tool_id, 5, 'mine')\nnote(m.use_tool_id, 5, 'again')\n"
		    "note(m.get_tool, 5)\nnote(m.free_tool_id, 5)\nnote(m.get_tool, 5)\n"
		    "note(m.free_tool_id, 5)\n");
}

static void events_of_it(void **state)
{
	(void)state;
	expect_same(
		"m.use_tool_id(5, 'mine')\nm.use_tool_id(4, 'other')\n"
		"note(m.register_callback, 5, E.LINE, lambda c, line: found.append(line))\n"
		"note(m.register_callback, 4, E.PY_START, lambda *a: found.append('start'))\n"
		"note(m.set_local_events, 5, f.__code__, E.LINE)\n"
		"note(m.set_local_events, 4, f.__code__, E.PY_START)\n"
		"note(m.get_local_events, 5, f.__code__)\nf()\n"
		"note(m.set_events, 5, E.PY_UNWIND)\nnote(m.get_events, 5)\nnote(m._all_events)\n"
		"note(m.set_local_events, 5, f.__code__, 0)\nf()\n");
}

static void what_is_wrong(void **state)
{
	(void)state;
	expect_same("note(m.use_tool_id, 6, 'x')\nnote(m.use_tool_id, -1, 'x')\n"
		    "note(m.use_tool_id, 'one', 'x')\nnote(m.use_tool_id, 1, 2)\n"
		    "note(m.use_tool_id, 1)\nnote(m.get_tool, 2 ** 70)\n"
		    "note(m.set_events, 3, E.LINE)\nnote(m.set_events, 3, 'x')\n"
		    "note(m.set_local_events, 3, f.__code__, E.LINE)\n"
		    "note(m.register_callback, 3, 7, None)\nnote(m.get_local_events, 3, None)\n");
}

/* An id that an object computes is asked once. */
static void ids_that_are_computed(void **state)
{
	(void)state;
	expect_same("class Id:\n    asked = 0\n    def __index__(self):\n"
		    "        self.asked += 1\n        return 5\n"
		    "id = Id()\nnote(m.use_tool_id, id, 'x')\nnote(getattr, id, 'asked')\n"
		    "note(m.get_tool, 5)\n");
}

/* Only with the sixth tool there is none for us. */
static void all_six(void **state)
{
	(void)state;
	assert_true(hooked_in(&why));
	PyObject *names =
		hooked_run("import sys\nm = sys.monitoring\ndef f(x=0):\n    return x\nf()\n"
			   "for i in range(5): m.use_tool_id(i + 1, 'x')\ndef g(): f()\ng()\n"
			   "m.use_tool_id(0, 'x')\ndef h(): f()\nh()\n",
			inside_nothing);
	assert_true(tools_are_all_taken());
	assert_true(hooked_has("g( "));
	assert_null(strstr(hooked_path, "h( "));
	assert_int_equal(event_among(hooked_events, hooked_count, EVENT_GAP)->a, PL_GAP_TOOLS);
	Py_DECREF(names);
	names = hooked_run(
		"import sys\nm = sys.monitoring\nm.free_tool_id(2)\ndef k(): return 1\nk()\n"
		"for i in 0, 1, 3, 4, 5: m.free_tool_id(i)\n",
		inside_nothing);
	assert_false(tools_are_all_taken());
	assert_true(hooked_has("k( 4"));
	Py_DECREF(names);
}

/* Its calls are translated for ever if its id is another one of the interpreter's. */
static void ids_that_have_moved(void **state)
{
	(void)state;
	assert_true(hooked_in(&why));
	assert_false(tools_stay_moved());
	Py_DECREF(inside_bind("import sys\nsys.monitoring.use_tool_id(3, 'x')\n"));
	assert_false(tools_stay_moved());
	Py_DECREF(inside_bind("import sys\nsys.monitoring.use_tool_id(5, 'x')\n"));
	assert_true(tools_stay_moved());
	Py_DECREF(inside_bind("import sys\nsys.monitoring.free_tool_id(3)\n"
			      "sys.monitoring.free_tool_id(5)\n"));
	tools_end();
	assert_false(tools_stay_moved());
}

static void a_debugger(void **state)
{
	(void)state;
	assert_true(hooked_in(&why));
	Py_DECREF(inside_bind("import sys\nsys.monitoring.use_tool_id(1, 'x')\n"
			      "sys.monitoring.free_tool_id(1)\n"));
	assert_false(root.traced);
	Py_DECREF(inside_bind("import sys\nsys.monitoring.use_tool_id(0, 'x')\n"
			      "sys.monitoring.free_tool_id(0)\n"));
	assert_true(root.traced);
}

INSIDE_TESTS(tools)
{
	const struct CMUnitTest tests[] = {
		HOOKED_TEST(all_ids_are_free),
		HOOKED_TEST(an_id_is_used),
		HOOKED_TEST(events_of_it),
		HOOKED_TEST(what_is_wrong),
		HOOKED_TEST(ids_that_are_computed),
		HOOKED_TEST(all_six),
		HOOKED_TEST(ids_that_have_moved),
		HOOKED_TEST(a_debugger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
