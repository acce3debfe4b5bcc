/* Which code has values, and what is known of it beforehand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "recorder/values/values.h"
#include "recorder/values/values_of.h"
#include "recorder/values/variables.h"
#include "tests/lib/inside_recording.h"

#define RULES "+shop\n"

static int begin(void **state)
{
	if (recording_begin(state) != 0)
		return -1;
	root.arena.head->values = VALUES_CALLS;
	memcpy(root.arena.head->values_of, RULES, sizeof RULES);
	root.arena.head->values_of_bytes = sizeof RULES - 1;
	values_start();
	return 0;
}

static int end(void **state)
{
	root.keeps_values = root.keeps_lines = false;
	root.values_of = (struct filter){.rule_count = 0};
	return recording_end(state);
}

/* Of the code that calls; owned. */
static struct code_values *found;

static PyObject *look(PyObject *module, PyObject *unused)
{
	PyCodeObject *code = PyFrame_GetCode(PyEval_GetFrame());

	(void)module, (void)unused;
	found = code_values_of(code);
	Py_DECREF(code);
	Py_RETURN_NONE;
}

static struct code_values *values_of_code(const char *text, const char *module)
{
	free(found);
	found = NULL;
	Py_DECREF(inside_run(text, "/any/where.py", module, look));
	return found;
}

#define PAY "def pay(a, *, password, **more):\n    call()\n    x = 1\npay(1, password=2)\n"

static void of_calls(void **state)
{
	(void)state;
	const struct code_values *v = values_of_code(PAY, "shop.cart");
	assert_non_null(v);
	assert_true(v->calls && !v->lines && !v->hides_result);
	assert_int_equal(v->arguments, 3);
	assert_int_equal(v->variables, 3);
	assert_int_equal(v->marks[0], 0);
	assert_int_equal(v->marks[1], VARIABLE_HIDDEN);
	assert_null(values_of_code("call()\n", "shop.cart")); /* a module has no call */
}

static void of_lines(void **state)
{
	(void)state;
	root.keeps_lines = true;
	const struct code_values *v = values_of_code(PAY, "shop.cart");
	assert_true(v && v->calls && v->lines);
	assert_int_equal(v->arguments, 3);
	assert_int_equal(v->variables, 4); /* and x */
	v = values_of_code("call()\n", "shop.cart");
	assert_true(v && !v->calls && v->lines);
	v = values_of_code("def f(n):\n    def g(): return n\n    call()\nf(1)\n", "shop.cart");
	assert_true(v && v->marks[0] & VARIABLE_SHARED);
}

static void of_other_code(void **state)
{
	(void)state;
	assert_null(values_of_code(PAY, "other"));
	root.keeps_values = false;
	assert_null(values_of_code(PAY, "shop.cart"));
}

static void a_secret_result(void **state)
{
	(void)state;
	const struct code_values *v =
		values_of_code("def password(): call()\npassword()\n", "shop");
	assert_true(v && v->hides_result);
}

static bool is_told(const char *name)
{
	PyObject *o = PyUnicode_FromString(name);
	const bool told = variable_is_told(o);

	Py_DECREF(o);
	return told;
}

static void variables_of_python(void **state)
{
	(void)state;
	assert_true(is_told("x") && is_told("_") && is_told("__all__") && is_told("caf\xc3\xa9"));
	assert_false(is_told(".0") || is_told("") || is_told("__name__") ||
		     is_told("__annotations__") || is_told("__classcell__"));
}

INSIDE_TESTS(values_values)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_calls, begin, end),
		cmocka_unit_test_setup_teardown(of_lines, begin, end),
		cmocka_unit_test_setup_teardown(of_other_code, begin, end),
		cmocka_unit_test_setup_teardown(a_secret_result, begin, end),
		cmocka_unit_test(variables_of_python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
