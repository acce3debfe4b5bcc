/* The exact order of a process's threads.
 *
 * Under the GIL one thread runs at a time. When another thread begins to write, it writes a SWITCH
 * with the next number of the process. So a thread's path consists of runs that each begin with a
 * switch, and the runs of all threads, sorted by number, are the process's path:
 *
 *	thread 0   1: a b c         4: g h
 *	thread 1          2: d e          5: i            a b c d e f g h i
 *	thread 2                3: f
 *
 * A heap has the threads, sorted by the number of their next run. A thread's first block is opened
 * when its turn comes, and released at its end, so memory has one block for each thread that is
 * alive at that place of the path.
 */
#ifndef PL_TRACE_ORDER_H
#define PL_TRACE_ORDER_H

#include "trace/walk.h"

struct order_entry {
	struct walk *walk; /* owned */
	uint64_t key; /* number of its next run, or a lower bound while its block is not open */
};

/* All zero except r and process is valid. heap[0] runs next; threads at their end are after
 * `waiting`. */
struct order {
	struct pl_recording *r;
	struct process_entry *process;
	struct order_entry *heap; /* owned */
	size_t count, room;	  /* walks in all */
	size_t waiting;		  /* threads that have more rows */
	struct walk *last;	  /* gave the last row */
	uint64_t run;		  /* number of its run */
	bool running;		  /* `last` continues its run, if it can */
};

/* The next row of any thread, in the order in which they ran. 0, PL_END: there is none so far; or
 * an error. */
int order_next(struct order *o, struct pl_event *row, struct pl_err *err);
/* Call `move` to bring the walk of each thread to another place (0; PL_END: to its end), and merge
 * from there. */
int order_move(struct order *o, int (*move)(struct walk *w, void *context, struct pl_err *err),
	void *context, struct pl_err *err);
int order_seek_time(struct order *o, int64_t time_ns, struct pl_err *err);
void order_release(struct order *o);

#endif
