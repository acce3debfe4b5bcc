/* The views beside the source: stack, call tree, timeline, path.
 *
 * Each has a chosen row, which the position decides until the user moves it. In the stack, the
 * tree, and the timeline, t->row is its number among the rows that are shown, and t->row_top that
 * of the first one on the screen. The path has as many rows as the thread has events, which can be
 * millions, so there seqs take the place of numbers (path_row, path_top), and only the rows in
 * sight are read.
 */
#define _GNU_SOURCE
#include "tui/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX  4096
#define TREE_EVENTS 3000 /* in each direction */
#define ROW_BYTES   8192

/* ---- stack ---- */

static void draw_frame(
	const struct tui *t, struct box box, int y, const struct pl_frame *f, size_t n)
{
	struct pen p = {.y = y, .x = box.x, .columns = box.columns, .lit = n == t->row};
	char file[FILE_BYTES];

	pen_format(&p, n == t->s->frame ? INK_HERE : INK_FAINT, "%s%3zu ",
		n == t->s->frame ? ">" : " ", n);
	pen_text(&p, f->code ? pl_code_name(f->code) : "?", INK_NAME);
	pen_text(&p, "  ", INK_FAINT);
	tui_file(t, f->code ? pl_code_file(f->code) : "?", box.columns / 2, file);
	pen_text(&p, file, INK_FAINT);
	pen_format(&p, INK_FAINT, ":%" PRId32, f->line);
	if (f->task) {
		pen_text(&p, "  task ", INK_FAINT);
		pen_text(&p, f->task, INK_FAINT);
	}
	if (p.lit)
		pen_fill(&p, " ", INK_PLAIN);
}

void view_keep_in_sight(struct tui *t, size_t rows, size_t count)
{
	if (t->row >= count)
		t->row = count ? count - 1 : 0;
	if (t->row < t->row_top)
		t->row_top = t->row;
	if (t->row >= t->row_top + rows)
		t->row_top = t->row - rows + 1;
	if (t->row_top + rows > count)
		t->row_top = count > rows ? count - rows : 0;
}

/* The frames of the stack, the outermost first; free them. */
static struct pl_frame *stack(struct tui *t, size_t *depth)
{
	struct pl_frame *frames = calloc(FRAMES_MAX, sizeof *frames);

	*depth = frames ? replay_stack(&t->s->replay, frames, FRAMES_MAX) : 0;
	*depth = *depth < FRAMES_MAX ? *depth : FRAMES_MAX;
	return frames;
}

/* Row 0 is the innermost frame: replay_stack has it last. */
static void draw_stack(struct tui *t, struct box box)
{
	size_t depth;
	struct pl_frame *frames = stack(t, &depth);

	view_keep_in_sight(t, (size_t)box.rows, depth);
	for (size_t i = 0; i < (size_t)box.rows && t->row_top + i < depth; i++) {
		size_t n = t->row_top + i;
		draw_frame(t, box, box.y + (int)i, &frames[depth - 1 - n], n);
	}
	free(frames);
}

/* ---- tree ---- */

static bool row_begins(enum pl_event_kind kind)
{
	return kind == PL_EVENT_CALL || kind == PL_EVENT_RESUME || kind == PL_EVENT_THROW;
}

/* A row for each call among the events around the position, in the order of the path. The depth of
 * an event is enough to draw a tree: children follow their parent, and are deeper. A call that
 * began before `from` has no row, so the first rows can be deeper than the ones after them. */
static void make_tree(struct tui *t)
{
	const struct pl_event *at = &t->s->replay.at, *e;
	struct tree *tree = t->tree;
	uint64_t seq = at->seq > TREE_EVENTS ? at->seq - TREE_EVENTS : 0;

	tree->count = 0;
	tree->of = at->position;
	tree->from = seq;
	tree->to = at->seq + TREE_EVENTS;
	while (tree->count < TREE_ROWS && seq <= tree->to && !path_from(&t->path, seq, &e, NULL)) {
		if (row_begins(e->kind))
			tree->rows[tree->count++] = (struct tree_row){.seq = e->seq,
				.depth = e->depth,
				.line = e->caller_line,
				.code = e->code};
		seq = e->seq + 1;
	}
}

/* Folds are kept by the seq of their call, which stays the same when the tree is made again around
 * another position. */
static bool is_folded(const struct tree *tree, uint64_t seq)
{
	for (size_t i = 0; i < tree->fold_count; i++)
		if (tree->folds[i] == seq)
			return true;
	return false;
}

