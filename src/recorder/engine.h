/* The engine: install.c, or settrace.c on 3.11. */
#ifndef PL_RECORDER_ENGINE_H
#define PL_RECORDER_ENGINE_H

#include <stdbool.h>

#include "recorder/compat/python.h"

int hooks_install(bool at_main, const char **why);
/* What was disabled is enabled again. */
void hooks_hear_again(void);
/* Each line and return has an event from now on: one without an event may be of another frame, or
 * another greenlet. */
void hooks_tell_lines(void);
/* The same, because the program has a trace function or a debugger. Does nothing if the recorder
 * has stopped. */
void hooks_are_traced(void);
/* In a running program, before anything is changed: can events of all its threads and greenlets be
 * had from now on? false: *why says why not. */
bool hooks_reach_all(const char **why);
/* What the frames on this stack need, which have begun without us. May ask for memory. */
void hooks_take_stack(PyThreadState *ts);
/* The recorder leaves: no callback, no event, and what was taken is given back. */
void hooks_remove(void);
/* The last of it, also where the recorder could not be started. */
void hooks_give_back(void);

/* Disable all events, or as many as possible; from any thread. */
void hooks_off(void);

/* As hooks_tell_lines, if all events are about to be enabled again. */
void hooks_will_tell_lines(void);

#endif
