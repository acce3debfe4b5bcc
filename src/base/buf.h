/* A buffer of bytes that grows. All zero is an empty one; release works on it, twice.
 *
 * A failed allocation is remembered in `failed` and every later put is a no-op, so that a writer of
 * many fields asks once, at its end.
 */
#ifndef PL_BASE_BUF_H
#define PL_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/view.h"

struct pl_buf {
	uint8_t *at; /* owned, NULL when nothing was put yet */
	size_t used;
	size_t room;
	bool failed;
};

/* Make room for n more bytes. Returns where they go, or NULL. The caller adds what it used to
 * `used`. */
uint8_t *buf_reserve(struct pl_buf *b, size_t n);
void buf_put(struct pl_buf *b, const void *bytes, size_t n);
void buf_u8(struct pl_buf *b, uint8_t v);
void buf_u16(struct pl_buf *b, uint16_t v);
void buf_u32(struct pl_buf *b, uint32_t v);
void buf_u64(struct pl_buf *b, uint64_t v);
void buf_long_varint(struct pl_buf *b, uint64_t v);
static inline void buf_varint(struct pl_buf *b, uint64_t v)
{
	if (v < 0x80 && b->used < b->room && !b->failed)
		b->at[b->used++] = (uint8_t)v;
	else
		buf_long_varint(b, v);
}
/* A varint length, then the bytes: what view_string reads. */
void buf_string(struct pl_buf *b, const void *bytes, size_t n);
void buf_printf(struct pl_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Forget the bytes, keep the memory. */
void buf_reset(struct pl_buf *b);
void buf_release(struct pl_buf *b);

/* Memory for bytes that are needed for a short time, again and again: that of `kept`, which is
 * empty while it is lent, so another caller meanwhile gets its own memory. One thread at a time. */
struct pl_buf buf_borrow(struct pl_buf *kept);
/* If the memory has grown too large to keep, or `kept` has some again, it is freed. */
void buf_give_back(struct pl_buf *kept, struct pl_buf *b);

/* Valid until the buffer grows or is released. */
static inline struct pl_view buf_view(const struct pl_buf *b)
{
	return view_of(b->at, b->used);
}

#endif
