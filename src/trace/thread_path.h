/* The second stage of reading: the path of one thread, with what has no event of its own filled in,
 * and with gaps where it is not known.
 *
 *	events      ENTER LINE                LINE            POPS
 *	path        ENTER LINE | line line    LINE  JUMPED    line, return | ...
 *	                         '- filled in       '- a contradiction: a gap
 *
 * A path is between two rows. What comes next waits in it, in this order: gaps, lines without an
 * event, the event after them (`held`); after the end, what may have happened (`ahead`). While
 * nothing waits, thread_path_go_on does the next piece of work. Whoever gives a row of what waits
 * applies it to the stack.
 *
 * It does not know when anything happened: events of time and order are told to the stage above.
 * Nothing is allocated for an event.
 */
#ifndef PL_TRACE_THREAD_PATH_H
#define PL_TRACE_THREAD_PATH_H

#include "trace/block_reader.h"

#define PATH_GAPS 4

/* A gap, with the fields of its row. */
struct path_gap {
	enum pl_gap_reason reason;
	uint64_t lost;
	struct pl_code *code; /* NULL: no frame */
	uint32_t depth;
	int32_t line;
	uint32_t offset;
};

struct thread_path {
	struct block_reader blocks;
	uint64_t next_seq;     /* of the next row */
	uint32_t event;	       /* number of the next row in its block */
	struct pl_view events; /* of the open block, from the next one on */
	bool ended;	       /* the last gap was given */

	struct stack stack;
	uint32_t code_number; /* of `code`, when it is set */
	struct pl_code *code;
	struct stack peeked; /* memory for looking ahead */

	bool explained; /* a gap came, and no event since: frames cannot contradict anything now */
	bool stopped;	/* the last event was a fatal signal's */

	struct path_gap gaps[PATH_GAPS];
	uint32_t gap_count;
	/* owned: starts whose lines come next, or passes, although they have no event */
	uint32_t *told;
	uint32_t told_count, told_room, told_next;
	struct event held;
	bool holds;
	bool silent;		  /* there is no held event, but a return that later events imply */
	uint64_t pops;		  /* number of frames that are still to be popped */
	struct pl_view values;	  /* of the last event VALUES that was among the others */
	struct pl_view variables; /* of the last VARIABLES, as well */
	/* What may have happened after the path's end, frame by frame from the top. Its lines are
	 * in `told`. */
	struct path_ahead {
		bool begun;
		/* number of frames up to and including the current one; 0: no more */
		uint32_t frames;
		bool leaves; /* after these lines the frame may be gone */
	} ahead;

	uint64_t implied; /* number of rows without an event that were given */
	/* called when the task that runs is told its name again, perhaps another one; NULL: not */
	void (*renamed)(void *who, const struct stack_task *task);
	void *who;
};

/* r and t are not owned, and must live as long. */
void thread_path_init(struct thread_path *p, struct pl_recording *r, struct thread_entry *t);

/* What thread_path_go_on has met that is about time. */
enum path_news {
	PATH_NO_NEWS,
	PATH_OPENED, /* a block: its time and order begin */
	PATH_MARK,   /* `mark` is a TIME, IDLE or SWITCH, of the next event that has a row */
	PATH_HELD,   /* what waits now is at the time of the held event: no line is before it */
	PATH_ENDED,  /* by a gap; if no block said when it was, then `ticks` */
};
struct path_met {
	enum path_news news;
	struct event mark;
	uint64_t ticks;
};
/* To be called when nothing waits: the next of the frames that are to be popped, the next event, or
 * the next block. PL_END: there is none, so far. *met is valid after 0 only. */
int thread_path_go_on(struct thread_path *p, struct path_met *met, struct pl_err *err);

/* Move to before a block of the thread's list, by its index; as block_reader_go_to. */
const struct block_ref *thread_path_go_to(struct thread_path *p, size_t index);

/* ---- what waits ---- */

