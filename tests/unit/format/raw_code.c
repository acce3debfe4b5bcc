#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "format/raw_code.h"
#include "pathline/error.h"
#include "tests/lib/views.h"

static const struct raw_code code = {
	.number = 70000,
	.unit = 69999,
	.file = {(const uint8_t *)"a.py", 4},
	.name = {(const uint8_t *)"C", 1},
	.first_line = -3,
	.flags = 0x40,
	.version = 0x030d,
	.code = {(const uint8_t *)"\x95\0", 2},
	.line_table = {(const uint8_t *)"\x80\0\0", 3},
	.arguments = {2, {(const uint8_t *)"\1a\2bc", 5}},
};

static void reads_what_it_wrote(void **state)
{
	struct pl_buf b = {0};
	struct raw_code r;

	(void)state;
	raw_code_write(&b, &code);
	assert_int_equal(raw_code_read(buf_view(&b), &r), 0);
	assert_int_equal(r.number, code.number);
	assert_int_equal(r.unit, code.unit);
	assert_int_equal(r.first_line, code.first_line);
	assert_int_equal(r.flags, code.flags);
	assert_int_equal(r.version, code.version);
	expect_view(r.file, code.file);
	expect_view(r.name, code.name);
	expect_view(r.code, code.code);
	expect_view(r.line_table, code.line_table);
	assert_int_equal(r.arguments.count, code.arguments.count);
	expect_view(r.arguments.names, code.arguments.names);
	buf_release(&b);
}

static int read_it(struct pl_view from)
{
	struct raw_code r;

	return raw_code_read(from, &r);
}

static void refuses_what_is_cut(void **state)
{
	struct pl_buf b = {0};

	(void)state;
	raw_code_write(&b, &code);
	expect_cut_is_refused(buf_view(&b), read_it);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_it_wrote),
		cmocka_unit_test(refuses_what_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
