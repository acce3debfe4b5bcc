/* The variables of the selected frame: whose they are, and how long they are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static const struct variables *variables_of(struct scene *x)
{
	const struct variables *v = NULL;

	assert_int_equal(session_variables(x->s, &v, &x->err), 0);
	return v;
}

/* The selected frame is counted from the innermost one, its depth from the bottom. */
static void depths(void **state)
{
	uint32_t depth = 9;
	struct scene x;

	(void)state;
	scene_open_values(&x);
	assert_true(session_frame_depth(x.s, &depth));
	assert_int_equal(depth, 0);
	scene_at(&x, session_to_seq(x.s, 3, &x.err), 0, 3);
	assert_true(session_frame_depth(x.s, &depth));
	assert_int_equal(depth, 1);
	x.s->frame = 1;
	assert_true(session_frame_depth(x.s, &depth));
	assert_int_equal(depth, 0);
	x.s->frame = 2;
	assert_false(session_frame_depth(x.s, &depth));
	scene_close(&x);
}

static void of_the_position_and_frame(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_at(&x, session_to_seq(x.s, 4, &x.err), 0, 4);
	assert_int_equal(variables_find(variables_of(&x), "sum", 3)->value.integer, 1);
	scene_at(&x, session_to_seq(x.s, 6, &x.err), 0, 6);
	assert_int_equal(variables_find(variables_of(&x), "sum", 3)->value.integer, 7);
	x.s->frame = 1;
	assert_int_equal(variables_of(&x)->count, 0); /* of main none were kept */
	x.s->frame = 0;
	assert_int_equal(variables_of(&x)->count, 2);
	scene_close(&x);
}

/* They are looked for once; an interruption afterwards does not matter. */
static void are_kept(void **state)
{
	const struct variables *v;
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_at(&x, session_to_seq(x.s, 4, &x.err), 0, 4);
	const struct variables *first = variables_of(&x);
	scene_stop = 1;
	assert_ptr_equal(variables_of(&x), first);
	selected_variables_forget(&x.s->variables);
	assert_int_equal(session_variables(x.s, &v, &x.err), PL_END);
	scene_stop = 0;
	assert_int_equal(variables_of(&x)->count, 2); /* what was stopped is not kept */
	scene_close(&x);
}

static void no_frame(void **state)
{
	const struct variables *v;
	uint32_t depth;
	struct scene x;

	(void)state;
	scene_open_values(&x);
	x.s->replay.at.code = NULL;
	assert_false(session_frame_depth(x.s, &depth));
	assert_int_equal(session_variables(x.s, &v, &x.err), PL_END);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depths),
		cmocka_unit_test(of_the_position_and_frame),
		cmocka_unit_test(are_kept),
		cmocka_unit_test(no_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
