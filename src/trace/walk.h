/* The walk along the path of one thread: its blocks in order, decoded into rows.
 *
 *	block 3 | TIME ENTER LINE LINE SWITCH LINE POPS LINE | block 4 | ...
 *	                          ^ next          \ a frame vanished: a gap is put before the row
 *
 * A walk is between two rows. Events that have no row (TIME, SWITCH, POPS, ...) are applied on the
 * way to the next row. One block is open at a time, so a walk's memory does not grow with the
 * recording. Nothing is allocated for an event.
 *
 * Gaps that the walk itself finds come before the row that shows the contradiction: they wait in
 * `gaps`, and the event after them waits in `held`.
 */
#ifndef PL_TRACE_WALK_H
#define PL_TRACE_WALK_H

#include "format/block.h"
#include "trace/code.h"
#include "trace/recording.h"
#include "trace/stream.h"

#define WALK_GAPS 4

/* A gap that the walk finds, with the fields of its row. */
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
	uint64_t next_block;  /* place in the thread's list, dropped blocks counted */
	uint64_t next_seq;    /* of the next event that was recorded */
	uint32_t next_number; /* of the block that should come next */
	bool ended;	      /* the last gap was given */

	/* the open block */
	bool open;
	struct stream stream; /* its bytes */
	struct block block;   /* maps a code number to a struct pl_code *, NULL: missing */
	struct pl_view events;
	uint32_t number;
	uint32_t event; /* number of the next one in it */
	uint64_t close_ticks;

	struct stack peeked; /* memory for looking ahead */
	struct stack stack;
	uint32_t code_number; /* of `code`, when it is set */
	struct pl_code *code;

	/* of the next row */
	uint64_t order; /* number of the run that it belongs to */
	/* or of an earlier one, from this one on: there is no event that says so */
	uint64_t order_from;
	uint64_t ticks;	 /* of the last stamp */
	bool at_stamp;	 /* no event came since the stamp */
	bool time_known; /* `time` and stamp_span_ns are set; that happens when a row is made */
	struct clock_time time; /* of ticks */
	int64_t stamp_span_ns;	/* an event after the stamp was at most this much later */
	bool rough; /* the errors of times may be larger than they are, which is faster */
	int64_t last_ns;
	bool explained; /* a gap came, and no event since: frames cannot contradict anything now */
	bool stopped;	/* the last event was a fatal signal's */

	struct walk_gap gaps[WALK_GAPS];
	uint32_t gap_count;
	uint32_t *told; /* owned: starts whose lines come next, although they have no event */
	uint32_t told_count, told_room, told_next;
	struct event held;
	bool holds;
	/* What may have happened after the path's end, frame by frame from the top. Its lines are
	 * in `told`. */
	struct walk_ahead {
		bool begun;
		/* number of frames up to and including the current one; 0: no more */
		uint32_t frames;
		bool leaves; /* after these lines the frame may be gone */
	} ahead;
	bool silent; /* there is no held event, but a return that later events imply */
	/* called when the task that runs is told its name again, perhaps another one; NULL: not */
	void (*renamed)(void *who, const struct stack_task *task);
	void *who;
	uint64_t idle_from, idle_ticks; /* the last wait of the thread's event loop */
	bool idle_due;			/* the wait was before the next row */
	uint64_t implied;		/* number of rows without an event that walk_next gave */
	uint64_t pops;			/* number of frames that are still to be popped */
	struct walk_marks {
		bool timed;
		uint64_t ticks; /* to be added */
		uint64_t idle_from, idle_ticks;
	} marks; /* of the next event that has a row: events before it without a row are older */
	char mark[EVENT_TEXT_MAX + 1];
};

/* r and t are not owned, and must live as long. */
void walk_init(struct walk *w, struct pl_recording *r, struct thread_entry *t);
/* Give the next row. PL_END: there is none, so far. */
int walk_next(struct walk *w, struct pl_event *row, struct pl_err *err);

/* After PL_END, while the recording is live: as pl_cursor_possible. */
int walk_possible(struct walk *w, struct pl_event *row, struct pl_err *err);

/* What the next row will have; PL_END: there is none, so far. Does not change what walk_stack
 * gives, unless a block ends here. */
struct walk_peek {
	uint64_t order;
	uint64_t ticks;
};
int walk_peek(struct walk *w, struct walk_peek *out, struct pl_err *err);

/* Move to before a block of the thread's list, by its index. */
void walk_go_to(struct walk *w, size_t index);

/* ---- for stride.c, which goes on without rows ---- */

/* By the open block's table; never NULL. */
struct pl_code *walk_code_of(const struct walk *w, uint32_t number);
/* Apply an event that has no row. */
void walk_pass(struct walk *w, const struct event *e);
/* This number of rows was passed. */
static inline void walk_over_rows(struct walk *w, uint64_t rows)
{
	if (!rows)
		return;
	w->next_seq += rows;
	w->event += (uint32_t)rows;
	w->at_stamp = w->explained = w->stopped = false;
}
/* To be called after walk_over_rows, if the last of the rows was that of an event with marks. */
void walk_take_marks(struct walk *w);
static inline void walk_over_marks(struct walk *w)
{
	if (!w->marks.timed && !w->marks.idle_ticks && w->order_from == w->order)
		return;
	walk_take_marks(w);
	w->at_stamp = w->idle_due = false;
}

/* ---- the stack ---- */

/* What runs after the last row: the code of the top frame and its line. NULL: there is no frame. */
const struct pl_code *walk_runs(struct walk *w, int32_t *line);
size_t walk_stack(const struct walk *w, struct pl_frame *frames, size_t max);
/* Free the memory of a walk that is at its end. It may continue when there is more. */
void walk_rest(struct walk *w);
void walk_release(struct walk *w);

#endif
