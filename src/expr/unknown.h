/* A name that is no field, with what there is instead.
 *
 *	qty is not a field; the argument is args.qty
 *	total is a variable; an expression has fields and arguments alone; …
 *
 * For that it counts what ran, and reads the first variables.
 */
#ifndef PL_EXPR_UNKNOWN_H
#define PL_EXPR_UNKNOWN_H

#include "expr/expr.h"

/* Into fault->what, if its `unknown` is set. `recording`: " " and its name, with which a command
 * that is named there ends; or "". 0; or an error, then it is as before. */
int expr_unknown(struct expr_fault *fault, struct pl_recording *r, const char *recording,
	struct pl_err *err);

#endif
