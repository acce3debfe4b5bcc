/* Header, source, prompt and hints, and where each of them is on the screen:
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
#include <inttypes.h>
#include <string.h>
#include "base/units.h"
#include "os/local.h"
#include "session/operations.h"
#include "tui/lexer.h"

#define SIDE_BY_SIDE 110 /* columns */
#define FILE_LEAST   16
#define FILE_CUT     10 /* of a file beside a function, if it is cut */
#define PLACE_LEAST  16 /* columns of file, line and function */
#define EDGE	     32 /* events among which a line is searched */

static const enum ink inks[LEXEMES] = {
	[LEX_PLAIN] = INK_PLAIN,
	[LEX_KEYWORD] = INK_KEYWORD,
	[LEX_STRING] = INK_STRING,
	[LEX_COMMENT] = INK_COMMENT,
	[LEX_NUMBER] = INK_NUMBER,
	[LEX_DECORATOR] = INK_DECORATOR,
	[LEX_NAME] = INK_NAME,
};

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

/* ---- header ---- */

/* As the pen will draw it: the pen skips all that is left of `left`, so nothing reaches the
 * screen. */
static int columns_of_text(const char *text)
{
	struct pen measure = {.columns = 1 << 20, .left = 1 << 20};

	pen_text(&measure, text, INK_PLAIN);
	return measure.column;
}

/* The text without the shortest beginning, so that the rest fits into these columns. */
static const char *cut_left(const char *text, int columns)
{
	int length = 0;

	for (const char *at = text; *at; at++)
		length += ((unsigned char)*at & 0xc0) != 0x80;
	for (; length > columns && *text; length--)
		do
			text++;
		while (((unsigned char)*text & 0xc0) == 0x80);
	return text;
}

/* Cut from the left, at a slash if there is one, so that the name of the file itself stays:
 * "…/shop/cart.py". */
void tui_file(const struct tui *t, const char *file, int columns, char text[FILE_BYTES])
{
	const size_t n = strlen(t->folder);

	if (n && !strncmp(file, t->folder, n) && file[n])
		file += n;
	const char *cut = cut_left(file, columns);
	if (cut == file) {
		snprintf(text, FILE_BYTES, "%s", file);
		return;
	}
	cut = cut_left(file, columns > 1 ? columns - 1 : 1);
	const char *slash = strchr(cut, '/');
	snprintf(text, FILE_BYTES, "…%s", slash && slash[1] ? slash : cut);
}

/* Says at the right end whether stops count in all threads. */
static int draw_mode(const struct tui *t, int y)
{
	const char *mode = t->s->replay.only_here ? " a:this thread " : " a:all threads ";
	int columns = (int)strlen(mode);

	if (COLS < 3 * columns)
		return 0;
	struct pen p = {.y = y, .x = COLS - columns, .columns = columns};
	pen_text(&p, mode, INK_BAR);
	return columns;
}

/* Thread, task and, if there are several, process. */
#define WHO_BYTES 400
static void who_text(const struct tui *t, char text[WHO_BYTES])
{
	const struct pl_position *at = &t->s->replay.at.position;
	const struct pl_thread *thread = tui_thread(t);
	char task[TASK_TEXT_BYTES], process[24] = "";

	tasks_text(&t->s->replay.task, task);
	if (pl_recording_process_count(t->s->replay.r) > 1)
		snprintf(process, sizeof process, "  process %" PRIu32, at->process);
	snprintf(text, WHO_BYTES, "  thread %" PRIu32 " %.100s%s%s%s", at->thread,
		thread && thread->name ? thread->name : "", task[0] ? "  task " : "", task,
		process);
}

/* File, line and function, cut if they need more than these columns: first the file, to half of
 * them. */
static void draw_function(const struct tui *t, struct pen *p)
{
	const struct replay_place at = replay_place(&t->s->replay);
	const int quarter = COLS / 4 < FILE_LEAST ? FILE_LEAST : COLS / 4;
	const int half = p->columns / 2 < FILE_CUT ? FILE_CUT : p->columns / 2;
	char file[FILE_BYTES], line[16];

	pen_text(p, " ", INK_BAR);
	if (!at.code) {
		pen_text(p, "no frame", INK_BAR);
		return;
	}
	snprintf(line, sizeof line, ":%" PRId32 "  ", at.line);
	int room = p->columns - 1 - columns_of_text(line) - columns_of_text(pl_code_name(at.code));
	room = room > half ? room : half;
	tui_file(t, pl_code_file(at.code), room < quarter ? room : quarter, file);
	pen_text(p, file, INK_BAR);
	pen_text(p, line, INK_BAR);
	pen_text(p, pl_code_name(at.code), INK_BAR);
}

