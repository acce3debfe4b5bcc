/* The main loop of the screen: how a key becomes a change of what is shown.
 *
 *	get_wch -> name_key -> keys_find -> do_line -> an order of the screen (orders below)
 *	  byte      "Ctrl-O"    a row of      text       or a command of the session
 *	                        keys.c                   (session/words.h)
 *
 * A key is first turned into a line of text, as if the user had typed it after ":". So a key, the
 * prompt, and a key bound by the user cannot differ in what they do, and counts work for all.
 *
 * There is one thread. Work that takes long (counting the hits of each line, finding the lines that
 * ever ran) is done in pieces between keys, see wait_for_input; a search of the session runs to its
 * end, draws its own progress, and stops at Ctrl-C. curses is called from here and from the files
 * that draw, never from a signal handler: handlers only set the flags of struct tui_options.
 */
#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include "tui/tui.h"

#include <ctype.h>
#include <curses.h>
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "session/operations.h"
#include "tui/escape.h"
#include "base/units.h"
#include "tui/reader.h"
#include "tui/state.h"

/* FRAMES_MAX: of a deeper stack, the innermost frames cannot be selected. TICK_MS: a signal that
 * arrives just before the wait for a key is noticed so much later at most. FOLLOW_MS: a recording
 * that grows is read so often. */
#define FRAMES_MAX  4096
#define TICK_MS	    1000
#define FOLLOW_MS   200
#define BUDGET_NS   10000000 /* for counting before the screen is drawn */
#define EDITOR_ARGS 32
#define WHEEL_ROWS  3
#define LEFT_STEP   8

static void say(struct tui *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct tui *t, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(t->message, sizeof t->message, format, arguments);
	va_end(arguments);
}

/* ---- what is shown ---- */

/* session.frame counts from the innermost frame, as u and d do; replay_stack fills in the outermost
 * one first. */
int tui_frame(struct tui *t, struct pl_frame *frame)
{
	struct pl_frame *frames = calloc(FRAMES_MAX, sizeof *frames);
	size_t depth = frames ? replay_stack(&t->s->replay, frames, FRAMES_MAX) : 0;
	int code = PL_END;

	if (depth > t->s->frame && depth - 1 - t->s->frame < FRAMES_MAX) {
		*frame = frames[depth - 1 - t->s->frame];
		code = 0;
	}
	free(frames);
	return code;
}

/* Show another file, from its first line. Two codes of one text (a module and a function in it) are
 * the same file here. */
static void show_file(struct tui *t, const struct pl_code *code)
{
	if (pl_code_same_text(t->source.code, code))
		return;
	if (listing_show(&t->source, t->s->replay.r, code, &t->s->executed) < 0)
		say(t, "no memory for the lines of %s", pl_code_file(code));
	t->cursor = 1;
	t->left = 0;
	t->hits_ready = false;
}

/* Show the source at the position, or at the selected frame. The counts of hits are those before
 * the position in its thread: if either has changed they are counted again, and are not shown until
 * then. */
static void show_position(struct tui *t)
{
	const struct pl_event *at = &t->s->replay.at;
	struct replay_place place = replay_place(&t->s->replay);
	struct pl_frame frame;

	if (t->s->frame && tui_frame(t, &frame) == 0) {
		place.code = frame.code;
		place.line = frame.line;
	}
	if (place.code)
		show_file(t, place.code);
	if (place.line > 0 && place.line <= t->source.lines) {
		if (place.line != t->cursor)
			t->left = 0;
		t->cursor = place.line;
	}
	if (t->hits_seq != at->seq || t->hits_of.process != at->position.process ||
		t->hits_of.thread != at->position.thread)
		t->hits_ready = t->source.has_hits = false;
	t->hits_seq = at->seq;
	t->hits_of = at->position;
	view_moved(t);
}

/* CLOCK_MONOTONIC: for deadlines, not to be compared with the times of a recording. */
static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Do a part of the counting; returns whether there is more. Hits of the shown file come first,
 * since the user looks at them; the lines that ran in the whole recording ("never" at a line, names
 * that Tab completes) come when those are ready. An error ends the counting, and the screen is
 * without the counts: an error there is not a reason to stop. */
static bool count_piece(struct tui *t)
{
	struct hits *h = t->hits_ready ? NULL : session_hits(t->s);
	uint64_t seq = t->s->replay.at.seq;

	if (!t->hits_ready) {
		int code = h ? hits_work(h, seq, NULL) : PL_ERR_MEMORY;
		if (!t->source.has_hits && code >= 0 && t->source.hits)
			t->source.has_hits =
				hits_of(h, t->source.code, t->source.hits, t->source.lines);
		t->hits_ready = code != HITS_GOES_ON;
		return true;
	}
	if (t->s->executed.done)
		return false;
	if (executed_work(&t->s->executed, NULL) < 0)
		t->s->executed.done = true; /* then nothing is known */
	if (t->s->executed.done)
		listing_learn(&t->source, &t->s->executed);
	return !t->s->executed.done;
}

