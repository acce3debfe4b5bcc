/* What is said of processes that cannot be attached, without touching them. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "attach/stop.h"
#include "attach/target.h"

static pid_t child;

static int setup(void **state)
{
	(void)state;
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	return child < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}

/* refused with a line that has this text; on other machines with another one */
static void expect(struct target *t, int pid, const char *text)
{
	char why[ATTACH_WHY_BYTES] = "";

	assert_int_equal(target_look(t, pid, why), -1);
	assert_null(strchr(why, '\n'));
	if (!stop_is_built())
		text = "x86-64";
	if (!strstr(why, text))
		assert_string_equal(why, text);
}

static void there_is_none(void **state)
{
	struct target t;

	(void)state;
	expect(&t, 0, "no process 0");
	expect(&t, -1, "no process -1");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	expect(&t, child, "there is no process");
}

static void another_program(void **state)
{
	struct target t;

	(void)state;
	expect(&t, child, "not a CPython");
	if (!stop_is_built())
		skip();
	assert_int_equal(t.pid, child);
	assert_int_equal(t.uid, geteuid());
	assert_int_equal(t.gid, getegid());
	assert_false(t.foreign || t.own_shm || t.preloaded);
	assert_true(t.first_object != 0 && t.entry == 0);
	assert_string_equal(t.version, "");
	assert_string_equal(t.arena, "");
	assert_non_null(strstr(t.program, "test-attach-target"));
}

static void one_that_is_stopped(void **state)
{
	int status;
	struct target t;

	(void)state;
	kill(child, SIGSTOP);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	expect(&t, child, "is stopped; let it go on first");
}

static void one_that_has_ended(void **state)
{
	siginfo_t info;
	struct target t;

	(void)state;
	kill(child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	expect(&t, child, "has ended");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(there_is_none, setup, teardown),
		cmocka_unit_test_setup_teardown(another_program, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_is_stopped, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_has_ended, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
