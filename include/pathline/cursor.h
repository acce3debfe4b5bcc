/* A cursor: a place in the path of one thread, or of a process in the exact order of its threads.
 *
 * A cursor stands between two events. It belongs to the caller, who frees it before the recording
 * is closed.
 */
#ifndef PATHLINE_CURSOR_H
#define PATHLINE_CURSOR_H

#include "pathline/recording.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct pl_cursor;

/* In front of the first event that is there. thread PL_ALL_THREADS: the process in its exact
 * interleaving. */
#define PL_ALL_THREADS UINT32_MAX
int pl_cursor_new(struct pl_cursor **out, struct pl_recording *r, uint32_t process, uint32_t thread,
	struct pl_err *err);
void pl_cursor_free(struct pl_cursor *c); /* NULL is fine */

/* The next event. PL_END behind the last one (of a live recording: so far). A damaged block is a
 * gap event. */
int pl_cursor_next(struct pl_cursor *c, struct pl_event *event, struct pl_err *err);

/* Behind PL_END of a live recording, with a cursor on one thread: a gap where the thread was last seen, then what may have
 * happened since as POSSIBLE rows, one a call; PL_END: no more. The cursor stays where it is, and pl_cursor_next goes on from
 * there. */
int pl_cursor_possible(struct pl_cursor *c, struct pl_event *event, struct pl_err *err);

/* Stand in front of the first event at or after it. Seeking by seq and position needs a cursor on
 * one thread. */
int pl_cursor_seek_time(struct pl_cursor *c, int64_t time_ns, struct pl_err *err);
int pl_cursor_seek_seq(struct pl_cursor *c, uint64_t seq, struct pl_err *err);
int pl_cursor_seek_position(struct pl_cursor *c, const struct pl_position *p, struct pl_err *err);

struct pl_frame {
	const struct pl_code *code;
	int32_t line;	    /* where it stands, 0 where it has no line */
	uint32_t offset;    /* code unit, UINT32_MAX where not known */
	uint64_t generator; /* 0 for a plain function */
	const char *task;   /* set on the frame that is the root of a task: its name */
	bool linked;	    /* it is on the stack, but no event told of its entry */
	uint64_t task_id;   /* likewise, its number */
};
/* The stack behind the last event given, the bottom frame first; gives its depth, fills at most max
 * frames. */
size_t pl_cursor_stack(const struct pl_cursor *c, struct pl_frame *frames, size_t max);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
