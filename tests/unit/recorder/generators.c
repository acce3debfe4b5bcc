/* The numbers of generators, without an interpreter: an address is all that is known of a frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/generators.h"
#include "recorder/root.h"

struct recorder_root root;

static py_frame *frame(uintptr_t n)
{
	return (py_frame *)(0x7f0000001000u + n * 8);
}

static void each_has_its_own_as_long_as_it_lives(void **state)
{
	const uint64_t one = generator_new(frame(1)), two = generator_new(frame(2));

	(void)state;
	assert_true(one && two && one != two);
	assert_true(generator_of(frame(1)) == one);
	assert_true(generator_of(frame(2)) == two);
	generator_gone(frame(2));
	assert_true(generator_of(frame(1)) == one);
	generator_gone(frame(1));
}

/* It ended without an event, and another one begins at its address. */
static void a_new_one_at_the_same_address(void **state)
{
	const uint64_t before = generator_new(frame(3)), after = generator_new(frame(3));

	(void)state;
	assert_true(before != after);
	assert_true(generator_of(frame(3)) == after);
	generator_gone(frame(3));
}

/* One whose beginning was not seen, as after a loss, is numbered when it is met. */
static void one_that_was_not_seen_to_begin(void **state)
{
	const uint64_t before = root.generators, number = generator_of(frame(4));

	(void)state;
	assert_true(number > before && root.generators == number);
	assert_true(generator_of(frame(4)) == number);
	generator_gone(frame(4));
	assert_true(generator_of(frame(4)) > number); /* a number is never used again */
	generator_gone(frame(4));
	generator_gone(frame(4)); /* there is none: nothing happens */
}

static void there_can_be_many(void **state)
{
	enum { MANY = 20000 };
	const uint64_t before = root.generators;

	(void)state;
	for (uintptr_t i = 0; i < MANY; i++)
		generator_new(frame(100 + i));
	for (uintptr_t i = 0; i < MANY; i += 2)
		generator_gone(frame(100 + i));
	for (uintptr_t i = 1; i < MANY; i += 2) {
		assert_true(generator_of(frame(100 + i)) == before + i + 1);
		generator_gone(frame(100 + i));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_own_as_long_as_it_lives),
		cmocka_unit_test(a_new_one_at_the_same_address),
		cmocka_unit_test(one_that_was_not_seen_to_begin),
		cmocka_unit_test(there_can_be_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
