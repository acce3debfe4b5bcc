/* Paths made by hand, read back through the public API and compared as text: one row a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <cmocka.h>
#include "tests/lib/recording.h"

struct fixture {
	struct maker m;
	struct pl_recording *r;
	struct pl_err err;
};

static void open_maker(struct fixture *f)
{
	f->err = (struct pl_err){0};
	if (recording_open_files(&f->r, maker_files(&f->m), &f->err))
		fail_msg("open: %s", pl_err_text(&f->err));
}

static void close_all(struct fixture *f)
{
	pl_recording_close(f->r);
	maker_release(&f->m);
}

/* "seq event name:line depth", and what is special to the kind. */
static void put_row(struct pl_buf *out, const struct pl_event *e)
{
	buf_printf(out, "%" PRIu64 " %s %s:%d d%u", e->seq, pl_event_kind_name(e->kind),
		e->code ? pl_code_name(e->code) : "-", e->line, e->depth);
	if (e->caller_line)
		buf_printf(out, " from:%d", e->caller_line);
	if (e->type)
		buf_printf(out, " %s", e->type);
	if (e->lost)
		buf_printf(out, " lost:%" PRIu64, e->lost);
	if (e->generator)
		buf_printf(out, " gen:%" PRIu64, e->generator);
	if (e->task)
		buf_printf(out, " task:%s", e->task);
	if (e->task_id)
		buf_printf(out, " task_id:%" PRIu64, e->task_id);
	buf_printf(out, "\n");
}

static char *rows_of(struct pl_cursor *c)
{
	struct pl_buf out = {0};
	struct pl_event e;
	struct pl_err err = {0};
	int code;

	while ((code = pl_cursor_next(c, &e, &err)) == 0)
		put_row(&out, &e);
	if (code != PL_END)
		fail_msg("next: %s", pl_err_text(&err));
	buf_u8(&out, 0);
	return (char *)out.at;
}

static char *rows(struct fixture *f, uint32_t thread)
{
	struct pl_cursor *c;

	assert_int_equal(pl_cursor_new(&c, f->r, 1, thread, &f->err), 0);
	char *text = rows_of(c);
	pl_cursor_free(c);
	return text;
}

static void expect_rows(struct fixture *f, uint32_t thread, const char *expected)
{
	char *text = rows(f, thread);

	assert_string_equal(text, expected);
	free(text);
}

static void begin(struct fixture *f)
{
	maker_init(&f->m);
	maker_body(&f->m, 1, "main", 1, 3);
	maker_body(&f->m, 2, "f", 10, 3);
	maker_string(&f->m, 5, "ValueError");
}

/* A recording of one thread. */
static struct maker_thread *begin_thread(struct fixture *f)
{
	begin(f);
	return maker_thread(&f->m, 0);
}

/* Its last block, its end, the recording's; and the recording is open. */
static void end_thread(struct fixture *f, struct maker_thread *t)
{
	maker_cut(&f->m, t);
	maker_thread_end(&f->m, t);
	maker_end(&f->m);
	open_maker(f);
}

/* ---- rows ---- */

static void test_calls(void **state)
{
	struct fixture f;
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	maker_switch(t, 1);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	maker_line(t, 1);
	maker_enter(t, MAKER_UNIT(1) + 1, 20);
	maker_line(t, 0);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(0) + 3);
	maker_line(t, 2);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(2));
	end_thread(&f, t);
	expect_rows(&f, 0,
		"0 call main:1 d0\n"
		"1 line main:2 d0\n"
		"2 line main:3 d0\n"
		"3 call f:10 d1 from:3\n"
		"4 line f:11 d1\n"
		"5 return f:11 d1\n"
		"6 line main:4 d0\n"
		"7 return main:4 d0\n");
	assert_int_equal(pl_recording_damage_count(f.r), 0);
	assert_int_equal(pl_recording_check(f.r, NULL, NULL, NULL, &f.err), 0);
	const struct pl_thread *thread = pl_recording_thread(f.r, 1, 0);
	assert_int_equal(thread->events, 8);
	assert_int_equal(thread->counts[PL_EVENT_LINE], 4);
	assert_string_equal(thread->name, "MainThread");
	close_all(&f);
}

