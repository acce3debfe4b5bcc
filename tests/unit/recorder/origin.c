/* Which code the rules want, by its file and by the module that runs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "recorder/origin.h"
#include "tests/lib/inside.h"

static const char *rules_text;
static bool fits;
static uint64_t matched;

static void ask(PyCodeObject *code)
{
	_Atomic uint64_t bits = 0;
	struct filter rules = {.rule_count = 0};

	filter_read(&rules, view_of(rules_text, strlen(rules_text)));
	fits = origin_fits(code, &rules, &bits);
	matched = bits;
}

static PyObject *look(PyObject *module, PyObject *unused)
{
	PyCodeObject *code = PyFrame_GetCode(PyEval_GetFrame());

	(void)module, (void)unused;
	ask(code);
	Py_DECREF(code);
	Py_RETURN_NONE;
}

/* Of code in this file that runs as this module. */
static void expect(const char *rules, const char *file, const char *module, bool wanted)
{
	rules_text = rules;
	fits = !wanted;
	Py_DECREF(inside_run("call()\n", file, module, look));
	assert_int_equal(fits, wanted);
	assert_null(PyErr_Occurred());
}

static void modules(void **state)
{
	(void)state;
	expect("", "/shop/cart.py", "shop.cart", true);
	expect("+shop\n", "/any/where.py", "shop.cart", true);
	assert_int_equal(matched, 1);
	expect("+shop\n", "/shop/cart.py", "other", false);
	assert_int_equal(matched, 0);
	expect("+shop\n-shop.cart\n", "/any/where.py", "shop.cart", false);
	assert_int_equal(matched, 3);
}

static void files(void **state)
{
	(void)state;
	expect("-tests/unit\n", "/home/ann/shop/tests/unit/test_cart.py", "test_cart", false);
	expect("-tests/unit\n", "/home/ann/shop/cart.py", "cart", true);
}

/* Text without a file belongs to the file of the code that runs it. */
static void without_a_file(void **state)
{
	PyObject *names;

	(void)state;
	rules_text = "-tests/unit\n";
	fits = true;
	names = inside_run("exec(compile('call()', '<string>', 'exec'))\n",
		"/home/ann/tests/unit/test_cart.py", "test_cart", look);
	assert_false(fits);
	Py_DECREF(names);
}

/* What -m starts has two names. */
static void own_names(void **state)
{
	PyObject *names;

	(void)state;
	rules_text = "+shop\n";
	fits = false;
	names = inside_run("class Spec: pass\n__spec__ = Spec(); __spec__.name = 'shop.__main__'\n"
			   "call()\n",
		"/any/where.py", "__main__", look);
	assert_true(fits);
	Py_DECREF(names);
}

INSIDE_TESTS(origin)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules),
		cmocka_unit_test(files),
		cmocka_unit_test(without_a_file),
		cmocka_unit_test(own_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
