/* Events of kinds that this version does not know: a recording with them reads as one without, and
 * they are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "pathline/counts.h"
#include "tests/lib/recording.h"

#define PASSES 300

/* Two blocks, or one chain of two. Returns how many further events there are. */
static uint64_t make(struct maker *m, bool chains, bool further)
{
	uint64_t n = 0;

	maker_init(m);
	m->chains = chains;
	maker_body(m, 1, "main", 1, 3);
	maker_body(m, 2, "f", 10, 3);
	struct maker_thread *t = maker_thread(m, 0);
	maker_enter(t, EVENT_NO_SITE, 10);
	for (uint32_t i = 0; i < PASSES; i++) {
		maker_event1(t, EVENT_TIME, 30);
		maker_enter(t, MAKER_UNIT(0), 20);
		for (uint32_t k = 0; further && k < i % 3; k++, n++)
			maker_further(t, 23 + 40 * (i % 2), i % 7 ? "a value" : "");
		maker_line(t, 0);
		maker_line(t, 1);
		maker_event1(t, EVENT_LEAVE, MAKER_UNIT(1));
		if (i == PASSES / 2)
			maker_cut(m, t);
	}
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(2));
	maker_cut(m, t);
	maker_thread_end(m, t);
	maker_end(m);
	return n;
}

static struct pl_recording *open_it(struct maker *m)
{
	struct pl_recording *r;

	assert_int_equal(recording_open_files(&r, maker_files(m), NULL), 0);
	return r;
}

static void same_rows(struct pl_recording *a, struct pl_recording *b, uint64_t from)
{
	struct pl_cursor *x, *y;
	struct pl_event e, f;
	int code;

	assert_int_equal(pl_cursor_new(&x, a, 1, 0, NULL), 0);
	assert_int_equal(pl_cursor_new(&y, b, 1, 0, NULL), 0);
	assert_int_equal(pl_cursor_seek_seq(x, from, NULL), 0);
	assert_int_equal(pl_cursor_seek_seq(y, from, NULL), 0);
	do {
		code = pl_cursor_next(x, &e, NULL);
		assert_int_equal(pl_cursor_next(y, &f, NULL), code);
		if (code)
			break;
		assert_int_equal(e.kind, f.kind);
		assert_int_equal(e.seq, f.seq);
		assert_int_equal(e.line, f.line);
		assert_int_equal(e.depth, f.depth);
		assert_int_equal(e.time_ns, f.time_ns);
	} while (true);
	assert_int_equal(code, PL_END);
	pl_cursor_free(x);
	pl_cursor_free(y);
}

static uint64_t lines_of(struct pl_recording *r)
{
	struct pl_count_table table;
	struct pl_counts *counts;
	struct pl_cursor *c;

	assert_int_equal(pl_counts_new(&counts, r, NULL), 0);
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	assert_int_equal(pl_cursor_count(c, counts, INT64_MAX, NULL), 0);
	assert_int_equal(pl_counts_table(counts, &table, NULL), 0);
	uint64_t lines = table.totals[PL_EVENT_LINE];
	pl_cursor_free(c);
	pl_counts_free(counts);
	return lines;
}

static void compare(bool chains)
{
	struct maker with, without;
	const uint64_t n = make(&with, chains, true);
	struct pl_check_result result;
	struct pl_recording_info info;

	make(&without, chains, false);
	struct pl_recording *r = open_it(&with), *plain = open_it(&without);
	pl_recording_info(r, &info);
	assert_int_equal(info.unknown_events, n);
	assert_int_equal(pl_recording_check(r, NULL, NULL, &result, NULL), 0);
	assert_int_equal(result.unknown, n);
	assert_int_equal(result.blocks, 2);
	same_rows(r, plain, 0);
	same_rows(r, plain, PASSES);
	same_rows(r, plain, 3 * PASSES);
	assert_int_equal(lines_of(r), 2 * PASSES);
	pl_recording_info(plain, &info);
	assert_int_equal(info.unknown_events, 0);
	pl_recording_close(r);
	pl_recording_close(plain);
	maker_release(&with);
	maker_release(&without);
}

static void test_blocks(void **state)
{
	(void)state;
	compare(false);
}

static void test_chains(void **state)
{
	(void)state;
	compare(true);
}

/* Kind 0 and kinds above the last are damage; so is one that is cut off. */
static void test_events(void **state)
{
	struct event_calls calls = {0};
	uint8_t bytes[EVENT_BYTES_MAX];
	struct event e;
	(void)state;

	const uint8_t *end = event_write_further(bytes, EVENT_FURTHER_MAX, "value", 5);
	struct pl_view v = view_of(bytes, (size_t)(end - bytes));
	assert_int_equal(event_read(&v, &calls, &e), 0);
	assert_int_equal(v.left, 0);
	assert_true(e.kind == EVENT_FURTHER && e.a == EVENT_FURTHER_MAX && e.text.left == 5);
	assert_false(event_counts(e.kind));
	for (size_t n = 0; n < (size_t)(end - bytes); n++) {
		v = view_of(bytes, n);
		assert_int_equal(event_read(&v, &calls, &e), PL_ERR_FORMAT);
	}
	for (uint32_t kind = 0; kind <= EVENT_FURTHER_MAX + 1; kind += EVENT_FURTHER_MAX + 1) {
		end = event_write_further(bytes, kind, "", 0);
		v = view_of(bytes, (size_t)(end - bytes));
		assert_int_equal(event_read(&v, &calls, &e), PL_ERR_FORMAT);
	}
}

