/* Open a block, after the blocks that are needed to decompress it (format/chain.h). */
#ifndef PL_TRACE_LOAD_H
#define PL_TRACE_LOAD_H

#include "format/block.h"
#include "trace/recording.h"
#include "trace/stream.h"

/* *ref is a block of the thread. What was decompressed of its chain is kept in the block, so
 * opening the next one, or one before, costs no more than that block. Its bytes are in `s`, whose
 * files are set, and in itself. PL_ERR_FORMAT: then *ref is the block that is damaged, this one or
 * an earlier one; PL_ERR_NOT_FOUND: its segment was dropped; PL_ERR_VERSION. */
int load_block(struct block *b, struct stream *s, const struct thread_entry *t,
	struct block_ref **ref, struct pl_err *err);

#endif
