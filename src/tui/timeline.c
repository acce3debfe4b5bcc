/* The timeline: when each thread of the process ran, and each task, below the thread that ran it.
 *
 *	10:52:01.120  +2 ms      +4 ms      +6 ms
 *	MainThread     ####~~~~~....#####|....####
 *	  Task-1       ##       ....##   |
 *	  Task-2         ##~~~~~      ###O....####
 *
 * An event was at its stamp or up to its error later. So in a cell an event is known to be (#), or
 * some may be (~), or no line began (.). Threads are ordered by their numbers, and tasks by theirs,
 * which is the order in which they began, or by name if the recording has no numbers of tasks. So
 * rows keep their places when the shown time changes.
 */
#define _GNU_SOURCE
#include "tui/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "os/local.h"

#define LINE_EVENTS 200000 /* that are shown */
#define NOT_THERE   UINT64_MAX

/* ---- rows ---- */

/* Names, with the numbers in them compared as numbers: Task-2 before Task-10. */
static int compare_names(const char *a, const char *b)
{
	return strverscmp(a, b);
}

static int compare_rows(const void *one, const void *other)
{
	const struct timeline_row *a = one, *b = other;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->task_id != b->task_id)
		return a->task_id < b->task_id ? -1 : 1;
	if (!a->task[0] || !b->task[0])
		return (a->task[0] != 0) - (b->task[0] != 0);
	return compare_names(a->task, b->task);
}

/* A task with a number is identified by it, whatever its name is at that moment. */
static bool is_row(
	const struct timeline_row *row, uint32_t thread, uint64_t task_id, const char *task)
{
	if (row->thread != thread || row->task_id != task_id)
		return false;
	return task_id || !strncmp(row->task, task ? task : "", sizeof row->task - 1);
}

/* The row of a task, or, with task_id 0 and task NULL, of the thread itself. NULL: too many
 * rows. */
static struct timeline_row *row_of(
	struct timeline *l, uint32_t thread, uint64_t task_id, const char *task)
{
	for (size_t i = 0; i < l->count; i++)
		if (is_row(&l->rows[i], thread, task_id, task))
			return &l->rows[i];
	if (l->count == TIMELINE_ROWS)
		return NULL;
	struct timeline_row *row = &l->rows[l->count++];
	*row = (struct timeline_row){
		.thread = thread, .task_id = task_id, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
	snprintf(row->task, sizeof row->task, "%s", task ? task : "");
	for (int i = 0; i < TIMELINE_COLUMNS; i++)
		row->seqs[i] = NOT_THERE;
	return row;
}

/* The row of the position; count if it has none. */
static size_t own_row(const struct tui *t)
{
	const struct pl_event *at = &t->s->replay.at;
	size_t i = 0;

	while (i < t->timeline->count &&
		!is_row(&t->timeline->rows[i], at->position.thread, at->task_id, at->task))
		i++;
	return i;
}

/* ---- time and columns ---- */

/* Columns are those of the table, TIMELINE_COLUMNS over the time that is shown, whatever the width
 * of the screen: the recording is read once, and a resize only divides them into cells again. */
static int column_of(const struct timeline *l, int64_t time_ns)
{
	double whole = (double)(l->to_ns - l->from_ns);

	if (time_ns <= l->from_ns || whole <= 0)
		return 0;
	if (time_ns >= l->to_ns)
		return TIMELINE_COLUMNS - 1;
	return (int)((double)(time_ns - l->from_ns) / whole * (TIMELINE_COLUMNS - 1));
}

/* The screen column of a time. */
static int cell_of(const struct timeline *l, int64_t time_ns)
{
	return l->cells > 0 ? column_of(l, time_ns) * l->cells / TIMELINE_COLUMNS : 0;
}

/* The time that is shown: all, or the part with about LINE_EVENTS around the position. */
static void choose_time(const struct tui *t, struct timeline *l)
{
	const struct pl_event *at = &t->s->replay.at;
	const struct pl_process *p =
		pl_recording_find_process(t->s->replay.r, at->position.process);
	uint64_t events = 0;

	l->from_ns = l->to_ns = at->time_ns;
	for (uint32_t n = 0; p && n < p->thread_count; n++) {
		const struct pl_thread *thread = pl_recording_thread(t->s->replay.r, p->number, n);
		if (!thread)
			continue;
		events += thread->events;
		l->from_ns = thread->start_ns && thread->start_ns < l->from_ns ? thread->start_ns
									       : l->from_ns;
		l->to_ns = thread->end_ns > l->to_ns ? thread->end_ns : l->to_ns;
	}
	if (events > LINE_EVENTS) {
		double part = (double)LINE_EVENTS / (double)events;
		int64_t half = (int64_t)((double)(l->to_ns - l->from_ns) * part / 2);
		const int64_t first_ns = l->from_ns, last_ns = l->to_ns;
		l->from_ns = at->time_ns - half;
		if (l->from_ns > last_ns - 2 * half)
			l->from_ns = last_ns - 2 * half;
		if (l->from_ns < first_ns)
			l->from_ns = first_ns;
		l->to_ns = l->from_ns + 2 * half;
	}
}

/* ---- what ran ---- */

/* An event that is known to be in one column makes that CELL_RAN. One whose error reaches into
 * other columns makes all of them CELL_MAYBE. */
static void timeline_add_event(
	struct timeline *l, struct timeline_row *row, const struct pl_event *e)
{
	const int column = column_of(l, e->time_ns);
	int64_t latest_ns;
	int last = TIMELINE_COLUMNS - 1;