/* Small recordings are counted before anything is shown. */
static void count_some(struct tui *t)
{
	const int64_t end = now_ns() + BUDGET_NS;

	while (count_piece(t) && now_ns() < end)
		;
}

/* For a command that needs the whole count. false: it was interrupted, or failed. */
static bool count_all(struct tui *t)
{
	*t->o->interrupted = 0;
	while (!t->s->executed.done && !*t->o->interrupted)
		if (executed_work(&t->s->executed, NULL) < 0)
			return false;
	listing_learn(&t->source, &t->s->executed);
	return t->s->executed.done;
}

/* ---- commands of the screen ---- */

static void do_line(struct tui *t, const char *line);
static void do_session(struct tui *t, const char *line);
static void show_under_mouse(struct tui *t);

/* Do the keys that move act on the view beside the source, not on the source? */
static bool in_side(const struct tui *t)
{
	return t->view != VIEW_SOURCE;
}

static void scroll_lines(struct tui *t, int rows)
{
	if (t->help) {
		t->help_top += rows;
	} else if (in_side(t)) {
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
	int rows = in_side(t) ? t->side_box.rows : t->source_box.rows;

	if (t->help)
		rows = t->body_rows;
	return rows > 2 ? rows - 1 : 1;
}

static void do_half_up(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, -(page(t) + 1) / 2);
}

static void do_half_down(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, (page(t) + 1) / 2);
}

static void do_up(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, -1);
}

static void do_down(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, 1);
}

static void do_page_up(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, -page(t));
}

static void do_page_down(struct tui *t, const char *rest)
{
	(void)rest;
	scroll_lines(t, page(t));
}

/* The wheel scrolls what is under the mouse. scroll_lines acts on t->view, so over the source that
 * is changed for the time of the call. */
static void wheel(struct tui *t, int rows)
{
	const struct box *side = &t->side_box;
	bool over = in_side(t) && t->mouse_y >= side->y && t->mouse_y < side->y + side->rows &&
		    t->mouse_x >= side->x;
	enum view view = t->view;

	if (!t->help && !over)
		t->view = VIEW_SOURCE;
	scroll_lines(t, rows);
	t->view = view;
}

static void do_wheel_up(struct tui *t, const char *rest)
{
	(void)rest;
	wheel(t, -WHEEL_ROWS);
}

static void do_wheel_down(struct tui *t, const char *rest)
{
	(void)rest;
	wheel(t, WHEEL_ROWS);
}

/* Columns skipped, of the source or of the rows of the path or the reader. */
static int *left_of(struct tui *t)
{
	return t->view == VIEW_PATH || t->view == VIEW_READER ? &t->row_left : &t->left;
}

static void do_left(struct tui *t, const char *rest)
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

static void do_right(struct tui *t, const char *rest)
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

/* do_bottom sets the top of the help, and of rows, far beyond their end: drawing brings it back to
 * the last page, because only it knows how many rows fit. */
static void do_top(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->help)
		t->help_top = 0;
	else if (in_side(t))
		view_end(t, true);
	else
		t->cursor = 1;
}

static void do_bottom(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->help)
		t->help_top = INT32_MAX / 2;
	else if (in_side(t))
		view_end(t, false);
	else
		t->cursor = t->source.lines > 0 ? t->source.lines : 1;
}

/* A view answers with a command of the session, such as "j #4711"; "" means that it has changed the
 * position or the selected frame itself. */
static void choose_view(struct tui *t, enum view view);
static void do_enter(struct tui *t, const char *rest)
{
	char command[64];

	(void)rest;
	view_enter(t, command);
	if (t->view == VIEW_READER)
		choose_view(t, VIEW_SOURCE);
	if (command[0])
		do_line(t, command);
	else
		show_position(t);
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
		show_under_mouse(t);
	}
}

static void do_fold(struct tui *t, const char *rest)
{
	(void)rest;
	view_fold(t);
}

/* Rows of one view mean nothing in another: it begins at its first row, and view_moved brings it to
 * the position. */
static void choose_view(struct tui *t, enum view view)
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
		say(t,
			"there is no view %s; try source, stack, tree, timeline, path, variables, "
			"reader",
			rest);
	else
		choose_view(t, *rest			? view
			       : t->view >= VIEW_READER ? VIEW_SOURCE
							: (t->view + 1) % VIEW_READER);
}

static void do_stack(struct tui *t, const char *rest)
{
	(void)rest;
	choose_view(t, VIEW_STACK);
}

static void do_variables(struct tui *t, const char *rest)
{
	(void)rest;
	choose_view(t, VIEW_VARIABLES);
}

