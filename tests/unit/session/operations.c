/* Operations of a session, without words: codes, and the data that belong to them. The texts of
 * commands are in tests/cli/test_replay.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/operations.h"
#include "tests/lib/recording.h"

/* main (lines 2 to 4) calls reserve (lines 11 to 13) from line 3; the worker runs line 2 of main
 * after that. */
struct made {
	struct maker m;
	struct pl_recording *r;
	struct session *s;
	struct pl_err err;
};

static volatile sig_atomic_t no_stop;

static void made_open(struct made *x)
{
	*x = (struct made){0};
	maker_init(&x->m);
	maker_body(&x->m, 1, "main", 1, 3);
	maker_body(&x->m, 2, "reserve", 10, 3);
	struct maker_thread *t = maker_thread(&x->m, 0);
	maker_switch(t, 1);
	maker_enter(t, EVENT_NO_SITE, 10); /* seq 0 */
	maker_line(t, 0);
	maker_line(t, 1);
	maker_enter(t, EVENT_NO_SITE, 20); /* seq 3 */
	maker_line(t, 0);
	maker_line(t, 1);
	maker_line(t, 2);
	maker_event1(t, EVENT_LEAVE, 0); /* seq 7 */
	maker_line(t, 2);		 /* seq 8 */
	maker_cut(&x->m, t);
	struct maker_thread *worker = maker_thread(&x->m, 1);
	maker_switch(worker, 2);
	maker_enter(worker, EVENT_NO_SITE, 10);
	maker_line(worker, 0);
	maker_cut(&x->m, worker);
	maker_thread_end(&x->m, t);
	maker_thread_end(&x->m, worker);
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), &x->err), 0);
	x->s = calloc(1, sizeof *x->s);
	assert_non_null(x->s);
	x->s->replay.r = x->r;
	x->s->replay.stop = &no_stop;
	assert_int_equal(replay_start(&x->s->replay, &x->err), 0);
	assert_int_equal(x->s->replay.at.line, 2);
}

static void made_close(struct made *x)
{
	assert_string_equal(x->s->why, ""); /* operations write no texts */
	assert_string_equal(x->s->note, "");
	session_release(x->s);
	free(x->s);
	pl_recording_close(x->r);
	maker_release(&x->m);
}

static void check_moved(struct made *x, int code, int32_t line)
{
	assert_int_equal(code, 0);
	assert_int_equal(x->s->outcome.done, DONE_MOVED);
	assert_int_equal(x->s->outcome.refusal, REFUSAL_NONE);
	assert_int_equal(x->s->replay.at.line, line);
}

/* The position stays where it was. */
static void check_refused(struct made *x, int code, enum refusal refusal, uint64_t seq)
{
	assert_int_equal(code, PL_END);
	assert_int_equal(x->s->outcome.refusal, refusal);
	assert_int_equal(x->s->replay.at.seq, seq);
}

static void steps(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	check_moved(&x, session_step(x.s, STEP_LINE, false, &x.err), 3);
	check_moved(&x, session_step(x.s, STEP_LINE, false, &x.err), 11);
	check_moved(&x, session_step(x.s, STEP_NEXT, true, &x.err), 3);
	check_moved(&x, session_step(x.s, STEP_NEXT, false, &x.err), 4);
	check_refused(&x, session_step(x.s, STEP_NEXT, false, &x.err), REFUSAL_NO_LINE, 8);
	assert_false(x.s->outcome.back);
	check_moved(&x, session_to_seq(x.s, 4, &x.err), 11);
	check_moved(&x, session_until(x.s, 13, &x.err), 13);
	check_moved(&x, session_step(x.s, STEP_OUT, false, &x.err), 4);
	check_moved(&x, session_to_seq(x.s, 1, &x.err), 2);
	check_refused(&x, session_step(x.s, STEP_LINE, true, &x.err), REFUSAL_NO_LINE, 1);
	assert_true(x.s->outcome.back);
	made_close(&x);
}

/* No caller of main was recorded, but lines of reserve follow. */
static void lines_of_other_frames(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	check_refused(&x, session_step(x.s, STEP_OUT, false, &x.err), REFUSAL_NO_LINE_OF_FRAME, 1);
	assert_int_equal(x.s->outcome.step, STEP_OUT);
	made_close(&x);
}

