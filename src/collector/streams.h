/* Streams: the chunks that producers hold, in the order in which they were written.
 *
 *   stream (process 2, thread 5)
 *     chunks    [order 7, closed, 32,704 used] [order 8, owned, 1,204 used]
 *                ^^^^^^^^^^ on disk ^^^^^^^^^^^                 ^
 *     position --------------------------------'               `-- what was seen at the last look
 *
 * All that a chunk says is checked when it is first seen. `used` is read once a round, and not
 * again before the next one, so nothing changes during a round. A chunk is given back to the
 * producers only when all of it is on disk.
 */
#ifndef PL_COLLECTOR_STREAMS_H
#define PL_COLLECTOR_STREAMS_H

#include "base/buf.h"
#include "base/map.h"
#include "collector/sample.h"
#include "format/stack.h"
#include "ring/arena.h"

struct held_chunk {
	uint32_t index; /* in the arena */
	uint32_t order;
	uint32_t used;	/* as seen at the last look */
	uint32_t state; /* enum chunk_state, likewise; CLOSED and LAST are final */
	uint64_t stream_bytes;
	uint64_t open_ticks;
};

/* What its bytes are. A chunk says it by its thread: STREAM_MESSAGES is none. */
enum stream_kind { STREAM_OF_EVENTS, STREAM_OF_MESSAGES };

struct stream {
	uint32_t process, thread;
	enum stream_kind kind;
	struct held_chunk *chunks; /* owned; by order */
	uint32_t count, room;
	uint32_t next_order; /* of the first chunk */
	/* take whatever chunk is first: this collector did not see the beginning */
	bool any_order;
	bool ended;	   /* its last chunk is on disk */
	bool broken;	   /* bytes are missing before `position` */
	uint64_t position; /* all before it is on disk */
	int64_t since_ns;  /* since when there are bytes that are not on disk; 0: there are none */

	uint64_t read_to; /* of messages: all before it has been read */

	/* Of a thread's events: the state after the last byte on disk. */
	bool open; /* ticks are known */
	struct stack stack;
	uint64_t seq, ticks, order;
	uint32_t blocks;  /* number of the next block */
	uint32_t segment; /* where its last block is; 0: none */
	bool end_told;	  /* a THREAD_END was written */
	struct sample_thread sample;
};

struct streams {
	struct stream **all; /* owned, each of them too */
	uint32_t count, room;
	/* those of them that are messages, by growing number of the process; owned */
	struct stream **messages;
	uint32_t message_count, message_room;
	struct pl_map by_name; /* process << 32 | thread -> the stream's address */
	/* of a chunk that was seen; &nobody's for one that makes no sense */
	struct stream *owner[ARENA_CHUNKS];
	bool resumed; /* streams that are new to us may have a beginning that we have not seen */
	uint64_t threads; /* streams of events so far */
	uint32_t refused; /* chunks with heads that made no sense */
};

enum streams_which { STREAMS_EVENTS, STREAMS_MESSAGES };

/* Look at all streams of events, or of messages. true: something is new. A process may need the
 * messages of the process from which it was forked, up to the fork; that one has a smaller number,
 * and its messages are seen as well. */
bool streams_look(
	struct streams *s, const struct arena *a, enum streams_which which, int64_t now_ns);

/* Its process is dead: what was written ahead is now final. */
void stream_look_last(struct stream *t, const struct arena *a);

struct stream *streams_find(const struct streams *s, uint32_t process, uint32_t thread);
struct stream *streams_add(
	struct streams *s, uint32_t process, uint32_t thread); /* NULL: no memory */
void streams_remove(struct streams *s, uint32_t index);
void streams_release(struct streams *s);

/* Bytes that were seen and are not on disk. */
uint64_t stream_pending(const struct stream *t);
/* The next part of them, from `at` on, within one chunk; false: there is no more. */
bool stream_part(const struct stream *t, const struct arena *a, uint64_t at,
	const struct held_chunk **from, struct pl_view *part);
/* The bytes up to `position` are on disk: give back the chunks that have nothing else. */
void stream_done(struct streams *s, struct stream *t, struct arena *a, uint64_t position);
/* Its producer is gone: skip what is missing at the front. true: something was missing. */
bool stream_skip_hole(struct stream *t);
/* Give back all its chunks. */
void stream_drop(struct streams *s, struct stream *t, struct arena *a);

#endif
