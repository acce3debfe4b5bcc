/* The second stage: what has no event is filled in, and contradictions are gaps. */
#include "tests/unit/trace/stages.h"
#include "trace/thread_path.h"

/* All that is told on the way, as words: what a reader would make rows of. */
static void put_waiting(struct thread_path *p, struct pl_buf *out)
{
	while (p->gap_count)
		buf_printf(out, "%s ", pl_gap_reason_name(thread_path_take_gap(p).reason));
	while (p->told_next < p->told_count) {
		thread_path_take_told(p);
		thread_path_count_row(p);
		buf_printf(out, "filled:%u ", stack_top(&p->stack)->value);
	}
	if (p->holds) {
		buf_printf(out, "%s%d ", p->silent ? "silent:" : "", (int)p->held.kind);
		stack_apply(&p->stack, &p->held);
		thread_path_count_row(p);
		p->holds = p->silent = p->explained = false;
	}
}

static char *told_of(struct stages *s, uint64_t *marks)
{
	struct thread_path p;
	struct path_met met;
	struct pl_buf out = {0};
	int code;

	thread_path_init(&p, s->r, s->thread);
	while ((code = thread_path_go_on(&p, &met, NULL)) == 0) {
		*marks += met.news == PATH_MARK;
		put_waiting(&p, &out);
	}
	assert_int_equal(code, PL_END);
	buf_u8(&out, 0);
	thread_path_release(&p);
	return (char *)out.at;
}

static void expect(struct stages *s, const char *expected, uint64_t expected_marks)
{
	uint64_t marks = 0;

	stages_open(s);
	char *told = told_of(s, &marks);
	assert_string_equal(told, expected);
	assert_int_equal(marks, expected_marks);
	free(told);
	stages_close(s);
}

/* Of a body whose lines have no event, the return implies them. */
static void test_fills_in(void **state)
{
	struct stages s;
	char expected[64];

	(void)state;
	stages_init(&s);
	s.m.unheard = true;
	maker_body(&s.m, 2, "quiet", 10, 2);
	maker_event1(s.t, EVENT_TIME, 10);
	maker_enter(s.t, EVENT_NO_SITE, 20);
	maker_switch(s.t, 7);
	maker_event1(s.t, EVENT_LEAVE, MAKER_UNIT(1));
	maker_cut(&s.m, s.t);
	s.t->seq = 4; /* as the collector counts: with the rows that have no event */
	snprintf(expected, sizeof expected, "%d filled:0 filled:1 %d ", EVENT_ENTER, EVENT_LEAVE);
	expect(&s, expected, 2);
}

/* A frame that was entered and has events at its end cannot vanish. */
static void test_vanished(void **state)
{
	struct stages s;
	char expected[64];

	(void)state;
	stages_init(&s);
	maker_enter(s.t, EVENT_NO_SITE, 10);
	maker_line(s.t, 0);
	maker_event1(s.t, EVENT_POPS, 1);
	maker_cut(&s.m, s.t);
	snprintf(expected, sizeof expected, "%d %d %s ", EVENT_ENTER, EVENT_LINE,
		pl_gap_reason_name(PL_GAP_VANISHED));
	expect(&s, expected, 0);
}

/* From the first line to the third there is no way. */
static void test_jumped(void **state)
{
	struct stages s;
	char expected[64];

	(void)state;
	stages_init(&s);
	maker_enter(s.t, EVENT_NO_SITE, 10);
	maker_line(s.t, 0);
	maker_line(s.t, 2);
	maker_cut(&s.m, s.t);
	snprintf(expected, sizeof expected, "%d %d %s %d ", EVENT_ENTER, EVENT_LINE,
		pl_gap_reason_name(PL_GAP_JUMPED), EVENT_LINE);
	expect(&s, expected, 0);
}

/* Looking ahead takes nothing, and sums up the marks before the next row. */
static void test_peek(void **state)
{
	struct stages s;
	struct thread_path p;
	struct path_met met;
	struct path_peek peek;

	(void)state;
	stages_init(&s);
	maker_event1(s.t, EVENT_TIME, 10);
	maker_switch(s.t, 7);
	maker_event1(s.t, EVENT_TIME, 5);
	maker_enter(s.t, EVENT_NO_SITE, 10);
	maker_cut(&s.m, s.t);
	stages_open(&s);
	thread_path_init(&p, s.r, s.thread);
	assert_false(thread_path_peek(&p, &peek)); /* no block is open */
	assert_int_equal(thread_path_go_on(&p, &met, NULL), 0);
	assert_int_equal(met.news, PATH_OPENED);
	const size_t left = p.events.left;
	assert_true(thread_path_peek(&p, &peek));
	assert_true(peek.of_event && peek.switched);
	assert_int_equal(peek.order, 7);
	assert_int_equal(peek.ticks, 15);
	assert_int_equal(p.events.left, left);
	thread_path_release(&p);
	stages_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fills_in),
		cmocka_unit_test(test_vanished),
		cmocka_unit_test(test_jumped),
		cmocka_unit_test(test_peek),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
