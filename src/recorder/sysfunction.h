/* C functions of the interpreter, called through one of ours (sysfunction.c). */
#ifndef PL_RECORDER_SYSFUNCTION_H
#define PL_RECORDER_SYSFUNCTION_H

#include "recorder/compat/python.h"

/* Put `own` in place of the C function that `function` (may be NULL) calls; *theirs gets the
 * original, for `own` to call. The table outlives the interpreter: in the next one `own` is there
 * already, and *theirs does not change. false: it is not a C function that takes its arguments by
 * `flags` (METH_O, ...), and nothing was done. */
bool function_take(PyObject *function, int flags, PyCFunction own, PyCFunction *theirs);
/* All that were taken are the interpreter's again, except those that others have put theirs in
 * front of since. */
void functions_give_back(void);

#endif
