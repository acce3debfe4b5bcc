/* Why an expression selected nothing: the part that is never true, and what there is instead.
 *
 *	module == 'ordes%' matches nothing; nearest: orders, 1,204 calls
 *	no function has an argument qyt; nearest: qty
 *	args.qty > 10 is never true; it is 1 to 9
 *
 * For names it counts what ran, which reads the recording once more, without visits. For values it
 * needs to have been asked about all that was read.
 */
#ifndef PL_EXPR_NOTHING_H
#define PL_EXPR_NOTHING_H

#include "expr/expr.h"

#define EXPR_NOTHING_BYTES 512

/* Into text; "": no part by itself is the reason. 0, or an error. */
int expr_nothing(
	struct expr *e, struct pl_recording *r, char text[EXPR_NOTHING_BYTES], struct pl_err *err);

#endif