/* The next row that is not hidden in a fold. */
static size_t next_shown(const struct tree *tree, size_t i)
{
	uint32_t depth = tree->rows[i].depth;

	if (!is_folded(tree, tree->rows[i].seq))
		return i + 1;
	for (i++; i < tree->count && tree->rows[i].depth > depth; i++)
		;
	return i;
}

/* The n-th row that is not hidden; count: there is none. */
static size_t shown_row(const struct tree *tree, size_t n)
{
	size_t i = 0;

	while (n-- && i < tree->count)
		i = next_shown(tree, i);
	return i;
}

static size_t shown_count(const struct tree *tree)
{
	size_t n = 0;

	for (size_t i = 0; i < tree->count; i = next_shown(tree, i))
		n++;
	return n;
}

/* The visible row of the innermost call that began at or before the position. */
static size_t row_here(const struct tui *t)
{
	const struct tree *tree = t->tree;
	size_t n = 0, here = 0;

	for (size_t i = 0; i < tree->count; i = next_shown(tree, i), n++)
		if (tree->rows[i].seq <= t->s->replay.at.seq &&
			tree->rows[i].depth <= t->s->replay.at.depth)
			here = n;
	return here;
}

/* here: the position is in it. */
static void draw_call(const struct tui *t, struct pen p, size_t i, bool here)
{
	const struct tree_row *row = &t->tree->rows[i];
	bool has = i + 1 < t->tree->count && row[1].depth > row->depth;

	pen_text(&p, here ? ">" : " ", INK_HERE);
	pen_format(&p, INK_PLAIN, "%*s", (int)(row->depth < 40 ? row->depth * 2 : 80), "");
	pen_text(&p, !has ? "  " : is_folded(t->tree, row->seq) ? "+ " : "- ", INK_FAINT);
	pen_text(&p, row->code ? pl_code_name(row->code) : "?", INK_NAME);
	pen_format(&p, INK_FAINT, "  #%" PRIu64, row->seq);
	if (row->line > 0)
		pen_format(&p, INK_FAINT, " from line %" PRId32, row->line);
	if (p.lit)
		pen_fill(&p, " ", INK_PLAIN);
}

/* The tree is made again when the position leaves its thread, or comes close to an end of what the
 * tree covers: within a quarter, so that some rows are to be seen in both directions. */
static bool is_made(const struct tui *t)
{
	const struct tree *tree = t->tree;
	const struct pl_event *at = &t->s->replay.at;
	uint64_t quarter = TREE_EVENTS / 4;

	return tree->to && tree->of.process == at->position.process &&
	       tree->of.thread == at->position.thread && at->seq + quarter < tree->to &&
	       (!tree->from || at->seq > tree->from + quarter);
}

static void draw_tree(struct tui *t, struct box box)
{
	size_t here;

	if (!t->tree && !(t->tree = calloc(1, sizeof *t->tree)))
		return;
	if (!is_made(t)) {
		make_tree(t);
		t->row = row_here(t);
	}
	view_keep_in_sight(t, (size_t)box.rows, shown_count(t->tree));
	here = row_here(t);
	size_t i = shown_row(t->tree, t->row_top);
	for (size_t n = 0; n < (size_t)box.rows && i < t->tree->count; n++) {
		const struct pen p = {.y = box.y + (int)n,
			.x = box.x,
			.columns = box.columns,
			.lit = t->row_top + n == t->row};
		draw_call(t, p, i, t->row_top + n == here);
		i = next_shown(t->tree, i);
	}
}

void view_fold(struct tui *t)
{
	struct tree *tree = t->tree;
	size_t i = tree ? shown_row(tree, t->row) : 0;

	if (t->view == VIEW_VARIABLES)
		variables_fold(t);
	if (t->view != VIEW_TREE || !tree || i >= tree->count)
		return;
	for (size_t n = 0; n < tree->fold_count; n++)
		if (tree->folds[n] == tree->rows[i].seq) {
			tree->folds[n] = tree->folds[--tree->fold_count];
			return;
		}
	if (tree->fold_count < TREE_FOLDS)
		tree->folds[tree->fold_count++] = tree->rows[i].seq;
}

/* ---- path ---- */

