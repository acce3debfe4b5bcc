/* What a thread runs within @notrace(subtree=True) is left out: its events are lost, as they are
 * where the ring is full, and a gap says so. So all that is true of losses is true of it: what is
 * on the stack afterwards is written anew, and no path is guessed. */
#ifndef PL_RECORDER_PAUSE_H
#define PL_RECORDER_PAUSE_H

#include "recorder/compat/python.h"

/* From here on; a mark with this text says what is left out. It can be nested. false: this thread
 * is not recorded, and nothing is to be ended. */
bool pause_begin(PyObject *text);
void pause_end(void);

#endif
