/* Lines of source texts, as they ran. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/recording.h"
#include "trace/code.h"

static struct pl_recording *open_sources(struct maker *m)
{
	struct pl_recording *r;

	maker_init(m);
	maker_source(m, 0, "", "one\ntwo\r\n\rfour\n\nsix");
	maker_source(m, 1, "the file is gone", "");
	m->source = 1;
	maker_body(m, 1, "f", 1, 1);
	m->source = 2;
	maker_body(m, 2, "g", 1, 1);
	m->source = 0;
	maker_body(m, 3, "h", 1, 1);
	maker_end(m);
	assert_int_equal(recording_open_files(&r, maker_files(m), NULL), 0);
	return r;
}

static void expect_line(struct pl_recording *r, int32_t line, const char *expected)
{
	struct pl_text text;

	assert_int_equal(pl_source_line(r, code_open(r, 2), line, &text, NULL), 0);
	assert_int_equal(text.length, strlen(expected));
	assert_memory_equal(text.at, expected, text.length);
}

static void test_lines(void **state)
{
	struct maker m;
	struct pl_recording *r = open_sources(&m);
	const char *const expected[] = {"one", "two", "", "four", "", "six"};
	(void)state;

	for (int32_t i = 0; i < 6; i++)
		expect_line(r, i + 1, expected[i]);
	pl_recording_close(r);
	maker_release(&m);
}

static void expect_reason(struct pl_recording *r, uint64_t body, int32_t line, const char *reason)
{
	struct pl_err err = {0};
	struct pl_text text;

	assert_int_equal(
		pl_source_line(r, code_open(r, body + 1), line, &text, &err), PL_ERR_NOT_FOUND);
	if (!strstr(pl_err_text(&err), reason))
		fail_msg("'%s' does not say '%s'", pl_err_text(&err), reason);
}

static void test_reasons(void **state)
{
	struct maker m;
	struct pl_recording *r = open_sources(&m);
	(void)state;

	expect_reason(r, 1, 7, "no line 7");
	expect_reason(r, 1, 0, "no line 0");
	expect_reason(r, 1, -1, "no line -1");
	expect_reason(r, 2, 1, "the file is gone");
	expect_reason(r, 3, 1, "not recorded");
	pl_recording_close(r);
	maker_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
