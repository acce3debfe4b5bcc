/* Values as bytes, as structs, and as text: each kind, what was cut, and bytes that no recorder
 * wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/buf.h"
#include "format/value.h"
#include "lib/random.h"
#include "lib/values.h"

/* ---- writing ---- */

/* Numbers from 1 on. */
static void numbers(struct pl_buf *b, enum value_kind kind, uint32_t kept, uint64_t length)
{
	value_container(b, kind, 1, length);
	for (uint32_t i = 1; i <= kept; i++)
		value_number(b, i);
	value_tag(b, VALUE_END);
}

/* ---- reading ---- */

static struct pl_values all_of(const struct pl_buf *b)
{
	return (struct pl_values){.at = b->at, .bytes = (uint32_t)b->used};
}

static struct pl_value first_of(const struct pl_buf *b)
{
	struct pl_values rest = all_of(b);
	struct pl_value v = {0};

	assert_int_equal(pl_values_next(&rest, &v), 0);
	assert_int_equal(rest.bytes, 0);
	return v;
}

/* Reads all, and each text in room for any, from memory that ends where the bytes do. */
static int read_all(struct pl_values rest)
{
	struct pl_value v;
	char text[512];
	int code = 0;

	while ((code = pl_values_next(&rest, &v)) == 0) {
		assert_true(pl_value_text(&v, text, sizeof text) < sizeof text);
		assert_true(pl_value_text(&v, text, 9) < 9);
		int inside = read_all(v.members);
		assert_int_equal(inside, PL_END);
	}
	return code;
}

static int read_cut(const struct pl_buf *b, size_t n)
{
	uint8_t *copy = malloc(n + 1);

	assert_non_null(copy);
	memcpy(copy, b->at, n);
	int code = read_all((struct pl_values){.at = copy, .bytes = (uint32_t)n});
	free(copy);
	return code;
}

/* The one value in `b` has this text; cut anywhere it is damage. */
static void expect_text(struct pl_buf *b, const char *expected)
{
	struct pl_value v = first_of(b);
	char text[20000];

	size_t length = pl_value_text(&v, text, sizeof text);
	assert_string_equal(text, expected);
	assert_int_equal(length, strlen(text));
	assert_int_equal(read_cut(b, b->used), PL_END);
	for (size_t n = 1; n < b->used; n++)
		assert_int_equal(read_cut(b, n), PL_ERR_FORMAT);
	buf_release(b);
}

#define EXPECT(expected, ...)                                                                      \
	do {                                                                                       \
		struct pl_buf b = {0};                                                             \
		__VA_ARGS__;                                                                       \
		expect_text(&b, expected);                                                         \
	} while (0)

/* ---- tests ---- */

static void numbers_are_as_python_has_them(void **state)
{
	(void)state;
	EXPECT("None", value_tag(&b, VALUE_NONE));
	EXPECT("False", value_tag(&b, VALUE_FALSE));
	EXPECT("True", value_tag(&b, VALUE_TRUE));
	EXPECT("0", value_number(&b, 0));
	EXPECT("-9223372036854775808", value_number(&b, INT64_MIN));
	EXPECT("MyInt(3)", value_typed(&b, "MyInt"); value_number(&b, 3));
	EXPECT("18446744073709551616", value_tag(&b, VALUE_LONG); buf_varint(&b, 65 * 2);
		buf_string(&b, "\0\0\0\0\0\0\0\0\1", 9));
	EXPECT("-340282366920938463463374607431768211455", value_tag(&b, VALUE_LONG);
		buf_varint(&b, 128 * 2 + 1); value_string(&b, "\xff\xff\xff\xff\xff\xff\xff\xff"
							      "\xff\xff\xff\xff\xff\xff\xff\xff"));
	EXPECT("<int of 70000 bits>", value_tag(&b, VALUE_LONG); buf_varint(&b, 140000);
		value_string(&b, ""));
}

