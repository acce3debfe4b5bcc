/* Values of rows, through cursors: forward, after seeks, backward, in blocks and in chains, from
 * sections and among the events; and sections that are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/varint.h"
#include "format/value_table.h"
#include "pathline/search.h"
#include "pathline/values.h"
#include "tests/lib/recording.h"

#define CALLS 400
#define ROWS  (5 + 4 * CALLS)
#define FIRST 2 /* seq of the first call of f */

/* | flags 0 | INT number | */
static void put_number(struct maker_thread *t, int64_t number)
{
	uint8_t bytes[2 + PL_VARINT_MAX] = {0, VALUE_INT};
	const uint8_t *end = varint_write(bytes + 2, zigzag(number));

	maker_done(
		t, event_write_further(maker_room(t), EVENT_VALUES, bytes, (size_t)(end - bytes)));
}

/* | flags | string "n" | INT number | */
static void put_variable(struct maker_thread *t, int64_t number)
{
	uint8_t bytes[4 + PL_VARINT_MAX] = {VARIABLES_ALL, 1, 'n', VALUE_INT};
	const uint8_t *end = varint_write(bytes + 4, zigzag(number));

	maker_done(t,
		event_write_further(maker_room(t), EVENT_VARIABLES, bytes, (size_t)(end - bytes)));
}

/* From its second line on. */
static void end_main(struct maker_thread *t)
{
	maker_line(t, 1);
	maker_line(t, 2);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(2));
}

/* main calls f: its argument is the number of the call, its result minus that. Every third call has
 * none, and every fifth result has a time between it and its event. Its second line and its return
 * have a variable, except in every seventh call. */
static void make_calls(struct maker *m, struct maker_thread *t)
{
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	for (int64_t i = 0; i < CALLS; i++) {
		if (i % 3)
			put_number(t, i);
		maker_event1(t, EVENT_TIME, 30);
		maker_enter(t, MAKER_UNIT(0), 20);
		maker_line(t, 0);
		if (i % 7)
			put_variable(t, i);
		maker_line(t, 1);
		if (i % 5)
			maker_event1(t, EVENT_TIME, 7);
		if (i % 7)
			put_variable(t, i);
		put_number(t, -i);
		if (i % 5 == 0)
			maker_event1(t, EVENT_TIME, 7);
		maker_event1(t, EVENT_LEAVE, MAKER_UNIT(1));
		if (i == CALLS / 2)
			maker_cut(m, t);
	}
	end_main(t);
	maker_cut(m, t);
}

static void make(struct maker *m, bool chains)
{
	maker_init(m);
	m->chains = chains;
	maker_body(m, 1, "main", 1, 3);
	maker_body(m, 2, "f", 10, 3);
	struct maker_thread *t = maker_thread(m, 0);
	make_calls(m, t);
	maker_thread_end(m, t);
	maker_end(m);
}

static struct pl_recording *open_it(struct maker *m)
{
	struct pl_recording *r;

	assert_int_equal(recording_open_files(&r, maker_files(m), NULL), 0);
	return r;
}

static struct pl_cursor *cursor_of(struct pl_recording *r, uint32_t thread)
{
	struct pl_cursor *c;

	assert_int_equal(pl_cursor_new(&c, r, 1, thread, NULL), 0);
	pl_cursor_want_values(c, true);
	return c;
}

static void expect_variables(const struct pl_event *e)
{
	const int64_t call = ((int64_t)e->seq - FIRST) / 4;
	struct pl_values rest = e->variables;
	struct pl_value v = {0};

	if (e->seq < FIRST || call >= CALLS || ((int64_t)e->seq - FIRST) % 4 < 2 || call % 7 == 0) {
		assert_null(e->variables.at);
		return;
	}
	assert_int_equal(rest.flags, PL_VALUES_ALL);
	assert_int_equal(pl_values_next(&rest, &v), 0);
	assert_int_equal(v.name.length, 1);
	assert_int_equal(*v.name.at, 'n');
	assert_int_equal(v.integer, call);
	assert_int_equal(pl_values_next(&rest, &v), PL_END);
}

