/* Hits: how often each line of a thread has run, up to a position and in all. They are shown beside
 * the source.
 *
 *	h = hits_new(r, process, thread);
 *	while (nothing else is to do && hits_work(h, seq, &err) == HITS_GOES_ON)
 *		;
 *	hits_of(h, code, counts, lines);
 *
 * Counting a billion lines takes seconds, so it is done in steps of some milliseconds, once from
 * the thread's start. The counts at regular distances are kept, so that afterwards every position
 * is a few steps away. Memory: each kept tally has the lines that ran; a million rows in all at
 * most.
 */
#ifndef PL_SESSION_HITS_H
#define PL_SESSION_HITS_H

#include "pathline/pathline.h"

struct hits;

/* NULL: no memory. Belongs to the caller, who frees it before the recording is closed. */
struct hits *hits_new(struct pl_recording *r, uint32_t process, uint32_t thread);
void hits_free(struct hits *h); /* NULL is fine */

enum { HITS_READY, HITS_GOES_ON };
/* Do one step of the work for the lines before the event with this seq, including that event.
 * HITS_READY: it is complete; HITS_GOES_ON: there is more; or an error. */
int hits_work(struct hits *h, uint64_t seq, struct pl_err *err);

/* For the text from which this code was compiled: counts[n] is that of line n, up to max. Valid for
 * the seq of the last hits_work, once that returned HITS_READY; false before. */
bool hits_of(const struct hits *h, const struct pl_code *of, uint64_t *counts, int32_t max);
/* The same for the whole thread; false until its end was reached once. */
bool hits_in_all(const struct hits *h, const struct pl_code *of, uint64_t *counts, int32_t max);

#endif
