/* Operations on variables of the selected frame: what is shown, what is refused, and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void lists(void **state)
{
	const struct variables *v;
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_at(&x, session_to_seq(x.s, 5, &x.err), 0, 5);
	assert_int_equal(session_list_variables(x.s, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_VARIABLES);
	assert_int_equal(session_variables(x.s, &v, &x.err), 0);
	assert_int_equal(v->count, 2);
	assert_int_equal(session_select_frame(x.s, true, &x.err), 0);
	assert_int_equal(session_variables(x.s, &v, &x.err), 0);
	assert_int_equal(v->count, 0); /* main has none */
	scene_close(&x);
	scene_open(&x);
	scene_refused(&x, session_list_variables(x.s, &x.err), REFUSAL_NO_VALUES);
	scene_refused(&x, session_print(x.s, "n", &x.err), REFUSAL_NO_VALUES);
	scene_close(&x);
}

static void questions(void **state)
{
	const struct value_question *q;
	struct scene x;

	(void)state;
	scene_open_values(&x);
	q = &x.s->outcome.question;
	scene_at(&x, session_to_seq(x.s, 6, &x.err), 0, 6);
	assert_int_equal(session_print(x.s, "sum", &x.err), 0);
	assert_int_equal(q->value.integer, 7);
	scene_refused(&x, session_print(x.s, "summ", &x.err), REFUSAL_NO_SUCH_VARIABLE);
	assert_string_equal(q->near, "sum");
	scene_refused(&x, session_print(x.s, "sum + 1", &x.err), REFUSAL_NOT_A_VALUE);
	scene_refused(&x, session_print(x.s, "len(sum)", &x.err), REFUSAL_NO_LENGTH);
	scene_refused(&x, session_print(x.s, "sum.real", &x.err), REFUSAL_NOT_KEPT);
	assert_string_equal(x.s->variable, "sum"); /* the last one that was shown */
	scene_close(&x);
}

static void to_writes(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_at(&x, session_to_seq(x.s, 6, &x.err), 0, 6);
	scene_refused(&x, session_to_write(x.s, "", true, &x.err), REFUSAL_NO_NAME);
	scene_at(&x, session_to_write(x.s, "sum", true, &x.err), 0, 5);
	assert_int_equal(x.s->outcome.note, NOTE_WRITTEN);
	assert_string_equal(x.s->outcome.written.text, "7");
	scene_at(&x, session_to_write(x.s, "", true, &x.err), 0, 3);
	scene_refused(&x, session_to_write(x.s, "", true, &x.err), REFUSAL_NO_EARLIER_WRITE);
	scene_at(&x, session_to_write(x.s, "sum", false, &x.err), 0, 5);
	scene_refused(&x, session_to_write(x.s, "sum", false, &x.err), REFUSAL_NO_LATER_WRITE);
	scene_refused(&x, session_to_write(x.s, "sum.real", false, &x.err), REFUSAL_NOT_KEPT);
	scene_refused(&x, session_to_write(x.s, "nothing", false, &x.err), REFUSAL_NEVER_BOUND);
	scene_close(&x);
}

/* It stops where the variable has changed, in each call; the same again removes it. */
static void watches(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_at(&x, session_to_seq(x.s, 3, &x.err), 0, 3);
	assert_int_equal(session_watch(x.s, "n", &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_STOP_SET);
	scene_at(&x, session_continue(x.s, false, &x.err), 0, 5);
	scene_refused(&x, session_continue(x.s, false, &x.err), REFUSAL_NO_LATER_STOP);
	assert_int_equal(session_watch(x.s, "n", &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_STOP_REMOVED);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(questions),
		cmocka_unit_test(to_writes),
		cmocka_unit_test(watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
