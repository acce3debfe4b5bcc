/* How far a task is, and how long it will take, shown on stderr if that is a terminal; else
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
/* done: 0 to 1. Shows nothing in the first second, then at most once each tenth of a second. */
void progress_show(struct progress *p, double done);
void progress_end(const struct progress *p);

#endif
