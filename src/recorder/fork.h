/* Where the thread that forks is, for the first event of the child (fork.c). */
#ifndef PL_RECORDER_FORK_H
#define PL_RECORDER_FORK_H

#include "recorder/compat/python.h"
#include "recorder/shadow.h"
#include "recorder/tasks.h"

struct thread;

/* Where a frame was at the fork that made this process. */
struct stood {
	struct task_told task;	   /* the task of which it is the root; number 0: none */
	struct shadow_entry entry; /* as the shadow stack has it */
	uint64_t generator;
	uint32_t number; /* of its code */
	uint32_t unit;
};

/* In a forked child, before anything of the parent is forgotten: keep where this thread is. */
void thread_stands_at_fork(void);
/* The recording ends before this process has begun in it. */
void fork_forget(void);

/* Has the thread that was forked run anything since, without an event? Before an exec it usually
 * has not. */
bool went_on_unheard(void);
/* In the child, before its first event: its frames as they were at the fork. */
uint8_t *write_stood(struct thread *t, uint8_t *p);

#endif
