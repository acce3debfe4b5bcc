/* Moving within what is shown: the source, a view beside it, or the help. */
#include "tui/orders.h"
#include "tui/reader.h"

#define WHEEL_ROWS 3
#define LEFT_STEP  8

bool scroll_in_side(const struct tui *t)
{
	return t->view != VIEW_SOURCE;
}

static void scroll_lines(struct tui *t, int rows)
{
	if (t->help) {
		t->help_top += rows;
	} else if (scroll_in_side(t)) {
		view_move(t, rows);
	} else {
		int64_t to = (int64_t)t->cursor + rows;
		t->cursor = to < 1 ? 1 : to > t->source.lines ? t->source.lines : (int32_t)to;
		t->cursor = t->cursor < 1 ? 1 : t->cursor;
	}
}

/* One row less than is shown, so that the last row before is the first one after. */
static int page(const struct tui *t)
{
	int rows = scroll_in_side(t) ? t->side_box.rows : t->source_box.rows;

	if (t->help)
		rows = t->body_rows;
	return rows > 2 ? rows - 1 : 1;
}

void scroll_half_up(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, -(page(t) + 1) / 2);
}

void scroll_half_down(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, (page(t) + 1) / 2);
}

void scroll_up(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, -1);
}

void scroll_down(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, 1);
}

void scroll_page_up(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, -page(t));
}

void scroll_page_down(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, page(t));
}

/* The wheel scrolls what is under the mouse. scroll_lines acts on t->view, so over the source that
 * is changed for the time of the call. */
static void wheel(struct tui *t, int rows)
{
	const struct box *side = &t->side_box;
	bool over = scroll_in_side(t) && t->mouse_y >= side->y &&
		    t->mouse_y < side->y + side->rows && t->mouse_x >= side->x;
	enum view view = t->view;

	if (!t->help && !over)
		t->view = VIEW_SOURCE;
	scroll_lines(t, rows);
	t->view = view;
}

void scroll_wheel_up(struct tui *t, const char *rest)
{
	(void)rest;
	wheel(t, -WHEEL_ROWS);
}

void scroll_wheel_down(struct tui *t, const char *rest)
{
	(void)rest;
	wheel(t, WHEEL_ROWS);
}

/* Columns skipped, of the source or of the rows of the path or the reader. */
static int *left_of(struct tui *t)
{
	return t->view == VIEW_PATH || t->view == VIEW_READER ? &t->row_left : &t->left;
}

void scroll_left(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->help)
		return;
	if (t->view == VIEW_TIMELINE) {
		view_column(t, -1);
		return;
	}
	int *left = left_of(t);
	*left = *left > LEFT_STEP ? *left - LEFT_STEP : 0;
}

void scroll_right(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->help)
		return;
	if (t->view == VIEW_TIMELINE) {
		view_column(t, 1);
		return;
	}
	if (*left_of(t) < INT32_MAX / 2)
		*left_of(t) += LEFT_STEP;
}

/* scroll_bottom sets the top of the help, and of rows, far beyond their end: drawing brings it back
 * to the last page, because only it knows how many rows fit. */
void scroll_top(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->help)
		t->help_top = 0;
	else if (scroll_in_side(t))
		view_end(t, true);
	else
		t->cursor = 1;
}

void scroll_bottom(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->help)
		t->help_top = INT32_MAX / 2;
	else if (scroll_in_side(t))
		view_end(t, false);
	else
		t->cursor = t->source.lines > 0 ? t->source.lines : 1;
}
