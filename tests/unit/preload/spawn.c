/* Which environment the programs get that posix_spawn starts. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "preload/env.h"
#include "preload/preload.h"
#include "preload/spawn.h"
#include "preload/target.h"

static char *given[] = {(char *)"GIVEN=1", NULL}, *handed[] = {(char *)"OURS=1", NULL};
static char *arguments[] = {(char *)"name", NULL};
static bool plans, loads_us, looked_in_path;
static int looked_times, built_times, spawned_times, spawned_by_name;
static const char *looked_for, *spawned_path;
static char *const *spawned_env, *const *spawned_arguments;
static const void *spawned_actions, *spawned_attributes;

bool env_plan(struct env_plan *plan, char *const envp[])
{
	*plan = (struct env_plan){.given = envp, .bytes = 16};
	return plans;
}

char **env_build(const struct env_plan *plan, void *space)
{
	memset(space, 0x5a, plan->bytes); /* as much as was asked for */
	built_times++;
	return handed;
}

bool target_at(int dirfd, const char *path, int flags)
{
	assert_int_equal(dirfd, AT_FDCWD);
	assert_int_equal(flags, 0);
	looked_times++;
	looked_for = path;
	return loads_us;
}

bool target_in_path(const char *file)
{
	looked_times++;
	looked_in_path = true;
	looked_for = file;
	return loads_us;
}

static int spawns(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	*pid = 77;
	spawned_times++;
	spawned_path = path;
	spawned_actions = actions;
	spawned_attributes = attributes;
	spawned_arguments = argv;
	spawned_env = envp;
	return 9;
}

static int spawns_by_name(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	spawned_by_name++;
	return spawns(pid, file, actions, attributes, argv, envp);
}

const struct originals *originals(void)
{
	static const struct originals fake = {
		.posix_spawn = spawns, .posix_spawnp = spawns_by_name};

	return &fake;
}

static int setup(void **state)
{
	(void)state;
	plans = loads_us = true;
	looked_in_path = false;
	looked_times = built_times = spawned_times = spawned_by_name = 0;
	spawned_env = NULL;
	return 0;
}

static posix_spawn_file_actions_t actions;
static posix_spawnattr_t attributes;

static void start(bool by_name)
{
	pid_t pid = 0;
	int err = by_name ? posix_spawnp(&pid, "prog", &actions, &attributes, arguments, given)
			  : posix_spawn(&pid, "prog", &actions, &attributes, arguments, given);

	assert_int_equal(err, 9);
	assert_int_equal(pid, 77);
	assert_int_equal(spawned_times, 1);
	assert_int_equal(spawned_by_name, by_name);
	assert_string_equal(spawned_path, "prog");
	assert_ptr_equal(spawned_arguments, arguments);
	assert_ptr_equal(spawned_actions, &actions);
	assert_ptr_equal(spawned_attributes, &attributes);
}

static void one_that_loads_us(void **state)
{
	(void)state;
	start(false);
	assert_ptr_equal(spawned_env, handed);
	assert_false(looked_in_path);
	assert_string_equal(looked_for, "prog");
}

static void one_found_in_path(void **state)
{
	(void)state;
	start(true);
	assert_ptr_equal(spawned_env, handed);
	assert_true(looked_in_path);
}

/* Our variables would be seen by a program that does not load us. */
static void one_that_does_not(void **state)
{
	(void)state;
	for (int by_name = 0; by_name < 2; by_name++) {
		setup(state);
		loads_us = false;
		start(by_name);
		assert_ptr_equal(spawned_env, given);
		assert_int_equal(built_times, 0);
	}
}

static void without_a_recording_nobody_looks(void **state)
{
	(void)state;
	for (int by_name = 0; by_name < 2; by_name++) {
		setup(state);
		plans = false;
		start(by_name);
		assert_ptr_equal(spawned_env, given);
		assert_int_equal(looked_times, 0);
	}
}

static void the_shell_has_the_environment_of_now(void **state)
{
	char **before = environ;
	pid_t pid;

	(void)state;
	environ = given;
	loads_us = false;
	assert_int_equal(spawn_shell(&pid, NULL, NULL, arguments), 9);
	environ = before;
	assert_ptr_equal(spawned_env, given);
	assert_string_equal(looked_for, "/bin/sh");
	assert_string_equal(spawned_path, "/bin/sh");
	assert_int_equal(spawned_by_name, 0);
	loads_us = true;
	assert_int_equal(spawn_shell(&pid, &actions, &attributes, arguments), 9);
	assert_ptr_equal(spawned_env, handed);
	assert_ptr_equal(spawned_actions, &actions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_that_loads_us, setup),
		cmocka_unit_test_setup(one_found_in_path, setup),
		cmocka_unit_test_setup(one_that_does_not, setup),
		cmocka_unit_test_setup(without_a_recording_nobody_looks, setup),
		cmocka_unit_test_setup(the_shell_has_the_environment_of_now, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
