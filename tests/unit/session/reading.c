/* The rows of a reader: the same ones forward, backward and from between, over many batches, merged
 * from several threads, and those that an expression or a text selects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "lib/values.h"
#include "session/reading.h"
#include "tests/lib/recording.h"

#define ARGUMENT_N "\1n"
#define CALLS	   700 /* with their ends more rows than a window has */
#define ROWS_MAX   4096

static volatile sig_atomic_t stop;

struct made {
	struct maker m;
	struct pl_recording *r;
	struct reading l;
	const char *wanted;	  /* a part of the texts of rows */
	uint64_t order[ROWS_MAX]; /* seqs, and 10^6 for each thread */
	size_t count;
};

static void write_row(void *context, const struct pl_event *e, char *text, size_t max)
{
	(void)context;
	snprintf(text, max, "%s %s", pl_event_kind_name(e->kind),
		e->code ? pl_code_name(e->code) : "");
}

static bool has_wanted(void *context, const struct pl_event *e, const char *text)
{
	(void)e;
	return strstr(text, ((const struct made *)context)->wanted) != NULL;
}

static void put_number(struct maker_thread *t, int64_t number)
{
	struct pl_buf b = {0};

	buf_u8(&b, 0);
	value_number(&b, number);
	maker_done(t, event_write_further(maker_room(t), EVENT_VALUES, b.at, b.used));
	buf_release(&b);
}

/* f(n) for n from 0 to 9, again and again, from line 2 of main. */
static void put_calls(struct maker_thread *t, int count)
{
	for (int i = 0; i < count; i++) {
		put_number(t, i % 10);
		maker_enter(t, MAKER_UNIT(0), 20);
		maker_line(t, 0);
		maker_event1(t, EVENT_LEAVE, MAKER_UNIT(0));
	}
}

static void made_open(struct made *x, int calls)
{
	*x = (struct made){0};
	maker_init(&x->m);
	maker_body(&x->m, 1, "main", 1, 1);
	x->m.arguments = (struct arguments){1, view_of(ARGUMENT_N, 2)};
	maker_body(&x->m, 2, "f", 10, 1);
	struct maker_thread *t = maker_thread(&x->m, 0), *worker = maker_thread(&x->m, 1);
	maker_switch(t, 1);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	put_calls(t, calls);
	maker_switch(worker, 2);
	maker_enter(worker, EVENT_NO_SITE, 10);
	maker_line(worker, 0);
	put_calls(worker, 2);
	maker_switch(t, 3);
	maker_line(t, 0);
	put_calls(t, 1);
	maker_cut(&x->m, t);
	maker_cut(&x->m, worker);
	maker_thread_end(&x->m, t);
	maker_thread_end(&x->m, worker);
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), NULL), 0);
	x->l.rules = (struct reading_rules){
		.r = x->r, .stop = &stop, .kinds = READING_KINDS, .write = write_row, .context = x};
}

static void made_release(struct made *x)
{
	reading_release(&x->l);
	reading_release(&x->l);
	expr_free(x->l.rules.expr);
	pl_recording_close(x->r);
	maker_release(&x->m);
}

static uint64_t number_of(const struct reading_row *row)
{
	return row->position.thread * UINT64_C(1000000) + row->seq;
}

/* All rows from the first one on. */
static void read_forward(struct made *x)
{
	const struct reading_row *row;
	int code;

	x->count = 0;
	assert_int_equal(reading_go_begin(&x->l, NULL), 0);
	while ((code = reading_row(&x->l, (int64_t)x->count, &row, NULL)) == 0) {
		assert_true(x->count < ROWS_MAX);
		x->order[x->count++] = number_of(row);
	}
	assert_int_equal(code, PL_END);
}

