/* A position and what moves it: where it begins, the history of places, marks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void go(struct scene *x, uint64_t seq)
{
	assert_int_equal(replay_seq(&x->s->replay, 1, 0, seq, &x->err), 0);
	assert_int_equal(x->s->replay.at.seq, seq);
}

static void history(void **state)
{
	struct replay *p;
	struct scene x;

	(void)state;
	scene_open(&x);
	p = &x.s->replay;
	go(&x, 5);
	go(&x, 9);
	assert_int_equal(replay_visited(p, true, &x.err), 0);
	assert_int_equal(p->at.seq, 5);
	assert_int_equal(replay_visited(p, false, &x.err), 0);
	assert_int_equal(p->at.seq, 9);
	assert_int_equal(replay_visited(p, false, &x.err), PL_END);
	assert_int_equal(replay_visited(p, true, &x.err), 0);
	go(&x, 12); /* from an earlier place: what came after it is dropped */
	assert_int_equal(replay_visited(p, false, &x.err), PL_END);
	assert_int_equal(replay_visited(p, true, &x.err), 0);
	assert_int_equal(p->at.seq, 5);
	assert_int_equal(replay_visited(p, true, &x.err), 0);
	assert_int_equal(p->at.seq, 1);
	assert_int_equal(replay_visited(p, true, &x.err), PL_END);
	scene_close(&x);
}

/* The oldest places give way. */
static void a_long_history(void **state)
{
	int back = 0;
	struct scene x;

	(void)state;
	scene_open(&x);
	for (int i = 0; i < 3 * REPLAY_HISTORY; i++)
		go(&x, (uint64_t)i % 19);
	const uint64_t last = x.s->replay.at.seq;
	while (replay_visited(&x.s->replay, true, &x.err) == 0)
		back++;
	assert_int_equal(back, REPLAY_HISTORY - 1);
	while (replay_visited(&x.s->replay, false, &x.err) == 0)
		back--;
	assert_int_equal(back, 0);
	assert_int_equal(x.s->replay.at.seq, last);
	scene_close(&x);
}

static void two_moves_as_one(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	go(&x, 5);
	x.s->replay.joins = true;
	go(&x, 9);
	x.s->replay.joins = false;
	assert_int_equal(replay_visited(&x.s->replay, true, &x.err), 0);
	assert_int_equal(x.s->replay.at.seq, 1);
	scene_close(&x);
}

static void marks(void **state)
{
	struct replay *p;
	struct scene x;

	(void)state;
	scene_open(&x);
	p = &x.s->replay;
	assert_int_equal(replay_to_mark(p, 'a', &x.err), PL_END);
	replay_mark(p, 'a');
	assert_int_equal(replay_seq(p, 1, 1, 2, &x.err), 0);
	replay_mark(p, 'z');
	replay_mark(p, '{'); /* no letter */
	assert_int_equal(replay_to_mark(p, '{', &x.err), PL_END);
	assert_int_equal(replay_to_mark(p, 'a', &x.err), 0);
	assert_int_equal(p->at.seq, 1);
	assert_int_equal(replay_to_mark(p, 'z', &x.err), 0);
	assert_int_equal(p->at.position.thread, 1);
	assert_int_equal(p->at.seq, 2);
	scene_close(&x);
}

/* It stays where it is when there is no such thread. */
static void nowhere(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_true(replay_seq(&x.s->replay, 1, 7, 0, &x.err) != 0);
	assert_int_equal(x.s->replay.at.seq, 1);
	assert_int_equal(replay_step(&x.s->replay, STEP_LINE, false, &x.err), 0);
	assert_int_equal(x.s->replay.at.seq, 2);
	scene_close(&x);
}

static void until(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	go(&x, 2);
	assert_int_equal(replay_until(&x.s->replay, 4, &x.err), 0);
	assert_int_equal(x.s->replay.at.seq, 10);
	go(&x, 14);
	assert_int_equal(replay_until(&x.s->replay, 99, &x.err), 0); /* its frame ends */
	assert_int_equal(x.s->replay.at.seq, 18);
	scene_close(&x);
}

/* At the program's own module, where Python first runs code of its own to find it (-m). */
static void begins_at_the_module(void **state)
{
	struct scene x;

	(void)state;
	scene_begin(&x);
	maker_body(&x.m, 4, "_register_code", 50, 1);
	maker_body(&x.m, 5, "<module>", 60, 1);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 40);
	scene_line(x.t, 0);
	maker_event1(x.t, EVENT_LEAVE, MAKER_UNIT(0));
	maker_enter(x.t, EVENT_NO_SITE, 50); /* seq 3 */
	scene_line(x.t, 0);
	maker_cut(&x.m, x.t);
	maker_thread_end(&x.m, x.t);
	scene_start(&x);
	assert_int_equal(x.s->replay.at.seq, 4);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(history),
		cmocka_unit_test(a_long_history),
		cmocka_unit_test(two_moves_as_one),
		cmocka_unit_test(marks),
		cmocka_unit_test(nowhere),
		cmocka_unit_test(until),
		cmocka_unit_test(begins_at_the_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
