/* Times and seqs as people write them, counted from what the scale says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <time.h>
#include "session/when.h"

#define NS_PER_S INT64_C(1000000000)
/* 2026-11-21 10:52:00 UTC */
#define START_NS (INT64_C(1795258320) * NS_PER_S)

static const struct pl_recording_info info = {
	.start_ns = START_NS, .end_ns = START_NS + 20 * 3600 * NS_PER_S};

static const struct when_scale scale = {.info = &info,
	.from_ns = START_NS + 60 * NS_PER_S,
	.back = true,
	.start_ns = START_NS,
	.end_ns = START_NS + 200 * NS_PER_S};

static int64_t time_of(const char *text)
{
	struct when w = {0};

	assert_true(when_read(text, &scale, &w));
	assert_int_equal(w.kind, WHEN_TIME);
	return w.time_ns - START_NS;
}

static void refused(const char *text)
{
	struct when w = {0};

	assert_false(when_read(text, &scale, &w));
}

static void spans(void **state)
{
	struct when_scale forward = scale;
	struct when w = {0};

	(void)state;
	assert_int_equal(time_of("+1.5"), 61 * NS_PER_S + NS_PER_S / 2);
	assert_int_equal(time_of("+100ms"), 60 * NS_PER_S + NS_PER_S / 10);
	assert_int_equal(time_of("-1m"), 0);
	assert_int_equal(time_of("-1h"), -59 * 60 * NS_PER_S);
	refused("+");
	refused("+1x");
	refused("+ 1");
	refused("+9999999999999999d");
	forward.back = false;
	assert_false(when_read("-1m", &forward, &w));
}

static void percents(void **state)
{
	struct when_scale endless = scale;
	struct when w = {0};

	(void)state;
	assert_int_equal(time_of("0%"), 0);
	assert_int_equal(time_of("42%"), 84 * NS_PER_S);
	assert_int_equal(time_of("100%"), 200 * NS_PER_S);
	refused("101%");
	refused("42%x");
	refused("%");
	endless.end_ns = endless.start_ns - 1;
	assert_false(when_read("42%", &endless, &w));
}

static void seqs(void **state)
{
	struct when w = {0};

	(void)state;
	assert_true(when_read("#4711", &scale, &w));
	assert_int_equal(w.kind, WHEN_SEQ);
	assert_true(w.seq == 4711);
	refused("#");
	refused("#47a");
	refused("#18446744073709551616");
}

/* The time zone of the test is UTC. */
static void clock_times(void **state)
{
	(void)state;
	assert_int_equal(time_of("10:52"), 0);
	assert_int_equal(time_of("10:52:01.5"), NS_PER_S + NS_PER_S / 2);
	assert_int_equal(time_of("2026-11-21 10:53"), 60 * NS_PER_S);
	assert_int_equal(time_of("2026-11-21T10:53:02Z"), 62 * NS_PER_S);
	assert_int_equal(time_of("1795258321.25"), NS_PER_S + NS_PER_S / 4);
	refused("10:52:01.5x");
	refused("2026-11-21 10:52 x");
	refused("123456789");
	refused("");
}

/* 03:00 is before the beginning, and the recording went on for 20 hours. */
static void next_day(void **state)
{
	(void)state;
	assert_int_equal(time_of("03:00"), (16 * 3600 + 8 * 60) * NS_PER_S);
	/* 09:00 is not within the next day's part */
	assert_int_equal(time_of("09:00"), -(3600 + 52 * 60) * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans),
		cmocka_unit_test(percents),
		cmocka_unit_test(seqs),
		cmocka_unit_test(clock_times),
		cmocka_unit_test(next_day),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