/* One row; what does not fit is cut, and Right shows it. */
static void draw_event(struct tui *t, struct box box, int y, const struct pl_event *e)
{
	char text[ROW_BYTES];
	size_t length = t->o->row(t->o->context, e, (unsigned)box.columns, text, sizeof text);
	struct pen p = {.y = y,
		.x = box.x,
		.columns = box.columns,
		.left = t->row_left,
		.lit = e->seq == t->path_row};
	enum ink ink = e->kind == PL_EVENT_LINE	 ? INK_PLAIN
		       : e->kind == PL_EVENT_GAP ? INK_BAD
						 : INK_NAME;

	if (e->seq == t->s->replay.at.seq)
		ink = INK_HERE;
	pen_bytes(&p, text, length, ink);
	pen_sign(&p);
	if (p.lit)
		pen_fill(&p, " ", INK_PLAIN);
}

/* Of the events that are shown, the first at or after seq, or the last before it. 0 or an error.
 * With a filter a search finds them, because the next one can be far away, and a search can skip
 * blocks that have no such event. *e is valid until the next call. */
static int row_near(struct tui *t, uint64_t seq, bool back, const struct pl_event **e)
{
	const struct pl_wanted wanted = {.process = t->path.process,
		.thread = t->path.thread,
		.kinds = t->kinds,
		.stop = t->o->interrupted};

	if (!t->kinds)
		return back ? path_before(&t->path, seq, e, NULL)
			    : path_from(&t->path, seq, e, NULL);
	if (!t->rows && pl_search_new(&t->rows, t->path.r, &wanted, NULL))
		return PL_END;
	*e = &t->found;
	return back ? pl_search_previous(t->rows, seq, 0, &t->found, NULL)
		    : pl_search_next(t->rows, seq, UINT64_MAX, &t->found, NULL);
}

static int row_from(struct tui *t, uint64_t seq, const struct pl_event **e)
{
	return row_near(t, seq, false, e);
}

static int row_before(struct tui *t, uint64_t seq, const struct pl_event **e)
{
	return row_near(t, seq, true, e);
}

static void forget_rows(struct tui *t)
{
	pl_search_free(t->rows);
	t->rows = NULL;
}

void view_filter(struct tui *t, uint32_t kinds)
{
	forget_rows(t);
	t->kinds = kinds;
}

/* false: the chosen row was not among them. */
static bool draw_events(struct tui *t, struct box box)
{
	const struct pl_event *e;
	uint64_t seq = t->path_top;
	bool seen = false;

	for (int y = box.y; y < box.y + box.rows; y++) {
		if (row_from(t, seq, &e)) {
			struct pen p = {.y = y, .x = box.x, .columns = box.columns};
			pen_text(&p, "-- END OF RECORDING --", INK_HERE);
			break;
		}
		seen = seen || e->seq == t->path_row;
		seq = e->seq + 1;
		draw_event(t, box, y, e);
	}
	return seen;
}

/* So many events further; returns the seq, which is `seq` if there are none. */
static uint64_t walk_events(struct tui *t, uint64_t seq, int count)
{
	const struct pl_event *e;

	for (; count > 0 && !row_from(t, seq + 1, &e); count--)
		seq = e->seq;
	for (; count < 0 && !row_before(t, seq, &e); count++)
		seq = e->seq;
	return seq;
}

static void clear_box(struct box box)
{
	for (int i = 0; i < box.rows; i++) {
		struct pen p = {.y = box.y + i, .x = box.x, .columns = box.columns};
		pen_fill(&p, " ", INK_PLAIN);
	}
}

/* From path_top on; false: the chosen row is not among them. */
static bool try_path(struct tui *t, struct box box)
{
	const struct pl_event *e;

	clear_box(box);
	if (row_before(t, t->path_top, &e) == PL_END && box.rows > 1) {
		struct pen p = {.y = box.y, .x = box.x, .columns = box.columns};
		pen_text(&p, "-- START OF RECORDING --", INK_HERE);
		box.y++;
		box.rows--;
	}
	return draw_events(t, box);
}

/* The chosen row must be one that is shown: the one at or after the position, else the last one. */
static void choose_shown(struct tui *t)
{
	const struct pl_event *e;

	if (t->kinds && (row_from(t, t->path_row, &e) == 0 || row_before(t, t->path_row, &e) == 0))
		t->path_row = e->seq;
}

/* Only drawing tells how many rows are needed: an edge of the recording takes one, and a filter
 * hides some. So it is tried from the old top, which keeps the rows where they were; then with the
 * chosen row in the middle; then with it at the top. */
