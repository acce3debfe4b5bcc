/* How the reader looks:
 *
 *	0        reader  python3 shop.py   filter: book   follows            12:00:01  42% of time
 *	1 …      rows: time, thread and task if there are several, the text indented by depth
 *
 * On a narrow screen the time is left out, and then thread and task. Left and Right scroll the
 * texts; the columns before them stay.
 */
#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include "tui/reader.h"

#include <curses.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "os/local.h"

#define TIME_LEAST   60 /* columns of the screen, with which rows have a time */
#define WHO_LEAST    40
#define WHO_WIDTH    14
#define LEVEL_WIDTH  2
#define INDENT_SHARE 3 /* of the columns an indent takes at most one in so many */

static enum ink ink_of(enum pl_event_kind kind)
{
	switch (kind) {
	case PL_EVENT_CALL:
	case PL_EVENT_RESUME:
		return INK_NAME;
	case PL_EVENT_RETURN:
	case PL_EVENT_YIELD:
		return INK_RAN;
	case PL_EVENT_MARK:
		return INK_HERE;
	default:
		return INK_BAD;
	}
}

/* Which thread, and in a recording of several processes which process; then the task. */
static void draw_who(const struct tui *t, struct pen *p, const struct reading_row *row)
{
	const struct pl_thread *thread =
		pl_recording_thread(t->s->replay.r, row->position.process, row->position.thread);
	struct pen who = {
		.y = p->y, .x = p->x + p->column, .columns = WHO_WIDTH - 1, .lit = p->lit};

	if (pl_recording_process_count(t->s->replay.r) > 1)
		pen_format(&who, INK_FAINT, "%" PRIu32 "/", row->position.process);
	if (row->task)
		pen_text(&who, row->task, INK_FAINT);
	else if (thread && thread->name[0])
		pen_text(&who, thread->name, INK_FAINT);
	else
		pen_format(&who, INK_FAINT, "%" PRIu32, row->position.thread);
	pen_fill(&who, " ", INK_FAINT);
	p->column += WHO_WIDTH - 1;
	pen_text(p, " ", INK_FAINT);
}

/* Deeper rows than there is room for have their depth in brackets. */
static void draw_indent(struct pen *p, uint32_t depth)
{
	const int levels = p->columns / INDENT_SHARE / LEVEL_WIDTH;

	if (depth <= (uint32_t)levels) {
		pen_format(p, INK_PLAIN, "%*s", (int)depth * LEVEL_WIDTH, "");
		return;
	}
	pen_format(p, INK_PLAIN, "%*s", levels * LEVEL_WIDTH, "");
	pen_format(p, INK_FAINT, "[%" PRIu32 "] ", depth);
}

static bool has_several(const struct tui *t)
{
	const struct reading *l = &t->reader->list;

	return l->lane_count > 1 || t->s->replay.task.number || t->s->replay.task.text[0];
}

static void draw_row(const struct tui *t, int y, const struct reading_row *row, bool lit)
{
	struct pen p = {.y = y, .columns = COLS, .lit = lit};
	char clock[LOCAL_BYTES];

	if (COLS >= TIME_LEAST) {
		local_clock(clock, row->time_ns, 6);
		pen_text(&p, clock, INK_FAINT);
		pen_text(&p, " ", INK_FAINT);
	}
	if (COLS >= WHO_LEAST && (has_several(t) || row->task))
		draw_who(t, &p, row);
	struct pen text = {
		.y = y, .x = p.column, .columns = COLS - p.column, .left = t->row_left, .lit = lit};
	draw_indent(&text, row->depth);
	pen_text(&text, row->text, ink_of(row->kind));
	pen_sign(&text);
	if (lit)
		pen_fill(&text, " ", INK_PLAIN);
}

/* The whole text of a row, wrapped; so far down as there is text. */
static void draw_whole(struct tui *t, struct box box)
{
	struct reader *r = t->reader;
	const char *text = r->whole;
	int rows = 0;

	for (const char *at = text; *at; at = tui_next_row(at, box.columns))
		rows++;
	if (r->whole_top > rows - box.rows)
		r->whole_top = rows > box.rows ? rows - box.rows : 0;
	for (int i = 0; i < r->whole_top; i++)
		text = tui_next_row(text, box.columns);
	for (int i = 0; i < box.rows && *text; i++) {
		struct pen p = {.y = box.y + i, .columns = box.columns};
		pen_bytes(&p, text, tui_row_bytes(text, box.columns), INK_PLAIN);
		text = tui_next_row(text, box.columns);
	}
}

