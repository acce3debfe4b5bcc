/* LEB128: seven bits a byte, the lowest first, the top bit says that another byte follows.
 *
 *	300 = | 1 0101100 | 0 0000010 |
 *
 * The writer never writes more than PL_VARINT_MAX bytes; the reader (view.h) refuses more.
 */
#ifndef PL_BASE_VARINT_H
#define PL_BASE_VARINT_H

#include <stdint.h>

#define PL_VARINT_MAX 10

/* Write v to p, which has room for PL_VARINT_MAX bytes. Returns the byte after it. */
static inline uint8_t *varint_write(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Small numbers of either sign become small ones: 0 -1 1 -2 2 … -> 0 1 2 3 4 … */
static inline uint64_t zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
