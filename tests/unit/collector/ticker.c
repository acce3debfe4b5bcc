/* The tick and when the clock is recorded, by clocks that the test sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "collector/ticker.h"

#define SECOND INT64_C(1000000000)

static struct ticker_now at(int64_t mono_ns)
{
	return (struct ticker_now){.ticks = (uint64_t)mono_ns * 2,
		.mono_ns = mono_ns,
		.real_ns = mono_ns + 7 * SECOND,
		.boot_ns = mono_ns};
}

static struct ticker begun(int64_t mono_ns)
{
	struct ticker t = {0};
	struct ticker_now now = at(mono_ns);

	ticker_recorded(&t, &now);
	return t;
}

static void first_at_once(void **state)
{
	(void)state;
	struct ticker t = {0};
	struct ticker_now now = at(5 * SECOND);

	assert_true(ticker_due(&t, &now));
	ticker_recorded(&t, &now);
	assert_false(ticker_due(&t, &now));
}

static void then_soon_then_after_a_second_then_every_ten(void **state)
{
	(void)state;
	struct ticker t = begun(SECOND);
	const int64_t due[] = {SECOND + SECOND / 50, 2 * SECOND, 12 * SECOND, 22 * SECOND};

	for (int i = 0; i < 4; i++) {
		struct ticker_now before = at(due[i] - 1), now = at(due[i]);
		assert_false(ticker_due(&t, &before));
		assert_true(ticker_due(&t, &now));
		ticker_recorded(&t, &now);
	}
}

/* meta is never dropped, so it must not grow by what time passes: three years. */
static void records_of_years_are_few(void **state)
{
	(void)state;
	const int64_t hour = 3600 * SECOND, end = 3 * 365 * 24 * hour;
	struct ticker t = begun(SECOND);
	int64_t longest = 0;
	int in_first_hour = 0, count = 0;

	for (; t.next_ns < end; count++) {
		const struct ticker_now now = at(t.next_ns);
		in_first_hour += now.mono_ns < hour;
		ticker_recorded(&t, &now);
		if (t.next_ns - now.mono_ns > longest)
			longest = t.next_ns - now.mono_ns;
	}
	assert_in_range(in_first_hour, 355, 362);
	assert_in_range(count, 1000, 160000);
	assert_int_equal(longest, 600 * SECOND);
}

static void when_the_wall_clock_is_set(void **state)
{
	(void)state;
	struct ticker t = begun(SECOND);
	const int64_t steps[] = {2000000, -2000000, 3600 * SECOND, -3600 * SECOND};

	for (int i = 0; i < 4; i++) {
		struct ticker_now now = at(SECOND + 1000);
		now.real_ns += steps[i];
		assert_true(ticker_due(&t, &now));
	}
	struct ticker_now slewed = at(SECOND + 1000);
	slewed.real_ns += 900000;
	assert_false(ticker_due(&t, &slewed));
}

static void a_step_is_recorded_once(void **state)
{
	(void)state;
	struct ticker t = begun(SECOND);
	struct ticker_now now = at(SECOND + 1000);

	now.real_ns += SECOND;
	assert_true(ticker_due(&t, &now));
	ticker_recorded(&t, &now);
	assert_false(ticker_due(&t, &now));
}

static void when_the_machine_slept(void **state)
{
	(void)state;
	struct ticker t = begun(SECOND);
	struct ticker_now now = at(SECOND + 1000);

	now.boot_ns += 30 * SECOND;
	now.real_ns += 30 * SECOND;
	assert_true(ticker_due(&t, &now));
}

static void the_widest_gap_between_two_ticks(void **state)
{
	(void)state;
	struct ticker t = begun(SECOND);
	struct ticker_now now = at(SECOND + 1000);
	_Atomic uint64_t word = 0;
	const uint64_t ticks[] = {100, 110, 150, 151, 140};

	for (int i = 0; i < 5; i++) {
		ticker_store(&t, &word, ticks[i]);
		assert_int_equal(word, ticks[i]);
	}
	assert_int_equal(ticker_recorded(&t, &now), 40);
	ticker_store(&t, &word, 145);
	assert_int_equal(ticker_recorded(&t, &now), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_at_once),
		cmocka_unit_test(then_soon_then_after_a_second_then_every_ten),
		cmocka_unit_test(records_of_years_are_few),
		cmocka_unit_test(when_the_wall_clock_is_set),
		cmocka_unit_test(a_step_is_recorded_once),
		cmocka_unit_test(when_the_machine_slept),
		cmocka_unit_test(the_widest_gap_between_two_ticks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
