/* system() and popen() as POSIX has them, and what libc's own are still called for. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "preload/preload.h"
#include "preload/spawn.h"

static bool hands_on;
static int start_fails, started_times, libc_times;

bool preload_hands_on(void)
{
	return hands_on;
}

int spawn_shell(pid_t *pid, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[])
{
	started_times++;
	return start_fails ? start_fails
			   : posix_spawn(pid, SPAWN_SHELL, actions, attributes, argv, environ);
}

static int libc_system(const char *command)
{
	(void)command;
	libc_times++;
	return 1234;
}

static FILE *libc_popen(const char *command, const char *type)
{
	(void)command, (void)type;
	libc_times++;
	return NULL;
}

static int libc_pclose(FILE *file)
{
	libc_times++;
	return fclose(file) == 0 ? 4321 : -1;
}

const struct originals *originals(void)
{
	static const struct originals fake = {
		.system = libc_system, .popen = libc_popen, .pclose = libc_pclose};

	return &fake;
}

static int setup(void **state)
{
	(void)state;
	hands_on = true;
	start_fails = started_times = libc_times = 0;
	return 0;
}

static bool is_ignored(int number)
{
	struct sigaction now;

	sigaction(number, NULL, &now);
	return now.sa_handler == SIG_IGN;
}

/* ---- system ---- */

static void the_status_of_the_command(void **state)
{
	(void)state;
	assert_int_equal(system("exit 3"), 3 << 8);
	assert_int_equal(system("kill -9 $$"), SIGKILL);
	assert_int_equal(system("no-such-command-here 2> /dev/null"), 127 << 8);
	assert_int_equal(started_times, 3);
	assert_int_equal(libc_times, 0);
}

static void is_there_a_shell(void **state)
{
	(void)state;
	assert_int_equal(system(NULL), 1);
	start_fails = ENOENT;
	assert_int_equal(system(NULL), 0);
}

static void no_shell_is_as_sh_says_it(void **state)
{
	(void)state;
	start_fails = EAGAIN;
	errno = 0;
	assert_int_equal(system("true"), 127 << 8);
	assert_int_equal(errno, EAGAIN);
}

/* The command interrupts its parent, which goes on; and gets the signals as they were. */
static void signals_are_ignored_meanwhile(void **state)
{
	(void)state;
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_IGN);
	assert_int_equal(system("kill -INT $PPID; kill -QUIT $PPID; kill -INT $$; exit 5"), SIGINT);
	assert_int_equal(system("kill -QUIT $$; exit 6"), 6 << 8); /* ignored before, and in it */
	assert_false(is_ignored(SIGINT));
	assert_true(is_ignored(SIGQUIT));
	signal(SIGQUIT, SIG_DFL);
}

static volatile sig_atomic_t child_ended;

static void on_child(int number)
{
	(void)number;
	child_ended++;
}

static void the_childs_end_is_not_heard_before(void **state)
{
	sigset_t now;

	(void)state;
	child_ended = 0;
	signal(SIGCHLD, on_child);
	assert_int_equal(system("true"), 0);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, NULL, &now);
	assert_false(sigismember(&now, SIGCHLD));
}

static void without_a_recording_it_is_libcs(void **state)
{
	(void)state;
	hands_on = false;
	assert_int_equal(system("exit 3"), 1234);
	assert_null(popen("true", "r"));
	assert_int_equal(libc_times, 2);
	assert_int_equal(started_times, 0);
}

/* ---- popen ---- */

static void a_command_is_read(void **state)
{
	char line[32] = "";

	(void)state;
	FILE *file = popen("echo one; exit 4", "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof line, file));
	assert_string_equal(line, "one\n");
	assert_null(fgets(line, sizeof line, file));
	assert_int_equal(pclose(file), 4 << 8);
	assert_int_equal(libc_times, 0);
}

static void a_command_is_written_to(void **state)
{
	(void)state;
	FILE *file = popen("read word; test \"$word\" = two", "w");
	assert_non_null(file);
	assert_true(fputs("two\n", file) >= 0);
	assert_int_equal(pclose(file), 0);
}

static void closed_by_exec_if_asked(void **state)
{
	static const struct {
		const char *type;
		int flags;
	} types[] = {{"r", 0}, {"re", FD_CLOEXEC}, {"ew", FD_CLOEXEC}, {"w", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		FILE *file = popen("cat > /dev/null < /dev/null", types[i].type);
		assert_non_null(file);
		assert_int_equal(fcntl(fileno(file), F_GETFD), types[i].flags);
		assert_int_equal(pclose(file), 0);
	}
}

static void wrong_modes(void **state)
{
	static const char *const wrong[] = {"", "rw", "e", "rb", "x"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		errno = 0;
		assert_null(popen("true", wrong[i]));
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(started_times, 0);
}

/* The second command would keep the pipe of the first open, whose reader would wait for ever. */
static void later_commands_have_no_earlier_stream(void **state)
{
	(void)state;
	alarm(30);
	FILE *first = popen("cat > /dev/null", "w");
	assert_non_null(first);
	FILE *second = popen("cat > /dev/null", "w");
	assert_non_null(second);
	assert_int_equal(pclose(first), 0);
	assert_int_equal(pclose(second), 0);
	alarm(0);
}

static void one_that_cannot_start(void **state)
{
	int before = dup(0);

	(void)state;
	start_fails = ENOMEM;
	errno = 0;
	assert_null(popen("true", "r"));
	assert_int_equal(errno, ENOMEM);
	int after = dup(0);
	assert_int_equal(after, before + 1); /* nothing is left open */
	close(before);
	close(after);
}

static void streams_of_others_are_libcs(void **state)
{
	/* the compiler must not see that it is none of popen's */
	FILE *(*volatile open_other)(void) = tmpfile;
	FILE *file = open_other();

	(void)state;
	assert_non_null(file);
	assert_int_equal(pclose(file), 4321);
	assert_int_equal(libc_times, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_status_of_the_command, setup),
		cmocka_unit_test_setup(is_there_a_shell, setup),
		cmocka_unit_test_setup(no_shell_is_as_sh_says_it, setup),
		cmocka_unit_test_setup(signals_are_ignored_meanwhile, setup),
		cmocka_unit_test_setup(the_childs_end_is_not_heard_before, setup),
		cmocka_unit_test_setup(without_a_recording_it_is_libcs, setup),
		cmocka_unit_test_setup(a_command_is_read, setup),
		cmocka_unit_test_setup(a_command_is_written_to, setup),
		cmocka_unit_test_setup(closed_by_exec_if_asked, setup),
		cmocka_unit_test_setup(wrong_modes, setup),
		cmocka_unit_test_setup(later_commands_have_no_earlier_stream, setup),
		cmocka_unit_test_setup(one_that_cannot_start, setup),
		cmocka_unit_test_setup(streams_of_others_are_libcs, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
