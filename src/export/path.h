/* From the path of a thread to slices and points: export.h says what these are.
 *
 * Where the path has a gap, the slices that the stack does not have any more end, and those of
 * frames that it has for the first time begin. Each says so: no event begins or ends it.
 */
#ifndef PL_EXPORT_PATH_H
#define PL_EXPORT_PATH_H

#include "export/export.h"

struct export_path {
	struct export *x; /* not owned */
	bool lines;	  /* a slice for each line, too */
	/* In: called for each event. Is what begins with it, or the point that it is, wanted? 0,
	 * PL_END: no, or an error. NULL: everything is. */
	int (*wants)(void *context, const struct pl_event *e);
	/* Is the event after the last wanted one? The thread ends there. NULL: none is. */
	bool (*is_past)(void *context, const struct pl_event *e);
	void *context;
	uint32_t tracks; /* begun so far */
	uint64_t slices;
};

/* Go along the path of a thread, from the cursor on, which is on this thread. 0, PL_END: the sink
 * wants no more; or an error. */
int export_path_thread(struct export_path *path, struct pl_cursor *c, const struct pl_process *p,
	const struct pl_thread *t, struct pl_err *err);

#endif
