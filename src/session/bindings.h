/* What the frames of a thread bind to some names, kept up while its events are gone through.
 *
 *	bindings_begin(&b);
 *	bindings_name(&b, name);                     those that are of interest
 *	bindings_put(&b, &event)                     each event of the code, in the path's order
 *	bindings_ask(&b, &event, true, &frame, &err)
 *	bindings_find(&b, frame, name)               its value after the event
 *
 * To go back in a frame for its variables (variables.h) takes about a millisecond, and a line can
 * run millions of times. So this is done once, for a frame that was there before the first event,
 * or before a gap; from then on its own events tell what changed.
 */
#ifndef PL_SESSION_BINDINGS_H
#define PL_SESSION_BINDINGS_H

#include "base/map.h"
#include "session/variables.h"

struct bound_name;
struct bound_frame;

/* All zero but the first two is ready for bindings_begin. */
struct bindings {
	struct pl_recording *r;		   /* not owned */
	const volatile sig_atomic_t *stop; /* as in struct replay */
	/* its own */
	struct bound_name *names; /* owned */
	size_t name_count, name_room;
	struct pl_map frames;	 /* owned, with its frames */
	uint64_t epoch;		 /* frames of an earlier one are not known */
	uint64_t seq;		 /* of the last event */
	struct variables before; /* of a frame that is gone back in */
	struct frame_path path;
};

/* Kinds of events that must be put in; `lines`: values of lines may have been kept. */
uint32_t bindings_kinds(bool lines);

/* Forget all: events of another place come next, and other names are of interest. */
void bindings_begin(struct bindings *b);
/* The name must last until the next begin. 0; PL_ERR_MEMORY. */
int bindings_name(struct bindings *b, struct pl_text name);
/* 0; PL_ERR_MEMORY. An event that is before the last one begins another place. */
int bindings_put(struct bindings *b, const struct pl_event *e);
/* The event's frame; it was put in, and so are the others of its code: `lasting`. Else it is gone
 * back in. *frame is valid until the next call. 0; PL_END: it was stopped; an error. */
int bindings_ask(struct bindings *b, const struct pl_event *e, bool lasting,
	const struct bound_frame **frame, struct pl_err *err);
/* NULL: it is not bound, or that is not known. */
const struct pl_value *bindings_find(
	const struct bindings *b, const struct bound_frame *frame, struct pl_text name);
/* The arguments of its call; NULL: they are not known. */
const struct pl_values *bindings_arguments(const struct bound_frame *frame);
void bindings_release(struct bindings *b);

#endif
