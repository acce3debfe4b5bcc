/* Tasks along one thread's path: asyncio's, trio's and greenlets. */
#ifndef PL_SESSION_TASKS_H
#define PL_SESSION_TASKS_H

#include <signal.h>
#include "pathline/pathline.h"

/* Which task: by its number, or where that is 0 by its name. Longer names are cut. */
struct task_name {
	uint64_t number;
	char text[128];
};

/* Is it the task with this number and name (NULL: none)? */
bool tasks_same(uint64_t number, const char *name, const struct task_name *task);

/* As a person reads it: "3 worker"; of a recording of before format 1.9 "worker"; "" : no task. */
#define TASK_TEXT_BYTES 160
void tasks_text(const struct task_name *task, char text[TASK_TEXT_BYTES]);

struct tasks {
	struct pl_recording *r; /* not owned */
	uint32_t process, thread;
	bool greenlets; /* the thread has some: then every frame may be of a task, else those that can be awaited */
	const volatile sig_atomic_t *stop; /* as in pathline/search.h */
};

/* The first line at or behind seq and in front of `bound`, or backwards the last one in front of seq and at or behind it, of this
 * task or (`other`) of another one, which is given. 0, PL_END, an error. */
struct task_wanted {
	struct task_name task;
	bool other, back;
	uint64_t seq, bound;
};
int tasks_find(const struct tasks *t, const struct task_wanted *wanted, uint64_t *seq,
	struct task_name *found, struct pl_err *err);
/* All of them, in the order in which they began, with the last name of each: fills at most max, and gives how many it filled. 0 or an error. */
int tasks_list(const struct tasks *t, struct task_name *names, size_t max, size_t *count,
	struct pl_err *err);
/* That of the event with this seq; number 0 and "": none. */
int tasks_at(const struct tasks *t, uint64_t seq, struct task_name *name, struct pl_err *err);

#endif
