/* When the program is known to have given up rights. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/prctl.h>
#include "preload/preload.h"

struct preload preload;
static int called_times, called_option;
static unsigned long called_words[4];
static bool confined_when_called;

static int takes_words(int option, ...)
{
	va_list list;

	called_times++;
	called_option = option;
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		called_words[i] = va_arg(list, unsigned long);
	va_end(list);
	confined_when_called = atomic_load(&preload.confined);
	return -5;
}

const struct originals *originals(void)
{
	static const struct originals fake = {.prctl = takes_words};

	return &fake;
}

static int setup(void **state)
{
	(void)state;
	called_times = 0;
	atomic_store(&preload.confined, false);
	return 0;
}

static void passes_everything_on(void **state)
{
	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, 11ul, 22ul, 33ul, ~0ul), -5);
	assert_int_equal(called_times, 1);
	assert_int_equal(called_option, PR_SET_NAME);
	assert_int_equal(called_words[0], 11);
	assert_int_equal(called_words[1], 22);
	assert_int_equal(called_words[2], 33);
	assert_true(called_words[3] == ~0ul);
	assert_false(atomic_load(&preload.confined));
}

/* The filter may act in the call itself, so it is known before. */
static void known_before_it_acts(void **state)
{
	static const int options[] = {PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP};

	(void)state;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		atomic_store(&preload.confined, false);
		prctl(options[i], 1ul, 0ul, 0ul, 0ul);
		assert_true(confined_when_called);
	}
	assert_int_equal(called_times, 2);
}

static void it_stays_confined(void **state)
{
	(void)state;
	prctl(PR_SET_SECCOMP, 1ul, 0ul, 0ul, 0ul);
	prctl(PR_GET_NAME, 1ul, 0ul, 0ul, 0ul);
	assert_true(atomic_load(&preload.confined));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(passes_everything_on, setup),
		cmocka_unit_test_setup(known_before_it_acts, setup),
		cmocka_unit_test_setup(it_stays_confined, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