/* Take the oldest of the gaps. There must be one. */
struct path_gap thread_path_take_gap(struct thread_path *p);
/* Take the next of the lines without an event: the top frame is there then. Its start, or pass, as
 * follow_starts has it. */
uint32_t thread_path_take_told(struct thread_path *p);
/* A row was given: the next one has the next seq, and a number more in its block. */
static inline void thread_path_count_row(struct thread_path *p)
{
	p->next_seq++;
	p->event++;
}
/* Nothing that waited is wanted any more. */
void thread_path_forget_waiting(struct thread_path *p);

/* After PL_END, while the recording is live: begin with what may follow. PL_END: nothing. */
int thread_path_begin_ahead(struct thread_path *p);
/* Of the frame `frame`: a line that may be next (has_line), or that it may be gone. */
struct path_possible {
	uint32_t frame;
	bool has_line;
	uint32_t start; /* or pass, as follow_starts has it */
};
/* PL_END: there is no more. */
int thread_path_take_possible(struct thread_path *p, struct path_possible *out);
/* The recording has grown: what could have happened is now known. */
void thread_path_forget_ahead(struct thread_path *p);

/* What the next row is, without taking it. false: the open block has no more rows. */
struct path_peek {
	bool of_event; /* it has the time of its event; if not, it may be older */
	bool switched; /* SWITCHes are before it, the last one to `order` */
	uint64_t order;
	uint64_t ticks; /* the sum of the TIMEs before it that were not told yet */
};
bool thread_path_peek(struct thread_path *p, struct path_peek *out);

/* ---- the stack ---- */

/* By the open block's table; never NULL. */
static inline struct pl_code *thread_path_code_of(const struct thread_path *p, uint32_t number)
{
	return block_reader_code(&p->blocks, number);
}

/* The code of the top frame; NULL: there is no frame. */
static inline struct pl_code *thread_path_top_code(struct thread_path *p)
{
	const struct stack_frame *f = stack_top(&p->stack);

	if (!f)
		return NULL;
	if (!p->code || p->code_number != f->code) {
		p->code = thread_path_code_of(p, f->code);
		p->code_number = f->code;
	}
	return p->code;
}

/* If a line of one byte is next, and certainly has nothing before it, take it: *start. Nothing but
 * pops may wait. Most events are such lines; the result is that of the long way. */
static inline bool thread_path_take_short_line(struct thread_path *p, uint32_t *start)
{
	if (p->pops || !p->events.left || *p->events.at < 0x80 || *p->events.at == 0xff ||
		!p->stack.depth)
		return false;
	struct stack_frame *f = stack_top(&p->stack);
	struct pl_code *c = thread_path_top_code(p);
	*start = *p->events.at & 0x7f;
	if (*start >= c->body.graph.start_count || !follow_is_next(&c->follow, f, *start))
		return false;
	p->events.at++;
	p->events.left--;
	f->place = PLACE_START;
	f->value = *start;
	f->raised = RAISED_NOT;
	f->from_place = PLACE_UNKNOWN;
	p->explained = false;
	p->stopped = false;
	return true;
}

/* What runs after the last row: the code of the top frame and its line. NULL: there is no frame. */
const struct pl_code *thread_path_runs(struct thread_path *p, int32_t *line);
size_t thread_path_stack(const struct thread_path *p, struct pl_frame *frames, size_t max);

/* Apply an event that has no row, and is not about time. */
void thread_path_pass(struct thread_path *p, const struct event *e);
/* Where a running program was attached the stack follows the gap, up to the thread's next row: it
 * is there with the gap, since a thread that stands still has no other row. */
void thread_path_take_links(struct thread_path *p);
/* This number of rows was passed. */
static inline void thread_path_over_rows(struct thread_path *p, uint64_t rows)
{
	p->next_seq += rows;
	p->event += (uint32_t)rows;
	p->explained = p->stopped = false;
}

/* Free the memory of a path that is at its end. It may continue when there is more. */
void thread_path_rest(struct thread_path *p);
void thread_path_release(struct thread_path *p);

#endif
