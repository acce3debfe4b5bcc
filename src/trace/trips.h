/* Trips: several steps at once (stride.h).
 *
 * What repeats in a path is often longer than an event: a pass of a loop, or a call with all that
 * it calls. A trip is a few events that begin in a frame and return to it, with the steps that they
 * took:
 *
 *   the frame is at     bytes             steps                                  after it
 *   work, at its call   5a 80 0a 01 82    half is called, LINE 0, return, LINE 2 is after LINE 2,
 *                                                                                five bytes later
 *
 * If the same frame is at the same place again, before the same bytes, the same steps are taken,
 * whatever is below it on the stack. So the trip is taken instead, at the cost of one step. Its
 * steps get their passes when these are asked for.
 *
 * Bytes mean the same as long as the known calls are the same (event.h), and the known resumes, if
 * there may be one in the bytes. A trip can end between two of the frames of one POPS. Trips that
 * are seldom found again cost more than they save, so looking for them is limited by what they
 * saved.
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
	/* the known calls and resumes, the frame's context, and whether it has an identity */
	uint64_t where;
};

/* One cache line. */
struct trip {
	struct trip_key key;
	uint64_t stands_then, from_then;
	uint64_t passes;
	uint8_t length; /* bytes; 0: there is no trip from there */
	uint8_t pops;	/* of its last event that are still to be done */
	uint8_t steps;
	bool listed; /* it is in `touched` */
	uint32_t rows;
};
_Static_assert(sizeof(struct trip) == 64, "a line of the cache");

struct trip_step {
	uint32_t step; /* index */
	uint32_t node; /* context of the frame */
	uint32_t edge; /* to the context of the frame that it pushes, + 1; 0: none */
};

/* All zero is valid, and has no room. */
struct trips {
	struct trip *all;		       /* owned; by hash, a new one replaces an old one */
	struct trip_step (*steps)[TRIP_STEPS]; /* owned; of each */
	uint32_t *touched;		       /* owned: those with passes, each once */
	uint32_t touched_count;
	int32_t saved; /* steps saved; below 0: trips are not looked for, for that many events */
	/* Called with the steps of trips that were taken, and their number. */
	void (*add)(void *who, const struct trip_step *step, uint64_t passes);
	void *who;
};

/* A trip that is being learned: steps are noted as long as the frame is there. */
struct trip_tape {
	struct trip trip;
	struct trip_step steps[TRIP_STEPS];
	const uint8_t *from;
	uint64_t rows;		 /* before it */
	uint64_t calls, resumes; /* their prints */
	uint32_t depth;
	uint32_t count; /* steps so far, of which the trip has the first ones */
	bool over;	/* nothing more is part of it */
	bool early;	/* it ended at an unknown step or at a limit: it may be longer next time */
};

/* Allocate, after `add` and `who` are set. PL_ERR_MEMORY. */
int trips_init(struct trips *t);
/* Forget all trips. Passes that were not taken are lost. */
void trips_forget(struct trips *t);
void trips_release(struct trips *t);

/* Keep the tape's trip. */
void trips_put(struct trips *t, const struct trip_tape *tape);
/* Give the steps of all trips that were taken, and set their passes to 0. */
void trips_take(struct trips *t);

/* A step was taken in that frame, into the context of the frame that it pushed, if any. */
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

#define TRIPS_SAVED    4096 /* at first */
#define TRIPS_REST     65536
#define TRIPS_LEARNING 16 /* cost of learning, in steps */

/* To be asked at each event: is it worth looking for a trip? */
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
