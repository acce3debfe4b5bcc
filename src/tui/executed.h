/* Which files and functions ran, counted in the background: a slice of the recording at a time. */
#ifndef PL_TUI_EXECUTED_H
#define PL_TUI_EXECUTED_H

#include "pathline/pathline.h"

/* All zero but r is ready. */
struct executed {
	struct pl_recording *r; /* not owned */
	/* when done */
	struct pl_count_table table;
	const struct pl_code **files; /* owned: one code of each file, by name */
	size_t file_count;
	bool done;
	/* its own */
	struct pl_counts *counts;
	struct pl_cursor *cursor;
	uint32_t process; /* index */
	int slice;
};

/* Some milliseconds of it. 0: there is more, or it is done; an error. */
int executed_work(struct executed *e, struct pl_err *err);
void executed_release(struct executed *e);

#endif
