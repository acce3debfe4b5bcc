/* Clocks that never were: NTP steps, suspends, and what time must not do then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "format/clockmap.h"
#include "pathline/error.h"

#define SECOND INT64_C(1000000000)
#define EPOCH  (1700000000 * SECOND)

/* 3 ticks a nanosecond: `at` seconds of mono, real ahead of it by EPOCH and `offset` seconds. */
static void add(struct clockmap *m, double tick_seconds, double mono_seconds, double offset)
{
	const struct clock_sample s = {.ticks = (uint64_t)(tick_seconds * 3 * SECOND),
		.mono_ns = (int64_t)(mono_seconds * SECOND),
		.real_ns = EPOCH + (int64_t)((mono_seconds + offset) * SECOND),
		.error_ns = 100,
		.gap_ticks = 3 * SECOND / 100};

	assert_int_equal(clockmap_add(m, &s), 0);
}

static struct clock_time at(const struct clockmap *m, double tick_seconds)
{
	struct clock_time time;

	clockmap_time(m, (uint64_t)(tick_seconds * 3 * SECOND), &time);
	return time;
}

#define assert_near(a, b, off) assert_in_range((a) - (b) + (off), 0, 2 * (off))

static void test_straight(void **state)
{
	struct clockmap m = {0};
	(void)state;

	for (int i = 0; i < 5; i++)
		add(&m, i, i, 0);
	clockmap_settle(&m);
	assert_near(at(&m, 2.5).mono_ns, 5 * SECOND / 2, 2);
	assert_near(at(&m, 2.5).real_ns, EPOCH + 5 * SECOND / 2, 2);
	assert_int_equal(at(&m, 2.5).error_ns, 100);
	assert_near(at(&m, 2.5).gap_ns, SECOND / 100, 2);
	/* Beyond the last: on by its slope, with an error that grows. */
	assert_near(at(&m, 14).mono_ns, 14 * SECOND, 20);
	assert_in_range(at(&m, 14).error_ns, 1000, 10 * SECOND);
	clockmap_release(&m);
	clockmap_release(&m);
}

static void test_step_forwards(void **state)
{
	struct clockmap m = {0};
	(void)state;

	for (int i = 0; i < 6; i++)
		add(&m, i, i, i >= 3 ? 3600 : 0);
	clockmap_settle(&m);
	/* Until the point that saw it, the old time, and an error that admits the new one. */
	assert_near(at(&m, 2.5).real_ns, EPOCH + 5 * SECOND / 2, 2);
	assert_in_range(at(&m, 2.5).error_ns, 3600 * SECOND, 3601 * SECOND);
	assert_near(at(&m, 3.5).real_ns, EPOCH + (int64_t)(3603.5 * SECOND), 2);
	assert_int_equal(at(&m, 3.5).error_ns, 100);
	clockmap_release(&m);
}

static void test_step_backwards(void **state)
{
	struct clockmap m = {0};
	int64_t last = 0;
	(void)state;

	for (int i = 0; i < 12; i++)
		add(&m, i, i, i >= 3 ? -5 : 0);
	clockmap_settle(&m);
	for (double t = 0; t < 12; t += 0.125) {
		int64_t now = at(&m, t).real_ns;
		assert_true(now >= last);
		last = now;
	}
	/* It stood still, said how far off it was, and has caught up. */
	assert_near(at(&m, 5).real_ns, EPOCH + 3 * SECOND, 2);
	assert_in_range(at(&m, 5).error_ns, 2 * SECOND, 4 * SECOND);
	assert_near(at(&m, 10).real_ns, EPOCH + 5 * SECOND, 2);
	assert_int_equal(at(&m, 10).error_ns, 100);
	clockmap_release(&m);
}

/* An hour of suspend half a second after the third point: ticks go on, mono stands, real goes
 * on. */
