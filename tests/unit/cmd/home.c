/* The folder .pathline: where it is found, which recording is the latest, and what a name means. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd/cmd.h"
#include "cmd/home.h"
#include "lib/said.h"

static char root[64], before[PATH_MAX];

static void make_file(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	close(fd);
}

/* A recording, with a path or without. */
static void make_recording(const char *name, bool has_path)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, HOME_NAME "/%s", name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, HOME_NAME "/%s/%s", name, has_path ? "events.000001" : "meta");
	make_file(path);
}

static int set_up(void **state)
{
	(void)state;
	/* mkdtemp makes a new private directory of it */
	snprintf(root, sizeof root, "/tmp/test-home-XXXXXX");
	if (!getcwd(before, sizeof before) || !mkdtemp(root) || chdir(root) ||
		mkdir(HOME_NAME, 0700))
		return -1;
	make_recording("261128-101112-orders", true);
	make_recording("261128-101113-orders", true);
	make_recording("261128-101114-shop", false); /* no Python ran */
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", root);
	return chdir(before) || system(command);
}

static void files(void **state)
{
	(void)state;
	assert_true(home_is_block_file("events.000001"));
	assert_false(home_is_block_file("events."));
	assert_false(home_is_block_file("events.1.txt"));
	assert_true(home_is_own_file("meta"));
	assert_true(home_is_own_file("pathline-17.arena"));
	assert_false(home_is_own_file("pathline-17.arena.txt"));
	assert_false(home_is_own_file("notes.txt"));
	assert_true(home_has_own_files(HOME_NAME "/261128-101114-shop"));
	assert_false(home_has_own_files("."));
}

static void found(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_true(home_find(path));
	assert_string_equal(path, ".pathline");
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(mkdir("sub/below", 0700), 0);
	assert_int_equal(chdir("sub/below"), 0);
	assert_true(home_find(path));
	assert_string_equal(path, "../../.pathline");
	assert_int_equal(chdir(root), 0);
}

static void latest(void **state)
{
	struct home_list list;
	size_t index = 9;

	(void)state;
	assert_int_equal(home_list(HOME_NAME, &list), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.entries[0].name, "261128-101112-orders"); /* the oldest first */
	assert_false(list.entries[2].has_path);
	assert_true(home_latest(HOME_NAME, &list, &index));
	assert_int_equal(index, 1); /* the last one that has a path */
	folder_set_latest(HOME_NAME, "261128-101112-orders");
	assert_true(home_latest(HOME_NAME, &list, &index));
	assert_int_equal(index, 0);
	folder_set_latest(HOME_NAME, "261128-101113-orders");
	home_unset_latest(HOME_NAME, "261128-101112-orders"); /* it is not the latest */
	assert_true(home_latest(HOME_NAME, &list, &index));
	assert_int_equal(index, 1);
	home_unset_latest(HOME_NAME, "261128-101113-orders");
	assert_true(home_latest(HOME_NAME, &list, &index));
	assert_int_equal(index, 0);
	home_list_release(&list);
	home_list_release(&list);
	unlink(HOME_NAME "/" HOME_LATEST);
}

static void expect(const char *word, const char *name)
{
	char path[PATH_MAX] = "", wanted[PATH_MAX];

	snprintf(wanted, sizeof wanted, ".pathline/%s", name);
	assert_int_equal(home_resolve("dump", word, path), CMD_GO);
	assert_string_equal(path, wanted);
}

static void names(void **state)
{
	char path[PATH_MAX];

	(void)state;
	expect(NULL, "261128-101113-orders");
	expect("latest", "261128-101113-orders");
	expect("latest~1", "261128-101112-orders");
	expect("latest~", "261128-101112-orders");
	expect("261128-101112-orders", "261128-101112-orders");
	expect("261128-101114", "261128-101114-shop"); /* a beginning, of one only */
	assert_int_equal(home_resolve("dump", "./.pathline", path), CMD_GO);
	assert_string_equal(path, "./.pathline");
}

static void expect_refused(const char *word, const char *said)
{
	char path[PATH_MAX];

	said_begin();
	const int code = home_resolve("dump", word, path);
	assert_string_equal(said_end(), said);
	assert_int_equal(code, CMD_USAGE);
}

static void refused(void **state)
{
	(void)state;
	expect_refused("261128-10111",
		"pathline: dump: '261128-10111' is the beginning of 3 recordings: "
		"261128-101112-orders, 261128-101113-orders, 261128-101114-shop; type more of the "
		"name\n");
	expect_refused("nothing", "pathline: dump: there is no recording 'nothing' in .pathline; "
				  "`pathline ls` lists them\n");
	expect_refused("latest~7", "pathline: dump: there are only 1 recordings before the latest "
				   "one in .pathline; `pathline ls` lists them\n");
	expect_refused("/nowhere/at/all", "pathline: dump: there is no recording "
					  "'/nowhere/at/all': No such file or directory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(found),
		cmocka_unit_test(latest),
		cmocka_unit_test(names),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
