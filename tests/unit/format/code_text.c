#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "format/code_text.h"
#include "pathline/error.h"
#include "tests/lib/views.h"

static const struct code_text text = {
	.unit = 70000,
	.how = CODE_TEXT_MEMBER,
	.error = 2,
	.file = {(const uint8_t *)"app.pyz/a.py", 12},
	.directory = {(const uint8_t *)"/home", 5},
	.archive = 7,
	.stamp = {1, UINT64_MAX, 3, (uint64_t)-4, 5},
	.text = {(const uint8_t *)"x = 1\n", 6},
	.member = {8, 0xffffffff, 6},
	.hash = {3571, 0x0123456789abcdef},
};

static void reads_what_it_wrote(void **state)
{
	struct pl_buf b = {0};
	struct code_text t;

	(void)state;
	code_text_write(&b, &text);
	assert_int_equal(code_text_read(buf_view(&b), &t), 0);
	assert_int_equal(t.unit, text.unit);
	assert_int_equal(t.how, text.how);
	assert_int_equal(t.error, text.error);
	assert_int_equal(t.archive, text.archive);
	expect_view(t.file, text.file);
	expect_view(t.directory, text.directory);
	expect_view(t.text, text.text);
	assert_memory_equal(t.stamp, text.stamp, sizeof t.stamp);
	assert_memory_equal(t.member, text.member, sizeof t.member);
	assert_memory_equal(t.hash, text.hash, sizeof t.hash);
	buf_release(&b);
}

static int read_it(struct pl_view from)
{
	struct code_text t;

	return code_text_read(from, &t);
}

static void refuses_what_is_cut(void **state)
{
	struct pl_buf b = {0};

	(void)state;
	code_text_write(&b, &text);
	expect_cut_is_refused(buf_view(&b), read_it);
	buf_release(&b);
}

static void refuses_an_archive_beyond_the_name(void **state)
{
	struct code_text t = text;
	struct pl_buf b = {0};

	(void)state;
	t.archive = (uint32_t)t.file.left + 1;
	code_text_write(&b, &t);
	assert_int_equal(code_text_read(buf_view(&b), &t), PL_ERR_FORMAT);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_it_wrote),
		cmocka_unit_test(refuses_what_is_cut),
		cmocka_unit_test(refuses_an_archive_beyond_the_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
