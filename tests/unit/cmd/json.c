/* NDJSON: lines, members, and bytes that are no UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd/json.h"
#include "pathline/error.h"

static struct out out;

static int begin(void **state)
{
	(void)state;
	return out_init(&out, -1, false);
}

static int end(void **state)
{
	(void)state;
	out.used = 0;
	out_release(&out);
	return 0;
}

static void expect(const char *text)
{
	assert_int_equal(out.used, strlen(text));
	assert_memory_equal(out.bytes, text, out.used);
	out.used = 0;
}

static void lines(void **state)
{
	struct json j = {.out = &out};

	(void)state;
	json_line(&j, "event");
	json_u64(&j, "seq", UINT64_MAX);
	json_i64(&j, "off", -3);
	json_bool(&j, "back", true);
	json_text(&j, "task", NULL);
	json_line_end(&j);
	json_line(&j, "end");
	json_line_end(&j);
	expect("{\"type\":\"event\",\"version\":1,\"data\":{\"seq\":18446744073709551615,"
	       "\"off\":-3,\"back\":true,\"task\":null}}\n"
	       "{\"type\":\"end\",\"version\":1,\"data\":{}}\n");
}

static void nested(void **state)
{
	struct json j = {.out = &out};

	(void)state;
	json_open(&j, "list", '[');
	json_u64(&j, NULL, 1);
	json_open(&j, NULL, '{');
	json_close(&j, '}');
	json_u64(&j, NULL, 2);
	json_close(&j, ']');
	json_null(&j, "more");
	expect("\"list\":[1,{},2],\"more\":null");
}

/* A byte that is not UTF-8 becomes the surrogate that Python makes of it. */
static void texts(void **state)
{
	struct json j = {.out = &out};

	(void)state;
	json_text(&j, "name", "a\"b\\c\n\x1b\xc3\xa9\xff");
	expect("\"name\":\"a\\\"b\\\\c\\u000a\\u001b\xc3\xa9\\udcff\"");
}

static void moments(void **state)
{
	struct json j = {.out = &out};

	(void)state;
	json_moment(&j, "time", INT64_C(1700000000000000001));
	json_moment(&j, "end", 0);
	expect("\"time\":1700000000.000000001,\"end\":null");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(nested),
		cmocka_unit_test(texts),
		cmocka_unit_test(moments),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