	if (row->seqs[column] == NOT_THERE)
		row->seqs[column] = e->seq;
	if (!__builtin_add_overflow(e->time_ns, e->time_error_ns, &latest_ns))
		last = column_of(l, latest_ns);
	if (last == column)
		row->cells[column] = CELL_RAN;
	for (int i = column; i <= last; i++)
		if (row->cells[i] == CELL_NONE)
			row->cells[i] = CELL_MAYBE;
	row->first_ns = e->time_ns < row->first_ns ? e->time_ns : row->first_ns;
	row->last_ns = e->time_ns > row->last_ns ? e->time_ns : row->last_ns;
}

/* Every thread has a row, and exists from its start to its end, whatever part of that is shown. */
static void add_threads(const struct tui *t, struct timeline *l)
{
	const struct pl_process *p = pl_recording_find_process(t->s->replay.r, l->process);

	for (uint32_t n = 0; p && n < p->thread_count; n++) {
		const struct pl_thread *thread = pl_recording_thread(t->s->replay.r, p->number, n);
		struct timeline_row *row = thread ? row_of(l, n, 0, NULL) : NULL;
		if (!row || !thread->events)
			continue;
		row->first_ns = thread->start_ns;
		row->last_ns = thread->end_ns;
	}
}

/* Reads the events of all threads in the shown time. choose_time chose it for about LINE_EVENTS;
 * where events are not spread evenly there can be many more, and the loop ends at twice as many. */
static void make(struct tui *t, struct timeline *l)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;

	*l = (struct timeline){
		.process = t->s->replay.at.position.process, .left = l->left, .cells = l->cells};
	l->cursor = -1;
	choose_time(t, l);
	add_threads(t, l);
	int code = pl_cursor_new(&c, t->s->replay.r, l->process, PL_ALL_THREADS, NULL);
	if (code == 0)
		code = pl_cursor_seek_time(c, l->from_ns, NULL);
	for (int i = 0; code == 0 && i < 2 * LINE_EVENTS; i++) {
		code = pl_cursor_next(c, &e, NULL);
		if (code || e.time_ns > l->to_ns)
			break;
		if (e.kind == PL_EVENT_GAP || e.kind == PL_EVENT_POSSIBLE)
			continue;
		struct timeline_row *thread = row_of(l, e.position.thread, 0, NULL);
		struct timeline_row *task = NULL;
		if (e.task_id || e.task)
			task = row_of(l, e.position.thread, e.task_id, e.task);
		if (thread)
			timeline_add_event(l, thread, &e);
		if (task) {
			if (e.task) /* the last name, as in the list of tasks */
				snprintf(task->task, sizeof task->task, "%s", e.task);
			timeline_add_event(l, task, &e);
		}
	}
	pl_cursor_free(c);
	qsort(l->rows, l->count, sizeof *l->rows, compare_rows);
}

/* ---- drawing ---- */

static const struct look {
	const char *text;
	enum ink ink;
} looks[] = {
	[CELL_NONE] = {".", INK_FAINT},
	[CELL_MAYBE] = {"~", INK_NUMBER},
	[CELL_RAN] = {"#", INK_RAN},
};

/* The most that is known about the columns in one cell of the screen. */
static enum timeline_cell cell_at(const struct timeline *l, const struct timeline_row *row, int i)
{
	const int from = i * TIMELINE_COLUMNS / l->cells;
	const int to = (i + 1) * TIMELINE_COLUMNS / l->cells;
	enum timeline_cell most = CELL_NONE;