/* The thread and task have the room they need; place and function have the rest, at least
 * PLACE_LEAST columns. */
static void draw_place(const struct tui *t, int y)
{
	const int columns = COLS - draw_mode(t, y);
	char who[WHO_BYTES];

	who_text(t, who);
	const int left = columns - columns_of_text(who) - 1;
	struct pen p = {.y = y, .columns = left > PLACE_LEAST ? left : PLACE_LEAST};
	p.columns = p.columns < columns ? p.columns : columns;
	draw_function(t, &p);
	const int used = p.full ? p.columns : p.column;
	struct pen right = {.y = y, .x = used, .columns = columns - used};
	pen_text(&right, who, INK_BAR);
	pen_fill(&right, " ", INK_BAR);
}

/* The share of the time that has passed, and a bar of it where there is room. */
static void draw_bar(const struct tui *t, struct pen *p)
{
	const int share = session_percent(t->s);
	char percent[32];

	snprintf(percent, sizeof percent, " %3d%% of time", share);
	const int room = p->columns - p->column - (int)strlen(percent) - 4;
	if (room >= 4) {
		const int filled = (share * room + 50) / 100;
		pen_text(p, " [", INK_BAR);
		for (int i = 0; i < room; i++)
			pen_text(p, i < filled ? "#" : "-", INK_BAR);
		pen_text(p, "]", INK_BAR);
	}
	if (p->column + (int)strlen(percent) <= p->columns)
		pen_text(p, percent, INK_BAR);
	pen_fill(p, " ", INK_BAR);
}

/* People count events from 1; #seq counts from 0, as in `dump -f seq` and in `j #4711`. A gap at
 * the end is after all events: it has the next seq. */
static void draw_time(const struct tui *t, int y)
{
	const struct pl_event *at = &t->s->replay.at;
	const struct pl_thread *thread = tui_thread(t);
	struct pen p = {.y = y, .columns = COLS};
	const uint64_t whole = thread ? thread->first_seq + thread->events : 0;
	const uint64_t number = at->seq < whole ? at->seq + 1 : whole;
	char clock[LOCAL_BYTES], error[UNITS_BYTES], numbers[2][UNITS_BYTES];

	local_clock(clock, at->time_ns, 6);
	units_error(error, at->time_error_ns);
	pen_format(&p, INK_BAR, " %s", pl_event_kind_name(at->kind));
	if (at->type && at->kind != PL_EVENT_GAP)
		pen_format(&p, INK_BAR, " %.40s", at->type);
	pen_format(&p, INK_BAR, "  %s %s", clock, error);
	units_count(numbers[0], number);
	units_count(numbers[1], whole);
	pen_format(&p, INK_BAR, "  %sevent %s of %s (#%" PRIu64 ")",
		at->seq < whole ? "" : "after ", numbers[0], numbers[1], at->seq);
	draw_bar(t, &p);
}

/* ---- source ---- */

int32_t tui_line(const struct tui *t)
{
	const struct replay_place place = replay_place(&t->s->replay);
	struct pl_frame frame;

	if (!t->s->frame && place.code)
		return pl_code_same_text(place.code, t->source.code) ? place.line : 0;
	if (tui_frame((struct tui *)t, &frame) || !pl_code_same_text(frame.code, t->source.code))
		return 0;
	return frame.line;
}

/* At most six characters, to fit the gutter: 99,999, 100k, 1.2M, 18E. */
static void short_count(uint64_t n, char text[UNITS_BYTES])
{
	static const char units[] = "kMGTPE";
	int unit = -1;
	double v = (double)n;

	if (n < 100000) {
		units_count(text, n);
		return;
	}
	while (v >= 1000 && unit < 5) {
		v /= 1000;
		unit++;
	}
	snprintf(text, 16, v < 10 ? "%.1f%c" : "%.0f%c", v, units[unit]);
}

