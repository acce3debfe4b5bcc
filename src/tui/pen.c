#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include "tui/pen.h"

#include <curses.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "base/utf8.h"

#define TAB 8

/* Colours by meaning. With 8 colours the terminal's own palette decides what they are; with 256 the
 * numbers are those of xterm, chosen to be readable on dark and on light. Without colours,
 * attributes distinguish what matters most. */
static const struct look {
	short colour, rich; /* of 8 or 256 colours; -1: the terminal's default */
	attr_t plain;	    /* without colours */
	attr_t more;	    /* with them */
} looks[INKS] = {
	[INK_PLAIN] = {-1, -1, A_NORMAL, A_NORMAL},
	[INK_KEYWORD] = {COLOR_MAGENTA, 175, A_BOLD, A_NORMAL},
	[INK_STRING] = {COLOR_GREEN, 108, A_NORMAL, A_NORMAL},
	[INK_COMMENT] = {COLOR_CYAN, 245, A_DIM, A_NORMAL},
	[INK_NUMBER] = {COLOR_CYAN, 110, A_NORMAL, A_NORMAL},
	[INK_DECORATOR] = {COLOR_YELLOW, 179, A_NORMAL, A_NORMAL},
	[INK_NAME] = {COLOR_BLUE, 75, A_BOLD, A_BOLD},
	[INK_FAINT] = {-1, 244, A_DIM, A_NORMAL},
	[INK_RAN] = {COLOR_GREEN, 71, A_NORMAL, A_NORMAL},
	[INK_NEVER] = {COLOR_RED, 167, A_DIM, A_NORMAL},
	[INK_HERE] = {COLOR_YELLOW, 221, A_BOLD, A_BOLD},
	[INK_BAR] = {-1, -1, A_REVERSE, A_REVERSE},
	[INK_BAD] = {COLOR_RED, 203, A_BOLD, A_BOLD},
};

/* In terminals with direct colour, numbers above 7 have another meaning. */
void ink_init(void)
{
	const char *no = getenv("NO_COLOR");

	if ((no && *no) || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	for (int i = 1; i < INKS; i++)
		init_pair((short)i, COLORS == 256 ? looks[i].rich : looks[i].colour, -1);
}

/* Onto the screen: `column` counts in the text, where the pen's part of the row begins at
 * p->left. */
static void pen_put(const struct pen *p, const wchar_t *w, int n, int column, enum ink ink)
{
	/* without start_color there are no pairs */
	if (COLOR_PAIRS > INKS)
		attr_set(looks[ink].more | (p->lit ? A_REVERSE : 0), (short)ink, NULL);
	else
		attr_set(looks[ink].plain | (p->lit ? A_REVERSE : 0), 0, NULL);
	mvaddnwstr(p->y, p->x + column - p->left, w, n);
}

/* A character or mark of so many columns: shown, skipped, or cut at the end of the row. A wide
 * character that is cut in half at the left becomes blanks for the part that is in sight; one that
 * does not fit at the right becomes "…", in the last column, and the row is full. A mark of width 0
 * belongs to the character before it, so it is shown only where that is. */
static void put_cell(struct pen *p, const wchar_t *w, int n, int width, enum ink ink)
{
	int from = p->column - p->left;

	if (p->full)
		return;
	if (from + width > p->columns) {
		struct pen last = *p;
		int at = p->left + p->columns - 1;
		if (p->columns > 0)
			pen_put(&last, L"…", 1, at, INK_FAINT);
		p->full = true;
		return;
	}
	if (from >= 0 && (width || from > 0))
		pen_put(p, w, n, p->column, ink);
	else if (from + width > 0)
		for (int i = 0; i < from + width; i++)
			pen_put(p, L" ", 1, p->left + i, ink);
	p->column += width;
}

static void put_ascii(struct pen *p, const char *text, enum ink ink)
{
	for (; *text; text++)
		put_cell(p, (wchar_t[]){(unsigned char)*text, 0}, 1, 1, ink);
}

/* Of a well-formed character of more than one byte. */
static wchar_t decode(const unsigned char *at, size_t n)
{
	wchar_t c = at[0] & (0xff >> (n + 1));

	for (size_t i = 1; i < n; i++)
		c = (wchar_t)(c << 6 | (at[i] & 0x3f));
	return c;
}

/* Characters that change the direction of the text around them, and so could make a line of source
 * read differently from what runs ("Trojan Source"). */
static bool turns(wchar_t c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/* A character of several bytes, or one byte that belongs to none. Returns the bytes taken. */
static size_t put_other(struct pen *p, const unsigned char *at, size_t left, enum ink ink)
{
	char shown[8];
	size_t n = utf8_bytes(at, left);
	wchar_t c = n ? decode(at, n) : 0;
	int width = n ? wcwidth(c) : -1;

	if (n && turns(c)) {
		put_ascii(p, "?", ink);
	} else if (width >= 0) {
		put_cell(p, &c, 1, width, ink);
	} else {
		n = 1;
		snprintf(shown, sizeof shown, "\\x%02x", *at);
		put_ascii(p, shown, INK_FAINT);
	}
	return n;
}

void pen_bytes(struct pen *p, const char *text, size_t length, enum ink ink)
{
	const unsigned char *at = (const unsigned char *)text;

	for (size_t i = 0; i < length && !p->full;) {
		if (at[i] >= 0x80) {
			i += put_other(p, at + i, length - i, ink);
			continue;
		}
		if (at[i] == '\t')
			do
				put_cell(p, L" ", 1, 1, ink);
			while (p->column % TAB && !p->full);
		else if (at[i] < 0x20 || at[i] == 0x7f)
			put_ascii(p, (char[]){'^', (char)(at[i] ^ 0x40), 0}, INK_FAINT);
		else if (p->column < p->left)
			p->column++;
		else
			put_cell(p, (wchar_t[]){at[i], 0}, 1, 1, ink);
		i++;
	}
}

void pen_text(struct pen *p, const char *text, enum ink ink)
{
	pen_bytes(p, text, strlen(text), ink);
}

void pen_format(struct pen *p, enum ink ink, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	pen_text(p, text, ink);
}

void pen_sign(const struct pen *p)
{
	struct pen sign = {.y = p->y, .x = p->x, .columns = 1};

	if (p->left && p->column)
		pen_text(&sign, "<", INK_FAINT);
}

void pen_fill(struct pen *p, const char *text, enum ink ink)
{
	p->column = p->column < p->left ? p->left : p->column;
	while (!p->full && p->column - p->left < p->columns)
		pen_text(p, text, ink);
}

void pen_rule(struct pen *p, const char *text, enum ink ink)
{
	pen_text(p, "-- ", ink);
	pen_text(p, text, ink);
	pen_text(p, " ", ink);
	pen_fill(p, "-", ink);
}

/* All of it is left of `left`. */
int pen_columns(const char *text)
{
	struct pen measure = {.columns = 1 << 20, .left = 1 << 20};

	pen_text(&measure, text, INK_PLAIN);
	return measure.column;
}
