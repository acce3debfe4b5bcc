/* What pl_counts are made of, for cursor.c. */
#ifndef PL_TRACE_COUNTS_H
#define PL_TRACE_COUNTS_H

#include "trace/seek.h"

/* Count on from where the walk stands, as pl_cursor_count. 0; PL_END: to its end. */
int counts_walk(
	struct pl_counts *c, struct walk *w, const struct stride_limit *limit, struct pl_err *err);
/* For pre:cursor-count:same-recording. */
const struct pl_recording *counts_recording(const struct pl_counts *c);

#endif
