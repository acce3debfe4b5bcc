/* A mistyped word names the known one that is near, and none that is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/nearest.h"

static const char *const known[] = {"continue", "break", "n", "step", "KeyError", NULL};

static void near_ones(void **state)
{
	(void)state;
	assert_string_equal(nearest_word("contniue", known), "continue");
	assert_string_equal(nearest_word("continu", known), "continue");
	assert_string_equal(nearest_word("stpe", known), "step");
	assert_string_equal(nearest_word("brek", known), "break");
	assert_string_equal(nearest_word("keyerror", known), "KeyError");
	assert_string_equal(nearest_word("n", known), "n");
}

static void far_ones(void **state)
{
	(void)state;
	assert_null(nearest_word("frobnicate", known));
	assert_null(nearest_word("z", known));
	assert_null(nearest_word("nn", known));
	assert_null(nearest_word("", known));
	assert_null(nearest_word("ValueError", known));
	assert_null(nearest_word("step", (const char *const[]){NULL}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_ones),
		cmocka_unit_test(far_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
