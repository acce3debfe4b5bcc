/* Folders of recordings: names of the same second, who may read them, the link to the latest. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "os/folder.h"

/* Made by mkdtemp and removed at the end: a name that nobody else has. */
static char folder[] = "/tmp/test-folder-XXXXXX";

static int make_home(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_home(void **state)
{
	char link[PATH_MAX];

	(void)state;
	snprintf(link, sizeof link, "%s/" FOLDER_LATEST, folder);
	unlink(link);
	return rmdir(folder);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

/* The stamp has 13 characters. Three of one second: name, name-2, name-3; or a second has ended
 * meanwhile. */
static void test_names(void **state)
{
	char paths[3][PATH_MAX];

	(void)state;
	umask(0777);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(folder_make_named(folder, "app", paths[i]), 0);
		assert_int_equal(strncmp(paths[i], folder, strlen(folder)), 0);
		assert_int_equal(
			strncmp(paths[i] + strlen(folder) + strlen("/261128-101112"), "-app", 4),
			0);
		assert_int_equal(mode_of(paths[i]), 0700);
	}
	assert_string_not_equal(paths[0], paths[1]);
	assert_string_not_equal(paths[1], paths[2]);
	for (int i = 0; i < 3; i++)
		assert_int_equal(rmdir(paths[i]), 0);
	umask(022);
}

static void test_what_cannot_be_made(void **state)
{
	static char name[PATH_MAX];
	char path[PATH_MAX];

	(void)state;
	memset(name, 'n', sizeof name - 1);
	assert_int_equal(folder_make_named(folder, name, path), ENAMETOOLONG);
	assert_int_equal(folder_make_named("/nonexistent", "app", path), ENOENT);
	assert_false(folder_make_private(folder));
	assert_int_equal(errno, EEXIST);
}

static void test_in_memory(void **state)
{
	char one[PATH_MAX], other[PATH_MAX];

	(void)state;
	assert_int_equal(folder_make_in_memory("test", one), 0);
	assert_int_equal(folder_make_in_memory("test", other), 0);
	assert_string_not_equal(one, other);
	assert_non_null(strstr(one, FOLDER_IN_MEMORY "/pathline-"));
	assert_string_equal(one + strlen(one) - 5, ".test");
	assert_int_equal(mode_of(one), 0700);
	rmdir(one);
	rmdir(other);
}

static void check_latest(const char *wanted)
{
	char link[PATH_MAX], text[64] = "";

	snprintf(link, sizeof link, "%s/" FOLDER_LATEST, folder);
	assert_true(readlink(link, text, sizeof text - 1) > 0);
	assert_string_equal(text, wanted);
}

static void test_latest(void **state)
{
	(void)state;
	folder_set_latest(folder, "one");
	check_latest("one");
	folder_set_latest(folder, "two");
	check_latest("two");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_what_cannot_be_made),
		cmocka_unit_test(test_in_memory),
		cmocka_unit_test(test_latest),
	};

	return cmocka_run_group_tests(tests, make_home, remove_home);
}
