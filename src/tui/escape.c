#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include "tui/escape.h"

#include <curses.h>
#include <stdbool.h>
#include <stdlib.h>

#define MORE_MS	    50 /* within a sequence, for what is still on its way */
#define LENGTH_MAX  4096
#define ESC	    27
#define BELL	    7
#define PASTE_BEGIN 200
#define PASTE_END   201

/* 0: nothing more came, or a key that ends the sequence. */
static wint_t next(void)
{
	wint_t c;

	return get_wch(&c) == OK ? c : 0;
}

/* ESC [ parameters final: a control sequence. Linux's console sends ESC [ [ A for F1. */
static enum escape read_control(void)
{
	unsigned number = 0;
	wint_t c = next();

	if (c == '[') {
		next();
		return ESCAPE_PASSED;
	}
	for (int n = 0; c >= 0x20 && c < 0x40 && n < LENGTH_MAX; n++, c = next())
		if (c >= '0' && c <= '9' && number < PASTE_END)
			number = number * 10 + (unsigned)(c - '0');
	return c != '~'		       ? ESCAPE_PASSED
	       : number == PASTE_BEGIN ? ESCAPE_PASTE
	       : number == PASTE_END   ? ESCAPE_PASTED
				       : ESCAPE_PASSED;
}

/* ESC ] text: an answer, up to a bell or ESC \. */
static void read_escape_text(void)
{
	wint_t c = next();

	for (int n = 0; c && c != BELL && c != ESC && n < LENGTH_MAX; n++)
		c = next();
	if (c == ESC)
		next();
}

enum escape escape_read(void)
{
	enum escape what = ESCAPE_PASSED;
	wint_t c;

	/* curses has already waited for what follows an Esc */
	if (get_wch(&c) != OK)
		return ESCAPE_KEY;
	timeout(MORE_MS);
	if (c == '[') {
		what = read_control();
	} else if (c == ']') {
		read_escape_text();
	} else if (c == 'O') {
		next();
	} else {
		unget_wch((wchar_t)c);
		what = ESCAPE_KEY;
	}
	nodelay(stdscr, TRUE);
	return what;
}