static void test_suspend(void **state)
{
	struct clockmap m = {0};
	(void)state;

	for (int i = 0; i < 3; i++)
		add(&m, i, i, 0);
	for (int i = 3; i < 6; i++)
		add(&m, i + 3600, i, 3600);
	clockmap_settle(&m);
	/* Before it, … */
	assert_near(at(&m, 2.25).mono_ns, (int64_t)(2.25 * SECOND), 10);
	assert_near(at(&m, 2.25).real_ns, EPOCH + (int64_t)(2.25 * SECOND), 10);
	/* … after it, … */
	assert_near(at(&m, 3602.75).mono_ns, (int64_t)(2.75 * SECOND), 10);
	assert_near(at(&m, 3602.75).real_ns, EPOCH + (int64_t)(3602.75 * SECOND), 10);
	assert_int_equal(at(&m, 3602.75).error_ns, 100);
	/* … and the usual slope is not touched. */
	assert_near(at(&m, 3604.5).mono_ns, (int64_t)(4.5 * SECOND), 10);
	clockmap_release(&m);
}

/* Shorter than the time between two points: what is certain is a bound, and the error is the
 * rest. */
static void test_short_suspend(void **state)
{
	struct clockmap m = {0};
	int64_t last = 0;
	(void)state;

	for (int i = 0; i < 3; i++)
		add(&m, i, i, 0);
	for (int i = 3; i < 6; i++)
		add(&m, i + 0.25, i, 0.25);
	clockmap_settle(&m);
	for (double t = 2; t < 3.25; t += 1.0 / 64) {
		struct clock_time now = at(&m, t);
		double before = t < 3 ? t : 3, after = t - 0.25 > 2 ? t - 0.25 : 2;
		assert_true(now.mono_ns >= last);
		last = now.mono_ns;
		/* Whether it came before or after the suspend, the truth lies within the error. */
		assert_true(now.mono_ns <= (int64_t)(after * SECOND) + 10);
		assert_true(now.mono_ns + now.error_ns >= (int64_t)(before * SECOND) - 10);
	}
	clockmap_release(&m);
}

static void test_one_point(void **state)
{
	struct clockmap tsc = {0}, mono = {.ticks_are_ns = true}, none = {0};
	(void)state;

	add(&tsc, 1, 1, 0);
	clockmap_settle(&tsc);
	/* The speed is not known: no more than a nanosecond a tick is. */
	assert_int_equal(at(&tsc, 2).mono_ns, SECOND);
	assert_int_equal(at(&tsc, 2).error_ns, 3 * SECOND + 100);
	add(&mono, 1, 3, 0);
	clockmap_settle(&mono);
	assert_int_equal(at(&mono, 2).mono_ns, 6 * SECOND);
	clockmap_settle(&none);
	assert_int_equal(at(&none, 2).error_ns, INT64_MAX);
	clockmap_release(&tsc);
	clockmap_release(&mono);
}

static void test_hostile(void **state)
{
	struct clockmap m = {0};
	struct clock_time time;
	const struct clock_sample samples[] = {
		{.ticks = 1,
			.mono_ns = 0,
			.real_ns = INT64_MAX,
			.error_ns = INT64_MAX,
			.gap_ticks = UINT64_MAX},
		{.ticks = UINT64_MAX - 1, .mono_ns = INT64_MAX, .real_ns = 0},
	};
	(void)state;

	assert_int_equal(clockmap_add(&m, &samples[1]), 0);
	assert_int_equal(clockmap_add(&m, &samples[0]), PL_ERR_FORMAT);
	clockmap_release(&m);
	assert_int_equal(clockmap_add(&m, &samples[0]), 0);
	assert_int_equal(clockmap_add(&m, &samples[1]), 0);
	clockmap_settle(&m);
	for (unsigned i = 0; i < 64; i++)
		clockmap_time(&m, UINT64_MAX >> i, &time);
	clockmap_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight),
		cmocka_unit_test(test_step_forwards),
		cmocka_unit_test(test_step_backwards),
		cmocka_unit_test(test_suspend),
		cmocka_unit_test(test_short_suspend),
		cmocka_unit_test(test_one_point),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
