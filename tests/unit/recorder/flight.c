/* A flight recorder: which exceptions are told to the collector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/flight.h"
#include "tests/lib/inside_hooks.h"

static int flight_test_begin(void **state)
{
	static struct process_slot slot;

	if (hooked_begin(state) != 0)
		return -1;
	root.slot = &slot;
	root.arena.head->flight = 1;
	flight_start();
	return 0;
}

static int flight_test_end(void **state)
{
	root.flight = root.looks_at_unwinds = false;
	root.slot = NULL;
	return hooked_end(state);
}

static uint32_t wanted(void)
{
	return atomic_load(&root.arena.head->flight_wanted);
}

/* How often it was told, while the text ran. */
static uint32_t run(const char *text)
{
	const uint32_t before = wanted();
	PyObject *names = PyDict_New(), *done;
	PyCodeObject *code = inside_code(text, "/shop/cart.py");

	PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
	done = PyEval_EvalCode((PyObject *)code, names, names);
	PyErr_Clear();
	Py_XDECREF(done);
	Py_DECREF(code);
	Py_DECREF(names);
	return wanted() - before;
}

static void what_is_handled(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_true(root.flight && root.looks_at_unwinds);
	assert_true(hooked_in(&why));
	assert_int_equal(run("x = 1\n"), 0);
	assert_int_equal(run("def f(): raise KeyError\ntry: f()\nexcept KeyError: pass\n"), 0);
}

/* Where threading and multiprocessing handle it, to print it. */
#define THREAD(what)                                                                               \
	"class Thread:\n    def run(self): raise " what "\n    def _bootstrap_inner(self):\n"      \
	"        try: self.run()\n        except BaseException: pass\n"                            \
	"Thread()._bootstrap_inner()\n"

static void what_ends_a_thread(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_true(hooked_in(&why));
	assert_int_equal(run(THREAD("KeyError")), 1);
	assert_int_equal(run(THREAD("SystemExit")), 0);
}

static void orderly_ends(void **state)
{
	PyObject *exit = PyObject_CallNoArgs(PyExc_SystemExit);
	PyObject *key = PyObject_CallNoArgs(PyExc_KeyError);

	(void)state;
	assert_true(flight_is_orderly(exit));
	assert_false(flight_is_orderly(key));
	assert_false(flight_is_orderly(NULL));
	Py_DECREF(exit);
	Py_DECREF(key);
}

static void it_is_wished(void **state)
{
	(void)state;
	assert_true(flight_want());
	assert_int_equal(wanted(), 1);
	root.flight = false;
	assert_false(flight_want());
	assert_int_equal(wanted(), 1);
}

INSIDE_TESTS(flight)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_is_handled, flight_test_begin, flight_test_end),
		cmocka_unit_test_setup_teardown(
			what_ends_a_thread, flight_test_begin, flight_test_end),
		cmocka_unit_test_setup_teardown(orderly_ends, flight_test_begin, flight_test_end),
		cmocka_unit_test_setup_teardown(it_is_wished, flight_test_begin, flight_test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
