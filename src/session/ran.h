/* The lines that a frame ran last, up to an event of it: each line once, in the order in which they
 * ran last, with the number of its passes.
 */
#ifndef PL_SESSION_RAN_H
#define PL_SESSION_RAN_H

#include <signal.h>
#include "pathline/pathline.h"

#define RAN_LINES 5

struct ran_line {
	int32_t line;
	uint64_t seq;	 /* of its last pass */
	uint64_t passes; /* by this call of the frame */
};

struct ran {
	struct ran_line lines[RAN_LINES];
	size_t count;
	bool less; /* the frame's begin was not looked for: there may be more passes */
};

/* Of the frame of `at`: its code, depth, generator and greenlet. 0 or an error; `stop` is as in
 * pathline/search.h. */
int ran_before(struct pl_recording *r, const struct pl_event *at, const volatile sig_atomic_t *stop,
	struct ran *out, struct pl_err *err);

/* Are both events of one frame? Generators keep their identity while their depth changes. */
bool ran_in_one_frame(const struct pl_event *a, const struct pl_event *b);

#endif
