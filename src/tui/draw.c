/* The whole screen: where its parts are; and the prompt, messages and hints:
 *
 *	0        file.py:12  function   thread 0 MainThread  task worker   a:all threads
 *	1        10:52:01.120 ±1 ms  event 5 of 90 (#4)      [####------]  12% of time
 *	2 …      source, or source | view; on a screen narrower than SIDE_BY_SIDE: view below source
 *	LINES-2  prompt, or message (which can cover rows above it)
 *	LINES-1  hints: s step  n next …                                    h help  q quit
 *
 * The whole screen is drawn again each time; curses sends only what has changed. What a small
 * terminal has no room for is left out, in this order: the time, the hints. Drawing changes no
 * position, but it scrolls (t->top) so that the cursor is in sight, and notes where parts are
 * (t->source_box, t->side_box), for clicks and pages.
 */
#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include "tui/reader.h"

#include <curses.h>
#include <string.h>
#include "session/operations.h"

#define SIDE_BY_SIDE 110 /* columns */
#define EDGE	     32	 /* events among which a line is searched */

const struct pl_thread *tui_thread(const struct tui *t)
{
	const struct pl_position *at = &t->s->replay.at.position;

	return pl_recording_thread(t->s->replay.r, at->process, at->thread);
}

/* At the edges of a path there can be events that are not lines: a call before, returns after. Only
 * a few are looked at, because this is asked each time the screen is drawn; where no line is among
 * EDGE events there may still be one, so the answer is then no. */
bool tui_at_edge(struct tui *t, bool back)
{
	uint64_t seq = t->s->replay.at.seq;

	for (int i = 0; i < EDGE; i++) {
		const struct pl_event *e;
		int code = back ? path_before(&t->path, seq, &e, NULL)
				: path_from(&t->path, seq + 1, &e, NULL);
		if (code)
			return code == PL_END;
		if (e->kind == PL_EVENT_LINE)
			return false;
		seq = e->seq;
	}
	return false;
}

/* ---- prompt, message, hints, help ---- */

/* A line wider than the screen is scrolled so far that the cursor is in the last column. */
static void draw_prompt(const struct tui *t, int y)
{
	struct pen p = {.y = y, .columns = COLS};
	struct pen measure = {.y = y, .columns = 1 << 20, .left = 1 << 20};
	const char *text = t->prompt.text;

	pen_text(&measure, ":", INK_PLAIN);
	pen_bytes(&measure, text, t->prompt.at, INK_PLAIN);
	p.left = measure.column >= COLS ? measure.column - COLS + 1 : 0;
	pen_text(&p, ":", INK_HERE);
	pen_text(&p, text, INK_PLAIN);
	move(y, measure.column - p.left);
}

/* Whole characters only: columns are those of the pen, which cleans the text and knows wide
 * characters. At least one character is taken, so that a caller's loop ends on a screen of one
 * column. */
size_t tui_row_bytes(const char *text, int columns)
{
	struct pen measure = {.columns = 1 << 20, .left = 1 << 20};
	size_t at = 0, fits = 0, words = 0;

	while (text[at] && measure.column <= columns) {
		size_t n = 1;
		while (((unsigned char)text[at + n] & 0xc0) == 0x80)
			n++;
		if (text[at] == ' ')
			words = at;
		pen_bytes(&measure, text + at, n, INK_PLAIN);
		at += n;
		if (measure.column <= columns)
			fits = at;
	}
	return !text[fits] ? fits : words ? words : fits ? fits : at;
}

/* What follows this row, without the spaces at its end. */
const char *tui_next_row(const char *text, int columns)
{
	text += tui_row_bytes(text, columns);
	return text + strspn(text, " ");
}

/* A long message covers rows of what is above it, at most half of the screen. It is wrapped between
 * words. */
