/* Which files and functions ran, counted one slice of the recording at a time, so that it can be
 * done in the background and can be interrupted. */
#ifndef PL_SESSION_EXECUTED_H
#define PL_SESSION_EXECUTED_H

#include "session/possible.h"

/* All zero but r is ready. */
struct executed {
	struct pl_recording *r; /* not owned */
	/* valid when done */
	struct pl_count_table table;
	const struct pl_code **files; /* owned: one code of each file, by name */
	size_t file_count;
	struct possible possible; /* owned: at the ends of the paths of all threads */
	bool done;
	/* its own */
	struct pl_counts *counts;
	struct pl_cursor *cursor;
	uint32_t process; /* index */
	int slice;
};

/* Count one slice, which takes some milliseconds. 0: there is more, or it is done; an error. */
int executed_work(struct executed *e, struct pl_err *err);
void executed_release(struct executed *e);

/* Did the program run already when it was attached? `attach` ends the command with this word. */
bool executed_ran_before(const struct pl_recording_info *i);
/* Is nothing of the path missing? Then what is neither counted nor possible never ran; else that is
 * not known. */
bool executed_is_whole(const struct pl_recording *r);

#endif
