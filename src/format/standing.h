/* Standings: what the most common events do to a stack, by look-up.
 *
 * How many lines come before an event, and where its frame is afterwards, depends only on where the
 * frame is and on the event (follow.h). All that an answer can depend on is a *standing*, and has a
 * number. A *transition* leads from a number by an event to another number, and says how many rows
 * had no event:
 *
 *	from  it is                 event               then  callee   rows without an event
 *	  7   fib, after LINE 2     ENTER at 12, fib      8      1     1 line
 *	  1   fib, entered          LINE 0                2      -     0
 *	  2   fib, after LINE 0     POPS                  -      -     1 line, 1 return
 *
 * As long as such events come, frames are numbers and an event is one look-up. A transition is
 * learned with the questions of follow.h, asked about a copy of the frame. Numbers of codes must
 * not be used again while a table is in use.
 *
 * This is only for counting: what contradicts the path is not an error here, but has no rows, as in
 * follow_apply.
 */
#ifndef PL_FORMAT_STANDING_H
#define PL_FORMAT_STANDING_H

#include "base/map.h"
#include "format/follow.h"
#include "format/mentions.h"

/* With their transitions 6 MiB; when it is full, all is learned again. */
#define STANDINGS_MAX	 65536u
#define STANDINGS_RECENT 1024

struct superstep;

struct standing_transition {
	uint64_t asked; /* number and events; 0: no transition */
	uint32_t then, callee;
	struct standing_untold {
		uint32_t lines;
		uint16_t passes;
		uint8_t returns, yields;
	} untold;
	/* of an entry: the mark since which the callee's code is among the mentions */
	uint32_t mark;
	uint32_t passes; /* how often the transition was made since standings_take */
};

/* All zero is valid. */
struct standings {
	struct stack_frame
		*frames; /* owned; by number, 0 is none; gen is 1 for a generator, else 0 */
	uint32_t count, room;
	struct pl_map numbers; /* hash of a frame -> number */
	struct {
		uint64_t place, from; /* as the frame's bytes are */
		uint32_t number;
	} recent[STANDINGS_RECENT];
	struct standing_transition *transitions; /* owned; open addressing, at most half full */
	uint32_t transition_count, transition_room;
	struct superstep *supersteps; /* owned; NULL before the first run; number 0 is none */
	/* by hash of the question: the superstep that answers it; in the memory after those */
	uint16_t *superstep_places;
	uint32_t superstep_count; /* this many are in use, from 1 on */
	uint32_t superstep_last;  /* the last one that was taken for a place that had none */
	int32_t credit;
	uint32_t *stack; /* owned; numbers, at the places of their frames */
	uint32_t stack_room;
	struct mentions *mentions; /* borrowed, or NULL */
	uint32_t mark;
};

struct standing_counts {
	/* numbers of events, by their rows; they are less than the number of bytes */
	uint32_t rows[PL_EVENT_KIND_COUNT];
	uint32_t known_resumes;
	uint64_t ticks; /* of TIMEs */
	struct follow_rows untold;
};

/* Events of a block that are not read yet. */
struct standing_events {
	struct pl_view rest;
	size_t off; /* of these in the block's events */
};

/* Read and apply the events at the front that are common (event_read_common), as follow_apply
 * would. Stops at another event, at one that does not fit the stack, and for want of memory. Adds
 * to *out. */
void standings_run(struct standings *m, struct stack *s, struct standing_events *events,
	const struct follow_codes *codes, struct standing_counts *out);
/* From here on codes that are entered, and places of TIMEs, are added to `mentions`, which is
 * borrowed until the next call; NULL: they are not. A full table is emptied here, and only here;
 * until then what is not in it takes the slow way. */
void standings_begin_block(struct standings *m, struct mentions *mentions);
/* Call `add` with the events, and the code of their frames, since the last call: once for each
 * transition that was made. */
void standings_take(struct standings *m,
	void (*add)(void *context, uint32_t code, enum event_kind kind, uint64_t count),
	void *context);
void standings_release(struct standings *m);

#endif
