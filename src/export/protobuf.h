/* Protocol buffers, as much as writing them needs. A message in a message has a length of four
 * bytes, which is filled in when it ends, so that nothing is copied:
 *
 *	| tag | 80 80 80 00 | … |     pb_open
 *	| tag | 83 80 80 00 | a b c | pb_close
 */
#ifndef PL_EXPORT_PROTOBUF_H
#define PL_EXPORT_PROTOBUF_H

#include "export/export.h"

enum pb_wire { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2 };

static inline void pb_tag(struct pl_buf *b, uint32_t field, enum pb_wire wire)
{
	buf_varint(b, (uint64_t)field << 3 | (uint64_t)wire);
}

static inline void pb_number(struct pl_buf *b, uint32_t field, uint64_t value)
{
	pb_tag(b, field, PB_VARINT);
	buf_varint(b, value);
}

static inline void pb_fixed64(struct pl_buf *b, uint32_t field, uint64_t value)
{
	pb_tag(b, field, PB_FIXED64);
	buf_u64(b, value);
}

/* Where the message begins, for pb_close. */
static inline size_t pb_open(struct pl_buf *b, uint32_t field)
{
	pb_tag(b, field, PB_BYTES);
	buf_u32(b, 0x00808080);
	return b->used;
}

/* Messages are below 256 MiB: 28 bits. */
static inline void pb_close(struct pl_buf *b, size_t begin)
{
	const size_t length = b->used - begin;

	if (b->failed)
		return;
	for (unsigned i = 0; i < 3; i++)
		b->at[begin - 4 + i] = (uint8_t)(length >> 7 * i | 0x80);
	b->at[begin - 1] = (uint8_t)(length >> 21 & 0x7f);
}

static inline void pb_text(struct pl_buf *b, uint32_t field, const char *text)
{
	const size_t begin = pb_open(b, field);

	export_utf8(b, text);
	pb_close(b, begin);
}

#endif
