/* An entry and an exit of a function, as -finstrument-functions calls them. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "native/native.h"
#include "os/clock.h"

#define RETRY 64 /* functions of a thread without a ring, until it looks for one again */

struct thread {
	uint64_t generation;	   /* at which the rest is right; 0: at none */
	struct native_range range; /* of the file of the last function; empty: there was none */
	struct native_event *events;
	struct native_ring *ring; /* NULL: none */
	uint64_t at;		  /* events written */
	uint64_t free_until;	  /* up to here there is room, and nothing is to be told */
	uint64_t lost, told;	  /* of it was told in the ring */
	uint32_t clock;
	uint32_t image; /* whose ring it is */
	uint32_t retry;
	bool busy; /* a signal handler may come while an event is being written */
};

static _Thread_local struct thread self;
static pthread_key_t at_thread_end;
static _Atomic bool has_key;

static void end_thread(void *data)
{
	struct thread *t = data;
	struct native_ring *ring = t->ring;

	t->range = (struct native_range){0};
	t->ring = NULL;
	if (ring && t->image == native.image)
		atomic_store_explicit(&ring->state, NATIVE_RING_ENDED, memory_order_release);
}

/* Early, because the first keys need no memory when they are set. */
__attribute__((constructor)) static void native_init(void)
{
	if (!atomic_exchange(&has_key, true))
		pthread_key_create(&at_thread_end, end_thread);
	native_begin_process();
}

/* ---- a ring for this thread ---- */

static void own_ring(struct thread *t, struct native_ring *r, uint32_t index)
{
	r->image = native.image;
	r->pid = native.pid;
	r->pid_space = native.pid_space;
	r->native_id = (uint32_t)syscall(SYS_gettid);
	t->ring = r;
	t->events = native_events(&native.area, index);
	t->at = atomic_load_explicit(&r->head, memory_order_relaxed);
	t->free_until = 0;
	t->lost = t->told = 0;
	t->image = native.image;
	t->clock = native.area.head->clock;
	atomic_store_explicit(&r->lost, 0, memory_order_relaxed);
	atomic_store_explicit(&r->state, NATIVE_RING_OWNED, memory_order_release);
	pthread_setspecific(at_thread_end, t);
}

static bool take_ring(struct thread *t)
{
	struct native_head *h = native.area.head;
	uint32_t count = atomic_load_explicit(&h->ring_count, memory_order_acquire);

	if (t->retry) {
		t->retry--;
		return false;
	}
	if (count > native.area.ring_limit)
		count = native.area.ring_limit;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t free = NATIVE_RING_FREE;
		if (atomic_load_explicit(&h->rings[i].state, memory_order_relaxed) == free &&
			atomic_compare_exchange_strong(
				&h->rings[i].state, &free, NATIVE_RING_TAKEN)) {
			own_ring(t, &h->rings[i], i);
			return true;
		}
	}
	t->retry = RETRY;
	return false;
}

/* ---- an event ---- */

static bool prepare(struct thread *t, uintptr_t function)
{
	uint64_t generation =
		native.generation ? atomic_load_explicit(native.generation, memory_order_acquire)
				  : 0;

	if (!generation) {
		if (!native_begin_process())
			return false;
		generation = atomic_load_explicit(native.generation, memory_order_acquire);
	}
	if (t->ring && t->image != native.image)
		t->ring = NULL; /* its parent's */
	if (!t->ring && !take_ring(t)) {
		atomic_fetch_add_explicit(&native.area.head->lost, 1, memory_order_relaxed);
		return false;
	}
	t->generation = generation;
	if (!native_module_of(function, &t->range))
		t->range.length = 0; /* told with a later one */
	return true;
}

/* As far as the collector has read by now. One place is kept to tell what was lost. */
static bool find_room(struct thread *t)
{
	t->free_until =
		atomic_load_explicit(&t->ring->tail, memory_order_acquire) + NATIVE_RING_EVENTS - 1;
	return t->at < t->free_until;
}

static void lose_event(struct thread *t)
{
	if (t->ring)
		atomic_store_explicit(&t->ring->lost, ++t->lost, memory_order_relaxed);
	t->free_until = 0;
}

static inline void put_event(struct thread *t, uint64_t when, uint64_t what)
{
	struct native_event *e = &t->events[t->at % NATIVE_RING_EVENTS];

	e->when = when;
	e->what = what;
	atomic_store_explicit(&t->ring->head, ++t->at, memory_order_release);
}

static inline uint64_t when_now(enum clock_source clock, uintptr_t stack)
{
	return clock_ticks(clock) << NATIVE_STACK_BITS |
	       (stack >> NATIVE_STACK_SHIFT & ((UINT64_C(1) << NATIVE_STACK_BITS) - 1));
}

/* All that the hook leaves to somebody else. */
static __attribute__((noinline)) void hook_slowly(
	struct thread *t, uintptr_t function, uint64_t what, uintptr_t stack)
{
	if (prepare(t, function)) {
		if (t->at < t->free_until || find_room(t)) {
			if (t->lost != t->told) {
				put_event(t, t->lost - t->told, 0);
				t->told = t->lost;
			}
			put_event(t, when_now((enum clock_source)t->clock, stack), what);
		} else {
			lose_event(t);
		}
		if (t->clock != CLOCK_TSC)
			t->range.length = 0;
	}
	atomic_signal_fence(memory_order_seq_cst);
	t->busy = false;
}

/* A signal handler may come while an event is being written; what it calls then is lost. */
static inline __attribute__((always_inline)) void hook(
	uintptr_t function, uint64_t what, uintptr_t stack)
{
	struct thread *t = &self;

	if (__builtin_expect(t->busy, 0)) {
		lose_event(t);
		return;
	}
	t->busy = true;
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(function - t->range.start >= t->range.length, 0) ||
		__builtin_expect(t->generation != atomic_load_explicit(
							  native.generation, memory_order_relaxed),
			0) ||
		__builtin_expect(t->at >= t->free_until, 0)) {
		hook_slowly(t, function, what, stack);
		return;
	}
	put_event(t, when_now(CLOCK_TSC, stack), what);
	atomic_signal_fence(memory_order_seq_cst);
	t->busy = false;
}

#define LOW(word, bits) ((uint64_t)(word) & ((UINT64_C(1) << (bits)) - 1))
#define CODE_SHIFT	NATIVE_ADDRESS_BITS
#define SITE_SHIFT	(CODE_SHIFT + NATIVE_CODE_BITS)

NATIVE_EXPORT void __cyg_profile_func_enter(void *function, void *site);
NATIVE_EXPORT void __cyg_profile_func_exit(void *function, void *site);

NATIVE_EXPORT void __cyg_profile_func_enter(void *function, void *site)
{
	const uint64_t code = LOW((uintptr_t)__builtin_return_address(0), NATIVE_CODE_BITS);

	hook((uintptr_t)function,
		LOW((uintptr_t)function, NATIVE_ADDRESS_BITS) | code << CODE_SHIFT |
			LOW((uintptr_t)site, NATIVE_SITE_BITS) << SITE_SHIFT,
		(uintptr_t)__builtin_dwarf_cfa());
}

/* A hook that was jumped to returns to where the function itself returns. */
NATIVE_EXPORT void __cyg_profile_func_exit(void *function, void *site)
{
	const uint64_t jumped = __builtin_return_address(0) == site ? NATIVE_JUMPED : 0;

	hook((uintptr_t)function,
		LOW((uintptr_t)function, NATIVE_ADDRESS_BITS) | jumped << SITE_SHIFT | NATIVE_EXIT,
		(uintptr_t)__builtin_dwarf_cfa());
}
