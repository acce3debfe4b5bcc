#include "base/map.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_bytes(const void *bytes, size_t n)
{
	return XXH3_64bits(bytes, n);
}

static size_t home(const struct pl_map *m, uint64_t key)
{
	return map_home(m->room, key);
}

/* The key's slot, or the free one where it would go. There is one, because the map is never
 * full. */
static struct pl_map_slot *probe(const struct pl_map *m, uint64_t key)
{
	size_t i = home(m, key);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->room - 1);
	return &m->slots[i];
}

static bool map_grow(struct pl_map *m)
{
	struct pl_map bigger = {.room = m->room ? m->room * 2 : 16};

	bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < m->room; i++)
		if (m->slots[i].used)
			*probe(&bigger, m->slots[i].key) = m->slots[i];
	bigger.used = m->used;
	free(m->slots);
	*m = bigger;
	return true;
}

uint64_t *map_put(struct pl_map *m, uint64_t key)
{
	uint64_t *found = map_find(m, key);

	if (found)
		return found;
	if (m->used + 1 > m->room / 4 * 3 && !map_grow(m))
		return NULL;
	struct pl_map_slot *s = probe(m, key);
	*s = (struct pl_map_slot){.key = key, .used = true};
	m->used++;
	return &s->value;
}

/* No tombstones: later entries move up, so that a search ends at the first free slot, however many
 * keys were put and removed. */
void map_remove(struct pl_map *m, uint64_t key)
{
	if (!map_find(m, key))
		return;
	size_t hole = (size_t)(probe(m, key) - m->slots);
	/* Move back entries that a search could no longer reach because of the hole. */
	for (size_t i = (hole + 1) & (m->room - 1); m->slots[i].used; i = (i + 1) & (m->room - 1)) {
		size_t distance = (i - home(m, m->slots[i].key)) & (m->room - 1);
		if (distance >= ((i - hole) & (m->room - 1))) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].used = false;
	m->used--;
}

void map_release(struct pl_map *m)
{
	free(m->slots);
	*m = (struct pl_map){0};
}
