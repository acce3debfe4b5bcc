/* The inside of pl_counts, for cursor.c. */
#ifndef PL_TRACE_COUNTS_H
#define PL_TRACE_COUNTS_H

#include "trace/seek.h"

/* Count from where the walk is, as pl_cursor_count. 0; PL_END: up to its end. */
int counts_walk(struct pl_counts *c, struct walk *w, const struct fast_forward_limit *limit,
	struct pl_err *err);
/* For pre:cursor-count:same-recording. */
const struct pl_recording *counts_recording(const struct pl_counts *c);

#endif
