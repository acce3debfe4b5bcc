/* A SAMPLES record: there and back, packed and plain, and bytes that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/samples.h"
#include "pathline/error.h"

static void put(struct pl_buf *out, uint32_t count)
{
	struct pl_buf rows = {0};
	struct samples_head head = {.process = 3,
		.count = count,
		.open_ticks = 1000,
		.close_ticks = 1000 + 7ul * count,
		.dropped = 2,
		.refused = 1};

	for (uint32_t i = 0; i < count; i++) {
		const struct sample s = {.thread = i % 3,
			.weight = i % 5 + 1,
			.ticks = 1007 + 7ul * i,
			.body = i + 1,
			.unit = 2 * i,
			.waiting = i % 2};
		sample_write(&rows, &s, 1000 + 7ul * i);
	}
	samples_write(out, &head, buf_view(&rows));
	buf_release(&rows);
}

static void there_and_back(uint32_t count)
{
	struct pl_buf bytes = {0}, room = {0};
	struct samples_head head;
	struct pl_view rows;
	struct sample s;

	put(&bytes, count);
	assert_int_equal(samples_open(buf_view(&bytes), &head, &room, &rows), 0);
	assert_int_equal(head.process, 3);
	assert_int_equal(head.count, count);
	assert_int_equal(head.dropped, 2);
	assert_int_equal(head.refused, 1);
	assert_int_equal(head.flags, count > 100 ? SAMPLES_COMPRESSED : 0);
	uint64_t ticks = head.open_ticks;
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(sample_read(&rows, &ticks, &s), 0);
		assert_int_equal(s.thread, i % 3);
		assert_int_equal(s.weight, i % 5 + 1);
		assert_int_equal(s.ticks, 1007 + 7ul * i);
		assert_int_equal(s.body, i + 1);
		assert_int_equal(s.unit, 2 * i);
		assert_int_equal(s.waiting, i % 2);
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

/* Cut anywhere, it is an error or fewer samples, never more. */
static void test_cut(void **state)
{
	struct pl_buf bytes = {0}, room = {0};
	struct samples_head head;
	struct pl_view rows;

	(void)state;
	put(&bytes, 1000);
	for (size_t n = 0; n < bytes.used; n++)
		assert_int_not_equal(samples_open(view_of(bytes.at, n), &head, &room, &rows), 0);
	buf_reset(&bytes);
	put(&bytes, 5);
	for (size_t n = 0; n < bytes.used; n++)
		assert_int_equal(
			samples_open(view_of(bytes.at, n), &head, &room, &rows), PL_ERR_FORMAT);
	buf_release(&bytes);
	buf_release(&room);
}

/* A few bytes must not ask for much memory, and a time that ends before it begins is none. */
static void test_hostile_heads(void **state)
{
	struct pl_buf bytes = {0}, room = {0};
	struct samples_head head;
	struct pl_view rows;

	(void)state;
	put(&bytes, 1000);
	bytes.at[35] = 3; /* raw_bytes: 48 MiB and more */
	assert_int_equal(samples_open(buf_view(&bytes), &head, &room, &rows), PL_ERR_FORMAT);
	bytes.at[35] = 0;
	bytes.at[23] = 0;
	bytes.at[16] = bytes.at[17] = 0;
	assert_int_equal(samples_read_head(buf_view(&bytes), &head), PL_ERR_FORMAT);
	buf_release(&bytes);
	buf_release(&room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_hostile_heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
