/* A thread's events by their seq, in both directions.
 *
 * A window of them is kept, so that going forward costs what the cursor costs, and going back costs
 * one seek for each window. Seqs may have holes (damaged blocks). A gap that the reader put before
 * an event has that event's seq, so it is left out; so are POSSIBLE rows. So a seq names one event.
 * `task`, and `type` of a mark, are NULL.
 */
#ifndef PL_SESSION_PATH_H
#define PL_SESSION_PATH_H

#include <signal.h>
#include "pathline/pathline.h"

#define PATH_WINDOW 32768u

/* Those with from <= seq < to; `back`: the last one is asked for, not the first. */
struct seqs {
	uint64_t from, to;
	bool back;
};

/* All zero but r, the two numbers and `stop` is ready. */
struct path {
	struct pl_recording *r; /* not owned */
	uint32_t process, thread;
	/* not owned: when it becomes other than 0, whatever goes along the path ends soon, as if
	 * there were no more events; NULL: nothing ends it */
	const volatile sig_atomic_t *stop;
	struct pl_cursor *c;	 /* owned; after the window's last event */
	struct pl_event *events; /* owned, 2 * PATH_WINDOW */
	size_t count;
	uint64_t from, to;	  /* the window has all events with from <= seq < to */
	bool ended;		  /* there were none after the window */
	struct pl_cursor *probe;  /* owned: of path_search */
	struct pl_search *deeper; /* owned: of path_pass_deeper */
};

static inline bool path_stopped(const struct path *p)
{
	return p->stop && *p->stop;
}

void path_release(struct path *p);
/* Forget the window: the recording was refreshed. */
void path_reset(struct path *p);
/* The first event at or after seq; the last one before it. 0, PL_END, an error. Valid until the
 * next call. */
int path_from(struct path *p, uint64_t seq, const struct pl_event **e, struct pl_err *err);
int path_before(struct path *p, uint64_t seq, const struct pl_event **e, struct pl_err *err);
/* What is looked for: the first event for which `is_before` is false; it must be true of all events
 * before that one. */
struct path_key {
	bool (*is_before)(const struct pl_event *e, const void *context);
	const void *context;
	uint64_t near; /* the seq from which the search begins, in both directions; any is right */
};

/* 0, PL_END, an error. It does not read a window, so it costs little in a thread that is asked
 * once. */
int path_search(struct path *p, const struct path_key *key, struct pl_event *e, struct pl_err *err);
/* A seq at or after it, or with `below` at or before it; found quickly if `near` is near. 0 or an
 * error. */
int path_bound(
	struct path *p, const struct path_key *key, bool below, uint64_t *seq, struct pl_err *err);
/* path_before, without a window as well. */
int path_last(struct path *p, uint64_t seq, struct pl_event *e, struct pl_err *err);

/* Pass over events while there are more than `frames` frames, many at once: forward from *seq, or
 * backward from before it, to an event that must be visited (pl_search_shallow). */
int path_pass_deeper(struct path *p, uint32_t frames, bool back, uint64_t *seq, struct pl_err *err);
/* Move *seq, an event of the generator, to where the generator resumes; back: to where it was left.
 * 0, PL_END, an error. */
int path_to_generator(
	struct path *p, const struct pl_event *of, bool back, uint64_t *seq, struct pl_err *err);

#endif
