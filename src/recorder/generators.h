/* Identity of a generator-like frame, by the address that it keeps (generators.c). */
#ifndef PL_RECORDER_GENERATORS_H
#define PL_RECORDER_GENERATORS_H

#include "recorder/compat/python.h"

uint64_t generator_new(py_frame *frame);
uint64_t generator_of(py_frame *frame); /* an unknown one gets a number */
void generator_gone(py_frame *frame);
/* A new recording begins, with other numbers. */
void generators_forget(void);

#endif
