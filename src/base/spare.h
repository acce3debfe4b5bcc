/* A spare: a block of memory for what is needed for a short time, again and again. What is given
 * back is kept for the next caller, so that it is in the cache, and the allocator need not search
 * the program's heap.
 *
 *   static struct pl_spare spare;            all zero: nothing is kept
 *   void *p = spare_take(&spare, n);         the kept block, if it is large enough; else a new one
 *   spare_give(&spare, p);
 *
 * Threads may share a spare: if it is taken, another caller gets its own memory. It keeps one
 * block, of at most SPARE_MOST bytes.
 */
#ifndef PL_BASE_SPARE_H
#define PL_BASE_SPARE_H

#include <stddef.h>

#define SPARE_MOST (256u << 10)

struct spare_block;
struct pl_spare {
	struct spare_block *_Atomic kept; /* owned */
};

/* Memory for n bytes, which are not set; NULL: there is none. */
void *spare_take(struct pl_spare *s, size_t n);
/* p: from spare_take, or NULL. */
void spare_give(struct pl_spare *s, void *p);

#endif
