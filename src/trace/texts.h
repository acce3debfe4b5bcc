/* Texts that live as long as their recording: copied once, freed all together. All zero is empty.
 */
#ifndef PL_TRACE_TEXTS_H
#define PL_TRACE_TEXTS_H

#include "base/view.h"

struct texts_chunk;

struct texts {
	struct texts_chunk *newest; /* owned, a list */
};

/* A C string with the view's bytes; a NUL among them becomes 0xc0 0x80. NULL: no memory. */
const char *texts_keep(struct texts *t, struct pl_view v);
/* A copy of the bytes as they are; at NULL: no memory. */
struct pl_view texts_copy(struct texts *t, struct pl_view v);
void texts_release(struct texts *t);

#endif
