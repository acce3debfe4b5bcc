/* A profile while the path is walked (profile.c), and afterwards (tables.c). */
#ifndef PL_TRACE_PROFILE_H
#define PL_TRACE_PROFILE_H

#include "pathline/profile.h"
#include "trace/flights.h"
#include "trace/looks.h"
#include "trace/seek.h"
#include "trace/share.h"

#define TIME_NS_MAX  (INT64_MAX / 4) /* 73 years; the sum of two does not overflow */
#define RECENT_SPANS 1024u	     /* a power of two */
#define LEFT_MAX     64u
#define BLOCKS_MAX   4096u
#define GAPS_MAX     16u
#define TASKS_MAX    65536u /* the last one has the sum of all others */

/* A task, while it is counted. */
struct profile_task {
	struct pl_profile_task public; /* its name is owned */
	uint64_t first, last;	       /* ticks */
	uint64_t waits_to;	       /* ticks: the end of its thread, if it waits there */
	uint32_t line;		       /* where most of the longest stretch was, + 1 */
	uint32_t waits_in;	       /* its last stretch ended by a wait, in this thread, + 1 */
	uint64_t pass;		       /* of its loop, in which it went on last */
	double recent_ns;	       /* 0 but in blocks_most */
};

/* What took most of a span. */
struct profile_recent {
	uint64_t ticks;		       /* when it opened */
	uint64_t from_seq, before_seq; /* the rows that opened and closed it */
	uint32_t line, node, task;
	double ns;
};

/* The samples of a span, as far as all are of one line. */
struct profile_stand {
	uint32_t count; /* of lines so far; 0: no sample yet */
	uint32_t line;	/* index */
	uint64_t from;	/* ticks */
	int64_t error_ns;
	uint64_t last; /* the last look at it */
};

/* Coroutines that await each other yield one after the other, the innermost one first, each with an
 * event. The place is the innermost one in the program's own code; in none of it, the innermost. */
struct profile_wait {
	uint64_t seq; /* of the last one's event */
	uint32_t depth;
	bool own;
	const struct pl_code *code; /* NULL: none yet */
	int32_t line;
};

/* Where the top frame was before a row, and the depth of the stack. */
struct stood {
	uint32_t depth;
	const struct pl_code *code;
	int32_t line;
};

/* A frame whose line was over in the tail of a span. When it was over is known at the end of the
 * span. */
struct profile_left {
	struct context_frame frame; /* as it was */
	struct stood stood;	    /* code NULL: its line began in the tail */
	uint32_t tail;		    /* rows of the tail up to there */
	bool gone;		    /* the frame was left */
	uint64_t now;		    /* as in the contexts */
	/* of the block that it is if it took long; the frames below may be gone later */
	enum pl_block_kind kind;
};

/* At the border of a part (parts.h): a frame that is open there, or a line or frame that ended and
 * began in an earlier part. */
struct profile_border {
	uint32_t thread, depth;
	const struct pl_code *code; /* of what ended */
	int32_t line;
	bool of_frame;
	uint64_t since, entered;	   /* of what ended: `since` is the time of the end */
	uint64_t since_idle, entered_idle; /* of what ended: since_idle */
};

struct profile_borders {
	struct profile_border *at; /* owned */
	uint32_t count, room;
};

/* The end of a thread's path, where it breaks off: there, lines may have run that the path does not
 * have. So samples say where the thread was from the last event on. */
struct profile_end {
	bool open;     /* the path breaks off after the rows of this span */
	bool lost;     /* events are missing after them: the time up to the end is of no line */
	bool detached; /* the recording of the thread ended with that of its process */
	uint64_t from; /* ticks; all events of the span came before */
	/* Since when all samples were of one line. NULL: there was none yet. */
	const struct pl_code *code; /* the first of its plans */
	int32_t line;
	uint64_t since;	  /* ticks */
	int64_t error_ns; /* of that */
	bool waiting;	  /* the last sample was */
	/* The last looks of the span, also before `from`, which were all of one line. It was not
	 * at another one since `left`, the last look there; 0: there was none. */
	const struct pl_code *look_code;
	int32_t look_line;
	uint64_t left, first, last; /* ticks */
	uint64_t shared; /* ticks: the time up to here is that of the lines of samples before */
	uint32_t frame;	 /* of the stack, + 1; 0: it is not known which */
	uint32_t node;
	bool stays; /* the frame was at that line at the last event */
	bool idle;  /* an event loop waits there; a wait that has ended is known from its event */
};

/* A time of a span in which no look came. before, after: lines + 1 of the looks around it, 0: the
 * end of the span. */
struct profile_gap {
	uint32_t before, after;
	double from_ns; /* since the span began */
	double ns;
	double apart_ns; /* of the two looks, also those out of the span */
};

struct pl_profile {
	struct pl_recording *r;
	struct pl_profile_wanted wanted;
	struct share share;
	struct contexts contexts;
	struct fast_forward forward;
	struct flights flights;
	double idle_ns, lost_ns;
	uint64_t blocks_done, blocks_all;
	int64_t tick_ns;