/* Of the row with this seq: main and a line, then call, two lines and return for each call of f. */
static void expect_values(const struct pl_event *e)
{
	const int64_t call = ((int64_t)e->seq - FIRST) / 4;
	struct pl_values rest = e->values;
	struct pl_value v = {0};
	const bool is_call = e->seq >= FIRST && e->kind == PL_EVENT_CALL && call % 3;
	const bool is_return = e->kind == PL_EVENT_RETURN && call < CALLS;

	expect_variables(e);
	if (!is_call && !is_return) {
		assert_null(e->values.at);
		return;
	}
	assert_int_equal(pl_values_next(&rest, &v), 0);
	assert_int_equal(v.kind, PL_VALUE_INT);
	assert_int_equal(v.integer, is_call ? call : -call);
	assert_int_equal(pl_values_next(&rest, &v), PL_END);
}

static uint64_t expect_all(struct pl_cursor *c)
{
	struct pl_event e;
	uint64_t rows = 0;

	for (; pl_cursor_next(c, &e, NULL) == 0; rows++)
		expect_values(&e);
	return rows;
}

static void expect_everywhere(struct pl_recording *r)
{
	struct pl_cursor *c = cursor_of(r, 0), *all = cursor_of(r, PL_ALL_THREADS);
	struct pl_event e;

	assert_int_equal(expect_all(c), ROWS);
	assert_int_equal(expect_all(all), ROWS);
	for (uint64_t seq = 4 * CALLS; seq > 0; seq -= 2 + seq % 2) {
		assert_int_equal(pl_cursor_seek_seq(c, seq, NULL), 0);
		assert_int_equal(pl_cursor_next(c, &e, NULL), 0);
		assert_int_equal(e.seq, seq);
		expect_values(&e);
	}
	assert_int_equal(pl_cursor_seek_seq(c, CALLS, NULL), 0);
	expect_all(c);
	pl_cursor_want_values(c, false);
	assert_int_equal(pl_cursor_seek_seq(c, 5, NULL), 0);
	assert_int_equal(pl_cursor_next(c, &e, NULL), 0);
	assert_null(e.values.at);
	pl_cursor_free(c);
	pl_cursor_free(all);
}

static int expect_asked(void *context, const struct pl_event *e)
{
	(void)context;
	expect_values(e);
	return e->seq % 8 ? 0 : PL_END;
}

/* Also what the search asks about has its values. */
static void expect_searched(struct pl_recording *r)
{
	const struct pl_wanted wanted = {.process = 1,
		.kinds = 1u << PL_EVENT_CALL | 1u << PL_EVENT_RETURN,
		.is = expect_asked};
	struct pl_search *s;
	struct pl_event e;
	uint64_t seq = 0, rows = 0;

	assert_int_equal(pl_search_new(&s, r, &wanted, NULL), 0);
	pl_search_want_values(s, true);
	for (; pl_search_next(s, seq, UINT64_MAX, &e, NULL) == 0; seq = e.seq + 1, rows++)
		expect_values(&e);
	assert_true(rows > CALLS);
	for (seq = UINT64_MAX; rows && pl_search_previous(s, seq, 0, &e, NULL) == 0; rows--) {
		expect_values(&e);
		seq = e.seq;
	}
	assert_int_equal(rows, 0);
	pl_search_free(s);
}

static void read_them(bool chains)
{
	struct pl_recording_info info;
	struct pl_check_result result;
	struct maker m;

	make(&m, chains);
	struct pl_recording *r = open_it(&m);
	pl_recording_info(r, &info);
	assert_int_equal(info.value_events, CALLS + CALLS * 2 / 3);
	assert_int_equal(info.unknown_events, 0);
	assert_int_equal(pl_recording_check(r, NULL, NULL, &result, NULL), 0);
	expect_everywhere(r);
	expect_searched(r);
	pl_recording_close(r);
	maker_release(&m);
}

static void test_blocks(void **state)
{
	(void)state;
	read_them(false);
}

static void test_chains(void **state)
{
	(void)state;
	read_them(true);
}

/* ---- a block that has them among its events, as no recorder writes them ---- */

/* The block's events lie apart from nothing: mentions that were made before, without any. */
static void cut_without_sections(struct maker *m, struct maker_thread *t)
{
	struct pl_buf payload = {0};
	struct mentions mentions = {0};

	maker_head(t);
	const struct pl_view events = buf_view(&t->events);
	mentions_add_code(&mentions, 10);
	mentions_add_code(&mentions, 20);
	const struct block_source source = {.head = &t->head,
		.stack = &t->opening,
		.bodies = &m->bodies,
		.parts = &events,
		.part_count = 1,
		.mentions = &mentions};
	assert_int_equal(block_write(&payload, &source, 1), 0);
	record_write(&m->segments[m->segment], RECORD_BLOCK, buf_view(&payload), NULL, 0);
	buf_release(&payload);
	mentions_release(&mentions);
}

