/* The looks at one thread, in order of time, and the time that each of them represents.
 *
 *      before            sample       next
 *   -----x-----------------x-----------x-----
 *                 |<-- its part -->|
 *
 * The collector does not look evenly: less often at a thread that waits, and while there is no
 * news. So a look has the time halfway to its neighbours, and numbers of looks say little. At the
 * ends of a span its part is longer, since what stands there is known; but not shorter than in the
 * middle: then a line that is short, and is seldom seen, would get less than it took.
 *
 * The look after a long wait comes late, so it misses most short lines that come then. The line
 * that it finds has at least the whole time since the look before: it stands for those that were
 * missed.
 */
#ifndef PL_TRACE_LOOKS_H
#define PL_TRACE_LOOKS_H

#include "trace/samples.h"

/* The time of one look of the sampler, about: so much has the weight of one sample. */
#define LOOK_NS 2e6

struct looks {
	struct samples_walk walk;
	uint32_t thread;
	struct sample sample, next;
	bool has_sample, has_next;
	uint64_t before; /* ticks of the look before, 0: none */
	bool rare;	 /* it was one of a thread that waits, so this look came late */
};

/* To the first look at the thread. 0, or an error. */
int looks_begin(struct looks *l, struct pl_recording *r, uint32_t process, uint32_t thread,
	struct pl_err *err);
int looks_next(struct looks *l, struct pl_err *err);
void looks_release(struct looks *l);

/* The ticks that the sample represents, of those from `from` to `to`, in which it is. */
uint64_t looks_part(const struct looks *l, uint64_t from, uint64_t to);

/* Is it the first look from that time on; the last before that time? */
bool looks_is_first(const struct looks *l, uint64_t from);
bool looks_is_last(const struct looks *l, uint64_t to);
/* Ticks to the look before, and to the next one; 0: there is none. */
uint64_t looks_before(const struct looks *l);
uint64_t looks_after(const struct looks *l);

#endif
