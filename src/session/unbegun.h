/* A program that did not begin: Python could not read or compile it, and said so. What is recorded
 * then is how that was printed, or how the interpreter ended.
 */
#ifndef PL_SESSION_UNBEGUN_H
#define PL_SESSION_UNBEGUN_H

#include "pathline/pathline.h"

/* Is the process such a one, as far as its path says? */
bool unbegun_is(struct pl_recording *r, const struct pl_process *p);

#endif