	struct profile_task *tasks; /* owned */
	uint32_t task_count, task_room;
	struct pl_map task_index; /* hash of its number, or name -> index + 1 */
	/* owned: BLOCKS_MAX; the first block_count are a heap, with the shortest on top */
	struct pl_profile_block *blocks;
	uint32_t block_count;
	uint64_t more_blocks;
	uint64_t pass;	   /* number of the loop's pass, where that is not recorded */
	double no_task_ns; /* 0 but in blocks_most */

	uint32_t part, parts; /* parts 0: it is not divided */
	struct profile_borders open_frames, ended;

	/* of the thread */
	uint64_t last_block;	       /* its part ends before this block, dropped ones counted */
	bool fresh;		       /* a part begins: since when frames are there is not known */
	uint64_t range_from, range_to; /* ticks; range_to: the first one after it */
	bool before; /* the range begins within a span, and the rows before that are being read */
	struct walk walk;
	struct thread_entry *thread;
	const struct pl_code *bottom; /* of its first frame, if bottom_known; NULL: not known */
	bool bottom_known;
	struct looks seen;
	/* of the span that is being closed: the line of its last looks, their part of the time */
	struct profile_stay {
		const struct pl_code *code;
		int32_t line;
		bool waiting;
		double ns, least_ns;
	} stay;
	/* of the span that is being closed */
	struct profile_gap gaps[GAPS_MAX];
	uint32_t gap_count;
	uint32_t looked_at; /* the line of its last look, + 1; 0: none yet */
	uint64_t implied;   /* rows without an event so far */
	uint64_t open_ticks;
	bool exact_from, exact_to; /* the span that is being closed: its ends are at their stamps */
	bool proven;		   /* and it has one line and one context, by its rows */
	bool proven_call;	   /* or several lines, of one context */
	/* the wait of its event loop in the span that is being closed */
	uint64_t idle_from, idle_to;
	bool open, ends; /* ends: the span that is being closed is the last one */
	struct profile_recent recent[RECENT_SPANS];
	uint32_t recent_count;
	struct profile_stand stand;
	uint64_t open_seq, row_seq; /* of the rows that open and close the span */
	struct profile_left left[LEFT_MAX];
	uint32_t left_count;
	bool entered;	    /* the tail's last row is that of a call */
	uint32_t tail_line; /* depth of the frame whose line began in the tail; 0: none */
	struct profile_end end;
	struct profile_wait wait;
	struct pl_err *err;

	struct pl_profile_tables tables; /* each owned */
};

/* From one time to another (as in context_frame), without idle waits of so many ticks. */
struct profile_pass {
	uint64_t from, to, idle;
	int64_t unsure_ns; /* which of several passes in one span this time was of */
};

/* Update a longest duration. Is this the new longest? */
bool profile_longest(
	const struct pl_profile *p, struct pl_longest *l, const struct profile_pass *pass);
/* Its event loop waited for so many ticks: that is in no pass of what is on the stack. */
void profile_pass_idle(struct pl_profile *p, uint64_t ticks);

/* The part of a span that is in the wanted range, in ns. */
double profile_wanted_ns(const struct pl_profile *p, uint64_t from_ticks, uint64_t to_ticks);
/* All events of the span that opens there came within this time. */
int64_t profile_tick_ns(const struct pl_profile *p, uint64_t ticks);
/* Sums of times from a file must not overflow. */
int64_t profile_add_ns(int64_t a, int64_t b);

/* profile_prior.c: what must be known before the first span is shared: what rows cost, and in which
 * lines the program was seen. */

/* Every n-th block of a thread, each of its rows with weight n. */
int profile_count_prior(struct pl_profile *p, struct thread_entry *t, struct pl_err *err);
/* Is a time later than what was asked for? */
bool profile_is_after_range(const struct pl_profile *p, int64_t time_ns);
/* A sample names a body and an instruction of it; its line comes from the body's table. */
const struct pl_code *profile_code_of_sample(
	struct pl_profile *p, const struct sample *s, int32_t *line);
/* A sample is of a thread at a time, and says which instruction of which code it was in, and
 * whether it waited. */
int profile_count_samples(struct pl_profile *p, struct pl_err *err);

/* profile_longest.c: the longest pass of each line, and the longest call of each function. */

/* A line that is several times in the tail: how much of its time was of which pass is not known. 0
 * while the span is not divided. */
int64_t profile_tail_unsure_ns(const struct shared_line *l);
/* The line of a frame was over at a time (as in context_frame). */
void profile_passed_at(struct pl_profile *p, const struct context_frame *f,
	const struct stood *stood, uint64_t to);
/* Called by the contexts when a frame goes to another line, or ends. */
void profile_line_passed(
	void *who, const struct context_frame *f, const struct pl_code *code, int32_t line);
/* A frame was left at `to`, a time as in contexts.h. If its entry was in an earlier part, that part
 * knows when it began (parts.h). `kind`: of its block; NULL: that follows from the stack. */
void profile_left_as(struct pl_profile *p, const struct context_frame *f, uint32_t depth,
	uint64_t to, const enum pl_block_kind *kind);
