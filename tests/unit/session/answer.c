/* The outcome of operations as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/answer.h"
#include "session/words.h"
#include "tests/lib/sessions.h"

/* What is said of this outcome, after an operation that returned `code`. */
static void expect(struct scene *x, int code, const char *why)
{
	x->s->why[0] = x->s->note[0] = 0;
	answer_outcome(x->s, code);
	assert_string_equal(x->s->why, why);
}

static void lines_that_never_ran(void **state)
{
	struct outcome *o;
	struct scene x;

	(void)state;
	scene_open(&x);
	o = &x.s->outcome;
	*o = (struct outcome){.refusal = REFUSAL_NEVER_RAN,
		.stop = {.name = "a.py", .line = 7},
		.near = {.before = 4, .after = 11}};
	expect(&x, PL_END, "a.py:7 never ran; the nearest lines that ran are 4 and 11");
	o->near.after = 0;
	expect(&x, PL_END, "a.py:7 never ran; the nearest line that ran is 4");
	o->near = (struct near_names){.after = 11, .known = NEAR_MAYBE};
	expect(&x, PL_END,
		"a.py:7 may have run at the end, where the path breaks off; the nearest line that "
		"ran is 11");
	o->near = (struct near_names){.known = NEAR_NOT_WHOLE, .missing = true};
	expect(&x, PL_END, "a.py:7 is not in the recording, of which a part is missing");
	o->near = (struct near_names){.known = NEAR_NEVER};
	expect(&x, PL_END, "no line of a.py ran");
	scene_close(&x);
}

static void names_that_never_were(void **state)
{
	struct outcome *o;
	struct scene x;

	(void)state;
	scene_open(&x);
	o = &x.s->outcome;
	*o = (struct outcome){.refusal = REFUSAL_NEVER_CALLED, .stop = {.name = "bok"}};
	expect(&x, PL_END, "no such function was called: bok");
	o->near.name = "book";
	expect(&x, PL_END, "no such function was called: bok; did you mean book?");
	o->near.missing = true;
	expect(&x, PL_END,
		"bok is not in the recording, of which a part is missing; did you mean book?");
	*o = (struct outcome){.refusal = REFUSAL_NEVER_RAISED, .stop = {.name = "Sold"}};
	expect(&x, PL_END,
		"no such exception was raised: Sold; x takes a whole name: `report --exceptions` "
		"lists them");
	o->near.none = true;
	expect(&x, PL_END, "no exception was raised");
	scene_close(&x);
}

static void stops(void **state)
{
	struct outcome *o;
	struct scene x;

	(void)state;
	scene_open(&x);
	o = &x.s->outcome;
	*o = (struct outcome){.done = DONE_STOP_SET,
		.stop = {.kind = STOP_LINE, .number = 3, .name = "a.py", .line = 12, .hits = 2}};
	expect(&x, 0, "stop 3: b a.py:12 if hits == 2");
	o->stop.once = true;
	o->done = DONE_STOP_REMOVED;
	expect(&x, 0, "removed 3: tbreak a.py:12 if hits == 2");
	o->stop = (struct stop){.kind = STOP_RAISE, .number = 4, .condition = "depth > 3"};
	expect(&x, 0, "removed 4: x if depth > 3");
	*o = (struct outcome){.done = DONE_STOPS_REMOVED};
	expect(&x, 0, "there is no stop");
	o->count = 1;
	expect(&x, 0, "removed the stop");
	o->count = 2;
	expect(&x, 0, "removed all 2 stops");
	*o = (struct outcome){.refusal = REFUSAL_NO_SUCH_STOP, .number = 9};
	expect(&x, PL_END, "there is no stop 9; B lists them");
	scene_close(&x);
}

static void hits_of_a_line(void **state)
{
	struct outcome *o;
	struct scene x;

	(void)state;
	scene_open(&x);
	o = &x.s->outcome;
	*o = (struct outcome){.done = DONE_HITS,
		.place = {.line = 12},
		.hits = {.so_far = 1, .in_all = 1200, .whole = true, .passes = true}};
	expect(&x, 0, "line 12: 1 of 1,200 hits");
	o->hits.whole = false;
	o->hits.passes = false;
	expect(&x, 0,
		"line 12: 1 of 1,200 hits, without passes of one-line loops, in what is not "
		"missing");
	o->hits = (struct line_hits){.maybe_more = true};
	expect(&x, 0, "line 12: not known; the path breaks off before it");
	scene_close(&x);
}

/* Both directions, and codes with a text of their own. */
static void refusals(void **state)
{
	struct outcome *o;
	struct scene x;

	(void)state;
	scene_open(&x);
	o = &x.s->outcome;
	*o = (struct outcome){.refusal = REFUSAL_NO_LINE};
	expect(&x, PL_END, "no later line in this thread");
	o->back = true;
	expect(&x, PL_END, "no earlier line in this thread");
	o->refusal = REFUSAL_NO_LINE_OF_FRAME;
	expect(&x, PL_END, "no earlier line of this frame or its callers is recorded; S goes back");
	*o = (struct outcome){.refusal = REFUSAL_NO_LINE_OF_FRAME, .step = STEP_OUT};
	expect(&x, PL_END, "no later line of this frame's callers is recorded; s goes on");
	*o = (struct outcome){.refusal = REFUSAL_NO_SUCH_THREAD, .number = 7};
	expect(&x, PL_END, "there is no 7");
	*o = (struct outcome){.refusal = REFUSAL_BAD_CONDITION, .fault = {.column = 3}};
	snprintf(o->fault.what, sizeof o->fault.what, "a value is missing");
	expect(&x, PL_END, "if: at column 3: a value is missing");
	scene_close(&x);
}

/* Each refusal has a text, and none is that of another. */
static void all_refusals(void **state)
{
	char texts[REFUSAL_NO_EARLIER_WRITE + 1][WHY_MAX] = {{0}};
	struct scene x;

	(void)state;
	scene_open(&x);
	for (int i = REFUSAL_NONE + 1; i <= REFUSAL_NO_EARLIER_WRITE; i++) {
		x.s->outcome = (struct outcome){.refusal = (enum refusal)i};
		snprintf(x.s->outcome.stop.name, sizeof x.s->outcome.stop.name, "name");
		x.s->why[0] = 0;
		answer_outcome(x.s, PL_END);
		assert_true(x.s->why[0]);
		snprintf(texts[i], WHY_MAX, "%s", x.s->why);
	}
	assert_string_not_equal(texts[REFUSAL_NOT_KEPT], texts[REFUSAL_NO_SUCH_PART]);
	scene_close(&x);
}

/* A text that is there already stays. */
static void an_answer_of_the_words(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	session_begin(x.s);
	assert_int_equal(session_refuse(x.s, "try %d", 44), PL_END);
	answer_outcome(x.s, PL_END);
	assert_string_equal(x.s->why, "try 44");
	assert_int_equal(x.s->outcome.refusal, REFUSAL_NOT_UNDERSTOOD);
	session_begin(x.s);
	session_tell(x.s, "one");
	session_tell_more(x.s, "; %s", "two");
	answer_outcome(x.s, 0);
	assert_string_equal(x.s->why, "one; two");
	assert_int_equal(x.s->outcome.done, DONE_TOLD);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_never_ran),
		cmocka_unit_test(names_that_never_were),
		cmocka_unit_test(stops),
		cmocka_unit_test(hits_of_a_line),
		cmocka_unit_test(refusals),
		cmocka_unit_test(all_refusals),
		cmocka_unit_test(an_answer_of_the_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