static void floats_are_as_python_has_them(void **state)
{
	static const struct {
		double value;
		const char *text;
	} floats[] = {
		{0.0, "0.0"},
		{-0.0, "-0.0"},
		{1.0, "1.0"},
		{100.0, "100.0"},
		{0.1, "0.1"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1.0 / 3, "0.3333333333333333"},
		{1e16, "1e+16"},
		{9999999999999998.0, "9999999999999998.0"},
		{123456789012345680.0, "1.2345678901234568e+17"},
		{1234567890123456.7, "1234567890123456.8"},
		{0.0001, "0.0001"},
		{0.00012345, "0.00012345"},
		{0.00001, "1e-05"},
		{1.5e-7, "1.5e-07"},
		{5e-324, "5e-324"},
		{1.7976931348623157e308, "1.7976931348623157e+308"},
		{-2.5, "-2.5"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
		EXPECT(floats[i].text, value_real(&b, floats[i].value));
	EXPECT("inf", value_real(&b, __builtin_inf()));
	EXPECT("-inf", value_real(&b, -__builtin_inf()));
	EXPECT("nan", value_real(&b, __builtin_nan("")));
	EXPECT("1j", value_tag(&b, VALUE_COMPLEX); buf_u64(&b, 0); buf_u64(&b, 0x3ff0000000000000));
	EXPECT("(1-2.5j)", value_tag(&b, VALUE_COMPLEX); buf_u64(&b, 0x3ff0000000000000);
		buf_u64(&b, 0xc004000000000000));
}

static void texts_are_as_python_has_them(void **state)
{
	(void)state;
	EXPECT("'anvil'", value_str(&b, "anvil", 5));
	EXPECT("''", value_str(&b, "", 0));
	EXPECT("\"it's\"", value_str(&b, "it's", 4));
	EXPECT("'it\\'s \"so\"'", value_str(&b, "it's \"so\"", 9));
	EXPECT("'\\n\\r\\t\\\\\\x1b\\x7f'", value_str(&b, "\n\r\t\\\x1b\x7f", 6));
	EXPECT("'gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80'",
		value_str(&b, "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80", 6));
	EXPECT("'\\x9b\\u202e\\ud800\\udcff\\U0010ffff'",
		value_str(&b, "\xc2\x9b\xe2\x80\xae\xed\xa0\x80\xed\xb3\xbf\xf4\x8f\xbf\xbf", 5));
	EXPECT("'\\xff\\xc3'", value_str(&b, "\xff\xc3", 2)); /* no recorder writes such */
	EXPECT("'aaa'\u2026+800 chars", value_str(&b, "aaa", 803));
	EXPECT("'a'\u2026+1 char", value_str(&b, "a", 2));
	EXPECT("MyStr('a')", value_typed(&b, "MyStr"); value_str(&b, "a", 1));
	EXPECT("b'a\\xff\\x00\\n'\u2026+2 bytes", value_tag(&b, VALUE_BYTES); buf_varint(&b, 6);
		buf_string(&b, "a\xff\0\n", 4));
	EXPECT("bytearray(b'a')", value_tag(&b, VALUE_BYTEARRAY); buf_varint(&b, 7);
		buf_varint(&b, 1); value_string(&b, "a"));
	EXPECT("memoryview(b'a')", value_tag(&b, VALUE_MEMORYVIEW); buf_varint(&b, 7);
		buf_varint(&b, 1); value_string(&b, "a"));
}

static void containers_have_their_brackets(void **state)
{
	(void)state;
	EXPECT("[1, 2]", numbers(&b, VALUE_LIST, 2, 2));
	EXPECT("[]", numbers(&b, VALUE_LIST, 0, 0));
	EXPECT("[1, 2, \u2026+990 items]", numbers(&b, VALUE_LIST, 2, 992));
	EXPECT("[\u2026+1 item]", numbers(&b, VALUE_LIST, 0, 1));
	EXPECT("MyList([1])", value_typed(&b, "MyList"); numbers(&b, VALUE_LIST, 1, 1));
	EXPECT("(1,)", numbers(&b, VALUE_TUPLE, 1, 1));
	EXPECT("(1, 2)", numbers(&b, VALUE_TUPLE, 2, 2));
	EXPECT("()", numbers(&b, VALUE_TUPLE, 0, 0));
	EXPECT("(1, \u2026+3 items)", numbers(&b, VALUE_TUPLE, 1, 4));
	EXPECT("{1, 2}", numbers(&b, VALUE_SET, 2, 2));
	EXPECT("set()", numbers(&b, VALUE_SET, 0, 0));
	EXPECT("{\u2026+2 items}", numbers(&b, VALUE_SET, 0, 2));
	EXPECT("MySet()", value_typed(&b, "MySet"); numbers(&b, VALUE_SET, 0, 0));
	EXPECT("frozenset({1})", numbers(&b, VALUE_FROZENSET, 1, 1));
	EXPECT("frozenset()", numbers(&b, VALUE_FROZENSET, 0, 0));
	EXPECT("deque([1])", numbers(&b, VALUE_DEQUE, 1, 1));
	EXPECT("{1: 2}", numbers(&b, VALUE_DICT, 2, 1));
	EXPECT("{}", numbers(&b, VALUE_DICT, 0, 0));
	EXPECT("{1: 2, 3: 4, \u2026+8 items}", numbers(&b, VALUE_DICT, 4, 10));
	EXPECT("range(0, 5)", value_tag(&b, VALUE_RANGE); value_number(&b, 0); value_number(&b, 5);
		value_number(&b, 1));
	EXPECT("range(0, 5, 2)", value_tag(&b, VALUE_RANGE); value_number(&b, 0);
		value_number(&b, 5); value_number(&b, 2));
	EXPECT("slice(None, 5, None)", value_tag(&b, VALUE_SLICE); value_tag(&b, VALUE_NONE);
		value_number(&b, 5); value_tag(&b, VALUE_NONE));
	EXPECT("[[1], (2, {})]", value_container(&b, VALUE_LIST, 1, 2);
		numbers(&b, VALUE_LIST, 1, 1); value_container(&b, VALUE_TUPLE, 0, 2);
		value_number(&b, 2); numbers(&b, VALUE_DICT, 0, 0); value_tag(&b, VALUE_END);
		value_tag(&b, VALUE_END));
}

/* item='anvil' count=2, or fewer of them. */
static void order(struct pl_buf *b, enum value_kind kind, uint64_t length)
{
	value_container(b, kind, 9, length);
	value_string(b, "item");
	value_str(b, "anvil", 5);
	value_string(b, "count");
	value_number(b, 2);
	value_tag(b, VALUE_END);
}

static void objects_have_their_types(void **state)
{
	(void)state;
	EXPECT("Point(item='anvil', count=2)", value_typed(&b, "Point");
		order(&b, VALUE_NAMEDTUPLE, 2));
	EXPECT("<Order item='anvil' count=2>", value_typed(&b, "Order");
		order(&b, VALUE_OBJECT, 2));
	EXPECT("<Order item='anvil' count=2 \u2026+3 attributes>", value_typed(&b, "Order");
		order(&b, VALUE_OBJECT, 5));
	EXPECT("<Order>", value_typed(&b, "Order"); numbers(&b, VALUE_OBJECT, 0, 0));
	EXPECT("<Order \u2026+3 attributes>", value_typed(&b, "Order");
		numbers(&b, VALUE_OBJECT, 0, 3));
	EXPECT("SoldOut('anvil')", value_exception(&b, "SoldOut");
		value_container(&b, VALUE_TUPLE, 0, 1); value_str(&b, "anvil", 5);
		value_tag(&b, VALUE_END));
	EXPECT("SoldOut()", value_exception(&b, "SoldOut"); numbers(&b, VALUE_TUPLE, 0, 0));
	EXPECT("SoldOut(1, \u2026+2 items)", value_exception(&b, "SoldOut");
		numbers(&b, VALUE_TUPLE, 1, 3));
	EXPECT("SoldOut(<tuple \u2026>)", value_exception(&b, "SoldOut");
		value_named(&b, VALUE_CUT, "tuple"));
	EXPECT("<function f>", value_named(&b, VALUE_FUNCTION, "f"));
	EXPECT("<builtin_function_or_method len>", value_typed(&b, "builtin_function_or_method");
		value_named(&b, VALUE_FUNCTION, "len"));
	EXPECT("<method C.m>", value_named(&b, VALUE_METHOD, "C.m"));
	EXPECT("<class 'C'>", value_named(&b, VALUE_CLASS, "C"));
	EXPECT("<module os>", value_named(&b, VALUE_MODULE, "os"));
	EXPECT("Decimal('1.5')\\n\\x1b", value_named(&b, VALUE_TEXT, "Decimal('1.5')\n\x1b"));
	EXPECT("<redacted>", value_tag(&b, VALUE_REDACTED));
	EXPECT("<unset>", value_tag(&b, VALUE_UNSET));
	EXPECT("<Order \u2026>", value_named(&b, VALUE_CUT, "Order"));
}

static void seen(struct pl_buf *b, uint64_t id)
{
	value_tag(b, VALUE_SEEN);
	buf_varint(b, id);
}

static void cycles_are_as_python_has_them(void **state)
{
	(void)state;
	EXPECT("[[...]]", value_container(&b, VALUE_LIST, 4, 1); seen(&b, 4);
		value_tag(&b, VALUE_END));
	EXPECT("{1: [{...}]}", value_container(&b, VALUE_DICT, 4, 1); value_number(&b, 1);
		value_container(&b, VALUE_LIST, 5, 1); seen(&b, 4); value_tag(&b, VALUE_END);
		value_tag(&b, VALUE_END));
	EXPECT("[<seen>]", value_container(&b, VALUE_LIST, 4, 1); seen(&b, 5);
		value_tag(&b, VALUE_END));
	EXPECT("[<seen>]", value_container(&b, VALUE_LIST, 0, 1); seen(&b, 0);
		value_tag(&b, VALUE_END));
}

static void has_what_the_bytes_have(void **state)
{
	struct pl_buf b = {0};
	struct pl_value member;

	(void)state;
	value_typed(&b, "Order");
	order(&b, VALUE_OBJECT, 5);
	struct pl_value v = first_of(&b);
	assert_int_equal(v.kind, PL_VALUE_OBJECT);
	assert_int_equal(v.id, 9);
	assert_int_equal(v.length, 5);
	assert_int_equal(v.missing, 3);
	assert_true(v.type.length == 5 && !memcmp(v.type.at, "Order", 5));
	assert_int_equal(pl_values_next(&v.members, &member), 0);
	assert_true(member.name.length == 4 && !memcmp(member.name.at, "item", 4));
	assert_true(member.text.length == 5 && !memcmp(member.text.at, "anvil", 5));
	assert_int_equal(pl_values_next(&v.members, &member), 0);
	assert_int_equal(member.integer, 2);
	assert_int_equal(pl_values_next(&v.members, &member), PL_END);
	buf_reset(&b);
	value_exception(&b, "E");
	numbers(&b, VALUE_TUPLE, 0, 0);
	v = first_of(&b);
	assert_true(v.cause.length == 8 && !v.context.length);
	assert_string_equal(pl_value_kind_name(v.kind), "exception");
	assert_string_equal(pl_value_kind_name((enum pl_value_kind)VALUE_TYPED), "?");
	buf_release(&b);
}

/* As long as it may be, and no byte longer; no character is split. */
static void texts_are_cut(void **state)
{
	struct pl_buf b = {0};
	char text[64];

	(void)state;
	value_str(&b, "gr\xc3\xbc\xc3\x9f\n\n", 6);
	struct pl_value v = first_of(&b);
	assert_int_equal(pl_value_text(&v, text, 64), 12);
	assert_string_equal(text, "'gr\xc3\xbc\xc3\x9f\\n\\n'");
	for (size_t max = 8; max < 16; max++) {
		size_t n = pl_value_text(&v, text, max);
		assert_true(n < max && n == strlen(text));
		assert_string_equal(text + n - 3, "\u2026");
	}
	pl_value_text(&v, text, 11);
	assert_string_equal(text, "'gr\xc3\xbc\xc3\x9f\u2026");
	assert_int_equal(pl_value_text(&v, text, 1), 0);
	assert_string_equal(text, "");
	buf_release(&b);
}

static void nested(struct pl_buf *b, uint32_t depth, enum value_kind kind)
{
	for (uint32_t i = 0; i < depth; i++) {
		value_tag(b, kind);
		buf_varint(b, 0);
		buf_varint(b, 1);
	}
	for (uint32_t i = 0; i < depth; i++)
		value_tag(b, VALUE_END);
}

static int read_it(struct pl_buf *b)
{
	int code = read_cut(b, b->used);

	buf_release(b);
	return code;
}

static void refuses_what_no_recorder_writes(void **state)
{
	struct pl_buf b = {0};

	(void)state;
	nested(&b, PL_VALUE_DEPTH, VALUE_LIST);
	assert_int_equal(read_it(&b), PL_END);
	nested(&b, PL_VALUE_DEPTH + 1, VALUE_LIST);
	assert_int_equal(read_it(&b), PL_ERR_FORMAT);
	nested(&b, 1000000, VALUE_LIST);
	assert_int_equal(read_it(&b), PL_ERR_FORMAT);
	for (int i = 0; i < 100; i++)
		value_tag(&b, VALUE_RANGE);
	assert_int_equal(read_it(&b), PL_ERR_FORMAT);
	value_tag(&b, VALUE_END); /* of nothing */
	assert_int_equal(read_it(&b), PL_ERR_FORMAT);
	value_typed(&b, "A"); /* of a type */
	value_typed(&b, "B");
	value_tag(&b, VALUE_NONE);
	assert_int_equal(read_it(&b), PL_ERR_FORMAT);
	numbers(&b, VALUE_DICT, 3, 2); /* a key without its value */
	assert_int_equal(read_it(&b), PL_ERR_FORMAT);
	value_tag(&b, VALUE_STR); /* longer than what is there */
	buf_varint(&b, 1);
	buf_varint(&b, UINT64_MAX);
	assert_int_equal(read_it(&b), PL_ERR_FORMAT);
	buf_u8(&b, VALUE_CUT + 1); /* of a later version */
	assert_int_equal(read_it(&b), PL_ERR_VERSION);
}

static void survives_random_bytes(void **state)
{
	struct random r = {23};
	uint8_t bytes[60];
	unsigned sound = 0;

	(void)state;
	for (int round = 0; round < 300000; round++) {
		struct pl_buf b = {.at = bytes, .used = random_below(&r, sizeof bytes)};
		random_fill(&r, bytes, sizeof bytes);
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] &= round % 2 ? 0x3f : 0x1f;
		sound += read_cut(&b, b.used) == PL_END;
	}
	assert_true(sound > 1000);
}

static void checks_whole_events(void **state)
{
	struct pl_values values = {0};

	(void)state;
	assert_int_equal(values_check(view_of("\1\1\2", 3)), 0);
	assert_int_equal(values_open(view_of("\1\1\2", 3), &values), 0);
	assert_int_equal(values.flags, PL_VALUES_OVER_BUDGET);
	assert_int_equal(values.bytes, 2);
	assert_int_equal(values_check(view_of("", 0)), PL_ERR_FORMAT);
	assert_int_equal(values_check(view_of("\0\4", 2)), PL_ERR_FORMAT);
	assert_int_equal(values_check(view_of("\0\77", 2)), PL_ERR_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_python_has_them),
		cmocka_unit_test(floats_are_as_python_has_them),
		cmocka_unit_test(texts_are_as_python_has_them),
		cmocka_unit_test(containers_have_their_brackets),
		cmocka_unit_test(objects_have_their_types),
		cmocka_unit_test(cycles_are_as_python_has_them),
		cmocka_unit_test(has_what_the_bytes_have),
		cmocka_unit_test(texts_are_cut),
		cmocka_unit_test(refuses_what_no_recorder_writes),
		cmocka_unit_test(survives_random_bytes),
		cmocka_unit_test(checks_whole_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
