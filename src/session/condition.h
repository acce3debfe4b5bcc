/* The conditions of stops: `b 12 if qty > 10 and item == 'anvil'`.
 *
 * A name is a variable of the frame, as it is at the event; args.qty is the argument as it was
 * passed. While a search goes on, the events of the stops' codes are put in, so that the variables
 * are known at each hit (bindings.h).
 */
#ifndef PL_SESSION_CONDITION_H
#define PL_SESSION_CONDITION_H

#include "expr/expr.h"
#include "session/bindings.h"

/* Must variables be known for it? */
static inline bool condition_needs_frames(const struct expr *expr)
{
	return expr && expr_needs(expr) & EXPR_ARGS;
}

/* The names that it reads are of interest. 0; PL_ERR_MEMORY. */
int condition_begin(const struct expr *expr, struct bindings *b);
/* 0: it is true at the event, which has its values; PL_END: it is not, or it is not known; or an
 * error. lasting: as in bindings_ask. */
int condition_is_met(struct expr *expr, struct bindings *b, const struct pl_event *e, bool lasting,
	struct pl_err *err);

#endif
