/* Crashes: exceptions that ended something, and where they were raised.
 *
 * An exception ends
 *   the main thread   if it leaves the bottom frame, or a module's frame at the bottom
 *   a thread          if it leaves the bottom frame, or reaches threading's handler for run()
 *   a task            if it leaves the coroutine of an asyncio task, or a greenlet's first function
 *   a process         if multiprocessing's handler gets what the process's function raises,
 *                     also where the process then leaves by SystemExit
 *
 * What runs later (the printing of the traceback, atexit functions, the end of other threads) does
 * not matter. The last crash of all processes and threads counts. SystemExit is an orderly end, and
 * counts only if there is no other. CancelledError, trio's Cancelled, GeneratorExit and
 * GreenletExit do not count where they end a task, a generator or a greenlet.
 */
#ifndef PL_SESSION_CRASH_H
#define PL_SESSION_CRASH_H

#include <signal.h>
#include <stdbool.h>
#include "pathline/pathline.h"

enum crash_of { CRASH_MAIN_THREAD, CRASH_THREAD, CRASH_TASK, CRASH_PROCESS };

struct crash {
	enum crash_of of;
	bool exits;	       /* the exception is SystemExit */
	bool caught;	       /* by threading or multiprocessing, around what they ran */
	const char *type;      /* of the exception, the recording's; "": not known */
	char task[128];	       /* name of the task, cut */
	struct pl_event end;   /* where it ended something: an unwind, or a handled */
	struct pl_event raise; /* where it was raised first, as far as the recording shows */
	/* also where none was found */
	/* threads, tasks and processes that exceptions ended, within the bounds; exits are not
	 * counted */
	uint32_t ended;
	bool more; /* the bounds left something out: there may be more, and later ones */
};

/* What `record` and `ls` search: the printing of a traceback, and what runs at exit, are
 * shorter. */
#define CRASH_EVENTS (1u << 20)
/* So many that were ended by exceptions they count. */
#define CRASH_COUNTED 64

/* How far to look. All zero: through the whole recording. */
struct crash_bounds {
	bool one_process, one_thread; /* only this process; of it, only this thread */
	uint32_t process, thread;
	uint64_t events; /* at the end of each thread; 0: all */
	uint32_t count;	 /* at most this many are counted; 0: the last one is enough */
	const volatile sig_atomic_t *stop; /* as in pathline/search.h; not owned */
};

/* 0; PL_END: nothing was ended by an exception, or the search was stopped; an error. `type` and
 * `task` of the events are NULL. */
int crash_find(struct pl_recording *r, const struct crash_bounds *bounds, struct crash *out,
	struct pl_err *err);

struct pl_buf;
/* The frames that an exception of of->type went through until of->end, an unwind, a handled or a
 * raise: of each its raise event, the outermost first, as Python's traceback has them. They are
 * appended to `raises`; their `task` is not valid. Of an exception that a task handed over to the
 * one that awaited it, those of the task follow. 0, also if none was found; or an error. */
int crash_trace(struct pl_recording *r, const struct crash *of, const struct crash_bounds *bounds,
	struct pl_buf *raises, struct pl_err *err);

/* Does the line where it was raised wait for a task or a future, whose exception that may be? */
bool crash_takes_over(struct pl_recording *r, const struct pl_event *raise);

/* From index *next on, the first process with a path that a signal ended. SIGTERM and SIGINT do not
 * count: programs and users end processes with these. *next is then the index after it. NULL: there
 * is none. */
const struct pl_process *crash_next_killed(const struct pl_recording *r, uint32_t *next);

/* Does an exception end a thread or a process if this library's code handles it? Threads and
 * processes are run by a frame that catches all that their function raises. `left_out`: the code is
 * left out by a filter, so all that is known is that the exception left what the code called. */
bool crash_ends(const struct pl_code *c, bool left_out, enum crash_of *of);
/* An exception of this type ends tasks, generators and greenlets in good order. */
bool crash_is_orderly(const char *type);
/* Does a process run its program in a frame of this code? */
bool crash_runs_module(const struct pl_code *c);

/* "the main thread", "thread worker", "task job-1", "process 2": what was ended. Where there are
 * several processes: "thread worker of process 2". */
#define CRASH_SUBJECT_BYTES 192
void crash_subject(
	const struct pl_recording *r, const struct crash *c, char text[CRASH_SUBJECT_BYTES]);

#endif
