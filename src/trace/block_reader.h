/* The first stage of reading: the blocks of one thread in order, opened one at a time, and what is
 * missing between them.
 *
 *	blocks listed    1   2   3   5   6          block_reader_next gives
 *	                             damaged        1  2  3  DAMAGED + 5  DAMAGED (in place of 6)
 *
 * It knows records and blocks, not what their events mean. One block is open at a time, so memory
 * does not grow with the recording.
 */
#ifndef PL_TRACE_BLOCK_READER_H
#define PL_TRACE_BLOCK_READER_H

#include "format/block.h"
#include "trace/code.h"
#include "trace/recording.h"
#include "trace/stream.h"

struct block_reader {
	struct pl_recording *r;	     /* not owned */
	struct thread_entry *thread; /* not owned */
	uint64_t next_block;	     /* place in the thread's list, dropped blocks counted */
	uint32_t next_number;	     /* of the block that should come next */

	/* the last block that was asked for */
	bool open;
	uint32_t number;
	struct stream stream; /* its bytes */
	struct block block;   /* maps a code number to a struct pl_code *, NULL: missing */
	uint64_t open_ticks, close_ticks;
};

/* What is missing before a block, or in place of it. */
struct block_gap {
	bool found;
	enum pl_gap_reason reason;
	uint64_t lost; /* events */
};

/* What block_reader_next says. */
struct block_read {
	struct block_gap before; /* between the event `seq` and this block */
	struct block_gap in;	 /* the block itself could not be opened: it is missing */
	uint64_t seq;		 /* of the next event: of the block's first one, or after it */
};

/* r and t must live as long. */
void block_reader_init(struct block_reader *b, struct pl_recording *r, struct thread_entry *t);
/* Open the next block; seq: of the event that should be its first. With out->in.found it is not
 * open, and has no stack. PL_END: there is none, so far. */
int block_reader_next(
	struct block_reader *b, uint64_t seq, struct block_read *out, struct pl_err *err);
/* The open block's bytes are no events from here on. */
void block_reader_give_up(struct block_reader *b);
/* A part of the open block that no row needs is damaged. */
void block_reader_note(struct block_reader *b, const char *what);
/* Move to before a block of the thread's list, by its index; nothing is open then. Returns the
 * block, NULL: that is the end of the list. */
const struct block_ref *block_reader_go_to(struct block_reader *b, size_t index);
/* Did the limit drop all blocks of the thread? */
bool block_reader_is_dropped(const struct block_reader *b, uint64_t seq);

/* By the open block's table. Never NULL: a missing code is "?". */
static inline struct pl_code *block_reader_code(const struct block_reader *b, uint32_t number)
{
	const uint64_t *found = map_find(&b->block.bodies, number);
	struct pl_code *c = found ? (struct pl_code *)(uintptr_t)*found : NULL;

	return c ? c : b->r->unknown_code;
}

/* Free the memory; the place in the list stays. */
void block_reader_rest(struct block_reader *b);

#endif
