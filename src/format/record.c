#define _GNU_SOURCE /* memmem */
#include "format/record.h"

#include <zstd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define CHECKED_AT    4	 /* the head's check covers the bytes from here ... */
#define HEAD_CHECK_AT 16 /* ... to here, where the check is */

/* Without the magic, which was compared, and without the checks. */
static uint64_t hash_head(const uint8_t *start)
{
	return XXH3_64bits(start + CHECKED_AT, HEAD_CHECK_AT - CHECKED_AT);
}

const char *record_kind_word(uint16_t kind)
{
	static const struct {
		uint16_t kind;
		const char *word;
	} words[] = {
#define X(constant, number, word, fields) {number, word},
		RECORD_KINDS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].kind == kind)
			return words[i].word;
	return "unknown";
}

int record_read_head(struct pl_view v, struct record_head *out, bool *cut)
{
	const uint8_t *start = v.at;
	uint32_t magic = 0;

	*cut = false;
	if (!v.left)
		return PL_END;
	if (v.left < RECORD_HEAD_BYTES) {
		*cut = true;
		return PL_ERR_FORMAT;
	}
	view_u32(&v, &magic);
	view_u16(&v, &out->kind);
	view_u16(&v, &out->flags);
	view_u32(&v, &out->stored);
	view_u32(&v, &out->raw);
	view_u64(&v, &out->head_check);
	view_u64(&v, &out->payload_check);
	if (magic != RECORD_MAGIC || out->stored > RECORD_STORED_MAX || out->raw > RECORD_RAW_MAX)
		return PL_ERR_FORMAT;
	if (!(out->flags & RECORD_COMPRESSED) && out->raw != out->stored)
		return PL_ERR_FORMAT;
	if (hash_head(start) != out->head_check)
		return PL_ERR_FORMAT;
	return 0;
}

bool record_payload_sound(const struct record_head *h, struct pl_view payload)
{
	return XXH3_64bits_withSeed(payload.at, payload.left, h->head_check) == h->payload_check;
}

int record_read(struct pl_view *v, struct record *out, bool *cut)
{
	struct pl_view rest = *v;
	struct record_head head;
	int err = record_read_head(*v, &head, cut);

	if (err)
		return err;
	rest.at += RECORD_HEAD_BYTES;
	rest.left -= RECORD_HEAD_BYTES;
	if (view_bytes(&rest, head.stored, &out->payload)) {
		*cut = true;
		return PL_ERR_FORMAT;
	}
	if (!record_payload_sound(&head, out->payload))
		return PL_ERR_FORMAT;
	out->kind = head.kind;
	out->flags = head.flags;
	out->raw = head.raw;
	*v = rest;
	return 0;
}

/* memmem takes linear time, and a head costs a hash of 12 bytes. So magics that are not heads do
 * not make this slower than their bytes justify. */
size_t record_resync_head(struct pl_view v)
{
	const uint32_t magic = RECORD_MAGIC;
	struct record_head head;
	bool cut;
	size_t at = 0;

	while (++at < v.left) {
		const uint8_t *found = memmem(v.at + at, v.left - at, &magic, sizeof magic);
		if (!found)
			break;
		at = (size_t)(found - v.at);
		if (record_read_head(view_of(found, v.left - at), &head, &cut) == 0)
			return at;
	}
	return v.left;
}

size_t record_resync(struct pl_view v)
{
	struct record_head head;
	bool cut;

	if (record_read_head(v, &head, &cut) == 0 && head.stored <= v.left - RECORD_HEAD_BYTES)
		return RECORD_HEAD_BYTES + head.stored;
	return record_resync_head(v);
}

/* zstd clears a part of its tables for each frame. As many places as a block has bytes are enough;
 * for less than a block zstd uses fewer itself. */
#define PACKER_HASH_LOG	  17
#define PACKER_HASHED_MIN (1u << 16)
/* At level 1, which uses 14 itself: sources become half a per cent smaller. */
#define PACKER_HASH_LOG_FAST 15

void packer_release(struct packer *p)
{
	ZSTD_freeCCtx(p->zstd);
	*p = (struct packer){0};
}

