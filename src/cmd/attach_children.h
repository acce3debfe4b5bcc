/* The Pythons that an attached program starts by exec: subprocess, multiprocessing by spawn. What
 * it forks is recorded without that.
 *
 *	each look   /proc: all processes below the program
 *	            a Python whose interpreter has begun, and that is not recorded -> it is attached
 *
 * Nothing is changed in the program for that, so the first few hundredths of a second of each of
 * them are missing.
 */
#ifndef PL_CMD_ATTACH_CHILDREN_H
#define PL_CMD_ATTACH_CHILDREN_H

#include <stdbool.h>
#include "attach/target.h"
#include "collector/collector.h"

#define CHILDREN_MAX 1024

/* All zero but the first three: none is known. */
struct attach_children {
	struct arena_head *head;
	const struct target *program;
	const char *arena; /* path, for the program and for them */
	struct attach_child {
		int pid;
		unsigned looks;
		uint64_t image;	 /* target_image */
		bool done;	 /* it was sent for, or never will be */
		int64_t held_ns; /* for which it was held; 0: it was not, or that is noted */
	} known[CHILDREN_MAX];
	unsigned count;
};

void attach_children_look(struct attach_children *c);

#endif
