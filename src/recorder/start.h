/* Start, fork and end of the recorder in a process (start.c). */
#ifndef PL_RECORDER_START_H
#define PL_RECORDER_START_H

#include <stdbool.h>

/* A forked child with its first event becomes a process of the recording; false: it is not
 * recorded. */
bool process_begin_in_child(void);

/* Write that other interpreters have begun in this process: they have callbacks of their own, and
 * are not recorded. Called at each tick, and after the end of the main interpreter. */
void interpreters_look(void);

#endif
