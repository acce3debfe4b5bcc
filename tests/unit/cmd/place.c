/* Where a recording goes, and what is left if there is none. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd/cmd.h"
#include "cmd/home.h"
#include "cmd/place.h"
#include "lib/said.h"

static char root[64], before[PATH_MAX];

static int set_up(void **state)
{
	(void)state;
	/* mkdtemp makes a new private directory of it */
	snprintf(root, sizeof root, "/tmp/test-place-XXXXXX");
	return !getcwd(before, sizeof before) || !mkdtemp(root) || chdir(root) ? -1 : 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", root);
	return chdir(before) || system(command);
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void by_default(void **state)
{
	struct place p = {.command = "record"}, other = p;
	struct stat st;

	(void)state;
	assert_int_equal(place_make(&p, NULL, "orders"), CMD_GO);
	assert_true(p.is_default);
	assert_true(p.made_home);
	assert_int_equal(strncmp(p.path, HOME_NAME "/", sizeof HOME_NAME), 0);
	assert_non_null(strstr(p.path, "-orders"));
	assert_int_equal(p.real[0], '/');
	assert_int_equal(stat(p.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_true(is_there(HOME_NAME "/.gitignore"));
	/* another one of the same second has another name */
	assert_int_equal(place_make(&other, NULL, "orders"), CMD_GO);
	assert_string_not_equal(other.path, p.path);
	assert_false(other.made_home);
	close(other.directory_fd);
	place_undo(&other);
	place_undo(&p);
	close(p.directory_fd);
	assert_false(is_there(HOME_NAME)); /* as it was */
}

static void given(void **state)
{
	struct place p = {.command = "record"};

	(void)state;
	assert_int_equal(place_make(&p, "new/sub/dir", "orders"), CMD_GO);
	assert_int_equal(p.made_parents, 2);
	assert_false(p.is_default);
	close(p.directory_fd);
	p.directory_fd = -1;
	place_undo(&p);
	assert_false(is_there("new"));
	assert_int_equal(mkdir("full", 0700), 0);
	assert_int_equal(mkdir("full/of", 0700), 0);
	said_begin();
	assert_int_equal(place_make(&p, "full", "orders"), CMD_RECORD_FAILED);
	assert_string_equal(said_end(), "pathline: record: full is not an empty directory; give -o "
					"a new or an empty one\n");
	said_begin();
	assert_int_equal(place_make(&p, "", "orders"), CMD_RECORD_FAILED);
	assert_string_equal(said_end(),
		"pathline: record: the directory '' cannot be made: No such "
		"file or directory\n");
	assert_int_equal(place_make(&p, "full/of", "orders"), CMD_GO); /* it is empty */
	close(p.directory_fd);
}

static void latest(void **state)
{
	char name[PATH_MAX];
	struct place p = {.command = "record"}, other = p;

	(void)state;
	assert_int_equal(place_make(&p, NULL, "orders"), CMD_GO);
	assert_false(place_latest(&p, name));
	place_publish(&p);
	assert_true(place_latest(&p, name));
	assert_string_equal(name, strrchr(p.path, '/') + 1);
	assert_int_equal(place_make(&other, "elsewhere", "orders"), CMD_GO);
	place_publish(&other); /* -o gave its place */
	assert_false(place_latest(&other, name));
	assert_true(place_latest(&p, name));
	place_withdraw(&p);
	assert_false(place_latest(&p, name));
	close(other.directory_fd);
	close(p.directory_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_default, set_up, tear_down),
		cmocka_unit_test_setup_teardown(given, set_up, tear_down),
		cmocka_unit_test_setup_teardown(latest, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
