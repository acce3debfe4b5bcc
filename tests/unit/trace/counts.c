/* Counts of paths made by hand, as text: one row a line. That they are those of a visit:
 * tests/lib/counts.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/counts.h"
#include "tests/lib/profiles.h"
#include "tests/lib/recording.h"

struct fixture {
	struct maker m;
	struct maker_thread *t;
	struct pl_recording *r;
	struct pl_counts *counts;
	struct pl_cursor *c;
};

static void begin(struct fixture *f)
{
	maker_init(&f->m);
	maker_body(&f->m, 1, "main", 1, 3);
	maker_body(&f->m, 2, "f", 10, 3);
	maker_string(&f->m, 5, "ValueError");
	f->t = maker_thread(&f->m, 0);
}

static void open_counts(struct fixture *f)
{
	assert_int_equal(recording_open_files(&f->r, maker_files(&f->m), NULL), 0);
	assert_int_equal(pl_counts_new(&f->counts, f->r, NULL), 0);
	assert_int_equal(pl_cursor_new(&f->c, f->r, 1, 0, NULL), 0);
}

static void end(struct fixture *f)
{
	maker_cut(&f->m, f->t);
	maker_thread_end(&f->m, f->t);
	maker_end(&f->m);
	open_counts(f);
}

static void close_all(struct fixture *f)
{
	struct counts_test t;
	const char *what = counts_compare(&t, f->r, 3);

	if (what)
		fail_msg("%s", what);
	struct profiles_test profiles;
	what = profiles_compare(&profiles, f->r);
	if (what)
		fail_msg("%s", what);
	pl_cursor_free(f->c);
	pl_counts_free(f->counts);
	pl_recording_close(f->r);
	maker_release(&f->m);
}

static void expect(struct fixture *f, const char *expected)
{
	struct pl_count_table table;
	struct pl_buf out = {0};

	assert_int_equal(pl_counts_table(f->counts, &table, NULL), 0);
	for (size_t i = 0; i < table.count; i++)
		buf_printf(&out, "%s:%d %s %" PRIu64 "\n",
			table.rows[i].code ? pl_code_name(table.rows[i].code) : "-",
			table.rows[i].line, pl_event_kind_name(table.rows[i].kind),
			table.rows[i].events);
	buf_u8(&out, 0);
	assert_string_equal((char *)out.at, expected);
	buf_release(&out);
}

static void count(struct fixture *f, int64_t to_ns)
{
	assert_int_equal(pl_cursor_count(f->c, f->counts, to_ns, NULL), 0);
}

/* f, from main's second line. */
static void call_f(struct maker_thread *t, uint32_t code)
{
	maker_line(t, 1);
	maker_enter(t, MAKER_UNIT(1) + 1, code);
	maker_line(t, 0);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(0) + 3);
}

static void test_loop(void **state)
{
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	for (int i = 0; i < 1000; i++) {
		maker_line(f.t, 0);
		call_f(f.t, 20);
		maker_line(f.t, 2);
		if (i % 300 == 0)
			maker_cut(&f.m, f.t);
	}
	end(&f);
	count(&f, INT64_MAX);
	const char *once = "main:1 call 1\n"
			   "main:2 line 1000\n"
			   "main:3 line 1000\n"
			   "main:4 line 1000\n"
			   "f:10 call 1000\n"
			   "f:11 line 1000\n"
			   "f:11 return 1000\n";
	expect(&f, once);
	count(&f, INT64_MAX); /* nothing was left */
	expect(&f, once);
	assert_int_equal(pl_cursor_seek_seq(f.c, 5995, NULL), 0);
	count(&f, INT64_MAX);
	expect(&f, "main:1 call 1\n"
		   "main:2 line 1001\n"
		   "main:3 line 1001\n"
		   "main:4 line 1001\n"
		   "f:10 call 1001\n"
		   "f:11 line 1001\n"
		   "f:11 return 1001\n");
	close_all(&f);
}

/* What contradicts the path is visited: its gap is counted, and no line twice. */
static void test_gaps(void **state)
{
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	for (int i = 0; i < 3; i++) {
		maker_line(f.t, 0);
		maker_line(f.t, 2); /* over the line between */
	}
	maker_event2(f.t, EVENT_GAP, PL_GAP_FULL, 17);
	call_f(f.t, 20);
	end(&f);
	count(&f, INT64_MAX);
	expect(&f, "main:0 gap 1\n"
		   "main:1 call 1\n"
		   "main:2 line 3\n"
		   "main:2 gap 3\n"
		   "main:3 line 1\n"
		   "main:4 line 3\n"
		   "f:10 call 1\n"
		   "f:11 line 1\n"
		   "f:11 return 1\n");
	close_all(&f);
}

static void test_up_to_a_time(void **state)
{
	struct fixture f;
	struct pl_event e;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	for (int i = 0; i < 10; i++) {
		maker_event1(f.t, EVENT_TIME, 100);
		for (uint32_t start = 0; start < 3; start++)
			maker_line(f.t, start);
	}
	end(&f);
	count(&f, MAKER_START_NS + 301);
	expect(&f, "main:1 call 1\nmain:2 line 3\nmain:3 line 3\nmain:4 line 3\n");
	assert_int_equal(pl_cursor_next(f.c, &e, NULL), 0);
	assert_int_equal(e.seq, 10);
	count(&f, MAKER_START_NS); /* it is after that, and after the line that was visited */
	expect(&f, "main:1 call 1\nmain:2 line 3\nmain:3 line 3\nmain:4 line 3\n");
	count(&f, INT64_MAX);
	expect(&f, "main:1 call 1\nmain:2 line 9\nmain:3 line 10\nmain:4 line 10\n");
	close_all(&f);
}