static void test_exceptions(void **state)
{
	struct fixture f;
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	maker_enter(t, MAKER_UNIT(0), 20);
	maker_line(t, 1 - 1);
	maker_event2(t, EVENT_RAISE, MAKER_UNIT(0), 5);
	maker_done(t, event_write0(maker_room(t), EVENT_UNWIND));
	maker_event2(t, EVENT_RAISE, MAKER_UNIT(0), 5);
	maker_event2(t, EVENT_HANDLED, MAKER_UNIT(2), 5);
	maker_line(t, 2);
	maker_event3(t, EVENT_RERAISE, MAKER_UNIT(2), MAKER_UNIT(0), 5);
	maker_cut(&f.m, t);
	maker_process_end(&f.m, PL_PROCESS_EXITED, 1);
	maker_end(&f.m);
	open_maker(&f);
	expect_rows(&f, 0,
		"0 call main:1 d0\n"
		"1 line main:2 d0\n"
		"2 call f:10 d1 from:2\n"
		"3 line f:11 d1\n"
		"4 raise f:11 d1 ValueError\n"
		"5 unwind f:11 d1\n"
		"6 raise main:2 d0 ValueError\n"
		"7 handled main:4 d0 ValueError\n"
		"8 line main:4 d0\n"
		"9 reraise main:4 d0 ValueError\n");
	close_all(&f);
}

/* The row of a task's entry is the task's; a block that begins within it knows both. */
static void test_numbered_tasks(void **state)
{
	struct fixture f;
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	maker_done(t, event_write_task(maker_room(t), 1, "worker", 6));
	maker_done(t, event_write_enter(maker_room(t), 2, 20, 7));
	maker_line(t, 0);
	maker_cut(&f.m, t);
	maker_done(t, event_write_task(maker_room(t), 2, "", 0));
	maker_done(t, event_write_enter(maker_room(t), 2, 20, 8));
	maker_line(t, 0);
	maker_cut(&f.m, t);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(0));
	maker_line(t, 1);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(1));
	maker_line(t, 1);
	maker_cut(&f.m, t);
	maker_process_end(&f.m, PL_PROCESS_EXITED, 0);
	maker_end(&f.m);
	open_maker(&f);
	expect_rows(&f, 0,
		"0 call main:1 d0\n"
		"1 line main:2 d0\n"
		"2 call f:10 d1 from:2 gen:7 task:worker task_id:1\n"
		"3 line f:11 d1 gen:7 task:worker task_id:1\n"
		"4 call f:10 d2 from:11 gen:8 task_id:2\n"
		"5 line f:11 d2 gen:8 task_id:2\n"
		"6 return f:11 d2 gen:8 task_id:2\n"
		"7 line f:12 d1 gen:7 task:worker task_id:1\n"
		"8 return f:12 d1 gen:7 task:worker task_id:1\n"
		"9 line main:3 d0\n");
	assert_int_equal(pl_recording_check(f.r, NULL, NULL, NULL, &f.err), 0);
	close_all(&f);
}

static void test_generators_and_tasks(void **state)
{
	struct fixture f;
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	maker_done(t, event_write_enter(maker_room(t), 2, 20, 7));
	maker_done(t, event_write_text(maker_room(t), EVENT_TASK, "Task-1", 6));
	maker_line(t, 0);
	maker_event1(t, EVENT_SUSPEND, MAKER_UNIT(0));
	maker_line(t, 1);
	maker_cut(&f.m, t); /* the name must outlive a block */
	maker_done(t, event_write_resume(maker_room(t), EVENT_RESUME,
			      &(struct event_resume){.site = MAKER_UNIT(1),
				      .code = 20,
				      .gen = 7,
				      .unit = MAKER_UNIT(0) + 1}));
	maker_done(t, event_write_text(maker_room(t), EVENT_TASK, "Task-1", 6));
	maker_cut(&f.m, t);
	maker_line(t, 1);
	maker_done(t, event_write_text(maker_room(t), EVENT_MARK, "here", 4));
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(1));
	maker_cut(&f.m, t);
	maker_process_end(&f.m, PL_PROCESS_EXITED, 0);
	maker_end(&f.m);
	open_maker(&f);
	expect_rows(&f, 0,
		"0 call main:1 d0\n"
		"1 line main:2 d0\n"
		"2 call f:10 d1 from:2 gen:7\n"
		"3 line f:11 d1 gen:7 task:Task-1\n"
		"4 yield f:11 d1 gen:7 task:Task-1\n"
		"5 line main:3 d0\n"
		"6 resume f:11 d1 from:3 gen:7\n"
		"7 line f:12 d1 gen:7 task:Task-1\n"
		"8 mark f:12 d1 here gen:7 task:Task-1\n"
		"9 return f:12 d1 gen:7 task:Task-1\n");
	assert_int_equal(pl_recording_check(f.r, NULL, NULL, NULL, &f.err), 0);
	close_all(&f);
}

/* ---- the order of threads ---- */

