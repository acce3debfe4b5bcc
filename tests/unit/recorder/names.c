/* Names of the program: texts, types, and attributes that are read without running its code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "recorder/names.h"
#include "tests/lib/inside.h"

static PyObject *nothing(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	Py_RETURN_NONE;
}

static void texts(void **state)
{
	PyObject *keep, *plain = PyUnicode_FromString("anvil"),
			*bytes = PyUnicode_DecodeUTF8("a\xff", 2, "surrogateescape");
	size_t length;

	(void)state;
	assert_string_equal(text_of(plain, &length, &keep), "anvil");
	assert_int_equal(length, 5);
	assert_null(keep);
	/* of a name that is no UTF-8, the bytes that it had */
	assert_memory_equal(text_of(bytes, &length, &keep), "a\xff", 2);
	assert_int_equal(length, 2);
	assert_non_null(keep);
	assert_null(PyErr_Occurred());
	Py_DECREF(keep);
	Py_DECREF(plain);
	Py_DECREF(bytes);
}

static void expect_type(PyObject *names, const char *variable, const char *expected)
{
	PyObject *type = names ? PyDict_GetItemString(names, variable) : PyExc_KeyError;
	char name[64];

	assert_int_equal(type_name((PyTypeObject *)type, name, sizeof name), strlen(expected));
	assert_string_equal(name, expected);
}

static void types(void **state)
{
	char few[4];
	PyObject *names = inside_run("class Outer:\n    class SoldOut(Exception): pass\n"
				     "inner = Outer.SoldOut\n"
				     "class Plain(Exception): __module__ = 'builtins'\n",
		"/shop/cart.py", "shop.cart", nothing);

	(void)state;
	expect_type(NULL, "", "KeyError");
	expect_type(names, "inner", "shop.cart.Outer.SoldOut");
	expect_type(names, "Plain", "Plain");
	/* the length that it would have, as snprintf says it */
	assert_int_equal(type_name((PyTypeObject *)PyExc_KeyError, few, sizeof few), 8);
	assert_string_equal(few, "Key");
	Py_DECREF(names);
}

static void attributes(void **state)
{
	PyObject *names = inside_run("class C:\n    __slots__ = ('a', 'unset')\n"
				     "class D:\n    @property\n    def p(self): 1 / 0\n"
				     "    def __getattr__(self, name): 1 / 0\n"
				     "c = C(); c.a = 3\nd = D(); d.b = 4\n",
		"/shop/cart.py", "shop.cart", nothing);
	PyObject *c = PyDict_GetItemString(names, "c"), *d = PyDict_GetItemString(names, "d"),
		 *found;

	(void)state;
	found = plain_attribute(c, "a");
	assert_non_null(found);
	assert_int_equal(PyLong_AsLong(found), 3);
	Py_DECREF(found);
	found = plain_attribute(d, "b");
	assert_non_null(found);
	assert_int_equal(PyLong_AsLong(found), 4);
	Py_DECREF(found);
	/* no code of the program runs */
	assert_null(plain_attribute(c, "unset"));
	assert_null(plain_attribute(d, "p"));
	assert_null(plain_attribute(d, "nothing"));
	assert_null(PyErr_Occurred());
	Py_DECREF(names);
}

static void modules(void **state)
{
	(void)state;
	assert_ptr_equal(module_attribute("sys", "modules"), PyImport_GetModuleDict());
	assert_null(module_attribute("sys", "no_such_name"));
	assert_null(module_attribute("no_such_module", "modules"));
	assert_null(PyErr_Occurred());
}

INSIDE_TESTS(names)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(types),
		cmocka_unit_test(attributes),
		cmocka_unit_test(modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
