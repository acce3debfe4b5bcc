#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include "tui/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "tui/input.h"
#include "tui/pen.h"

/* Terminals show UTF-8, which a C locale does not say. */
static void choose_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* newterm instead of initscr, which would end the process if it does not know the terminal. Keys do
 * not wait (nodelay): who reads them waits. An Esc is one 50 ms later, if no more of a sequence
 * follows. */
SCREEN *screen_open(struct pl_err *err)
{
	SCREEN *screen;

	choose_locale();
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		pl_err_cause(err, PL_ERR_IO,
			"cannot show a screen on a terminal of type '%s' (TERM); try --plain",
			getenv("TERM") ? getenv("TERM") : "");
		return NULL;
	}
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	keyboard_define();
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	mouseinterval(0);
	ink_init();
	return screen;
}
