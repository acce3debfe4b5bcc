/* Moments of a recording, as people write them.
 *
 *	10:52:01.5 | 2026-11-21 10:52 | 1795258321.5 | +1.5 | #4711
 *
 * A clock time is local and of the recording's first day (or of the next, when only that lies
 * within it); with a Z after a date it is UTC; +seconds count from the recording's start; #seq
 * counts in each thread.
 */
#ifndef PL_SESSION_WHEN_H
#define PL_SESSION_WHEN_H

#include "pathline/pathline.h"

struct when {
	enum { WHEN_NONE, WHEN_TIME, WHEN_SEQ } kind;
	int64_t time_ns;
	uint64_t seq;
};

/* false: it is none of these. */
bool when_read(const char *text, const struct pl_recording_info *info, struct when *w);

#endif
