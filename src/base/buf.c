#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/varint.h"

/* A larger buffer is not kept for the next borrower: it was needed once. */
#define KEPT_MOST (64u << 10)

/* realloc would copy all the room, of which most may never have been touched. */
static uint8_t *buf_grow(const struct pl_buf *b, size_t room)
{
	if (b->used > b->room / 2)
		return realloc(b->at, room);
	uint8_t *at = malloc(room);
	if (at && b->used)
		memcpy(at, b->at, b->used);
	if (at)
		free(b->at);
	return at;
}

/* After a failure the buffer stays failed, and all writes to it do nothing: a writer looks once, at
 * the end. Room is doubled, so that appending costs the same for each byte. */
uint8_t *buf_reserve(struct pl_buf *b, size_t n)
{
	if (b->failed)
		return NULL;
	if (n > b->room - b->used) {
		size_t room = b->room ? b->room : 64;
		while (room - b->used < n) {
			if (room > SIZE_MAX / 2) {
				b->failed = true;
				return NULL;
			}
			room *= 2;
		}
		uint8_t *at = buf_grow(b, room);
		if (!at) {
			b->failed = true;
			return NULL;
		}
		b->at = at;
		b->room = room;
	}
	return b->at + b->used;
}

void buf_put(struct pl_buf *b, const void *bytes, size_t n)
{
	uint8_t *to = n ? buf_reserve(b, n) : NULL;

	if (to) {
		memcpy(to, bytes, n);
		b->used += n;
	}
}

void buf_u8(struct pl_buf *b, uint8_t v)
{
	buf_put(b, &v, sizeof v);
}

void buf_u16(struct pl_buf *b, uint16_t v)
{
	buf_put(b, &v, sizeof v);
}

void buf_u32(struct pl_buf *b, uint32_t v)
{
	buf_put(b, &v, sizeof v);
}

void buf_u64(struct pl_buf *b, uint64_t v)
{
	buf_put(b, &v, sizeof v);
}

void buf_long_varint(struct pl_buf *b, uint64_t v)
{
	uint8_t *to = buf_reserve(b, PL_VARINT_MAX);

	if (to)
		b->used += (size_t)(varint_write(to, v) - to);
}

void buf_string(struct pl_buf *b, const void *bytes, size_t n)
{
	buf_varint(b, n);
	buf_put(b, bytes, n);
}

/* The NUL is written and does not count: the next text takes its place. */
void buf_printf(struct pl_buf *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	uint8_t *to = n >= 0 ? buf_reserve(b, (size_t)n + 1) : NULL;
	if (!to)
		return;
	va_start(args, format);
	vsnprintf((char *)to, (size_t)n + 1, format, args);
	va_end(args);
	b->used += (size_t)n;
}

void buf_reset(struct pl_buf *b)
{
	b->used = 0;
	b->failed = false;
}

void buf_release(struct pl_buf *b)
{
	free(b->at);
	*b = (struct pl_buf){0};
}

struct pl_buf buf_borrow(struct pl_buf *kept)
{
	struct pl_buf b = *kept;

	*kept = (struct pl_buf){0};
	return b;
}

void buf_give_back(struct pl_buf *kept, struct pl_buf *b)
{
	const bool keeps = !kept->at && !b->failed && b->room <= KEPT_MOST;

	buf_reset(b);
	if (keeps)
		*kept = *b;
	else
		buf_release(b);
}
