/* Texts that are valid as long as their recording: copied once, freed together. All zero is empty.
 */
#ifndef PL_TRACE_TEXTS_H
#define PL_TRACE_TEXTS_H

#include "base/view.h"

struct texts_chunk;

struct texts {
	struct texts_chunk *newest; /* owned, a list */
};

/* A C string with the view's bytes; a NUL in them becomes 0xc0 0x80. NULL: no memory. */
const char *texts_keep(struct texts *t, struct pl_view v);
/* An unchanged copy of the bytes; `at` NULL: no memory. */
struct pl_view texts_copy(struct texts *t, struct pl_view v);
void texts_release(struct texts *t);

#endif