/* Is it a stop at a function that begins in this line? */
static bool stops_function(const struct tui *t, const struct stop *stop, int32_t line)
{
	for (size_t i = 0; i < t->source.code_count; i++)
		if (pl_code_first_line(t->source.codes[i]) == line &&
			stop_names(pl_code_name(t->source.codes[i]), stop->name, '.'))
			return true;
	return false;
}

/* The number of the stop of this line; 0: none. */
static uint32_t stop_at(const struct tui *t, int32_t line)
{
	const struct stops *stops = &t->s->replay.stops;

	for (size_t i = 0; i < stops->count; i++) {
		const struct stop *stop = &stops->rows[i];
		const bool is_here =
			stop->kind == STOP_LINE
				? stop->line == line && stop_names(t->source.file, stop->name, '/')
			: stop->kind == STOP_RAISE ? false
						   : stops_function(t, stop, line);
		if (is_here)
			return stop->number;
	}
	return 0;
}

/* Left of the text: stop, hits so far or "never" ("?" if not known), the line's number, and whether
 * the position is there:
 *
 *	| stop 2 |  hits 6 | line 5 | > |
 *	" 1     17    12 > "         narrow terminals (< 40 columns) have no hits, and ! for never
 *
 * "never" is a claim about all threads: it needs all lines that ran (has_what), a line that can
 * run, no thread that was killed where it may have begun the line, and a recording without gaps.
 * Anything less is "?", and so is a line that only samples saw.
 */
static void draw_gutter(const struct tui *t, struct pen *p, int32_t line, bool here)
{
	unsigned what = t->source.what[line];
	bool ran = what & SOURCE_RAN || (t->source.has_hits && t->source.hits[line]);
	bool never = t->source.has_what && !ran && what & SOURCE_CAN;
	bool sure = never && !(what & SOURCE_MAY) && executed_is_whole(t->s->replay.r);
	bool open = !sure && here && !t->s->frame && replay_seen(&t->s->replay) &&
		    !(t->source.has_hits && t->source.hits[line]); /* no event of this pass */
	uint32_t stop = stop_at(t, line);
	char hits[UNITS_BYTES] = "";

	if (t->source.has_hits && ran)
		short_count(t->source.hits[line], hits);
	else if (ran)
		snprintf(hits, sizeof hits, "+");
	if (stop)
		pen_format(p, INK_BAD, "%2" PRIu32, stop);
	else
		pen_text(p, "  ", INK_PLAIN);
	if (COLS >= 40)
		pen_format(p, never ? INK_NEVER : INK_RAN, " %6s",
			sure		? "never"
			: never || open ? "?"
					: hits);
	pen_format(p, ran ? INK_PLAIN : INK_FAINT, " %5" PRId32, line);
	pen_text(p, here ? " > " : sure && COLS < 40 ? " ! " : "   ", here ? INK_HERE : INK_NEVER);
}

/* Colours are those of pieces of the line, which the lexer cuts; the line may begin inside a string
 * of several lines, which listing_state knows. */
static void draw_text(struct tui *t, struct pen *p, int32_t line)
{
	struct lexer l = {.state = listing_state(&t->source, line)};
	struct pl_text text;
	enum lexeme kind;
	size_t n, from = 0;

	if (!listing_text(&t->source, line, &text))
		return;
	while (!p->full && (n = lexer_next(&l, text.at, text.length, &kind))) {
		pen_bytes(p, text.at + from, n, inks[kind]);
		from += n;
	}
}

static void draw_line(struct tui *t, struct box box, int y, int32_t line, int32_t here)
{
	struct pen gutter = {.y = y, .x = box.x, .columns = box.columns};

	draw_gutter(t, &gutter, line, line == here);
	struct pen p = {.y = y,
		.x = box.x + gutter.column,
		.columns = box.columns - gutter.column,
		.left = t->left,
		.lit = line == t->cursor};
	t->gutter = gutter.column;
	if (p.columns <= 0)
		return;
	draw_text(t, &p, line);
	variables_beside(t, &p, line, here);
	pen_sign(&p);
	if (p.lit)
		pen_fill(&p, " ", INK_PLAIN);
}

