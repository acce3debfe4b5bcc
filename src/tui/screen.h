/* The terminal as curses has it: how it begins. */
#ifndef PL_TUI_SCREEN_H
#define PL_TUI_SCREEN_H

#include <curses.h>
#include "pathline/error.h"

/* Begin: keys do not wait, colours are chosen, no mouse. NULL: curses does not know the terminal;
 * err says so. The caller ends it: endwin, delscreen. */
SCREEN *screen_open(struct pl_err *err);

#endif
