/* Read a recording while it is being written. */
#ifndef PL_CMD_FOLLOW_H
#define PL_CMD_FOLLOW_H

#include <signal.h>
#include <time.h>
#include "pathline/pathline.h"

#define FOLLOW_HELP "go on while the program runs, until it ends or Ctrl-C"

/* From follow_begin on SIGINT sets this, and does not end the command. */
extern volatile sig_atomic_t follow_stopped;
void follow_begin(struct pl_recording *r);

struct selection;
/* CMD_GO; CMD_USAGE after saying which option has no meaning while the recording is written. */
int follow_check(const struct selection *s);

/* Wait until there is more, and refresh. 0; PL_END: the recording is complete, the user pressed
 * Ctrl-C, or nobody reads stdout any more; or an error. */
int follow_wait(struct pl_recording *r, struct pl_err *err);
/* The same for a command that reads all of it again, and began to at that time of CLOCK_MONOTONIC:
 * it does so at most once a second, and takes at most half of the time. */
int follow_wait_again(struct pl_recording *r, const struct timespec *began, struct pl_err *err);
/* Its pause alone: 0; PL_END: the user pressed Ctrl-C, or nobody reads stdout any more. */
int follow_rest(const struct timespec *began);

/* The events of processes as they come. Those of a thread are in their order. What a thread ran is
 * known at its next event that was told, so events of others that ran later can come before. */
struct follow {
	/* in */
	struct pl_recording *r;
	bool values; /* events have them */
	/* Events of p come next. PL_END: they are not wanted; or an error. */
	int (*begin)(void *context, const struct pl_process *p, struct pl_err *err);
	int (*seek)(void *context, struct pl_cursor *c, struct pl_err *err); /* a new one */
	/* c: the cursor that gave it. false: no more */
	bool (*take)(void *context, const struct pl_cursor *c, const struct pl_event *e);
	void (*pause)(void *context); /* all that is there was given */
	void *context;
	/* all zero at the beginning */
	struct pl_cursor **cursors; /* owned; by place of the process in the recording */
	size_t room;
};

/* Until the end. 0, or an error. Everything is released. */
int follow_run(struct follow *f, struct pl_err *err);

#endif
