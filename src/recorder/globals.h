/* The globals of the frame that runs a code (globals.c). */
#ifndef PL_RECORDER_GLOBALS_H
#define PL_RECORDER_GLOBALS_H

#include "recorder/compat/python.h"
#include "base/view.h"

/* The frame that runs the code; if the code is described before it runs, the frame that is running.
 * NULL: none. */
py_frame *frame_of(PyCodeObject *code);
/* Until it is called with NULL: what is described is the code of this frame, which another thread
 * runs. */
void frame_is_elsewhere(py_frame *frame);
/* A text in the frame's globals, or an empty one; *keep is as text_of has it. */
struct pl_view global_text(const py_frame *frame, const char *name, PyObject **keep);

#endif