/* The chosen row comes in sight, and no room is left above the first one. */
static void keep_row_in_sight(struct tui *t, int rows)
{
	struct reader *r = t->reader;
	const struct reading_row *row;
	int64_t first = r->row;

	if (r->row < r->top)
		r->top = r->row;
	if (r->row >= r->top + rows)
		r->top = r->row - rows + 1;
	while (first > r->top && reader_row(t, first - 1, &row) == 0)
		first--;
	r->top = first;
}

static const char *end_text(const struct tui *t)
{
	return !t->follows	    ? "-- END OF RECORDING --"
	       : t->reader->follows ? "-- END SO FAR; what follows is shown as it comes --"
				    : "-- END SO FAR; F follows it --";
}

static void draw_rows(struct tui *t, struct box box)
{
	struct reader *r = t->reader;
	const struct reading_row *row;
	int y = box.y;

	keep_row_in_sight(t, box.rows);
	for (; y < box.y + box.rows; y++) {
		const int64_t number = r->top + y - box.y;
		if (reader_row(t, number, &row))
			break;
		draw_row(t, y, row, number == r->row);
	}
	r->at_end = y < box.y + box.rows && !r->stopped;
	if (r->at_end) {
		struct pen p = {.y = y, .columns = box.columns};
		pen_text(&p,
			(r->filter[0] || r->match.text) && y == box.y ? "nothing passes the filter"
								      : end_text(t),
			INK_HERE);
	}
}

/* The part of the recording's time that has passed at the chosen row; -1: its end is not known. */
static int percent_of(const struct tui *t, const struct reading_row *row)
{
	struct pl_recording_info info;

	pl_recording_info(t->s->replay.r, &info);
	if (info.end_ns <= info.start_ns || row->time_ns < info.start_ns)
		return -1;
	const double share =
		(double)(row->time_ns - info.start_ns) / (double)(info.end_ns - info.start_ns);
	return share > 1 ? 100 : (int)(share * 100);
}

static void draw_place_of_row(struct tui *t, struct pen *p)
{
	const struct reading_row *row;
	char text[64], clock[LOCAL_BYTES];

	if (reader_row(t, t->reader->row, &row))
		return;
	const int percent = percent_of(t, row);
	local_clock(clock, row->time_ns, 3);
	int n = snprintf(text, sizeof text, "  %s", clock);
	if (percent >= 0)
		snprintf(text + n, sizeof text - (size_t)n, "  %d%% of time", percent);
	const int columns = (int)strlen(text) + 1;
	if (p->column + columns > p->columns)
		return;
	struct pen right = {.y = p->y, .x = p->columns - columns, .columns = columns};
	pen_text(&right, text, INK_BAR);
	pen_fill(&right, " ", INK_BAR);
}

static void draw_head(struct tui *t)
{
	const struct reader *r = t->reader;
	struct pl_recording_info info;
	struct pen p = {.columns = COLS};

	pl_recording_info(t->s->replay.r, &info);
	pen_text(&p, r->whole ? " whole row" : " reader", INK_BAR);
	if (r->filter[0]) {
		pen_text(&p, "  filter: ", INK_BAR);
		pen_text(&p, r->filter, INK_BAR);
	}
	if (r->match.text) {
		pen_text(&p, "  matching: ", INK_BAR);
		pen_text(&p, r->match.text, INK_BAR);
	}
	if (r->follows && t->follows)
		pen_text(&p, "  follows", INK_BAR);
	pen_text(&p, "  ", INK_BAR);
	pen_text(&p, info.command, INK_BAR);
	struct pen rest = p;
	pen_fill(&rest, " ", INK_BAR);
	draw_place_of_row(t, &p);
}

void reader_draw(struct tui *t, int rows)
{
	const struct box box = {1, 0, rows - 1, COLS};

	if (!t->reader || box.rows <= 0)
		return;
	t->reader->rows = box.rows;
	t->side_box = box;
	if (t->reader->whole)
		draw_whole(t, box);
	else
		draw_rows(t, box);
	draw_head(t);
}

void reader_say_progress(const struct tui *t, const char *text)
{
	struct pen p = {.y = LINES >= 5 ? LINES - 2 : LINES - 1, .columns = COLS};

	(void)t;
	pen_text(&p, text, INK_PLAIN);
	pen_fill(&p, " ", INK_PLAIN);
	refresh();
}
