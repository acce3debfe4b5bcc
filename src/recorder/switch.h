/* Where a thread is when another one goes on, or when nothing of it can follow (switch.c). */
#ifndef PL_RECORDER_SWITCH_H
#define PL_RECORDER_SWITCH_H

#include <stdbool.h>

#include "pathline/event.h"
#include "recorder/thread.h"

/* A leave_hook: write where this thread is, if it runs Python. */
void thread_leaves(bool killed);
/* Each line and return has an event from here on. Writes where this thread is, unless it is in a
 * callback, whose event says so. Other threads are marked as stale until their next event. */
void thread_begins_to_tell(void);
/* What runs from here on is not reported, in any thread, until further notice: a GAP in each. */
void threads_lose_the_path(enum pl_gap_reason reason);
/* The recorder leaves the program: each thread's path ends where the thread is, with a GAP. */
void threads_end_the_path(enum pl_gap_reason reason);
/* The pass that it owes; its place is open. */
uint8_t *thread_write_owed(struct thread *t, uint8_t *p);

/* Another thread wrote last: write where that one is, and then SWITCH. */
uint8_t *write_switch(struct thread *t, uint8_t *p);

#endif
