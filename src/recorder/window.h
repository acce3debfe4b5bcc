/* Where recording begins and stops (window.c). */
#ifndef PL_RECORDER_WINDOW_H
#define PL_RECORDER_WINDOW_H

#include "recorder/compat/python.h"
#include "pathline/event.h"

/* Prepare for main_begins; false: there is no __main__ to wait for. */
bool main_awaited(void);
/* Is this frame, which has just started, the first one to be recorded? */
bool main_begins(py_frame *frame);
/* Stop the recorder, from any thread; the program runs on and is not recorded. */
void recorder_stop(enum pl_gap_reason reason);

#endif
