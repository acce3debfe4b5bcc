/* The list of stops: numbers, places that are the same, room. What searches do with them is in
 * tests/cli/test_replay.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "session/stops.h"

static void names(void **state)
{
	(void)state;
	assert_true(stop_names("/home/me/app.py", "app.py", '/'));
	assert_true(stop_names("/home/me/app.py", "me/app.py", '/'));
	assert_true(stop_names("app.py", "app.py", '/'));
	assert_false(stop_names("/home/me/myapp.py", "app.py", '/'));
	assert_false(stop_names("app.py", "/home/me/app.py", '/'));
	assert_true(stop_names("Shop.order", "order", '.'));
	assert_false(stop_names("Shop.reorder", "order", '.'));
}

static void numbers_are_not_used_again(void **state)
{
	struct stops s = {0};

	(void)state;
	assert_int_equal(stops_add(&s, STOP_LINE, "a.py", 1)->number, 1);
	assert_int_equal(stops_add(&s, STOP_CALL, "f", 0)->number, 2);
	assert_int_equal(stops_add(&s, STOP_RAISE, "", 0)->number, 3);
	assert_true(stops_clear(&s, 2));
	assert_false(stops_clear(&s, 2));
	assert_int_equal(s.count, 2);
	assert_int_equal(s.rows[0].number, 1);
	assert_int_equal(s.rows[1].number, 3);
	assert_true(stops_clear(&s, 3));
	assert_int_equal(stops_add(&s, STOP_CALL, "g", 0)->number, 4);
}

static void same_places(void **state)
{
	struct stops s = {0};
	const struct stop *line = stops_add(&s, STOP_LINE, "me/app.py", 7);
	const struct stop *call = stops_add(&s, STOP_CALL, "order", 0);

	(void)state;
	assert_ptr_equal(stops_find(&s, STOP_LINE, "app.py", 7), line);
	assert_ptr_equal(stops_find(&s, STOP_LINE, "/home/me/app.py", 7), line);
	assert_null(stops_find(&s, STOP_LINE, "app.py", 8));
	assert_null(stops_find(&s, STOP_LINE, "other.py", 7));
	assert_ptr_equal(stops_find(&s, STOP_CALL, "order", 0), call);
	assert_null(stops_find(&s, STOP_CALL, "Shop.order", 0));
	assert_null(stops_find(&s, STOP_ENTRY, "order", 0));
}

static void room(void **state)
{
	struct stops s = {0};
	char name[STOP_NAME_MAX + 1];

	(void)state;
	memset(name, 'x', sizeof name);
	name[STOP_NAME_MAX] = 0;
	assert_null(stops_add(&s, STOP_CALL, name, 0));
	name[STOP_NAME_MAX - 1] = 0;
	assert_non_null(stops_add(&s, STOP_CALL, name, 0));
	for (int i = 1; i < STOPS_MAX; i++)
		assert_non_null(stops_add(&s, STOP_CALL, "f", 0));
	assert_null(stops_add(&s, STOP_CALL, "f", 0));
	assert_int_equal(s.count, STOPS_MAX);
}

/* A stop at one hit of a line is looked for by counting. */
static void kinds(void **state)
{
	struct stops s = {0};

	(void)state;
	assert_int_equal(stops_kinds(&s), 0);
	stops_add(&s, STOP_LINE, "a.py", 1)->hits = 3;
	assert_int_equal(stops_kinds(&s), 0);
	stops_add(&s, STOP_CALL, "f", 0);
	assert_int_equal(stops_kinds(&s), 1u << PL_EVENT_CALL);
	stops_add(&s, STOP_LINE, "a.py", 2);
	assert_int_equal(stops_kinds(&s), 1u << PL_EVENT_CALL | 1u << PL_EVENT_LINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(numbers_are_not_used_again),
		cmocka_unit_test(same_places),
		cmocka_unit_test(room),
		cmocka_unit_test(kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