/* A code went, and its number came to another one: what was learned of the first says nothing of
 * that. */
static void test_number_that_is_used_again(void **state)
{
	struct fixture f;
	(void)state;

	begin(&f);
	maker_body(&f.m, 3, "g", 20, 3);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	for (int i = 0; i < 6; i++) {
		maker_line(f.t, 0);
		call_f(f.t, 20);
		maker_line(f.t, 2);
		maker_cut(&f.m, f.t);
		maker_code(&f.m, 20, i % 2 ? 2 : 3);
	}
	end(&f);
	count(&f, INT64_MAX);
	expect(&f, "main:1 call 1\n"
		   "main:2 line 6\n"
		   "main:3 line 6\n"
		   "main:4 line 6\n"
		   "f:10 call 3\n"
		   "f:11 line 3\n"
		   "f:11 return 3\n"
		   "g:20 call 3\n"
		   "g:21 line 3\n"
		   "g:21 return 3\n");
	close_all(&f);
}

/* More steps than are kept: they are added up, and begun anew. */
static void test_many_steps(void **state)
{
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	maker_line(f.t, 0);
	for (uint32_t i = 0; i < 120000; i++) {
		maker_enter(f.t, 1000 + i % 60000, 20); /* no unit of main */
		maker_line(f.t, 0);
		maker_event1(f.t, EVENT_LEAVE, MAKER_UNIT(0) + 3);
	}
	end(&f);
	count(&f, INT64_MAX);
	expect(&f, "main:1 call 1\n"
		   "main:2 line 1\n"
		   "f:10 call 120000\n"
		   "f:11 line 120000\n"
		   "f:11 return 120000\n");
	close_all(&f);
}

static void test_recording_that_grows(void **state)
{
	struct fixture f;
	(void)state;

	begin(&f);
	maker_enter(f.t, EVENT_NO_SITE, 10);
	maker_line(f.t, 0);
	maker_cut(&f.m, f.t);
	open_counts(&f);
	count(&f, INT64_MAX);
	expect(&f, "main:1 call 1\nmain:2 line 1\n");
	maker_line(f.t, 1);
	maker_cut(&f.m, f.t);
	count(&f, INT64_MAX);
	expect(&f, "main:1 call 1\nmain:2 line 1\n");
	assert_int_equal(pl_recording_refresh(f.r, NULL), 0);
	count(&f, INT64_MAX);
	expect(&f, "main:1 call 1\nmain:2 line 1\nmain:3 line 1\n");
	close_all(&f);
}

static void test_threads(void **state)
{
	struct maker_thread *other;
	struct fixture f;
	struct pl_event e;
	(void)state;

	begin(&f);
	other = maker_thread(&f.m, 1);
	for (uint64_t run = 1; run < 9; run++) {
		struct maker_thread *t = run % 2 ? f.t : other;
		maker_switch(t, run);
		if (run < 3)
			maker_enter(t, EVENT_NO_SITE, run % 2 ? 10 : 20);
		maker_line(t, (uint32_t)(run - 1) / 2 % 3);
		maker_event1(t, EVENT_TIME, 50);
	}
	maker_cut(&f.m, other);
	maker_thread_end(&f.m, other);
	end(&f);
	pl_cursor_free(f.c);
	assert_int_equal(pl_cursor_new(&f.c, f.r, 1, PL_ALL_THREADS, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pl_cursor_next(f.c, &e, NULL), 0);
	count(&f, MAKER_START_NS + 51); /* of each thread */
	expect(&f, "main:3 line 1\nf:11 line 1\nf:12 line 1\n");
	assert_int_equal(pl_cursor_stack(f.c, NULL, 0), 0);
	assert_int_equal(pl_cursor_next(f.c, &e, NULL), 0);
	assert_int_equal(e.order, 5);
	assert_int_equal(pl_cursor_next(f.c, &e, NULL), 0);
	assert_int_equal(e.order, 6);
	close_all(&f);
}

static void test_arguments(void **state)
{
	struct pl_err err = {0};
	struct pl_counts *others;
	struct pl_recording *r;
	struct fixture f;
	(void)state;

	begin(&f);
	end(&f);
	assert_int_equal(recording_open_files(&r, maker_files(&f.m), NULL), 0);
	assert_int_equal(pl_counts_new(&others, r, NULL), 0);
	assert_int_equal(pl_cursor_count(f.c, others, INT64_MAX, &err), PL_ERR_ARGUMENT);
	assert_non_null(strstr(pl_err_text(&err), "pre:cursor-count:same-recording"));
	expect(&f, "");
	pl_counts_free(others);
	pl_counts_free(NULL);
	pl_recording_close(r);
	close_all(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_up_to_a_time),
		cmocka_unit_test(test_number_that_is_used_again),
		cmocka_unit_test(test_many_steps),
		cmocka_unit_test(test_recording_that_grows),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
