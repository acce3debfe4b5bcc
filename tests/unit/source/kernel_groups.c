/* The words of --kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "source/kernel.h"

#define ALL ((1u << KERNEL_GROUP_COUNT) - 1)

static void takes(const char *list, uint32_t expected)
{
	struct pl_view word = {0};
	uint32_t groups = 0;

	assert_true(kernel_groups_read(list, &groups, &word));
	assert_int_equal(groups, expected);
}

static void refuses(const char *list, const char *expected)
{
	struct pl_view word = {0};
	uint32_t groups = 0;

	assert_false(kernel_groups_read(list, &groups, &word));
	assert_int_equal(word.left, strlen(expected));
	assert_memory_equal(word.at, expected, word.left);
}

static void test_groups(void **state)
{
	(void)state;
	takes("", ALL);
	takes("syscall", 1u << KERNEL_GROUP_SYSCALL);
	takes("sched", 1u << KERNEL_GROUP_SCHED);
	takes("sched,syscall", 1u << KERNEL_GROUP_SCHED | 1u << KERNEL_GROUP_SYSCALL);
	takes("block,fault,net,sched,signal,syscall", ALL);
	takes("sched,", 1u << KERNEL_GROUP_SCHED);
	refuses("sys", "sys");
	refuses("syscalls", "syscalls");
	refuses("sched,,syscall", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
