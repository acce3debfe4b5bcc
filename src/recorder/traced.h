/* Programs that have a trace function or a debugger (traced.c). */
#ifndef PL_RECORDER_TRACED_H
#define PL_RECORDER_TRACED_H

#include "recorder/compat/python.h"

/* That of PY_START while the program has a trace function or a debugger, or had one. */
PyObject *on_start_traced(PyObject *hook, PyObject *const *args, size_t n, PyObject *names);
/* Put ours in front of what debuggers call, as the hooks go in. Leaves no error. */
void traced_take(void);
/* What is not a function of the interpreter is as it was (functions_give_back does the rest). */
void traced_give_back(void);

#endif
