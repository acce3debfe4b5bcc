/* The table of a pack: there and back, and rows that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/pack.h"
#include "format/record.h"
#include "pathline/error.h"

static void test_there_and_back(void **state)
{
	const struct pack_row rows[] = {{0, 120}, {7, 0}, {8, 1ull << 40}, {UINT32_MAX, 1}};
	struct pl_buf bytes = {0};
	struct record record;
	struct pack_row row = {0};
	bool cut;

	(void)state;
	pack_write(&bytes, rows, 4);
	struct pl_view v = buf_view(&bytes);
	assert_int_equal(record_read(&v, &record, &cut), 0);
	assert_int_equal(record.kind, RECORD_PACK);
	assert_int_equal(record.flags, 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(pack_read_row(&record.payload, i ? &row : NULL, &row), 0);
		assert_int_equal(row.file, rows[i].file);
		assert_int_equal(row.bytes, rows[i].bytes);
	}
	assert_int_equal(pack_read_row(&record.payload, &row, &row), PL_END);
	buf_release(&bytes);
}

/* Read rows until one is refused, or there are no more. */
static int read_all(const uint64_t *numbers, size_t count)
{
	struct pl_buf payload = {0};
	struct pack_row row = {0}, *before = NULL;
	int code = 0;

	for (size_t i = 0; i < count; i++)
		buf_varint(&payload, numbers[i]);
	for (struct pl_view v = buf_view(&payload); code == 0; before = &row)
		code = pack_read_row(&v, before, &row);
	buf_release(&payload);
	return code;
}

#define READ(...)                                                                                  \
	read_all((const uint64_t[]){__VA_ARGS__},                                                  \
		sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static void test_what_is_no_table(void **state)
{
	(void)state;
	assert_int_equal(READ(0, 10), PL_END);
	assert_int_equal(READ(0, 10, 1, 10), PL_END);
	assert_int_equal(read_all(NULL, 0), PL_ERR_FORMAT);			  /* nothing */
	assert_int_equal(READ(1, 10), PL_ERR_FORMAT);				  /* no meta */
	assert_int_equal(READ(0, 10, 0, 10), PL_ERR_FORMAT);			  /* meta twice */
	assert_int_equal(READ(0, 10, 2, 1, 2, 1), PL_ERR_FORMAT);		  /* a file twice */
	assert_int_equal(READ(0, 10, 2, 1, 1, 1), PL_ERR_FORMAT);		  /* out of order */
	assert_int_equal(READ(0, 10, 1), PL_ERR_FORMAT);			  /* half a row */
	assert_int_equal(READ(0, 1ull << 63), PL_ERR_FORMAT);			  /* no off_t */
	assert_int_equal(READ(0, 1, (uint64_t)UINT32_MAX + 1, 1), PL_ERR_FORMAT); /* no number */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_what_is_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
