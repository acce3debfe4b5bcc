/* Move a walk to a place: by fast-forward as far as possible, then row by row. */
#ifndef PL_TRACE_SEEK_H
#define PL_TRACE_SEEK_H

#include "trace/fast_forward.h"
#include "trace/walk.h"

/* Move to before the first row at or after it. Gaps on the way are not given. */
int walk_seek_seq(struct walk *w, uint64_t seq, struct pl_err *err);
int walk_seek_time(struct walk *w, int64_t time_ns, struct pl_err *err);
int walk_seek_position(struct walk *w, const struct pl_position *p, struct pl_err *err);

/* The first ticks that are not before the time; for INT64_MAX, UINT64_MAX. */
uint64_t walk_ticks_of(const struct pl_recording *r, int64_t time_ns);

/* Go on from where the walk is to the first row at or after the limit; FAST_FORWARD_ALL: to the
 * end. Rows that are not part of a transition are given to `row`. Transitions are in `forward`;
 * `full` must take them from there before they are forgotten. Both return 0, or a result that ends
 * it. */
struct walk_visit {
	struct fast_forward *forward;
	int (*row)(void *context, const struct pl_event *row);
	int (*full)(void *context);
	void *context;
};
/* 0: the walk is there; PL_END: the path ended before. */
int walk_go_on(struct walk *w, const struct fast_forward_limit *limit,
	const struct walk_visit *visit, struct pl_err *err);

#endif
