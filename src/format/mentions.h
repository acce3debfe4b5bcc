/* What the events of a block mention: the codes whose bodies the block must name, the switches for
 * its head, and the events that are stored apart.
 *
 * A caller that follows the events anyway collects them on the way; otherwise block_write collects
 * them.
 */
#ifndef PL_FORMAT_MENTIONS_H
#define PL_FORMAT_MENTIONS_H

#include "base/map.h"
#include "format/event.h"

#define MENTIONS_RECENT 64

/* Place of an event among the bytes of its block. */
struct mention_apart {
	uint32_t at, length;
	bool further; /* of a further kind: for a section of its block */
};

/* All zero is valid. */
struct mentions {
	uint32_t *codes; /* owned; each once */
	size_t count, room;
	struct pl_map seen;
	uint32_t recent[MENTIONS_RECENT]; /* by their last bits; 0: none */
	bool failed;			  /* there was no memory */
	uint64_t first_switch;		  /* 0: none */
	uint32_t needs_minor;
	struct mention_apart *apart; /* owned; in order of place */
	size_t apart_count, apart_room;
	size_t further_count, further_bytes; /* of those that are of further kinds */
};

void mentions_add_code(struct mentions *m, uint32_t code);
void mentions_add_event(struct mentions *m, const struct event *e);
/* Add an event; if it is stored apart (EVENT_APART, EVENT_SECTION), also its place. */
void mentions_add_apart(struct mentions *m, size_t at, size_t length);
void mentions_add_further(struct mentions *m, size_t at, size_t length);
static inline void mentions_add_place(
	struct mentions *m, enum event_kind kind, size_t at, size_t length)
{
	if (event_has_trait(kind, EVENT_APART))
		mentions_add_apart(m, at, length);
	else if (event_has_trait(kind, EVENT_SECTION))
		mentions_add_further(m, at, length);
}
/* Empties it, keeps the memory. */
void mentions_reset(struct mentions *m);
void mentions_release(struct mentions *m);

#endif
