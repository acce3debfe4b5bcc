/* Is it UTF-8? Texts of a recording are bytes; some output formats must be UTF-8. */
#ifndef PL_BASE_UTF8_H
#define PL_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the well-formed character of more than one byte at `at` (no overlong form, no
 * surrogate), of which `left` are there; 0: there is none. */
size_t utf8_bytes(const unsigned char *at, size_t left);

#endif
