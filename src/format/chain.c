#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_d_stableOutBuffer; works without it too */
#include "format/chain.h"

#include <stdlib.h>
#include <zstd.h>

/* Measured with three more passes of w_lib on 3.12: 19 KB at level 8, 25 KB at level 7. Level 8
 * takes the collector 2 to 4% more time with w_fib and w_aio, and no more with w_lib. Level 3 takes
 * less than a third of level 7's time, and its output is half as large again. Level 10 makes w_aio,
 * which repeats less, one seventh smaller, and takes twice the time. */
#define CHAIN_LEVEL	 8
#define CHAIN_WINDOW_LOG 22
#define CHAIN_HASH_LOG	 15 /* more places find nothing more in events */
/* For events that compress this well, a near history is enough: zstd then keeps much less of it. A
 * chain that no longer compresses so well is broken, and the next one is wide. */
#define CHAIN_NARROW_LOG   17
#define CHAIN_NARROW_BYTES (256u << 10)
#define CHAIN_NARROW_RATIO 256
/* Events that compress worse than this, such as those of ever new coroutines, take most time at
 * CHAIN_LEVEL. At this level they take half of it, and are 5% larger to 5% smaller. A chain is
 * judged by the one before it, since to begin another one costs its history. */
#define CHAIN_LOOSE_LEVEL 3
#define CHAIN_LOOSE_BYTES CHAIN_NARROW_BYTES
#define CHAIN_LOOSE_RATIO 12
_Static_assert(CHAIN_BYTES == 1u << CHAIN_WINDOW_LOG, "the first block is in sight of the last");

/* ---- compressing ---- */

static bool set_parameter(ZSTD_CCtx *zstd, ZSTD_cParameter parameter, int value)
{
	return !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, parameter, value));
}

static bool begin_chain(struct chain_writer *c)
{
	if (!c->zstd)
		c->zstd = ZSTD_createCCtx();
	return c->zstd && !ZSTD_isError(ZSTD_CCtx_reset(c->zstd, ZSTD_reset_session_only)) &&
	       set_parameter(c->zstd, ZSTD_c_compressionLevel,
		       c->loose ? CHAIN_LOOSE_LEVEL : CHAIN_LEVEL) &&
	       set_parameter(c->zstd, ZSTD_c_windowLog,
		       c->narrow ? CHAIN_NARROW_LOG : CHAIN_WINDOW_LOG) &&
	       set_parameter(c->zstd, ZSTD_c_hashLog, CHAIN_HASH_LOG);
}

void chain_break(struct chain_writer *c)
{
	if (c->bytes >= CHAIN_LOOSE_BYTES)
		c->loose = c->packed > c->bytes / CHAIN_LOOSE_RATIO;
	c->blocks = 0;
	c->bytes = c->packed = 0;
}

static bool is_over(const struct chain_writer *c, size_t bytes)
{
	return c->blocks == CHAIN_BLOCKS || bytes > CHAIN_BYTES - c->bytes;
}

/* Is the chain long enough to decide whether its width is right? */
static bool choose_width(struct chain_writer *c)
{
	const bool narrow = c->packed < c->bytes / CHAIN_NARROW_RATIO;

	if (c->bytes < CHAIN_NARROW_BYTES || narrow == c->narrow)
		return false;
	c->narrow = narrow;
	return true;
}

static size_t count_bytes(const struct chain_source *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		n += s->pieces[i].left;
	return n;
}

static bool pack_piece(
	ZSTD_CCtx *zstd, ZSTD_outBuffer *packed, struct pl_view piece, ZSTD_EndDirective how)
{
	ZSTD_inBuffer plain = {.src = piece.at, .size = piece.left};
	size_t left;

	do
		left = ZSTD_compressStream2(zstd, packed, &plain, how);
	while (!ZSTD_isError(left) && plain.pos < plain.size && packed->pos < packed->size);
	return !ZSTD_isError(left) && plain.pos == plain.size &&
	       (how == ZSTD_e_continue || left == 0);
}

