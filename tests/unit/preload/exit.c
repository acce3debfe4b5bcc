/* What is known of the end of a process before it ends. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>
#include "preload/preload.h"
#include "preload/slot.h"

static jmp_buf ended;
static int noted_times, noted_status, exited_status, quick_status, refusals;

void slot_exit(int status)
{
	noted_times++;
	noted_status = status;
}

/* The original does not return; `refusals`: so many times it does, which libc's never do. */
static void exits_now(int status)
{
	assert_int_equal(noted_times, 1); /* before it, and once */
	exited_status = status;
	if (refusals-- <= 0)
		longjmp(ended, 1);
}

static void exits_quickly(int status)
{
	assert_int_equal(noted_times, 1);
	quick_status = status;
	if (refusals-- <= 0)
		longjmp(ended, 1);
}

const struct originals *originals(void)
{
	static const struct originals fake = {.exit_now = exits_now, .quick_exit = exits_quickly};

	return &fake;
}

static int setup(void **state)
{
	(void)state;
	noted_times = refusals = 0;
	noted_status = exited_status = quick_status = -1;
	return 0;
}

static void by_exit_now(void **state)
{
	(void)state;
	if (!setjmp(ended))
		_exit(3);
	assert_int_equal(noted_status, 3);
	assert_int_equal(exited_status, 3);
	assert_int_equal(quick_status, -1);
}

static void by_its_other_name(void **state)
{
	(void)state;
	if (!setjmp(ended))
		_Exit(256);
	assert_int_equal(noted_status, 256); /* as it was given: the collector cuts it */
	assert_int_equal(exited_status, 256);
}

static void by_quick_exit(void **state)
{
	(void)state;
	if (!setjmp(ended))
		quick_exit(4);
	assert_int_equal(noted_status, 4);
	assert_int_equal(quick_status, 4);
	assert_int_equal(exited_status, -1);
}

static void it_never_returns(void **state)
{
	(void)state;
	refusals = 2;
	if (!setjmp(ended))
		_exit(5);
	assert_int_equal(exited_status, 5);
	assert_int_equal(noted_times, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(by_exit_now, setup),
		cmocka_unit_test_setup(by_its_other_name, setup),
		cmocka_unit_test_setup(by_quick_exit, setup),
		cmocka_unit_test_setup(it_never_returns, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