	for (int column = from; column < to || column == from; column++)
		if (column < TIMELINE_COLUMNS && row->cells[column] > most)
			most = row->cells[column];
	return most;
}

/* A task is indented further than its thread. Its number distinguishes it from others with its
 * name. */
static void put_name(
	const struct tui *t, const struct timeline_row *row, struct pen *p, enum ink ink)
{
	const struct pl_thread *thread =
		pl_recording_thread(t->s->replay.r, t->timeline->process, row->thread);

	if (row->task_id) {
		pen_format(p, ink, "  %" PRIu64 " ", row->task_id);
		pen_text(p, row->task[0] ? row->task : "task", ink);
	} else if (row->task[0]) {
		pen_text(p, "  ", ink);
		pen_text(p, row->task, ink);
	} else if (thread && thread->name && *thread->name) {
		pen_text(p, thread->name, ink);
	} else {
		pen_format(p, ink, "thread %" PRIu32, row->thread);
	}
	pen_fill(p, " ", INK_PLAIN);
}

static void draw_row(struct tui *t, struct box box, int y, size_t n)
{
	const struct timeline *l = t->timeline;
	const struct timeline_row *row = &l->rows[n];
	const int here = cell_of(l, t->s->replay.at.time_ns);
	const int first = cell_of(l, row->first_ns), last = cell_of(l, row->last_ns);
	const bool own = n == own_row(t), shown = row->first_ns <= row->last_ns;
	struct pen p = {.y = y, .x = box.x, .columns = l->left - 1, .lit = n == t->row};

	put_name(t, row, &p, own ? INK_HERE : INK_PLAIN);
	for (int i = 0; i < l->cells; i++) {
		enum timeline_cell cell = cell_at(l, row, i);
		bool outside = cell == CELL_NONE && (!shown || i < first || i > last);
		struct pen bar = {.y = y, .x = box.x + l->left + i, .columns = 1};
		bar.lit = n == t->row && i == l->cursor;
		if (i == here)
			pen_text(&bar, own ? "O" : "|", INK_HERE);
		else
			pen_text(&bar, outside ? " " : looks[cell].text, looks[cell].ink);
	}
}

/* Steps of 1, 2 or 5 times a power of ten, at least so many columns apart. */
static int64_t step_of(const struct timeline *l, int columns)
{
	const double least = (double)(l->to_ns - l->from_ns) / l->cells * columns;
	static const int64_t parts[] = {1, 2, 5};

	for (int64_t power = 1; power < INT64_MAX / 100; power *= 10)
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
			if ((double)(power * parts[i]) >= least)
				return power * parts[i];
	return INT64_MAX / 2;
}

#define AXIS_COLUMNS 12

/* The clock time at its left end, and how much later the other places are. */
static void draw_axis(const struct timeline *l, struct box box)
{
	const int64_t step_ns = step_of(l, AXIS_COLUMNS);
	struct pen p = {.y = box.y, .x = box.x + l->left, .columns = l->cells};
	char clock[LOCAL_BYTES], text[UNITS_BYTES + 2];

	local_clock(clock, l->from_ns, 6);
	pen_text(&p, clock, INK_FAINT);
	for (int64_t at_ns = step_ns; at_ns < l->to_ns - l->from_ns; at_ns += step_ns) {
		const int cell = cell_of(l, l->from_ns + at_ns);
		units_duration(text + 1, at_ns);
		text[0] = '+';
		if (cell < p.column + 2 || cell + (int)strlen(text) > l->cells)
			continue;
		while (p.column < cell)
			pen_text(&p, " ", INK_FAINT);
		pen_text(&p, "'", INK_FAINT);
		pen_text(&p, text, INK_FAINT);
	}
}

/* At the axis, above the names: how many rows are out of sight. */
static void draw_more(const struct tui *t, struct box box)
{
	const size_t end = t->row_top + (size_t)box.rows, count = t->timeline->count;
	const size_t below = end < count ? count - end : 0;
	struct pen p = {.y = box.y - 1, .x = box.x, .columns = t->timeline->left - 1};

	if (t->row_top && below)
		pen_format(&p, INK_HERE, "%zu above, %zu below", t->row_top, below);
	else if (t->row_top || below)
		pen_format(&p, INK_HERE, "%zu %s", t->row_top ? t->row_top : below,
			t->row_top ? "above" : "below");
}

