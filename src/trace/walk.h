/* The walk along one thread's path: its blocks, one after the other, decoded into rows.
 *
 *	block 3 | TIME ENTER LINE LINE SWITCH LINE POPS LINE | block 4 | …
 *	                          ^ next          \ a frame vanished: a gap is put in front of the row
 *
 * A walk stands between two rows. What does not make a row (TIME, SWITCH, POPS, …) is applied on
 * the way to the next one. One block is open at a time, so a walk's memory does not grow with the
 * recording. Nothing is allocated for an event.
 *
 * Gaps of its own are put in front of the row that shows the contradiction: they wait in `gaps`,
 * and the event that they stand before waits in `held`.
 */
#ifndef PL_TRACE_WALK_H
#define PL_TRACE_WALK_H

#include "format/block.h"
#include "trace/code.h"
#include "trace/recording.h"
#include "trace/stream.h"

#define WALK_GAPS 4

/* A gap that a reader finds, as the row will have it. */
struct walk_gap {
	enum pl_gap_reason reason;
	uint64_t lost;
	struct pl_code *code; /* NULL: no frame */
	uint32_t depth;
	int32_t line;
	uint32_t offset;
};

struct walk {
	struct pl_recording *r;
	struct thread_entry *thread;
	uint64_t next_block;  /* place in the thread's list, dropped ones counted */
	uint64_t next_seq;    /* of the next event that was recorded */
	uint32_t next_number; /* of the block that should come next */
	bool ended;	      /* the last gap was given */

	/* the open block */
	bool open;
	struct stream stream; /* its bytes */
	struct block block; /* its bodies map a code number to a struct pl_code *, NULL: missing */
	struct pl_view events;
	uint32_t number;
	uint32_t event; /* number of the next one in it */
	uint64_t close_ticks;

	struct stack peeked; /* room for a look ahead */
	struct stack stack;
	uint32_t code_number; /* of `code`, when it is set */
	struct pl_code *code;

	/* of the next row */
	uint64_t order;		/* number of the run that it belongs to */
	uint64_t order_from;	/* or of an earlier one, from this on: no event tells it */
	uint64_t ticks;		/* of the last stamp */
	bool at_stamp;		/* no event came since the stamp */
	bool time_known;	/* the next two are: found when a row is made */
	struct clock_time time; /* of ticks */
	int64_t stamp_span_ns;	/* an event behind the stamp was at most so much later */
	int64_t last_ns;
	bool explained; /* a gap came, and no event since: what frames do now contradicts nothing */
	bool stopped;	/* the last event was a fatal signal's */

	struct walk_gap gaps[WALK_GAPS];
	uint32_t gap_count;
	uint32_t *told; /* owned: starts whose lines come next, though no event tells them */
	uint32_t told_count, told_room, told_next;
	struct event held;
	bool holds;
	/* What may have happened behind the path's end, frame by frame from the top; its lines are in `told`. */
	struct walk_ahead {
		bool begun;
		uint32_t
			frames; /* those from the bottom up to the one that is told of; 0: no more */
		bool leaves;	/* behind its lines it may be gone */
	} ahead;
	bool silent; /* the held event is none: a return that what follows shows */
	uint64_t idle_from, idle_ticks; /* the last wait of its event loop */
	bool idle_due;			/* of the next row: that wait was in front of it */
	uint64_t implied; /* rows that walk_next gave which no event of their own told */
	uint64_t pops;	  /* so many frames are still to be popped */
	struct walk_marks {
		bool timed;
		uint64_t ticks; /* to be added */
		uint64_t idle_from, idle_ticks;
	} marks; /* of the next event that has a row: what goes before that without an event is older */
	char mark[EVENT_TEXT_MAX + 1];
};

void walk_init(struct walk *w, struct pl_recording *r, struct thread_entry *t);
/* The next row. PL_END: no more, so far. */
int walk_next(struct walk *w, struct pl_event *row, struct pl_err *err);

/* Behind PL_END, while the recording is live: as pl_cursor_possible. */
int walk_possible(struct walk *w, struct pl_event *row, struct pl_err *err);

/* What the next row will have, found without changing what walk_stack gives, unless a block ends
 * here. PL_END. */
struct walk_peek {
	uint64_t order;
	uint64_t ticks;
};
int walk_peek(struct walk *w, struct walk_peek *out, struct pl_err *err);

/* Stand in front of a block of the thread's list, by its index. */
void walk_go_to(struct walk *w, size_t index);

/* ---- for stride.c, which goes on without rows ---- */

/* Never NULL; by the open block's table. */
struct pl_code *walk_code_of(const struct walk *w, uint32_t number);
/* An event that makes no row. */
void walk_pass(struct walk *w, const struct event *e);
/* So many rows were passed over. */
static inline void walk_over_rows(struct walk *w, uint64_t rows)
{
	if (!rows)
		return;
	w->next_seq += rows;
	w->event += (uint32_t)rows;
	w->at_stamp = w->explained = w->stopped = false;
}
/* Behind them: the last one was an event that the marks were of. */
void walk_take_marks(struct walk *w);
static inline void walk_over_marks(struct walk *w)
{
	if (!w->marks.timed && !w->marks.idle_ticks && w->order_from == w->order)
		return;
	walk_take_marks(w);
	w->at_stamp = w->idle_due = false;
}

/* ---- the stack ---- */

/* Who runs behind the last row: the top frame's code, NULL without a frame, and its line. */
const struct pl_code *walk_runs(struct walk *w, int32_t *line);
size_t walk_stack(const struct walk *w, struct pl_frame *frames, size_t max);
/* Give the memory back of a walk that is at its end; it may go on when more comes. */
void walk_rest(struct walk *w);
void walk_release(struct walk *w);

#endif