/* Four threads, runs 1 to n dealt out at random; each line of the code tells the run's number. */
static void test_interleaving(void **state)
{
	struct fixture f;
	struct maker_thread *t[4];
	struct pl_buf expected = {0};
	uint32_t random = 12345;
	bool entered[4] = {false};
	(void)state;

	maker_init(&f.m);
	maker_body(&f.m, 1, "main", 1, 1);
	for (uint32_t i = 0; i < 4; i++)
		t[i] = maker_thread(&f.m, i);
	for (uint64_t run = 1; run <= 200; run++) {
		random = random * 1103515245 + 12345;
		uint32_t n = (random >> 16) % 4;
		maker_switch(t[n], run);
		for (uint32_t k = 0; k <= (random >> 20) % 3; k++) {
			if (!entered[n])
				maker_enter(t[n], EVENT_NO_SITE, 10);
			else
				maker_line(t[n], 0);
			entered[n] = true;
			buf_printf(&expected, "%u:%" PRIu64 "\n", n, run);
		}
		if ((random >> 24) % 5 == 0)
			maker_cut(&f.m, t[(random >> 18) % 4]);
	}
	for (uint32_t i = 0; i < 4; i++) {
		maker_cut(&f.m, t[i]);
		maker_thread_end(&f.m, t[i]);
	}
	maker_end(&f.m);
	open_maker(&f);
	struct pl_cursor *c;
	struct pl_event e;
	struct pl_buf found = {0};
	assert_int_equal(pl_cursor_new(&c, f.r, 1, PL_ALL_THREADS, &f.err), 0);
	while (pl_cursor_next(c, &e, &f.err) == 0)
		buf_printf(&found, "%u:%" PRIu64 "\n", e.position.thread, e.order);
	buf_u8(&expected, 0);
	buf_u8(&found, 0);
	assert_string_equal((char *)found.at, (char *)expected.at);
	pl_cursor_free(c);
	buf_release(&expected);
	buf_release(&found);
	close_all(&f);
}

/* ---- contradictions ---- */

static void test_jump(void **state)
{
	struct fixture f;
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	maker_line(t, 2); /* over the line between */
	maker_line(t, 0); /* the loop's step back is fine */
	end_thread(&f, t);
	expect_rows(&f, 0,
		"0 call main:1 d0\n"
		"1 line main:2 d0\n"
		"2 gap main:2 d0 jumped\n"
		"2 line main:4 d0\n"
		"3 line main:2 d0\n");
	close_all(&f);
}

static void test_frames_that_vanish(void **state)
{
	struct fixture f;
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_enter(t, 0, 20);
	maker_line(t, 0);
	maker_event1(t, EVENT_POPS, 1);
	maker_line(t, 0);
	maker_event3(t, EVENT_LINK, 20, 0, MAKER_UNIT(1)); /* a linked one goes as it came */
	maker_event1(t, EVENT_POPS, 1);
	maker_line(t, 1);
	end_thread(&f, t);
	expect_rows(&f, 0,
		"0 call main:1 d0\n"
		"1 call f:10 d1 from:1\n"
		"2 line f:11 d1\n"
		"3 gap f:11 d1 vanished\n"
		"3 line main:2 d0\n"
		"4 line main:3 d0\n");
	close_all(&f);
}

static void test_recorded_gap_explains(void **state)
{
	struct fixture f;
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	maker_enter(t, MAKER_UNIT(0), 20);
	maker_event2(t, EVENT_GAP, PL_GAP_FULL, 17);
	maker_event1(t, EVENT_POPS, 2);
	maker_event3(t, EVENT_LINK, 10, 0, MAKER_UNIT(2));
	maker_line(t, 2);
	end_thread(&f, t);
	expect_rows(&f, 0,
		"0 call main:1 d0\n"
		"1 line main:2 d0\n"
		"2 call f:10 d1 from:2\n"
		"3 gap f:0 d1 full lost:17\n"
		"4 line main:4 d0\n");
	close_all(&f);
}

static void test_missing_code(void **state)
{
	struct fixture f;
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	maker_enter(t, EVENT_NO_SITE, 99);
	maker_line(t, 3);
	maker_event1(t, EVENT_LEAVE, 4);
	end_thread(&f, t);
	expect_rows(&f, 0,
		"0 gap -:0 d0 code\n"
		"0 call ?:0 d0\n"
		"1 line ?:0 d0\n"
		"2 return ?:0 d0\n");
	close_all(&f);
}

