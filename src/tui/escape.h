/* What a terminal sends that is not a key: reports (the focus, colours, its type), the keys that
 * nobody named, the brackets of a pasted text. Each begins with Esc, and its bytes, taken one by
 * one, would be commands. */
#ifndef PL_TUI_ESCAPE_H
#define PL_TUI_ESCAPE_H

enum escape {
	ESCAPE_KEY,    /* it was the key Esc */
	ESCAPE_PASSED, /* a sequence was read, and means nothing here */
	ESCAPE_PASTE,  /* pasted text follows */
	ESCAPE_PASTED, /* it has ended */
};

/* After curses returned an Esc: read what belongs to it. Leaves the screen's reads without a wait.
 */
enum escape escape_read(void);

#endif
