/* With --clock call each call and return has a time of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_hooks.h"

#define TEXT                                                                                       \
	"def g():\n    yield 1\n    yield 2\n"                                                     \
	"def f(x):\n    if x: raise KeyError\n    return 1\n"                                      \
	"def h():\n"                                                                               \
	"    for x in range(8): f(0)\n"                                                            \
	"    try: f(1)\n"                                                                          \
	"    except KeyError: pass\n"                                                              \
	"    for y in g(): y\n"                                                                    \
	"    made = g()\n    next(made)\n"                                                         \
	"    try: made.throw(ValueError)\n"                                                        \
	"    except ValueError: pass\n"                                                            \
	"h()\n"

static void run(void)
{
	const char *why = NULL;

	assert_true(hooked_in(&why));
	Py_DECREF(hooked_run(TEXT, inside_nothing));
	assert_true(hooked_count_of(EVENT_ENTER) >= 12);
}

static bool is_stamped(enum event_kind kind)
{
	return kind == EVENT_ENTER || kind == EVENT_LEAVE || kind == EVENT_RESUME ||
	       kind == EVENT_SUSPEND || kind == EVENT_THROW || kind == EVENT_UNWIND ||
	       kind == EVENT_RAISE;
}

/* The time is before what makes its frame the top. */
static bool has_time(unsigned i)
{
	while (i-- && (hooked_events[i].kind == EVENT_POPS || hooked_events[i].kind == EVENT_LINK))
		continue;
	return i != UINT32_MAX && hooked_events[i].kind == EVENT_TIME;
}

/* Each but the first, with which the thread's times begin. */
static void each_call_and_return(void **state)
{
	unsigned stamped = 0;

	(void)state;
	root.arena.head->stamps = STAMPS_CALL;
	run();
	for (unsigned i = 0; i < hooked_count; i++)
		if (is_stamped(hooked_events[i].kind) && stamped++ && !has_time(i))
			fail_msg("event %u of kind %d has no time, after %d", i,
				hooked_events[i].kind, hooked_events[i - 1].kind);
	assert_true(stamped > 30);
	assert_true(hooked_count_of(EVENT_LEAVE) >= 10); /* also those that follow from the path */
	assert_true(hooked_count_of(EVENT_THROW) == 1 && hooked_count_of(EVENT_RESUME) >= 2);
}

/* What the clock says goes on. */
static void times_go_on(void **state)
{
	uint64_t sum = 0;

	(void)state;
	root.arena.head->stamps = STAMPS_CALL;
	const uint64_t before = now_ticks();
	run();
	const uint64_t after = now_ticks();
	for (unsigned i = 0; i < hooked_count; i++)
		sum += hooked_events[i].kind == EVENT_TIME ? hooked_events[i].a : 0;
	assert_true(sum > 0 && sum <= after - before);
}

static void without(void **state)
{
	(void)state;
	run();
	assert_true(hooked_count_of(EVENT_TIME) <= 1); /* there is no collector, so no tick */
}

INSIDE_TESTS(stamped)
{
	const struct CMUnitTest tests[] = {
		HOOKED_TEST(each_call_and_return),
		HOOKED_TEST(times_go_on),
		HOOKED_TEST(without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
