/* Values as the JSON that SQLite's operators read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "lib/values.h"
#include "query/value_json.h"

/* Each code has item and rest; that the test has no more arguments than these is up to it. */
size_t pl_code_arguments(const struct pl_code *code, struct pl_argument *arguments, size_t max)
{
	(void)code;
	assert_true(max >= 2);
	arguments[0] = (struct pl_argument){.name = {"item", 4}, .stars = ""};
	arguments[1] = (struct pl_argument){.name = {"rest", 4}, .stars = "*"};
	return 2;
}

/* The first value of b. */
static void expect(struct pl_buf *b, const char *json)
{
	struct pl_values values = {.at = b->at, .bytes = (uint32_t)b->used};
	struct pl_buf out = {0};
	struct pl_value value;

	assert_int_equal(pl_values_next(&values, &value), 0);
	value_json(&out, &value);
	buf_u8(&out, 0);
	assert_false(out.failed);
	assert_string_equal((const char *)out.at, json);
	buf_release(&out);
	buf_release(b);
}

#define EXPECT(json, ...)                                                                          \
	do {                                                                                       \
		struct pl_buf b = {0};                                                             \
		__VA_ARGS__;                                                                       \
		expect(&b, json);                                                                  \
	} while (0)

static void scalars(void **state)
{
	(void)state;
	EXPECT("null", value_tag(&b, VALUE_NONE));
	EXPECT("true", value_tag(&b, VALUE_TRUE));
	EXPECT("-7", value_number(&b, -7));
	EXPECT("9.5", value_real(&b, 9.5));
	EXPECT("\"inf\"", value_real(&b, INFINITY));
	EXPECT("\"nan\"", value_real(&b, NAN));
	EXPECT("\"<redacted>\"", value_tag(&b, VALUE_REDACTED));
	EXPECT("\"<function f>\"", value_named(&b, VALUE_FUNCTION, "f"));
}

/* What is not UTF-8 is a surrogate. */
static void strings(void **state)
{
	(void)state;
	EXPECT("\"\"", value_str(&b, "", 0));
	EXPECT("\"a\\\"\\\\\\u000a\\u007f\"", value_str(&b, "a\"\\\n\x7f", 5));
	EXPECT("\"\xc3\xa9\xf0\x9f\x98\x80\"", value_str(&b, "\xc3\xa9\xf0\x9f\x98\x80", 2));
	EXPECT("\"\\ud800x\"", value_str(&b, "\xed\xa0\x80x", 2));
	EXPECT("\"\\udcff\\udcc3\"", value_str(&b, "\xff\xc3", 2));
	EXPECT("\"anv\xe2\x80\xa6\"", value_str(&b, "anv", 5));
}

static void containers(void **state)
{
	(void)state;
	EXPECT("[]", value_container(&b, VALUE_LIST, 9, 0); value_tag(&b, VALUE_END));
	EXPECT("[1,\"\xe2\x80\xa6+2\"]", value_container(&b, VALUE_TUPLE, 9, 3);
		value_number(&b, 1); value_tag(&b, VALUE_END));
	EXPECT("[\"\xe2\x80\xa6+3\"]", value_container(&b, VALUE_SET, 9, 3);
		value_tag(&b, VALUE_END));
	EXPECT("{\"a\":1,\"2\":[],\"\xe2\x80\xa6\":\"+4\"}", value_container(&b, VALUE_DICT, 9, 6);
		value_str(&b, "a", 1); value_number(&b, 1); value_number(&b, 2);
		value_container(&b, VALUE_LIST, 9, 0); value_tag(&b, VALUE_END);
		value_tag(&b, VALUE_END));
	EXPECT("{\"__class__\":\"Order\",\"item\":\"anvil\"}", value_typed(&b, "Order");
		value_container(&b, VALUE_OBJECT, 9, 1); value_string(&b, "item");
		value_str(&b, "anvil", 5); value_tag(&b, VALUE_END));
	EXPECT("{\"__class__\":\"SoldOut\",\"args\":[7]}", value_exception(&b, "SoldOut");
		value_container(&b, VALUE_TUPLE, 0, 1); value_number(&b, 7);
		value_tag(&b, VALUE_END));
}

static void arguments(void **state)
{
	struct pl_buf b = {0}, out = {0};

	(void)state;
	value_tag(&b, VALUE_UNSET);
	value_number(&b, 1);
	value_number(&b, 2); /* more values than arguments */
	const struct pl_event call = {
		.kind = PL_EVENT_CALL, .values = {.at = b.at, .bytes = (uint32_t)b.used}};
	value_json_arguments(&out, call.code, call.values);
	buf_u8(&out, 0);
	assert_string_equal((const char *)out.at, "{\"rest\":1}");
	buf_release(&out);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scalars),
		cmocka_unit_test(strings),
		cmocka_unit_test(containers),
		cmocka_unit_test(arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
