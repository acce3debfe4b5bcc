/* Trips: several steps at once (stride.h).
 *
 * A program's path repeats not by events but by turns: a loop's pass, a call with all that it calls in its turn. A trip is a few
 * events that begin in a frame and come back to it, with the steps that they took:
 *
 *	the frame stands    bytes             steps                                  behind it
 *	work, at its call   5a 80 0a 01 82    half is called, LINE 0, return, LINE 2 stands behind LINE 2, five bytes on
 *
 * Where the same frame stands so again, in front of the same bytes, the same steps are taken, whatever lies below it on the stack;
 * so the trip is taken in their place, at the cost of one. Its steps get their passes when these are asked for.
 *
 * Bytes mean the same as long as the same calls are known (event.h), and the same resumes if one of those may be among them. A trip can end between two of the frames that a POPS takes.
 * Where trips are seldom found again they cost more than they save, so they are paid from what they saved.
 */
#ifndef PL_TRACE_TRIPS_H
#define PL_TRACE_TRIPS_H

#include <stdbool.h>
#include <stdint.h>
#include "pathline/error.h"

#define TRIP_BYTES 8
#define TRIP_STEPS 16

struct trip_key {
	uint64_t bytes;
	uint64_t stands, from; /* of the frame, as in a step */
	uint64_t
		where; /* what is known of calls and resumes, the frame's context, and whether it has an identity */
};

/* A line of the cache. */
struct trip {
	struct trip_key key;
	uint64_t stands_then, from_then;
	uint64_t passes;
	uint8_t length; /* bytes; 0: from there it leads nowhere */
	uint8_t pops;	/* that its last event has left */
	uint8_t steps;
	bool listed; /* among those touched */
	uint32_t rows;
};
_Static_assert(sizeof(struct trip) == 64, "a line of the cache");

struct trip_step {
	uint32_t step; /* index */
	uint32_t node; /* context of the frame */
	uint32_t edge; /* to that of the frame which it pushes, + 1; 0: none */
};

/* All zero is valid, and has no room. */
struct trips {
	struct trip *all; /* owned; by hash, a new one in place of what was there */
	struct trip_step (*steps)[TRIP_STEPS]; /* owned; of each */
	uint32_t *touched;		       /* owned: those with passes, each once */
	uint32_t touched_count;
	int32_t saved; /* steps; below 0: nothing is looked for, for so many events */
	/* Steps of trips that were taken, with how often. */
	void (*add)(void *who, const struct trip_step *step, uint64_t passes);
	void *who;
};

/* A trip that is being learned: what is taken is noted, from a frame on as long as that is there. */
struct trip_tape {
	struct trip trip;
	struct trip_step steps[TRIP_STEPS];
	const uint8_t *from;
	uint64_t rows;		 /* before it */
	uint64_t calls, resumes; /* their prints */
	uint32_t depth;
	uint32_t count; /* steps so far, of which the trip has the first ones */
	bool over;	/* nothing more is part of it */
	bool early; /* it ended at a step not known yet, or at a limit: another time it may go on */
};

/* Make room, with `add` and `who` set. PL_ERR_MEMORY. */
int trips_init(struct trips *t);
/* Nothing is known any more; passes that were not taken are lost. */
void trips_forget(struct trips *t);
void trips_release(struct trips *t);

/* The tape's trip is known from now on. */
void trips_put(struct trips *t, const struct trip_tape *tape);
/* Give the steps of all trips that were taken, and set their passes to 0. */
void trips_take(struct trips *t);

/* A step was taken: of that frame, into the context of the one that it pushed, if any. */
static inline void trip_note(struct trip_tape *tape, const struct trip_step *step)
{
	if (tape->count < TRIP_STEPS)
		tape->steps[tape->count] = *step;
	tape->count++;
}

#define TRIPS_LOG 12u

static inline uint32_t trips_home(const struct trip_key *k)
{
	uint64_t mixed = k->bytes * 0x9e3779b97f4a7c15u ^ k->stands * 0xc2b2ae3d27d4eb4fu ^
			 k->from * 0x165667b19e3779f9u ^ k->where * 0xd6e8feb86659fd93u;

	return (uint32_t)(mixed >> (64 - TRIPS_LOG));
}

#define TRIPS_SAVED    4096 /* at the beginning */
#define TRIPS_REST     65536
#define TRIPS_LEARNING 16 /* steps that it costs */

/* At each event: whether it is worth while to look for one. */
static inline bool trips_wanted(struct trips *t)
{
	if (t->saved >= 0)
		return true;
	if (++t->saved == 0)
		t->saved = TRIPS_SAVED;
	return false;
}

static inline void trips_save(struct trips *t, int32_t steps)
{
	if (t->saved < TRIPS_REST)
		t->saved += steps;
}

static inline void trips_spend(struct trips *t, int32_t steps)
{
	t->saved -= steps;
	if (t->saved < 0)
		t->saved = -TRIPS_REST;
}

static inline bool trip_has_key(const struct trip *t, const struct trip_key *k)
{
	return t->key.bytes == k->bytes && t->key.stands == k->stands && t->key.from == k->from &&
	       t->key.where == k->where;
}

#endif
