/* The last unit of frames of codes with `checks` (bytecode/passes.h). */
#ifndef PL_RECORDER_PASSES_H
#define PL_RECORDER_PASSES_H

#include "recorder/compat/python.h"

/* A LINE: the frame is reported up to this unit. */
void passes_line(py_frame *frame, uint32_t up_to);
/* A jump back to `unit`; true: it is AGAIN. */
bool passes_jump(py_frame *frame, uint32_t unit);
void passes_forget_all(void);
void passes_forget(py_frame *frame); /* it begins, or is over */

#endif
