/* Counts: how many events a path has, by code, line and kind, without a visit to each event.
 *
 *	pl_counts_new(&counts, r, &err);
 *	pl_cursor_new(&c, r, process, PL_ALL_THREADS, &err);
 *	pl_cursor_count(c, counts, INT64_MAX, &err);
 *	pl_counts_table(counts, &table, &err);
 *	for (i = 0; i < table.count; i++)      
 *		use(&table.rows[i]);          such as: f, line 7, PL_EVENT_LINE, 1000000 events
 *
 * Counts are exact: they count what pl_cursor_next would give. Between two recorded events of a
 * frame there is only one path, so the number of times that such a pair occurs is the number of
 * times that each line between them ran. Where the path is not certain (at a gap, and in what may
 * have run before a kill), events are visited one by one.
 *
 * Memory grows with the number of lines that ran, not with the length of the path. Counts belong to
 * the caller, who frees them before closing the recording. Only the thread that uses the recording
 * may use its counts. Two recordings are independent.
 */
#ifndef PATHLINE_COUNTS_H
#define PATHLINE_COUNTS_H

#include "pathline/cursor.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The number of events with this code, line and kind. The fields are those of struct pl_event. */
struct pl_count {
	const struct pl_code *code; /* NULL: gaps and marks without a frame */
	int32_t line;		    /* 0: the events have no line */
	/* PL_EVENT_POSSIBLE: these may not have happened, so add them to nothing. */
	enum pl_event_kind kind;
	uint64_t events; /* never 0 */
};

struct pl_count_table {
	/* Sorted by file, code (first line, then name), line and kind; each combination once. */
	const struct pl_count *rows;
	size_t count;
	uint64_t totals[PL_EVENT_KIND_COUNT]; /* events of each kind */
};

struct pl_counts;

/* Make empty counts, for cursors on this recording. */
int pl_counts_new(struct pl_counts **out, struct pl_recording *r, struct pl_err *err);
void pl_counts_free(struct pl_counts *counts); /* NULL is fine */

/* Add the events between the cursor and the first event at or after to_ns. A cursor on all threads
 * adds those of each thread. to_ns is a time of CLOCK_REALTIME in ns; INT64_MAX means the end (of a
 * live recording: what is there so far).
 *
 * The cursor moves to where pl_cursor_seek_time(to_ns) would put it, so counts of [a, b) and [b, c)
 * add up to those of [a, c). On a cursor on all threads pl_cursor_stack is empty until the next
 * event.
 *
 * 0, also if no event was left. PL_ERR_ARGUMENT: the cursor is of another recording. PL_ERR_MEMORY,
 * PL_ERR_IO: some events were added and others were not, so the counts cannot be used any more.
 * Damage is a gap, not an error. */
int pl_cursor_count(
	struct pl_cursor *c, struct pl_counts *counts, int64_t to_ns, struct pl_err *err);

/* As pl_cursor_count, up to the event with this seq. The cursor must be on one thread. */
int pl_cursor_count_to_seq(
	struct pl_cursor *c, struct pl_counts *counts, uint64_t seq, struct pl_err *err);

/* What was counted so far. The rows belong to the counts, and are valid until the counts are added
 * to or freed. 0, PL_ERR_MEMORY. */
int pl_counts_table(struct pl_counts *counts, struct pl_count_table *out, struct pl_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
