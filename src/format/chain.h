/* Chains: blocks of a thread that are compressed with a common history, as one zstd frame that
 * never ends.
 *
 *	block 6           block 7                block 8                     block 9
 *	| a frame of its  | a frame begins: all  | ... and goes on, with     | what is new since 7
 *	| own             | of 7                 |   what is new since 7     |   and 8
 *
 * What a program does it does again, but often not within the events of one block. So a block is
 * compressed with those before it as history. To decompress it a reader needs them, so their number
 * is bounded: a chain has at most CHAIN_BYTES of plain bytes and CHAIN_BLOCKS blocks. Damage in a
 * chain loses the rest of that chain.
 */
#ifndef PL_FORMAT_CHAIN_H
#define PL_FORMAT_CHAIN_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/view.h"

#define CHAIN_BYTES  (4u << 20)
#define CHAIN_BLOCKS 64

/* All zero is a chain without blocks. */
struct chain_writer {
	struct ZSTD_CCtx_s *zstd; /* owned, or NULL; kept from one chain to the next */
	uint32_t blocks;
	size_t bytes, packed; /* of those blocks */
	/* use a small window, because little is new; else one of CHAIN_BYTES */
	bool narrow;
	/* search less, because the chain before this one had little that repeats */
	bool loose;
};
/* The next block is the first of another chain. */
void chain_break(struct chain_writer *c);
/* The bytes of a block, in pieces that are compressed as if they were one. */
struct chain_source {
	const struct pl_view *pieces;
	size_t count;
};
/* Append the compressed bytes of a block to `out`. *before gets the number of blocks before it in
 * the chain. false: the block is empty or too large for any chain, or there is no memory; nothing
 * was appended, and the chain is broken. */
bool chain_pack(struct chain_writer *c, const struct chain_source *source, struct pl_buf *out,
	uint32_t *before);
void chain_writer_release(struct chain_writer *c);

/* All blocks of one chain that were decompressed so far. All zero has none. */
struct chain_reader {
	struct ZSTD_DCtx_s *zstd;    /* owned, or NULL */
	uint8_t *plain;		     /* owned: CHAIN_BYTES, or NULL */
	uint32_t ends[CHAIN_BLOCKS]; /* of each block in `plain` */
	uint32_t count;
};
/* The next block is the first of another chain. Views of this chain's blocks are no longer
 * valid. */
void chain_restart(struct chain_reader *c);
/* Decompress the next block, of `raw` bytes. PL_ERR_FORMAT: the reader must then be restarted.
 * PL_ERR_MEMORY. */
int chain_unpack(struct chain_reader *c, struct pl_view stored, uint32_t raw);
/* Block i, which was decompressed. Valid until the chain is restarted. */
struct pl_view chain_block(const struct chain_reader *c, uint32_t i);
void chain_reader_release(struct chain_reader *c);

#endif
