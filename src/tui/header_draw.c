/* The header: the position's place and who runs there, and below it when that is, and how much of
 * the time has passed. What it has no room for is cut: first the file's name, from the left.
 */
#define NCURSES_NOMACROS
#include "tui/state.h"

#include <curses.h>
#include <inttypes.h>
#include <string.h>
#include "base/units.h"
#include "os/local.h"
#include "session/operations.h"

#define FILE_LEAST  16
#define FILE_CUT    10 /* of a file beside a function, if it is cut */
#define PLACE_LEAST 16 /* columns of file, line and function */

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
	int room = p->columns - 1 - pen_columns(line) - pen_columns(pl_code_name(at.code));
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
	const int left = columns - pen_columns(who) - 1;
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

void header_draw(const struct tui *t, int rows)
{
	draw_place(t, 0);
	if (rows > 1)
		draw_time(t, 1);
}
