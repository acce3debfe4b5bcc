#define _GNU_SOURCE
#include "ring/ring.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* Between two tries to take a free chunk. The collector frees them once a round, each
 * millisecond. */
#define WAIT_STEP_NS 200000

void ring_init(struct ring_writer *w, struct arena *a, struct process_slot *slot, uint32_t thread)
{
	const struct arena_head *h = a->head;
	uint32_t most = h->value_limits.event_bytes;
	uint32_t values = (most < VALUE_EVENT_MAX ? most : VALUE_EVENT_MAX) + RING_VALUES_HEAD;
	uint32_t events = h->values == VALUES_NONE ? 0 : h->values == VALUES_LINES ? 2 : 1;

	*w = (struct ring_writer){.arena = a,
		.slot = slot,
		.process = slot->number,
		.thread = thread,
		.step_bytes = RING_STEP_BYTES + events * values};
}

bool ring_collector_alive(const struct arena *a, const struct process_slot *slot)
{
	if (atomic_load_explicit(&a->head->state, memory_order_acquire) != ARENA_OPEN)
		return false;
	if (slot && slot->pid_space != a->head->pid_space)
		return true; /* its pid is another process's here; waiting is bounded */
	int saved = errno;
	bool gone = kill((pid_t)a->head->collector_pid, 0) < 0 && errno == ESRCH;
	errno = saved;
	return !gone;
}

/* One bound for a thread in all: a thread that has waited that long does not wait again until there
 * was room. So a collector that hangs costs a program wait_ms for each thread, not for each event.
 * It sleeps with the GIL, because no other thread may run in the middle of an event. The program's
 * errno is kept. */
static int32_t wait_for_chunk(struct ring_writer *w)
{
	struct arena_head *h = w->arena->head;

	atomic_fetch_add_explicit(&h->starved, 1, memory_order_relaxed);
	if (h->on_full == FULL_DROP || w->starving || !ring_collector_alive(w->arena, w->slot)) {
		w->starving = true;
		return -1;
	}
	atomic_fetch_add_explicit(&w->slot->waits, 1, memory_order_relaxed);
	int saved = errno;
	int32_t index = -1;
	struct timespec start, now, step = {.tv_nsec = WAIT_STEP_NS};
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		nanosleep(&step, NULL);
		index = arena_take_chunk(w->arena);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (index < 0 &&
		 (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 <
			 (long)h->wait_ms);
	w->starving = index < 0;
	errno = saved;
	return index;
}

static void leave_chunk(struct ring_writer *w, enum chunk_state state)
{
	if (!w->chunk)
		return;
	w->closed_bytes = ring_position(w);
	atomic_store_explicit(&w->chunk->state, state, memory_order_release);
	w->chunk = NULL;
	w->at = w->limit = NULL;
}

/* A free chunk, after waiting if necessary; -1: no room. */
static int32_t take_chunk(struct ring_writer *w)
{
	int32_t index = arena_take_chunk(w->arena);

	if (index < 0)
		index = wait_for_chunk(w);
	if (index >= 0)
		w->starving = false;
	return index;
}

/* Make this chunk the newest of the stream. The one before becomes CLOSED only when this one is
 * visible, because CLOSED says that another follows. A kill between the two leaves an empty chunk
 * at the end. */
static void enter_chunk(struct ring_writer *w, int32_t index, uint64_t now_ticks)
{
	struct chunk *c = arena_chunk(w->arena, (uint32_t)index);
	struct chunk *full = w->chunk;
	uint64_t position = ring_position(w);

	c->process = w->process;
	c->thread = w->thread;
	c->order = w->order++;
	c->stream_bytes = position;
	c->open_ticks = now_ticks;
	c->native_id = w->native_id;
	atomic_store_explicit(&c->state_address, w->state_address, memory_order_relaxed);
	atomic_store_explicit(&c->used, 0, memory_order_relaxed);
	atomic_store_explicit(&c->state, CHUNK_OWNED, memory_order_release);
	if (full)
		atomic_store_explicit(&full->state, CHUNK_CLOSED, memory_order_release);
	w->chunk = c;
	w->stream_bytes = position;
	w->at = c->bytes;
	ring_limit(w);
}

uint8_t *ring_refill(struct ring_writer *w, uint64_t now_ticks)
{
	int32_t index = take_chunk(w);

	if (index < 0)
		return NULL;
	enter_chunk(w, index, now_ticks);
	return w->at;
}

static size_t room_left(const struct ring_writer *w)
{
	return w->chunk ? (size_t)(w->chunk->bytes + CHUNK_ROOM - w->at) : 0;
}

/* All chunks are taken before the first byte is written, so a message is there completely or not at
 * all. To the collector, taken chunks without a head are still FREE, and they are given back
 * unchanged. */
bool ring_put(struct ring_writer *w, const void *bytes, size_t n, uint64_t now_ticks)
{
	int32_t taken[RING_PUT_MAX / CHUNK_ROOM + 1];
	uint32_t count = 0, next = 0;
	const uint8_t *from = bytes;

	if (n > RING_PUT_MAX)
		return false;
	for (size_t have = room_left(w); have < n; have += CHUNK_ROOM) {
		taken[count] = take_chunk(w);
		if (taken[count] < 0) {
			while (count)
				arena_free_chunk(w->arena, (uint32_t)taken[--count]);
			return false;
		}
		count++;
	}
	while (n) {
		if (!room_left(w))
			enter_chunk(w, taken[next++], now_ticks);
		size_t part = n < room_left(w) ? n : room_left(w);
		memcpy(w->at, from, part);
		ring_commit(w, w->at + part);
		from += part;
		n -= part;
	}
	return true;
}

bool ring_may_put(const struct ring_writer *w)
{
	return !w->starving || arena_has_free(w->arena);
}

void ring_close(struct ring_writer *w)
{
	leave_chunk(w, CHUNK_LAST);
}

void ring_forget(struct ring_writer *w)
{
	w->chunk = NULL;
	w->at = w->limit = NULL;
}
