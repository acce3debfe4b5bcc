/* Events of which only the place is known any more, read again with their values.
 */
#ifndef PL_SESSION_VALUED_H
#define PL_SESSION_VALUED_H

#include "pathline/pathline.h"

/* All zero but r is ready. */
struct valued {
	struct pl_recording *r;	  /* not owned */
	struct pl_cursor *cursor; /* owned; of this thread */
	uint32_t process, thread;
};

/* The event with the kind, seq and thread of `at`, and its values: valid until the next call. 0;
 * PL_END: it is not there; or an error. */
int valued_read(
	struct valued *v, const struct pl_event *at, struct pl_event *out, struct pl_err *err);
/* The stack after the event that was read last, as pl_cursor_stack gives it. */
size_t valued_stack(const struct valued *v, struct pl_frame *frames, size_t max);
/* The exception that the event has; its kind is 0 if it has none. */
struct pl_value valued_exception(const struct pl_event *e);
void valued_release(struct valued *v);

/* What Python writes behind an exception's type in a traceback, from its args: "division by zero",
 * "[Errno 2] No such file or directory". The text has at most max - 1 bytes (max: at least 8), and
 * a NUL; its control characters are escaped. Returns its length; 0: there is no message. */
size_t valued_message(const struct pl_value *exception, const char *type, char *text, size_t max);

#endif
