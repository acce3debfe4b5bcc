/* A cursor: a place between two events, in the path of one thread, or in that of a process with its
 * threads in their exact order.
 *
 * A cursor belongs to the caller, who frees it before closing the recording. Functions that can
 * fail return 0, PL_END or a negative enum pl_error. Only the thread that uses the recording may
 * use its cursors.
 */
#ifndef PATHLINE_CURSOR_H
#define PATHLINE_CURSOR_H

#include "pathline/recording.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct pl_cursor;

#define PL_ALL_THREADS UINT32_MAX
/* Make a cursor, before the first event that the recording still has. `process` and `thread` are
 * numbers of the recording. With PL_ALL_THREADS it gives the events of all threads of the process,
 * in the order in which they ran. */
int pl_cursor_new(struct pl_cursor **out, struct pl_recording *r, uint32_t process, uint32_t thread,
	struct pl_err *err);
void pl_cursor_free(struct pl_cursor *c); /* NULL is fine */

/* Give the next event, and move over it. PL_END: there is none (in a live recording: so far). A
 * damaged block is a gap event. */
int pl_cursor_next(struct pl_cursor *c, struct pl_event *event, struct pl_err *err);

/* Give events their values (values.h), or no more. Without them no block's values are unpacked. */
void pl_cursor_want_values(struct pl_cursor *c, bool wanted);

/* After PL_END of a live recording, with a cursor on one thread: each call gives one row of what
 * may have happened since. The first is a gap, at the place where the thread was last seen; the
 * others are of kind PL_EVENT_POSSIBLE. PL_END: there are no more. The cursor does not move. */
int pl_cursor_possible(struct pl_cursor *c, struct pl_event *event, struct pl_err *err);

/* Move to before the first event at or after the given one. time_ns: CLOCK_REALTIME in ns. For seq
 * and position the cursor must be on one thread. */
int pl_cursor_seek_time(struct pl_cursor *c, int64_t time_ns, struct pl_err *err);
int pl_cursor_seek_seq(struct pl_cursor *c, uint64_t seq, struct pl_err *err);
int pl_cursor_seek_position(struct pl_cursor *c, const struct pl_position *p, struct pl_err *err);

struct pl_frame {
	const struct pl_code *code;
	int32_t line;	    /* at which the frame is, 0: it has none */
	uint32_t offset;    /* code unit, UINT32_MAX: not known */
	uint64_t generator; /* 0 for a plain function */
	const char *task;   /* name of the task whose root this frame is, else NULL */
	bool linked;	    /* the frame is on the stack, but its entry was not recorded */
	uint64_t task_id;   /* number of the task whose root this frame is, else 0 */
};
/* The stack after the last event that the cursor gave, the bottom frame first; after a gap ATTACHED
 * the one that was found then. Returns its depth and fills at most `max` frames. */
size_t pl_cursor_stack(const struct pl_cursor *c, struct pl_frame *frames, size_t max);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