static void do_inline(struct tui *t, const char *rest)
{
	(void)rest;
	t->no_values_beside = !t->no_values_beside;
	say(t, "values at the ends of source lines are %s",
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
	do_session(t, line);
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

/* The value of the name under the mouse. What has none is left alone: it may be a keyword. */
static void show_under_mouse(struct tui *t)
{
	char name[VARIABLE_NAME_BYTES], value[WHY_MAX / 2];
	const int column = t->mouse_x - t->source_box.x - t->gutter + t->left;

	if (!variables_under(t, t->cursor, column, name) || session_print(t->s, name, NULL))
		return;
	pl_value_text(&t->s->outcome.question.value, value, sizeof value);
	say(t, "%s = %s", name, value);
}

/* The source at the position, or at a line. */
static void do_list(struct tui *t, const char *rest)
{
	const unsigned long line = strtoul(rest, NULL, 10);

	t->help = false;
	if (!*rest)
		show_position(t);
	else if (rest[strspn(rest, "0123456789")] || !line)
		say(t, "not a line number: %s; try list 44", rest);
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
		do_session(t, line);
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
	else if (in_side(t) && t->view != t->o->view)
		choose_view(t, VIEW_SOURCE);
	else if (t->view != t->o->view)
		choose_view(t, t->o->view);
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
		say(t, "open needs a part of a file's name; Tab lists the files");
		return;
	}
	if (!count_all(t)) {
		say(t, "stopped before all files were known");
		return;
	}
	const struct pl_code *code = find_file(t, rest);
	if (!code) {
		say(t, "no file that ran has %s in its name; Tab lists them", rest);
		return;
	}
	show_file(t, code);
	say(t, "%s", pl_code_file(code));
}

/* In a child: words split at spaces, no shell, so that a file's name cannot run anything. $EDITOR
 * may have options ("emacs -nw"), not quotes. */
static void run_editor(char *editor, char *line, char *file)
{
	char *words[EDITOR_ARGS + 3], *rest = NULL;
	size_t n = 0;

	for (char *word = strtok_r(editor, " ", &rest); word && n < EDITOR_ARGS;
		word = strtok_r(NULL, " ", &rest))
		words[n++] = word;
	words[n++] = line;
	words[n++] = file;
	words[n] = NULL;
	execvp(words[0], words);
	_exit(127);
}

/* The editor has the terminal until it ends. SIGWINCH is blocked in the screen (hold_resizes), and
 * a child inherits that: an editor must have the mask from before the screen began. */
static void edit(struct tui *t, const char *editor)
{
	char line[16], *words = strdup(editor), *file = strdup(t->source.file);
	int status = 0;

	snprintf(line, sizeof line, "+%" PRId32, t->cursor);
	def_prog_mode();
	endwin();
	pid_t child = words && file ? fork() : -1;
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &t->unblocked, NULL);
		run_editor(words, line, file);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	reset_prog_mode();
	clear();
	free(words);
	free(file);
	*t->o->interrupted = 0;
	if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
		say(t, "cannot run %s", editor);
	else
		say(t, "the source shown here is still that of the recording");
}

/* The name of a file comes from the recording: one that begins with + or - would be an option to
 * the editor. */
static void do_edit(struct tui *t, const char *rest)
{
	const char *editor = getenv("VISUAL");

	(void)rest;
	if (!editor || !editor[strspn(editor, " ")])
		editor = getenv("EDITOR");
	if (!editor || !editor[strspn(editor, " ")])
		say(t, "no editor is known: set VISUAL or EDITOR");
	else if (!t->source.file || access(t->source.file, F_OK) < 0 || t->source.file[0] == '+' ||
		 t->source.file[0] == '-')
		say(t, "cannot edit %s: there is no such file here",
			t->source.file ? t->source.file : "?");
	else
		edit(t, editor);
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
			say(t, "no event is called %.*s; try call,raise,mark", (int)n, rest);
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
		choose_view(t, VIEW_READER);
	reader_follow(t);
}

static void do_match(struct tui *t, const char *rest)
{
	if (t->view == VIEW_READER)
		reader_match(t, rest);
	else
		say(t, "match is of the reader: only rows that match a regular expression");
}

static void do_whole(struct tui *t, const char *rest)
{
	(void)rest;
	if (t->view == VIEW_READER)
		reader_whole(t);
	else
		say(t, "whole is of the reader: a row that is longer than the screen");
}

/* The commands of the screen. They are looked up before those of the session, and so replace the
 * ones of the same name, such as bt, which shows the stack here and prints it in --plain. */
