/* An order is carried out: the recorder comes into this program, or leaves it.
 *
 * It is called by the interpreter between two instructions of the main thread (a pending call), or
 * runs in a thread that was made for it and has all signals blocked. Here no preload hears of the
 * end of the process, so exit() is heard; _exit and exec are not.
 */
#define _GNU_SOURCE
#include "recorder/order.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "format/message.h"
#include "recorder/compat/python.h"
#include "recorder/compat/interpreter.h"
#include "recorder/mark.h"
#include "recorder/recorder.h"
#include "recorder/root.h"
#include "ring/arena.h"

/* What the preload has in other programs. */
static struct {
	struct process_slot *_Atomic slot;
	key_hook *_Atomic on_key;
	leave_hook *_Atomic on_leave;
	const struct wait_hooks *_Atomic on_wait;
	_Atomic bool confined;
} guest;

static void at_exit(int status, void *data)
{
	struct process_slot *slot = atomic_load_explicit(&guest.slot, memory_order_acquire);
	leave_hook *hook = atomic_load_explicit(&guest.on_leave, memory_order_acquire);

	(void)data;
	if (!slot || slot->pid != (uint32_t)getpid())
		return;
	if (hook)
		hook(false);
	atomic_store_explicit(&slot->end_code, (uint32_t)status & 0xff, memory_order_relaxed);
	atomic_store_explicit(&slot->end, SLOT_END_EXIT, memory_order_release);
}

static void hear_exit(void)
{
	static bool heard;

	if (!heard)
		on_exit(at_exit, NULL);
	heard = true;
}

static bool open_arena(struct arena *arena, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);

	if (fd < 0)
		return false;
	int err = arena_map(arena, fd);
	close(fd);
	if (err < 0)
		return false;
	if (atomic_load_explicit(&arena->head->state, memory_order_acquire) == ARENA_OPEN)
		return true;
	arena_unmap(arena);
	return false;
}

/* `pathline attach` reads it. */
static void refuse(struct arena_head *head, const char *why)
{
	snprintf(head->refused_why, sizeof head->refused_why, "%s",
		why ? why : "the recorder gave no reason");
	atomic_fetch_add_explicit(&head->refused, 1, memory_order_release);
}

/* The interpreter's internals are read as the headers of a release have them. */
static const char *unsupported_build(void)
{
	const char *version = Py_GetVersion();

	if (strstr(version, "free-threading"))
		return "free-threaded builds are not recorded";
	if (version[strspn(version, "0123456789.")] >= 'a')
		return "pre-releases are not recorded";
	return NULL;
}

/* With the GIL. If it fails, the arena is unmapped. */
static int come_in(struct arena *arena, uint32_t parent, const char **why)
{
	const struct recorder_start start = {
		.arena = *arena,
		.parent = parent,
		.how = HOW_START,
		.slot = &guest.slot,
		.on_key = &guest.on_key,
		.on_leave = &guest.on_leave,
		.on_wait = &guest.on_wait,
		.confined = &guest.confined,
	};

	*why = unsupported_build();
	hear_exit();
	if (!*why && pathline_recorder_attach(&start, why) == 0)
		return 0;
	refuse(arena->head, *why);
	arena_unmap(arena);
	return -1;
}

#define NS_PER_US  1000
#define WAITED_MAX 60000000000 /* ns; more is another clock: a time namespace */

static int64_t order_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* What a program that is attached waits for us: `pathline info` shows it. From asking for the GIL,
 * or from the order where the interpreter brings it, until it was there; and from then on. */
static void note_costs(int64_t asked_ns, int64_t got_ns)
{
	struct process_slot *slot = atomic_load_explicit(&guest.slot, memory_order_acquire);
	const int64_t waited = got_ns - asked_ns, began = order_clock_ns() - got_ns;

	if (!slot)
		return;
	atomic_store_explicit(&slot->waited_us,
		waited > 0 && waited < WAITED_MAX ? (uint32_t)(waited / NS_PER_US) : 0,
		memory_order_relaxed);
	atomic_store_explicit(
		&slot->began_us, (uint32_t)(began / NS_PER_US) + 1, memory_order_relaxed);
}

static void carry_out(const struct recorder_order *order, struct arena *arena)
{
	const int64_t asked_ns = order->own_thread ? order_clock_ns() : order->sent_ns;
	const char *why;
	PyGILState_STATE state = PyGILState_UNLOCKED;

	if (interpreter_finalizing() || !Py_IsInitialized()) {
		if (!order->leave)
			refuse(arena->head, "the interpreter is ending");
		return;
	}
	if (order->own_thread)
		state = PyGILState_Ensure();
	const int64_t got_ns = order_clock_ns();
	const struct raised raised = raised_take();
	if (order->leave)
		pathline_recorder_leave(&why);
	else if (come_in(arena, order->parent, &why) == 0)
		note_costs(asked_ns, got_ns);
	raised_give_back(raised);
	if (order->own_thread)
		PyGILState_Release(state);
}

#define UNMAP_WAITS   20000
#define UNMAP_WAIT_NS 100000

/* No signal of the program is handled here, and nobody waits for this thread's end. No function of
 * libpthread is in the libc of older systems; one that has made a thread has them. */
static void begin_thread(void)
{
	const uint64_t all = UINT64_MAX;
	int (*detach)(pthread_t) = (int (*)(pthread_t))dlsym(RTLD_DEFAULT, "pthread_detach");

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof all);
	if (detach)
		detach(pthread_self());
}

/* The thread that was stopped comes back to page 0 from the call that began this. */
static bool may_unmap(const struct recorder_order *at)
{
	const struct timespec step = {.tv_nsec = UNMAP_WAIT_NS};

	for (int i = 0; i < UNMAP_WAITS; i++) {
		if (__atomic_load_n(&at->may_unmap, __ATOMIC_ACQUIRE))
			return true;
		nanosleep(&step, NULL);
	}
	return false;
}

__attribute__((visibility("default"))) void *pathline_recorder_ordered(struct recorder_order *at)
{
	struct recorder_order order = *at;
	struct arena arena = {0};

	if (order.own_thread)
		begin_thread();
	if (order.library_fd >= 0)
		close(order.library_fd);
	if (order.pid != (int32_t)getpid()) {
		munmap((char *)at - ORDER_AT, ORDER_PAGES_BYTES);
		return NULL;
	}
	if (!may_unmap(at)) {
		at->status = ORDER_DROPPED;
		return NULL;
	}
	if (!order.leave && !open_arena(&arena, order.arena)) {
		at->status = ORDER_NO_ARENA;
		return NULL;
	}
	munmap((char *)at - ORDER_AT, ORDER_PAGES_BYTES);
	carry_out(&order, &arena);
	return NULL;
}

/* ---- the program itself gives the order ---- */

static bool came_by_itself;

int ordered_come_in(const char *path, const char **why)
{
	struct arena arena;

	if (mark_is_recording() && !root.forked) {
		*why = "this process is recorded already";
		return -1;
	}
	if (root.arena.head && !came_by_itself) {
		*why = "another recording of this process has ended, and its recorder is still "
		       "here";
		return -1;
	}
	if (!open_arena(&arena, path)) {
		*why = "the recording's memory in /dev/shm cannot be opened";
		return -1;
	}
	came_by_itself = come_in(&arena, 0, why) == 0;
	return came_by_itself ? 0 : -1;
}

int ordered_leave(const char **why)
{
	*why = "it was not begun from here";
	return came_by_itself && !root.forked ? pathline_recorder_leave(why) : -1;
}