static void test_killed_and_stopped(void **state)
{
	struct fixture f;
	(void)state;

	begin(&f);
	for (uint32_t i = 0; i < 2; i++) {
		struct maker_thread *t = maker_thread(&f.m, i);
		maker_switch(t, i + 1);
		maker_enter(t, EVENT_NO_SITE, 10);
		maker_line(t, 0);
		if (i)
			maker_event2(t, EVENT_STOP, 11, MAKER_UNIT(1) + 1);
		maker_cut(&f.m, t);
	}
	/* It was there to the end of its process, which maker_process_end puts at 5000. */
	MAKER_NUMBERS(&f.m, RECORD_THREAD_END, NULL, 1, 0, 5000, 2);
	maker_process_end(&f.m, PL_PROCESS_SIGNALED, 11);
	maker_end(&f.m);
	open_maker(&f);
	expect_rows(&f, 0,
		"0 call main:1 d0\n"
		"1 line main:2 d0\n"
		"2 gap main:2 d0 killed\n");
	expect_rows(&f, 1,
		"0 call main:1 d0\n"
		"1 line main:2 d0\n"
		"2 gap main:3 d0 signal\n");
	close_all(&f);
}

/* ---- seeking ---- */

static void make_long(struct fixture *f, uint32_t blocks)
{
	begin(f);
	struct maker_thread *t = maker_thread(&f->m, 0);
	maker_switch(t, 1);
	maker_enter(t, EVENT_NO_SITE, 10);
	for (uint32_t i = 0; i < blocks; i++) {
		maker_event1(t, EVENT_TIME, 100);
		maker_line(t, 0);
		maker_line(t,
			i % 3 == 2 ? 2 : 1); /* sometimes a jump, so that gaps stand in between */
		maker_event1(t, EVENT_TIME, 50);
		maker_line(t, 0);
		maker_cut(&f->m, t);
		if (i % 4 == 3)
			maker_next_segment(&f->m);
	}
	maker_thread_end(&f->m, t);
	maker_end(&f->m);
}

static void expect_same(const struct pl_event *a, const struct pl_event *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->seq, b->seq);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->time_error_ns, b->time_error_ns);
	assert_int_equal(a->order, b->order);
	assert_memory_equal(&a->position, &b->position, sizeof a->position);
}

static struct pl_event after_seek(struct fixture *f, const struct pl_event *wanted, int how)
{
	struct pl_cursor *c;
	struct pl_event e;
	int code = -1;

	assert_int_equal(pl_cursor_new(&c, f->r, 1, 0, &f->err), 0);
	if (how == 0)
		code = pl_cursor_seek_seq(c, wanted->seq, &f->err);
	else if (how == 1)
		code = pl_cursor_seek_position(c, &wanted->position, &f->err);
	else
		code = pl_cursor_seek_time(c, wanted->time_ns, &f->err);
	assert_int_equal(code, 0);
	assert_int_equal(pl_cursor_next(c, &e, &f->err), 0);
	pl_cursor_free(c);
	return e;
}

/* Whatever a plain pass gives first for a seq, a position, a time is what a seek to it stands in
 * front of. */
static void test_seeks(void **state)
{
	struct fixture f;
	struct pl_cursor *c;
	struct pl_event e, before = {.seq = UINT64_MAX};
	(void)state;

	make_long(&f, 20);
	open_maker(&f);
	assert_int_equal(pl_cursor_new(&c, f.r, 1, 0, &f.err), 0);
	while (pl_cursor_next(c, &e, &f.err) == 0) {
		struct pl_event found;
		if (e.seq != before.seq) {
			found = after_seek(&f, &e, 0);
			expect_same(&found, &e);
			found = after_seek(&f, &e, 1);
			expect_same(&found, &e);
		}
		if (e.time_ns > before.time_ns) {
			found = after_seek(&f, &e, 2);
			expect_same(&found, &e);
		}
		before = e;
	}
	assert_int_equal(before.seq, 60);
	before.time_ns++;
	assert_int_equal(pl_cursor_seek_time(c, before.time_ns, &f.err), 0);
	assert_int_equal(pl_cursor_next(c, &e, &f.err), PL_END);
	assert_int_equal(pl_cursor_seek_seq(c, 1000, &f.err), 0);
	assert_int_equal(pl_cursor_next(c, &e, &f.err), PL_END);
	pl_cursor_free(c);
	close_all(&f);
}

