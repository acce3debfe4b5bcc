/* Watch a process that is not ours: is it alive, how did it end, and did it become another
 * program? */
#ifndef PL_OS_WATCH_H
#define PL_OS_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct watch {
	int pid;
	int pidfd;	/* becomes readable when it ends; -1: the kernel gave none */
	uint64_t start; /* its start time from /proc: pids are used again, this pair is not */
	uint64_t image; /* hash of what changes at exec; 0: not known */
};

/* false: there is no such process any more. */
bool watch_open(struct watch *w, int pid);
void watch_close(struct watch *w); /* all zero but pidfd -1 is closed */

bool watch_ended(const struct watch *w);
/* After its end: true, with *status as from wait(2); false: the system does not say. */
bool watch_status(const struct watch *w, int *status);
/* It lives, and runs another program than when the watch was opened. */
bool watch_execed(const struct watch *w);

/* The process that is `pid` in another PID namespace, one below ours, as we know it; 0: there is
 * none, or no /proc. */
int watch_find(uint32_t pid, uint32_t pid_space);

/* Has it mapped a file whose path contains `word`? 1: yes, 0: no, -1: asking is not allowed. */
int watch_maps(const struct watch *w, const char *word);

/* Does any process of this user that is no older than this one, but for `except`, have `word` among
 * its environment or its mappings, or does one seem to stay in exec? Waits for those that are in
 * it. The environment is the one that it was started with. */
bool watch_anyone_has(const char *word, int except);

#endif
