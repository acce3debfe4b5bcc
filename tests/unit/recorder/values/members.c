/* The members of objects, in the order in which Python shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "recorder/values/members.h"
#include "recorder/values/types.h"
#include "tests/lib/inside.h"

/* Written as name=value, key:value, or value. */
static char found[256];

static void add(PyObject *o, const char *after)
{
	PyObject *text = PyObject_Str(o);

	strncat(found, PyUnicode_AsUTF8(text), 40);
	strcat(found, after);
	Py_DECREF(text);
}

static void list_members(PyObject *o)
{
	const struct value_type *t = value_type_of(Py_TYPE(o));
	struct members all;
	struct member m;

	found[0] = 0;
	members_begin(&all, o, t->kind, t->fields, NULL);
	while (members_next(&all, &m)) {
		if (found[0])
			strcat(found, " ");
		if (m.slot)
			strcat(strncat(found, m.slot, 40), "=");
		if (m.name)
			add(m.name, "=");
		if (m.key)
			add(m.key, ":");
		add(m.value, "");
	}
}

/* Of the expression, after these statements. */
static void expect(const char *before, const char *expression, const char *expected)
{
	char text[512];

	snprintf(text, sizeof text, "%s\nof = %s\n", before, expression);
	PyObject *names = inside_bind(text);
	list_members(inside_name(names, "of"));
	assert_string_equal(found, expected);
	Py_DECREF(names);
}

static void containers(void **state)
{
	(void)state;
	expect("", "[3, 1, 2]", "3 1 2");
	expect("", "[]", "");
	expect("", "(1, 'a')", "1 a");
	expect("", "{'b': 1, 2: 3}", "b:1 2:3");
	expect("", "{7}", "7");
	expect("import collections", "collections.deque(range(3))", "0 1 2");
	expect("import collections\nmany = collections.deque(range(200))\n"
	       "for n in range(196): many.popleft()",
		"many", "196 197 198 199");
	expect("import collections", "collections.namedtuple('P', 'x y')(1, 2)", "x=1 y=2");
}

/* The order is its own, and not that of its dict. */
static void ordered_dicts(void **state)
{
	(void)state;
	expect("import collections\nd = collections.OrderedDict(a=1, b=2, c=3)\n"
	       "d.move_to_end('a')",
		"d", "b:2 c:3 a:1");
}

static void attributes(void **state)
{
	(void)state;
	expect("class C: pass\nc = C()\nc.b = 1\nc.a = 2", "c", "b=1 a=2");
	expect("class C: pass\nc = C()\nc.b = 1\nc.a = 2\nvars(c)['n'] = 3\ndel c.b", "c",
		"a=2 n=3");
	expect("class C: __slots__ = ('a', 'b', 'c')\nc = C()\nc.c = 1\nc.a = 2", "c", "a=2 c=1");
	expect("class B: __slots__ = ('z',)\nclass C(B):\n    __slots__ = ('a', '__dict__')\n"
	       "c = C()\nc.n = 1\nc.a = 2\nc.z = 3",
		"c", "z=3 a=2 n=1");
	/* names that are no strs, or empty, are passed over */
	expect("class C: pass\nc = C()\nvars(c).update({1: 2, '': 3, 'a': 4})", "c", "a=4");
}

/* Whatever order they were set in, and in slots, which are sorted by their names. */
static void in_the_order_of_fields(void **state)
{
	static const char fields[] = "import dataclasses\n@dataclasses.dataclass%s\nclass C:\n"
				     "    b: int\n    a: int\nc = C(1, 2)\n%s";
	char text[256];

	(void)state;
	snprintf(text, sizeof text, fields, "(slots=True)", "");
	expect(text, "c", "b=1 a=2");
	snprintf(text, sizeof text, fields, "", "del c.b\nc.more = 3\nc.b = 4\n");
	expect(text, "c", "b=4 a=2 more=3");
	snprintf(text, sizeof text, fields, "", "del c.b\n");
	expect(text, "c", "a=2");
}

static void one_slot(void **state)
{
	PyObject *names = inside_bind("class B: __slots__ = ('a',)\n"
				      "class C(B): __slots__ = ('b', 'unset')\n"
				      "c = C()\nc.a = 'base'\nc.b = 'own'\n");
	PyObject *c = inside_name(names, "c");

	(void)state;
	assert_string_equal(PyUnicode_AsUTF8(object_slot(c, "a")), "base");
	assert_string_equal(PyUnicode_AsUTF8(object_slot(c, "b")), "own");
	assert_null(object_slot(c, "unset"));
	assert_null(object_slot(c, "nothing"));
	assert_null(object_slot(Py_None, "a"));
	Py_DECREF(names);
}

INSIDE_TESTS(values_members)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers),
		cmocka_unit_test(ordered_dicts),
		cmocka_unit_test(attributes),
		cmocka_unit_test(in_the_order_of_fields),
		cmocka_unit_test(one_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
