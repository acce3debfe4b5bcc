/* Which calls of an event loop are idle waits, and what the recorder is told of them. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include "preload/preload.h"

struct preload preload;
static int begun_times, called_times, ended_times;
static uint64_t begun_with, ended_with;
static const void *begun_caller;

static uint64_t begin(const void *caller)
{
	assert_int_equal(called_times, 0);
	begun_times++;
	begun_caller = caller;
	return begun_with;
}

static void end(uint64_t since)
{
	assert_int_equal(called_times, 1);
	ended_times++;
	ended_with = since;
}

static int waits_in_epoll(int epoll, struct epoll_event *events, int room, int timeout_ms)
{
	(void)events;
	called_times++;
	return epoll + room + timeout_ms;
}

static int waits_in_epoll_masked(
	int epoll, struct epoll_event *events, int room, int timeout_ms, const sigset_t *mask)
{
	(void)mask;
	return waits_in_epoll(epoll, events, room, timeout_ms);
}

static int waits_in_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	(void)fds, (void)timeout_ms;
	called_times++;
	return (int)count;
}

static int waits_in_ppoll(
	struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	(void)timeout, (void)mask;
	return waits_in_poll(fds, count, 0);
}

static int waits_in_select(
	int count, fd_set *read, fd_set *write, fd_set *except, struct timeval *timeout)
{
	(void)read, (void)write, (void)except, (void)timeout;
	called_times++;
	return count;
}

const struct originals *originals(void)
{
	static const struct originals fake = {.epoll_wait = waits_in_epoll,
		.epoll_pwait = waits_in_epoll_masked,
		.poll = waits_in_poll,
		.ppoll = waits_in_ppoll,
		.select = waits_in_select};

	return &fake;
}

static int calls(int which, bool waits)
{
	struct timespec none = {0}, some = {.tv_nsec = 1};
	struct timeval no_time = {0}, some_time = {.tv_usec = 1};
	struct epoll_event events[4];
	struct pollfd fds[8] = {0};

	begun_times = called_times = ended_times = 0;
	switch (which) {
	case 0:
		return epoll_wait(3, events, 4, waits);
	case 1:
		return epoll_pwait(3, events, 4, waits, NULL);
	case 2:
		return poll(fds, 7 + waits, waits ? -1 : 0);
	case 3:
		return ppoll(fds, 7 + waits, waits ? &some : &none, NULL);
	default:
		return select(7 + waits, NULL, NULL, NULL, waits ? &some_time : &no_time);
	}
}
#define CALLS 5

static int setup(void **state)
{
	static const struct wait_hooks hooks = {.begin = begin, .end = end};

	(void)state;
	begun_with = 12;
	atomic_store(&preload.on_wait, &hooks);
	return 0;
}

static void stamped_before_and_after(void **state)
{
	(void)state;
	for (int i = 0; i < CALLS; i++) {
		ended_with = 0;
		begun_caller = NULL;
		assert_int_equal(calls(i, true), 8);
		assert_int_equal(begun_times, 1);
		assert_non_null(begun_caller);
		assert_int_equal(ended_times, 1);
		assert_int_equal(ended_with, 12);
	}
}

static void forever(void **state)
{
	struct pollfd fd = {0};

	(void)state;
	begun_times = called_times = ended_times = 0;
	assert_int_equal(ppoll(&fd, 1, NULL, NULL), 1);
	assert_int_equal(begun_times, 1);
	called_times = 0;
	assert_int_equal(select(1, NULL, NULL, NULL, NULL), 1);
	assert_int_equal(begun_times, 2);
	assert_int_equal(ended_times, 2);
}

static void a_look_is_no_wait(void **state)
{
	(void)state;
	for (int i = 0; i < CALLS; i++) {
		assert_int_equal(calls(i, false), 7);
		assert_int_equal(called_times, 1);
		assert_int_equal(begun_times + ended_times, 0);
	}
}

/* Not a wait that is recorded: of another thread's loop, or of C code. */
static void not_begun_is_not_ended(void **state)
{
	(void)state;
	begun_with = 0;
	for (int i = 0; i < CALLS; i++) {
		assert_int_equal(calls(i, true), 8);
		assert_int_equal(begun_times, 1);
		assert_int_equal(ended_times, 0);
	}
}

static void without_a_recorder(void **state)
{
	(void)state;
	atomic_store(&preload.on_wait, NULL);
	for (int i = 0; i < CALLS; i++) {
		assert_int_equal(calls(i, true), 8);
		assert_int_equal(called_times, 1);
		assert_int_equal(begun_times + ended_times, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(stamped_before_and_after, setup),
		cmocka_unit_test_setup(forever, setup),
		cmocka_unit_test_setup(a_look_is_no_wait, setup),
		cmocka_unit_test_setup(not_begun_is_not_ended, setup),
		cmocka_unit_test_setup(without_a_recorder, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
