/* The screen of `pathline replay`: shows a session on the terminal until the user has enough.
 *
 *   code = tui_run(&(struct tui_options){.session = &s, .interrupted = &i, .ended = &e, …}, &err);
 */
#ifndef PL_TUI_TUI_H
#define PL_TUI_TUI_H

#include "session/words.h"
#include "tui/keys.h"

struct tui_options {
	struct session *session; /* started; not owned */
	/* Set by signals: end what is being done; end the program. Not owned. */
	volatile sig_atomic_t *interrupted, *ended;
	struct keys *keys; /* not owned */
	bool follow;
	/* An event as a row of `dump`'s text, without a line end: gives its bytes, fills at most
	 * max. */
	size_t (*row)(void *context, const struct pl_event *e, char *to, size_t max);
	void *context;
};

/* 0: it was left; an error, after which the terminal is as it was. */
int tui_run(const struct tui_options *o, struct pl_err *err);

#endif
