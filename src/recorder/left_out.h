/* Code that a filter leaves out (left_out.c). */
#ifndef PL_RECORDER_LEFT_OUT_H
#define PL_RECORDER_LEFT_OUT_H

#include "recorder/compat/python.h"

struct code_record;

/* The number of a code that is left out; it is described when this is first asked. 0: it could not
 * be described. */
uint32_t code_outside_number(PyCodeObject *code, struct code_record *r);

/* Does the filter want the code? The same code object can be run under several modules (exec): the
 * first one decides. */
bool filters_record(PyCodeObject *code);
/* It has a record, too, because its events are to be disabled one by one, where they first come. */
struct code_record *code_leave_out(PyCodeObject *code);
/* The same because the program says so. Code that has had an event goes on to be recorded. */
void code_leave_out_named(PyCodeObject *code);

#endif