/* A separate row, over the whole width. */
static void draw_rule(struct box box, int y, const char *text, enum ink ink)
{
	struct pen p = {.y = y, .x = box.x, .columns = box.columns};

	pen_text(&p, "-- ", ink);
	pen_text(&p, text, ink);
	pen_text(&p, " ", ink);
	pen_fill(&p, "-", ink);
}

/* A separate row, taken from the box. */
static void take_rule(struct box *box, bool bottom, const char *text, enum ink ink)
{
	if (box->rows < 2)
		return;
	draw_rule(*box, bottom ? box->y + box->rows - 1 : box->y, text, ink);
	box->y += !bottom;
	box->rows--;
}

/* With --limit the oldest events of a thread can be gone: then its first event has a seq above
 * 0. */
static const char *start_text(const struct tui *t)
{
	const struct pl_thread *thread = tui_thread(t);

	if (thread && thread->first_seq)
		return "START OF WHAT IS KEPT: --limit dropped what was before";
	return t->s->replay.at.position.thread ? "START OF THREAD" : "START OF RECORDING";
}

/* Rows that say why there is no more source or path here: the path's beginning or end, a gap, a
 * missing file, a thread that was seen in a line after its last event. */
static void take_rules(struct tui *t, struct box *box)
{
	const struct pl_event *at = &t->s->replay.at;
	struct pl_recording_info info;
	char text[400];

	pl_recording_info(t->s->replay.r, &info);
	if (tui_at_edge(t, true))
		take_rule(box, false, start_text(t), INK_HERE);
	if (at->kind == PL_EVENT_GAP) {
		snprintf(text, sizeof text, "GAP: %s", pl_gap_reason_text(at->gap));
		take_rule(box, false, text, INK_BAD);
	}
	if (t->source.missing) {
		snprintf(text, sizeof text, "no source: %s", t->source.why);
		take_rule(box, false, text, INK_BAD);
	}
	const struct seen *seen = replay_seen(&t->s->replay);
	if (seen) {
		char where[SEEN_BYTES];
		seen_text(seen, where);
		snprintf(text, sizeof text, "SEEN LAST in %s", where);
		take_rule(box, false, text, INK_HERE);
	}
	if (tui_at_edge(t, false))
		take_rule(box, true,
			!info.end_ns	      ? "END OF RECORDING SO FAR"
			: at->position.thread ? "END OF THREAD"
					      : "END OF RECORDING",
			INK_HERE);
}

/* t->top is kept while the cursor stays in sight, so the text does not move under the reader;
 * otherwise the cursor's line comes to the middle. */
static void draw_source(struct tui *t, struct box box)
{
	const struct listing *s = &t->source;
	int32_t here = tui_line(t);

	take_rules(t, &box);
	if (t->cursor < t->top || t->cursor >= t->top + box.rows)
		t->top = t->cursor - box.rows / 2;
	if (t->top > s->lines - box.rows + 1)
		t->top = s->lines - box.rows + 1;
	if (t->top < 1)
		t->top = 1;
	t->source_box = box;
	for (int i = 0; i < box.rows && t->top + i <= s->lines; i++)
		draw_line(t, box, box.y + i, t->top + i, here);
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
	const int columns = columns_of_text(last), room = COLS > columns ? COLS - columns : 0;
	struct pen p = {.y = y, .columns = room};
	struct pen right = {.y = y, .x = room, .columns = COLS - room};
	const struct key *row;

	for (size_t i = 0; !t->prompt.open && !t->help && (row = keys_row(i)); i++) {
		char hint[64];
		if (!(row->views >> t->view & 1))
			continue;
		snprintf(hint, sizeof hint, " %s %s ", row->name, row->hint ? row->hint : "");
		if (row->hint && p.column + columns_of_text(hint) > room)
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
		draw_source(t, box);
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
		draw_source(t, box);
	} else if (box.rows >= 7) {
		box.rows /= 2;
		side.y = box.y + box.rows + 1;
		side.rows -= box.rows + 1;
		draw_rule(side, side.y - 1, view_names[t->view], INK_FAINT);
		draw_source(t, box);
	}
	t->side_box = side;
	view_draw(t, side);
}

static void draw_header_and_body(struct tui *t, int header, struct box body)
{
	draw_place(t, 0);
	if (header > 1)
		draw_time(t, 1);
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