/* ---- tables of sections that make no sense ---- */

/* Rows of a table: each number is a varint of one byte. */
#define TABLE(...)                                                                                 \
	{                                                                                          \
		(const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})             \
	}

static const struct bad_table {
	const uint8_t *rows;
	uint32_t length;
	uint32_t more_bytes; /* that the table says it has */
	bool wrong_check;
	uint32_t events; /* that info counts, as the table alone is sound */
} bad_tables[] = {
	{.rows = NULL, .wrong_check = true}, {.rows = NULL, .more_bytes = 1},
	{.rows = NULL, .more_bytes = UINT32_MAX}, TABLE(0, 1, 1, 1, 1), /* kind 0 */
	TABLE(EVENT_FURTHER_MAX + 1, 1, 1, 1, 1),			/* a kind that cannot be */
	TABLE(23, 1, 1, 1, 1, 23, 1, 1, 1, 1),				/* twice */
	TABLE(23, 1, 1, 1, 1, 1, 1, 1, 1, 1),				/* not in order */
	TABLE(23, 1, 1, 1, 2), /* more is stored than there is */
	TABLE(23, 1, 1, 1),    /* cut off */
	TABLE(23, 1, 1, 0x80),
	TABLE(23, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1, 1), /* more events than fit */
};

/* Its section would end after the block. */
static const uint8_t too_long[] = {23, 1, 1, 0xff, 0xff, 3, 0xff, 0xff, 3};

static void put_table(struct pl_buf *out, const struct bad_table *bad)
{
	struct pl_buf table = {0};

	buf_u32(&table, bad->length + bad->more_bytes);
	buf_put(&table, bad->rows, bad->length);
	buf_u64(&table, hash_bytes(table.at, table.used) + bad->wrong_check);
	buf_put(out, table.at, table.used);
	buf_release(&table);
}

/* The block's table is another one; its record has a right checksum. */
static void put_block(struct pl_buf *out, struct pl_view payload, const struct bad_table *bad)
{
	struct block_sections sections;
	struct pl_buf changed = {0};
	struct pl_view head = {0};

	assert_int_equal(view_bytes(&payload, BLOCK_HEAD_BYTES, &head), 0);
	assert_int_equal(block_read_sections(payload, &sections), 0);
	buf_put(&changed, head.at, head.left);
	put_table(&changed, bad);
	buf_put(&changed, payload.at + sections.table, payload.left - sections.table);
	record_write(out, RECORD_BLOCK, buf_view(&changed), NULL, 0);
	buf_release(&changed);
}

/* Of the second block. */
static void change_table(struct maker *m, const struct bad_table *bad)
{
	struct pl_view rest = buf_view(&m->segments[0]);
	struct pl_buf out = {0};
	struct record record;
	uint32_t blocks = 0;
	bool cut;

	while (record_read(&rest, &record, &cut) == 0) {
		if (record.kind == RECORD_BLOCK && blocks++ == 1)
			put_block(&out, record.payload, bad);
		else
			record_write(&out, record.kind, record.payload, NULL, 0);
	}
	assert_int_equal(blocks, 2);
	buf_release(&m->segments[0]);
	m->segments[0] = out;
}

static void count_named(void *arg, const struct pl_damage *d)
{
	*(uint32_t *)arg += strstr(d->what, "the block is damaged") != NULL;
}

/* check names the block; readers have a gap in its place, and all that is before it. */
static void expect_damaged(struct maker *m, uint32_t events)
{
	struct pl_check_result result;
	struct pl_recording_info info;
	struct pl_recording *r = open_it(m);
	struct pl_cursor *c;
	struct pl_event e;
	uint32_t named = 0, gaps = 0, rows = 0;

	pl_recording_info(r, &info);
	assert_int_equal(info.unknown_events, 150 + events); /* 150: of the first block */
	assert_int_equal(pl_recording_check(r, count_named, &named, &result, NULL), PL_ERR_FORMAT);
	assert_int_equal(named, 1);
	assert_int_equal(result.blocks, 1);
	assert_int_equal(pl_cursor_new(&c, r, 1, 0, NULL), 0);
	while (pl_cursor_next(c, &e, NULL) == 0) {
		rows++;
		gaps += e.kind == PL_EVENT_GAP && e.gap == PL_GAP_DAMAGED;
	}
	assert_int_equal(gaps, 1);
	assert_true(rows > PASSES);
	pl_cursor_free(c);
	pl_recording_close(r);
}

static void expect_bad(const struct bad_table *bad)
{
	struct maker m;

	make(&m, false, true);
	change_table(&m, bad);
	expect_damaged(&m, bad->events);
	maker_release(&m);
}

static void test_bad_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad_tables / sizeof *bad_tables; i++)
		expect_bad(&bad_tables[i]);
	expect_bad(&(struct bad_table){.rows = too_long, .length = sizeof too_long, .events = 1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_bad_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