static bool packer_begin(struct packer *p, size_t bytes, int level)
{
	const int large = level > 1 ? PACKER_HASH_LOG : PACKER_HASH_LOG_FAST;
	const int hash_log = bytes < PACKER_HASHED_MIN ? 0 : large;

	if (!p->zstd)
		p->zstd = ZSTD_createCCtx();
	return p->zstd &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_hashLog, hash_log));
}

bool record_compress(struct packer *packer, struct pl_buf *out, struct pl_view bytes, int level)
{
	size_t bound = ZSTD_compressBound(bytes.left);
	uint8_t *to = bytes.left ? buf_reserve(out, bound) : NULL;

	if (!to)
		return false;
	size_t n = packer && packer_begin(packer, bytes.left, level)
			   ? ZSTD_compress2(packer->zstd, to, bound, bytes.at, bytes.left)
			   : ZSTD_compress(to, bound, bytes.at, bytes.left, level);
	if (ZSTD_isError(n) || n >= bytes.left)
		return false;
	out->used += n;
	return true;
}

/* The frame's own size must be ours: a frame that would decompress to more than was stated is
 * refused before memory is asked for. */
int record_decompress(struct pl_view stored, uint32_t raw, struct pl_buf *room)
{
	buf_reset(room);
	if (raw > RECORD_RAW_MAX || ZSTD_getFrameContentSize(stored.at, stored.left) != raw)
		return PL_ERR_FORMAT;
	uint8_t *to = buf_reserve(room, raw ? raw : 1);
	if (!to)
		return PL_ERR_MEMORY;
	if (ZSTD_decompress(to, raw, stored.at, stored.left) != raw)
		return PL_ERR_FORMAT;
	room->used = raw;
	return 0;
}

static void patch_bytes(struct pl_buf *out, size_t at, const void *bytes, size_t n)
{
	memcpy(out->at + at, bytes, n);
}

/* The head is first written as zeros; sizes and checks are known when the payload follows it. A
 * payload that compresses better than readers accept (RECORD_RATIO_MAX) is stored plain, so that an
 * honest recording is never refused for a page of zeros. */
void record_write(
	struct pl_buf *out, uint16_t kind, struct pl_view payload, struct packer *packer, int level)
{
	size_t at = out->used;
	uint32_t stored = (uint32_t)payload.left;
	bool packed;

	if (payload.left > RECORD_RAW_MAX) {
		out->failed = true;
		return;
	}
	buf_u32(out, RECORD_MAGIC);
	buf_u16(out, kind);
	buf_u16(out, 0);
	buf_u32(out, stored);
	buf_u32(out, stored);
	buf_u64(out, 0);
	buf_u64(out, 0);
	packed = level > 0 && record_compress(packer, out, payload, level);
	if (packed && payload.left / RECORD_RATIO_MAX > out->used - at - RECORD_HEAD_BYTES) {
		out->used = at + RECORD_HEAD_BYTES;
		packed = false;
	}
	if (!packed)
		buf_put(out, payload.at, payload.left);
	if (out->failed)
		return;
	const uint8_t *body = out->at + at + RECORD_HEAD_BYTES;
	stored = (uint32_t)(out->used - at - RECORD_HEAD_BYTES);
	const uint16_t flags = packed ? RECORD_COMPRESSED : 0;
	patch_bytes(out, at + 6, &flags, sizeof flags);
	patch_bytes(out, at + 8, &stored, sizeof stored);
	const uint64_t head_check = hash_head(out->at + at);
	const uint64_t payload_check = XXH3_64bits_withSeed(body, stored, head_check);
	patch_bytes(out, at + HEAD_CHECK_AT, &head_check, sizeof head_check);
	patch_bytes(out, at + HEAD_CHECK_AT + 8, &payload_check, sizeof payload_check);
}

int record_payload(const struct record *r, struct pl_buf *room, struct pl_view *out)
{
	if (!(r->flags & RECORD_COMPRESSED)) {
		*out = r->payload;
		return 0;
	}
	if (r->raw / RECORD_RATIO_MAX > r->payload.left)
		return PL_ERR_FORMAT;
	int err = record_decompress(r->payload, r->raw, room);
	if (err == 0)
		*out = buf_view(room);
	return err;
}
