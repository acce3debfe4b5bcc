/* Which id of the interpreter represents each of the program's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/tool_ids.h"
#include "tests/lib/inside_hooks.h"

static PyObject *module;

static int begin(void **state)
{
	const char *why = NULL;

	module = PySys_GetObject("monitoring");
	return hooked_begin(state) < 0 || !hooked_in(&why) ? -1 : 0;
}

static void run(const char *text)
{
	char all[1024];

	snprintf(all, sizeof all, "import sys\nm = sys.monitoring\n%s\n", text);
	Py_DECREF(inside_bind(all));
}

/* The program has none at first. */
static void at_the_beginning(void **state)
{
	(void)state;
	assert_ptr_equal(tool_ids.of, PyInterpreterState_Main());
	for (int i = 0; i < TOOLS; i++)
		assert_true(tool_ids.ids[i].own == NOT_YET && !tool_ids.ids[i].taken);
	assert_true(tool_ids.heard & 1L << PY_MONITORING_EVENT_LINE);
	assert_int_equal(tool_events(module, root.tool), tool_ids.heard);
	assert_true(tool_tables_are_known(tool_ids.of, module));
}

/* If two of the program's tools get one event, that with the higher id is called first. */
static void the_order_stays(void **state)
{
	(void)state;
	assert_int_equal(tool_id_for_sure(5, module), 4); /* 5 is ours */
	assert_int_equal(tool_id_for_sure(0, module), 0);
	assert_int_equal(tool_id_for_sure(2, module), 2);
	assert_int_equal(tool_id_for_sure(4, module), 3);
	assert_int_equal(tool_id_for_sure(4, module), 3);
	assert_int_equal(tool_id_for_sure(1, module), 1);
	/* There is none left but one that nobody has taken, which is lent. */
	tool_ids.ids[0].taken = tool_ids.ids[1].taken = tool_ids.ids[2].taken =
		tool_ids.ids[4].taken = true;
	assert_int_equal(tool_id_for_sure(3, module), 4);
	assert_int_equal(tool_ids.ids[5].own, NOT_YET);
	assert_false(tool_ids.deaf);
}

static void ids_that_are_taken(void **state)
{
	(void)state;
	run("m.use_tool_id(2, 'x')");
	assert_true(tool_ids.ids[2].taken);
	tool_ids.ids[2] = (struct program_id){.own = NOT_YET};
	tool_look_at_ids(tool_ids.of);
	for (int i = 0; i < TOOLS; i++)
		assert_true(tool_ids.ids[i].taken == (i == 2) &&
			    tool_ids.ids[i].own == (i == 2 ? 2 : NOT_YET));
	run("m.free_tool_id(2)");
	assert_false(tool_ids.ids[2].taken);
}

/* In one code, with our own id; and what is no set of events is an error. */
static void local_events(void **state)
{
	PyCodeObject *code = inside_code("x = 1\n", "/shop/cart.py");
	const int line = 1 << PY_MONITORING_EVENT_LINE, jump = 1 << PY_MONITORING_EVENT_JUMP;

	(void)state;
	assert_true(tools_set_local_events(code, line));
	assert_false(tools_set_local_events(code, 1 << 30));
	assert_non_null(PyErr_Occurred());
	PyErr_Clear();
	assert_int_equal(
		tool_set_number(SET_LOCAL_EVENTS, module, root.tool, (PyObject *)code, 0), 0);
	assert_int_equal(tool_set_number(SET_EVENTS, module, root.tool, NULL, jump), 0);
	assert_int_equal(tool_events(module, root.tool), jump);
	assert_int_equal(tool_set_number(SET_EVENTS, module, 3, NULL, jump), -1); /* nobody's */
	assert_true(PyErr_ExceptionMatches(PyExc_ValueError));
	PyErr_Clear();
	tool_ids.deaf = true;
	assert_false(tools_set_local_events(code, line));
	tool_ids.deaf = false;
	Py_DECREF(code);
}

/* Code keeps which tools it was instrumented for. */
static void code_that_is_cleaned(void **state)
{
	PyObject *names = hooked_run("def f(): return 1\nf()\n", inside_nothing);
	PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(inside_name(names, "f"));

	(void)state;
	assert_true(code_is_instrumented_for(code, root.tool));
	assert_int_equal(tool_set_number(SET_EVENTS, module, root.tool, NULL, 0), 0);
	assert_true(code_is_instrumented_for(code, root.tool));
	tool_clean_codes(module, root.tool);
	assert_false(code_is_instrumented_for(code, root.tool));
	Py_DECREF(names);
}

/* As RAISE gets it: the traceback begins with the frame that raised. */
#define RAISES                                                                                     \
	"class Shown(Exception): pass\n"                                                           \
	"def f():\n    for x in range(2):\n        x\n    raise Shown\n"                           \
	"def on_jump(*args): raise Shown\n"                                                        \
	"def caught():\n    try: f()\n"                                                            \
	"    except Shown as e: return e.with_traceback(e.__traceback__.tb_next)\n"                \
	"own = caught()\n"                                                                         \
	"m.use_tool_id(2, 'x')\nm.register_callback(2, m.events.JUMP, on_jump)\n"                  \
	"m.set_local_events(2, f.__code__, m.events.JUMP)\n"                                       \
	"raised = caught()\n"

static void a_callback_that_raises(void **state)
{
	(void)state;
	PyObject *names = inside_bind("import sys\nm = sys.monitoring\n" RAISES);

	assert_true(tools_raised_at_jump(inside_name(names, "raised")));
	assert_false(tools_raised_at_jump(inside_name(names, "own")));
	assert_false(tools_raised_at_jump(Py_None));
	Py_DECREF(names);
	run("m.register_callback(2, m.events.JUMP, None)\nm.free_tool_id(2)");
}

INSIDE_TESTS(tool_ids)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, hooked_end)
	const struct CMUnitTest tests[] = {
		TEST(at_the_beginning),
		TEST(the_order_stays),
		TEST(ids_that_are_taken),
		TEST(local_events),
		TEST(code_that_is_cleaned),
		TEST(a_callback_that_raises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
