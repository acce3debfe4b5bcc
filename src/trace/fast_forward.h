/* Fast-forward: follow a path without making its rows.
 *
 * What an event does depends only on where its frame is and on the event (format/follow.h). A loop
 * has the same few pairs of both again and again. So the answer for each pair is kept as a
 * transition: the lines before the event, where the frame is after it, and the number of times that
 * it was taken:
 *
 *	the frame is at        the event        transition                                 passes
 *	work, after LINE 3     ENTER at 12      lines 4 5, call of half; is then at 12     80,412
 *	half, entered          POPS             lines 1 2 4, return                        80,412
 *
 * A transition costs one look-up, however many lines it has. At the end each of its rows is counted
 * as often as the transition was taken. Seeking uses this too, without the counts, to reach a place
 * fast.
 *
 * A transition names codes by their numbers, which blocks map to bodies. Transitions are kept from
 * block to block as long as the blocks' tables agree. If the events of a block name a number that
 * is not in its own table (no writer makes such a block), it may be counted as what the number was
 * before.
 *
 * A fast-forward cannot pass gaps, what may have happened after an end, and events that contradict
 * the path: it stops before these, and the walk continues by rows. A walk can change between the
 * two before any row.
 */
#ifndef PL_TRACE_FAST_FORWARD_H
#define PL_TRACE_FAST_FORWARD_H

#include "pathline/counts.h"
#include "trace/contexts.h"
#include "trace/path_clock.h"
#include "trace/row_supersteps.h"

/* Where a frame is, and the question; then the answer. One cache line. */
struct row_transition {
	uint64_t stands, from; /* of the frame, as its bytes are */
	uint64_t asked;	       /* of the event; 0: no transition */
	uint64_t callee;       /* of an event that pushes a frame: its code and unit */
	uint64_t stands_then, from_then;
	uint64_t passes;
	uint32_t lines; /* that have no event */
	uint32_t row;	/* 1: and the row of the event itself */
};
_Static_assert(sizeof(struct row_transition) == 64, "a line of the cache");

/* The rows of a transition, for counting. */
struct transition_rows {
	const struct pl_code *code;
	const struct flow_reach *reach; /* NULL: no lines; the code's own */
	uint32_t node;
	struct pl_count own; /* events: as row_transition.row */
	int32_t line_after;  /* line at which the top frame is then; its code is own.code */
};

/* All zero is valid. For one recording.
 *
 * With `contexts`, these are updated along with the stack, and a fast-forward stops before an event
 * that has its own time: the walk gives that row. A row then belongs to the line that runs after
 * it, except rows after which a frame is gone. */
struct fast_forward {
	struct contexts *contexts; /* not owned; NULL: not wanted */
	/* bit for each enum event_kind whose events the walk must give */
	uint64_t refused;
	/* NULL, or: a transition that has a row for which this is true is not taken, and the walk
	 * must give its rows. The limit is then at most FAST_FORWARD_HALT away. */
	bool (*halts)(void *context, const struct pl_count *row);
	void *halts_context;
	/* owned, `room` of them; with contexts: the transitions with passes, each once */
	uint32_t *touched;
	uint32_t touched_count;

	struct row_transition
		*transitions;		  /* owned; open addressing, at most three quarters full */
	struct transition_rows *rows;	  /* owned; of the transition at the same index */
	uint32_t room, used;		  /* room: a power of two, or 0 */
	struct row_supersteps supersteps; /* of these transitions */
	struct superstep_tape *tape;	  /* NULL: no superstep is being learned */
	struct pl_map
		codes; /* number of a code -> struct pl_code *, until transitions are forgotten */
	/* of the last block that was looked at: its numbers agree with `codes` */
	uint32_t block_file;
	uint64_t block_off;
};

/* Up to which event: the first at or after `ticks`, or the one with this `seq`; exclusive. */
struct fast_forward_limit {
	uint64_t ticks, seq;
};
#define FAST_FORWARD_HALT (1u << 30)
#define FAST_FORWARD_ALL  ((struct fast_forward_limit){.ticks = UINT64_MAX, .seq = UINT64_MAX})

/* Go as far as possible by transitions: at most to the end of the open block, and not over the
 * limit. 0: the walk is between two rows, maybe where it was; FAST_FORWARD_FULL: the same, but what
 * was learned must be forgotten before it can continue; PL_ERR_MEMORY. */
#define FAST_FORWARD_FULL 1
int fast_forward(
	struct fast_forward *s, struct path_clock *c, const struct fast_forward_limit *limit);

/* Give all rows of the transitions that were taken, with their number, and set that to 0. A row may
 * be given more than once. Stops if `add` does not return 0, and returns that. */
int fast_forward_take(struct fast_forward *s, int (*add)(void *context, const struct pl_count *row),
	void *context);
void fast_forward_forget(struct fast_forward *s);
void fast_forward_release(struct fast_forward *s);

#endif
