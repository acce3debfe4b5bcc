/* Writes of a variable, or of a part of it, in one frame: the events that show it first with
 * another value.
 */
#ifndef PL_SESSION_WRITES_H
#define PL_SESSION_WRITES_H

#include "session/variables.h"

/* Which variable of which frame; from where. */
struct write_search {
	struct pl_recording *r;		   /* not owned */
	const volatile sig_atomic_t *stop; /* as in struct replay */
	const char *name;		   /* a path (value_path.h); not owned */
	uint32_t depth;			   /* of the frame, as in variables_at */
	bool back;
};

#define WRITE_TEXT_BYTES 256

struct write_found {
	uint64_t shown;		     /* seq of the event that shows it first */
	uint64_t seq;		     /* of the line that wrote it; not known: as `shown` */
	int32_t line;		     /* as in struct variable */
	char text[WRITE_TEXT_BYTES]; /* the value that it wrote */
};

/* From the event `at`. A line that begins there is one that has not written yet, and forward its
 * own write does not count. 0; PL_END: there is none in this frame, or it was stopped; an error. */
int write_find(const struct write_search *w, const struct pl_event *at, struct write_found *found,
	struct pl_err *err);
/* Was the path's variable written when this event came, which has it among its own, so that the
 * path leads to another value? 0, PL_END: it was not; an error. v: for questions; reused. */
int write_is_shown(
	struct variables *v, const struct pl_event *e, const char *name, struct pl_err *err);

#endif
