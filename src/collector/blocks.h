/* Cutting blocks: a thread's events leave the chunks and become records. */
#ifndef PL_COLLECTOR_BLOCKS_H
#define PL_COLLECTOR_BLOCKS_H

#include "collector/state.h"

#define BLOCK_CUT_BYTES	 (128u << 10) /* so much is a block at once */
#define BLOCK_BYTES_MAX	 (256u << 10) /* and more than this becomes another one */
#define BLOCK_CUT_AGE_NS INT64_C(300000000)

/* The tick goes on while it works. */
void blocks_cut(struct collector *c, enum blocks_why why, int64_t now_ns);
/* Everything that one thread has. */
void blocks_cut_stream(struct collector *c, struct stream *t);
/* Say that a thread has ended, once. */
void blocks_end_thread(struct collector *c, struct stream *t, uint64_t ticks);

#endif
