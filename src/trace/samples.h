/* Samples in order of time, in ticks, for the public cursor and times.c. One record is open at a
 * time. */
#ifndef PL_TRACE_SAMPLES_H
#define PL_TRACE_SAMPLES_H

#include "format/samples.h"
#include "trace/recording.h"

/* All zero except r and process is valid. */
struct samples_walk {
	struct pl_recording *r;
	uint32_t process;
	uint64_t next; /* number of the next record, dropped ones counted */
	struct pl_view rows;
	uint64_t ticks;
	struct pl_buf bytes, room; /* owned */
};

/* PL_END: there is none, so far. */
int samples_walk_next(struct samples_walk *w, struct sample *out, struct pl_err *err);
void samples_walk_release(struct samples_walk *w);

/* For check.c: can it be read completely? 0, PL_ERR_FORMAT, or an error that ends reading. */
int samples_check(struct pl_recording *r, const struct sample_ref *ref, struct pl_err *err);

#endif
