/* What is lent comes back with its memory, and without its bytes; who borrows meanwhile has memory
 * of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/buf.h"

static void test_lent(void **state)
{
	struct pl_buf kept = {0}, first = buf_borrow(&kept);
	(void)state;

	buf_string(&first, "one", 3);
	struct pl_buf second = buf_borrow(&kept);
	buf_string(&second, "two", 3);
	assert_ptr_not_equal(first.at, second.at);
	const uint8_t *at = first.at;
	buf_give_back(&kept, &first);
	buf_give_back(&kept, &second);
	assert_ptr_equal(kept.at, at);
	first = buf_borrow(&kept);
	assert_ptr_equal(first.at, at);
	assert_int_equal(first.used, 0);
	assert_null(kept.at);
	buf_release(&first);
}

static void test_not_worth_keeping(void **state)
{
	struct pl_buf kept = {0}, large = buf_borrow(&kept);
	(void)state;

	assert_non_null(buf_reserve(&large, 1 << 20));
	buf_give_back(&kept, &large);
	assert_null(kept.at);
	struct pl_buf failed = buf_borrow(&kept);
	buf_u8(&failed, 1);
	assert_null(buf_reserve(&failed, SIZE_MAX / 2));
	assert_true(failed.failed);
	buf_give_back(&kept, &failed);
	assert_null(kept.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lent),
		cmocka_unit_test(test_not_worth_keeping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
