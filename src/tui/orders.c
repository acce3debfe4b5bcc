#include "tui/orders.h"

#define NCURSES_NOMACROS
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session/operations.h"
#include "tui/pointer.h"
#include "tui/reader.h"

/* A view answers with a command of the session, such as "j #4711"; "" means that it has changed the
 * position or the selected frame itself. */
static void do_enter(struct tui *t, const char *rest)
{
	char command[64];

	(void)rest;
	view_enter(t, command);
	if (t->view == VIEW_READER)
		orders_choose_view(t, VIEW_SOURCE);
	if (command[0])
		tui_do(t, command);
	else
		position_show(t);
}

static void do_click(struct tui *t, const char *rest)
{
	const struct box *box = &t->source_box, *side = &t->side_box;
	int y = t->mouse_y;

	(void)rest;
	if (t->help)
		return;
	if (side->rows && y >= side->y && y < side->y + side->rows && t->mouse_x >= side->x) {
		if (view_click(t, y, t->mouse_x))
			do_enter(t, "");
	} else if (y >= box->y && y < box->y + box->rows &&
		   t->top + y - box->y <= t->source.lines) {
		t->cursor = t->top + y - box->y;
		pointer_say(t, t->cursor, t->mouse_x);
	}
}

static void do_fold(struct tui *t, const char *rest)
{
	(void)rest;
	view_fold(t);
}

void orders_choose_view(struct tui *t, enum view view)
{
	t->view = view;
	t->row = t->row_top = 0;
	t->row_left = 0;
	t->help = false;
	view_moved(t);
}

/* Without a name: the next view beside the source. The help is not one of these, though it has a
 * number. */
static void do_view(struct tui *t, const char *rest)
{
	enum view view = VIEW_SOURCE;

	while (*rest && view < VIEW_HELP && strcmp(view_names[view], rest))
		view++;
	if (view == VIEW_HELP)
		tui_say(t,
			"there is no view %s; try source, stack, tree, timeline, path, variables, "
			"reader",
			rest);
	else
		orders_choose_view(t, *rest		       ? view
				      : t->view >= VIEW_READER ? VIEW_SOURCE
							       : (t->view + 1) % VIEW_READER);
}

static void do_stack(struct tui *t, const char *rest)
{
	(void)rest;
	orders_choose_view(t, VIEW_STACK);
}

static void do_variables(struct tui *t, const char *rest)
{
	(void)rest;
	orders_choose_view(t, VIEW_VARIABLES);
}

static void do_inline(struct tui *t, const char *rest)
{
	(void)rest;
	t->no_values_beside = !t->no_values_beside;
	tui_say(t, "values at the ends of source lines are %s",
		t->no_values_beside ? "hidden" : "shown");
}

/* Without a name: that of the variable that is chosen in its view, or else, as the session has it,
 * of the one that was shown last. */
static void do_with_variable(struct tui *t, const char *word, const char *rest)
{
	char name[VARIABLE_NAME_BYTES], line[PROMPT_BYTES * 2];

	if (!*rest && variables_chosen(t, name))
		rest = name;
	snprintf(line, sizeof line, "%s %s", word, rest);
	tui_do_session(t, line);
}

static void do_write_before(struct tui *t, const char *rest)
{
	do_with_variable(t, "{", rest);
}

static void do_write_after(struct tui *t, const char *rest)
{
	do_with_variable(t, "}", rest);
}

static void do_watch(struct tui *t, const char *rest)
{
	do_with_variable(t, "watch", rest);
}

/* The source at the position, or at a line. */
static void do_list(struct tui *t, const char *rest)
{
	const unsigned long line = strtoul(rest, NULL, 10);

	t->help = false;
	if (!*rest)
		position_show(t);
	else if (rest[strspn(rest, "0123456789")] || !line)
		tui_say(t, "not a line number: %s; try list 44", rest);
	else
		t->cursor = line < (unsigned long)t->source.lines ? (int32_t)line : t->source.lines;
}

static void do_redraw(struct tui *t, const char *rest)
{
	(void)t, (void)rest;
	clear();
}

/* With the name of a command: describe it. */
static void do_help(struct tui *t, const char *rest)
{
	char line[PROMPT_BYTES];

	if (*rest) {
		snprintf(line, sizeof line, "help %s", rest);
		tui_do_session(t, line);
		return;
	}
	t->help = !t->help;
	t->help_top = t->help_found = 0;
}

static bool shows_whole(const struct tui *t)
{
	return t->view == VIEW_READER && t->reader && t->reader->whole;
}

/* Leaving a view beside the source leads to the source, and the source to where it began. */
static void do_close(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->help)
		t->help = false;
	else if (shows_whole(t))
		reader_whole(t);
	else if (scroll_in_side(t) && t->view != t->o->view)
		orders_choose_view(t, VIEW_SOURCE);
	else if (t->view != t->o->view)
		orders_choose_view(t, t->o->view);
}

static void do_leave(struct tui *t, const char *rest)
{
	if (!t->help && t->view == t->o->view && !shows_whole(t))
		t->quit = true;
	else
		do_close(t, rest);
}

