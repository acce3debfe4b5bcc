/* Tasks along one thread's path: asyncio's, trio's and greenlets. */
#ifndef PL_SESSION_TASKS_H
#define PL_SESSION_TASKS_H

#include <signal.h>
#include "session/path.h"

/* Which task: by its number, or if that is 0 by its name. Longer names are cut. */
struct task_name {
	uint64_t number;
	char text[128];
};

/* Is it the task with this number and name (NULL: none)? */
bool tasks_same(uint64_t number, const char *name, const struct task_name *task);

/* As a person reads it: "3 worker"; if the recording is older than format 1.9, "worker"; "": no
 * task. */
#define TASK_TEXT_BYTES 160
void tasks_text(const struct task_name *task, char text[TASK_TEXT_BYTES]);

struct tasks {
	struct pl_recording *r; /* not owned */
	uint32_t process, thread;
	/* the thread has some: then any frame may belong to a task, else only those that can be
	 * awaited */
	bool greenlets;
	const volatile sig_atomic_t *stop; /* as in pathline/search.h */
};

/* Find the first line at or after seq and before `bound`, or backward the last one before seq and
 * at or after it, of this task or (`other`) of another one, which is returned. 0, PL_END, an
 * error. */
struct task_wanted {
	struct task_name task;
	bool other, back;
	uint64_t seq, bound;
};
int tasks_find(const struct tasks *t, const struct task_wanted *wanted, uint64_t *seq,
	struct task_name *found, struct pl_err *err);
/* Where this task goes on after it was suspended: the first event of it that resumes its coroutine,
 * at or after seq and before `bound`, or backward the last one before seq and at or after it. 0,
 * PL_END: none, or its thread has greenlets; an error. */
int tasks_resumed(
	const struct tasks *t, const struct task_wanted *wanted, uint64_t *seq, struct pl_err *err);
/* 0: before seq the task was suspended last; PL_END: it ran, had ended, or had not begun; an error.
 * A task can be resumed and end within one line, so its last line does not tell. */
int tasks_waits(
	const struct tasks *t, const struct task_name *task, uint64_t seq, struct pl_err *err);
/* All of them, in the order in which they began, each with its last name: fills at most max, and
 * sets *count. 0 or an error. */
int tasks_list(const struct tasks *t, struct task_name *names, size_t max, size_t *count,
	struct pl_err *err);
/* A task's name can change: call `note` for the events of the thread at which a task may have a new
 * one. It returns PL_END to go on. 0 or an error. */
int tasks_names(const struct tasks *t, int (*note)(void *context, const struct pl_event *e),
	void *context, struct pl_err *err);
/* The number of the task that had this name at any time; 0: no task had it, several had it, or the
 * recording has no numbers. 0 or an error. */
int tasks_number(const struct tasks *t, const char *name, uint64_t *number, struct pl_err *err);
/* The task of the event with this seq; number 0 and "": none. */
int tasks_at(const struct tasks *t, uint64_t seq, struct task_name *name, struct pl_err *err);

#endif
