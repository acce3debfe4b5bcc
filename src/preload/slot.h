/* How this process ends, written into its slot; and the number that a child gets as its parent's.
 *
 * A vfork'ed child shares our memory but is another process, and so is a forked one until the
 * recorder has given it a slot. So the end is written only by the process that the slot names.
 */
#ifndef PL_PRELOAD_SLOT_H
#define PL_PRELOAD_SLOT_H

#include "ring/arena.h"

/* Make sure that exit() and fork are noticed. */
void slot_watch(void);
/* The process is about to end with this status. */
void slot_exit(int status);
/* It is about to end by a signal that it sends. Async-signal-safe. */
void slot_killed(void);
/* It is about to become another program. Pass the result to slot_exec_failed if it does not. */
struct process_slot *slot_exec(void);
void slot_exec_failed(struct process_slot *slot);
/* The number to pass on: that of the interpreter recorded here, or the one that was passed to
 * us. */
uint32_t slot_number(void);

#endif
