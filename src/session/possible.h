/* What may have run without an event: after the last event of a thread whose path breaks off, since
 * its process was killed or still runs. */
#ifndef PL_SESSION_POSSIBLE_H
#define PL_SESSION_POSSIBLE_H

#include <stdbool.h>
#include "pathline/pathline.h"

struct possible_line {
	const struct pl_code *code; /* the recording's */
	int32_t line;
};

/* All zero is none. */
struct possible {
	struct possible_line *rows; /* owned */
	size_t count, room;
};

/* Add the lines that may have run then in this thread, or with PL_ALL_THREADS in all of the
 * process, and those in which samples saw them. 0 or an error. */
int possible_add(struct possible *p, struct pl_recording *r, uint32_t process, uint32_t thread,
	struct pl_err *err);
bool possible_has(const struct possible *p, const struct pl_code *of, int32_t line);
void possible_release(struct possible *p);

#endif
