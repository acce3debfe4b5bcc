/* A profile in parts: each worker has a part of every thread's blocks, and a recording of its own, and what they found is put
 * together.
 *
 *	thread 0    blocks | 0 … 511 | 512 … 1023 |      worker 0 | worker 1
 *
 * Blocks open with the stack, so contexts are the same wherever one begins. What is not known there is since when a frame stands on
 * its line, and since when it is there: that is kept at the border, and the two halves of a pass or call are joined at the end.
 */
#ifndef PL_TRACE_PARTS_H
#define PL_TRACE_PARTS_H

#include "trace/profile.h"

/* How many workers the profile is worth: 1 where it must be whole. */
uint32_t parts_count(const struct pl_recording *r, const struct pl_profile_wanted *wanted);

/* The first block of the part of a thread, by its place in the list; of `parts` the number of blocks. */
size_t parts_edge(const struct thread_entry *t, uint32_t part, uint32_t parts);

/* Gather all parts into p, which is the first one. As pl_profile_new; PL_END + 1: it was stopped. */
int parts_gather(struct pl_profile *p, uint32_t parts, struct pl_err *err);

/* At the border of a part: what its frames are on, or what came to an end that began in an earlier one. */
void parts_keep_open(struct pl_profile *p);
void parts_note_end(struct pl_profile *p, const struct profile_border *end);

#endif
