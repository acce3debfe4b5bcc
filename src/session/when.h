/* When: a time or a seq in a recording, as people write it.
 *
 *	10:52:01.5 | 2026-11-21 10:52 | 1795258321.5 | +1.5 | +100ms | -1h | 42% | #4711
 *
 * A clock time is local, on the recording's first day (or on the next, if only that is within it).
 * A date with a Z is UTC. A bare number is of seconds since 1970, and of ten digits at least:
 * shorter ones are meant otherwise. #seq counts in each thread.
 */
#ifndef PL_SESSION_WHEN_H
#define PL_SESSION_WHEN_H

#include "pathline/pathline.h"

struct when {
	enum { WHEN_NONE, WHEN_TIME, WHEN_SEQ } kind;
	int64_t time_ns;
	uint64_t seq;
};

/* What it is counted from. */
struct when_scale {
	const struct pl_recording_info *info; /* not owned */
	int64_t from_ns;		      /* + and - */
	bool back;			      /* - is taken */
	int64_t start_ns, end_ns;	      /* 0% and 100%; end before start: not known */
};

/* Of the whole recording: + counts from its start. */
static inline struct when_scale when_scale_of(const struct pl_recording_info *info)
{
	return (struct when_scale){.info = info,
		.from_ns = info->start_ns,
		.start_ns = info->start_ns,
		.end_ns = info->end_ns};
}

/* As a refusal names them: the forms that are accepted, without - and seq. */
#define WHEN_FORMS "10:52:01.5, 2026-11-21 10:52, +1.5, +100ms, 42%"

/* false: it is none of these. */
bool when_read(const char *text, const struct when_scale *scale, struct when *w);

#endif
