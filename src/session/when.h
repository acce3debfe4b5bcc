/* When: a time or a seq in a recording, as people write it.
 *
 *	10:52:01.5 | 2026-11-21 10:52 | 1795258321.5 | +1.5 | #4711
 *
 * A clock time is local, on the recording's first day (or on the next, if only that is within it).
 * A date with a Z is UTC. +seconds count from the recording's start. #seq counts in each thread.
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
