/* The event at which a line of a report ran, so that `j #SEQ` of replay goes there. */
#ifndef PL_CMD_LINE_AT_H
#define PL_CMD_LINE_AT_H

#include <stdbool.h>
#include "pathline/pathline.h"

struct line_at {
	uint32_t process, thread;
	const struct pl_code *code;
	int32_t line;
	uint64_t from_seq, before_seq; /* for line_at_seq */
	int64_t from_ns, to_ns;	       /* for line_at_longest: times of events, the earliest ones */
};

/* The last event of the line between those two: its seq; false: no event says that it ran then. */
bool line_at_seq(struct pl_recording *r, const struct line_at *at, uint64_t *seq);

/* The longest pass of a line, or with line 0 the longest call of a function, from the times of its
 * pl_longest. The seq of the event at which it began; false: it is not known. */
bool line_at_longest(struct pl_recording *r, const struct line_at *at, uint64_t *seq);

#endif
