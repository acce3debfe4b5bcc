/* Supersteps: several transitions at once (fast_forward.h).
 *
 * What repeats in a path is often longer than an event: a pass of a loop, or a call with all that
 * it calls. A superstep is a few events that begin in a frame and return to it, with the
 * transitions that they took:
 *
 *   the frame is at     bytes             transitions                            after it
 *   work, at its call   5a 80 0a 01 82    half is called, LINE 0, return, LINE 2 is after LINE 2,
 *                                                                                five bytes later
 *
 * If the same frame is at the same place again, before the same bytes, the same transitions are
 * taken, whatever is below it on the stack. So the superstep is taken instead, at the cost of one
 * transition. Its transitions get their passes when these are asked for.
 *
 * Bytes mean the same as long as the known calls are the same (event.h), and the known resumes, if
 * there may be one in the bytes. A superstep can end between two of the frames of one POPS.
 * Supersteps that are seldom found again cost more than they save, so looking for them is limited
 * by what they saved.
 */
#ifndef PL_TRACE_ROW_SUPERSTEPS_H
#define PL_TRACE_ROW_SUPERSTEPS_H

#include <stdbool.h>
#include <stdint.h>
#include "pathline/error.h"

#define SUPERSTEP_BYTES 8
#define SUPERSTEP_PARTS 16

struct superstep_key {
	uint64_t bytes;
	uint64_t stands, from; /* of the frame, as in a transition */
	/* the known calls and resumes, the frame's context, and whether it has an identity */
	uint64_t where;
};

/* One cache line. */
struct row_superstep {
	struct superstep_key key;
	uint64_t stands_then, from_then;
	uint64_t passes;
	uint8_t length; /* bytes; 0: there is no superstep from there */
	uint8_t pops;	/* of its last event that are still to be done */
	uint8_t transitions;
	bool listed; /* it is in `touched` */
	uint32_t rows;
};
_Static_assert(sizeof(struct row_superstep) == 64, "a line of the cache");

struct superstep_part {
	uint32_t transition; /* index */
	uint32_t node;	     /* context of the frame */
	uint32_t edge;	     /* to the context of the frame that it pushes, + 1; 0: none */
};

/* All zero is valid, and has no room. */
struct row_supersteps {
	struct row_superstep *all; /* owned; by hash, a new one replaces an old one */
	struct superstep_part (*transitions)[SUPERSTEP_PARTS]; /* owned; of each */
	uint32_t *touched; /* owned: those with passes, each once */
	uint32_t touched_count;
	int32_t saved; /* transitions; below 0: no superstep is looked for, for that many events */
	/* Called with the transitions of supersteps that were taken, and their number. */
	void (*add)(void *who, const struct superstep_part *transition, uint64_t passes);
	void *who;
};

/* A superstep that is being learned: transitions are noted as long as the frame is there. */
struct superstep_tape {
	struct row_superstep superstep;
	struct superstep_part transitions[SUPERSTEP_PARTS];
	const uint8_t *from;
	uint64_t rows;		 /* before it */
	uint64_t calls, resumes; /* their prints */
	uint32_t depth;
	uint32_t count; /* transitions so far, of which the superstep has the first ones */
	bool over;	/* nothing more is part of it */
	bool early;	/* an unknown transition or a limit ended it: it may be longer next time */
};

/* Allocate, after `add` and `who` are set. PL_ERR_MEMORY. */
int row_supersteps_init(struct row_supersteps *t);
/* Forget all supersteps. Passes that were not taken are lost. */
void row_supersteps_forget(struct row_supersteps *t);
void row_supersteps_release(struct row_supersteps *t);

/* Keep the tape's superstep. */
void row_supersteps_put(struct row_supersteps *t, const struct superstep_tape *tape);
/* Give the transitions of all supersteps that were taken, and set their passes to 0. */
void row_supersteps_take(struct row_supersteps *t);

/* A transition was taken in that frame, into the context of the frame that it pushed, if any. */
static inline void superstep_note(
	struct superstep_tape *tape, const struct superstep_part *transition)
{
	if (tape->count < SUPERSTEP_PARTS)
		tape->transitions[tape->count] = *transition;
	tape->count++;
}

#define SUPERSTEPS_LOG 12u

static inline uint32_t row_supersteps_home(const struct superstep_key *k)
{
	uint64_t mixed = k->bytes * 0x9e3779b97f4a7c15u ^ k->stands * 0xc2b2ae3d27d4eb4fu ^
			 k->from * 0x165667b19e3779f9u ^ k->where * 0xd6e8feb86659fd93u;

	return (uint32_t)(mixed >> (64 - SUPERSTEPS_LOG));
}

#define SUPERSTEPS_SAVED    4096 /* at first */
#define SUPERSTEPS_REST	    65536
#define SUPERSTEPS_LEARNING 16 /* cost of learning, in transitions */

/* To be asked at each event: is it worth looking for a superstep? */
static inline bool row_supersteps_wanted(struct row_supersteps *t)
{
	if (t->saved >= 0)
		return true;
	if (++t->saved == 0)
		t->saved = SUPERSTEPS_SAVED;
	return false;
}

static inline void row_supersteps_save(struct row_supersteps *t, int32_t transitions)
{
	if (t->saved < SUPERSTEPS_REST)
		t->saved += transitions;
}

static inline void row_supersteps_spend(struct row_supersteps *t, int32_t transitions)
{
	t->saved -= transitions;
	if (t->saved < 0)
		t->saved = -SUPERSTEPS_REST;
}

static inline bool superstep_has_key(const struct row_superstep *t, const struct superstep_key *k)
{
	return t->key.bytes == k->bytes && t->key.stands == k->stands && t->key.from == k->from &&
	       t->key.where == k->where;
}

#endif
