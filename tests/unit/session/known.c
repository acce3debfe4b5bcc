/* What is said of lines, functions and exceptions that never were: what is near, and whether that is
 * known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/known.h"
#include "tests/lib/sessions.h"

static void lines(void **state)
{
	const struct near_names *near;
	struct scene x;

	(void)state;
	scene_open(&x);
	near = &x.s->outcome.near;
	assert_int_equal(known_line(x.s, "a.py", 13, &x.err), 0);
	assert_false(x.s->executed.done); /* what ran is found before all is counted */
	scene_refused(&x, known_line(x.s, "a.py", 15, &x.err), REFUSAL_NEVER_RAN);
	assert_int_equal(near->known, NEAR_NEVER);
	assert_false(near->missing);
	assert_int_equal(near->before, 13);
	assert_int_equal(near->after, 21);
	scene_refused(&x, known_line(x.s, "a.py", 99, &x.err), REFUSAL_NEVER_RAN);
	assert_int_equal(near->before, 22);
	assert_int_equal(near->after, 0);
	scene_refused(&x, known_line(x.s, "b.py", 13, &x.err), REFUSAL_NEVER_RAN);
	assert_int_equal(near->before, 0);
	assert_int_equal(near->after, 0);
	scene_close(&x);
}

static void functions(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_int_equal(known_function(x.s, "book", &x.err), 0);
	assert_int_equal(known_function(x.s, "Shop.book", &x.err), 0);
	scene_refused(&x, known_function(x.s, "bok", &x.err), REFUSAL_NEVER_CALLED);
	assert_string_equal(x.s->outcome.near.name, "book");
	assert_int_equal(x.s->outcome.near.known, NEAR_NEVER);
	scene_refused(&x, known_function(x.s, "Shop.boook", &x.err), REFUSAL_NEVER_CALLED);
	assert_string_equal(x.s->outcome.near.name, "Shop.book");
	scene_refused(&x, known_function(x.s, "entirely_else", &x.err), REFUSAL_NEVER_CALLED);
	assert_null(x.s->outcome.near.name);
	scene_close(&x);
}

static void exceptions(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_int_equal(known_exception(x.s, "SoldOut", &x.err), 0);
	assert_int_equal(known_exception(x.s, "shop.SoldOut", &x.err), 0);
	assert_int_equal(known_exception(x.s, "", &x.err), 0); /* any */
	scene_refused(&x, known_exception(x.s, "SoldOff", &x.err), REFUSAL_NEVER_RAISED);
	assert_string_equal(x.s->outcome.near.name, "SoldOut");
	assert_false(x.s->outcome.near.none);
	assert_int_equal(x.s->type_count, 1);
	scene_close(&x);
}

/* Of a part of three letters the shortest name that has it is meant. */
static void meant(void **state)
{
	const char *known[] = {"Shop.reserve_all", "reserve", "order", NULL};

	(void)state;
	assert_string_equal(known_meant("resrve", known), "reserve");
	assert_string_equal(known_meant("SERV", known), "reserve");
	assert_string_equal(known_meant("all", known), "Shop.reserve_all");
	assert_null(known_meant("zzzzzz", known));
}

/* Without a block "never" is not known. */
static void of_a_part(void **state)
{
	struct scene x;

	(void)state;
	scene_begin(&x);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 10);
	scene_line(x.t, 0);
	maker_cut(&x.m, x.t);
	const size_t used = x.m.segments[0].used;
	scene_line(x.t, 1);
	maker_cut(&x.m, x.t);
	x.m.segments[0].used = used;
	scene_line(x.t, 2);
	maker_cut(&x.m, x.t);
	maker_thread_end(&x.m, x.t);
	scene_start(&x);
	scene_refused(&x, known_line(x.s, "a.py", 3, &x.err), REFUSAL_NEVER_RAN);
	assert_int_equal(x.s->outcome.near.known, NEAR_NOT_WHOLE);
	assert_true(x.s->outcome.near.missing);
	scene_refused(&x, known_function(x.s, "bok", &x.err), REFUSAL_NEVER_CALLED);
	assert_int_equal(x.s->outcome.near.known, NEAR_NOT_WHOLE);
	scene_close(&x);
}

static void interrupted(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_stop = 1;
	assert_int_equal(known_executed(x.s, &x.err), PL_END);
	assert_int_equal(known_types(x.s, &x.err), PL_END);
	scene_refused(&x, known_line(x.s, "a.py", 15, &x.err), REFUSAL_STOPPED);
	scene_stop = 0;
	assert_int_equal(known_executed(x.s, &x.err), 0);
	assert_true(x.s->executed.done);
	assert_int_equal(x.s->executed.file_count, 1);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(functions),
		cmocka_unit_test(exceptions),
		cmocka_unit_test(meant),
		cmocka_unit_test(of_a_part),
		cmocka_unit_test(interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
