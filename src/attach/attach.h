/* Get an order to the recorder in a program that runs: come in, or leave.
 *
 *	target_look   which interpreter, where its functions are, may it be attached
 *	choose        a thread in a system call in which it may wait       -> by a thread of ours
 *	              none: one in instructions of the interpreter         -> by a pending call
 *	stop          that thread alone, for less than a millisecond: two pages are mapped and
 *	              filled; pthread_create or Py_AddPendingCall is called on them. If that takes
 *	              too long, the thread goes on, and the rest is done in another stop
 *	wait          the recorder does it with the GIL, and unmaps the pages (recorder/ordered.c)
 *
 * pthread_create asks for memory, so its thread must not be in malloc or in the loader: in a system
 * call that waits for events, for time or for a lock of pthread's it is in neither.
 * Py_AddPendingCall asks for none. It takes a lock of the interpreter, which a thread in the
 * interpreter's own instructions hardly ever holds. If it does not come back, the thread is put
 * back as it was.
 */
#ifndef PL_ATTACH_ATTACH_H
#define PL_ATTACH_ATTACH_H

#include "attach/choose.h"
#include "attach/target.h"

struct attach_order {
	const struct target *target;
	const char *recorder; /* path of the recorder's library, for us */
	const char *arena;    /* path, for the program; NULL: the order is to leave */
	uint32_t parent;      /* number of the process that started it; 0: none recorded */
};

/* What became of it. */
struct attach_sent {
	int64_t held_ns; /* for which a thread was stopped, in the last try */
	int tid;	 /* which one */
	uint64_t pages;	 /* in the program; 0: none yet */
	unsigned tries;
	struct obstacle obstacle; /* of the last try that failed */
	bool no_file;		  /* in its memory, for the recorder, could be made */
	int library_fd; /* of the program, from which it loads the recorder; -1: by its path */
};

/* Put the order into the program. 0; or -1 with the reason in `why`: then nothing is left in it. */
int attach_send(
	const struct attach_order *order, struct attach_sent *sent, char why[ATTACH_WHY_BYTES]);
/* Has the order failed there? 0: no, or not yet; else enum order_status. */
unsigned attach_failed(const struct attach_order *order, const struct attach_sent *sent);
/* After it has failed: take the pages out of the program. */
void attach_take_back(const struct attach_order *order, const struct attach_sent *sent);

#endif
