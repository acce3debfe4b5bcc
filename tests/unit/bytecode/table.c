/* Both tables entry by entry, as CPython writes them, and cut or damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "bytecode/table.h"
#include "pathline/error.h"

#define ENTRY(kind, units) (0x80 | (kind) << 3 | ((units)-1))

static struct line_reader lines_of(const uint8_t *bytes, size_t n, int32_t first)
{
	return (struct line_reader){.v = view_of(bytes, n), .line = first};
}

static void expect_line(struct line_reader *r, uint32_t units, int32_t line)
{
	struct line_row row;

	assert_int_equal(line_read(r, &row), 0);
	assert_int_equal(row.units, units);
	assert_int_equal(row.line, line);
}

static void expect_position(struct line_reader *r, struct position_row expected)
{
	struct position_row row;

	assert_int_equal(position_read(r, &row), 0);
	assert_int_equal(row.units, expected.units);
	assert_int_equal(row.line, expected.line);
	assert_int_equal(row.end_line, expected.end_line);
	assert_int_equal(row.column, expected.column);
	assert_int_equal(row.end_column, expected.end_column);
}

static void reads_columns(void **state)
{
	static const uint8_t bytes[] = {
		ENTRY(0, 1), 0x12, /* 1 to 3 */
		ENTRY(9, 8), 0x34, /* 9 * 8 + 3, 4 wide */
		ENTRY(11, 2), 1, 100, ENTRY(15, 3), ENTRY(13, 1), 5 << 1 | 1, ENTRY(14, 1),
		0x40 | (100 << 1 & 63), 100 << 1 >> 6, 2, 1, 0x40 | 1, 2, /* to two lines below */
		ENTRY(14, 1), 0, 0, 0, 0,				  /* none */
	};
	struct line_reader r = lines_of(bytes, sizeof bytes, 10);
	struct position_row row;

	(void)state;
	expect_position(&r, (struct position_row){1, 10, 10, 1, 3});
	expect_position(&r, (struct position_row){8, 10, 10, 75, 79});
	expect_position(&r, (struct position_row){2, 11, 11, 1, 100});
	expect_position(&r, (struct position_row){3, LINE_NONE, LINE_NONE, -1, -1});
	expect_position(&r, (struct position_row){1, 6, 6, -1, -1});
	expect_position(&r, (struct position_row){1, 106, 108, 0, 128});
	expect_position(&r, (struct position_row){1, 106, 106, -1, -1});
	assert_int_equal(position_read(&r, &row), PL_END);
	for (size_t n = 1; n < sizeof bytes; n++) {
		r = lines_of(bytes, n, 10);
		int err;
		while ((err = position_read(&r, &row)) == 0)
			;
		assert_true(err == PL_END || err == PL_ERR_FORMAT);
	}
}

static void reads_every_kind_of_location(void **state)
{
	static const uint8_t bytes[] = {
		ENTRY(0, 1),
		0x12, /* columns only */
		ENTRY(9, 8),
		0x34,
		ENTRY(11, 2),
		1,
		2, /* one line on */
		ENTRY(12, 1),
		1,
		2,	      /* two lines on */
		ENTRY(15, 3), /* none */
		ENTRY(13, 1),
		5 << 1 | 1, /* five lines back */
		ENTRY(14, 1),
		0x40 | (100 << 1 & 63),
		100 << 1 >> 6,
		0,
		1,
		1, /* a hundred on */
		ENTRY(10, 1),
		0,
		0,
	};
	struct line_reader r = lines_of(bytes, sizeof bytes, 10);
	struct line_row row;

	(void)state;
	expect_line(&r, 1, 10);
	expect_line(&r, 8, 10);
	expect_line(&r, 2, 11);
	expect_line(&r, 1, 13);
	expect_line(&r, 3, LINE_NONE);
	expect_line(&r, 1, 8);
	expect_line(&r, 1, 108);
	expect_line(&r, 1, 108);
	assert_int_equal(line_read(&r, &row), PL_END);
	assert_int_equal(line_read(&r, &row), PL_END);
}

static void passes_over_what_stays_on_the_line(void **state)
{
	static const uint8_t bytes[] = {
		ENTRY(10, 2),
		0,
		0, /* the row that is read */
		ENTRY(0, 8),
		0, /* columns only */
		ENTRY(9, 3),
		0x7f,
		ENTRY(10, 1),
		0,
		0, /* and with a line that is the same */
		ENTRY(11, 4),
		0,
		0,	      /* the next one */
		ENTRY(15, 5), /* none: but the line goes on after it */
		ENTRY(1, 1),
		0,
	};
	struct line_reader r = lines_of(bytes, sizeof bytes, 10);
	struct line_row row;

	(void)state;
	expect_line(&r, 2, 10);
	assert_int_equal(line_read_same(&r), 12);
	assert_int_equal(line_read_same(&r), 0);
	expect_line(&r, 4, 11);
	assert_int_equal(line_read_same(&r), 0);
	expect_line(&r, 5, LINE_NONE);
	expect_line(&r, 1, 11);
	assert_int_equal(line_read_same(&r), 0);
	assert_int_equal(line_read(&r, &row), PL_END);
}