static void draw_legend(const struct timeline *l, struct box box)
{
	struct pen p = {.y = box.y + box.rows - 1, .x = box.x, .columns = box.columns};
	const char *enter = "  Enter: go there";
	char span[UNITS_BYTES];

	units_duration(span, l->to_ns - l->from_ns);
	pen_text(&p, "#", INK_RAN);
	pen_text(&p, " ran  ", INK_FAINT);
	pen_text(&p, "~", INK_NUMBER);
	pen_text(&p, " maybe ran  ", INK_FAINT);
	pen_text(&p, ".", INK_FAINT);
	pen_text(&p, " waits  ", INK_FAINT);
	pen_text(&p, "O", INK_HERE);
	pen_text(&p, " here  ", INK_FAINT);
	pen_text(&p, "|", INK_HERE);
	pen_format(&p, INK_FAINT, " now; width %s", span);
	if (p.column + (int)strlen(enter) <= p.columns)
		pen_text(&p, enter, INK_FAINT);
}

static bool is_made(const struct tui *t)
{
	const struct timeline *l = t->timeline;
	const struct pl_event *at = &t->s->replay.at;

	return l && l->process == at->position.process && at->time_ns >= l->from_ns &&
	       at->time_ns <= l->to_ns;
}

void timeline_draw(struct tui *t, struct box box)
{
	if (!t->timeline && !(t->timeline = calloc(1, sizeof *t->timeline)))
		return;
	struct timeline *l = t->timeline;
	l->left = (box.columns / 4 < 24 ? box.columns / 4 : 24) + 1;
	l->cells = box.columns - l->left;
	if (!is_made(t)) {
		make(t, l);
		t->row = own_row(t);
	}
	if (box.rows <= 0 || l->cells < 8)
		return;
	const int legend = box.rows > 3, axis = box.rows > 1;
	if (axis)
		draw_axis(l, box);
	if (legend)
		draw_legend(l, box);
	box.y += axis;
	box.rows -= axis + legend;
	l->first_y = box.y;
	view_keep_in_sight(t, (size_t)box.rows, l->count);
	for (size_t i = 0; i < (size_t)box.rows && t->row_top + i < l->count; i++)
		draw_row(t, box, box.y + (int)i, t->row_top + i);
	if (axis)
		draw_more(t, box);
}

/* ---- going there ---- */

void timeline_moved(struct tui *t)
{
	if (!is_made(t))
		return;
	t->row = own_row(t);
	t->timeline->cursor = -1;
}

void timeline_column(struct tui *t, int columns)
{
	struct timeline *l = t->timeline;

	if (!l || l->cells <= 0)
		return;
	if (l->cursor < 0)
		l->cursor = cell_of(l, t->s->replay.at.time_ns);
	l->cursor += columns;
	l->cursor = l->cursor < 0 ? 0 : l->cursor < l->cells ? l->cursor : l->cells - 1;
}

bool timeline_click(struct tui *t, int y, int x)
{
	struct timeline *l = t->timeline;
	const int row = y - (l ? l->first_y : 0), cell = x - t->side_box.x - (l ? l->left : 0);

	if (!l || row < 0 || t->row_top + (size_t)row >= l->count)
		return false;
	t->row = t->row_top + (size_t)row;
	l->cursor = cell >= 0 && cell < l->cells ? cell : -1;
	return true;
}

/* The row's first event in this cell, or else the nearest, which is the one drawn there. */
static uint64_t event_near(const struct timeline *l, const struct timeline_row *row, int cell)
{
	const int from = cell * TIMELINE_COLUMNS / l->cells;

	for (int n = 0; n < TIMELINE_COLUMNS; n++) {
		if (from + n < TIMELINE_COLUMNS && row->seqs[from + n] != NOT_THERE)
			return row->seqs[from + n];
		if (n <= from && row->seqs[from - n] != NOT_THERE)
			return row->seqs[from - n];
	}
	return NOT_THERE;
}

void timeline_enter(struct tui *t)
{
	struct timeline *l = t->timeline;
	struct pl_err err = {0};

	if (!l || !l->count || l->cells <= 0)
		return;
	t->row = t->row < l->count ? t->row : l->count - 1; /* it may not have been drawn yet */
	const struct timeline_row *row = &l->rows[t->row];
	int cell = l->cursor >= 0 ? l->cursor : cell_of(l, t->s->replay.at.time_ns);
	uint64_t seq = event_near(l, row, cell);
	if (seq == NOT_THERE) {
		snprintf(t->message, sizeof t->message,
			"nothing of this thread ran in the time that is shown");
		return;
	}
	t->s->frame = 0;
	if (replay_seq(&t->s->replay, l->process, row->thread, seq, &err) < 0)
		snprintf(t->message, sizeof t->message, "%s", pl_err_text(&err));
}
