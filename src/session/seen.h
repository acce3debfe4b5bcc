/* Where threads were seen after their last events: the collector looks at them from outside, also
 * while they stay in one line for ever. */
#ifndef PL_SESSION_SEEN_H
#define PL_SESSION_SEEN_H

#include <stdbool.h>
#include "session/path.h"

struct seen {
	int64_t after_ns;	    /* in: looks before this time do not matter */
	bool wanted;		    /* in */
	const struct pl_code *code; /* of the last look, the recording's; NULL: it was not seen */
	int32_t line;
	bool waiting;		/* in all looks in a row that found it there, the last ones */
	int64_t from_ns, to_ns; /* of these looks */
};

/* Fill `count` rows, one for each thread of the process, from thread 0 on. 0 or an error. */
int seen_last(struct pl_recording *r, uint32_t process, struct seen *rows, uint32_t count,
	struct pl_err *err);
/* Fill in what is asked for the thread of the path: looks after its last event. It is not wanted if
 * no frame is left then. */
void seen_ask(struct path *path, struct seen *row);

/* "line 7 of inner, waiting for 3.9 s". */
#define SEEN_BYTES 200
void seen_text(const struct seen *seen, char text[SEEN_BYTES]);

#endif
