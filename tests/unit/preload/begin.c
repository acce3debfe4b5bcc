/* A recording that the environment asks for: its directory, and the command that makes it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "preload/begin.h"
#include "preload/preload.h"

struct preload preload;
static char folder[64], command[128];

const struct originals *originals(void)
{
	static struct originals own;

	own.posix_spawn = posix_spawn;
	own.poll = poll;
	return &own;
}

/* The library is in the folder, and the command beside it is this shell script. */
static void make_command(const char *place, const char *script)
{
	snprintf(command, sizeof command, "%s%s", folder, place);
	FILE *file = fopen(command, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	fclose(file);
	assert_int_equal(chmod(command, 0700), 0);
}

static int setup(void **state)
{
	(void)state;
	/* mkdtemp makes a new private directory of it */
	strcpy(folder, "/tmp/pathline-begin-XXXXXX");
	command[0] = 0;
	if (!mkdtemp(folder))
		return -1;
	snprintf(preload.own_path, sizeof preload.own_path, "%s/pathline-preload.so", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(command);
	rmdir(folder);
	return 0;
}

static void the_directory(void **state)
{
	char *none[] = {(char *)"PATHLINE_DIRECTORY=/x", (char *)"A=PATHLINE_DIR=/y", NULL};
	char *empty[] = {(char *)"PATHLINE_DIR=", NULL};
	char *named[] = {(char *)"A=1", (char *)"PATHLINE_DIR=/var/log/app", NULL};

	(void)state;
	assert_null(begin_named(none));
	assert_null(begin_named(empty));
	assert_string_equal(begin_named(named), "/var/log/app");
	assert_true(begin_wanted(folder));
	assert_false(begin_wanted("/no/such/directory"));
	assert_false(begin_wanted("/dev/null"));
}

static void no_command(void **state)
{
	char arena[64] = "";

	(void)state;
	assert_false(begin_recording("/var/log/app", arena, sizeof arena));
	/* one that cannot be run */
	make_command("/pathline", "echo /dev/shm/x.arena");
	assert_int_equal(chmod(command, 0600), 0);
	assert_false(begin_recording("/var/log/app", arena, sizeof arena));
}

static void the_arena_is_told(void **state)
{
	char arena[64] = "", expected[64];

	(void)state;
	make_command("/pathline", "test \"$1 $2 $4\" = 'service --begin --' && echo $5.$3");
	snprintf(expected, sizeof expected, "/var/log/app.%d", (int)getpid());
	assert_true(begin_recording("/var/log/app", arena, sizeof arena));
	assert_string_equal(arena, expected);
}

static void expect_none(const char *script)
{
	char arena[64] = "";

	make_command("/pathline", script);
	assert_false(begin_recording("/var/log/app", arena, sizeof arena));
}

static void nothing_is_told(void **state)
{
	(void)state;
	expect_none("exit 3");
	expect_none("printf /not/whole");
	expect_none("echo something else");
	/* longer than there is room for */
	expect_none("printf '/%0100d\\n' 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(no_command, setup, teardown),
		cmocka_unit_test_setup_teardown(the_arena_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_told, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
