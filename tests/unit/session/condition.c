/* The conditions of stops, asked at events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/condition.h"
#include "tests/lib/sessions.h"

static struct expr *condition_of(const char *text)
{
	const struct expr_words words = {.variables = true};
	struct expr_fault fault;
	struct expr *expr = NULL;

	assert_int_equal(expr_read(&expr, text, &words, &fault), 0);
	return expr;
}

/* The event with this seq of scene_open_values, after those before it were put in. */
static int asked_at(struct scene *x, const char *text, uint64_t seq)
{
	struct expr *expr = condition_of(text);
	struct bindings b = {.r = x->r};
	struct pl_cursor *c = NULL;
	struct pl_event e = {.seq = UINT64_MAX};

	bindings_begin(&b);
	assert_int_equal(condition_begin(expr, &b), 0);
	assert_int_equal(pl_cursor_new(&c, x->r, 1, 0, &x->err), 0);
	pl_cursor_want_values(c, true);
	while (e.seq != seq) {
		assert_int_equal(pl_cursor_next(c, &e, &x->err), 0);
		assert_int_equal(bindings_put(&b, &e), 0);
	}
	const int code = condition_is_met(expr, &b, &e, true, &x->err);
	pl_cursor_free(c);
	bindings_release(&b);
	expr_free(expr);
	return code;
}

static void variables_as_they_are(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	assert_int_equal(asked_at(&x, "sum == 1", 4), 0);
	assert_int_equal(asked_at(&x, "sum == 1 and n == 5", 4), 0);
	assert_int_equal(asked_at(&x, "sum == 1", 6), PL_END);
	assert_int_equal(asked_at(&x, "n == 6", 5), 0);
	assert_int_equal(asked_at(&x, "sum == 1", 3), PL_END); /* it is not bound before */
	assert_int_equal(asked_at(&x, "not sum == 1", 3), PL_END);
	assert_int_equal(asked_at(&x, "n == 9", 9), 0); /* another call */
	scene_close(&x);
}

static void arguments_as_they_were(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	assert_int_equal(asked_at(&x, "args.n == 5 and n == 6", 5), 0);
	assert_int_equal(asked_at(&x, "args.n == 6", 5), PL_END);
	scene_close(&x);
}

/* A bare name is a variable of the frame first, and if there is none a field of the event. */
static void names_and_fields(void **state)
{
	struct expr *of_frame = condition_of("sum > 1");
	struct scene x;

	(void)state;
	assert_false(condition_needs_frames(NULL));
	assert_true(condition_needs_frames(of_frame));
	expr_free(of_frame);
	scene_open_values(&x);
	assert_int_equal(asked_at(&x, "depth > 0 and thread == 'MainThread'", 3), 0);
	assert_int_equal(asked_at(&x, "thread == 'worker'", 3), PL_END);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_as_they_are),
		cmocka_unit_test(arguments_as_they_were),
		cmocka_unit_test(names_and_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
