/* A view: bytes that belong to somebody else, read from the front and never past the end.
 *
 *	| read ... | left bytes ......................|
 *	           ^ at
 *
 * Every decoder takes its input as a view. A reading function returns 0 and moves the view on, or
 * returns PL_ERR_FORMAT and leaves it unchanged; so a decoder's inner loop needs no checks of its
 * own.
 */
#ifndef PL_BASE_VIEW_H
#define PL_BASE_VIEW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "pathline/error.h"

struct pl_view {
	const uint8_t *at;
	size_t left;
};

static inline struct pl_view view_of(const void *bytes, size_t n)
{
	return (struct pl_view){.at = bytes, .left = n};
}

/* Read n bytes into *out, a view of the same memory. */
static inline int view_bytes(struct pl_view *v, uint64_t n, struct pl_view *out)
{
	if (n > v->left)
		return PL_ERR_FORMAT;
	*out = (struct pl_view){.at = v->at, .left = (size_t)n};
	v->at += n;
	v->left -= (size_t)n;
	return 0;
}

/* Read a number of fixed size, little-endian. 0; PL_ERR_FORMAT: too few bytes are left, and *v is
 * unchanged. */
static inline int view_u8(struct pl_view *v, uint8_t *out)
{
	if (!v->left)
		return PL_ERR_FORMAT;
	*out = *v->at++;
	v->left--;
	return 0;
}

#define VIEW_LITTLE_ENDIAN(bits)                                                                   \
	static inline int view_u##bits(struct pl_view *v, uint##bits##_t *out)                     \
	{                                                                                          \
		if (v->left < sizeof *out)                                                         \
			return PL_ERR_FORMAT;                                                      \
		memcpy(out, v->at, sizeof *out);                                                   \
		v->at += sizeof *out;                                                              \
		v->left -= sizeof *out;                                                            \
		return 0;                                                                          \
	}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "recordings are little-endian, and so must be the machine"
#endif
VIEW_LITTLE_ENDIAN(16)
VIEW_LITTLE_ENDIAN(32)
VIEW_LITTLE_ENDIAN(64)
#undef VIEW_LITTLE_ENDIAN

/* At most ten bytes. Bits beyond the 64th are dropped, so a number may have more than one form;
 * nothing compares numbers by their bytes. */
static inline int view_varint(struct pl_view *v, uint64_t *out)
{
	uint64_t value = 0;

	if (v->left && v->at[0] < 0x80) { /* most are */
		*out = *v->at++;
		v->left--;
		return 0;
	}
	for (size_t i = 0; i < v->left && i < 10; i++) {
		value |= (uint64_t)(v->at[i] & 0x7f) << (7 * i);
		if (!(v->at[i] & 0x80)) {
			v->at += i + 1;
			v->left -= i + 1;
			*out = value;
			return 0;
		}
	}
	return PL_ERR_FORMAT;
}

/* A varint that must not exceed max. */
static inline int view_varint_max(struct pl_view *v, uint64_t max, uint64_t *out)
{
	struct pl_view before = *v;

	if (view_varint(v, out) == 0 && *out <= max)
		return 0;
	*v = before;
	return PL_ERR_FORMAT;
}

static inline int view_varint_u32(struct pl_view *v, uint32_t *out)
{
	uint64_t value;
	int err = view_varint_max(v, UINT32_MAX, &value);

	if (err == 0)
		*out = (uint32_t)value;
	return err;
}

/* A varint length, then that many bytes. */
static inline int view_string(struct pl_view *v, struct pl_view *out)
{
	struct pl_view before = *v;
	uint64_t n;

	if (view_varint(v, &n) == 0 && view_bytes(v, n, out) == 0)
		return 0;
	*v = before;
	return PL_ERR_FORMAT;
}

#endif
