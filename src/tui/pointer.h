/* The pointer of the mouse: the value of the name that it is over.
 *
 * curses has the terminal report buttons. That the pointer moves is asked for here, with mode 1003,
 * and only for a recording that has values: each report makes the screen be drawn. All that leaves
 * the screen must end that, or the shell would be sent reports: the end, an editor, Ctrl-Z. A
 * terminal that does not know the mode ignores it, and a click shows the value as well.
 */
#ifndef PL_TUI_POINTER_H
#define PL_TUI_POINTER_H

#include "tui/state.h"

/* After curses began, and drew again after pointer_end. */
void pointer_begin(struct tui *t);
/* Before curses ends. */
void pointer_end(struct tui *t);

/* It has moved. Nothing is shown until all that was typed is taken. */
void pointer_moved(struct tui *t);
/* A key was typed: its message stays. */
void pointer_forget(struct tui *t);
/* What it is over now: say its value, or take back what was said. */
void pointer_show(struct tui *t);

/* Say the value of the name at this column of the screen, in this line of the source. What has none
 * is left alone: it may be a keyword. true: it was said. */
bool pointer_say(struct tui *t, int32_t line, int x);

#endif
