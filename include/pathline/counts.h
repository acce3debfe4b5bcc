/* How often: the events of a path, counted by code, line and kind, without a visit to each.
 *
 *	pl_counts_new(&counts, r, &err);
 *	pl_cursor_new(&c, r, process, PL_ALL_THREADS, &err);
 *	pl_cursor_count(c, counts, INT64_MAX, &err);          once for each cursor whose events are wanted
 *	pl_counts_table(counts, &table, &err);
 *	for (i = 0; i < table.count; i++)                     table.rows[i]: f, line 7, line events: 1000000
 *
 * Counts are exact: what is counted is what pl_cursor_next gives, no more and no less. Between two recorded points of a frame
 * there is one way only, so how often each such pair occurs says how often each line of that way ran. Where a path is not
 * certain (a gap, what may have run before a kill) its events are visited one by one.
 *
 * Memory is that of the lines that ran, however long the path. Counts belong to the caller, who frees them before the
 * recording is closed, and are used by one thread at a time, that of the recording; two recordings are independent.
 */
#ifndef PATHLINE_COUNTS_H
#define PATHLINE_COUNTS_H

#include "pathline/cursor.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* So many events had this code, line and kind, as struct pl_event has them. */
struct pl_count {
	const struct pl_code *code; /* NULL: gaps and marks without a frame */
	int32_t line;		    /* 0: they have none */
	enum pl_event_kind
		kind;	 /* POSSIBLE ones did not happen, as in the path: add them to nothing */
	uint64_t events; /* never 0 */
};

struct pl_count_table {
	const struct pl_count
		*rows; /* by file, code (its first line, its name), line and kind; each once */
	size_t count;
	uint64_t totals[PL_EVENT_KIND_COUNT]; /* events of each kind */
};

struct pl_counts;
/* Empty counts, for cursors on this recording. */
int pl_counts_new(struct pl_counts **out, struct pl_recording *r, struct pl_err *err);
void pl_counts_free(struct pl_counts *counts); /* NULL is fine */

/* Add the events from where the cursor stands up to the first at or after to_ns (CLOCK_REALTIME; INT64_MAX: all that there
 * are, of a live recording so far), of a cursor on all threads those of each thread. The cursor then stands where
 * pl_cursor_seek_time(to_ns) would have put it; so counts of [a, b) and [b, c) add up to those of [a, c). pl_cursor_stack of
 * a cursor on all threads is empty until its next event.
 *
 * 0, also where nothing was left; PL_ERR_ARGUMENT: the cursor is on another recording; PL_ERR_MEMORY, PL_ERR_IO: some
 * were added and others not, so these counts are of no more use. Damage is a gap, and no error. */
int pl_cursor_count(
	struct pl_cursor *c, struct pl_counts *counts, int64_t to_ns, struct pl_err *err);

/* The same up to the event with this seq, of a cursor on one thread. */
int pl_cursor_count_to_seq(
	struct pl_cursor *c, struct pl_counts *counts, uint64_t seq, struct pl_err *err);

/* What was counted so far. The rows belong to the counts, and are valid until these are added to or freed. 0, PL_ERR_MEMORY. */
int pl_counts_table(struct pl_counts *counts, struct pl_count_table *out, struct pl_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
