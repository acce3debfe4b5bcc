/* The engine: install.c, or settrace.c on 3.11. */
#ifndef PL_RECORDER_ENGINE_H
#define PL_RECORDER_ENGINE_H

#include <stdbool.h>

int hooks_install(bool at_main, const char **why);
/* What was disabled is enabled again. */
void hooks_hear_again(void);
/* Each line and return has an event from now on: one without an event may be of another frame, or
 * another greenlet. */
void hooks_tell_lines(void);
/* The same, because the program has a trace function or a debugger. Does nothing if the recorder
 * has stopped. */
void hooks_are_traced(void);
/* Disable all events, or as many as possible; from any thread. */
void hooks_off(void);

/* As hooks_tell_lines, if all events are about to be enabled again. */
void hooks_will_tell_lines(void);

#endif
