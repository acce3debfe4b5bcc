/* The events of one frame with their values, from a position in both directions.
 *
 *	struct frame_path f = {.r = r};
 *	frame_path_begin(&f, &at, depth);
 *	while (frame_path_back(&f, &e, &err) == 0)      at's own first
 *		...                                     the last one is the frame's call
 *
 * The frame of a generator or coroutine goes on before its resumption, where it was left. Only the
 * frame's own events are given, and gaps that lose events; those of deeper frames are passed over,
 * many at once. It costs no window, as a path (path.h) does.
 */
#ifndef PL_SESSION_FRAME_PATH_H
#define PL_SESSION_FRAME_PATH_H

#include "base/buf.h"
#include "session/path.h"

/* All zero but r and stop is ready for frame_path_begin, again and again. */
struct frame_path {
	struct pl_recording *r;		   /* not owned */
	const volatile sig_atomic_t *stop; /* as in struct replay */
	/* back: only what begins a run of the frame is of interest; the events before it are passed
	 * over. Can be set at any time; frame_path_begin clears it. */
	bool to_begin;
	/* its own */
	struct path path;	 /* without a window */
	struct pl_cursor *c;	 /* owned; with values */
	struct pl_event *events; /* owned: of the frame, of the part that was read last */
	size_t count, room, next;
	struct pl_buf bytes; /* values of these events */
	uint32_t depth;	     /* of the frame */
	uint64_t greenlet;
	uint64_t from, to;  /* seqs of the parts that were read */
	uint64_t step;	    /* events of the next part */
	struct pl_event at; /* that of frame_path_begin */
	bool back;	    /* the last call */
	bool begun;	    /* forward */
	bool ended;	    /* the run of the frame has no more events in this direction */
};

/* Frame `depth`, 0 for the bottom one, of the stack at the event. */
void frame_path_begin(struct frame_path *f, const struct pl_event *at, uint32_t depth);
/* Back: the frame's last event at or before `at`, then the ones before it, to its call. Forward:
 * its first one after `at`, then the next ones, to the one that ends it. Between calls of both,
 * begin again. 0; PL_END: there are no more, they are not recorded, or it was stopped; an error. *e
 * is valid until the next call. */
int frame_path_back(struct frame_path *f, const struct pl_event **e, struct pl_err *err);
int frame_path_forward(struct frame_path *f, const struct pl_event **e, struct pl_err *err);
void frame_path_release(struct frame_path *f);

/* Does the frame begin with this event, or go on after it was suspended? */
static inline bool frame_path_enters(const struct pl_event *e)
{
	return e->kind == PL_EVENT_CALL || e->kind == PL_EVENT_OUTSIDE ||
	       e->kind == PL_EVENT_RESUME || e->kind == PL_EVENT_THROW;
}

#endif
