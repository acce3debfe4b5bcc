/* What can be seen from a position: frames and the selected one, text, hits of a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void frames(void **state)
{
	struct pl_frame *all;
	struct scene x;
	size_t depth;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_to_seq(x.s, 15, &x.err), 0, 15);
	all = session_frames(x.s, &depth);
	assert_int_equal(depth, 2);
	assert_string_equal(pl_code_name(all[0].code), "main");
	free(all);
	assert_int_equal(session_place(x.s).line, 12);
	assert_int_equal(session_select_frame(x.s, true, &x.err), 0);
	assert_int_equal(session_place(x.s).line, 3);
	scene_refused(&x, session_select_frame(x.s, true, &x.err), REFUSAL_OUTERMOST_FRAME);
	assert_int_equal(x.s->frame, 1); /* it stays selected */
	scene_at(&x, session_step(x.s, STEP_LINE, false, &x.err), 0, 16);
	assert_int_equal(x.s->frame, 0); /* a move selects the innermost one */
	scene_refused(&x, session_select_frame(x.s, false, &x.err), REFUSAL_INNERMOST_FRAME);
	scene_close(&x);
}

static void hits(void **state)
{
	const struct line_hits *hits;
	struct scene x;

	(void)state;
	scene_open(&x);
	hits = &x.s->outcome.hits;
	scene_at(&x, session_to_seq(x.s, 4, &x.err), 0, 4);
	assert_int_equal(session_line_hits(x.s, 0, &x.err), 0); /* its own line */
	assert_int_equal(x.s->outcome.place.line, 11);
	assert_int_equal(hits->so_far, 1);
	assert_int_equal(hits->in_all, 2);
	assert_true(hits->whole);
	assert_false(hits->maybe_more);
	assert_int_equal(session_line_hits(x.s, 13, &x.err), 0);
	assert_int_equal(hits->so_far, 0);
	assert_int_equal(hits->in_all, 1);
	assert_int_equal(session_line_hits(x.s, 22, &x.err), 0); /* of another thread */
	assert_int_equal(hits->in_all, 0);
	scene_stop = 1;
	hits_free(x.s->hits);
	x.s->hits = NULL;
	scene_refused(&x, session_line_hits(x.s, 13, &x.err), REFUSAL_STOPPED);
	scene_stop = 0;
	scene_close(&x);
}

/* Of a thread that was killed after line 2 it is not known if line 3 began. */
static void where_a_path_breaks_off(void **state)
{
	struct scene x;

	(void)state;
	scene_begin(&x);
	x.m.unheard = true; /* no line of it has an event */
	maker_body(&x.m, 4, "quiet", 30, 2);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 40);
	maker_cut(&x.m, x.t);
	maker_process_end(&x.m, PL_PROCESS_SIGNALED, SIGKILL);
	scene_start(&x);
	assert_int_equal(session_line_hits(x.s, 32, &x.err), 0);
	assert_true(x.s->outcome.hits.maybe_more);
	assert_int_equal(x.s->outcome.hits.in_all, 0);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(hits),
		cmocka_unit_test(where_a_path_breaks_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