/* The same ones from the last one back. */
static void check_backward(struct made *x)
{
	const struct reading_row *row;
	int64_t n = -1;
	int code;

	assert_int_equal(reading_go_end(&x->l, NULL), 0);
	assert_int_equal(reading_row(&x->l, 0, &row, NULL), PL_END);
	for (; (code = reading_row(&x->l, n, &row, NULL)) == 0; n--)
		assert_int_equal(number_of(row), x->order[x->count + (size_t)n]);
	assert_int_equal(code, PL_END);
	assert_int_equal(-n - 1, x->count);
}

static void both_ways(void **state)
{
	struct made x;

	(void)state;
	made_open(&x, CALLS);
	read_forward(&x);
	assert_int_equal(x.count, 1 + 2 * CALLS + 1 + 4 + 2);
	assert_int_equal(x.order[0], 0);
	assert_int_equal(x.order[1 + 2 * CALLS], 1000000); /* the worker's run is between */
	check_backward(&x);
	made_release(&x);
}

static void from_between(void **state)
{
	const struct reading_row *row;
	struct made x;

	(void)state;
	made_open(&x, CALLS);
	read_forward(&x);
	assert_int_equal(reading_row(&x.l, 1000, &row, NULL), 0);
	const struct pl_event at = {.position = row->position,
		.kind = row->kind,
		.seq = row->seq,
		.order = row->order,
		.time_ns = row->time_ns};
	assert_int_equal(reading_go_event(&x.l, &at, NULL), 0);
	for (int64_t n = 0; n < 300; n++) {
		assert_int_equal(reading_row(&x.l, n, &row, NULL), 0);
		assert_int_equal(number_of(row), x.order[1000 + n]);
	}
	for (int64_t n = -1; n >= -1000; n--) {
		assert_int_equal(reading_row(&x.l, n, &row, NULL), 0);
		assert_int_equal(number_of(row), x.order[1000 + n]);
	}
	assert_int_equal(reading_row(&x.l, -1001, &row, NULL), PL_END);
	made_release(&x);
}

static void select_by(struct made *x, const char *text)
{
	const struct expr_words words = {0};
	struct expr_fault fault;

	assert_int_equal(expr_read(&x->l.rules.expr, text, &words, &fault), 0);
}

/* The end of a call is selected by the arguments of its call, whichever way one comes to it. */
static void by_an_expression(void **state)
{
	struct made x;

	(void)state;
	made_open(&x, CALLS);
	select_by(&x, "args.n == 7");
	read_forward(&x);
	assert_int_equal(x.count, 2 * CALLS / 10);
	check_backward(&x);
	made_release(&x);
	made_open(&x, CALLS);
	select_by(&x, "args.n == 7 and event == 'return'");
	read_forward(&x);
	assert_int_equal(x.count, CALLS / 10);
	check_backward(&x);
	made_release(&x);
	made_open(&x, 20);
	select_by(&x, "args.m == 7");
	read_forward(&x);
	assert_int_equal(x.count, 0);
	check_backward(&x);
	made_release(&x);
}

static void by_text(void **state)
{
	struct made x;

	(void)state;
	made_open(&x, CALLS);
	x.wanted = "call main";
	x.l.rules.shows = has_wanted;
	read_forward(&x);
	assert_int_equal(x.count, 2);
	check_backward(&x);
	made_release(&x);
}

/* What was read stays; when it is asked again, it goes on. */
static void is_stopped(void **state)
{
	const struct reading_row *row;
	struct made x;

	(void)state;
	made_open(&x, CALLS);
	assert_int_equal(reading_go_begin(&x.l, NULL), 0);
	assert_int_equal(reading_row(&x.l, 3, &row, NULL), 0);
	stop = 1;
	assert_int_equal(reading_row(&x.l, 2, &row, NULL), 0);
	assert_int_equal(reading_row(&x.l, 900, &row, NULL), PL_END);
	stop = 0;
	assert_int_equal(reading_row(&x.l, 900, &row, NULL), 0);
	made_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(from_between),
		cmocka_unit_test(by_an_expression),
		cmocka_unit_test(by_text),
		cmocka_unit_test(is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