static const struct order {
	const char *word;
	void (*run)(struct tui *t, const char *rest);
	bool repeats; /* it may have a count */
	enum names names;
} orders[] = {
	{"line-up", do_up, true, NAMES_NONE},
	{"line-down", do_down, true, NAMES_NONE},
	{"page-up", do_page_up, true, NAMES_NONE},
	{"page-down", do_page_down, true, NAMES_NONE},
	{"wheel-up", do_wheel_up, true, NAMES_NONE},
	{"wheel-down", do_wheel_down, true, NAMES_NONE},
	{"left", do_left, true, NAMES_NONE},
	{"right", do_right, true, NAMES_NONE},
	{"top", do_top, false, NAMES_NONE},
	{"bottom", do_bottom, false, NAMES_NONE},
	{"half-up", do_half_up, true, NAMES_NONE},
	{"half-down", do_half_down, true, NAMES_NONE},
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
	{"edit", do_edit, false, NAMES_NONE},
	{"close", do_close, false, NAMES_NONE},
	{"leave", do_leave, false, NAMES_NONE},
};
#define ORDERS	   (sizeof orders / sizeof *orders)
#define REPEAT_MAX 10000

/* Some commands of the session have another effect on the screen, under all of their names. */
static const struct order *find_order(const char *line, const char **rest)
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

/* ---- search in the text ---- */

static bool text_has(const struct tui *t, int32_t line)
{
	struct pl_text text;
	regmatch_t match = {0};

	if (!listing_text(&t->source, line, &text))
		return false;
	match.rm_eo = (regoff_t)text.length;
	return regexec(&t->regex, text.at, 1, &match, REG_STARTEND) == 0;
}

/* From the line after the cursor through the whole file and around its end, back to the cursor's
 * own line, so that the only match is found again. */
static void search_text(struct tui *t, bool back)
{
	for (int32_t n = 1; n <= t->source.lines; n++) {
		int64_t line = (int64_t)t->cursor + (back ? -n : n);
		if (line < 1)
			line += t->source.lines;
		if (line > t->source.lines)
			line -= t->source.lines;
		if (!text_has(t, (int32_t)line))
			continue;
		if (back ? line >= t->cursor : line <= t->cursor)
			say(t, back ? "continued at the bottom" : "continued at the top");
		t->cursor = (int32_t)line;
		return;
	}
	say(t, "not found in %s", t->source.file ? t->source.file : "the source");
}

/* true: the search was in the source's text or in the help, not in the path. in_text remembers
 * which of them the last / or ? was, because ; and , repeat that one, wherever the user is then. In
 * the help, case makes no difference: its text is prose. */
static bool search_sight(struct tui *t, const char *line)
{
	bool again = (*line == ';' || *line == ',') && !line[1];
	const char *rest;

	if (!again && *line != '/' && *line != '?')
		return false;
	if (t->view == VIEW_READER && !t->help) {
		reader_search(t, line);
		return true;
	}
	if (!again)
		t->in_text = t->help || t->view != VIEW_PATH;
	if (!t->in_text || (again && !t->has_regex))
		return false;
	session_find_word(line, &rest);
	if (!again) {
		if (t->has_regex)
			regfree(&t->regex);
		t->has_regex = *rest && regcomp(&t->regex, rest,
						REG_EXTENDED | (t->help ? REG_ICASE : 0)) == 0;
		t->regex_back = *line == '?';
	}
	if (!t->has_regex)
		say(t, "not a regular expression: %s", rest);
	else if (!t->help)
		search_text(t, t->regex_back != (*line == ','));
	else if (!help_search(t, t->regex_back != (*line == ',')))
		say(t, "not found in the help");
	return true;
}

/* ---- commands ---- */

/* On the screen a stop without a file is in the file that is shown, and without a line at the
 * cursor's. */
static const char *complete_stop(const struct tui *t, const char *line, char to[PROMPT_BYTES * 2])
{
	const char *rest;
	const struct session_word *word = session_find_word(line, &rest);
	char number[16];

	if (!word || !t->source.file || (strcmp(word->word, "b") && strcmp(word->word, "tbreak")))
		return line;
	snprintf(number, sizeof number, "%" PRId32, t->cursor);
	if (!*rest)
		rest = number;
	size_t digits = strspn(rest, "0123456789");
	if (!digits || (rest[digits] && rest[digits] != ' '))
		return line;
	snprintf(to, PROMPT_BYTES * 2, "%s %s:%s", word->word, t->source.file, rest);
	return to;
}

/* How far a search is, ten times a second at most: called by the session while session_do runs, on
 * this thread. The message is not kept: when the search ends, its result takes the place. */
