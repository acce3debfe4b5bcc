/* Opening a block, with those in front of it that it takes to unpack it (format/chain.h). */
#ifndef PL_TRACE_LOAD_H
#define PL_TRACE_LOAD_H

#include "format/block.h"
#include "trace/recording.h"
#include "trace/stream.h"

/* ref is one of the thread's. The block keeps what was unpacked of its chain, so the next one, or one before, costs no more than
 * itself. Its bytes are in `s`, whose files are set, and in itself. PL_ERR_FORMAT: *damaged is, which is this one or one in front of
 * it; PL_ERR_NOT_FOUND: its segment was dropped since; PL_ERR_VERSION. */
int load_block(struct block *b, struct stream *s, const struct thread_entry *t,
	struct block_ref *ref, struct block_ref **damaged, struct pl_err *err);

#endif
