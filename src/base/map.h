/* A hash map from 64-bit keys to 64-bit values: open addressing, linear probing, at most three
 * quarters full.
 *
 * All zero is an empty map; release may be called twice. Key 0 is an ordinary key. For keys made of
 * bytes, the caller hashes them (hash_bytes), and compares what the value represents.
 */
#ifndef PL_BASE_MAP_H
#define PL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_map_slot {
	uint64_t key;
	uint64_t value;
	bool used;
};

struct pl_map {
	struct pl_map_slot *slots; /* owned; room of them, a power of two, or NULL */
	size_t room;
	size_t used;
};

/* Where a search for the key begins in a map with this room: for readers of another process's
 * map. */
/* The high bits of the product are the well-mixed ones: keys that are addresses have zeros in their
 * low bits. */
static inline size_t map_home(size_t room, uint64_t key)
{
	return (size_t)((key * 0x9e3779b97f4a7c15u) >> 17) & (room - 1);
}

/* The value's place, or NULL. Valid until the next map_put or map_remove. Inline, because the
 * recorder asks at each event where code has no place for its record. */
static inline uint64_t *map_find(const struct pl_map *m, uint64_t key)
{
	if (!m->room)
		return NULL;
	for (size_t i = map_home(m->room, key); m->slots[i].used; i = (i + 1) & (m->room - 1))
		if (m->slots[i].key == key)
			return &m->slots[i].value;
	return NULL;
}

/* The place of the key's value; a new one is 0. NULL: there is no memory, and the map is
 * unchanged. */
uint64_t *map_put(struct pl_map *m, uint64_t key);
void map_remove(struct pl_map *m, uint64_t key);
void map_release(struct pl_map *m);

/* XXH3, 64 bits: for maps and for the checksums of records. */
uint64_t hash_bytes(const void *bytes, size_t n);

#endif
