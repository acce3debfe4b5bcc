/* A thread's state: its life. */
#define _GNU_SOURCE
#include "recorder/thread.h"
#include "recorder/values/kept.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "format/event.h"
#include "pathline/event.h"
#include "recorder/compat/python.h"
#include "recorder/compat/interpreter.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/sections.h"
#include "recorder/shadow.h"
#include "recorder/start.h"
#include "recorder/step.h"
#include "recorder/switch.h"
#include "recorder/window.h"
#include "ring/ring.h"

__thread struct thread *self;
static pthread_key_t at_thread_end;

/* A C thread can have one state for each call of Python. */
void thread_tell_state(struct thread *t)
{
	const PyThreadState *ts = current_thread_state();

	if (ts == t->state_told)
		return;
	t->state_told = ts;
	ring_set_state(&t->ring, (uintptr_t)ts);
}

/* Its last frames may have returned without an event. A thread that the finished interpreter ended
 * in the middle of them still has its state. */
static void pop_the_rest(struct thread *t)
{
	bool returned = t->shadow.depth && !t->fresh && !interpreter_finalizing() &&
			!PyGILState_GetThisThreadState();

	uint8_t *p = t->ring.at;

	if (!returned || !p || p >= t->ring.limit)
		return;
	if (t->owes)
		p = thread_write_owed(t, p);
	ring_commit(&t->ring, event_write1(p, EVENT_POPS, t->shadow.depth));
}

/* Runs without the GIL: it changes nothing that others write. */
static void thread_end(void *p)
{
	struct thread *t = p;

	self = NULL;
	while (!thread_take_ring(t))
		sched_yield();
	if (!ENGINE_TRACES)
		pop_the_rest(t);
	ring_close(&t->ring);
	atomic_store_explicit(&t->ended, true, memory_order_release);
	thread_give_ring_back(t);
}

int thread_init(void)
{
	return pthread_key_create(&at_thread_end, thread_end);
}

void thread_push(struct thread *t, struct shadow_entry entry)
{
	if (unlikely(shadow_is_full(&t->shadow)) && !shadow_reserve(&t->shadow, 1)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return;
	}
	shadow_put(&t->shadow, entry);
}

/* States of ended threads are used again, except the thread that wrote last: its position must
 * still be written. */
static struct thread *take_state(void)
{
	for (struct thread *t = root.threads; t; t = t->next)
		if (t != root.last && atomic_load_explicit(&t->ended, memory_order_acquire))
			return t;
	struct thread *t =
		mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t == MAP_FAILED)
		return NULL;
	t->next = root.threads;
	root.threads = t;
	return t;
}

/* Numbers are given in the order in which threads are first seen. The state may be that of an ended
 * thread, whose shadow stack's memory it keeps. */
struct thread *thread_begin(void)
{
	if (atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return NULL;
	if (root.forked && !process_begin_in_child())
		return NULL;
	struct thread *t = take_state();
	if (!t || (!t->shadow.entries && !shadow_reserve(&t->shadow, 1))) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	const struct shadow empty = {.entries = t->shadow.entries, .room = t->shadow.room};
	struct thread *next = t->next;
	*t = (struct thread){.shadow = empty, .next = next, .number = root.thread_count++};
	t->native_id = (uint64_t)syscall(SYS_gettid);
	t->time_ticks = now_ticks();
	t->ticks_to_name = 1;
	t->fresh = true;
	t->owes = 0;
	ring_init(&t->ring, &root.arena, root.slot, t->number);
	t->ring.native_id = (uint32_t)t->native_id;
	thread_tell_state(t);
	sections_of_new_thread(t);
	self = t;
	pthread_setspecific(at_thread_end, t);
	thread_check_name(t);
	return t;
}

/* fork leaves one thread, and rings that belong to the parent. States are kept to be used again;
 * the thread that writes first in the child gets number 0. */
void thread_forget_all(void)
{
	for (struct thread *t = root.threads; t; t = t->next) {
		ring_forget(&t->ring);
		atomic_store_explicit(&t->ended, true, memory_order_relaxed);
	}
	sections_forked();
	kept_forget_all();
	self = NULL;
	root.last = NULL;
	root.thread_count = 0;
}
