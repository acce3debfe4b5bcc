/* A SOURCE_EVENTS record: there and back, packed and plain, and bytes that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/source_events.h"
#include "pathline/error.h"

static void put(struct pl_buf *out, uint32_t count)
{
	struct pl_buf rows = {0};
	struct source_row last = {0};
	struct source_head head = {.source = 2,
		.process = 3,
		.pid = 4711,
		.count = count,
		.open_ticks = 900,
		.close_ticks = 1000 + 7ul * count,
		.lost = 5,
		.kinds = 6,
		.error_ns = 120};

	for (uint32_t i = 0; i < count; i++) {
		const struct source_row row = {.kind = i % 2 + 1,
			.native_id = 4711 + i % 3,
			.ticks = 1000 + 7ul * (i ^ 1), /* of two threads, they are about in order */
			.fields = view_of("0123456789", i % 10)};
		source_row_write(&rows, &row, &last);
		last = row;
	}
	source_events_write(out, &head, buf_view(&rows));
	buf_release(&rows);
}

static void there_and_back(uint32_t count)
{
	struct pl_buf bytes = {0}, room = {0};
	struct source_head head = {0};
	struct pl_view rows = {0};
	struct source_row row = {0};

	put(&bytes, count);
	assert_int_equal(source_events_open(buf_view(&bytes), &head, &room, &rows), 0);
	assert_int_equal(head.source, 2);
	assert_int_equal(head.process, 3);
	assert_int_equal(head.pid, 4711);
	assert_int_equal(head.count, count);
	assert_int_equal(head.open_ticks, 900);
	assert_int_equal(head.lost, 5);
	assert_int_equal(head.kinds, 6);
	assert_int_equal(head.error_ns, 120);
	assert_int_equal(head.flags, count > 100 ? SOURCE_COMPRESSED : 0);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(source_row_read(&rows, &row), 0);
		assert_int_equal(row.kind, i % 2 + 1);
		assert_int_equal(row.native_id, 4711 + i % 3);
		assert_int_equal(row.ticks, 1000 + 7ul * (i ^ 1));
		assert_int_equal(row.fields.left, i % 10);
	}
	assert_int_equal(rows.left, 0);
	buf_release(&bytes);
	buf_release(&room);
}

static void test_there_and_back(void **state)
{
	(void)state;
	there_and_back(0);
	there_and_back(5);
	there_and_back(1000);
}

/* Cut anywhere, it is an error or fewer rows, never more. */
static void test_cut(void **state)
{
	struct pl_buf bytes = {0}, room = {0};
	struct source_head head = {0};
	struct pl_view rows = {0};

	(void)state;
	put(&bytes, 1000);
	for (size_t n = 0; n < bytes.used; n++)
		assert_int_not_equal(
			source_events_open(view_of(bytes.at, n), &head, &room, &rows), 0);
	buf_reset(&bytes);
	put(&bytes, 5);
	for (size_t n = 0; n < bytes.used; n++)
		assert_int_equal(source_events_open(view_of(bytes.at, n), &head, &room, &rows),
			PL_ERR_FORMAT);
	buf_release(&bytes);
	buf_release(&room);
}

/* A few bytes must not ask for much memory, a time that ends before it begins is none, and a row
 * has a kind. */
static void test_hostile(void **state)
{
	struct pl_buf bytes = {0}, room = {0};
	struct source_head head = {0};
	struct pl_view rows = {0};
	struct source_row row = {0};

	(void)state;
	put(&bytes, 1000);
	bytes.at[55] = 3; /* raw_bytes: 48 MiB and more */
	assert_int_equal(source_events_open(buf_view(&bytes), &head, &room, &rows), PL_ERR_FORMAT);
	bytes.at[55] = 0;
	bytes.at[24] = bytes.at[25] = 0;
	assert_int_equal(source_head_read(buf_view(&bytes), &head), PL_ERR_FORMAT);
	rows = view_of("\0\0\0\0", 4);
	assert_int_equal(source_row_read(&rows, &row), PL_ERR_FORMAT);
	rows = view_of("\1\0\0\5abcd", 8);
	assert_int_equal(source_row_read(&rows, &row), PL_ERR_FORMAT);
	buf_release(&bytes);
	buf_release(&room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
