/* Texts as repr writes them: compared with the interpreter's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "recorder/values/repr.h"
#include "tests/lib/inside.h"

static char text[REPR_BYTES_MAX];

static struct repr begin(size_t room)
{
	return (struct repr){.text = text, .room = room};
}

static void expect_text(const struct repr *r, const char *expected)
{
	assert_int_equal(r->length, strlen(expected));
	assert_memory_equal(r->text, expected, r->length);
}

/* As the interpreter's repr of it. */
static void expect_own(const struct repr *r, PyObject *o)
{
	PyObject *repr = PyObject_Repr(o);

	assert_non_null(repr);
	assert_false(r->cut);
	expect_text(r, PyUnicode_AsUTF8(repr));
	Py_DECREF(repr);
}

static void strs(void **state)
{
	PyObject *names = inside_bind("texts = ['', 'plain', \"it's\", '\"', '\\'\"', '\\\\', "
				      "'a\\tb\\r\\n\\x00\\x7f', 'caf\\xe9', '\\xa0\\u2028', "
				      "'\\U0001f40d', '\\U000e0001']\n");
	PyObject *texts = inside_name(names, "texts");

	(void)state;
	for (Py_ssize_t i = 0; i < PyList_GET_SIZE(texts); i++) {
		struct repr r = begin(sizeof text);
		repr_str(&r, PyList_GET_ITEM(texts, i));
		expect_own(&r, PyList_GET_ITEM(texts, i));
	}
	Py_DECREF(names);
}

static void parts_of_strs(void **state)
{
	PyObject *o = PyUnicode_FromString("caf\xc3\xa9 noir");
	struct repr r = begin(sizeof text);

	(void)state;
	repr_slice(&r, o, 2, 6);
	expect_text(&r, "'f\xc3\xa9 n'");
	r = begin(sizeof text);
	repr_slice(&r, o, 7, 100);
	expect_text(&r, "'ir'");
	r = begin(sizeof text);
	repr_slice(&r, o, 20, 30);
	expect_text(&r, "''");
	r = begin(sizeof text);
	repr_plain(&r, o);
	expect_text(&r, "caf\xc3\xa9 noir");
	Py_DECREF(o);
}

static void bytes(void **state)
{
	static const char all[] = "it's\0\"\\ \xff\n~\x7f";
	PyObject *o = PyBytes_FromStringAndSize(all, sizeof all - 1);
	struct repr r = begin(sizeof text);

	(void)state;
	repr_bytes(&r, all, sizeof all - 1);
	expect_own(&r, o);
	Py_DECREF(o);
}

static void ints(void **state)
{
	PyObject *names = inside_bind("ints = [0, 7, -1, 10**9, -10**9, 10**18 + 5, 2**30, 2**60, "
				      "-2**200, 10**100]\nlong = 2**480\n");
	PyObject *all = inside_name(names, "ints");
	struct repr r;

	(void)state;
	for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); i++) {
		r = begin(sizeof text);
		assert_true(repr_int(&r, PyList_GET_ITEM(all, i)));
		expect_own(&r, PyList_GET_ITEM(all, i));
	}
	r = begin(sizeof text);
	assert_false(repr_int(&r, inside_name(names, "long")));
	assert_int_equal(r.length, 0);
	Py_DECREF(names);
}

/* The end is left out, and nothing is written after a hole. */
static void without_room(void **state)
{
	PyObject *o = PyUnicode_FromString("caf\xc3\xa9");
	struct repr r = begin(5);

	(void)state;
	repr_str(&r, o);
	assert_true(r.cut);
	expect_text(&r, "'caf"); /* no half character */
	repr_text(&r, "x", 1);
	expect_text(&r, "'caf");
	Py_DECREF(o);
}

static void names_of_types(void **state)
{
	PyObject *names = inside_bind("import collections\nclass Cart: pass\ncart = Cart()\n"
				      "deque = collections.deque()\n");
	struct repr r = begin(sizeof text);

	(void)state;
	repr_name_of_type(&r, inside_name(names, "cart"));
	expect_text(&r, "Cart");
	r = begin(sizeof text);
	repr_name_of_type(&r, inside_name(names, "deque"));
	expect_text(&r, "deque");
	r = begin(sizeof text);
	repr_full_name_of_type(&r, inside_name(names, "deque"));
	expect_text(&r, "collections.deque");
	Py_DECREF(names);
}

INSIDE_TESTS(values_repr)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strs),
		cmocka_unit_test(parts_of_strs),
		cmocka_unit_test(bytes),
		cmocka_unit_test(ints),
		cmocka_unit_test(without_room),
		cmocka_unit_test(names_of_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
