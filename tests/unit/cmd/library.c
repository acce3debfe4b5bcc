/* Where the libraries are found that come into programs. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "cmd/library.h"
#include "lib/said.h"

static char own[PATH_MAX]; /* the directory of this test */

static int find_own(void **state)
{
	(void)state;
	const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
	if (n <= 0)
		return -1;
	own[n] = 0;
	*strrchr(own, '/') = 0;
	return 0;
}

/* Beside the binary; * takes what its name has. */
static void beside(void **state)
{
	char path[PATH_MAX + 64], found[PATH_MAX];

	(void)state;
	snprintf(path, sizeof path, "%s/unit-library-3.so", own);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_true(library_find("unit-library-3.so", found));
	assert_string_equal(strrchr(found, '/'), "/unit-library-3.so");
	assert_true(library_find("unit-library-*.so", found));
	assert_int_equal(unlink(path), 0);
	assert_false(library_find("unit-library-3.so", found));
}

static void missing(void **state)
{
	char text[PATH_MAX + 128];

	(void)state;
	snprintf(text, sizeof text,
		"pathline: record: x.so is neither in %s nor installed; build it with: make\n",
		own);
	said_begin();
	assert_int_equal(library_missing("record", "x.so"), CMD_RECORD_FAILED);
	assert_string_equal(said_end(), text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside),
		cmocka_unit_test(missing),
	};

	return cmocka_run_group_tests(tests, find_own, NULL);
}
