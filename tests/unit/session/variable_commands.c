/* The commands of variables, as words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/commands.h"
#include "tests/lib/commands.h"

static void prints(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_goes(&x, "j #6", 0, 6);
	scene_says(&x, "p sum", "7");
	scene_says(&x, "p(sum)", "7");
	scene_says(&x, "print (n)", "6");
	scene_denies(&x, "p",
		"p needs a name: p order, p order['item'], p len(rows); variables lists them");
	scene_denies(&x, "p summ", "no variable summ is known here; did you mean sum?");
	scene_close(&x);
}

/* What is cut would be another question. */
static void too_long(void **state)
{
	char text[VARIABLE_TEXT_BYTES + 1];
	struct scene x;

	(void)state;
	scene_open_values(&x);
	snprintf(text, sizeof text, "%0*d", VARIABLE_TEXT_BYTES, 0);
	assert_int_equal(command_print(x.s, 'p', text, &x.err), PL_END);
	assert_string_equal(x.s->why, "what p is asked is too long");
	scene_close(&x);
}

static void writes(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_goes(&x, "j #6", 0, 6);
	scene_goes(&x, "{ sum", 0, 5);
	assert_string_equal(x.s->note, "sum = 7, by line 33");
	scene_goes(&x, "{", 0, 3);
	assert_string_equal(x.s->note, "sum = 1, by line 31");
	scene_goes(&x, "} sum", 0, 5);
	scene_denies(&x, "}", "sum was not written later in this frame");
	scene_close(&x);
}

static void watches(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_goes(&x, "j #3", 0, 3);
	assert_int_equal(session_do(x.s, "watch sum", &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_STOP_SET);
	assert_int_equal(x.s->replay.stops.rows[0].kind, STOP_WRITE);
	assert_int_equal(session_do(x.s, "watch sum", &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_STOP_REMOVED);
	assert_int_equal(x.s->replay.stops.count, 0);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints),
		cmocka_unit_test(too_long),
		cmocka_unit_test(writes),
		cmocka_unit_test(watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
