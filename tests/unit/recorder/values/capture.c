/* Values as bytes: what is written of an object, and what is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "format/value_table.h"
#include "recorder/values/capture.h"
#include "tests/lib/inside.h"

static struct value_limits limits = {.depth = 2, .items = 3, .attributes = 3, .chars = 4};
static uint8_t bytes[512 + CAPTURE_SLACK];
static size_t length;

/* false: there was no room. */
static bool capture(PyObject *o, size_t room, bool shows_secrets)
{
	struct capture c = {.at = bytes,
		.limit = bytes + room,
		.limits = &limits,
		.shows_secrets = shows_secrets};

	memset(bytes, 0xee, sizeof bytes);
	const bool written = capture_value(&c, o);
	length = (size_t)(c.at - bytes);
	assert_true(length <= room && (written || length == 0));
	assert_null(PyErr_Occurred());
	return written;
}

static void expect(const char *expression, const void *expected, size_t n)
{
	char text[256];

	snprintf(text, sizeof text, "of = %s\n", expression);
	PyObject *names = inside_bind(text);
	assert_true(capture(inside_name(names, "of"), 512, false));
	assert_int_equal(length, n);
	assert_memory_equal(bytes, expected, n);
	Py_DECREF(names);
}

#define EXPECT(expression, ...)                                                                    \
	expect(expression, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static void plain_values(void **state)
{
	(void)state;
	EXPECT("None", VALUE_NONE);
	EXPECT("True", VALUE_TRUE);
	EXPECT("7", VALUE_INT, 14);
	EXPECT("-7", VALUE_INT, 13);
	EXPECT("0.0", VALUE_FLOAT, 0, 0, 0, 0, 0, 0, 0, 0);
	EXPECT("'abc'", VALUE_STR, 3, 3, 'a', 'b', 'c');
	EXPECT("'abcdef'", VALUE_STR, 6, 4, 'a', 'b', 'c', 'd'); /* the limit of characters */
	EXPECT("b'ab'", VALUE_BYTES, 2, 2, 'a', 'b');
	EXPECT("range(1, 2, 3)", VALUE_RANGE, VALUE_INT, 2, VALUE_INT, 4, VALUE_INT, 6);
	assert_true(capture(NULL, 512, false));
	assert_int_equal(bytes[0], VALUE_UNSET);
}

static unsigned count_tag(uint8_t tag, uint8_t next)
{
	unsigned count = 0;

	for (size_t i = 0; i + 1 < length; i++)
		count += bytes[i] == tag && bytes[i + 1] == next;
	return count;
}

static void members_that_are_left_out(void **state)
{
	PyObject *names = inside_bind("many = [9] * 50\n");

	(void)state;
	assert_true(capture(inside_name(names, "many"), 512, false));
	assert_int_equal(bytes[0], VALUE_LIST);
	assert_int_equal(bytes[length - 1], VALUE_END);
	assert_int_equal(count_tag(VALUE_INT, 18), 3);
	Py_DECREF(names);
}

/* However little room there is, nothing is written beyond it that counts. */
static void less_and_less_room(void **state)
{
	PyObject *names = inside_bind("class C: pass\nc = C()\nc.a = 'x' * 90\nseven = 7\n"
				      "c.b = {'k': [1, (2, 3)], 'l': 2 ** 90}\n");

	(void)state;
	for (size_t room = 200; room-- > 0;)
		if (!capture(inside_name(names, "c"), room, false))
			assert_true(room < 40);
	for (size_t room = 0; room < 4; room++)
		assert_int_equal(capture(inside_name(names, "seven"), room, false), room >= 2);
	Py_DECREF(names);
}

static void itself(void **state)
{
	PyObject *names = inside_bind("a = []\na.append(a)\n");

	(void)state;
	assert_true(capture(inside_name(names, "a"), 512, false));
	assert_non_null(memchr(bytes, VALUE_SEEN, length));
	PyList_SetSlice(inside_name(names, "a"), 0, 1, NULL);
	Py_DECREF(names);
}

static bool has(const char *text)
{
	const size_t n = strlen(text);

	for (size_t i = 0; i + n <= length; i++)
		if (!memcmp(bytes + i, text, n))
			return true;
	return false;
}

static void secrets(void **state)
{
	PyObject *names = inside_bind("d = {'password': 'abc1', 'user': 'ann'}\n");
	PyObject *d = inside_name(names, "d"), *name = PyUnicode_FromString("api_key");

	(void)state;
	assert_true(capture(d, 512, false));
	assert_false(has("abc1"));
	assert_true(has("ann"));
	assert_non_null(memchr(bytes, VALUE_REDACTED, length));
	assert_true(capture(d, 512, true));
	assert_true(has("abc1"));
	assert_true(capture_name_is_secret(name));
	assert_false(capture_name_is_secret(Py_None));
	Py_DECREF(name);
	Py_DECREF(names);
}

static void no_code_of_the_program(void **state)
{
	PyObject *names = inside_bind("class C:\n"
				      "    def __getattribute__(self, name): 1 / 0\n"
				      "    def __repr__(self): 1 / 0\n"
				      "    @property\n    def p(self): 1 / 0\n"
				      "c = C()\n");

	(void)state;
	assert_true(capture(inside_name(names, "c"), 512, false));
	assert_true(has("shop.cart.C"));
	Py_DECREF(names);
}

INSIDE_TESTS(values_capture)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_values),
		cmocka_unit_test(members_that_are_left_out),
		cmocka_unit_test(less_and_less_room),
		cmocka_unit_test(itself),
		cmocka_unit_test(secrets),
		cmocka_unit_test(no_code_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
