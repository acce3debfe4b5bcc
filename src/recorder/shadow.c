/* The shadow stack: what is not on the hot path. */
#define _GNU_SOURCE
#include "recorder/shadow.h"

#include <sys/mman.h>

#define ROOM_FIRST 1023

char shadow_stand_ins[2];

/* mremap moves pages, not bytes. */
static bool grow_entries(struct shadow *s, uint32_t room)
{
	const size_t size = (room + 1) * sizeof *s->entries;
	void *at = s->entries ? mremap(s->entries, (s->room + 1) * sizeof *s->entries, size,
					MREMAP_MAYMOVE)
			      : mmap(NULL, size, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	s->entries = at;
	s->room = room;
	return true;
}

bool shadow_reserve(struct shadow *s, uint32_t more)
{
	uint32_t room = s->room ? s->room : ROOM_FIRST;

	while (room - s->depth < more)
		room = 2 * room + 1;
	return room == s->room || grow_entries(s, room);
}

uint32_t shadow_find_code(const struct shadow *s, const void *code)
{
	uint32_t i = s->depth;

	while (i && !entry_is_of_code(shadow_at(s, i), code))
		i--;
	return i;
}

uint32_t shadow_left_out_above(const struct shadow *s, uint32_t place)
{
	uint32_t i = place;

	while (i < s->depth && shadow_at(s, i + 1)->frame == FRAME_LEFT_OUT)
		i++;
	return i - place;
}

uint32_t shadow_under_foreign(const struct shadow *s, uint32_t place)
{
	while (place && frame_is_foreign(shadow_at(s, place)->frame))
		place--;
	return place;
}
