/* How far a frame has come, without an interpreter: an address is all that it knows of a frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/passes.h"

static py_frame *frame(uintptr_t n)
{
	return (py_frame *)(0x7f0000001000u + n * 8);
}

static void back_before_the_last_line(void **state)
{
	(void)state;
	passes_line(frame(1), 11);
	assert_false(passes_jump(frame(1), 10)); /* LINE comes there again */
	passes_forget(frame(1));
	passes_line(frame(1), 11);
	assert_false(passes_jump(frame(1), 4));
	assert_true(passes_jump(frame(1), 4)); /* the same pass again, without a LINE between */
	assert_true(passes_jump(frame(1), 20));
	passes_forget(frame(1));
}

static void forward_is_no_line(void **state)
{
	(void)state;
	passes_line(frame(2), 11);
	assert_true(passes_jump(frame(2), 11));
	assert_false(passes_jump(frame(2), 10));
	passes_forget(frame(2));
}

static void nothing_known(void **state)
{
	(void)state;
	assert_true(passes_jump(frame(3), 0));
	passes_line(frame(3), 1);
	assert_false(passes_jump(frame(3), 0));
	passes_forget(frame(3));
	assert_true(passes_jump(frame(3), 0));
	passes_forget(frame(3)); /* twice */
}

static void frames_do_not_touch_each_other(void **state)
{
	(void)state;
	for (uintptr_t i = 0; i < 1000; i++)
		passes_line(frame(i), (uint32_t)i + 1);
	for (uintptr_t i = 0; i < 1000; i += 2)
		passes_forget(frame(i));
	for (uintptr_t i = 0; i < 1000; i++)
		assert_int_equal(passes_jump(frame(i), (uint32_t)i), i % 2 == 0);
	for (uintptr_t i = 0; i < 1000; i++)
		passes_forget(frame(i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(back_before_the_last_line),
		cmocka_unit_test(forward_is_no_line),
		cmocka_unit_test(nothing_known),
		cmocka_unit_test(frames_do_not_touch_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
