/* Samples in the order in which they were taken, as ticks: what the public cursor and times.c read.
 * One record is open at a time. */
#ifndef PL_TRACE_SAMPLES_H
#define PL_TRACE_SAMPLES_H

#include "format/samples.h"
#include "trace/recording.h"

/* All zero but r and process is ready. */
struct samples_walk {
	struct pl_recording *r;
	uint32_t process;
	uint64_t next; /* record, dropped ones counted */
	struct pl_view rows;
	uint64_t ticks;
	struct pl_buf bytes, room; /* owned */
};

/* PL_END: no more, so far. */
int samples_walk_next(struct samples_walk *w, struct sample *out, struct pl_err *err);
void samples_walk_release(struct samples_walk *w);

/* For check.c: can it be read to its end? 0, PL_ERR_FORMAT, or what ends the reading. */
int samples_check(struct pl_recording *r, const struct sample_ref *ref, struct pl_err *err);

#endif