/* The file whose name contains this; the shortest such name is taken. */
static const struct pl_code *find_file(const struct tui *t, const char *part)
{
	const struct pl_code *found = NULL;

	for (size_t i = 0; i < t->s->executed.file_count; i++) {
		const char *file = pl_code_file(t->s->executed.files[i]);
		if (strstr(file, part) && (!found || strlen(file) < strlen(pl_code_file(found))))
			found = t->s->executed.files[i];
	}
	return found;
}

static void do_open(struct tui *t, const char *rest)
{
	if (!*rest) {
		tui_say(t, "open needs a part of a file's name; Tab lists the files");
		return;
	}
	if (!counting_all(t)) {
		tui_say(t, "stopped before all files were known");
		return;
	}
	const struct pl_code *code = find_file(t, rest);
	if (!code) {
		tui_say(t, "no file that ran has %s in its name; Tab lists them", rest);
		return;
	}
	position_show_file(t, code);
	tui_say(t, "%s", pl_code_file(code));
}

/* "call,raise" as for `dump -e`; "": all. In the reader an expression. */
static void do_filter(struct tui *t, const char *rest)
{
	uint32_t kinds = 0;

	if (t->view == VIEW_READER) {
		reader_filter(t, rest);
		return;
	}
	while (*rest) {
		size_t n = strcspn(rest, ", "), kind = 0;
		while (kind < PL_EVENT_KIND_COUNT) {
			const char *name = pl_event_kind_name((enum pl_event_kind)kind);
			if (strlen(name) == n && !memcmp(name, rest, n))
				break;
			kind++;
		}
		if (kind == PL_EVENT_KIND_COUNT) {
			tui_say(t, "no event is called %.*s; try call,raise,mark", (int)n, rest);
			return;
		}
		kinds |= 1u << kind;
		rest += n;
		rest += strspn(rest, ", ");
	}
	view_filter(t, kinds);
	t->view = VIEW_PATH;
}

static void do_follow(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->view != VIEW_READER)
		orders_choose_view(t, VIEW_READER);
	reader_follow(t);
}

static void do_match(struct tui *t, const char *rest)
{
	if (t->view == VIEW_READER)
		reader_match(t, rest);
	else
		tui_say(t, "match is of the reader: only rows that match a regular expression");
}

static void do_whole(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->view == VIEW_READER)
		reader_whole(t);
	else
		tui_say(t, "whole is of the reader: a row that is longer than the screen");
}

static const struct order orders[] = {
	{"line-up", scroll_up, true, NAMES_NONE},
	{"line-down", scroll_down, true, NAMES_NONE},
	{"page-up", scroll_page_up, true, NAMES_NONE},
	{"page-down", scroll_page_down, true, NAMES_NONE},
	{"wheel-up", scroll_wheel_up, true, NAMES_NONE},
	{"wheel-down", scroll_wheel_down, true, NAMES_NONE},
	{"left", scroll_left, true, NAMES_NONE},
	{"right", scroll_right, true, NAMES_NONE},
	{"top", scroll_top, false, NAMES_NONE},
	{"bottom", scroll_bottom, false, NAMES_NONE},
	{"half-up", scroll_half_up, true, NAMES_NONE},
	{"half-down", scroll_half_down, true, NAMES_NONE},
	{"follow", do_follow, false, NAMES_NONE},
	{"match", do_match, false, NAMES_NONE},
	{"whole", do_whole, false, NAMES_NONE},
	{"click", do_click, false, NAMES_NONE},
	{"enter", do_enter, false, NAMES_NONE},
	{"filter", do_filter, false, NAMES_EVENTS},
	{"fold", do_fold, false, NAMES_NONE},
	{"view", do_view, false, NAMES_VIEWS},
	{"bt", do_stack, false, NAMES_NONE},
	{"variables", do_variables, false, NAMES_NONE},
	{"inline", do_inline, false, NAMES_NONE},
	{"{", do_write_before, false, NAMES_VARIABLES},
	{"}", do_write_after, false, NAMES_VARIABLES},
	{"watch", do_watch, false, NAMES_VARIABLES},
	{"list", do_list, false, NAMES_NONE},
	{"redraw", do_redraw, false, NAMES_NONE},
	{"help", do_help, false, NAMES_COMMANDS},
	{"h", do_help, false, NAMES_COMMANDS},
	{"open", do_open, false, NAMES_FILES},
	{"edit", editor_open, false, NAMES_NONE},
	{"close", do_close, false, NAMES_NONE},
	{"leave", do_leave, false, NAMES_NONE},
};
#define ORDERS (sizeof orders / sizeof *orders)
_Static_assert(ORDERS <= ORDERS_MAX, "all of them can be completed");

void orders_complete(struct complete_word own[ORDERS_MAX + 1])
{
	for (size_t i = 0; i < ORDERS; i++)
		own[i] = (struct complete_word){orders[i].word, orders[i].names};
	own[ORDERS] = (struct complete_word){.word = NULL};
}

const struct order *order_find(const char *line, const char **rest)
{
	const struct session_word *word;

	for (size_t i = 0; i < ORDERS; i++) {
		size_t n = strlen(orders[i].word);
		if (strncmp(line, orders[i].word, n) || (line[n] && line[n] != ' '))
			continue;
		*rest = line + n + strspn(line + n, " ");
		return &orders[i];
	}
	word = session_find_word(line, rest);
	for (size_t i = 0; word && i < ORDERS; i++)
		if (!strcmp(orders[i].word, word->word))
			return &orders[i];
	return NULL;
}
