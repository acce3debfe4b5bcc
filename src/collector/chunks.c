/* See chunks.h. */
#include "collector/chunks.h"

#include <stdatomic.h>
#include "pathline/event.h"

/* How many at the beginning, and how many are kept free. The free ones last for the longest sleep,
 * IDLE_TICK_NS, at 35 MB a second; at 190, if each call or line is stamped. */
static const struct {
	uint32_t first, free;
} arena_rooms[] = {{40, 24}, {200, 120}};

uint32_t chunks_at_first(const struct collector *c)
{
	return arena_rooms[c->stamped].first;
}

static uint32_t free_chunks(const struct collector *c)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < ARENA_CHUNKS / 64; w++)
		n += (uint32_t)__builtin_popcountll(
			atomic_load_explicit(&c->arena.head->free[w], memory_order_relaxed));
	return n;
}

bool chunks_keep_free(struct collector *c)
{
	uint32_t count = c->arena.file_chunks;
	uint32_t least = arena_rooms[c->stamped].free;
	uint32_t wish = count / 4 > least ? count / 4 : least;
	uint32_t have = free_chunks(c);

	if (have >= wish)
		return false;
	if (count >= c->arena.chunk_limit || c->grow_failed)
		return true;
	uint32_t to = count + count / 2;
	int err = arena_grow(
		&c->arena, c->arena_fd, to < c->arena.chunk_limit ? to : c->arena.chunk_limit);
	if (err == 0)
		return false;
	c->grow_failed = true;
	collector_lose(c, &(struct loss){.reason = PL_GAP_FULL,
				  .text = "no room for more rings: the program may have to wait"});
	return true;
}
