/* The exact interleaving of a process's threads.
 *
 * Under the GIL one thread runs at a time. Whenever another one comes to write, it writes a SWITCH
 * with the next number of the process. So a thread's path is made of runs, each begun by a switch,
 * and the runs of all threads put in the order of their numbers are the process's path:
 *
 *	thread 0   1: a b c         4: g h
 *	thread 1          2: d e          5: i            a b c d e f g h i
 *	thread 2                3: f
 *
 * A heap holds the threads by the number of their next run. A thread's first block is opened when
 * its turn comes, and given back at its end: memory is a block for each thread that is alive at
 * that place of the path.
 */
#ifndef PL_TRACE_ORDER_H
#define PL_TRACE_ORDER_H

#include "trace/walk.h"

struct order_entry {
	struct walk *walk; /* owned */
	uint64_t key; /* number of its next run, or a bound below it while its block is not open */
};

/* All zero but r and process is ready. heap[0] is the next to run; behind `waiting` are those at
 * their end. */
struct order {
	struct pl_recording *r;
	struct process_entry *process;
	struct order_entry *heap; /* owned */
	size_t count, room;	  /* walks in all */
	size_t waiting;		  /* those that have something to come */
	struct walk *last;	  /* gave the last row */
	uint64_t run;		  /* number of its run */
	bool running;		  /* last goes on with its run, if it can */
};

int order_next(struct order *o, struct pl_event *row, struct pl_err *err);
/* Let `move` bring the walk of each thread to another place (0, or PL_END: to its end), and merge from there on. */
int order_move(struct order *o, int (*move)(struct walk *w, void *context, struct pl_err *err),
	void *context, struct pl_err *err);
int order_seek_time(struct order *o, int64_t time_ns, struct pl_err *err);
void order_release(struct order *o);

#endif
