/* A screen of text that changes by itself: rows with a cursor, a prompt for a filter, keys.
 *
 *	0        the page's summary
 *	1        the titles of its table
 *	2 …      its rows; the cursor is on one of them
 *	LINES-1  hints, a message, or the prompt
 */
#ifndef PL_TUI_LIVE_H
#define PL_TUI_LIVE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include "pathline/error.h"

/* Lines, each with its line end. They belong to the one that shows them until the next page. */
struct live_page {
	unsigned columns;    /* in: of the screen */
	char *summary;	     /* one line */
	char *table;	     /* its first line has the titles */
	const char *message; /* in place of the hints; NULL: none */
};

enum live_next { LIVE_GO, LIVE_QUIT };

struct live {
	int period_ms; /* between two looks */
	const char *hints;
	/* Set by signals: the screen ends. Not owned. */
	volatile sig_atomic_t *ended;
	/* What is new is read; false: there will be nothing new. */
	bool (*look)(void *context);
	/* Called whenever the screen is drawn. */
	void (*show)(void *context, struct live_page *page);
	/* A key that moves nothing, by its name in keys.h; the row has the cursor, from 0. */
	enum live_next (*key)(void *context, const char *key, size_t row);
	/* Enter: the terminal is as it was before until this returns. */
	void (*open)(void *context, size_t row);
	/* "" is none. false: it is not understood, and why is in the next page's message. */
	bool (*filter)(void *context, const char *text);
	void *context;
};

/* Until q, Ctrl-C, or a key that ends it. 0, or an error: there is no such terminal. */
int live_run(const struct live *l, struct pl_err *err);

#endif
