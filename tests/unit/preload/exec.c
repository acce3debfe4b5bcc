/* Which environment the next program gets, and what the slot says if there is none after all. */
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
#include "preload/slot.h"
#include "preload/target.h"

#define RESULT (-9) /* of each original, which fails */

static char *given[] = {(char *)"GIVEN=1", NULL}, *handed[] = {(char *)"OURS=1", NULL};
static struct process_slot slot;
static bool plans, loads_us;
static int looked_times, begun_times, failed_times;
static struct {
	int dirfd, flags;
	const char *path;
	bool in_path;
} looked;
static struct {
	char name; /* of the original: e, p, f, a */
	const char *path;
	int fd, flags, begun;
	char *const *env;
	char words[64]; /* the arguments, each with a space after it */
} called;

bool env_plan(struct env_plan *plan, char *const envp[])
{
	*plan = (struct env_plan){.given = envp, .bytes = 16};
	return plans;
}

char **env_build(const struct env_plan *plan, void *space)
{
	memset(space, 0x5a, plan->bytes);
	return handed;
}

bool target_at(int dirfd, const char *path, int flags)
{
	looked_times++;
	looked.dirfd = dirfd;
	looked.path = path;
	looked.flags = flags;
	looked.in_path = false;
	return loads_us;
}

bool target_in_path(const char *file)
{
	target_at(AT_FDCWD, file, 0);
	looked.in_path = true;
	return loads_us;
}

struct process_slot *slot_exec(void)
{
	begun_times++;
	return &slot;
}

void slot_exec_failed(struct process_slot *which)
{
	assert_ptr_equal(which, &slot);
	assert_int_equal(called.begun, begun_times); /* after the call */
	failed_times++;
}

static int calls(char name, const char *path, char *const argv[], char *const envp[])
{
	called.name = name;
	called.path = path;
	called.env = envp;
	called.begun = begun_times; /* the slot says so before the call */
	called.words[0] = 0;
	for (; *argv; argv++) {
		strcat(called.words, *argv);
		strcat(called.words, " ");
	}
	return RESULT;
}

static int calls_execve(const char *path, char *const argv[], char *const envp[])
{
	return calls('e', path, argv, envp);
}

static int calls_execvpe(const char *file, char *const argv[], char *const envp[])
{
	return calls('p', file, argv, envp);
}

static int calls_fexecve(int fd, char *const argv[], char *const envp[])
{
	called.fd = fd;
	return calls('f', "", argv, envp);
}

static int calls_execveat(
	int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	called.fd = dirfd;
	called.flags = flags;
	return calls('a', path, argv, envp);
}

const struct originals *originals(void)
{
	static const struct originals fake = {.execve = calls_execve,
		.execvpe = calls_execvpe,
		.fexecve = calls_fexecve,
		.execveat = calls_execveat};

	return &fake;
}

static int setup(void **state)
{
	(void)state;
	plans = loads_us = true;
	looked_times = begun_times = failed_times = 0;
	memset(&called, 0, sizeof called);
	memset(&looked, 0, sizeof looked);
	return 0;
}

/* ---- each of them ---- */

static char *two[] = {(char *)"prog", (char *)"x", NULL};

static int with_execve(void)
{
	return execve("/p", two, given);
}

static int with_execvpe(void)
{
	return execvpe("/p", two, given);
}

static int with_fexecve(void)
{
	return fexecve(7, two, given);
}

static int with_execveat(void)
{
	return execveat(7, "/p", two, given, AT_SYMLINK_NOFOLLOW);
}

static int with_execv(void)
{
	return execv("/p", two);
}

static int with_execvp(void)
{
	return execvp("/p", two);
}

static int with_execl(void)
{
	return execl("/p", "prog", "x", (char *)NULL);
}

static int with_execlp(void)
{
	return execlp("/p", "prog", "x", (char *)NULL);
}

static int with_execle(void)
{
	return execle("/p", "prog", "x", (char *)NULL, given);
}

static const struct way {
	int (*go)(void);
	char ends_in;
} ways[] = {{with_execve, 'e'}, {with_execvpe, 'p'}, {with_fexecve, 'f'}, {with_execveat, 'a'},
	{with_execv, 'e'}, {with_execvp, 'p'}, {with_execl, 'e'}, {with_execlp, 'p'},
	{with_execle, 'e'}};
