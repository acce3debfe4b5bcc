/* A spare: a block of memory for what is needed for a moment, and again soon. What was given back
 * is kept for who asks next, so that it is warm, and the allocator does not look through the
 * program's heap for it each time.
 *
 *	static struct pl_spare spare;            all zero: nothing is kept
 *	void *p = spare_take(&spare, n);         the kept one, if it has room; else a new one
 *	spare_give(&spare, p);
 *
 * Threads may share a spare: who finds it taken gets memory of their own. It keeps one block, of
 * SPARE_MOST bytes at most.
 */
#ifndef PL_BASE_SPARE_H
#define PL_BASE_SPARE_H

#include <stddef.h>

#define SPARE_MOST (256u << 10)

struct spare_block;
struct pl_spare {
	struct spare_block *_Atomic kept; /* owned */
};

/* Room for n bytes, which are not set; NULL: there is no memory. */
void *spare_take(struct pl_spare *s, size_t n);
/* p: of spare_take, or NULL. */
void spare_give(struct pl_spare *s, void *p);

#endif
