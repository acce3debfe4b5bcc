/* All that a collector knows, and the steps of a round, one file each.
 *
 *	look at events -> look at messages -> read messages (messages.h) -> cut blocks (blocks.h)
 *	-> processes (processes.h)
 *
 * The order is the reverse of the one in which a program writes: a message is complete before any
 * event that needs it. So messages are looked at after events, and what an event names is in meta
 * before the event's block.
 */
#ifndef PL_COLLECTOR_STATE_H
#define PL_COLLECTOR_STATE_H

#include <limits.h>
#include "collector/bodies.h"
#include "collector/costs.h"
#include "collector/flight.h"
#include "collector/processes.h"
#include "collector/sample.h"
#include "collector/source_texts.h"
#include "collector/sources.h"
#include "collector/store.h"
#include "collector/streams.h"
#include "collector/ticker.h"
#include "format/chain.h"
#include "ring/arena.h"

/* For the last lines of `record`. */
struct collector_totals {
	uint64_t events; /* counted ones, in blocks */
	uint64_t lost;	 /* events that never came, as far as they were counted */
	uint64_t threads;
	uint64_t processes;
	uint64_t losses; /* LOSS records */
	char worst[256]; /* the first loss, in words */
};

/* Which streams are cut: those that are due by size or age, or all that have anything. */
enum blocks_why { BLOCKS_DUE, BLOCKS_ALL };

/* A chain into which a thread's blocks are packed (chain.h). */
struct blocks_chain {
	struct chain_writer writer;
	uint32_t process, thread; /* 0: nobody's yet */
	uint32_t next;		  /* number of the block that goes on with it */
	uint64_t last;		  /* `chained` with its last block */
};
#define BLOCKS_CHAINS 4 /* a few MiB each; more threads than that begin a chain with each block */

struct collector {
	struct arena arena;
	int arena_fd; /* holds the lock */
	char arena_path[PATH_MAX];
	struct store store;
	struct streams streams;
	struct bodies bodies;
	struct costs costs;
	struct source_texts texts;
	struct processes processes;
	struct ticker ticker;
	struct sampler sampler;
	struct flight flight;
	struct collector_sources sources;
	struct collector_totals totals;
	struct pl_buf bytes, payload, strings; /* room; strings: STRINGS to write */
	struct pl_buf parts;		       /* struct pl_view, of a block's events */
	struct stack opening;		       /* room */
	struct mentions mentions;	       /* of the block in the making */
	struct blocks_chain chains[BLOCKS_CHAINS];
	uint64_t chained; /* blocks in chains so far */
	bool grow_failed;
	bool followed; /* a reader follows, as it was at follow_asked_ns */
	int64_t follow_asked_ns;
	bool stamped; /* each call or line has a time, so events are several times as many bytes */
	bool store_failed;		    /* said so */
	bool arena_torn;		    /* said so */
	char directory[PATH_MAX];	    /* where the command was started */
	char sources_why[SOURCE_WHY_BYTES]; /* why a source that was wanted does not run, or "" */
};

/* A place in the path for a LOSS record: all 0 is the recording as a whole. */
struct loss {
	uint32_t process, thread;
	uint64_t seq;
	int reason; /* enum pl_gap_reason */
	uint64_t lost;
	const char *text;
};
#define LOSSES_MAX 1000 /* records; what comes after is counted in `totals` only */
void collector_lose(struct collector *c, const struct loss *l);

#endif
