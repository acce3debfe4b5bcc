/* The calls in which an event loop waits when it has nothing to do: asyncio and selectors through
 * the module select, uvloop through libuv, gevent through libev. The recorder stamps them before
 * and after. A call that may not wait (a timeout of 0) is ignored. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include "preload/preload.h"

static uint64_t wait_begin(const void *caller, bool waits, const struct wait_hooks **hooks)
{
	*hooks = waits ? atomic_load_explicit(&preload.on_wait, memory_order_acquire) : NULL;
	return *hooks ? (*hooks)->begin(caller) : 0;
}

/* errno is what the call left; the hooks do not change it. */
static void wait_end(const struct wait_hooks *hooks, uint64_t since)
{
	if (since)
		hooks->end(since);
}

static bool may_wait(const struct timespec *t)
{
	return !t || t->tv_sec || t->tv_nsec;
}

PRELOAD_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int room, int timeout_ms)
{
	const struct wait_hooks *hooks;
	uint64_t since = wait_begin(__builtin_return_address(0), timeout_ms != 0, &hooks);
	int n = originals()->epoll_wait(epoll, events, room, timeout_ms);

	wait_end(hooks, since);
	return n;
}

PRELOAD_EXPORT int epoll_pwait(
	int epoll, struct epoll_event *events, int room, int timeout_ms, const sigset_t *mask)
{
	const struct wait_hooks *hooks;
	uint64_t since = wait_begin(__builtin_return_address(0), timeout_ms != 0, &hooks);
	int n = originals()->epoll_pwait(epoll, events, room, timeout_ms, mask);

	wait_end(hooks, since);
	return n;
}

PRELOAD_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct wait_hooks *hooks;
	uint64_t since = wait_begin(__builtin_return_address(0), timeout_ms != 0, &hooks);
	int n = originals()->poll(fds, count, timeout_ms);

	wait_end(hooks, since);
	return n;
}

PRELOAD_EXPORT int ppoll(
	struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	const struct wait_hooks *hooks;
	uint64_t since = wait_begin(__builtin_return_address(0), may_wait(timeout), &hooks);
	int n = originals()->ppoll(fds, count, timeout, mask);

	wait_end(hooks, since);
	return n;
}

PRELOAD_EXPORT int select(
	int count, fd_set *read, fd_set *write, fd_set *except, struct timeval *timeout)
{
	const struct wait_hooks *hooks;
	bool waits = !timeout || timeout->tv_sec || timeout->tv_usec;
	uint64_t since = wait_begin(__builtin_return_address(0), waits, &hooks);
	int n = originals()->select(count, read, write, except, timeout);

	wait_end(hooks, since);
	return n;
}
