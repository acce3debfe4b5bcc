/* What is between the quotes of a JSON string. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/json_escape.h"

static void expect(void (*write)(struct pl_buf *, const char *, size_t), const char *text,
	size_t length, const char *json)
{
	struct pl_buf out = {0};

	write(&out, text, length);
	buf_u8(&out, 0);
	assert_false(out.failed);
	assert_string_equal((const char *)out.at, json);
	buf_release(&out);
}

#define EXPECT(text, json)	expect(json_escape, text, sizeof text - 1, json)
#define EXPECT_NAME(text, json) expect(json_escape_name, text, sizeof text - 1, json)

static void text_stays(void **state)
{
	(void)state;
	EXPECT("", "");
	EXPECT("shop.py", "shop.py");
	EXPECT("w\xc3\xb6rker \xf0\x9f\x90\x8d", "w\xc3\xb6rker \xf0\x9f\x90\x8d");
}

static void signs_are_escaped(void **state)
{
	(void)state;
	EXPECT("a\"b\\c", "a\\\"b\\\\c");
	EXPECT("\n\t\x01\x7f", "\\u000a\\u0009\\u0001\\u007f");
	EXPECT("a\0b", "a\\u0000b");
}

static void bytes_that_are_no_text_are_surrogates(void **state)
{
	(void)state;
	EXPECT("\xff", "\\udcff");
	EXPECT("\xc3", "\\udcc3");
	EXPECT("\xed\xb3\xbf", "\\udcff");
	EXPECT("\xed\xa0", "\\udced\\udca0");
}

static void a_name_can_have_a_nul(void **state)
{
	(void)state;
	EXPECT_NAME("a\xc0\x80"
		    "b",
		"a\\u0000b");
	EXPECT_NAME("\xc0", "\\udcc0");
	EXPECT("\xc0\x80", "\\udcc0\\udc80");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_stays),
		cmocka_unit_test(signs_are_escaped),
		cmocka_unit_test(bytes_that_are_no_text_are_surrogates),
		cmocka_unit_test(a_name_can_have_a_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
