/* How far something has come, and how long it will take, on a terminal at stderr; elsewhere
 * nothing. */
#ifndef PL_CMD_PROGRESS_H
#define PL_CMD_PROGRESS_H

#include <stdbool.h>
#include <time.h>

struct progress {
	struct timespec begin;
	bool wanted;
	double shown; /* seconds after that; 0: not yet */
};

struct progress progress_begin(void);
/* done: 0 to 1. The first second shows nothing, and then each tenth of one does. */
void progress_show(struct progress *p, double done);
void progress_end(const struct progress *p);

#endif
