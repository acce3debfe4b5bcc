/* Greenlets (greenlets.c). */
#ifndef PL_RECORDER_GREENLETS_H
#define PL_RECORDER_GREENLETS_H

#include "recorder/compat/python.h"

struct thread;

/* The greenlet that runs on this thread, borrowed; NULL: the thread's own stack, or there are no
 * greenlets. */
PyObject *greenlet_running(void);
/* Does another greenlet run than the thread's state says? The state is updated. begins: a frame
 * without a caller is being entered. */
bool greenlet_changed(struct thread *t, bool begins);
#if ENGINE_TRACES
/* Is there one that has begun and is not over, in any thread? Also true where that is not known. */
bool greenlets_may_wait(void);
#else
/* The codes of all frames of greenlets that wait, in any thread: a new dict, address -> code, empty
 * if there are no greenlets. NULL: they cannot be found. No code of the program runs. */
PyObject *greenlets_waiting_codes(void);
#endif
/* Events of this thread were lost. */
void greenlets_lost(struct thread *t);
void greenlets_forget(void); /* another interpreter begins in this process */

#endif
