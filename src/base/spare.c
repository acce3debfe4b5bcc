#include "base/spare.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define ROOM_LEAST 4096u

struct spare_block {
	size_t room;
	max_align_t bytes[];
};

/* If memory is checked, or each allocation is counted (tests), a block has exactly the room that
 * was asked for, and is not reused. */
#ifndef SPARE_KEEPS
#ifdef __SANITIZE_ADDRESS__
#define SPARE_KEEPS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPARE_KEEPS 0
#endif
#endif
#endif
#ifndef SPARE_KEEPS
#define SPARE_KEEPS 1
#endif

static struct spare_block *block_of(size_t room)
{
	if (room > SIZE_MAX - sizeof(struct spare_block))
		return NULL;
	struct spare_block *b = malloc(sizeof *b + room);
	if (b)
		b->room = room;
	return b;
}

/* One block at most is kept, in an atomic pointer: whoever takes it has it alone, without a lock. A
 * block that is too small is freed: the next one that is given back will be larger. */
void *spare_take(struct pl_spare *s, size_t n)
{
	struct spare_block *b = atomic_exchange_explicit(&s->kept, NULL, memory_order_acquire);

	if (b && b->room < n) {
		free(b);
		b = NULL;
	}
	if (!b)
		b = block_of(n < ROOM_LEAST && SPARE_KEEPS ? ROOM_LEAST : n);
	return b ? b->bytes : NULL;
}

/* The block takes the place of the one that was kept, which is freed. */
void spare_give(struct pl_spare *s, void *p)
{
	if (!p)
		return;
	struct spare_block *b =
		(struct spare_block *)(void *)((char *)p - offsetof(struct spare_block, bytes));
	if (SPARE_KEEPS && b->room <= SPARE_MOST)
		b = atomic_exchange_explicit(&s->kept, b, memory_order_acq_rel);
	free(b);
}
