/* Moves as operations: where they end, and what is said when there is no way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void steps(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_to_seq(x.s, 14, &x.err), 0, 14);
	x.s->frame = 1;
	scene_at(&x, session_step(x.s, STEP_LINE, false, &x.err), 0, 15);
	assert_int_equal(x.s->frame, 0); /* a move selects the innermost frame */
	scene_at(&x, session_until(x.s, 13, &x.err), 0, 16);
	scene_at(&x, session_step(x.s, STEP_OUT, false, &x.err), 0, 18);
	scene_refused(&x, session_step(x.s, STEP_LINE, false, &x.err), REFUSAL_NO_LINE);
	assert_false(x.s->outcome.back);
	assert_int_equal(x.s->replay.at.seq, 18);
	scene_close(&x);
}

/* Lines of other frames may follow where those of this one end. */
static void of_frames(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_to_seq(x.s, 1, &x.err), 0, 1);
	scene_refused(&x, session_step(x.s, STEP_OUT, false, &x.err), REFUSAL_NO_LINE_OF_FRAME);
	assert_int_equal(x.s->outcome.step, STEP_OUT);
	scene_refused(&x, session_step(x.s, STEP_NEXT, true, &x.err), REFUSAL_NO_LINE);
	assert_true(x.s->outcome.back);
	scene_close(&x);
}

static void stops_and_searches(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_refused(&x, session_continue(x.s, false, &x.err), REFUSAL_NO_STOP_SET);
	stops_add(&x.s->replay.stops, STOP_LINE, "a.py", 12);
	scene_at(&x, session_continue(x.s, false, &x.err), 0, 5);
	scene_at(&x, session_continue(x.s, false, &x.err), 0, 15);
	scene_refused(&x, session_continue(x.s, false, &x.err), REFUSAL_NO_LATER_STOP);
	scene_refused(&x, session_search_again(x.s, false, &x.err), REFUSAL_NO_SEARCH);
	scene_refused(&x, session_search(x.s, "", false, &x.err), REFUSAL_BAD_PATTERN);
	scene_at(&x, session_search(x.s, "book", true, &x.err), 0, 13);
	scene_at(&x, session_search_again(x.s, false, &x.err), 0, 3);
	scene_at(&x, session_search_again(x.s, true, &x.err), 0, 13);
	scene_refused(&x, session_search_again(x.s, true, &x.err), REFUSAL_NOT_FOUND);
	assert_false(x.s->outcome.back); /* against a search that went back */
	scene_close(&x);
}

static void switches(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_switch(x.s, false, &x.err), 1, 0);
	assert_int_equal(x.s->outcome.note, NOTE_RUNS_HERE);
	assert_int_equal(x.s->outcome.from.at.thread, 0); /* who ran where one came from */
	scene_at(&x, session_visited(x.s, true, &x.err), 0, 1);
	scene_at(&x, session_thread(x.s, 1, &x.err), 1, 0);
	scene_at(&x, session_to_end(x.s, &x.err), 1, 3);
	scene_refused(&x, session_switch(x.s, false, &x.err), REFUSAL_NO_LATER_SWITCH);
	assert_false(x.s->outcome.back);
	scene_close(&x);
}

static void marks_and_scope(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_refused(&x, session_to_mark(x.s, 'q', &x.err), REFUSAL_NO_SUCH_MARK);
	assert_int_equal(x.s->outcome.letter, 'q');
	assert_int_equal(session_mark(x.s, 'q'), 0);
	scene_at(&x, session_to_seq(x.s, 5, &x.err), 0, 5);
	scene_at(&x, session_to_mark(x.s, 'q', &x.err), 0, 1);
	scene_refused(&x, session_visited(x.s, false, &x.err), REFUSAL_NO_LATER_PLACE);
	assert_int_equal(session_scope(x.s, true), 0);
	assert_int_equal(x.s->outcome.done, DONE_SCOPE);
	assert_true(x.s->replay.only_here);
	scene_close(&x);
}

static void interrupted(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_stop = 1;
	scene_refused(&x, session_step(x.s, STEP_LINE, false, &x.err), REFUSAL_STOPPED);
	assert_int_equal(session_moved(x.s, PL_END, REFUSAL_NO_LINE), PL_END);
	assert_int_equal(x.s->outcome.refusal, REFUSAL_STOPPED);
	scene_stop = 0;
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps),
		cmocka_unit_test(of_frames),
		cmocka_unit_test(stops_and_searches),
		cmocka_unit_test(switches),
		cmocka_unit_test(marks_and_scope),
		cmocka_unit_test(interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