static void search_progress(void *context, uint32_t thread, uint64_t seq)
{
	struct tui *t = context;
	const struct pl_thread *searched =
		pl_recording_thread(t->s->replay.r, t->s->replay.at.position.process, thread);
	const int64_t now = now_ns();
	char numbers[2][UNITS_BYTES];

	if (!searched || now - t->drawn_ns < 100 * INT64_C(1000000))
		return;
	t->drawn_ns = now;
	uint64_t done = seq > searched->first_seq ? seq - searched->first_seq : 0;
	units_count(numbers[0], done);
	units_count(numbers[1], searched->events);
	say(t, "searching %s: event %s of %s (%.0f%%); Ctrl-C stops", searched->name, numbers[0],
		numbers[1],
		searched->events ? 100.0 * (double)done / (double)searched->events : 0.0);
	draw(t);
	t->message[0] = 0;
}

/* Might the command search the recording? Then the screen says so before it begins: a first window
 * of events can take longer than a tenth of a second, and until then there is no progress. */
static bool takes_time(const char *line)
{
	const char *rest;
	const struct session_word *word =
		session_find_word(line + strspn(line, "0123456789 "), &rest);

	return word && (strchr("cC/?;,bwxT", word->word[0]) || !strcmp(word->word, "hits") ||
			       !strcmp(word->word, "tbreak"));
}

/* Run a command of the session, and show its answer, or where it led. */
static void do_session(struct tui *t, const char *line)
{
	char stop[PROMPT_BYTES * 2];
	struct pl_err err = {0};
	struct session *s = t->s;
	int code;

	t->drawn_ns = now_ns();
	s->replay.progress = search_progress;
	s->replay.context = t;
	if (takes_time(line) && t->source.file) {
		say(t, "searching; Ctrl-C stops");
		draw(t);
		t->message[0] = 0;
	}
	if (!strncmp(line, "search ", 7) || !strncmp(line, "reverse-search ", 15))
		t->in_text = false; /* ; and , repeat the last search */
	code = session_do(s, complete_stop(t, line, stop), &err);
	if (code < 0)
		say(t, "%s", err.used ? pl_err_text(&err) : pl_error_name(code));
	else
		say(t, "%s", s->why[0] ? s->why : s->note);
	t->quit = s->quit;
	show_position(t);
}

/* A count of an order is limited, since each repetition draws on what is shown; the session limits
 * counts of its own commands. */
static void run_order(
	struct tui *t, const struct order *order, const char *rest, unsigned long count)
{
	if (count > 1 && !order->repeats)
		say(t, "%s does not take a count", order->word);
	else
		for (count = count < REPEAT_MAX ? count : REPEAT_MAX; count > 0; count--)
			order->run(t, rest);
}

/* Run a line, as typed or as a key stands for it: "5 s", "b 12", "view path". The order of the
 * questions matters: / and ? first, because they search the text here and the path in the session;
 * then the screen's own commands; then the session's, which also says what is not understood. */
static void do_line(struct tui *t, const char *line)
{
	const char *rest, *command;
	char *after;

	line += strspn(line, " ");
	*t->o->interrupted = 0;
	t->message[0] = 0;
	unsigned long count = isdigit((unsigned char)*line) ? strtoul(line, &after, 10) : 1;
	command = line + strspn(line, "0123456789");
	command += strspn(command, " ");
	if (!*line || search_sight(t, command))
		return;
	const struct order *order = find_order(command, &rest);
	if (order)
		run_order(t, order, rest, count);
	else
		do_session(t, line);
}

/* ---- keys ---- */

static const struct {
	int code;
	const char *name;
} codes[] = {
	{KEY_UP, "Up"},
	{KEY_DOWN, "Down"},
	{KEY_LEFT, "Left"},
	{KEY_RIGHT, "Right"},
	{KEY_PPAGE, "PgUp"},
	{KEY_NPAGE, "PgDn"},
	{KEY_HOME, "Home"},
	{KEY_END, "End"},
	{KEY_ENTER, "Enter"},
	{KEY_BACKSPACE, "Backspace"},
	{KEY_BTAB, "Shift-Tab"},
	{KEY_DC, "Delete"},
};

/* What terminals send for these keys: the two modes of their cursor keys, and the forms of F1 to F5
 * of older terminals and of Linux's console. terminfo has only one of each. */
static const struct {
	const char *bytes;
	int code;
} sent[] = {
	{"\033[A", KEY_UP},
	{"\033OA", KEY_UP},
	{"\033[B", KEY_DOWN},
	{"\033OB", KEY_DOWN},
	{"\033[C", KEY_RIGHT},
	{"\033OC", KEY_RIGHT},
	{"\033[D", KEY_LEFT},
	{"\033OD", KEY_LEFT},
	{"\033[H", KEY_HOME},
	{"\033OH", KEY_HOME},
	{"\033[1~", KEY_HOME},
	{"\033[7~", KEY_HOME},
	{"\033[F", KEY_END},
	{"\033OF", KEY_END},
	{"\033[4~", KEY_END},
	{"\033[8~", KEY_END},
	{"\033[5~", KEY_PPAGE},
	{"\033[6~", KEY_NPAGE},
	{"\033[11~", KEY_F(1)},
	{"\033[12~", KEY_F(2)},
	{"\033[13~", KEY_F(3)},
	{"\033[14~", KEY_F(4)},
	{"\033[15~", KEY_F(5)},
	{"\033[[A", KEY_F(1)},
	{"\033[[B", KEY_F(2)},
	{"\033[[C", KEY_F(3)},
	{"\033[[D", KEY_F(4)},
	{"\033[[E", KEY_F(5)},
};

