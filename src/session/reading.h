/* A reading: calls, results and exceptions of all threads as one list, in the order in which they
 * ran, of which a window is kept.
 *
 *	reading_go_begin(&l, &err);
 *	for (int64_t n = 0; reading_row(&l, n, &row, &err) == 0; n++)
 *		…                                    row 0 is where it went; those before it: -1, -2
 *
 * Each thread has a lane (lane.h), and they are merged as rows are asked for: within a process by
 * the exact order of its threads, between processes by time. So nothing is counted or read that
 * nobody sees, and a list of 10^8 rows begins at once at either end and anywhere between. A window
 * that has moved away and comes back can have rows of several processes, whose times contradict
 * their orders, in another order than before; none is lost, and none is there twice.
 */
#ifndef PL_SESSION_READING_H
#define PL_SESSION_READING_H

#include "session/lane.h"

#define READING_ROWS 1024
/* Kinds that a person reads calls by. */
#define READING_KINDS                                                                              \
	(1u << PL_EVENT_CALL | 1u << PL_EVENT_RETURN | 1u << PL_EVENT_YIELD |                      \
		1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW | 1u << PL_EVENT_UNWIND |             \
		1u << PL_EVENT_RAISE | 1u << PL_EVENT_RERAISE | 1u << PL_EVENT_GAP |               \
		1u << PL_EVENT_MARK)

/* All zero but the rules is ready for reading_go…; the rules stay the same after that. */
struct reading {
	struct reading_rules rules;
	/* Which threads? NULL: all. With the context of the rules. */
	bool (*wants)(void *context, const struct pl_thread *t);
	struct lane **lanes; /* owned */
	size_t lane_count;
	struct reading_row *rows; /* owned: the window; the one with number n is n % READING_ROWS */
	int64_t first;		  /* its first number */
	size_t used;
};

/* Row 0 is then the first one of all; the one after the last of all, so that -1 is the last; the
 * first one at or after an event, in the event's thread at or after its seq. 0 or an error. */
int reading_go_begin(struct reading *l, struct pl_err *err);
int reading_go_end(struct reading *l, struct pl_err *err);
int reading_go_event(struct reading *l, const struct pl_event *e, struct pl_err *err);
/* The row with this number, which should be near to one that was asked for before; valid until
 * another call. 0; PL_END: there is none, or it was stopped; an error. */
int reading_row(
	struct reading *l, int64_t number, const struct reading_row **row, struct pl_err *err);
/* The recording was refreshed. 0 or an error. */
int reading_grown(struct reading *l, struct pl_err *err);
/* Forget everything but the rules: these may change now. */
void reading_release(struct reading *l);

#endif