static void draw_message(const struct tui *t, int y)
{
	const char *text = t->message;
	int rows = 0;

	while (COLS > 0 && *text && rows < LINES / 2) {
		text = tui_next_row(text, COLS);
		rows++;
	}
	text = t->message;
	for (int i = 0; i < rows; i++) {
		struct pen p = {.y = y - rows + 1 + i, .columns = COLS};
		const size_t n = i + 1 < rows ? tui_row_bytes(text, COLS) : strlen(text);
		pen_bytes(&p, text, n, INK_PLAIN);
		pen_fill(&p, " ", INK_PLAIN);
		text = tui_next_row(text, COLS);
	}
}

/* Help and quit are always shown; of the others those that fit. */
static void draw_hints(const struct tui *t, int y)
{
	const char *last = t->prompt.open	   ? " Tab complete  Enter run  Esc cancel "
			   : t->help		   ? " Space page  / search  h close  q close "
			   : t->view != t->o->view ? " h help  q close "
						   : " h help  q quit ";
	const int columns = pen_columns(last), room = COLS > columns ? COLS - columns : 0;
	struct pen p = {.y = y, .columns = room};
	struct pen right = {.y = y, .x = room, .columns = COLS - room};
	const struct key *row;

	for (size_t i = 0; !t->prompt.open && !t->help && (row = keys_row(i)); i++) {
		char hint[64];
		if (!(row->views >> t->view & 1))
			continue;
		snprintf(hint, sizeof hint, " %s %s ", row->name, row->hint ? row->hint : "");
		if (row->hint && p.column + pen_columns(hint) > room)
			break;
		if (row->hint)
			pen_text(&p, hint, INK_BAR);
	}
	pen_fill(&p, " ", INK_BAR);
	pen_text(&right, last, INK_BAR);
	pen_fill(&right, " ", INK_BAR);
}

/* The view stands beside the source on a wide screen, below it on a narrow one, and alone where
 * neither would have enough rows. */
static void draw_body(struct tui *t, struct box box)
{
	struct box side = box;

	if (t->view == VIEW_SOURCE) {
		source_draw(t, box);
		t->side_box = (struct box){0};
		return;
	}
	if (COLS >= SIDE_BY_SIDE) {
		box.columns = COLS / 2;
		side.x = box.columns + 1;
		side.columns = COLS - side.x;
		for (int i = 0; i < box.rows; i++) {
			struct pen p = {.y = box.y + i, .x = box.columns, .columns = 1};
			pen_text(&p, "|", INK_FAINT);
		}
		source_draw(t, box);
	} else if (box.rows >= 7) {
		box.rows /= 2;
		side.y = box.y + box.rows + 1;
		side.rows -= box.rows + 1;
		struct pen p = {.y = side.y - 1, .x = side.x, .columns = side.columns};
		pen_rule(&p, view_names[t->view], INK_FAINT);
		source_draw(t, box);
	}
	t->side_box = side;
	view_draw(t, side);
}

static void draw_header_and_body(struct tui *t, int header, struct box body)
{
	header_draw(t, header);
	if (body.rows > 0 && t->help)
		help_draw(t, body);
	else if (body.rows > 0)
		draw_body(t, body);
}

void draw(struct tui *t)
{
	int header = LINES >= 8 ? 2 : 1, footer = LINES >= 5 ? 2 : 1;
	struct box body = {header, 0, LINES - header - footer, COLS};

	erase();
	t->body_rows = body.rows;
	if (t->view == VIEW_READER && !t->help)
		reader_draw(t, LINES - footer);
	else
		draw_header_and_body(t, header, body);
	if (t->prompt.open && t->tab.listed && body.rows > 0) {
		struct box list = {body.y + body.rows / 2, 0, body.rows - body.rows / 2, COLS};
		tab_draw(t, list);
	}
	if (footer > 1)
		draw_hints(t, LINES - 1);
	if (t->prompt.open) {
		curs_set(1);
		if (t->message[0] && LINES - footer > header)
			draw_message(t, LINES - footer - 1);
		draw_prompt(t, LINES - footer);
	} else {
		curs_set(0);
		draw_message(t, LINES - footer);
	}
	refresh();
}
