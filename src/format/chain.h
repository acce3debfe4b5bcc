/* Chains: blocks of a thread that are packed one behind the other, as one zstd frame that never ends.
 *
 *	block 6           block 7                block 8                     block 9
 *	| a frame of its  | a frame begins: what | … and goes on, with       | what is new since 7:
 *	| own             | 7 is                 |   what is new since 7     |   before 2, since it is the third
 *
 * What a program does it does again, but seldom within the events of one block. So a block is packed with those before it in mind; to
 * unpack it takes those, which is bounded: a chain has at most CHAIN_BYTES in plain and CHAIN_BLOCKS blocks. A damage in a
 * chain loses what is behind it there.
 */
#ifndef PL_FORMAT_CHAIN_H
#define PL_FORMAT_CHAIN_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/view.h"

#define CHAIN_BYTES  (4u << 20)
#define CHAIN_BLOCKS 64

/* All zero is a chain without a block. */
struct chain_writer {
	struct ZSTD_CCtx_s *zstd; /* owned, or NULL; kept from one chain to the next */
	uint32_t blocks;
	size_t bytes, packed; /* of those blocks */
	bool narrow;	      /* a little is in sight, as little is new; else CHAIN_BYTES */
};
/* The next block is the first of another chain. */
void chain_break(struct chain_writer *c);
/* A block's bytes, in pieces that are packed as if they lay side by side. */
struct chain_source {
	const struct pl_view *pieces;
	size_t count;
};
/* Append a block's bytes as they are packed to `out`; *before: so many blocks of the chain are in front of it. false: there are
 * none, there is no memory, or they are too many for any chain: nothing was appended, and the chain is broken. */
bool chain_pack(struct chain_writer *c, const struct chain_source *source, struct pl_buf *out,
	uint32_t *before);
void chain_writer_release(struct chain_writer *c);

/* Of one chain all blocks that were unpacked so far. All zero has none. */
struct chain_reader {
	struct ZSTD_DCtx_s *zstd;    /* owned, or NULL */
	uint8_t *plain;		     /* owned: CHAIN_BYTES, or NULL */
	uint32_t ends[CHAIN_BLOCKS]; /* of each block in `plain` */
	uint32_t count;
};
/* The next block is the first of another chain; what was given of this one is gone. */
void chain_restart(struct chain_reader *c);
/* Unpack the next block, of `raw` bytes. PL_ERR_FORMAT, after which it must be restarted; PL_ERR_MEMORY. */
int chain_unpack(struct chain_reader *c, struct pl_view stored, uint32_t raw);
/* Block i, which was unpacked; it stays until the chain is restarted. */
struct pl_view chain_block(const struct chain_reader *c, uint32_t i);
void chain_reader_release(struct chain_reader *c);

#endif