void profile_left_at(
	struct pl_profile *p, const struct context_frame *f, uint32_t depth, uint64_t to);
/* An event loop that waits is in no pass and no callback. One that is left out does not say that
 * its callback returned: that is still on the stack, and is taken as ended before the wait and
 * begun again. */
void profile_split_at_wait(struct pl_profile *p, uint64_t idle_ticks);
/* Called by the contexts when a frame is left. */
void profile_frame_left(void *who, const struct context_frame *f);

/* profile_tasks.c: when tasks and greenlets run and wait. */

/* Called by the contexts when a frame is the first one of a task. Returns its number, from 1; 0: it
 * is not counted. */
uint32_t profile_began_task(void *who, const struct stack_task *task);
/* The rows before the range are over. The tasks that run at its beginning have a stretch in it. */
void profile_enter_range(struct pl_profile *p);
/* To be called before the row's frame is left. */
void profile_note_wait(struct pl_profile *p, const struct pl_event *row);
/* A task that never went on waits to the end of its thread's path. */
void profile_wait_to_end(struct pl_profile *p, uint64_t end_ticks);
void profile_renamed_task(void *who, const struct stack_task *task);

/* profile_span.c: between two stamps of a thread; its time is shared when it closes. */

int profile_take_transitions(struct pl_profile *p);
void profile_begin_line(struct context_frame *f, uint64_t now, int64_t unsure_ns);
/* When they ended within the span is not told: then at its beginning. */
void profile_leave_aside(struct pl_profile *p, uint32_t count);
/* The order matters. Rows and samples of the span first; then its length, without idle waits; then
 * the division, to which blocks_note_still and note_tail refer; at last all of the span is
 * forgotten, and the next one opens at the same tick. */
int profile_close_span(struct pl_profile *p, uint64_t end_ticks);

/* profile_rows.c: a row at a stamp closes the span, then changes the stack. */

/* Before a row is taken: which line runs, at which depth. Afterwards the stack has changed. */
struct stood profile_line_before_row(struct pl_profile *p);
/* The path is not known from here up to then. */
int profile_lose_span(struct pl_profile *p, uint64_t to_ticks);
/* Was the row at the time of its stamp? */
bool profile_is_exact(const struct path_clock *c, const struct pl_event *row);
/* The order matters. Time up to the row belongs to what ran before it, so the span is closed first.
 * An exception leaves a frame while that is still on the stack; all other rows are of the stack
 * after contexts_sync. */
int profile_on_row(struct pl_profile *p, const struct pl_event *row, const struct stood *before);

/* path_end.c: is the row one of those that come after the last event? Then it says what may have
 * run, and this is to be called with it. 0, PL_ERR_MEMORY. */
bool path_end_has(const struct pl_event *row);
int path_end_row(struct pl_profile *p, const struct pl_event *row);
/* After PL_END of the walk: when the path ends. The path of a running program ends where it was
 * seen last. */
int path_end_find(struct pl_profile *p, uint64_t *end_ticks, struct pl_err *err);
/* A sample of the last span, if its path breaks off, from `from` on; each one before that is only
 * looked at. 0, PL_ERR_MEMORY. */
int path_end_sample(
	struct pl_profile *p, const struct sample *s, const struct pl_code *code, int32_t line);
void path_end_look(struct pl_profile *p, uint64_t ticks, const struct pl_code *code, int32_t line);
/* No more samples come. To be called before the span is shared. 0, PL_ERR_MEMORY. */
int path_end_close(struct pl_profile *p, uint64_t end_ticks);
/* And afterwards: without samples each line that may have run may have had all of the time. */
void path_end_unsure(struct pl_profile *p, double ns);
/* Is it known that the frame was there to the end; and at its line? */
bool path_end_kept(const struct pl_profile *p, uint32_t frame);
bool path_end_stayed(const struct pl_profile *p, uint32_t frame);

/* Make an empty profile, then gather all of its part. Results as pl_profile_new; PL_END + 1:
 * progress stopped it. */
int profile_begin(struct pl_profile **out, struct pl_recording *r,
	const struct pl_profile_wanted *wanted, struct pl_err *err);
int profile_gather(struct pl_profile *p, struct pl_err *err);

/* hidden.c: how long can lines have run without being seen? To be called at the beginning of a
 * span; for each look in it, at that line (+ 1), between two ends; after the looks; after
 * share_out. */
void hidden_begin(struct pl_profile *p);
void hidden_look(struct pl_profile *p, uint32_t line, uint64_t from_ticks, uint64_t to_ticks);
void hidden_none(struct pl_profile *p, uint64_t end_ticks);
void hidden_close(struct pl_profile *p, double ns, double tick_ns);
/* The error of what may have run there: about the distance of two looks, and at most all of it. */
double hidden_error_ns(const struct share_doubt *d);

/* tables.c: set p->tables. PL_ERR_MEMORY. */
int profile_finish(struct pl_profile *p);
void profile_release_tables(struct pl_profile *p);

#endif
