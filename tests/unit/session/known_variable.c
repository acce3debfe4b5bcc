/* Whether a variable was ever bound in a function, and which others were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/known.h"
#include "tests/lib/sessions.h"

/* The function of the position, which is add. */
static const struct pl_code *code_of_add(struct scene *x)
{
	assert_int_equal(session_to_seq(x->s, 3, &x->err), 0);
	assert_string_equal(pl_code_name(x->s->replay.at.code), "add");
	return x->s->replay.at.code;
}

static void bound(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	const struct pl_code *add = code_of_add(&x);
	assert_int_equal(known_variable(x.s, add, "sum", &x.err), 0); /* a line bound it */
	assert_int_equal(known_variable(x.s, add, "n", &x.err), 0);   /* it is an argument */
	scene_close(&x);
}

static void never_bound(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	const struct pl_code *add = code_of_add(&x);
	scene_refused(&x, known_variable(x.s, add, "summ", &x.err), REFUSAL_NEVER_BOUND);
	assert_string_equal(x.s->outcome.question.near, "sum");
	assert_non_null(x.s->outcome.near.name);
	scene_refused(&x, known_variable(x.s, add, "su", &x.err), REFUSAL_NEVER_BOUND);
	scene_refused(&x, known_variable(x.s, add, "quantity", &x.err), REFUSAL_NEVER_BOUND);
	assert_string_equal(x.s->outcome.question.near, "n, sum");
	assert_null(x.s->outcome.near.name);
	scene_close(&x);
}

/* The variables of add are not those of main. */
static void of_another_function(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	const struct pl_code *main_code = x.s->replay.at.code;
	assert_string_equal(pl_code_name(main_code), "main");
	scene_refused(&x, known_variable(x.s, main_code, "sum", &x.err), REFUSAL_NEVER_BOUND);
	assert_string_equal(x.s->outcome.question.near, "");
	scene_close(&x);
}

static void interrupted(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	const struct pl_code *add = code_of_add(&x);
	scene_stop = 1;
	scene_refused(&x, known_variable(x.s, add, "summ", &x.err), REFUSAL_STOPPED);
	scene_stop = 0;
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bound),
		cmocka_unit_test(never_bound),
		cmocka_unit_test(of_another_function),
		cmocka_unit_test(interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
