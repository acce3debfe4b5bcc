/* Strides: going along a path without making its rows.
 *
 * What an event does depends on where its frame stands and on what the event says, and on nothing else (format/follow.h). A
 * loop comes to the same few such pairs again and again. So the answer to each pair is kept as a step: the lines that go before
 * the event, where the frame stands behind it, and how often that was so:
 *
 *	the frame stands           the event        step                                      passes
 *	work, behind LINE 3        ENTER at 12      lines 4 5, call of half; stands at 12      80,412
 *	half, entered              POPS             lines 1 2 4, return                        80,412
 *
 * Taking a step costs one look-up, however many lines it has; at the end each of its rows is counted so many times as it was
 * taken. Without the counts it is a way to come to a place quickly, which seeking does.
 *
 * A step names codes by their numbers, which blocks give to bodies. It is kept over blocks as long as their tables agree; a block
 * whose events name a number that its own table has not (no writer makes one) may be counted by what that was before.
 *
 * Strides know nothing of gaps, of what may have happened behind an end, and of events that contradict the path: in front of
 * such they stop, and the walk goes on by rows. A walk can change between the two between any two rows.
 */
#ifndef PL_TRACE_STRIDE_H
#define PL_TRACE_STRIDE_H

#include "pathline/counts.h"
#include "trace/contexts.h"
#include "trace/trips.h"

/* Where a frame stands and what is asked, then what comes of it. A line of the cache. */
struct stride_step {
	uint64_t stands, from; /* of the frame, as its bytes are */
	uint64_t asked;	       /* of the event; 0: no step */
	uint64_t callee;       /* of an event that pushes a frame: its code and unit */
	uint64_t stands_then, from_then;
	uint64_t passes;
	uint32_t lines; /* that no event tells */
	uint32_t row;	/* 1: and one of its own */
};
_Static_assert(sizeof(struct stride_step) == 64, "a line of the cache");

/* The rows of a step, for who counts. */
struct stride_rows {
	const struct pl_code *code;
	const struct flow_reach *reach; /* NULL: no lines; the code's own */
	uint32_t node;
	struct pl_count own; /* events: as stride_step.row */
	int32_t behind;	     /* line at which the top frame stands then, which is of own.code */
};

/* All zero is valid. For one recording.
 *
 * With `contexts` these are kept along with the stack, and a stride stops in front of an event that has a time of its own: the walk
 * gives that one's rows. Rows are then those of the line that runs behind them, but for those behind which a frame is gone. */
struct strides {
	struct contexts *contexts; /* not owned; NULL: not wanted */
	uint64_t refused;	   /* bit per enum event_kind: those that the walk must give */
	/* NULL, or: a step with a row of which this is true is not taken, the walk must give its rows. No limit is further away
	 * than STRIDE_HALT then. */
	bool (*halts)(void *context, const struct pl_count *row);
	void *halts_context;
	uint32_t *touched; /* owned: of `room`; with contexts the steps with passes, each once */
	uint32_t touched_count;

	struct stride_step *steps; /* owned; open addressing, at most three quarters full */
	struct stride_rows *rows;  /* owned; of the step at the same index */
	uint32_t room, used;	   /* room: a power of two, or 0 */
	struct trips trips;	   /* of these steps */
	struct trip_tape *tape;	   /* NULL: no trip is being learned */
	struct pl_map
		codes; /* number of a code -> struct pl_code *, as long as nothing is forgotten */
	uint32_t
		block_file; /* of the block that was looked at last: its numbers agree with `codes` */
	uint64_t block_off;
};

/* Up to which event: one of those that come before the first at `ticks`, or with this `seq`. */
struct stride_limit {
	uint64_t ticks, seq;
};
#define STRIDE_HALT (1u << 30)
#define STRIDE_ALL  ((struct stride_limit){.ticks = UINT64_MAX, .seq = UINT64_MAX})

/* Go on as far as that is possible by steps: at most to the end of the open block, and no further than the limit. 0: the walk
 * stands between two rows, maybe where it stood; STRIDE_FULL: likewise, but what was learned must be forgotten before it can
 * go on; PL_ERR_MEMORY. */
#define STRIDE_FULL 1
int stride(struct strides *s, struct walk *w, const struct stride_limit *limit);

/* Give all rows of the steps that were taken, with how often, and set that to 0. A row may be given more than once. Stops at
 * what `add` gives unless that is 0. */
int strides_take(
	struct strides *s, int (*add)(void *context, const struct pl_count *row), void *context);
void strides_forget(struct strides *s);
void strides_release(struct strides *s);

#endif
