/* How often each line of a thread has run, up to a position of it, and in all: the counts that are shown beside the source.
 *
 *	h = hits_new(r, process, thread);
 *	while (nothing else is to do && hits_work(h, seq, &err) == HITS_GOES_ON)
 *		;
 *	hits_of(h, code, counts, lines);
 *
 * Counting 10⁹ lines takes seconds, so it is done step by step, each of some milliseconds, from the thread's start
 * once; what was counted up to every so many events is kept, so that every position is a few steps away from then on. Memory: the lines
 * that ran, so many times as something is kept, a million in all at most.
 */
#ifndef PL_SESSION_HITS_H
#define PL_SESSION_HITS_H

#include "pathline/pathline.h"

struct hits;

/* NULL: no memory. Belongs to the caller, who frees it before the recording is closed. */
struct hits *hits_new(struct pl_recording *r, uint32_t process, uint32_t thread);
void hits_free(struct hits *h); /* NULL is fine */

enum { HITS_READY, HITS_GOES_ON };
/* Do a step of what is to do for the lines before the event with this seq, itself counted. HITS_READY: it was done; HITS_GOES_ON:
 * there is more; an error. */
int hits_work(struct hits *h, uint64_t seq, struct pl_err *err);

/* Of the text that this code came from: counts[n] of line n, of those up to max. Valid for the seq of the last
 * hits_work, once that gave HITS_READY; false before. */
bool hits_of(const struct hits *h, const struct pl_code *of, uint64_t *counts, int32_t max);
/* The same of the whole thread; false until its end was reached once. */
bool hits_in_all(const struct hits *h, const struct pl_code *of, uint64_t *counts, int32_t max);

#endif
