#define _GNU_SOURCE
#include "preload/slot.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "preload/preload.h"

/* Also NULL in a child that shares our memory but is another process. */
static struct process_slot *slot_of_this_process(void)
{
	struct process_slot *slot = atomic_load_explicit(&preload.slot, memory_order_acquire);

	return slot && slot->pid == (uint32_t)getpid() ? slot : NULL;
}

/* The recorder's last word: where the thread is that ends the process. A forked child without a
 * slot may take one for it. Returns the slot of this process. */
static struct process_slot *slot_leave(bool killed)
{
	leave_hook *hook = atomic_load_explicit(&preload.on_leave, memory_order_acquire);
	bool others = atomic_load_explicit(&preload.slot, memory_order_acquire) &&
		      !slot_of_this_process();

	if (hook && !others)
		hook(killed);
	return slot_of_this_process();
}

void slot_exit(int status)
{
	struct process_slot *slot = slot_leave(false);

	if (!slot)
		return;
	atomic_store_explicit(&slot->end_code, (uint32_t)status & 0xff, memory_order_relaxed);
	atomic_store_explicit(&slot->end, SLOT_END_EXIT, memory_order_release);
}

void slot_killed(void)
{
	slot_leave(true);
}

struct process_slot *slot_exec(void)
{
	struct process_slot *slot = slot_leave(false);

	if (slot)
		atomic_store_explicit(&slot->end, SLOT_END_EXEC, memory_order_release);
	return slot;
}

void slot_exec_failed(struct process_slot *slot)
{
	if (slot)
		atomic_store_explicit(&slot->end, SLOT_END_UNKNOWN, memory_order_release);
}

uint32_t slot_number(void)
{
	const struct process_slot *slot = atomic_load_explicit(&preload.slot, memory_order_acquire);
	uint32_t last = atomic_load_explicit(&preload.number, memory_order_relaxed);

	return slot ? slot->number : last ? last : preload.parent;
}

/* Registered before the recorder's own handler, so it runs before the child loses the slot. */
static void slot_forked(void)
{
	const struct process_slot *slot = atomic_load_explicit(&preload.slot, memory_order_relaxed);

	if (slot)
		atomic_store_explicit(&preload.number, slot->number, memory_order_relaxed);
}

static void at_exit(int status, void *data)
{
	(void)data;
	slot_exit(status);
}

/* Registered by a constructor, so that it runs after everything else that exit() runs, also after
 * each destructor. */
void slot_watch(void)
{
	on_exit(at_exit, NULL);
	pthread_atfork(NULL, NULL, slot_forked);
}
