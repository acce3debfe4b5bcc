/* Tool ids of sys.monitoring (tools.c). */
#ifndef PL_RECORDER_TOOLS_H
#define PL_RECORDER_TOOLS_H

#include "recorder/compat/python.h"

/* Does the program have all tool ids of sys.monitoring, and the recorder none? No event is
 * reported then. */
bool tools_are_all_taken(void);
/* RAISE came with this exception: was it raised by another tool's callback for JUMP or BRANCH?
 * false as well if C code is between the interpreter and what raised. */
bool tools_raised_at_jump(PyObject *exception);

/* Put ours in front of sys.monitoring's functions that name a tool id, before the recorder takes
 * its own. Leaves no error. */
void tools_take(PyObject *module);
/* The recorder has taken its id, root.tool, and enables these events. From now on the program's ids
 * are replaced, unless a function is not the interpreter's own. If the program has a debugger
 * already, all lines are recorded. Leaves no error. */
void tools_begin(PyObject *module, long events);
/* The recorder leaves. Has the program a tool whose id is another one of the interpreter's? Then
 * its calls are translated for ever, and the recorder cannot come again. */
bool tools_stay_moved(void);
/* Its functions name the interpreter's ids again, so that the recorder's own can be given back. */
void tools_end(void);
/* All calls name the interpreter's ids, as the recorder's own do when it leaves; until
 * tools_translate_again gets what this returns. */
PyInterpreterState *tools_translate_nothing(void);
void tools_translate_again(PyInterpreterState *of);
/* With the recorder's id, and no event enabled: no code object names it. */
void tools_clean(PyObject *module);
/* sys.monitoring.set_local_events for the recorder's id. May leave an error. */
bool tools_set_local_events(PyCodeObject *code, int events);

#endif
