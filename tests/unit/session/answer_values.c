/* Variables and values as text, and why there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/answer.h"
#include "tests/lib/commands.h"

static void lists(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_goes(&x, "j #5", 0, 5);
	scene_says(&x, "variables", "*n = 6 (line 32); sum = 1 (line 31)");
	scene_goes(&x, "j #3", 0, 3);
	scene_says(&x, "variables", "n = 5");
	scene_says(&x, "u", "frame 1: a.py:2 main");
	scene_says(&x, "variables",
		"no values of main: it has no arguments, or --values-of does not name it");
	scene_close(&x);
}

static void values(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_goes(&x, "j #6", 0, 6);
	scene_says(&x, "p sum", "7");
	scene_denies(&x, "p sum.real",
		"that is not in what was kept of sum; p sum shows what is, and record "
		"--values-limit how much");
	scene_denies(&x, "p len(sum)", "that value of sum has no length");
	scene_denies(&x, "p total", "no variable total is known here; variables lists them");
	scene_denies(
		&x, "{ nothing", "no variable nothing was ever bound in add; there are: n, sum");
	scene_denies(&x, "{ summ", "no variable summ was ever bound in add; did you mean sum?");
	scene_close(&x);
}

/* What is not kept of a value is said; a value may be newer than the one that had room. */
static void unsure(void **state)
{
	const struct variable v = {.unsure = true};
	struct scene x;

	(void)state;
	scene_open_values(&x);
	x.s->outcome.question = (struct value_question){
		.variable = &v, .value = {.kind = PL_VALUE_INT, .integer = 3}};
	answer_value(x.s);
	assert_string_equal(x.s->why, "3 or newer, which had no room");
	scene_close(&x);
}

static void written(void **state)
{
	struct write_found *w;
	struct scene x;

	(void)state;
	scene_open_values(&x);
	w = &x.s->outcome.written;
	snprintf(x.s->variable, sizeof x.s->variable, "qty");
	snprintf(w->text, sizeof w->text, "3");
	w->line = 12;
	answer_written(x.s);
	assert_string_equal(x.s->note, "qty = 3, by line 12");
	w->line = 0;
	answer_written(x.s);
	assert_string_equal(x.s->note, "qty = 3, an argument of this call");
	w->line = VARIABLE_LINE_UNKNOWN;
	answer_written(x.s);
	assert_string_equal(x.s->note, "qty = 3");
	scene_close(&x);
}

static void refusals(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	snprintf(x.s->outcome.question.name, VALUE_NAME_BYTES, "qty");
	x.s->outcome.refusal = REFUSAL_UNSET;
	answer_no_value(x.s);
	assert_string_equal(x.s->why, "qty is <unset> here: { goes to what deleted it");
	x.s->outcome.refusal = REFUSAL_NO_SUCH_PART;
	answer_no_value(x.s);
	assert_string_equal(x.s->why, "qty has no such part; p qty shows it");
	snprintf(x.s->variable, sizeof x.s->variable, "qty");
	x.s->outcome.refusal = REFUSAL_NO_EARLIER_WRITE;
	x.s->outcome.back = true;
	answer_no_value(x.s);
	assert_string_equal(x.s->why, "qty was not written earlier in this frame");
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(values),
		cmocka_unit_test(unsure),
		cmocka_unit_test(written),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
