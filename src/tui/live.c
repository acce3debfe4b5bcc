#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include "tui/live.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tui/input.h"
#include "tui/pen.h"
#include "tui/screen.h"

#define HEAD_ROWS 2 /* above the rows of the table */

struct live_screen {
	const struct live *l;
	struct prompt prompt;
	size_t cursor, top, rows; /* rows: of the table, without its titles */
	bool grows, quit;
};

static int64_t live_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* ---- drawing ---- */

static size_t room_for_rows(void)
{
	return LINES > HEAD_ROWS + 1 ? (size_t)(LINES - HEAD_ROWS - 1) : 1;
}

/* Cut at its line end; returns what follows. */
static char *take_line(char *text)
{
	char *end = strchrnul(text, '\n');
	char *next = *end ? end + 1 : end;

	*end = 0;
	return next;
}

static void draw_line(int y, const char *text, enum ink ink, bool lit)
{
	struct pen p = {.y = y, .columns = COLS, .lit = lit};

	pen_text(&p, text, ink);
	if (lit || ink == INK_BAR)
		pen_fill(&p, " ", ink);
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* The cursor stays on its row of the screen, whatever is in it. */
static void keep_cursor(struct live_screen *s)
{
	const size_t room = room_for_rows();

	if (s->cursor >= s->rows)
		s->cursor = s->rows ? s->rows - 1 : 0;
	if (s->top > s->cursor)
		s->top = s->cursor;
	if (s->cursor >= s->top + room)
		s->top = s->cursor - room + 1;
	if (s->top && s->rows < s->top + room)
		s->top = s->rows > room ? s->rows - room : 0;
}

static void draw_table(struct live_screen *s, char *text)
{
	s->rows = count_lines(text);
	s->rows -= s->rows > 0;
	keep_cursor(s);
	char *next = take_line(text);
	draw_line(1, text, INK_NAME, false);
	for (size_t i = 0; i < s->rows && i < s->top + room_for_rows(); i++) {
		text = next;
		next = take_line(text);
		if (i >= s->top)
			draw_line((int)(i - s->top) + HEAD_ROWS, text, INK_PLAIN, i == s->cursor);
	}
}

static void draw_bottom(const struct live_screen *s, const struct live_page *page)
{
	struct pen p = {.y = LINES - 1, .columns = COLS};

	if (s->prompt.open) {
		pen_text(&p, "/", INK_HERE);
		pen_text(&p, s->prompt.text, INK_PLAIN);
		return;
	}
	if (page->message)
		pen_text(&p, page->message, INK_BAD);
	else
		pen_text(&p, s->l->hints, INK_BAR);
	if (!page->message)
		pen_fill(&p, " ", INK_BAR);
}

static void draw_page(struct live_screen *s)
{
	struct live_page page = {.columns = (unsigned)COLS};

	s->l->show(s->l->context, &page);
	erase();
	if (page.summary) {
		take_line(page.summary);
		draw_line(0, page.summary, INK_BAR, false);
	}
	if (page.table)
		draw_table(s, page.table);
	draw_bottom(s, &page);
	curs_set(s->prompt.open);
	refresh();
}

/* ---- keys ---- */

static void leave_for(struct live_screen *s)
{
	def_prog_mode();
	endwin();
	s->l->open(s->l->context, s->cursor);
	reset_prog_mode();
	clearok(stdscr, TRUE);
	refresh();
}

static void go_to_row(struct live_screen *s, const char *key)
{
	const size_t page = room_for_rows();

	if (!strcmp(key, "Down") || !strcmp(key, "j"))
		s->cursor++;
	else if (!strcmp(key, "PgDn"))
		s->cursor += page;
	else if (!strcmp(key, "End") || !strcmp(key, "G"))
		s->cursor = s->rows;
	else if (!strcmp(key, "Home") || !strcmp(key, "g"))
		s->cursor = 0;
	else if (!strcmp(key, "PgUp"))
		s->cursor -= s->cursor < page ? s->cursor : page;
	else
		s->cursor -= s->cursor > 0;
}

static const char *const moving[] = {
	"Down", "j", "PgDn", "End", "G", "Home", "g", "PgUp", "Up", "k", NULL};

static bool is_moving(const char *key)
{
	for (size_t i = 0; moving[i]; i++)
		if (!strcmp(moving[i], key))
			return true;
	return false;
}

static void do_live_key(struct live_screen *s, const char *key)
{
	if (!strcmp(key, "q") || !strcmp(key, "Ctrl-C"))
		s->quit = true;
	else if (!strcmp(key, "/"))
		prompt_begin(&s->prompt, "");
	else if (!strcmp(key, "Enter"))
		leave_for(s);
	else if (is_moving(key))
		go_to_row(s, key);
	else
		s->quit = s->l->key(s->l->context, key, s->cursor) == LIVE_QUIT;
}

/* Enter takes the filter; Esc leaves the one that was. */
static void do_prompt_key(struct live_screen *s, wint_t c, const char *key)
{
	char bytes[MB_LEN_MAX];

	if (!strcmp(key, "Enter")) {
		s->l->filter(s->l->context, s->prompt.text);
		prompt_end(&s->prompt);
	} else if (!strcmp(key, "Esc") || !strcmp(key, "Ctrl-C")) {
		s->prompt.open = false;
	} else if (!strcmp(key, "Backspace")) {
		prompt_delete(&s->prompt);
	} else if (c >= ' ' && (key[0] && (!key[1] || !strcmp(key, "Space") || key[0] & 0x80))) {
		const int n = wctomb(bytes, (wchar_t)c);
		if (n > 0)
			prompt_insert(&s->prompt, bytes, (size_t)n);
	}
}

static void take_live_key(struct live_screen *s, int code, wint_t c)
{
	char key[KEY_BYTES];

	if (code == KEY_CODE_YES && (c == KEY_RESIZE || c == KEY_MOUSE))
		return;
	if (!keyboard_name(NULL, code, c, key))
		return;
	if (s->prompt.open)
		do_prompt_key(s, c, key);
	else
		do_live_key(s, key);
}

/* ---- the loop ---- */

/* Until there is a key, or it is time for the next look. */
static void wait_until(struct live_screen *s, int64_t next_ms)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	const int64_t left_ms = next_ms - live_now_ms();

	if (poll(&in, 1, left_ms > 0 ? (int)left_ms : 0) > 0 && in.revents & ~POLLIN &&
		!(in.revents & POLLIN))
		s->quit = true; /* the terminal is gone */
}

static void live_loop(struct live_screen *s)
{
	const struct live *l = s->l;
	int64_t next_ms = live_now_ms();

	s->grows = true;
	while (!s->quit && !*l->ended) {
		const int64_t now_ms = live_now_ms();
		wint_t c;
		int code;
		if (now_ms >= next_ms) {
			s->grows = s->grows && l->look(l->context);
			next_ms = now_ms + l->period_ms;
		}
		draw_page(s);
		wait_until(s, next_ms);
		while (!s->quit && !*l->ended && (code = get_wch(&c)) != ERR)
			take_live_key(s, code, c);
	}
}

int live_run(const struct live *l, struct pl_err *err)
{
	struct live_screen s = {.l = l};
	SCREEN *screen = screen_open(err);

	if (!screen)
		return PL_ERR_IO;
	live_loop(&s);
	endwin();
	delscreen(screen);
	prompt_release(&s.prompt);
	return 0;
}
