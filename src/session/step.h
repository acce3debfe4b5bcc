/* Steps along one thread's path: to the next line, over calls, out of a frame, and all of these
 * backward.
 *
 * After a frame was left, the frame to which it returned is the wanted one. A coroutine that
 * suspends is not left: its own next line counts, whatever other tasks run meanwhile. A generator
 * that yields is left.
 */
#ifndef PL_SESSION_STEP_H
#define PL_SESSION_STEP_H

#include "session/path.h"

enum step { STEP_LINE, STEP_NEXT, STEP_OUT };

/* From the event `at` to where this step leads. 0, PL_END: there is no such line, or the
 * path's `stop` became other than 0; an error. */
int step_forward(struct path *p, const struct pl_event *at, enum step step, struct pl_event *to,
	struct pl_err *err);
int step_back(struct path *p, const struct pl_event *at, enum step step, struct pl_event *to,
	struct pl_err *err);

#endif