/* A terminal that sends one of these for another key keeps that meaning. */
static void define_sent(void)
{
	for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
		if (key_defined(sent[i].bytes) <= 0)
			define_key(sent[i].bytes, sent[i].code);
}

/* false: it has no name, and no meaning. */
static bool name_key(struct tui *t, int code, wint_t c, char name[KEY_BYTES])
{
	MEVENT mouse;

	name[0] = 0;
	if (code == KEY_CODE_YES && (int)c == KEY_MOUSE && getmouse(&mouse) == OK) {
		t->mouse_y = mouse.y;
		t->mouse_x = mouse.x;
		snprintf(name, KEY_BYTES, "%s",
			mouse.bstate & BUTTON4_PRESSED			     ? "WheelUp"
			: mouse.bstate & BUTTON5_PRESSED		     ? "WheelDown"
			: mouse.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED) ? "Click"
									     : "");
		return name[0];
	}
	for (size_t i = 0; code == KEY_CODE_YES && i < sizeof codes / sizeof *codes; i++)
		if ((int)c == codes[i].code)
			snprintf(name, KEY_BYTES, "%s", codes[i].name);
	if (code == KEY_CODE_YES && (int)c > KEY_F0 && (int)c <= KEY_F(12))
		snprintf(name, KEY_BYTES, "F%d", (int)c - KEY_F0);
	if (code == KEY_CODE_YES)
		return name[0];
	if (c == '\r' || c == '\n')
		snprintf(name, KEY_BYTES, "Enter");
	else if (c == '\t')
		snprintf(name, KEY_BYTES, "Tab");
	else if (c == 27)
		snprintf(name, KEY_BYTES, "Esc");
	else if (c == ' ')
		snprintf(name, KEY_BYTES, "Space");
	else if (c == 127 || c == 8)
		snprintf(name, KEY_BYTES, "Backspace");
	else if (c < 32)
		snprintf(name, KEY_BYTES, "Ctrl-%c", (int)c + '@');
	else
		snprintf(name, KEY_BYTES, "%lc", c);
	return name[0];
}

static void end_prompt(struct tui *t)
{
	char line[PROMPT_BYTES];

	memcpy(line, t->prompt.text, sizeof line);
	prompt_end(&t->prompt);
	do_line(t, line);
}

/* The keys of the prompt are those of most line editors and cannot be bound: a user who binds them
 * wrongly could not leave the prompt. */
static void prompt_key(struct tui *t, int code, wint_t c, const char *name)
{
	char bytes[MB_LEN_MAX + 1];

	if (!strcmp(name, "Tab")) {
		tab_press(t);
		return;
	}
	tab_close(t);
	t->message[0] = 0;
	if (!strcmp(name, "Enter"))
		end_prompt(t);
	else if (!strcmp(name, "Esc") || (!strcmp(name, "Backspace") && !t->prompt.text[0]))
		t->prompt.open = false;
	else if (!strcmp(name, "Backspace"))
		prompt_delete(&t->prompt);
	else if (!strcmp(name, "Left"))
		prompt_left(&t->prompt);
	else if (!strcmp(name, "Right"))
		prompt_right(&t->prompt);
	else if (!strcmp(name, "Up"))
		prompt_earlier(&t->prompt);
	else if (!strcmp(name, "Down"))
		prompt_later(&t->prompt);
	else if (!strcmp(name, "Home"))
		t->prompt.at = 0;
	else if (!strcmp(name, "End"))
		t->prompt.at = strlen(t->prompt.text);
	else if (!strcmp(name, "Ctrl-U"))
		prompt_begin(&t->prompt, "");
	else if (code == OK && c >= 32 && c != 127) {
		int n = snprintf(bytes, sizeof bytes, "%lc", c);
		if (n > 0)
			prompt_insert(&t->prompt, bytes, (size_t)n);
	}
}

/* The key that was awaited: the argument of the previous key. */
static void do_argument(struct tui *t, const char *name)
{
	char line[32];

	/* a command that is not a letter has its argument without a space */
	snprintf(line, sizeof line, "%s%s%s", t->waiting->command,
		isalpha((unsigned char)t->waiting->command[0]) ? " " : "", name);
	t->waiting = NULL;
	do_line(t, strcmp(name, "Esc") ? line : "");
}

