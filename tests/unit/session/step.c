/* Steps along a thread's path: into calls, over them and out of frames, forward and back, also where
 * frames end by an exception, and where a generator or coroutine suspends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

#define CO_GENERATOR 0x20u
#define CO_COROUTINE 0x80u
#define GENERATION   7 /* the identity of the generator's frame */

/* From the event `from`, of the main thread; where the step leads, or UINT64_MAX. */
static uint64_t step_from(struct scene *x, uint64_t from, enum step step, bool back)
{
	struct path path = {.r = x->r, .process = 1};
	const struct pl_event *e;
	struct pl_event at, to = {.seq = UINT64_MAX};

	assert_int_equal(path_from(&path, from, &e, &x->err), 0);
	at = *e;
	assert_int_equal(at.seq, from);
	const int code = (back ? step_back : step_forward)(&path, &at, step, &to, &x->err);
	assert_int_equal(code, to.seq == UINT64_MAX ? PL_END : 0);
	path_release(&path);
	return to.seq;
}

static void into_calls(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_int_equal(step_from(&x, 2, STEP_LINE, false), 4);
	assert_int_equal(step_from(&x, 5, STEP_LINE, false), 10);
	assert_int_equal(step_from(&x, 10, STEP_LINE, true), 5);
	assert_int_equal(step_from(&x, 4, STEP_LINE, true), 2);
	assert_int_equal(step_from(&x, 18, STEP_LINE, false), UINT64_MAX);
	assert_int_equal(step_from(&x, 1, STEP_LINE, true), UINT64_MAX);
	scene_close(&x);
}

static void over_calls(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_int_equal(step_from(&x, 2, STEP_NEXT, false), 10);
	assert_int_equal(step_from(&x, 10, STEP_NEXT, true), 2);
	assert_int_equal(step_from(&x, 16, STEP_NEXT, false), 18); /* its frame ends */
	assert_int_equal(step_from(&x, 18, STEP_NEXT, true), 12);
	assert_int_equal(step_from(&x, 14, STEP_NEXT, true), 12); /* where it was called */
	scene_close(&x);
}

static void out_of_frames(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_int_equal(step_from(&x, 4, STEP_OUT, false), 10); /* by an exception */
	assert_int_equal(step_from(&x, 14, STEP_OUT, false), 18);
	assert_int_equal(step_from(&x, 16, STEP_OUT, true), 12);
	assert_int_equal(step_from(&x, 2, STEP_OUT, false), UINT64_MAX); /* nobody called main */
	scene_close(&x);
}

static void resume(struct maker_thread *t, uint32_t start)
{
	maker_done(t, event_write_resume(maker_room(t), EVENT_RESUME,
			      &(struct event_resume){.site = MAKER_UNIT(1),
				      .code = 40,
				      .gen = GENERATION,
				      .unit = MAKER_UNIT(start)}));
}

/* 0 call main, 1 line 2, 2 call next, 3 line 31, 4 yield, 5 line 3, 6 resume, 7 line 32. */
static void open_suspending(struct scene *x, uint32_t flags)
{
	scene_begin(x);
	x->m.flags = flags;
	maker_body(&x->m, 4, "next", 30, 2);
	maker_switch(x->t, 1);
	maker_enter(x->t, EVENT_NO_SITE, 10);
	scene_line(x->t, 0);
	maker_done(x->t, event_write_enter(maker_room(x->t), MAKER_UNIT(0), 40, GENERATION));
	scene_line(x->t, 0);
	maker_event1(x->t, EVENT_SUSPEND, MAKER_UNIT(0));
	scene_line(x->t, 1);
	resume(x->t, 0);
	scene_line(x->t, 1);
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	scene_start(x);
}

/* A yield leaves a generator; a coroutine that awaits goes on later, in the same frame. */
static void suspends(void **state)
{
	struct scene x;

	(void)state;
	open_suspending(&x, CO_GENERATOR);
	assert_int_equal(step_from(&x, 3, STEP_NEXT, false), 5);
	assert_int_equal(step_from(&x, 7, STEP_OUT, true), 5);
	scene_close(&x);
	open_suspending(&x, CO_COROUTINE);
	assert_int_equal(step_from(&x, 3, STEP_NEXT, false), 7);
	assert_int_equal(step_from(&x, 7, STEP_NEXT, true), 3);
	scene_close(&x);
}

static void is_stopped(void **state)
{
	static volatile sig_atomic_t stop = 1;
	struct path path = {.process = 1, .stop = &stop};
	const struct pl_event *e;
	struct pl_event to;
	struct scene x;

	(void)state;
	scene_open(&x);
	path.r = x.r;
	assert_int_equal(path_from(&path, 1, &e, &x.err), 0);
	assert_int_equal(step_forward(&path, e, STEP_LINE, &to, &x.err), PL_END);
	assert_int_equal(path_from(&path, 4, &e, &x.err), 0);
	assert_int_equal(step_back(&path, e, STEP_LINE, &to, &x.err), PL_END);
	path_release(&path);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(into_calls),
		cmocka_unit_test(over_calls),
		cmocka_unit_test(out_of_frames),
		cmocka_unit_test(suspends),
		cmocka_unit_test(is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
