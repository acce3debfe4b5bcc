/* The commands of the screen. They are looked up before those of the session, and so replace the
 * ones of the same name, such as bt, which shows the stack here and prints it in --plain.
 */
#ifndef PL_TUI_ORDERS_H
#define PL_TUI_ORDERS_H

#include "tui/state.h"

struct order {
	const char *word;
	void (*run)(struct tui *t, const char *rest);
	bool repeats; /* it may have a count */
	enum names names;
};

/* The one that a line begins with, and what follows it. Some commands of the session have another
 * effect on the screen, under all of their names. NULL: it is none. */
const struct order *order_find(const char *line, const char **rest);

/* Their words, for Tab. */
#define ORDERS_MAX 64
void orders_complete(struct complete_word own[ORDERS_MAX + 1]);

/* Rows of one view mean nothing in another: it begins at its first row, and is brought to the
 * position. */
void orders_choose_view(struct tui *t, enum view view);

/* editor.c: the file that is shown, at the cursor. */
void editor_open(struct tui *t, const char *rest);

/* scroll.c */

/* Do the keys that move act on the view beside the source, not on the source? */
bool scroll_in_side(const struct tui *t);
void scroll_up(struct tui *t, const char *rest);
void scroll_down(struct tui *t, const char *rest);
void scroll_half_up(struct tui *t, const char *rest);
void scroll_half_down(struct tui *t, const char *rest);
void scroll_page_up(struct tui *t, const char *rest);
void scroll_page_down(struct tui *t, const char *rest);
void scroll_wheel_up(struct tui *t, const char *rest);
void scroll_wheel_down(struct tui *t, const char *rest);
void scroll_left(struct tui *t, const char *rest);
void scroll_right(struct tui *t, const char *rest);
void scroll_top(struct tui *t, const char *rest);
void scroll_bottom(struct tui *t, const char *rest);

#endif