/* The limit keeps the number within uint32_t; what counts are useful the command decides. */
static void count_digit(struct tui *t, char digit)
{
	if (t->count < 100000)
		t->count = t->count * 10 + (uint32_t)(digit - '0');
	say(t, "%" PRIu32 " times: a command, such as s", t->count);
}

/* Only a command that is complete takes the count; where more is to be typed it would be lost in
 * the prompt's text. */
static void do_named(struct tui *t, const struct key *key)
{
	char line[KEY_LINE + 16];

	if (t->count && key->how == KEY_DO)
		snprintf(line, sizeof line, "%" PRIu32 "%s", t->count, key->command);
	else
		snprintf(line, sizeof line, "%s", key->command);
	t->count = 0;
	if (key->how == KEY_DO) {
		do_line(t, line);
	} else if (key->how == KEY_PROMPT) {
		t->message[0] = 0;
		prompt_begin(&t->prompt, line);
	} else {
		t->waiting = key;
		say(t, "%s and one more key: %s", key->name, key->help);
	}
}

/* A key by its name. In this order: it is the argument of the previous key (m a); it is a digit of
 * a count, where 0 is one only after another digit; it means something in this view, or, in the
 * help, in the view below it, which is then shown again; else it has no meaning, which is said. */
static void do_key(struct tui *t, const char *name)
{
	const struct key *key = keys_find(t->o->keys, name, t->help ? VIEW_HELP : t->view);

	if (t->waiting) {
		do_argument(t, name);
		return;
	}
	if (t->count && !strcmp(name, "0"))
		key = keys_find(t->o->keys, "1", t->view);
	if (!key && t->help) { /* a key of the view, so the user wants to see that */
		key = keys_find(t->o->keys, name, t->view);
		t->help = !key;
	}
	if (key && key->how == KEY_COUNT) {
		count_digit(t, name[0]);
		return;
	}
	if (key && !(t->count && !strcmp(name, "Esc")))
		do_named(t, key);
	else
		say(t, "%s%s", key ? "" : name,
			key ? "" : " has no meaning here; h shows the keys");
	t->count = 0;
}

/* One character or key from curses. After KEY_RESIZE the loop draws again, with the new size. */
static void take_key(struct tui *t, int code, wint_t c)
{
	char name[KEY_BYTES];

	t->asked = false;
	if (code == KEY_CODE_YES && c == KEY_RESIZE)
		return;
	bool known = name_key(t, code, c, name);
	if (t->prompt.open)
		prompt_key(t, code, c, name);
	else if (known)
		do_key(t, name);
}

/* Pasted text is for the prompt: taken as keys, it would be commands that nobody meant. */
static void take_pasted(struct tui *t, int code, wint_t c)
{
	if (t->prompt.open && code == OK && c >= ' ')
		take_key(t, code, c);
	else if (!t->prompt.open)
		say(t, "pasted text is passed over; : opens the prompt, which takes it");
}

static void take_input(struct tui *t, int code, wint_t c)
{
	const enum escape escape = code == OK && c == 27 ? escape_read() : ESCAPE_KEY;

	if (escape == ESCAPE_PASSED)
		return;
	if (escape != ESCAPE_KEY || (code == OK && c == 27))
		t->pasting = escape == ESCAPE_PASTE;
	if (escape == ESCAPE_KEY && t->pasting)
		take_pasted(t, code, c);
	else if (escape == ESCAPE_KEY)
		take_key(t, code, c);
}

/* ---- the loop ---- */

/* Read what was written since; if the position was at the end, it moves on to the new end. In a
 * recording that was complete before there is none: the position stays where it began. Returns
 * whether there is something new to show. What was counted or collected from the shorter recording
 * (lines that ran, hits, types of exceptions, rows of the views) is forgotten and made again. */
static bool follow_growth(struct tui *t)
{
	struct pl_recording *r = t->s->replay.r;
	struct pl_recording_info info;
	struct pl_err err = {0};

	pl_recording_info(r, &info);
	const bool at_end = !info.end_ns && t->view != VIEW_READER && tui_at_edge(t, false);
	if (!info.end_ns && pl_recording_refresh(r, &err) != 0)
		return false;
	pl_recording_info(r, &info);
	t->follows = !info.end_ns;
	replay_grown(&t->s->replay);
	view_grown(t);
	if (t->s->executed.done) {
		executed_release(&t->s->executed);
		t->source.has_what = false;
	}
	t->s->has_types = false;
	t->hits_ready = false;
	if (at_end) {
		session_do(t->s, "j end", &err);
		show_position(t);
	}
	if (!t->follows)
		say(t, "the program has ended; the recording is complete");
	return true;
}

/* Ctrl-C while nothing is running: the second one in a row ends the screen, as users of other
 * programs expect. */
