/* Stops as they are asked for: set, removed when they are asked for again, changed, refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void toggles(void **state)
{
	struct wish wish = {.kind = STOP_LINE, .name = "a.py", .line = 12};
	const struct stops *stops;
	struct scene x;

	(void)state;
	scene_open(&x);
	stops = &x.s->replay.stops;
	assert_int_equal(session_toggle_stop(x.s, &wish, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_STOP_SET);
	wish.once = true; /* the same place: it only becomes one for once */
	assert_int_equal(session_toggle_stop(x.s, &wish, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_STOP_SET);
	assert_int_equal(stops->count, 1);
	assert_true(stops->rows[0].once);
	assert_int_equal(stops->rows[0].number, 1);
	wish.once = false;
	wish.hits = 2; /* another hit is another stop */
	assert_int_equal(session_toggle_stop(x.s, &wish, &x.err), 0);
	assert_int_equal(stops->count, 2);
	wish.hits = 0;
	wish.once = true;
	assert_int_equal(session_toggle_stop(x.s, &wish, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_STOP_REMOVED);
	assert_int_equal(stops->count, 1);
	assert_int_equal(session_remove_stops(x.s), 0);
	assert_int_equal(x.s->outcome.count, 1);
	assert_int_equal(stops->count, 0);
	scene_refused(&x, session_remove_stop(x.s, 2), REFUSAL_NO_SUCH_STOP);
	scene_close(&x);
}

static void conditions(void **state)
{
	struct wish wish = {.kind = STOP_LINE, .name = "a.py", .line = 32, .condition = "n > 5"};
	const struct stops *stops;
	struct scene x;

	(void)state;
	scene_open_values(&x);
	stops = &x.s->replay.stops;
	assert_int_equal(session_toggle_stop(x.s, &wish, &x.err), 0);
	assert_non_null(stops->rows[0].expr);
	assert_null(x.s->outcome.stop.expr); /* it is the list's own */
	wish.condition = "n > 7";
	assert_int_equal(session_toggle_stop(x.s, &wish, &x.err), 0);
	assert_int_equal(stops->count, 2);
	assert_int_equal(session_toggle_stop(x.s, &wish, &x.err), 0);
	assert_int_equal(stops->count, 1);
	wish.condition = "n >";
	scene_refused(&x, session_toggle_stop(x.s, &wish, &x.err), REFUSAL_BAD_CONDITION);
	assert_true(x.s->outcome.fault.column > 0);
	assert_int_equal(stops->count, 1);
	scene_close(&x);
	scene_open(&x); /* without values */
	wish.condition = "n > 5";
	scene_refused(&x, session_toggle_stop(x.s, &wish, &x.err), REFUSAL_NO_VALUES);
	scene_close(&x);
}

static void what_never_was(void **state)
{
	const struct wish call = {.kind = STOP_CALL, .name = "bok"};
	const struct wish raise = {.kind = STOP_RAISE, .name = "SoldOff"};
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_refused(&x, session_toggle_stop(x.s, &call, &x.err), REFUSAL_NEVER_CALLED);
	assert_string_equal(x.s->outcome.stop.name, "bok");
	scene_refused(&x, session_toggle_stop(x.s, &raise, &x.err), REFUSAL_NEVER_RAISED);
	assert_int_equal(x.s->replay.stops.count, 0);
	scene_close(&x);
}

static void too_many(void **state)
{
	struct wish wish = {.kind = STOP_LINE, .name = "a.py", .line = 12};
	struct scene x;

	(void)state;
	scene_open(&x);
	for (wish.hits = 1; wish.hits <= STOPS_MAX; wish.hits++)
		assert_int_equal(session_toggle_stop(x.s, &wish, &x.err), 0);
	scene_refused(&x, session_toggle_stop(x.s, &wish, &x.err), REFUSAL_TOO_MANY_STOPS);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toggles),
		cmocka_unit_test(conditions),
		cmocka_unit_test(what_never_was),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
