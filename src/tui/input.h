/* What the user types: keys, the prompt, counts, pasted text.
 */
#ifndef PL_TUI_INPUT_H
#define PL_TUI_INPUT_H

#include <wchar.h>
#include "tui/state.h"

/* A character or a key, as get_wch gave it. */
void input_take(struct tui *t, int code, wint_t c);

/* keyboard.c */

/* The name of no key: the pointer of the mouse has moved. */
#define KEY_POINTER "Pointer"

/* Keys that terminals send in more ways than terminfo has. */
void keyboard_define(void);
/* The name of a key; of a mouse's, the place is kept. false: it has no name, and no meaning. */
bool keyboard_name(struct tui *t, int code, wint_t c, char name[KEY_BYTES]);

#endif
