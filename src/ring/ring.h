/* The producer's end of a stream: the hot half of the ring.
 *
 * One writer for a stream, and no lock. The writer keeps `at` and `limit` in its own memory. The
 * collector sees the chunk's `used`, which is stored with release after the bytes. Nothing is
 * visible before ring_commit, so a kill leaves only whole events.
 *
 *	uint8_t *p = w->at < w->limit ? w->at : ring_refill(w, ticks);
 *	if (p)                                    step_bytes are there; NULL: the event is lost
 *		ring_commit(w, event_write_line(p, index));
 *
 *	chunk  | committed events | a step writes here ...   |<-- step_bytes -->|
 *	                           ^ at                       ^ limit: no step begins after it
 *
 * Only a thread itself writes its stream, with the GIL; the messages of a process are written by
 * any thread that has the GIL. The handler of a fatal signal writes into its own thread's stream,
 * over what is not committed yet.
 */
#ifndef PL_RING_RING_H
#define PL_RING_RING_H

#include "ring/arena.h"

/* Bytes that one step of the recorder may write. The most at once: TIME, SWITCH, GAP and POPS first
 * (74 bytes), POPS or GREENLET again (11), the event (26), and a TASK before it (132). A fatal
 * signal's STOP needs room after that (signals.c), so it is twice as much. */
#define RING_STEP_BYTES 512u
/* Of the event VALUES before an event: prefix, kind and length. */
#define RING_VALUES_HEAD 8u

struct ring_writer {
	uint8_t *at;		   /* where the next byte goes; NULL: no chunk */
	uint8_t *limit;		   /* at < limit: a step has room */
	struct chunk *chunk;	   /* the newest, NULL: none */
	struct arena *arena;	   /* not owned */
	struct process_slot *slot; /* not owned; counts waits */
	uint64_t stream_bytes;	   /* position of the chunk's first byte */
	uint64_t closed_bytes;	   /* position after the last chunk, if there is none now */
	/* as in the chunk's head */
	uint32_t process, thread;
	uint32_t order; /* of the next chunk */
	uint32_t native_id;
	uint32_t step_bytes; /* RING_STEP_BYTES, and what values before an event can have */
	uint64_t state_address;
	/* there was no chunk, and the thread has waited as long as it may; wait no more until there
	 * is one */
	bool starving;
};

/* Let steps begin in the chunk as far as there is room for a whole one. */
static inline void ring_limit(struct ring_writer *w)
{
	w->limit = w->chunk ? w->chunk->bytes + CHUNK_ROOM - w->step_bytes : NULL;
}

/* Position in the stream of the next byte. */
static inline uint64_t ring_position(const struct ring_writer *w)
{
	return w->chunk ? w->stream_bytes + (uint64_t)(w->at - w->chunk->bytes) : w->closed_bytes;
}

/* Take another chunk, waiting as the arena's policy says. May sleep; never allocates or does I/O.
 * NULL: no room. */
uint8_t *ring_refill(struct ring_writer *w, uint64_t now_ticks);

/* Make visible what was written up to p. */
static inline void ring_commit(struct ring_writer *w, uint8_t *p)
{
	w->at = p;
	atomic_store_explicit(
		&w->chunk->used, (uint64_t)(p - w->chunk->bytes), memory_order_release);
}

/* The same, but the bytes from `event` on describe what is about to happen. Until the next commit
 * they are part of the stream only if the process dies, and they can be taken back. */
static inline void ring_commit_ahead(struct ring_writer *w, const uint8_t *event, uint8_t *p)
{
	w->at = p;
	atomic_store_explicit(&w->chunk->used,
		(uint64_t)(p - w->chunk->bytes) | (uint64_t)(p - event) << CHUNK_AHEAD_SHIFT,
		memory_order_release);
}

/* The bytes that can be taken back. */
static inline size_t ring_ahead(const struct ring_writer *w)
{
	return w->chunk ? (size_t)(atomic_load_explicit(&w->chunk->used, memory_order_relaxed) >>
				   CHUNK_AHEAD_SHIFT)
			: 0;
}

/* The writing thread has another state now. */
static inline void ring_set_state(struct ring_writer *w, uint64_t address)
{
	w->state_address = address;
	if (w->chunk)
		atomic_store_explicit(&w->chunk->state_address, address, memory_order_relaxed);
}

/* A writer of a stream that begins here. It takes its first chunk with its first bytes. */
void ring_init(struct ring_writer *w, struct arena *a, struct process_slot *slot, uint32_t thread);

#define RING_PUT_MAX ((size_t)256 * CHUNK_ROOM) /* 8 MiB; code with a longer description has none */

/* Write up to RING_PUT_MAX bytes, over several chunks (messages): all of them; or none, and false,
 * if there is no room. */
bool ring_put(struct ring_writer *w, const void *bytes, size_t n, uint64_t now_ticks);
/* false: the last chunk that was needed was not there, and there still is none. So do not start
 * work that needs room. */
bool ring_may_put(const struct ring_writer *w);
/* The stream has ended. */
void ring_close(struct ring_writer *w);
/* In a forked child: the chunk belongs to the parent. Forget it. */
void ring_forget(struct ring_writer *w);

/* Is the collector alive? It holds a lock on the arena's file while it lives; here its pid and its
 * clock are checked. */
bool ring_collector_alive(const struct arena *a, const struct process_slot *slot);

#endif