static void stops(void **state)
{
	const struct wish line = {.kind = STOP_LINE, .name = "a.py", .line = 12};
	const struct wish mistyped = {.kind = STOP_CALL, .name = "resreve"};
	const struct wish never = {.kind = STOP_LINE, .name = "a.py", .line = 7};
	struct made x;

	(void)state;
	made_open(&x);
	check_refused(&x, session_continue(x.s, false, &x.err), REFUSAL_NO_STOP_SET, 1);
	assert_int_equal(session_toggle_stop(x.s, &line, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_STOP_SET);
	assert_int_equal(x.s->outcome.stop.number, 1);
	check_refused(&x, session_toggle_stop(x.s, &mistyped, &x.err), REFUSAL_NEVER_CALLED, 1);
	assert_string_equal(x.s->outcome.near.name, "reserve");
	assert_string_equal(x.s->outcome.stop.name, "resreve");
	check_refused(&x, session_toggle_stop(x.s, &never, &x.err), REFUSAL_NEVER_RAN, 1);
	assert_int_equal(x.s->outcome.near.before, 4);
	assert_int_equal(x.s->outcome.near.after, 11);
	check_moved(&x, session_continue(x.s, false, &x.err), 12);
	check_refused(&x, session_continue(x.s, false, &x.err), REFUSAL_NO_LATER_STOP, 5);
	assert_int_equal(x.s->outcome.elsewhere.count, 0);
	check_moved(&x, session_step(x.s, STEP_LINE, false, &x.err), 13);
	check_refused(&x, session_continue(x.s, false, &x.err), REFUSAL_NO_LATER_STOP, 6);
	assert_int_equal(x.s->outcome.elsewhere.count, 1);
	assert_int_equal(x.s->outcome.elsewhere.rows[0].of, ELSEWHERE_OTHER_WAY);
	assert_int_equal(x.s->outcome.elsewhere.rows[0].count, 1);
	check_refused(&x, session_remove_stop(x.s, 2), REFUSAL_NO_SUCH_STOP, 6);
	assert_int_equal(session_toggle_stop(x.s, &line, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_STOP_REMOVED);
	assert_int_equal(x.s->replay.stops.count, 0);
	made_close(&x);
}

static void searches(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	check_refused(&x, session_search_again(x.s, false, &x.err), REFUSAL_NO_SEARCH, 1);
	check_refused(&x, session_search(x.s, "[", false, &x.err), REFUSAL_BAD_PATTERN, 1);
	assert_int_equal(session_search(x.s, "^res", false, &x.err), 0);
	assert_int_equal(x.s->replay.at.seq, 3);
	check_refused(&x, session_search_again(x.s, false, &x.err), REFUSAL_NOT_FOUND, 3);
	check_refused(&x, session_search_again(x.s, true, &x.err), REFUSAL_NOT_FOUND, 3);
	assert_true(x.s->outcome.back);
	made_close(&x);
}

static void visited_places(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	check_refused(&x, session_visited(x.s, true, &x.err), REFUSAL_NO_LATER_PLACE, 1);
	check_refused(&x, session_to_mark(x.s, 'q', &x.err), REFUSAL_NO_SUCH_MARK, 1);
	assert_int_equal(session_mark(x.s, 'q'), 0);
	assert_int_equal(x.s->outcome.done, DONE_MARKED);
	assert_int_equal(x.s->outcome.letter, 'q');
	check_moved(&x, session_to_end(x.s, &x.err), 4);
	check_moved(&x, session_visited(x.s, true, &x.err), 2);
	check_moved(&x, session_visited(x.s, false, &x.err), 4);
	check_moved(&x, session_to_mark(x.s, 'q', &x.err), 2);
	made_close(&x);
}

static void jumps(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	check_moved(&x, session_to_seq(x.s, 100, &x.err), 4);
	assert_int_equal(x.s->outcome.note, NOTE_OTHER_SEQ);
	assert_int_equal(x.s->outcome.seq, 100);
	assert_int_equal(session_to_start(x.s, &x.err), 0);
	assert_int_equal(x.s->replay.at.seq, 0);
	assert_int_equal(x.s->outcome.note, NOTE_NONE);
	assert_int_equal(session_to_time(x.s, x.s->replay.at.time_ns - 7, &x.err), 0);
	assert_int_equal(x.s->outcome.note, NOTE_OFF);
	assert_int_equal(x.s->outcome.off_ns, 7);
	made_close(&x);
}

static void frames(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	check_refused(&x, session_select_frame(x.s, true, &x.err), REFUSAL_OUTERMOST_FRAME, 1);
	check_moved(&x, session_to_seq(x.s, 5, &x.err), 12);
	assert_int_equal(session_select_frame(x.s, true, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_FRAME_SELECTED);
	assert_int_equal(x.s->frame, 1);
	assert_int_equal(x.s->outcome.frame.line, 3);
	assert_int_equal(session_place(x.s).line, 3);
	check_refused(&x, session_source(x.s, 0), REFUSAL_NO_SOURCE, 5); /* no text is kept */
	assert_int_equal(session_select_frame(x.s, false, &x.err), 0);
	check_refused(&x, session_select_frame(x.s, false, &x.err), REFUSAL_INNERMOST_FRAME, 5);
	made_close(&x);
}

static void hits_of_lines(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	assert_int_equal(session_line_hits(x.s, 4, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_HITS);
	assert_int_equal(x.s->outcome.place.line, 4);
	assert_int_equal(x.s->outcome.hits.so_far, 0);
	assert_int_equal(x.s->outcome.hits.in_all, 1);
	check_refused(&x, session_line_hits(x.s, INT32_MAX, &x.err), REFUSAL_NO_SUCH_LINE, 1);
	made_close(&x);
}

static void threads_and_tasks(void **state)
{
	const struct task_name task = {.number = 3, .text = "3"};
	struct task_name names[4];
	struct made x;
	size_t count;

	(void)state;
	made_open(&x);
	check_refused(&x, session_thread(x.s, 2, &x.err), REFUSAL_NO_SUCH_THREAD, 1);
	check_refused(&x, session_process(x.s, 9, &x.err), REFUSAL_NO_SUCH_PROCESS, 1);
	assert_int_equal(session_process(x.s, 1, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_HERE);
	check_refused(&x, session_task(x.s, &task, &x.err), REFUSAL_NO_SUCH_TASK, 1);
	check_refused(&x, session_tasks(x.s, names, 4, &count, &x.err), REFUSAL_NO_TASKS, 1);
	assert_int_equal(session_thread(x.s, 1, &x.err), 0);
	assert_int_equal(x.s->outcome.note, NOTE_BEGINS_LATER);
	assert_int_equal(x.s->replay.at.position.thread, 1);
	check_refused(&x, session_switch(x.s, false, &x.err), REFUSAL_NO_LATER_SWITCH, 0);
	assert_int_equal(session_switch(x.s, true, &x.err), 0);
	assert_int_equal(x.s->outcome.note, NOTE_RUNS_HERE);
	assert_int_equal(x.s->outcome.from.at.thread, 1);
	made_close(&x);
}

static void interrupted(void **state)
{
	struct made x;

	(void)state;
	made_open(&x);
	no_stop = 1;
	check_refused(&x, session_step(x.s, STEP_NEXT, false, &x.err), REFUSAL_STOPPED, 1);
	no_stop = 0;
	made_close(&x);
}

/* They stand in the output of --json: each once, and none is empty but that of no refusal. */
static void names_of_codes(void **state)
{
	(void)state;
	assert_string_equal(done_name(DONE_MOVED), "moved");
	assert_string_equal(done_name(DONE_STOP_SET), "stop-set");
	assert_string_equal(refusal_name(REFUSAL_NONE), "");
	for (int i = REFUSAL_NONE + 1; i <= REFUSAL_NO_SOURCE; i++) {
		assert_true(refusal_name((enum refusal)i)[0]);
		for (int other = REFUSAL_NONE; other < i; other++)
			assert_string_not_equal(
				refusal_name((enum refusal)i), refusal_name((enum refusal)other));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps),
		cmocka_unit_test(lines_of_other_frames),
		cmocka_unit_test(stops),
		cmocka_unit_test(searches),
		cmocka_unit_test(visited_places),
		cmocka_unit_test(jumps),
		cmocka_unit_test(frames),
		cmocka_unit_test(hits_of_lines),
		cmocka_unit_test(threads_and_tasks),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(names_of_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
