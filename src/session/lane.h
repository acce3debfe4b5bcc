/* The rows of one thread for a reader (reading.h), in both directions from a window that the reader
 * has taken:
 *
 *	| … behind | rows of the window | ahead … |
 *	           top                  bottom
 *
 * A search finds them, so that lines between calls cost little, a batch at a time; backward it goes
 * forward through a stretch before those that are known. Only a batch in each direction is kept.
 *
 * Where a row is, is its place: twice its seq, and one more if it is not a gap, since a gap that
 * the reader of the recording put before an event has the seq of that event.
 */
#ifndef PL_SESSION_LANE_H
#define PL_SESSION_LANE_H

#include <signal.h>
#include "session/lane_filter.h"

#define LANE_ROWS      64   /* of a batch */
#define LANE_ROW_BYTES 8192 /* of a row's text; what is longer is cut by who writes it */

/* A call, a result, an exception, a mark, or a gap. */
struct reading_row {
	struct pl_position position;
	uint64_t seq, order;
	int64_t time_ns;
	enum pl_event_kind kind;
	uint32_t depth;
	char *text; /* owned */
	char *task; /* in the memory of text; NULL: none, or not known */
};

/* Which rows there are. */
struct reading_rules {
	struct pl_recording *r; /* not owned */
	/* not owned: other than 0 ends what is looked for, as if there was none */
	const volatile sig_atomic_t *stop;
	uint32_t kinds; /* bit per enum pl_event_kind */
	/* Write the row of an event, with its values; at most max bytes with its NUL. */
	void (*write)(void *context, const struct pl_event *e, char *text, size_t max);
	struct expr *expr; /* not owned: it must be true of a row; NULL: all rows */
	/* Is it one of the rows, by its text? NULL: all are. */
	bool (*shows)(void *context, const struct pl_event *e, const char *text);
	/* Called now and then, with the seq that is reached in a thread. NULL: not called. */
	void (*passes)(void *context, const struct pl_position *of, uint64_t seq);
	void *context;
};

struct lane {
	const struct reading_rules *rules; /* not owned */
	struct pl_position of;		   /* its process and thread */
	uint64_t top, bottom;		   /* places; the window has top <= place < bottom */
	struct pl_search *search;	   /* owned */
	struct lane_batch {
		struct reading_row rows[LANE_ROWS]; /* in the order of the path */
		size_t from, count;
		uint64_t to; /* all rows from the window to this place are in it */
		bool ended;  /* there are no more */
	} ahead, behind;
	uint64_t step; /* places that the last batch behind took */
	/* of the search that runs */
	uint64_t least, limit; /* places of rows that are wanted */
	char *text;	       /* owned: of the last row that was asked for */
	uint64_t asked_to;     /* the place after the last one for which the filter was asked */
	struct lane_filter filter;
	struct pl_err *err; /* of the call; not owned */
};

static inline uint64_t row_place(const struct reading_row *row)
{
	return row->seq * 2 + (row->kind != PL_EVENT_GAP);
}

/* The window is empty and before this place. */
void lane_go(struct lane *l, uint64_t place);
/* The row next to the window; valid until another call. 0; PL_END: there is none, or it was
 * stopped; an error. */
int lane_peek(struct lane *l, bool back, const struct reading_row **row, struct pl_err *err);
/* Take the row that lane_peek gave into the window; the caller owns it. */
struct reading_row lane_take(struct lane *l, bool back);
/* The row at this edge of the window has left it. */
void lane_drop(struct lane *l, bool back, const struct reading_row *row);
/* The recording was refreshed. */
void lane_grown(struct lane *l);
/* Keep the rows, but not the search. */
void lane_rest(struct lane *l);
void lane_release(struct lane *l);

#endif
