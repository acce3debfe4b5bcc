#include "format/samples.h"

#include "format/record.h"
#include "pathline/error.h"

#define LEVEL	 3
#define PACK_MIN 256 /* fewer bytes are not worth compressing */

/* | thread | ticks since the one before | body + 1 | unit << 1 | waiting | weight |
 *
 * Time does not go backward: a sample that seems earlier than the one before gets the same tick.
 */
void sample_write(struct pl_buf *rows, const struct sample *s, uint64_t last)
{
	buf_varint(rows, s->thread);
	buf_varint(rows, s->ticks > last ? s->ticks - last : 0);
	buf_varint(rows, s->body);
	buf_varint(rows, (uint64_t)s->unit << 1 | s->waiting);
	buf_varint(rows, s->weight);
}

/* | process u32 | count u32 | open u64 | close u64 | dropped u32 | refused u32 |
 * | raw u32 | flags u32 | rows, as one zstd frame or plain | */
void samples_write(struct pl_buf *out, const struct samples_head *head, struct pl_view rows)
{
	struct pl_buf packed = {0};
	bool smaller = rows.left >= PACK_MIN && record_compress(NULL, &packed, rows, LEVEL);

	buf_u32(out, head->process);
	buf_u32(out, head->count);
	buf_u64(out, head->open_ticks);
	buf_u64(out, head->close_ticks);
	buf_u32(out, head->dropped);
	buf_u32(out, head->refused);
	buf_u32(out, (uint32_t)rows.left);
	buf_u32(out, smaller ? SAMPLES_COMPRESSED : 0);
	if (smaller)
		buf_put(out, packed.at, packed.used);
	else
		buf_put(out, rows.at, rows.left);
	buf_release(&packed);
}

static int eat_head(struct pl_view *v, struct samples_head *h)
{
	if (view_u32(v, &h->process) || view_u32(v, &h->count) || view_u64(v, &h->open_ticks) ||
		view_u64(v, &h->close_ticks) || view_u32(v, &h->dropped) ||
		view_u32(v, &h->refused) || view_u32(v, &h->raw_bytes) || view_u32(v, &h->flags))
		return PL_ERR_FORMAT;
	return h->process && h->close_ticks >= h->open_ticks ? 0 : PL_ERR_FORMAT;
}

int samples_read_head(struct pl_view payload, struct samples_head *out)
{
	return eat_head(&payload, out);
}

/* raw_bytes is believed only as far as zstd can have packed so much into the bytes that are
 * there. */
int samples_open(struct pl_view payload, struct samples_head *head, struct pl_buf *room,
	struct pl_view *rows)
{
	int code = eat_head(&payload, head);

	if (code)
		return code;
	if (head->flags & SAMPLES_COMPRESSED) {
		if (head->raw_bytes > RECORD_RAW_MAX ||
			head->raw_bytes / RECORD_RATIO_MAX > payload.left)
			return PL_ERR_FORMAT;
		code = record_decompress(payload, head->raw_bytes, room);
		*rows = buf_view(room);
		return code;
	}
	*rows = payload;
	return payload.left == head->raw_bytes ? 0 : PL_ERR_FORMAT;
}

int sample_read(struct pl_view *rows, uint64_t *ticks, struct sample *out)
{
	uint64_t thread, delta, place, weight;

	if (view_varint_max(rows, UINT32_MAX - 1, &thread) || view_varint(rows, &delta) ||
		view_varint(rows, &out->body) ||
		view_varint_max(rows, (uint64_t)UINT32_MAX << 1 | 1, &place) ||
		view_varint_max(rows, UINT32_MAX, &weight))
		return PL_ERR_FORMAT;
	*ticks += delta;
	out->thread = (uint32_t)thread;
	out->ticks = *ticks;
	out->unit = (uint32_t)(place >> 1);
	out->waiting = place & 1;
	out->weight = weight ? (uint32_t)weight : 1;
	return 0;
}
