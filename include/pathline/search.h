/* A search: find events in the path of one thread, in both directions, without a visit to each.
 *
 *	const struct pl_wanted wanted = {
 *		.process = 1, .thread = 0, .kinds = 1u << PL_EVENT_LINE, .may = is_line_7};
 *	pl_search_new(&s, r, &wanted, &err);
 *	pl_search_next(s, seq, UINT64_MAX, &event, &err);
 *
 * gives the first line event at or after seq for which is_line_7 is true. Events between are passed
 * over as in counts.h, hundreds of millions of lines a second. Blocks whose heads say that they
 * have no such event are not read. A search keeps what it learned about the path for its next call,
 * so keep it if you look for the same events again.
 *
 * A search belongs to the caller, who frees it before closing the recording. Only the thread that
 * uses the recording may use its searches.
 */
#ifndef PATHLINE_SEARCH_H
#define PATHLINE_SEARCH_H

#include <signal.h>
#include "pathline/counts.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* An event is wanted if it is in the path of this thread, its kind is in `kinds`, `may` is true for
 * its code, line and kind, and `is` returns 0 for it. */
struct pl_wanted {
	uint32_t process, thread;
	uint32_t kinds; /* one bit for each enum pl_event_kind */
	/* The search may ask about a code, line and kind any number of times, in any order. NULL:
	 * true for all. */
	bool (*may)(void *context, const struct pl_count *row);
	/* 0: it is wanted; PL_END: it is not; an error ends the search. Called for each event for
	 * which `may` is true. The events of a part of the path come in the order of the path; a
	 * backward search takes the last part first. NULL: 0 for all. */
	int (*is)(void *context, const struct pl_event *event);
	/* Called now and then with the seq that the search has reached. NULL: not called. */
	void (*passes)(void *context, uint64_t seq);
	void *context;
	/* If this is not 0, the search ends, as if it had found nothing. May be NULL. Not owned. */
	const volatile sig_atomic_t *stop;
};

struct pl_search;
/* *wanted is copied. */
int pl_search_new(struct pl_search **out, struct pl_recording *r, const struct pl_wanted *wanted,
	struct pl_err *err);
void pl_search_free(struct pl_search *s); /* NULL is fine */

/* Give events their values and variables (values.h), those that `is` is asked about too; or no
 * more. */
void pl_search_want_values(struct pl_search *s, bool wanted);

/* From now on only events of these of the wanted kinds are wanted; 0: of all of them again. What
 * was learned is kept for all, and for the last choice of fewer kinds, so going from one to the
 * other takes no time. `is` can call it: it is for the events after the one it was asked about. */
void pl_search_narrow(struct pl_search *s, uint32_t kinds);

/* pl_search_next finds the first event with seq <= its seq < end; `end` may be UINT64_MAX.
 * pl_search_previous finds the last event with begin <= its seq < seq. PL_END: there is none. What
 * an event points to is valid as that of pl_cursor_next is, with the search in place of the
 * cursor. */
int pl_search_next(struct pl_search *s, uint64_t seq, uint64_t end, struct pl_event *event,
	struct pl_err *err);
int pl_search_previous(struct pl_search *s, uint64_t seq, uint64_t begin, struct pl_event *event,
	struct pl_err *err);

/* Pass over events at which the stack has more than `frames` frames: forward from *seq or, with
 * `back`, backward from before it. It may stop early: afterwards *seq is at or before the first
 * event that does not have more (back: after the last such event). 0; PL_END: all events have more,
 * or the search was stopped; or an error. */
int pl_search_shallow(
	struct pl_search *s, uint32_t frames, bool back, uint64_t *seq, struct pl_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