static void draw_path(struct tui *t, struct box box)
{
	choose_shown(t);
	if (t->path_row >= t->path_top && try_path(t, box))
		return;
	t->path_top = walk_events(t, t->path_row, -(box.rows / 2));
	if (try_path(t, box))
		return;
	t->path_top = t->path_row; /* there is no room for a row above it */
	try_path(t, box);
}

/* ---- all ---- */

void view_draw(struct tui *t, struct box box)
{
	static void (*const draws[VIEWS])(struct tui * t, struct box box) = {
		[VIEW_STACK] = draw_stack,
		[VIEW_TREE] = draw_tree,
		[VIEW_TIMELINE] = timeline_draw,
		[VIEW_PATH] = draw_path,
		[VIEW_VARIABLES] = variables_draw,
	};

	if (box.rows > 0 && box.columns > 0 && draws[t->view])
		draws[t->view](t, box);
}

void view_move(struct tui *t, int rows)
{
	if (t->view == VIEW_READER)
		reader_move(t, rows);
	else if (t->view == VIEW_PATH)
		t->path_row = walk_events(t, t->path_row, rows);
	else if (rows < 0 && t->row < (size_t)-rows)
		t->row = 0;
	else
		t->row += (size_t)rows;
}

void view_end(struct tui *t, bool top)
{
	const struct pl_event *e;

	t->row = top ? 0 : SIZE_MAX / 2;
	if (t->view == VIEW_READER)
		reader_end(t, top);
	if (t->view != VIEW_PATH)
		return;
	if (top ? row_from(t, 0, &e) == 0 : row_before(t, INT64_MAX, &e) == 0)
		t->path_row = e->seq;
}

bool view_click(struct tui *t, int y, int x)
{
	int row = y - t->side_box.y;

	if (t->view == VIEW_TIMELINE)
		return timeline_click(t, y, x);
	if (t->view == VIEW_READER)
		reader_click(t, row);
	else if (t->view == VIEW_PATH)
		t->path_row = walk_events(t, t->path_top, row);
	else if (t->view != VIEW_VARIABLES || row) /* its first row is a title */
		t->row = t->row_top + (size_t)row - (t->view == VIEW_VARIABLES);
	return false;
}

void view_column(struct tui *t, int columns)
{
	timeline_column(t, columns);
}

/* A jump is returned as a command, for the session to remember the place before. The timeline moves
 * by itself, because its row can be in another thread. */
void view_enter(struct tui *t, char command[64])
{
	command[0] = 0;
	if (t->view == VIEW_STACK) {
		size_t depth;
		free(stack(t, &depth));
		t->s->frame = t->row < depth ? t->row : depth ? depth - 1 : 0;
	}
	if (t->view == VIEW_TIMELINE)
		timeline_enter(t);
	if (t->view == VIEW_READER)
		reader_enter(t);
	if (t->view == VIEW_VARIABLES)
		variables_fold(t);
	if (t->view == VIEW_PATH)
		snprintf(command, 64, "j #%" PRIu64, t->path_row);
	if (t->view == VIEW_TREE && t->tree && shown_row(t->tree, t->row) < t->tree->count)
		snprintf(command, 64, "j #%" PRIu64, t->tree->rows[shown_row(t->tree, t->row)].seq);
}

/* t->path belongs to one thread: in another it is begun again. Folds and the chosen rows of views
 * that are not shown are left as they are. */
void view_moved(struct tui *t)
{
	const struct pl_event *at = &t->s->replay.at;

	if (t->path.process != at->position.process || t->path.thread != at->position.thread) {
		forget_rows(t);
		path_release(&t->path);
		t->path = (struct path){.r = t->s->replay.r,
			.process = at->position.process,
			.thread = at->position.thread};
		t->path_top = at->seq;
	}
	t->path_row = at->seq;
	if (t->view == VIEW_STACK)
		t->row = t->s->frame;
	if (t->view == VIEW_TREE && t->tree && is_made(t))
		t->row = row_here(t);
	if (t->view == VIEW_TIMELINE)
		timeline_moved(t);
	if (t->view == VIEW_READER)
		reader_moved(t);
}

void view_grown(struct tui *t)
{
	path_reset(&t->path);
	forget_rows(t);
	reader_grown(t);
	if (t->tree)
		t->tree->to = 0;
	if (t->timeline)
		t->timeline->process = 0;
	selected_variables_forget(&t->s->variables);
}

void view_release(struct tui *t)
{
	forget_rows(t);
	path_release(&t->path);
	reader_release(t);
	free(t->tree);
	free(t->timeline);
	t->tree = NULL;
	t->timeline = NULL;
	variables_release_view(t);
}
