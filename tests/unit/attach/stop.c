/* A thread of another process is stopped, does something in its place, and goes on. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "attach/stop.h"

/* The child waits for a byte, and gives it back. */
static pid_t child;
static int to_child[2], from_child[2];
static uint8_t *page;
static struct stop s;

static void give_bytes_back(void)
{
	char byte;

	while (read(to_child[0], &byte, 1) == 1)
		if (write(from_child[1], &byte, 1) != 1)
			break;
	_exit(0);
}

static bool answers(char byte)
{
	char back = 0;

	return write(to_child[1], &byte, 1) == 1 && read(from_child[0], &back, 1) == 1 &&
	       back == byte;
}

/* call rax; int3 */
static const uint8_t CALLER[] = {0xff, 0xd0, 0xcc};

static int setup(void **state)
{
	(void)state;
	page = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || pipe(to_child) < 0 || pipe(from_child) < 0)
		return -1;
	memcpy(page, CALLER, sizeof CALLER);
	child = fork();
	if (child == 0)
		give_bytes_back();
	return child < 0 || !answers('a') ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(to_child[i]);
		close(from_child[i]);
	}
	munmap(page, 4096);
	return 0;
}

/* It stops where it waits for a byte; a system that forbids ptrace has nothing to test. */
static void begin(void)
{
	int err = 0;

	if (!stop_is_built())
		skip();
	do { /* it may be on its way there */
		if (err == 0 && s.tid)
			stop_end(&s);
		err = stop_begin(&s, child);
	} while (err == 0 && stop_in_system_call(&s) != SYS_read);
	if (err == -EPERM)
		skip();
	assert_int_equal(err, 0);
}

static void goes_on(void)
{
	stop_end(&s);
	assert_true(s.held_ns > 0);
	s.tid = 0;
	assert_true(answers('b'));
}

static void where_it_is(void **state)
{
	(void)state;
	begin();
	assert_int_equal(stop_in_system_call(&s), SYS_read);
	assert_true(stop_place(&s) != 0);
	assert_true(stop_argument(&s, 1) != 0);
	assert_int_equal(stop_scratch(&s) % 64, 0);
	goes_on();
}

static void a_system_call(void **state)
{
	const uint64_t none[6] = {0};

	(void)state;
	begin();
	assert_int_equal(stop_find_system_call(child, (uintptr_t)page), 0);
	s.system_call = stop_find_system_call(child, (uintptr_t)syscall);
	assert_true(s.system_call != 0);
	assert_int_equal(stop_system(&s, SYS_getpid, none), child);
	assert_int_equal(stop_system(&s, SYS_close, (const uint64_t[6]){1000000}), -EBADF);
	goes_on();
}

__attribute__((no_sanitize("address", "undefined"))) static uint64_t mixed(
	uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return a * 1000 + b * 100 + c * 10 + d;
}

static void a_call(void **state)
{
	uint64_t result = 0;

	(void)state;
	begin();
	assert_true(stop_call(
		&s, (uintptr_t)page, (uintptr_t)mixed, (const uint64_t[4]){1, 2, 3, 4}, &result));
	assert_int_equal(result, 1234);
	goes_on();
}

static void one_that_is_gone(void **state)
{
	(void)state;
	if (!stop_is_built())
		skip();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(stop_begin(&s, child), -ESRCH);
	s.tid = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(where_it_is, setup, teardown),
		cmocka_unit_test_setup_teardown(a_system_call, setup, teardown),
		cmocka_unit_test_setup_teardown(a_call, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_is_gone, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