static bool interrupted(struct tui *t)
{
	*t->o->interrupted = 0;
	t->pasting = false;
	if (t->prompt.open || t->waiting) {
		t->prompt.open = false;
		t->waiting = NULL;
		t->message[0] = 0;
	} else if (t->asked) {
		t->quit = true;
	} else {
		t->asked = true;
		say(t, "q quits; Ctrl-C again also quits");
	}
	return true;
}

/* Until there is a key, or something else to show. Counting goes on meanwhile, a piece at a time:
 * ppoll with a wait of 0 looks for a key after each. The loop returns to draw only when a count is
 * complete: drawing after each piece would cost more than the piece. SIGWINCH is let through only
 * inside ppoll (t->unblocked), see hold_resizes. */
static void wait_for_input(struct tui *t)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	bool hits = t->source.has_hits, done = t->s->executed.done;
	int64_t last_ns = now_ns();

	while (!*t->o->ended && !*t->o->interrupted) {
		bool more = count_piece(t);
		if (hits != t->source.has_hits || done != t->s->executed.done)
			return;
		const int64_t wait_ns =
			more ? 0 : (t->follows ? FOLLOW_MS : TICK_MS) * INT64_C(1000000);
		const struct timespec wait = {
			.tv_sec = wait_ns / 1000000000, .tv_nsec = wait_ns % 1000000000};
		int n = ppoll(&in, 1, &wait, &t->unblocked);
		if (n > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL) && !(in.revents & POLLIN))
			*t->o->ended = SIGHUP;
		if (n || (errno == EINTR && n < 0))
			return;
		if (t->follows && now_ns() - last_ns >= FOLLOW_MS * INT64_C(1000000)) {
			last_ns = now_ns();
			if (follow_growth(t))
				return;
		}
	}
}

/* All keys that have arrived are taken before the screen is drawn: a held key must not fall
 * behind. */
static void run_keys(struct tui *t)
{
	while (!t->quit && !*t->o->ended) {
		wint_t c;
		int code;
		count_some(t);
		draw(t);
		wait_for_input(t);
		if (*t->o->interrupted && !*t->o->ended)
			interrupted(t);
		while (!t->quit && !*t->o->ended && (code = get_wch(&c)) != ERR)
			take_input(t, code, c);
	}
}

/* Terminals show UTF-8, which a C locale does not say. */
static void choose_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* A resize of the terminal is handled only while the screen waits for keys. Otherwise the signal
 * could arrive just before the wait, and would be noticed only with the next key. */
static void hold_resizes(struct tui *t)
{
	sigset_t resizes;

	sigemptyset(&resizes);
	sigaddset(&resizes, SIGWINCH);
	sigprocmask(SIG_BLOCK, &resizes, &t->unblocked);
}

/* newterm instead of initscr, which would end the process if it does not know the terminal. Keys do
 * not wait (nodelay): wait_for_input waits. An Esc is one 50 ms later, if no more of a sequence
 * follows. */
static SCREEN *screen_begin(struct pl_err *err)
{
	SCREEN *screen;

	choose_locale();
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		pl_err_cause(err, PL_ERR_IO,
			"cannot show a screen on a terminal of type '%s' (TERM); try --plain",
			getenv("TERM") ? getenv("TERM") : "");
		return NULL;
	}
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	define_sent();
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	ink_init();
	return screen;
}

/* With a slash at its end. */
static void find_folder(struct tui *t)
{
	if (!getcwd(t->folder, sizeof t->folder - 1) || t->folder[0] != '/')
		t->folder[0] = 0;
	else if (t->folder[1])
		strcat(t->folder, "/");
}

int tui_run(const struct tui_options *o, struct pl_err *err)
{
	struct complete_word own[ORDERS + 1] = {{.word = NULL}};
	struct tui *t = calloc(1, sizeof *t);
	SCREEN *screen = t ? screen_begin(err) : NULL;

	for (size_t i = 0; i < ORDERS; i++)
		own[i] = (struct complete_word){orders[i].word, orders[i].names};

	if (!t)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a screen");
	if (!screen) {
		free(t);
		return PL_ERR_IO;
	}
	t->o = o;
	t->follows = o->follow;
	t->s = o->session;
	t->s->executed.r = t->source.r = o->session->replay.r;
	t->cursor = 1;
	t->tab.own = own;
	find_folder(t);
	show_position(t);
	choose_view(t, o->view);
	if (o->filter)
		reader_filter(t, o->filter);
	if (o->view == VIEW_READER && o->follow)
		reader_follow(t);
	say(t, "%s", o->session->why[0] ? o->session->why : o->session->note);
	hold_resizes(t);
	run_keys(t);
	sigprocmask(SIG_SETMASK, &t->unblocked, NULL);
	endwin();
	delscreen(screen);
	view_release(t);
	listing_release(&t->source);
	prompt_release(&t->prompt);
	tab_close(t);
	if (t->has_regex)
		regfree(&t->regex);
	free(t);
	return 0;
}
