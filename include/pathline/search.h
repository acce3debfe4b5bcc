/* Looking for events along one thread's path, both ways, without a visit to each.
 *
 *	const struct pl_wanted wanted = {.kinds = 1u << PL_EVENT_LINE, .may = is_line_7, .context = &x};
 *	pl_search_new(&s, r, process, thread, &wanted, &err);
 *	pl_search_next(s, seq, &event, &err);                 the first one at or behind seq
 *
 * What lies between is passed over as counts.h does it, hundreds of millions of lines a second; blocks whose heads say that they
 * have nothing of it are not read. A search belongs to the caller, who frees it before the recording is closed, and is used by
 * one thread at a time, that of the recording. What it learns about the path serves the next call, so who looks for the same again keeps it.
 */
#ifndef PATHLINE_SEARCH_H
#define PATHLINE_SEARCH_H

#include <signal.h>
#include "pathline/counts.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* An event that is wanted is of one of the kinds, `may` is true of its code, line and kind, and `is` gives 0 for it. */
struct pl_wanted {
	uint32_t kinds; /* bit per enum pl_event_kind */
	/* Asked about a code, line and kind as often as it pleases the search, in any order. NULL: all may. */
	bool (*may)(void *context, const struct pl_count *row);
	/* 0: it is; PL_END: it is not; an error ends the search. Asked about all that may be, in the order of the path, also
	 * by a search backwards, of one stretch of it after the other. NULL: all are. */
	int (*is)(void *context, const struct pl_event *event);
	/* Told now and then how far it has come; NULL: nobody wants to know. */
	void (*passes)(void *context, uint64_t seq);
	void *context;
	const volatile sig_atomic_t *
		stop; /* other than 0: the search ends as if there were none; may be NULL; not owned */
};

struct pl_search;
int pl_search_new(struct pl_search **out, struct pl_recording *r, uint32_t process, uint32_t thread,
	const struct pl_wanted *wanted, struct pl_err *err);
void pl_search_free(struct pl_search *s); /* NULL is fine */

/* The first event at or behind `seq` and in front of `end`, which may be UINT64_MAX; the last one in front of `seq` and at or behind `begin`. PL_END: there is none.
 * As those of pl_cursor_next they are valid until the search goes on. */
int pl_search_next(struct pl_search *s, uint64_t seq, uint64_t end, struct pl_event *event,
	struct pl_err *err);
int pl_search_previous(struct pl_search *s, uint64_t seq, uint64_t begin, struct pl_event *event,
	struct pl_err *err);

/* Pass over events while the stack has more than so many frames: from *seq forwards or, `back`, from in front of it backwards. Some
 * events may be left: *seq is somewhere at or in front of the first one (back: behind the last one) that has no more. 0; PL_END: all
 * that there are have more, or the search was stopped; an error. */
int pl_search_shallow(
	struct pl_search *s, uint32_t frames, bool back, uint64_t *seq, struct pl_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