/* A table by chance, of entries with too few and too many columns. */
static size_t write_entries(uint8_t *to, size_t room, uint32_t *seed)
{
	size_t used = 0;

	while (used + 12 < room) {
		*seed = *seed * 1664525 + 1013904223;
		const uint32_t n = *seed >> 8;
		const unsigned kind = n % 16 == 14 ? 13 : n % 16;
		to[used++] = (uint8_t)ENTRY(kind, 1 + (n >> 4) % 8);
		if (kind == 13)
			to[used++] = (uint8_t)(n >> 7 & 0x3f);
		for (unsigned columns = (n >> 13) % 4 ? 1 : n >> 15 & 7; columns; columns--)
			to[used++] = (uint8_t)(n >> columns & 0x7f);
	}
	return used;
}

/* What is passed over together is what would be read one by one. */
static void passes_over_as_it_reads(void **state)
{
	uint8_t bytes[400];
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		const size_t length = write_entries(bytes, 20 + (size_t)i % 380, &seed);
		struct line_reader r = lines_of(bytes, length, 1), one = r;
		struct line_row row;
		while (line_read(&r, &row) == 0) {
			const uint32_t most = seed >> 9 & 31;
			const int32_t line = r.line;
			line_read(&one, &row);
			uint32_t passed = i % 2 ? line_read_same(&r) : line_read_near(&r, most);
			assert_true(!(i % 2) || r.line == line);
			for (uint32_t units = 0; units < passed; units += row.units) {
				assert_true(i % 2 || units < most);
				assert_int_equal(line_read(&one, &row), 0);
				assert_true(row.line >= line && row.line - r.line <= 0);
			}
			assert_ptr_equal(one.v.at, r.v.at);
			assert_int_equal(one.line, r.line);
		}
	}
}

/* It ends where the next kind begins, or the units are enough: not before. */
static void passes_over_lines_that_are_near(void **state)
{
	static const uint8_t bytes[] = {ENTRY(10, 2), 0, 0, ENTRY(11, 3), 0, 0, ENTRY(0, 1), 0,
		ENTRY(12, 2), 0, 0, ENTRY(13, 1), 2, ENTRY(12, 8), 0, 0, ENTRY(12, 8), 0, 0};
	struct line_reader r = lines_of(bytes, sizeof bytes, 10), again;

	(void)state;
	expect_line(&r, 2, 10);
	again = r;
	assert_int_equal(line_read_near(&r, 100), 6);
	assert_int_equal(r.line, 13);
	expect_line(&r, 1, 14);
	assert_int_equal(line_read_near(&r, 1), 8);
	assert_int_equal(r.line, 16);
	assert_int_equal(line_read_near(&r, 100), 8);
	assert_int_equal(line_read_near(&again, 0), 0);
	assert_int_equal(line_read_near(&again, 4), 4);
	assert_int_equal(again.line, 11);
	again.line = INT32_MAX - 1; /* line_read says that it is out of range */
	assert_int_equal(line_read_near(&again, 100), 0);
}

static void a_cut_number_ends_as_with_a_zero(void **state)
{
	static const uint8_t bytes[] = {ENTRY(13, 1), 0x40 | 4};
	struct line_reader r = lines_of(bytes, sizeof bytes, 1), empty = lines_of(bytes, 1, 1);

	(void)state;
	expect_line(&r, 1, 3);
	expect_line(&empty, 1, 1);
}

static void refuses_lines_out_of_range(void **state)
{
	static const uint8_t endless[] = {
		ENTRY(13, 1), 0x42, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0};
	static const uint8_t on[] = {ENTRY(13, 1), 2};
	struct line_reader r = lines_of(endless, sizeof endless, 1);
	struct line_reader last = lines_of(on, sizeof on, INT32_MAX);
	struct line_row row;

	(void)state;
	assert_int_equal(line_read(&r, &row), PL_ERR_FORMAT);
	assert_int_equal(line_read(&last, &row), PL_ERR_FORMAT);
}

static void reads_handlers(void **state)
{
	static const uint8_t bytes[] = {0x80 | 3, 4, 0x40 | 1, 2, 7, 0x80 | 0x40 | 1, 0, 1, 2, 3};
	struct pl_view v = view_of(bytes, sizeof bytes);
	struct handler_row row;

	(void)state;
	assert_int_equal(handler_read(&v, &row), 0);
	assert_int_equal(row.start, 3);
	assert_int_equal(row.length, 4);
	assert_int_equal(row.target, 66);
	assert_int_equal(handler_read(&v, &row), 0);
	assert_int_equal(row.start, 64);
	assert_int_equal(row.target, 2);
	assert_int_equal(handler_read(&v, &row), PL_END);
}

static void refuses_handlers_that_are_cut_or_too_large(void **state)
{
	static const uint8_t bytes[] = {0x80 | 3, 4, 0x40 | 1, 2, 7};
	static const uint8_t large[] = {0xff, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x3f, 1, 1, 1};
	struct pl_view v;
	struct handler_row row;

	(void)state;
	for (size_t n = 1; n < sizeof bytes; n++) {
		v = view_of(bytes, n);
		assert_int_equal(handler_read(&v, &row), PL_ERR_FORMAT);
	}
	v = view_of(large, sizeof large);
	assert_int_equal(handler_read(&v, &row), PL_ERR_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_kind_of_location),
		cmocka_unit_test(reads_columns),
		cmocka_unit_test(passes_over_what_stays_on_the_line),
		cmocka_unit_test(passes_over_as_it_reads),
		cmocka_unit_test(passes_over_lines_that_are_near),
		cmocka_unit_test(a_cut_number_ends_as_with_a_zero),
		cmocka_unit_test(refuses_lines_out_of_range),
		cmocka_unit_test(reads_handlers),
		cmocka_unit_test(refuses_handlers_that_are_cut_or_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
