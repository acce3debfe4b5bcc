/* Cut blocks: a thread's events leave the chunks and become records.
 *
 *	stream   ... on disk | chunk 7 ..................| chunk 8 ..................| chunk 9 ... |
 *	           position ^ |<- BLOCK_CUT_BYTES, or BLOCK_CUT_AGE_NS old, or the last ->|
 *
 *	1. the stack, seq, times and order at `position` open the block         open_head
 *	2. the stack machine runs over the events                               gather, run
 *	3. the record is appended, after what meta must have first              write_block
 *	4. position moves on, chunks are given back                             stream_done
 *
 * A kill before 3 loses nothing: the events are still in the chunks. A kill between 3 and 4 writes
 * nothing twice: a finisher asks the last block on disk where it ends. A failure in 3 is a loss,
 * and 4 happens all the same, because a full disk must not stop the program.
 */
#ifndef PL_COLLECTOR_BLOCKS_H
#define PL_COLLECTOR_BLOCKS_H

#include "collector/state.h"

#define BLOCK_CUT_BYTES	 (128u << 10) /* a block of this size is written at once */
#define BLOCK_BYTES_MAX	 (256u << 10) /* larger blocks are divided */
#define BLOCK_CUT_AGE_NS INT64_C(300000000)
/* While a reader follows: many small blocks, so only then. */
#define BLOCK_FOLLOWED_AGE_NS INT64_C(50000000)

/* The tick continues while it works. */
void blocks_cut(struct collector *c, enum blocks_why why, int64_t now_ns);
/* Cut all that one thread has. */
void blocks_cut_stream(struct collector *c, struct stream *t);
/* Drop the oldest segments, so that `bytes` more keep the limit. Uses c->payload. Records that wait
 * for meta are kept back until there is room for them. */
void blocks_make_room(struct collector *c, size_t bytes);
/* Write that a thread has ended, once. */
void blocks_end_thread(struct collector *c, struct stream *t, uint64_t ticks);

#endif
