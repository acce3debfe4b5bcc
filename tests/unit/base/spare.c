/* What is given back is kept for the next who asks, if that is enough; who finds it taken gets
 * memory of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/spare.h"

static void test_kept(void **state)
{
	struct pl_spare s = {NULL};
	(void)state;

	void *first = spare_take(&s, 100);
	assert_non_null(first);
	memset(first, 1, 100);
	void *second = spare_take(&s, 200);
	assert_non_null(second);
	assert_ptr_not_equal(first, second);
	memset(second, 2, 200);
	spare_give(&s, first);
	spare_give(&s, second);
	assert_ptr_equal(spare_take(&s, 50), second);
	spare_give(&s, second);
	free(s.kept);
}

static void test_larger(void **state)
{
	struct pl_spare s = {NULL};
	(void)state;

	spare_give(&s, spare_take(&s, 10));
	uint8_t *larger = spare_take(&s, SPARE_MOST + 1);
	assert_non_null(larger);
	memset(larger, 3, SPARE_MOST + 1);
	spare_give(&s, larger);
	assert_null(s.kept);
	spare_give(&s, NULL);
	assert_null(s.kept);
	assert_null(spare_take(&s, SIZE_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_larger),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
