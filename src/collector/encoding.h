/* The bytes of a source file as the text that Python makes of them (PEP 263). */
#ifndef PL_COLLECTOR_ENCODING_H
#define PL_COLLECTOR_ENCODING_H

#include "base/buf.h"
#include "base/view.h"

/* UTF-8 into *text, which is reset: without a byte order mark, decoded as the coding line of the
 * file says. NULL, or in words why Python would not have compiled these bytes, or why their coding
 * is not known here; the words are valid until the next call. */
const char *text_decode(struct pl_view bytes, struct pl_buf *text);

/* The hash that a .pyc of CPython 3.11 and later has of its source file (PEP 552): SipHash-1-3 with
 * the keys `key` and 0. */
uint64_t text_hash(uint64_t key, struct pl_view bytes);

#endif
