/* One moment of several threads: where another one was, also before its beginning and after its
 * end, and the stack there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void go(struct scene *x, uint64_t seq, uint32_t thread, enum replay_there wanted)
{
	enum replay_there there;

	scene_at(x, session_to_seq(x->s, seq, &x->err), x->s->replay.at.position.thread, seq);
	const struct moment m = replay_moment(&x->s->replay);
	assert_int_equal(replay_thread(&x->s->replay, &m, thread, &there, &x->err), 0);
	assert_int_equal(there, wanted);
}

static void other_threads(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	go(&x, 5, 1, REPLAY_BEGINS_LATER);
	assert_int_equal(x.s->replay.at.seq, 0);
	go(&x, 1, 0, REPLAY_RUNS); /* the main thread, while the worker ran */
	assert_int_equal(x.s->replay.at.seq, 10);
	go(&x, 14, 1, REPLAY_RUNS);
	assert_int_equal(x.s->replay.at.seq, 2);
	go(&x, 3, 0, REPLAY_IS_OVER);
	assert_int_equal(x.s->replay.at.seq, 18);
	scene_close(&x);
}

/* From thread to thread and back, without a move between: at the event where one began. */
static void there_and_back(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_to_seq(x.s, 14, &x.err), 0, 14);
	scene_at(&x, session_thread(x.s, 1, &x.err), 1, 2);
	scene_at(&x, session_thread(x.s, 0, &x.err), 0, 14);
	scene_at(&x, session_thread(x.s, 1, &x.err), 1, 2);
	scene_at(&x, session_to_seq(x.s, 1, &x.err), 1, 1); /* a move of its own */
	scene_at(&x, session_thread(x.s, 0, &x.err), 0, 10);
	scene_close(&x);
}

static void stack(void **state)
{
	struct pl_frame frames[4];
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_to_seq(x.s, 15, &x.err), 0, 15);
	assert_int_equal(replay_stack(&x.s->replay, frames, 4), 2);
	assert_string_equal(pl_code_name(frames[0].code), "main");
	assert_int_equal(frames[0].line, 3);
	assert_string_equal(pl_code_name(frames[1].code), "Shop.book");
	assert_int_equal(frames[1].line, 12);
	assert_int_equal(replay_stack(&x.s->replay, frames, 1), 2); /* its depth, for less room */
	assert_int_equal(replay_place(&x.s->replay).line, 12);
	scene_close(&x);
}

/* The tasks of frames are known at the position alone. */
static void stack_of_a_task(void **state)
{
	struct pl_frame frames[4];
	struct scene x;

	(void)state;
	scene_open_tasks(&x);
	scene_at(&x, session_to_seq(x.s, 6, &x.err), 0, 6);
	assert_int_equal(replay_stack(&x.s->replay, frames, 4), 2);
	assert_null(frames[0].task);
	assert_string_equal(frames[1].task, "rope");
	scene_close(&x);
}

/* It was killed in Shop.book: it stands there to the end of the process. */
static void killed(void **state)
{
	struct scene x;

	(void)state;
	scene_begin(&x);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 10);
	scene_line(x.t, 0);
	maker_enter(x.t, MAKER_UNIT(0), 20);
	scene_line(x.t, 0);
	maker_cut(&x.m, x.t);
	maker_process_end(&x.m, PL_PROCESS_SIGNALED, SIGKILL);
	scene_start(&x);
	assert_false(replay_stands(&x.s->replay));
	assert_int_equal(session_to_end(x.s, &x.err), 0);
	assert_true(replay_stands(&x.s->replay));
	assert_true(replay_moment(&x.s->replay).stands);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_threads),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(stack),
		cmocka_unit_test(stack_of_a_task),
		cmocka_unit_test(killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
