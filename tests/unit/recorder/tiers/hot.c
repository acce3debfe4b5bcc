/* Hot code: INSTRUCTION takes the place of LINE, and of JUMP, and the path stays what it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/tiers/hot.h"
#include "recorder/tiers/tiers.h"
#include "tests/lib/inside_hooks.h"

#define HOT_LINES 8

/* Its witnesses are not chosen anew, as those of functions are. */
#define GENERATOR                                                                                  \
	"def g(n):\n"                                                                              \
	"    i = 0\n"                                                                              \
	"    while i < n:\n"                                                                       \
	"        i += 1\n"                                                                         \
	"        if i & 1:\n"                                                                      \
	"            x = i\n"                                                                      \
	"        else:\n"                                                                          \
	"            x = -i\n"                                                                     \
	"    yield i\n"
#define MANY "for n in range(8): list(g(n))\n"

static char cold_path[sizeof hooked_path];

/* With the same witnesses, but never hot: the path that is expected. */
static void run_cold(const char *text)
{
	const char *why = NULL;

	root.arena.head->hot_lines = 1000000;
	assert_true(hooked_in(&why));
	PyObject *names = hooked_run(text, inside_nothing);
	hooked_out();
	memcpy(cold_path, hooked_path, sizeof cold_path);
	Py_DECREF(names);
}

static PyObject *run_hot(const char *text, PyCFunction call)
{
	const char *why = NULL;

	root.arena.head->hot_lines = HOT_LINES;
	assert_true(hooked_in(&why));
	return hooked_run(text, call);
}

static unsigned moved_in(const struct code_record *r)
{
	unsigned moved = 0;

	for (uint32_t i = 0; i < r->unit_count; i++)
		moved += r->units[i].heard == HEARD_MOVED;
	return moved;
}

/* A recording of its own for each of the two. */
static void expect_same_path(void **state, const char *text, PyCFunction call, bool is_hot)
{
	run_cold(text);
	recording_end(state);
	assert_int_equal(hooked_begin(state), 0);
	PyObject *names = run_hot(text, call);
	assert_true(strstr(cold_path, "g( 6 8 6 8 "));
	assert_string_equal(hooked_path, cold_path);
	assert_int_equal(hooked_count_of(EVENT_GAP), 0);
	const unsigned moved = moved_in(hooked_function(names, "g"));
	assert_int_equal(moved != 0, is_hot);
	Py_DECREF(names);
}

static void the_path_stays(void **state)
{
	expect_same_path(state, GENERATOR MANY, inside_nothing, true);
	assert_true(root.moves_seen);
	assert_null(PyErr_Occurred());
}

static PyObject *stop_tiers(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	tier_stop();
	Py_RETURN_NONE;
}

/* Another tool asks for branches: from then on LINE reports all again. */
static void until_it_is_stopped(void **state)
{
	expect_same_path(state, GENERATOR MANY "call()\n" MANY, stop_tiers, false);
	assert_int_equal(root.hot_lines, 0);
}

/* While another tool has its lines no code becomes hot. */
static void another_tool_with_lines(void **state)
{
	static const char text[] = "import sys\nm = sys.monitoring\nm.use_tool_id(2, 'x')\n"
				   "m.register_callback(2, m.events.LINE, print)\n"
				   "def note(*args): pass\n"
				   "m.register_callback(2, m.events.LINE, note)\n" GENERATOR
				   "m.set_local_events(2, g.__code__, m.events.LINE)\n" MANY
				   "m.set_local_events(2, g.__code__, 0)\nm.free_tool_id(2)\n";
	PyObject *names = run_hot(text, inside_nothing);

	(void)state;
	assert_int_equal(moved_in(hooked_function(names, "g")), 0);
	Py_DECREF(names);
}

/* All of it can be forgotten at once, and heard anew. */
static void forgotten(void **state)
{
	PyObject *names = run_hot(GENERATOR MANY, inside_nothing);
	PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(inside_name(names, "g"));
	struct code_record *r = hooked_function(names, "g");

	(void)state;
	assert_true(moved_in(r) > 0);
	assert_true(hot_listen_anew(code));
	assert_true(moved_in(r) > 0);
	assert_true(tier_forget(r));
	assert_int_equal(moved_in(r), 0);
	assert_false(tier_forget(r));
	Py_DECREF(names);
}

/* Without an id nothing is changed; the error that is set stays set. */
static void without_a_tool_id(void **state)
{
	PyObject *names = run_hot(GENERATOR MANY, inside_nothing);
	PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(inside_name(names, "g"));

	(void)state;
	assert_true(moved_in(hooked_function(names, "g")) > 0);
	const int tool = root.tool;
	root.tool = 3; /* nobody's */
	PyErr_SetString(PyExc_KeyError, "x");
	assert_false(hot_listen_anew(code));
	assert_true(PyErr_ExceptionMatches(PyExc_KeyError));
	PyErr_Clear();
	root.tool = tool;
	assert_true(moved_in(hooked_function(names, "g")) > 0);
	Py_DECREF(names);
}

#define LOOP "def g():\n    for x in (1,) * 40: pass\ng()\ng()\n"

/* Passes of a loop on one line move, too. */
static void passes(void **state)
{
	PyObject *names = run_hot(LOOP, inside_nothing);
	const struct code_record *r = hooked_function(names, "g");
	unsigned passes = 0;

	(void)state;
	for (uint32_t i = 0; i < r->unit_count; i++)
		passes += unit_is_pass(unit_bits(r->units[i])) && r->units[i].heard == HEARD_MOVED;
	assert_int_equal(passes, 1);
	assert_int_equal(hooked_count_of(EVENT_AGAIN), 80);
	Py_DECREF(names);
}

INSIDE_TESTS(tiers_hot)
{
	const struct CMUnitTest tests[] = {
		HOOKED_TEST(the_path_stays),
		HOOKED_TEST(until_it_is_stopped),
		HOOKED_TEST(another_tool_with_lines),
		HOOKED_TEST(forgotten),
		HOOKED_TEST(without_a_tool_id),
		HOOKED_TEST(passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
