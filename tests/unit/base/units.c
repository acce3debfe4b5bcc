/* Durations, their errors, and sizes: the unit, the digits, and both sides of every border. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/units.h"

static void test_durations(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = {
		{0, "0 s"},
		{1, "1 ns"},
		{999, "999 ns"},
		{1000, "1.0 µs"},
		{1234, "1.2 µs"},
		{1250, "1.3 µs"},
		{9949, "9.9 µs"},
		{9950, "10.0 µs"},
		{99949, "99.9 µs"},
		{99950, "100 µs"},
		{999499, "999 µs"},
		{999500, "1.0 ms"},
		{1200000, "1.2 ms"},
		{45600000, "45.6 ms"},
		{999499999, "999 ms"},
		{999500000, "1.0 s"},
		{7890000000, "7.9 s"},
		{59900000000, "59.9 s"},
		{59949999999, "59.9 s"},
		{59950000000, "1 min 0 s"},
		{125000000000, "2 min 5 s"},
		{3599499999999, "59 min 59 s"},
		{3599500000000, "1 h 0 min"},
		{11220000000000, "3 h 7 min"},
		{INT64_MAX, "2562047 h 47 min"},
		{-1234, "-1.2 µs"},
		{INT64_MIN, "-2562047 h 47 min"},
	};
	char text[UNITS_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(units_duration(text, rows[i].ns), strlen(rows[i].text));
		assert_string_equal(text, rows[i].text);
	}
}

static void test_between(void **state)
{
	(void)state;
	assert_int_equal(units_between(1, 5), 4);
	assert_int_equal(units_between(5, 1), 0);
	assert_int_equal(units_between(1, INT64_MIN), 0);
	assert_int_equal(units_between(INT64_MIN, INT64_MAX), INT64_MAX);
}

static void test_errors(void **state)
{
	char text[UNITS_BYTES];

	(void)state;
	units_error(text, 1234567);
	assert_string_equal(text, "±1.2 ms");
	units_error(text, 0);
	assert_string_equal(text, "±0 s");
	units_error(text, INT64_MAX);
	assert_string_equal(text, "±?");
	units_error(text, -1);
	assert_string_equal(text, "±?");
}

static void test_counts(void **state)
{
	char text[UNITS_BYTES];

	(void)state;
	units_count(text, 0);
	assert_string_equal(text, "0");
	units_count(text, 999);
	assert_string_equal(text, "999");
	units_count(text, 1000);
	assert_string_equal(text, "1,000");
	assert_int_equal(units_count(text, UINT64_MAX), 26);
	assert_string_equal(text, "18,446,744,073,709,551,615");
}

static void test_sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{0, "0 B"},
		{1023, "1023 B"},
		{1024, "1.0 KiB"},
		{1234, "1.2 KiB"},
		{102348, "99.9 KiB"},
		{102400, "100 KiB"},
		{1048063, "1023 KiB"},
		{1048064, "1.0 MiB"},
		{64u << 20, "64.0 MiB"},
		{1ull << 40, "1.0 TiB"},
		{UINT64_MAX, "16.0 EiB"},
	};
	char text[UNITS_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(units_size(text, rows[i].bytes), strlen(rows[i].text));
		assert_string_equal(text, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
