/* A profile in parts: each worker takes a part of every thread's blocks, with a recording of its
 * own, and the results are merged.
 *
 *	thread 0    blocks | 0 ... 511 | 512 ... 1023 |      worker 0 | worker 1
 *
 * A block opens with the stack, so contexts are the same wherever a part begins. What is not known
 * there is since when a frame is on its line, and since when the frame is there. So that is kept at
 * the border, and the two halves of a pass or call are joined at the end.
 */
#ifndef PL_TRACE_PARTS_H
#define PL_TRACE_PARTS_H

#include "trace/profile.h"

/* How many workers the profile is worth; 1: it cannot be divided. */
uint32_t parts_count(const struct pl_recording *r, const struct pl_profile_wanted *wanted);

/* The first block of this part of a thread, as an index of its list; for part == parts, the number
 * of blocks. */
size_t parts_edge(const struct thread_entry *t, uint32_t part, uint32_t parts);

/* Gather all parts into p, which is the first one. Results as pl_profile_new; PL_END + 1: it was
 * stopped. */
int parts_gather(struct pl_profile *p, uint32_t parts, struct pl_err *err);

/* At the border of a part: keep what its frames are on, or note the end of what began in an earlier
 * part. */
void parts_keep_open(struct pl_profile *p);
void parts_note_end(struct pl_profile *p, const struct profile_border *end);

#endif
