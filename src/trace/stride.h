/* Strides: follow a path without making its rows.
 *
 * What an event does depends only on where its frame is and on the event (format/follow.h). A loop
 * has the same few pairs of both again and again. So the answer for each pair is kept as a step:
 * the lines before the event, where the frame is after it, and the number of times that it was
 * taken:
 *
 *	the frame is at        the event        step                                       passes
 *	work, after LINE 3     ENTER at 12      lines 4 5, call of half; is then at 12     80,412
 *	half, entered          POPS             lines 1 2 4, return                        80,412
 *
 * A step costs one look-up, however many lines it has. At the end each of its rows is counted as
 * often as the step was taken. Seeking uses strides too, without the counts, to reach a place
 * quickly.
 *
 * A step names codes by their numbers, which blocks map to bodies. Steps are kept from block to
 * block as long as the blocks' tables agree. If the events of a block name a number that is not in
 * its own table (no writer makes such a block), it may be counted as what the number was before.
 *
 * Strides cannot pass gaps, what may have happened after an end, and events that contradict the
 * path: they stop before these, and the walk continues by rows. A walk can change between the two
 * before any row.
 */
#ifndef PL_TRACE_STRIDE_H
#define PL_TRACE_STRIDE_H

#include "pathline/counts.h"
#include "trace/contexts.h"
#include "trace/path_clock.h"
#include "trace/trips.h"

/* Where a frame is, and the question; then the answer. One cache line. */
struct stride_step {
	uint64_t stands, from; /* of the frame, as its bytes are */
	uint64_t asked;	       /* of the event; 0: no step */
	uint64_t callee;       /* of an event that pushes a frame: its code and unit */
	uint64_t stands_then, from_then;
	uint64_t passes;
	uint32_t lines; /* that have no event */
	uint32_t row;	/* 1: and the row of the event itself */
};
_Static_assert(sizeof(struct stride_step) == 64, "a line of the cache");

/* The rows of a step, for counting. */
struct stride_rows {
	const struct pl_code *code;
	const struct flow_reach *reach; /* NULL: no lines; the code's own */
	uint32_t node;
	struct pl_count own; /* events: as stride_step.row */
	int32_t line_after;  /* line at which the top frame is then; its code is own.code */
};

/* All zero is valid. For one recording.
 *
 * With `contexts`, these are updated along with the stack, and a stride stops before an event that
 * has its own time: the walk gives that row. A row then belongs to the line that runs after it,
 * except rows after which a frame is gone. */
struct strides {
	struct contexts *contexts; /* not owned; NULL: not wanted */
	/* bit for each enum event_kind whose events the walk must give */
	uint64_t refused;
	/* NULL, or: a step that has a row for which this is true is not taken, and the walk must
	 * give its rows. The limit is then at most STRIDE_HALT away. */
	bool (*halts)(void *context, const struct pl_count *row);
	void *halts_context;
	/* owned, `room` of them; with contexts: the steps with passes, each once */
	uint32_t *touched;
	uint32_t touched_count;

	struct stride_step *steps; /* owned; open addressing, at most three quarters full */
	struct stride_rows *rows;  /* owned; of the step at the same index */
	uint32_t room, used;	   /* room: a power of two, or 0 */
	struct trips trips;	   /* of these steps */
	struct trip_tape *tape;	   /* NULL: no trip is being learned */
	struct pl_map codes; /* number of a code -> struct pl_code *, until steps are forgotten */
	/* of the last block that was looked at: its numbers agree with `codes` */
	uint32_t block_file;
	uint64_t block_off;
};

/* Up to which event: the first at or after `ticks`, or the one with this `seq`; exclusive. */
struct stride_limit {
	uint64_t ticks, seq;
};
#define STRIDE_HALT (1u << 30)
#define STRIDE_ALL  ((struct stride_limit){.ticks = UINT64_MAX, .seq = UINT64_MAX})

/* Go as far as possible by steps: at most to the end of the open block, and not over the limit. 0:
 * the walk is between two rows, maybe where it was; STRIDE_FULL: the same, but what was learned
 * must be forgotten before it can continue; PL_ERR_MEMORY. */
#define STRIDE_FULL 1
int stride(struct strides *s, struct path_clock *c, const struct stride_limit *limit);

/* Give all rows of the steps that were taken, with their number, and set that to 0. A row may be
 * given more than once. Stops if `add` does not return 0, and returns that. */
int strides_take(
	struct strides *s, int (*add)(void *context, const struct pl_count *row), void *context);
void strides_forget(struct strides *s);
void strides_release(struct strides *s);

#endif
