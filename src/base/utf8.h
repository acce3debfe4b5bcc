/* Is it UTF-8? Texts of a recording are bytes; some output formats must be UTF-8. */
#ifndef PL_BASE_UTF8_H
#define PL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed character of more than one byte at `at` (no overlong form, no
 * surrogate), of which `left` are there; 0: there is none. */
size_t utf8_bytes(const unsigned char *at, size_t left);

/* Is it a surrogate by itself, in three bytes? Texts of Python can have such; UTF-8 has not. */
static inline bool utf8_is_surrogate(const unsigned char *at, size_t left)
{
	return left > 2 && at[0] == 0xed && at[1] >= 0xa0 && at[1] < 0xc0 && (at[2] & 0xc0) == 0x80;
}

/* Its code, 0xd800 to 0xdfff. */
static inline unsigned utf8_surrogate(const unsigned char *at)
{
	return 0xd000u | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
}

#endif
