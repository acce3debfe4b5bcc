/* The events of a process that an expression selects, in the order in which its threads ran.
 *
 *	thread 0 ── search ── 1 a, 4 g ─┐
 *	                                ├─ a d g
 *	thread 1 ── search ── 2 d       ┘
 *
 * Each thread has a search, which passes over what cannot match. What it finds waits until it is
 * its turn, by the number of the run and then of the thread, as a cursor of all threads has it.
 */
#ifndef PL_CMD_SELECTED_H
#define PL_CMD_SELECTED_H

#include "cmd/expression.h"

/* Each thread has blocks in memory, so of more than these a cursor should visit all rows. */
#define SELECTED_THREADS_MAX 64

struct selected {
	struct pl_recording *r;
	struct expression *x; /* its process is the one that is read */
	bool values;	      /* events have their values */
	void *context;
	/* From which seq on? UINT64_MAX: the thread is not wanted. 0 or an error. */
	int (*begin)(void *context, uint32_t thread, uint64_t *seq, struct pl_err *err);
	/* Is no event of the thread wanted from this one on? */
	bool (*is_past)(void *context, const struct pl_event *e);
	/* An event that is selected, or a gap that need not be. 0; PL_END: no further one of this
	 * thread is wanted; or an error. */
	int (*show)(void *context, const struct pl_event *e, bool is_selected);
	const volatile sig_atomic_t *stop; /* if this is not 0, it ends */
};

/* 0 or an error. */
int selected_walk(const struct selected *s, struct pl_err *err);

#endif
