/* Which exception is meant at a position, and where it came to its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/why.h"
#include "tests/lib/sessions.h"

struct asked {
	struct scene x;
	struct why *w; /* owned */
	struct crash c;
};

static void ask_begin(struct asked *a)
{
	*a = (struct asked){.w = calloc(1, sizeof *a->w)};
	assert_non_null(a->w);
	scene_open(&a->x);
	a->w->r = a->x.r;
	a->w->stop = &scene_stop;
}

static void ask_end(struct asked *a)
{
	why_release(a->w);
	free(a->w);
	scene_close(&a->x);
}

static int ask(struct asked *a, uint32_t thread, uint64_t seq)
{
	const struct pl_position of = {.process = 1, .thread = thread};

	return why_at(a->w, &of, seq, &a->c, &a->x.err);
}

/* It left Shop.book by the unwind 7, was raised on in main by 8, and handled there by 9. */
static void the_last_raise_before(void **state)
{
	struct asked a;

	(void)state;
	ask_begin(&a);
	assert_int_equal(ask(&a, 0, 6), 0);
	assert_string_equal(a.c.type, "shop.SoldOut");
	assert_int_equal(a.c.raise.seq, 6);
	assert_int_equal(a.c.end.kind, PL_EVENT_HANDLED);
	assert_int_equal(a.c.end.seq, 9);
	assert_int_equal(ask(&a, 0, 18), 0);
	assert_int_equal(a.c.raise.seq, 8);
	assert_int_equal(a.c.end.seq, 9);
	ask_end(&a);
}

/* A call is asked about itself, if an exception ended it. */
static void of_a_call(void **state)
{
	struct asked a;

	(void)state;
	ask_begin(&a);
	assert_int_equal(ask(&a, 0, 3), 0);
	assert_int_equal(a.c.end.kind, PL_EVENT_UNWIND);
	assert_int_equal(a.c.end.seq, 7);
	assert_string_equal(a.c.type, "shop.SoldOut");
	assert_int_equal(ask(&a, 0, 13), 0); /* it returned: what was before is meant */
	assert_int_equal(a.c.end.kind, PL_EVENT_HANDLED);
	ask_end(&a);
}

static void none(void **state)
{
	struct asked a;

	(void)state;
	ask_begin(&a);
	assert_int_equal(ask(&a, 0, 2), PL_END);
	assert_int_equal(ask(&a, 1, 3), PL_END); /* the worker raised nothing */
	scene_stop = 1;
	assert_int_equal(ask(&a, 0, 18), PL_END);
	scene_stop = 0;
	ask_end(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_raise_before),
		cmocka_unit_test(of_a_call),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
