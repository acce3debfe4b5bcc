/* The third stage of reading: the time and the order of what comes next on the path.
 *
 *	events     TIME +20   SWITCH 7   POPS                  LINE
 *	rows                             line 4, return        LINE
 *	time       t                     t (to t + 20)         t + 20
 *	order      6                     6 (from 6 to 7)       7
 *
 * TIME, IDLE and SWITCH are marks of the next event that has a row: rows that have no event, and
 * come before it, may have happened before them. So marks wait until that event's turn comes
 * (path_clock_take).
 *
 * It knows when the next row happens, not what that row says.
 */
#ifndef PL_TRACE_PATH_CLOCK_H
#define PL_TRACE_PATH_CLOCK_H

#include "trace/thread_path.h"

struct path_clock {
	struct thread_path path;
	uint64_t close_ticks; /* of the open block */

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
	uint64_t idle_from, idle_ticks; /* the last wait of the thread's event loop */
	bool idle_due;			/* the wait was before the next row */
	struct path_marks {
		bool timed;
		uint64_t ticks; /* to be added */
		uint64_t idle_from, idle_ticks;
	} marks; /* of the next event that has a row: events before it without a row are older */
};

/* As thread_path_init. */
void path_clock_init(struct path_clock *c, struct pl_recording *r, struct thread_entry *t);
/* As thread_path_go_on. */
int path_clock_go_on(struct path_clock *c, struct pl_err *err);
/* As thread_path_go_to. */
void path_clock_go_to(struct path_clock *c, size_t index);

/* The turn of an event with a row has come: its own time and order begin. */
void path_clock_take(struct path_clock *c, const struct event *e);
static inline const struct clockmap *path_clock_map(const struct path_clock *c)
{
	return &c->path.blocks.r->clock;
}

/* What comes after a stamp happened before the next stamp, and before the collector's tick changed.
 * Computed for the first row after the stamp, and only if a row is made. */
void path_clock_know(struct path_clock *c);

/* INT64_MAX: it is more. */
static inline int64_t path_clock_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* A row with a stamp between it and the next event was filled in, and comes before both: an event
 * would have had a stamp, so how long after the collector's tick it happened is not known. Any
 * other row happened at the latest with the next event, so before that tick. */
static inline int64_t path_clock_error(const struct path_clock *c)
{
	if (c->marks.ticks)
		return path_clock_add(
			c->time.error_ns, clockmap_span(path_clock_map(c), c->marks.ticks));
	return c->at_stamp ? c->time.error_ns : path_clock_add(c->time.error_ns, c->stamp_span_ns);
}

/* Seq, order and time of the next row, without its position. Time is clamped, so that it never goes
 * backward within a thread, even if the clock map cannot tell. */
static inline void path_clock_put(struct path_clock *c, struct pl_event *row)
{
	if (!c->time_known)
		path_clock_know(c);
	if (c->time.real_ns > c->last_ns)
		c->last_ns = c->time.real_ns;
	row->seq = c->path.next_seq;
	row->order = c->order;
	row->order_from = c->order_from;
	row->time_ns = c->last_ns;
	row->time_error_ns = path_clock_error(c);
	row->idle_ns = c->idle_due ? clockmap_span(path_clock_map(c), c->idle_ticks) : 0;
	c->idle_due = false;
}

/* The error of what came after the last event: it happened before the end of its thread, whenever
 * that was. */
int64_t path_clock_error_at_end(const struct path_clock *c);
/* A row was given. */
static inline void path_clock_count_row(struct path_clock *c)
{
	c->at_stamp = false;
	thread_path_count_row(&c->path);
}
/* No stamp and no switch waits for the next event. */
static inline bool path_clock_is_plain(const struct path_clock *c)
{
	return !c->marks.timed && c->order_from == c->order;
}

/* What the next row will have; PL_END: there is none, so far. The stack stays as it is, unless a
 * block ends here. */
struct path_clock_peek {
	uint64_t order;
	uint64_t ticks;
};
int path_clock_peek(struct path_clock *c, struct path_clock_peek *out, struct pl_err *err);

/* ---- for fast_forward.c, which goes on without rows ---- */

/* Apply an event that has no row. */
void path_clock_pass(struct path_clock *c, const struct event *e);
/* This number of rows was passed. */
static inline void path_clock_over_rows(struct path_clock *c, uint64_t rows)
{
	if (!rows)
		return;
	thread_path_over_rows(&c->path, rows);
	c->at_stamp = false;
}
/* To be called after that, if the last of the rows was that of an event with marks. */
void path_clock_over_marks(struct path_clock *c);

#endif
