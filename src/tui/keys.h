/* The keys of the screen: one table, from which its help, its hints, `pathline replay --keys` and
 * the man page are made.
 *
 * A key is identified by its name: "s", "Ctrl-O", "PgUp", "F2". In one view it has one meaning. The
 * help is a view too, while it is shown.
 */
#ifndef PL_TUI_KEYS_H
#define PL_TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum view {
	VIEW_SOURCE,
	VIEW_STACK,
	VIEW_TREE,
	VIEW_TIMELINE,
	VIEW_PATH,
	VIEW_VARIABLES,
	VIEW_READER,
	VIEW_HELP,
	VIEWS
};
extern const char *const view_names[VIEWS];
#define KEY_DIGITS "1-9" /* the row that represents each of them */

enum key_how {
	KEY_DO,	    /* runs its command */
	KEY_PROMPT, /* begins the command in the prompt, to be completed there */
	KEY_LETTER, /* the next key is its argument */
	KEY_COUNT,  /* a digit of a count */
};

struct key {
	const char *name;
	unsigned views; /* bit per enum view */
	enum key_how how;
	const char *command; /* of the session (session/words.h) or of the screen (tui.c) */
	const char *help;
	const char *hint; /* for the line of key hints; NULL: not in it */
};

#define KEYS_OWN  64
#define KEY_BYTES 16
#define KEY_LINE  256

/* Keys bound by the user. All zero is empty. */
struct keys {
	struct {
		char name[KEY_BYTES], command[KEY_LINE];
		struct key key; /* points into these; set by keys_find */
	} own[KEYS_OWN];
	size_t count;
};

/* "K COMMAND…", as after `key` in ~/.config/pathline/replay. false: not understood, or too many. */
bool keys_bind(struct keys *k, const char *line);
/* What this key means in this view; NULL: nothing. Valid until the next keys_bind. */
const struct key *keys_find(struct keys *k, const char *name, enum view view);
/* A row of the table; NULL after the last. */
const struct key *keys_row(size_t index);
/* "all", or the names of its views, separated by commas. A key of all views need not work in the
 * help. */
void keys_views(const struct key *key, char *to, size_t bytes);
/* All rows: views, key, command, meaning, tab-separated. */
void keys_print(FILE *to);

#endif
