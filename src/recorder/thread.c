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
	static bool made;

	made = made || pthread_key_create(&at_thread_end, thread_end) == 0;
	return made ? 0 : -1;
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

/* Its state, of a thread of the recording that begins. Numbers are given in the order in which
 * threads are first seen. It may be that of an ended thread, whose shadow stack's memory it
 * keeps. */
static void begin_state(struct thread *t, uint64_t native_id)
{
	const struct shadow empty = {.entries = t->shadow.entries, .room = t->shadow.room};
	struct thread *next = t->next;

	*t = (struct thread){.shadow = empty, .next = next, .number = root.thread_count++};
	t->native_id = native_id;
	t->time_ticks = now_ticks();
	t->ticks_to_name = 1;
	t->fresh = true;
	t->owes = 0;
	ring_init(&t->ring, &root.arena, root.slot, t->number);
	t->ring.native_id = (uint32_t)t->native_id;
}

static struct thread *make_state(uint64_t native_id)
{
	struct thread *t = take_state();

	if (!t || (!t->shadow.entries && !shadow_reserve(&t->shadow, 1))) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	begin_state(t, native_id);
	return t;
}

/* That was made when the recorder came into the running program, and has had no event since. Its
 * thread may have ended unheard, and another one may have its number. */
static struct thread *take_waiting_state(uint64_t native_id)
{
	struct thread *t = root.threads;

	while (t && !(t->waits && t->native_id == native_id))
		t = t->next;
	if (!t)
		return NULL;
	t->waits = false;
	if (t->state_told == current_thread_state())
		return t;
	ring_close(&t->ring);
	atomic_store_explicit(&t->ended, true, memory_order_release);
	return NULL;
}

struct thread *thread_begin(void)
{
	if (atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return NULL;
	if (root.forked && !process_begin_in_child())
		return NULL;
	const uint64_t native_id = (uint64_t)syscall(SYS_gettid);
	struct thread *t = take_waiting_state(native_id);
	if (!t)
		t = make_state(native_id);
	if (!t)
		return NULL;
	thread_tell_state(t);
	sections_of_new_thread(t);
	self = t;
	pthread_setspecific(at_thread_end, t);
	thread_check_name(t, current_thread_state());
	return t;
}

/* ---- in a running program ---- */

struct thread *thread_begin_for(const PyThreadState *ts)
{
	struct thread *t = root.threads;

	while (t && (t->native_id != ts->native_thread_id ||
			    atomic_load_explicit(&t->ended, memory_order_acquire)))
		t = t->next;
	if (!t) {
		t = make_state(ts->native_thread_id);
		if (!t)
			return NULL;
		t->waits = true;
	}
	t->state_told = ts;
	ring_set_state(&t->ring, (uintptr_t)ts);
	thread_check_name(t, ts);
	return t;
}

/* A thread that ends meanwhile says so in its state without the GIL. */
void threads_begin_again(void)
{
	root.thread_count = 0;
	root.last = NULL;
	for (struct thread *t = root.threads; t; t = t->next) {
		while (!thread_take_ring(t))
			sched_yield();
		if (!atomic_load_explicit(&t->ended, memory_order_acquire))
			begin_state(t, t->native_id);
		thread_give_ring_back(t);
	}
}

void threads_leave(void)
{
	for (struct thread *t = root.threads; t; t = t->next) {
		while (!thread_take_ring(t))
			sched_yield();
		ring_close(&t->ring);
		if (t->waits) /* no thread has it */
			atomic_store_explicit(&t->ended, true, memory_order_release);
		t->waits = false;
		thread_give_ring_back(t);
	}
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