static bool pack_chain_pieces(ZSTD_CCtx *zstd, ZSTD_outBuffer *packed, const struct chain_source *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!pack_piece(zstd, packed, s->pieces[i], ZSTD_e_continue))
			return false;
	return pack_piece(zstd, packed, (struct pl_view){0}, ZSTD_e_flush);
}

bool chain_pack(struct chain_writer *c, const struct chain_source *source, struct pl_buf *out,
	uint32_t *before)
{
	const size_t n = count_bytes(source), bound = ZSTD_compressBound(n);

	if (choose_width(c) || is_over(c, n))
		chain_break(c);
	uint8_t *to = n && n <= CHAIN_BYTES ? buf_reserve(out, bound) : NULL;
	ZSTD_outBuffer packed = {.dst = to, .size = bound};
	if (!to || (!c->blocks && !begin_chain(c)) ||
		!pack_chain_pieces(c->zstd, &packed, source)) {
		chain_break(c);
		return false;
	}
	out->used += packed.pos;
	*before = c->blocks++;
	c->bytes += n;
	c->packed += packed.pos;
	return true;
}

void chain_writer_release(struct chain_writer *c)
{
	ZSTD_freeCCtx(c->zstd);
	*c = (struct chain_writer){0};
}

/* ---- decompressing ---- */

void chain_restart(struct chain_reader *c)
{
	c->count = 0;
}

static uint32_t chain_history_end(const struct chain_reader *c)
{
	return c->count ? c->ends[c->count - 1] : 0;
}

/* Bytes are decompressed to where they stay, if zstd allows it. A hostile frame gets no larger
 * window than ours. */
static int make_ready(struct chain_reader *c)
{
	if (!c->plain)
		c->plain = malloc(CHAIN_BYTES);
	if (!c->zstd)
		c->zstd = ZSTD_createDCtx();
	if (!c->plain || !c->zstd)
		return PL_ERR_MEMORY;
	if (c->count)
		return 0;
	ZSTD_DCtx_reset(c->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_DCtx_setParameter(c->zstd, ZSTD_d_stableOutBuffer, 1);
	return ZSTD_isError(ZSTD_DCtx_setParameter(c->zstd, ZSTD_d_windowLogMax, CHAIN_WINDOW_LOG))
		       ? PL_ERR_MEMORY
		       : 0;
}

int chain_unpack(struct chain_reader *c, struct pl_view stored, uint32_t raw)
{
	const uint32_t from = chain_history_end(c), count = c->count;
	int err = make_ready(c);

	if (err)
		return err;
	/* The state after a failure is not known: then nothing of the chain is kept. */
	c->count = 0;
	if (count == CHAIN_BLOCKS || raw > CHAIN_BYTES - from)
		return PL_ERR_FORMAT;
	ZSTD_inBuffer packed = {.src = stored.at, .size = stored.left};
	ZSTD_outBuffer plain = {.dst = c->plain, .size = CHAIN_BYTES, .pos = from};
	while (packed.pos < packed.size || plain.pos < from + raw) {
		/* a call that neither reads nor writes would be repeated for ever */
		const size_t eaten = packed.pos, made = plain.pos;
		if (ZSTD_isError(ZSTD_decompressStream(c->zstd, &plain, &packed)) ||
			(packed.pos == eaten && plain.pos == made))
			return PL_ERR_FORMAT;
	}
	if (plain.pos != from + raw)
		return PL_ERR_FORMAT;
	c->ends[count] = from + raw;
	c->count = count + 1;
	return 0;
}

struct pl_view chain_block(const struct chain_reader *c, uint32_t i)
{
	const uint32_t from = i ? c->ends[i - 1] : 0;

	return view_of(c->plain + from, c->ends[i] - from);
}

void chain_reader_release(struct chain_reader *c)
{
	ZSTD_freeDCtx(c->zstd);
	free(c->plain);
	*c = (struct chain_reader){0};
}