#define WAYS (sizeof ways / sizeof *ways)

/* What they have no environment for is the program's own. */
static void go(const struct way *w)
{
	char **before = environ;

	setup(NULL);
	environ = given;
	int result = w->go();
	environ = before;
	assert_int_equal(result, RESULT);
	assert_int_equal(called.name, w->ends_in);
	assert_string_equal(called.words, "prog x ");
	assert_string_equal(called.path, w->ends_in == 'f' ? "" : "/p");
}

/* ---- what must hold of each ---- */

static void one_that_loads_us(void **state)
{
	(void)state;
	for (size_t i = 0; i < WAYS; i++) {
		go(&ways[i]);
		assert_ptr_equal(called.env, handed);
		assert_int_equal(looked_times, 1);
		assert_int_equal(looked.in_path, ways[i].ends_in == 'p');
	}
}

static void it_is_looked_for_where_it_will_be_found(void **state)
{
	(void)state;
	go(&ways[0]);
	assert_int_equal(looked.dirfd, AT_FDCWD);
	assert_string_equal(looked.path, "/p");
	go(&ways[2]);
	assert_int_equal(looked.dirfd, 7);
	assert_int_equal(looked.flags, AT_EMPTY_PATH);
	assert_int_equal(called.fd, 7);
	go(&ways[3]);
	assert_int_equal(looked.dirfd, 7);
	assert_int_equal(looked.flags, AT_SYMLINK_NOFOLLOW);
	assert_int_equal(called.fd, 7);
	assert_int_equal(called.flags, AT_SYMLINK_NOFOLLOW);
}

static int refused(void **state)
{
	setup(state);
	loads_us = false;
	return 0;
}

static void one_that_does_not(void **state)
{
	(void)state;
	assert_int_equal(execve("/p", two, given), RESULT);
	assert_ptr_equal(called.env, given);
	assert_int_equal(execvpe("p", two, given), RESULT);
	assert_ptr_equal(called.env, given);
	assert_int_equal(fexecve(7, two, given), RESULT);
	assert_ptr_equal(called.env, given);
	assert_int_equal(execveat(7, "p", two, given, 0), RESULT);
	assert_ptr_equal(called.env, given);
	assert_int_equal(looked_times, 4);
}

static void without_a_recording_nobody_looks(void **state)
{
	(void)state;
	plans = false;
	assert_int_equal(execve("/p", two, given), RESULT);
	assert_int_equal(fexecve(7, two, given), RESULT);
	assert_ptr_equal(called.env, given);
	assert_int_equal(looked_times, 0);
	assert_int_equal(begun_times, 2); /* the process may be recorded all the same */
}

/* libc's fexecve refuses it, so no environment is made in its place. */
static void fexecve_without_an_environment(void **state)
{
	(void)state;
	assert_int_equal(fexecve(7, two, NULL), RESULT);
	assert_null(called.env);
	assert_int_equal(looked_times, 0);
}

/* The process goes on: it has not ended by an exec. */
static void a_failure_is_taken_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < WAYS; i++) {
		go(&ways[i]);
		assert_int_equal(begun_times, 1);
		assert_int_equal(called.begun, 1);
		assert_int_equal(failed_times, 1);
	}
}

static void lists_of_any_length(void **state)
{
	(void)state;
	execl("/p", "a", (char *)NULL);
	assert_string_equal(called.words, "a ");
	execlp("p", "a", "b", "c", "d", "e", "f", "g", "h", "i", (char *)NULL);
	assert_string_equal(called.words, "a b c d e f g h i ");
	execle("/p", "a", "b", "c", "d", "e", "f", "g", (char *)NULL, given);
	assert_string_equal(called.words, "a b c d e f g ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_that_loads_us, setup),
		cmocka_unit_test_setup(it_is_looked_for_where_it_will_be_found, setup),
		cmocka_unit_test_setup(one_that_does_not, refused),
		cmocka_unit_test_setup(without_a_recording_nobody_looks, setup),
		cmocka_unit_test_setup(fexecve_without_an_environment, setup),
		cmocka_unit_test_setup(a_failure_is_taken_back, setup),
		cmocka_unit_test_setup(lists_of_any_length, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
