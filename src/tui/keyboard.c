/* From what curses reads to the names of keys, as keys.c has them. */
#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include <curses.h>
#include <stdio.h>
#include "tui/input.h"

static const struct {
	int code;
	const char *name;
} codes[] = {
	{KEY_UP, "Up"},
	{KEY_DOWN, "Down"},
	{KEY_LEFT, "Left"},
	{KEY_RIGHT, "Right"},
	{KEY_PPAGE, "PgUp"},
	{KEY_NPAGE, "PgDn"},
	{KEY_HOME, "Home"},
	{KEY_END, "End"},
	{KEY_ENTER, "Enter"},
	{KEY_BACKSPACE, "Backspace"},
	{KEY_BTAB, "Shift-Tab"},
	{KEY_DC, "Delete"},
};

/* What terminals send for these keys: the two modes of their cursor keys, and the forms of F1 to F5
 * of older terminals and of Linux's console. terminfo has only one of each. */
static const struct {
	const char *bytes;
	int code;
} sent[] = {
	{"\033[A", KEY_UP},
	{"\033OA", KEY_UP},
	{"\033[B", KEY_DOWN},
	{"\033OB", KEY_DOWN},
	{"\033[C", KEY_RIGHT},
	{"\033OC", KEY_RIGHT},
	{"\033[D", KEY_LEFT},
	{"\033OD", KEY_LEFT},
	{"\033[H", KEY_HOME},
	{"\033OH", KEY_HOME},
	{"\033[1~", KEY_HOME},
	{"\033[7~", KEY_HOME},
	{"\033[F", KEY_END},
	{"\033OF", KEY_END},
	{"\033[4~", KEY_END},
	{"\033[8~", KEY_END},
	{"\033[5~", KEY_PPAGE},
	{"\033[6~", KEY_NPAGE},
	{"\033[11~", KEY_F(1)},
	{"\033[12~", KEY_F(2)},
	{"\033[13~", KEY_F(3)},
	{"\033[14~", KEY_F(4)},
	{"\033[15~", KEY_F(5)},
	{"\033[[A", KEY_F(1)},
	{"\033[[B", KEY_F(2)},
	{"\033[[C", KEY_F(3)},
	{"\033[[D", KEY_F(4)},
	{"\033[[E", KEY_F(5)},
};

/* A terminal that sends one of these for another key keeps that meaning. */
void keyboard_define(void)
{
	for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
		if (key_defined(sent[i].bytes) <= 0)
			define_key(sent[i].bytes, sent[i].code);
}

bool keyboard_name(struct tui *t, int code, wint_t c, char name[KEY_BYTES])
{
	MEVENT mouse;

	name[0] = 0;
	if (code == KEY_CODE_YES && (int)c == KEY_MOUSE && getmouse(&mouse) == OK) {
		t->mouse_y = mouse.y;
		t->mouse_x = mouse.x;
		snprintf(name, KEY_BYTES, "%s",
			mouse.bstate & BUTTON4_PRESSED			     ? "WheelUp"
			: mouse.bstate & BUTTON5_PRESSED		     ? "WheelDown"
			: mouse.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED) ? "Click"
			: mouse.bstate & REPORT_MOUSE_POSITION		     ? KEY_POINTER
									     : "");
		return name[0];
	}
	for (size_t i = 0; code == KEY_CODE_YES && i < sizeof codes / sizeof *codes; i++)
		if ((int)c == codes[i].code)
			snprintf(name, KEY_BYTES, "%s", codes[i].name);
	if (code == KEY_CODE_YES && (int)c > KEY_F0 && (int)c <= KEY_F(12))
		snprintf(name, KEY_BYTES, "F%d", (int)c - KEY_F0);
	if (code == KEY_CODE_YES)
		return name[0];
	if (c == '\r' || c == '\n')
		snprintf(name, KEY_BYTES, "Enter");
	else if (c == '\t')
		snprintf(name, KEY_BYTES, "Tab");
	else if (c == 27)
		snprintf(name, KEY_BYTES, "Esc");
	else if (c == ' ')
		snprintf(name, KEY_BYTES, "Space");
	else if (c == 127 || c == 8)
		snprintf(name, KEY_BYTES, "Backspace");
	else if (c < 32)
		snprintf(name, KEY_BYTES, "Ctrl-%c", (int)c + '@');
	else
		snprintf(name, KEY_BYTES, "%lc", c);
	return name[0];
}