static void test_time_and_error(void **state)
{
	struct fixture f;
	struct pl_cursor *c;
	struct pl_event e;
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	t->ticks = 1000;
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_event1(t, EVENT_TIME, 500);
	maker_line(t, 0);
	maker_line(t, 1);
	maker_event1(t, EVENT_TIME, 100);
	maker_line(t, 2);
	maker_line(t, 3);
	maker_cut(&f.m, t);
	maker_clock(&f.m, 5000, 300);
	maker_thread_end(&f.m, t);
	maker_end(&f.m);
	open_maker(&f);
	assert_int_equal(pl_cursor_new(&c, f.r, 1, 0, &f.err), 0);
	/* Behind the block's opening time, by at most the longest tick of the period; the clock may
	 * err by 5 ns. */
	assert_int_equal(pl_cursor_next(c, &e, &f.err), 0);
	assert_int_equal(e.time_ns, MAKER_START_NS + 1000);
	assert_int_equal(e.time_error_ns, 305);
	assert_int_equal(pl_cursor_next(c, &e, &f.err), 0);
	assert_int_equal(e.time_ns, MAKER_START_NS + 1500);
	assert_int_equal(e.time_error_ns, 5);
	assert_int_equal(pl_cursor_next(c, &e, &f.err), 0);
	/* and before the next stamp */
	assert_int_equal(e.time_ns, MAKER_START_NS + 1500);
	assert_int_equal(e.time_error_ns, 105);
	assert_int_equal(pl_cursor_next(c, &e, &f.err), 0);
	assert_int_equal(e.time_ns, MAKER_START_NS + 1600);
	assert_int_equal(e.time_error_ns, 5);
	assert_int_equal(pl_cursor_next(c, &e, &f.err), 0);
	assert_int_equal(e.time_ns, MAKER_START_NS + 1600);
	assert_int_equal(e.time_error_ns, 305);
	pl_cursor_free(c);
	close_all(&f);
}

static void test_stack(void **state)
{
	struct fixture f;
	struct pl_cursor *c;
	struct pl_event e;
	struct pl_frame frames[4];
	(void)state;

	struct maker_thread *t = begin_thread(&f);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 1 - 1);
	maker_event3(t, EVENT_LINK, 20, 9, MAKER_UNIT(1));
	maker_done(t, event_write_text(maker_room(t), EVENT_TASK, "T", 1));
	maker_enter(t, MAKER_UNIT(2), 20);
	end_thread(&f, t);
	assert_int_equal(pl_cursor_new(&c, f.r, 1, 0, &f.err), 0);
	while (pl_cursor_next(c, &e, &f.err) == 0)
		;
	assert_int_equal(pl_cursor_stack(c, frames, 4), 3);
	assert_string_equal(pl_code_name(frames[0].code), "main");
	assert_int_equal(frames[0].line, 2);
	assert_false(frames[0].linked);
	assert_true(frames[1].linked);
	assert_int_equal(frames[1].line, 13); /* the call site, not where it was linked */
	assert_string_equal(frames[1].task, "T");
	assert_int_equal(frames[1].generator, 9);
	assert_null(frames[2].task);
	assert_int_equal(frames[2].line, 10);
	assert_int_equal(pl_cursor_stack(c, frames, 1), 3);
	pl_cursor_free(c);
	close_all(&f);
}

static void test_arguments(void **state)
{
	struct fixture f;
	struct pl_cursor *c;
	const struct pl_position elsewhere = {.process = 1, .thread = 1};
	(void)state;

	make_long(&f, 2);
	open_maker(&f);
	assert_int_equal(pl_cursor_new(&c, f.r, 2, 0, &f.err), PL_ERR_NOT_FOUND);
	assert_int_equal(pl_cursor_new(&c, f.r, 1, 7, &f.err), PL_ERR_NOT_FOUND);
	assert_int_equal(pl_cursor_new(&c, f.r, 1, PL_ALL_THREADS, NULL), 0);
	f.err = (struct pl_err){0};
	assert_int_equal(pl_cursor_seek_seq(c, 0, &f.err), PL_ERR_ARGUMENT);
	assert_non_null(strstr(pl_err_text(&f.err), "pre:cursor-seek-seq:one-thread"));
	pl_cursor_free(c);
	assert_int_equal(pl_cursor_new(&c, f.r, 1, 0, NULL), 0);
	assert_int_equal(pl_cursor_seek_position(c, &elsewhere, NULL), PL_ERR_ARGUMENT);
	pl_cursor_free(c);
	pl_cursor_free(NULL);
	close_all(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_generators_and_tasks),
		cmocka_unit_test(test_numbered_tasks),
		cmocka_unit_test(test_interleaving),
		cmocka_unit_test(test_jump),
		cmocka_unit_test(test_frames_that_vanish),
		cmocka_unit_test(test_recorded_gap_explains),
		cmocka_unit_test(test_missing_code),
		cmocka_unit_test(test_killed_and_stopped),
		cmocka_unit_test(test_seeks),
		cmocka_unit_test(test_time_and_error),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
