/* An expression (expr/expr.h) that selects rows of a lane.
 *
 * What ends a call is asked about with the call's arguments and its time, which were put aside when
 * the call went by. A lane goes back in stretches and jumps, so a call may not have gone by: then
 * it is looked for (frame_path.h), and what is selected does not depend on the way there.
 */
#ifndef PL_SESSION_LANE_FILTER_H
#define PL_SESSION_LANE_FILTER_H

#include "expr/frames.h"
#include "session/frame_path.h"

/* All zero but the first four is valid. */
struct lane_filter {
	struct pl_recording *r;		   /* not owned */
	const volatile sig_atomic_t *stop; /* not owned; may be NULL */
	struct expr *expr;		   /* not owned; NULL: everything is selected */
	struct pl_position of;		   /* the lane's process and thread */
	struct frames frames;
	struct frame_path path;
};

/* What pl_wanted needs; kinds: those that rows have. */
uint32_t lane_filter_kinds(const struct lane_filter *f, uint32_t kinds);
bool lane_filter_may(struct lane_filter *f, const struct pl_count *row);
/* Is it selected? Events are given in their order. 0, PL_END, an error. */
int lane_filter_ask(struct lane_filter *f, const struct pl_event *e, struct pl_err *err);
/* Events of another place come next. */
void lane_filter_jump(struct lane_filter *f);
void lane_filter_release(struct lane_filter *f);

#endif
