/* The options of values: limits, of which code, what is hidden; and what does not go together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd/record_values.h"
#include "lib/said.h"

static char *none[] = {"/nowhere/at-all", NULL};

static void end(struct record_values *v, int code)
{
	assert_int_equal(record_values_end(v, none), code);
}

static void usual(void **state)
{
	struct record_values v = {.of.command = "record"};
	struct collector_values s = {.which = VALUES_NONE};

	(void)state;
	end(&v, CMD_GO);
	assert_int_equal(v.which, VALUES_CALLS);
	assert_string_equal((const char *)v.of.text.at, CHOOSE_MINE);
	assert_string_equal((const char *)v.limits_text.at,
		"depth=3,items=10,attributes=20,chars=200,bytes=256,event=1024,second=16777216");
	record_values_apply(&v, &s);
	assert_int_equal(s.limits.depth, 3);
	assert_null(s.redact_text);
	record_values_release(&v);
	record_values_release(&v);
}

static void limits(void **state)
{
	struct record_values v = {.word = "lines", .of.command = "record"};

	(void)state;
	record_values_take_limits(&v, "values-limit", "depth=5,chars=1K");
	record_values_take_limits(&v, "values-limit", "chars=100");
	end(&v, CMD_GO);
	assert_int_equal(v.which, VALUES_LINES);
	assert_int_equal(v.limits.depth, 5);
	assert_int_equal(v.limits.chars, 100); /* the last one counts */
	assert_int_equal(v.limits.items, 10);
	record_values_release(&v);
	v = (struct record_values){.of.command = "record"};
	record_values_take_limits(&v, "values-limit", "event=128");
	end(&v, CMD_GO);
	assert_int_equal(v.limits.bytes, 128); /* one value has no more than all of them */
	record_values_release(&v);
}

static void expect_refused(const char *limits_text, const char *said)
{
	struct record_values v = {.of.command = "record"};

	said_begin();
	record_values_take_limits(&v, "values-limit", limits_text);
	const int code = record_values_end(&v, none);
	assert_string_equal(said_end(), said);
	assert_int_equal(code, CMD_USAGE);
	record_values_release(&v);
}

static void refused(void **state)
{
	(void)state;
	expect_refused("depth", "pathline: record: --values-limit: 'depth' is no limit; write "
				"depth=3,chars=200\n");
	expect_refused("dept=3", "pathline: record: unknown limit for --values-limit: 'dept'; did "
				 "you mean 'depth'?\n");
	expect_refused("depth=x", "pathline: record: --values-limit: depth: 'x' is not a number; "
				  "write 10, 1K or 16M\n");
	expect_refused("depth=0", "pathline: record: --values-limit: depth=0 is too small; the "
				  "smallest is 1\n");
	expect_refused("items=5000", "pathline: record: --values-limit: items=5000 is too great; "
				     "the greatest is 4096\n");
	expect_refused("bytes=512,event=128",
		"pathline: record: --values-limit: bytes=512 is more than event=128, which has all "
		"values of an event\n");
}

static void hidden(void **state)
{
	struct record_values v = {.of.command = "record"};

	(void)state;
	record_values_take_redact(&v, "redact", "My_Pin");
	record_values_take_redact(&v, "redact", "*key");
	end(&v, CMD_GO);
	assert_int_equal(v.redact.used, 12);
	assert_memory_equal(v.redact.at, "my_pin\n*key\n", 12); /* compared in small letters */
	assert_string_equal((const char *)v.redact_text.at, "My_Pin '*key'");
	record_values_release(&v);
	v = (struct record_values){.shows_secrets = true, .of.command = "record"};
	record_values_take_redact(&v, "redact", "pin");
	said_begin();
	const int code = record_values_end(&v, none);
	assert_string_equal(said_end(), "pathline: record: --redact hides secrets and --no-redact "
					"shows them all; write one of them\n");
	assert_int_equal(code, CMD_USAGE);
	record_values_release(&v);
	v = (struct record_values){.of.command = "record"};
	said_begin();
	record_values_take_redact(&v, "redact", "[a");
	assert_string_equal(said_end(), "pathline: record: --redact '[a' has a [ without its ]\n");
	assert_true(v.failed);
	record_values_release(&v);
}

static void words(void **state)
{
	struct record_values v = {.word = "none", .of.command = "record"};

	(void)state;
	end(&v, CMD_GO);
	assert_int_equal(v.which, VALUES_NONE);
	record_values_release(&v);
	v = (struct record_values){.word = "calls", .of.command = "record"};
	choose_take_of(&v.of, "values-of", "shop.*");
	end(&v, CMD_GO);
	assert_string_equal((const char *)v.of.text.at, "'shop.*'");
	assert_false(v.of.mine);
	record_values_release(&v);
	v = (struct record_values){.word = "call", .of.command = "record"};
	said_begin();
	const int code = record_values_end(&v, none);
	assert_string_equal(said_end(), "pathline: record: unknown choice for --values: 'call'; "
					"did you mean 'calls'?\n");
	assert_int_equal(code, CMD_USAGE);
	record_values_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual),
		cmocka_unit_test(limits),
		cmocka_unit_test(refused),
		cmocka_unit_test(hidden),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
