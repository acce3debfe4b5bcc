/* An array grows by doubling, keeps its items, and is as it was when there is no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/array.h"

static void test_grows(void **state)
{
	uint32_t *items = NULL;
	size_t room = 0, grown = 0;
	(void)state;

	for (size_t count = 0; count < 5000; count++) {
		const size_t before = room;
		uint32_t *larger = array_room(items, count, &room, sizeof *larger);
		assert_non_null(larger);
		assert_true(room > count);
		grown += room != before;
		items = larger;
		items[count] = (uint32_t)count * 7;
	}
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(items[i], i * 7);
	assert_in_range(grown, 5, 15);
	free(items);
}

static void test_has_room(void **state)
{
	int items[4];
	size_t room = 4;
	(void)state;

	assert_ptr_equal(array_room(items, 3, &room, sizeof *items), items);
	assert_int_equal(room, 4);
}

static void test_too_large(void **state)
{
	size_t room = SIZE_MAX / 2;
	(void)state;

	assert_null(array_room(NULL, room, &room, 2));
	assert_int_equal(room, SIZE_MAX / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_has_room),
		cmocka_unit_test(test_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
