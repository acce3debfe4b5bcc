/* The condition of a stop: `b 12 if qty > 10 and item == 'anvil'`.
 *
 * A name is a variable of the frame, as it is at the event; args.qty is the argument as it was
 * passed. Of a call the event itself has these; else the frame is gone back in (variables.h), so
 * what a row decides is asked before.
 */
#ifndef PL_SESSION_CONDITION_H
#define PL_SESSION_CONDITION_H

#include "expr/expr.h"
#include "session/variables.h"

/* 0: it is true at the event, which has its values; PL_END: it is not, or it is not known; or an
 * error. looked: all zero, or from the last time. */
int condition_is_met(struct expr *expr, struct variables *looked, const struct path *p,
	const struct pl_event *e, struct pl_err *err);

#endif
