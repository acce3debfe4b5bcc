/* Events of sources, as a reader sees them: whose they are, what they say, kinds without a
 * description, counts, and damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/recording.h"

static const struct source_value_name names[] = {{257, "openat"}, {-2, "ENOENT"}};
static const struct source_field fields[] = {
	{.name = "name", .unit = "", .type = PL_FIELD_UNSIGNED, .names = names, .name_count = 2},
	{.name = "result", .unit = "", .type = PL_FIELD_SIGNED, .names = names, .name_count = 2},
	{.name = "duration", .unit = "ns", .type = PL_FIELD_UNSIGNED},
	{.name = "file", .unit = "", .type = PL_FIELD_TEXT},
};
static const struct source_kind syscall_kind = {
	.name = "syscall", .meaning = "a system call", .fields = fields, .field_count = 4};

static void describe(struct maker *m)
{
	const struct pl_event_source source = {.number = 1, .name = "kernel", .text = ""};
	struct pl_buf b = {0};

	event_source_write(&b, &source);
	maker_meta(m, RECORD_EVENT_SOURCE, &b);
	b = (struct pl_buf){0};
	event_kind_write(&b, 1, 1, &syscall_kind);
	maker_meta(m, RECORD_EVENT_KIND, &b);
}

/* The kernel's `number` and result, after `ticks`, of a thread. */
static void put_row(struct pl_buf *rows, struct source_row *last, uint32_t kind, uint32_t native_id)
{
	struct pl_buf b = {0};

	buf_varint(&b, 257);
	buf_varint(&b, 3); /* -2 */
	buf_varint(&b, 12100);
	buf_string(&b, "/etc", 4);
	buf_string(&b, "of later", 8);
	const struct source_row row = {.kind = kind,
		.native_id = native_id,
		.ticks = last->ticks + 1000,
		.fields = buf_view(&b)};
	source_row_write(rows, &row, last);
	*last = row;
	buf_release(&b);
}

/* Rows of the process: of the main thread, of no thread, and of a kind that is not described. */
static void put_record(struct maker *m, uint32_t process, uint32_t count)
{
	struct pl_buf rows = {0}, payload = {0};
	struct source_row last = {0};
	struct source_head head = {.source = 1,
		.process = process,
		.pid = 4711,
		.count = count,
		.open_ticks = 1000,
		.close_ticks = 3000,
		.lost = 4,
		.error_ns = 7};

	put_row(&rows, &last, 1, 9000);
	put_row(&rows, &last, 1, 12);
	put_row(&rows, &last, 9, 9000);
	source_events_write(&payload, &head, buf_view(&rows));
	record_write(&m->segments[0], RECORD_SOURCE_EVENTS, buf_view(&payload), NULL, 0);
	buf_release(&rows);
	buf_release(&payload);
}

static struct pl_recording *make(struct maker *m, uint32_t process, uint32_t count)
{
	struct pl_recording *r = NULL;
	struct pl_err err = {0};

	maker_init(m);
	maker_thread(m, 0);
	describe(m);
	put_record(m, process, count);
	assert_int_equal(recording_open_files(&r, maker_files(m), &err), 0);
	return r;
}

static void test_rows(void **state)
{
	struct maker m;
	struct pl_recording *r = make(&m, 1, 3);
	struct pl_source_rows *rows = NULL;
	struct pl_source_row row;
	struct pl_err err = {0};
	char text[64];

	(void)state;
	assert_int_equal(pl_event_source_count(r), 1);
	assert_string_equal(pl_event_source(r, 0)->name, "kernel");
	assert_int_equal(pl_event_source(r, 0)->events, 3);
	assert_int_equal(pl_event_source(r, 0)->lost, 4);
	assert_null(pl_event_source(r, 1));
	assert_int_equal(pl_source_rows_new(&rows, r, 1, &err), 0);
	assert_int_equal(pl_source_rows_next(rows, &row, &err), 0);
	assert_int_equal(row.process, 1);
	assert_int_equal(row.thread, 0);
	assert_int_equal(row.time_ns, MAKER_START_NS + 1000);
	assert_true(row.time_error_ns >= 7);
	assert_int_equal(row.value_count, 4);
	assert_string_equal(row.values[0].name, "openat");
	assert_int_equal((int64_t)row.values[1].number, -2);
	pl_source_row_text(&row, text, sizeof text);
	assert_string_equal(text, "syscall openat ENOENT 12.1 µs /etc");
	assert_int_equal(
		pl_source_row_text(&row, text, 8), strlen("syscall openat ENOENT 12.1 µs /etc"));
	assert_string_equal(text, "syscall");
	assert_int_equal(pl_source_field(row.kind, "duration"), 2);
	assert_int_equal(pl_source_field(row.kind, "none"), -1);
	assert_int_equal(pl_source_rows_next(rows, &row, &err), 0);
	assert_int_equal(row.thread, PL_NO_THREAD);
	assert_int_equal(row.native_id, 12);
	assert_int_equal(pl_source_rows_next(rows, &row, &err), 0);
	assert_int_equal(row.kind->field_count, 0);
	assert_int_equal(pl_source_rows_next(rows, &row, &err), PL_END);
	pl_source_rows_free(rows);
	assert_int_equal(pl_recording_check(r, NULL, NULL, NULL, &err), 0);
	pl_recording_close(r);
	maker_release(&m);
}

static void test_of_other_processes(void **state)
{
	struct maker m;
	struct pl_recording *r = make(&m, 0, 3);
	struct pl_source_rows *rows = NULL;
	struct pl_source_row row;
	struct pl_err err = {0};

	(void)state;
	assert_int_equal(pl_source_rows_new(&rows, r, 1, &err), 0);
	assert_int_equal(pl_source_rows_next(rows, &row, &err), PL_END);
	pl_source_rows_free(rows);
	assert_int_equal(pl_source_rows_new(&rows, r, PL_ANY_PROCESS, &err), 0);
	assert_int_equal(pl_source_rows_next(rows, &row, &err), 0);
	assert_int_equal(row.thread, PL_NO_THREAD);
	assert_int_equal(row.pid, 4711);
	pl_source_rows_free(rows);
	pl_recording_close(r);
	maker_release(&m);
}

/* A head that promises more rows than there are: the check says so. */
static void test_damage(void **state)
{
	struct maker m;
	struct pl_recording *r = make(&m, 1, 4);
	struct pl_err err = {0};

	(void)state;
	assert_int_equal(pl_recording_check(r, NULL, NULL, NULL, &err), PL_ERR_FORMAT);
	pl_recording_close(r);
	maker_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_of_other_processes),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
