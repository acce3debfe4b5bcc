/* The commands that move and look, as words: what each letter does, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/commands.h"
#include "tests/lib/commands.h"

/* Each of these letters is a step of its own, in its direction. */
static void steps(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_goes(&x, "j #13", 0, 13);
	scene_goes(&x, "s", 0, 14);
	scene_goes(&x, "f", 0, 18);
	scene_goes(&x, "S", 0, 16);
	scene_goes(&x, "reverse-step", 0, 15);
	scene_goes(&x, "F", 0, 12);
	scene_goes(&x, "n", 0, 18);
	scene_goes(&x, "N", 0, 12);
	scene_goes(&x, "2s", 0, 15);
	scene_goes(&x, "until 13", 0, 16);
	scene_denies(&x, "until x", "not a line number: x; try until 44");
	scene_close(&x);
}

static void jumps(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_goes(&x, "j end", 0, 18);
	scene_goes(&x, "j start", 0, 0);
	scene_goes(&x, "j #7", 0, 7);
	scene_denies(&x, "j #7x", "not the number of an event: #7x");
	assert_int_equal(session_do(x.s, "j", &x.err), PL_END);
	assert_int_equal(strncmp(x.s->why, "j needs a time: ", 16), 0);
	assert_int_equal(session_do(x.s, "j noon", &x.err), PL_END);
	assert_int_equal(strncmp(x.s->why, "not a time: noon; try ", 22), 0);
	scene_close(&x);
}

static void marks_and_places(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_goes(&x, "j #4", 0, 4);
	assert_int_equal(session_do(x.s, "m a", &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_MARKED);
	scene_goes(&x, "j #14", 0, 14);
	scene_goes(&x, "'a", 0, 4);
	scene_goes(&x, "''", 0, 14);
	scene_goes(&x, "forward", 0, 4);
	scene_goes(&x, "back", 0, 14);
	scene_denies(&x, "m ab", "a mark is one letter, a to z");
	scene_denies(&x, "m A", "a mark is one letter, a to z");
	scene_denies(&x, "' b", "there is no such mark; m LETTER sets one");
	scene_close(&x);
}

static void searches(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_goes(&x, "/ book", 0, 3);
	scene_goes(&x, ";", 0, 13);
	scene_goes(&x, ",", 0, 3);
	scene_goes(&x, "j end", 0, 18);
	scene_goes(&x, "? SoldOut", 0, 8);
	scene_denies(&x, "/ (", "not a regular expression: (");
	scene_close(&x);
}

static void others(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_int_equal(session_do(x.s, "a", &x.err), 0);
	assert_true(x.s->replay.only_here);
	assert_int_equal(session_do(x.s, "a", &x.err), 0);
	assert_false(x.s->replay.only_here);
	scene_goes(&x, "j #4", 0, 4);
	assert_int_equal(session_do(x.s, "u", &x.err), 0);
	assert_int_equal(x.s->frame, 1);
	assert_int_equal(session_do(x.s, "d", &x.err), 0);
	assert_int_equal(x.s->frame, 0);
	scene_says(&x, "hits 12", "line 12: 0 of 2 hits, without passes of one-line loops");
	scene_denies(&x, "hits x", "not a line number: x; try hits 44");
	scene_denies(&x, "list 0", "there is no line 0: the first line of a file is 1");
	assert_int_equal(session_do(x.s, "run", &x.err), PL_END);
	assert_int_equal(x.s->outcome.refusal, REFUSAL_NOT_POSSIBLE);
	assert_int_equal(session_do(x.s, "q", &x.err), 0);
	assert_true(x.s->quit);
	scene_close(&x);
}

static void numbers(void **state)
{
	uint64_t n = 0;

	(void)state;
	assert_true(command_number("44", &n));
	assert_int_equal(n, 44);
	assert_false(command_number("0", &n));
	assert_false(command_number("-1", &n));
	assert_false(command_number("44x", &n));
	assert_false(command_number("", &n));
	assert_false(command_number("99999999999999999999", &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps),
		cmocka_unit_test(jumps),
		cmocka_unit_test(marks_and_places),
		cmocka_unit_test(searches),
		cmocka_unit_test(others),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
