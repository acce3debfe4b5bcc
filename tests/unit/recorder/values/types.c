/* Which kind of value the instances of a type are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "recorder/values/types.h"
#include "tests/lib/inside.h"

#define CLASSES                                                                                    \
	"import collections, dataclasses\n"                                                        \
	"class Text(str): pass\n"                                                                  \
	"class Count(int): pass\n"                                                                 \
	"class Shelf(list): pass\n"                                                                \
	"class Meta(type): pass\n"                                                                 \
	"class Made(metaclass=Meta): pass\n"                                                       \
	"class SoldOut(Exception): pass\n"                                                         \
	"class Cart:\n"                                                                            \
	"    class Row: pass\n"                                                                    \
	"Point = collections.namedtuple('Point', 'x y')\n"                                         \
	"class Odd(tuple): _fields = ('x', 1)\n"                                                   \
	"@dataclasses.dataclass\n"                                                                 \
	"class Order:\n"                                                                           \
	"    number: int\n"                                                                        \
	"Row = Cart.Row\n"

static PyObject *names;

static int setup(void **state)
{
	(void)state;
	names = inside_bind(CLASSES);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	Py_CLEAR(names);
	return 0;
}

static const struct value_type *of_class(const char *name)
{
	return value_type_of((PyTypeObject *)inside_name(names, name));
}

static void expect(PyTypeObject *type, enum value_kind kind)
{
	const struct value_type *t = value_type_of(type);

	assert_ptr_equal(t->type, type);
	assert_int_equal(t->kind, kind);
	assert_true(t->exact);
	assert_ptr_equal(value_type_of(type), t);
}

static void own_types(void **state)
{
	(void)state;
	expect(Py_TYPE(Py_None), VALUE_NONE);
	expect(&PyBool_Type, VALUE_TRUE); /* and not an int */
	expect(&PyLong_Type, VALUE_INT);
	expect(&PyFloat_Type, VALUE_FLOAT);
	expect(&PyUnicode_Type, VALUE_STR);
	expect(&PyTuple_Type, VALUE_TUPLE);
	expect(&PyDict_Type, VALUE_DICT);
	expect(&PyFrozenSet_Type, VALUE_FROZENSET);
	expect(&PyType_Type, VALUE_CLASS);
	expect(&PyFunction_Type, VALUE_FUNCTION);
	expect(&PyCFunction_Type, VALUE_FUNCTION);
	assert_int_equal(value_type_of((PyTypeObject *)PyExc_KeyError)->kind, VALUE_EXCEPTION);
}

static void expect_class(const char *name, enum value_kind kind, const char *full_name)
{
	const struct value_type *t = of_class(name);

	assert_int_equal(t->kind, kind);
	assert_false(t->exact);
	assert_int_equal(t->name_length, strlen(full_name));
	assert_string_equal(t->name, full_name);
}

static void classes(void **state)
{
	(void)state;
	expect_class("Text", VALUE_STR, "shop.cart.Text");
	expect_class("Count", VALUE_INT, "shop.cart.Count");
	expect_class("Shelf", VALUE_LIST, "shop.cart.Shelf");
	expect_class("SoldOut", VALUE_EXCEPTION, "shop.cart.SoldOut");
	expect_class("Row", VALUE_OBJECT, "shop.cart.Cart.Row");
	expect_class("Odd", VALUE_TUPLE, "shop.cart.Odd"); /* its fields are no names */
	assert_int_equal(of_class("Meta")->kind, VALUE_CLASS);
}

static void fields(void **state)
{
	(void)state;
	expect_class("Point", VALUE_NAMEDTUPLE, "shop.cart.Point");
	assert_int_equal(PyTuple_GET_SIZE(of_class("Point")->fields), 2);
	expect_class("Order", VALUE_OBJECT, "shop.cart.Order");
	assert_true(PyDict_Contains(of_class("Order")->fields, PyUnicode_FromString("number")));
	assert_null(of_class("Row")->fields);
}

/* What is known of a class is forgotten when the class changes. */
static void a_class_that_changes(void **state)
{
	PyObject *odd = inside_name(names, "Odd"), *fields = Py_BuildValue("(s)", "x");

	(void)state;
	assert_int_equal(of_class("Odd")->kind, VALUE_TUPLE);
	assert_int_equal(PyObject_SetAttrString(odd, "_fields", fields), 0);
	assert_int_equal(of_class("Odd")->kind, VALUE_NAMEDTUPLE);
	assert_ptr_equal(of_class("Odd")->fields, fields);
	Py_DECREF(fields);
}

/* A key that is no str compares by a method of its own, which is not to be called. */
static void names_that_are_no_strs(void **state)
{
	PyObject *ran = inside_bind("ran = []\n"
				    "class Key:\n"
				    "    def __hash__(self): return hash('_fields')\n"
				    "    def __eq__(self, other): ran.append(other); return False\n"
				    "import warnings\n"
				    "warnings.simplefilter('ignore')\n"
				    "C = type('C', (tuple,), {Key(): 1, '_fields': ('x',)})\n"
				    "warnings.resetwarnings()\n"
				    "ran.clear()\n");

	(void)state;
	assert_int_equal(value_type_of((PyTypeObject *)inside_name(ran, "C"))->kind, VALUE_TUPLE);
	assert_int_equal(PyList_GET_SIZE(inside_name(ran, "ran")), 0);
	assert_null(PyErr_Occurred());
	Py_DECREF(ran);
}

INSIDE_TESTS(values_types)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_types),
		cmocka_unit_test_setup_teardown(classes, setup, teardown),
		cmocka_unit_test_setup_teardown(fields, setup, teardown),
		cmocka_unit_test_setup_teardown(a_class_that_changes, setup, teardown),
		cmocka_unit_test(names_that_are_no_strs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
