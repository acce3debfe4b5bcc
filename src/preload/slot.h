/* How this process ends, written into its slot; and which number a child is told to be its
 * parent's.
 *
 * A vfork'ed child shares our memory but is another process, and a forked one is until the recorder
 * has given it a slot. So the end is written only by the process that the slot names.
 */
#ifndef PL_PRELOAD_SLOT_H
#define PL_PRELOAD_SLOT_H

#include "ring/arena.h"

/* See to it that exit() and fork are noticed. */
void slot_watch(void);
/* It is about to end with this status. */
void slot_exit(int status);
/* It is about to end by a signal that it sends. Async-signal-safe. */
void slot_killed(void);
/* It is about to become another program. What is returned is for slot_exec_failed. */
struct process_slot *slot_exec(void);
void slot_exec_failed(struct process_slot *slot);
/* Number to hand on: of the interpreter recorded here, else the one that was handed to us. */
uint32_t slot_number(void);

#endif
