/* What the events of a block mention: the codes, whose bodies the block has to name, what stands in its head of them, and which
 * of them stand apart there.
 *
 * Who follows the events anyway adds them on the way; block_write looks them up by itself where nobody did.
 */
#ifndef PL_FORMAT_MENTIONS_H
#define PL_FORMAT_MENTIONS_H

#include "base/map.h"
#include "format/event.h"

#define MENTIONS_RECENT 64

/* Where an event stands among its block's bytes. */
struct mention_apart {
	uint32_t at, length;
};

/* All zero is valid. */
struct mentions {
	uint32_t *codes; /* owned; each once */
	size_t count, room;
	struct pl_map seen;
	uint32_t recent[MENTIONS_RECENT]; /* by their last bits; 0: none */
	bool failed;			  /* for want of memory */
	uint64_t first_switch;		  /* 0: none */
	uint32_t needs_minor;
	struct mention_apart *apart; /* owned; by growing place */
	size_t apart_count, apart_room;
};

/* Events that say when, and not what. No two runs have the same of those. */
static inline bool mentions_apart(enum event_kind kind)
{
	return kind == EVENT_TIME || kind == EVENT_SWITCH || kind == EVENT_IDLE;
}

void mentions_add_code(struct mentions *m, uint32_t code);
void mentions_add_event(struct mentions *m, const struct event *e);
/* Of an event that is mentions_apart, also where it stands. */
void mentions_add_apart(struct mentions *m, size_t at, size_t length);
/* Empties it, keeps the memory. */
void mentions_reset(struct mentions *m);
void mentions_release(struct mentions *m);

#endif
