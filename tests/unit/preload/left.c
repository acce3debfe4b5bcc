/* Programs that cannot be followed: the first of a kind is named, all are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "preload/left.h"
#include "preload/preload.h"

struct preload preload;

static void first_and_count(void **state)
{
	struct arena_head *head = calloc(1, sizeof *head);
	char path[1000];

	(void)state;
	assert_non_null(head);
	preload.arena.head = head;
	left_out(LEFT_STATIC, "/bin/one");
	left_out(LEFT_STATIC, "/bin/two");
	memset(path, 'x', sizeof path);
	path[sizeof path - 1] = 0;
	left_out(LEFT_LIBC, path);
	assert_int_equal(head->left_out[LEFT_STATIC].count, 2);
	assert_string_equal(head->left_out[LEFT_STATIC].first, "/bin/one");
	assert_int_equal(head->left_out[LEFT_LIBC].count, 1);
	assert_int_equal(strlen(head->left_out[LEFT_LIBC].first),
		sizeof head->left_out[LEFT_LIBC].first - 1);
	assert_int_equal(head->left_out[LEFT_RIGHTS].count, 0);
	preload.arena.head = NULL;
	free(head);
}

/* An arena that is gone is no reason to stop a program. */
static void out_of_reach(void **state)
{
	(void)state;
	strcpy(preload.arena_path, "/does/not/exist");
	left_out(LEFT_STATIC, "/bin/one");
	assert_null(preload.arena.head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_and_count),
		cmocka_unit_test(out_of_reach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
