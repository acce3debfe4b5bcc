#include "format/mentions.h"

#include <stdlib.h>

#define FIRST_ROOM 64

static bool make_mention_room(struct mentions *m)
{
	size_t room = m->room ? m->room * 2 : FIRST_ROOM;
	uint32_t *codes;

	if (m->count < m->room)
		return true;
	codes = realloc(m->codes, room * sizeof *codes);
	if (!codes)
		return false;
	m->codes = codes;
	m->room = room;
	return true;
}

/* Most codes were mentioned a moment ago: `recent` has the last one of each residue, which saves
 * the look-up. 0 there is "none", so code 0 is looked up each time. */
void mentions_add_code(struct mentions *m, uint32_t code)
{
	uint32_t *recent = &m->recent[code % MENTIONS_RECENT];

	if (*recent == code && code)
		return;
	*recent = code;
	uint64_t *seen = map_put(&m->seen, code);
	if (!seen || !make_mention_room(m)) {
		m->failed = true;
		return;
	}
	if (!*seen)
		m->codes[m->count++] = code;
	*seen = 1;
}

void mentions_add_event(struct mentions *m, const struct event *e)
{
	if (event_has_field(e->kind, EVENT_FIELD_code))
		mentions_add_code(m, e->code);
	if (e->kind == EVENT_SWITCH && !m->first_switch)
		m->first_switch = e->a;
	if (event_minor(e) > m->needs_minor)
		m->needs_minor = event_minor(e);
}

void mentions_add_apart(struct mentions *m, size_t at, size_t length)
{
	if (m->apart_count == m->apart_room) {
		size_t room = m->apart_room ? m->apart_room * 2 : FIRST_ROOM;
		struct mention_apart *apart = realloc(m->apart, room * sizeof *apart);
		if (!apart) {
			m->failed = true;
			return;
		}
		m->apart = apart;
		m->apart_room = room;
	}
	m->apart[m->apart_count++] =
		(struct mention_apart){.at = (uint32_t)at, .length = (uint32_t)length};
}

void mentions_add_further(struct mentions *m, size_t at, size_t length)
{
	mentions_add_apart(m, at, length);
	if (m->failed)
		return;
	m->apart[m->apart_count - 1].further = true;
	m->further_count++;
	m->further_bytes += length;
}

/* The lists keep their memory; the map is released, because emptying a large one takes longer. */
void mentions_reset(struct mentions *m)
{
	const struct mentions was = *m;

	map_release(&m->seen);
	*m = (struct mentions){.codes = was.codes,
		.room = was.room,
		.apart = was.apart,
		.apart_room = was.apart_room};
}

void mentions_release(struct mentions *m)
{
	free(m->codes);
	free(m->apart);
	map_release(&m->seen);
	*m = (struct mentions){0};
}