static void test_among_events(void **state)
{
	struct pl_check_result result;
	struct pl_event e;
	struct maker m;

	(void)state;
	maker_init(&m);
	maker_body(&m, 1, "main", 1, 3);
	maker_body(&m, 2, "f", 10, 3);
	struct maker_thread *t = maker_thread(&m, 0);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	put_number(t, 1);
	maker_event1(t, EVENT_TIME, 30);
	maker_enter(t, MAKER_UNIT(0), 20);
	maker_line(t, 0);
	maker_line(t, 1);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(1));
	cut_without_sections(&m, t);
	maker_thread_end(&m, t);
	maker_end(&m);
	struct pl_recording *r = open_it(&m);
	struct pl_cursor *c = cursor_of(r, 0);
	assert_int_equal(pl_recording_check(r, NULL, NULL, &result, NULL), 0);
	for (uint32_t i = 0; pl_cursor_next(c, &e, NULL) == 0; i++)
		assert_int_equal(e.values.at != NULL, i == 2);
	pl_cursor_free(c);
	pl_recording_close(r);
	maker_release(&m);
}

/* ---- damage ---- */

static void count_named(void *arg, const struct pl_damage *d)
{
	*(uint32_t *)arg += strstr(d->what, "values") != NULL;
}

/* Rows are there without values, and the block is named. */
static void expect_damaged(struct maker *m, uint64_t rows)
{
	struct pl_recording *r = open_it(m);
	struct pl_cursor *c = cursor_of(r, 0);
	struct pl_check_result result;
	struct pl_value value;
	struct pl_event e;
	uint32_t named = 0;

	assert_int_equal(pl_recording_check(r, count_named, &named, &result, NULL), PL_ERR_FORMAT);
	assert_int_equal(named, 1);
	for (; pl_cursor_next(c, &e, NULL) == 0; rows--)
		if (e.values.at)
			assert_int_equal(pl_values_next(&e.values, &value), PL_ERR_FORMAT);
	assert_int_equal(rows, 0);
	pl_cursor_free(c);
	pl_recording_close(r);
}

/* A value that is cut off: its section is whole. */
static void test_damaged_value(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m);
	maker_body(&m, 1, "main", 1, 3);
	struct maker_thread *t = maker_thread(&m, 0);
	maker_done(t, event_write_further(maker_room(t), EVENT_VALUES, "\0\4", 2));
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	end_main(t);
	maker_cut(&m, t);
	maker_thread_end(&m, t);
	maker_end(&m);
	expect_damaged(&m, 5);
	maker_release(&m);
}

/* The section of the first block has another row than its table says. */
static void test_damaged_section(void **state)
{
	struct record record;
	struct pl_buf out = {0}, changed = {0};
	struct maker m;
	bool cut, first = true;

	(void)state;
	maker_init(&m);
	maker_body(&m, 1, "main", 1, 3);
	struct maker_thread *t = maker_thread(&m, 0);
	put_number(t, 1);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	end_main(t);
	maker_cut(&m, t);
	maker_thread_end(&m, t);
	maker_end(&m);
	struct pl_view rest = buf_view(&m.segments[0]);
	while (record_read(&rest, &record, &cut) == 0) {
		struct block_sections sections;
		buf_reset(&changed);
		buf_put(&changed, record.payload.at, record.payload.left);
		if (first && record.kind == RECORD_BLOCK) {
			const struct pl_view body = view_of(
				changed.at + BLOCK_HEAD_BYTES, changed.used - BLOCK_HEAD_BYTES);
			assert_int_equal(block_read_sections(body, &sections), 0);
			changed.at[BLOCK_HEAD_BYTES + sections.table] = 0x70; /* behind the block */
			first = false;
		}
		record_write(&out, record.kind, buf_view(&changed), NULL, 0);
	}
	assert_false(first);
	buf_release(&m.segments[0]);
	buf_release(&changed);
	m.segments[0] = out;
	expect_damaged(&m, 5);
	maker_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_among_events),
		cmocka_unit_test(test_damaged_value),
		cmocka_unit_test(test_damaged_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
