/* The third stage: when the next row happens, and in which run. */
#include "tests/unit/trace/stages.h"
#include "trace/path_clock.h"

/* Up to where something waits. */
static void go_on(struct path_clock *c)
{
	struct thread_path *p = &c->path;

	while (!p->holds && p->told_next == p->told_count)
		assert_int_equal(path_clock_go_on(c, NULL), 0);
}

static struct pl_event put(struct path_clock *c)
{
	struct pl_event row = {0};

	path_clock_put(c, &row);
	return row;
}

/* The row of the event that waits is over. */
static void pass_held(struct path_clock *c)
{
	stack_apply(&c->path.stack, &c->path.held);
	c->path.holds = c->path.silent = c->path.explained = false;
	path_clock_count_row(c);
}

/* A stamp is that of the event after it, and of what follows up to the next one. */
static void test_stamps(void **state)
{
	struct stages s;
	struct path_clock c;

	(void)state;
	stages_init(&s);
	maker_event1(s.t, EVENT_TIME, 10);
	maker_enter(s.t, EVENT_NO_SITE, 10);
	maker_line(s.t, 0);
	maker_event1(s.t, EVENT_TIME, 20);
	maker_line(s.t, 1);
	maker_cut(&s.m, s.t);
	stages_open(&s);
	path_clock_init(&c, s.r, s.thread);
	static const uint64_t ticks[] = {10, 10, 30};
	static const bool exact[] = {true, false, true};
	for (uint64_t i = 0; i < 3; i++) {
		go_on(&c);
		const struct pl_event row = put(&c);
		assert_int_equal(row.seq, i);
		assert_int_equal(c.ticks, ticks[i]);
		assert_int_equal(row.time_ns - c.time.real_ns, 0);
		/* what comes after a stamp was at most as much later as the next stamp is */
		assert_true((row.time_error_ns == c.time.error_ns) == exact[i]);
		pass_held(&c);
	}
	assert_int_equal(path_clock_go_on(&c, NULL), PL_END);
	thread_path_release(&c.path);
	stages_close(&s);
}

/* What has no event may have happened before the marks of the event after it. */
static void test_rows_without_events(void **state)
{
	struct stages s;
	struct path_clock c;
	struct path_clock_peek peek;

	(void)state;
	stages_init(&s);
	s.m.unheard = true;
	maker_body(&s.m, 2, "quiet", 10, 2);
	maker_event1(s.t, EVENT_TIME, 10);
	maker_switch(s.t, 6);
	maker_enter(s.t, EVENT_NO_SITE, 20);
	maker_event1(s.t, EVENT_TIME, 20);
	maker_switch(s.t, 7);
	maker_event1(s.t, EVENT_LEAVE, MAKER_UNIT(1));
	maker_cut(&s.m, s.t);
	stages_open(&s);
	path_clock_init(&c, s.r, s.thread);
	assert_int_equal(path_clock_peek(&c, &peek, NULL), 0);
	assert_int_equal(peek.ticks, 10);
	assert_int_equal(peek.order, 6);
	go_on(&c);
	assert_int_equal(put(&c).order_from, 6);
	pass_held(&c);
	assert_int_equal(path_clock_peek(&c, &peek, NULL), 0);
	assert_int_equal(peek.ticks, 10);
	go_on(&c); /* the lines of quiet */
	assert_int_equal(c.path.told_count, 2);
	struct pl_event row = put(&c);
	assert_int_equal(row.order, 7);
	assert_int_equal(row.order_from, 6);
	assert_int_equal(c.ticks, 10);
	thread_path_take_told(&c.path);
	thread_path_take_told(&c.path);
	path_clock_take(&c, &c.path.held); /* its return */
	row = put(&c);
	assert_int_equal(row.order_from, 7);
	assert_int_equal(c.ticks, 30);
	thread_path_release(&c.path);
	stages_close(&s);
}

/* A wait is told once, with the first row after it. */
static void test_idle(void **state)
{
	struct stages s;
	struct path_clock c;

	(void)state;
	stages_init(&s);
	maker_event1(s.t, EVENT_TIME, 10);
	maker_enter(s.t, EVENT_NO_SITE, 10);
	maker_event2(s.t, EVENT_IDLE, 3, 40);
	maker_event1(s.t, EVENT_TIME, 50);
	maker_line(s.t, 0);
	maker_line(s.t, 1);
	maker_cut(&s.m, s.t);
	stages_open(&s);
	path_clock_init(&c, s.r, s.thread);
	go_on(&c);
	assert_int_equal(put(&c).idle_ns, 0);
	pass_held(&c);
	go_on(&c);
	assert_int_equal(put(&c).idle_ns, 40);
	assert_int_equal(c.idle_from, 13);
	pass_held(&c);
	go_on(&c);
	assert_int_equal(put(&c).idle_ns, 0);
	thread_path_release(&c.path);
	stages_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stamps),
		cmocka_unit_test(test_rows_without_events),
		cmocka_unit_test(test_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
