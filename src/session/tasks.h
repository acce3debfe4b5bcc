/* Tasks along one thread's path: asyncio's, and greenlets. Which one runs is known from the first line behind its entry on. */
#ifndef PL_SESSION_TASKS_H
#define PL_SESSION_TASKS_H

#include <signal.h>
#include "pathline/pathline.h"

/* Longer names are cut. */
struct task_name {
	char text[128];
};

/* Is it the name of that, which may be cut? */
bool tasks_same(const char *name, const char *cut);

struct tasks {
	struct pl_recording *r; /* not owned */
	uint32_t process, thread;
	bool greenlets; /* the thread has some: then every frame may be of a task, else those that can be awaited */
	const volatile sig_atomic_t *stop; /* as in pathline/search.h */
};

/* The first line at or behind seq and in front of `bound`, or backwards the last one in front of seq and at or behind it, of this
 * task or (`other`) of another one, whose name is given. 0, PL_END, an error. */
struct task_wanted {
	const char *name;
	bool other, back;
	uint64_t seq, bound;
};
int tasks_find(const struct tasks *t, const struct task_wanted *wanted, uint64_t *seq,
	struct task_name *found, struct pl_err *err);
/* All of them, in the order in which they began: fills at most max, and gives how many it filled. 0 or an error. */
int tasks_list(const struct tasks *t, struct task_name *names, size_t max, size_t *count,
	struct pl_err *err);
/* That of the event with this seq; "": none, or it is not known yet. */
int tasks_at(const struct tasks *t, uint64_t seq, struct task_name *name, struct pl_err *err);

#endif
