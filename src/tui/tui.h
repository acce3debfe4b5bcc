/* The screen of `pathline replay`: shows a session on the terminal until the user quits.
 *
 *   code = tui_run(&(struct tui_options){.session = &s, .interrupted = &i, .ended = &e, …}, &err);
 */
#ifndef PL_TUI_TUI_H
#define PL_TUI_TUI_H

#include "session/words.h"
#include "tui/keys.h"

struct tui_options {
	struct session *session; /* started; not owned */
	/* Set by signals: stop the current command; end the program. Not owned. */
	volatile sig_atomic_t *interrupted, *ended;
	struct keys *keys; /* not owned */
	bool follow;
	enum view view;	    /* that it begins with, and that leaving the others leads to */
	const char *filter; /* of the reader; NULL: none */
	/* Write an event as a row of `dump`'s text, without a line end, indented as for so many
	 * columns, but not cut; at most max bytes. Returns the bytes written. */
	size_t (*row)(
		void *context, const struct pl_event *e, unsigned columns, char *to, size_t max);
	/* Write an event with its values as a row of the reader, with a NUL; at most max bytes. */
	void (*text)(void *context, const struct pl_event *e, char *to, size_t max);
	/* Which threads has the reader? NULL: all. */
	bool (*wants)(void *context, const struct pl_thread *t);
	void *context;
};

/* 0: the user quit; an error: the terminal is as it was before. */
int tui_run(const struct tui_options *o, struct pl_err *err);

#endif
