/* From the end of an exception back to where it was raised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/crash_look.h"
#include "tests/lib/handlers.h"

static struct crash_look look_of(struct scene *x, const struct crash_bounds *bounds)
{
	return (struct crash_look){.r = x->r,
		.bounds = bounds,
		.process = pl_recording_find_process(x->r, 1),
		.thread = pl_recording_thread(x->r, 1, 0),
		.err = &x->err};
}

/* From main's handler, through Shop.book's unwind, to the raise there. */
static void through_a_callee(void **state)
{
	const struct crash_bounds bounds = {.count = 1};
	struct pl_buf raises = {0};
	struct scene x;

	(void)state;
	scene_open(&x);
	struct crash_look l = look_of(&x, &bounds);
	struct crash c = {.type = "shop.SoldOut", .end = handlers_event(&x, 9)};
	l.raises = &raises;
	assert_int_equal(crash_origin(&l, &c), 0);
	assert_int_equal(c.raise.seq, 6);
	const struct pl_event *all = (const struct pl_event *)(const void *)raises.at;
	assert_int_equal(raises.used, 2 * sizeof *all);
	assert_int_equal(all[0].seq, 8);
	assert_int_equal(all[1].seq, 6);
	buf_release(&raises);
	scene_close(&x);
}

/* What its handler raises on is what was raised first. */
static void raised_on(void **state)
{
	const struct crash_bounds bounds = {.count = 1};
	struct scene x;

	(void)state;
	scene_begin(&x);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 10);
	scene_line(x.t, 0);
	scene_raise(x.t, 0); /* 2 */
	maker_event2(x.t, EVENT_HANDLED, MAKER_UNIT(1), SCENE_TYPE);
	scene_line(x.t, 1);
	maker_event3(x.t, EVENT_RERAISE, MAKER_UNIT(2), MAKER_UNIT(0), SCENE_TYPE);
	scene_unwind(x.t); /* 6 */
	maker_cut(&x.m, x.t);
	maker_thread_end(&x.m, x.t);
	scene_start(&x);
	const struct crash_look l = look_of(&x, &bounds);
	struct crash c = {.type = "shop.SoldOut", .end = handlers_event(&x, 6)};
	assert_int_equal(crash_origin(&l, &c), 0);
	assert_int_equal(c.raise.seq, 2);
	c = (struct crash){.type = "ValueError", .end = handlers_event(&x, 6)};
	assert_int_equal(crash_origin(&l, &c), 0);
	assert_int_equal(c.raise.seq, 6); /* none of this type: its end */
	scene_close(&x);
}

static void frames(void **state)
{
	const struct pl_event one = {.depth = 1}, deeper = {.depth = 2},
			      generator = {.depth = 1, .generator = 7},
			      moved = {.depth = 2, .generator = 7};

	(void)state;
	assert_true(crash_same_frame(&one, &one));
	assert_false(crash_same_frame(&one, &deeper));
	assert_false(crash_same_frame(&one, &generator));
	assert_true(crash_same_frame(&generator, &moved));
}

/* By the source of the line that raised. */
static void takes_over(void **state)
{
	static const char *const lines[] = {"        await task", "        raise KeyError"};
	struct scene x;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		handlers_open(&x, lines[i]);
		const struct pl_event raise = handlers_event(&x, 6);
		assert_int_equal(crash_takes_over(x.r, &raise), i == 0);
		scene_close(&x);
	}
}

static void identities(void **state)
{
	const struct crash_bounds bounds = {.count = 1};
	struct scene x;

	(void)state;
	scene_open(&x);
	const struct crash_look l = look_of(&x, &bounds);
	const struct crash c = {.type = "shop.SoldOut", .end = handlers_event(&x, 9)};
	assert_int_equal(crash_is_same(&l, &c, 0), CRASH_MAY_BE);
	assert_int_equal(crash_is_same(&l, &c, 5), CRASH_MAY_BE); /* no values were kept */
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(through_a_callee),
		cmocka_unit_test(raised_on),
		cmocka_unit_test(frames),
		cmocka_unit_test(takes_over),
		cmocka_unit_test(identities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
