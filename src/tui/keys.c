#include "tui/keys.h"

#include <string.h>

#define ONLY(view) (1u << VIEW_##view)
#define ALL	   ((ONLY(HELP) - 1) & ~ONLY(READER)) /* those of a position */
#define WIDE	   (ALL | ONLY(READER))
#define EVERY	   (WIDE | ONLY(HELP))
#define ROWS_OF	   (ALL & ~ONLY(SOURCE)) /* views of rows, with one row chosen */

const char *const view_names[VIEWS] = {
	"source", "stack", "tree", "timeline", "path", "variables", "reader", "help"};

static const struct key table[] = {
	{"s", ALL, KEY_DO, "s", "the next line of this thread, into calls", "step"},
	{"S", ALL, KEY_DO, "S", "the previous line of this thread, into calls", NULL},
	{"n", ALL, KEY_DO, "n",
		"the next line of this frame, over calls; when the frame ends, of its caller",
		"next"},
	{"N", ALL, KEY_DO, "N",
		"the previous line of this frame, over calls; from its first line: where it was "
		"called",
		NULL},
	{"f", ALL, KEY_DO, "f", "finish this frame: its caller's next line", "out"},
	{"F", ALL, KEY_DO, "F", "the line that called this frame", NULL},
	{"c", ALL, KEY_DO, "c", "go to the next stop; Ctrl-C ends the search", "continue"},
	{"C", ALL, KEY_DO, "C", "go to the previous stop", NULL},
	{KEY_DIGITS, WIDE, KEY_COUNT, "5", "a count for the next key: 5s steps five times", NULL},
	{"a", ALL, KEY_DO, "a",
		"choose whether stops and searches count in all threads or in this thread only",
		NULL},
	{"b", ALL, KEY_PROMPT, "b ",
		"set a stop: N, FILE:N, FUNCTION, N if hits == K; nothing: at the cursor; the same "
		"again removes it",
		"stop"},
	{"B", ALL, KEY_DO, "B", "list the stops; :clear N removes one", NULL},
	{"x", ALL, KEY_PROMPT, "x ",
		"set a stop where an exception is raised: its type; nothing: any type", NULL},
	{"w", ALL, KEY_PROMPT, "w ", "set a stop where a function is called or resumed", NULL},
	{"u", ALL, KEY_DO, "u", "select the frame of the caller", NULL},
	{"d", ALL, KEY_DO, "d", "select the frame that this one called", NULL},
	{"t", ALL, KEY_PROMPT, "t ",
		"go to where a thread is at this moment; nothing: list the threads", NULL},
	{"T", ALL, KEY_PROMPT, "T ",
		"go to where a task runs next, or else to its last part; nothing: list the tasks",
		NULL},
	{"P", ALL, KEY_PROMPT, "P ",
		"go to where a process is at this time; nothing: list the processes", NULL},
	{"j", ALL, KEY_PROMPT, "j ",
		"jump to a time or event: 10:52:01.5, +5ms, -1h, 42% (of the thread's time), "
		"#4711, start, "
		"end",
		"jump"},
	{"m", ALL, KEY_LETTER, "m", "mark this place with a letter, a to z", NULL},
	{"'", ALL, KEY_LETTER, "'", "go to the mark with a letter; '' goes to the place before",
		NULL},
	{"/", EVERY, KEY_PROMPT, "/",
		"search: the source's text; path view: calls, exceptions; help: the help; reader: "
		"its rows; :search REGEX searches the path in all views",
		"search"},
	{"?", EVERY, KEY_PROMPT, "?", "search backward", NULL},
	{";", EVERY, KEY_DO, ";", "repeat the search", NULL},
	{",", EVERY, KEY_DO, ",", "repeat the search in the other direction", NULL},
	{":", EVERY, KEY_PROMPT, "",
		"type a command; Tab completes and lists; Up and Down: earlier ones", "command"},
	{"o", ALL, KEY_PROMPT, "open ",
		"show another file, as :open does: type any part of its name", NULL},
	{"e", ALL, KEY_DO, "edit", "run $VISUAL or $EDITOR on the file, at the cursor's line",
		NULL},
	{"]", ALL, KEY_DO, "]",
		"go to the next part of the path: another task or thread runs, or this task is "
		"resumed; parts without a line and callbacks outside of tasks are passed over",
		NULL},
	{"[", ALL, KEY_DO, "[",
		"go to the first line of this part of the path; from there, or from before it, to "
		"the previous part; parts without a line and callbacks outside of tasks are passed "
		"over",
		NULL},
	{"Ctrl-O", ALL, KEY_DO, "back", "go back to the place before", NULL},
	{"Ctrl-P", ALL, KEY_DO, "forward", "go forward again, after Ctrl-O", NULL},
	{"Tab", WIDE, KEY_DO, "view", "show the next view beside the source", "views"},
	{"F2", WIDE, KEY_DO, "view source", "show the source alone", NULL},
	{"F3", WIDE, KEY_DO, "view stack", "show the call stack", NULL},
	{"F4", WIDE, KEY_DO, "view tree", "show the call tree around the position", NULL},
	{"F5", WIDE, KEY_DO, "view timeline", "show the timeline: when each thread and task ran",
		NULL},
	{"F6", WIDE, KEY_DO, "view path", "show the path: one row for each event, indented", NULL},
	{"F7", WIDE, KEY_DO, "view variables",
		"show the variables of the selected frame; * before what the last line changed",
		NULL},
	{"v", ALL, KEY_DO, "view variables", "the same", NULL},
	{"i", ALL, KEY_DO, "inline", "show, or hide, values at the ends of source lines", NULL},
	{"p", ALL, KEY_PROMPT, "p ",
		"show a value: order, order.item, order['item'], rows[2], len(rows)", NULL},
	{"{", ALL, KEY_DO, "{",
		"go to the line that wrote the variable before: the chosen one, or the one asked "
		"for last",
		NULL},
	{"}", ALL, KEY_DO, "}", "go to the line that writes the variable next", NULL},
	{"W", ALL, KEY_DO, "watch",
		"set a stop where the variable changes: the chosen one, or the one asked for last",
		NULL},
	{"F8", WIDE, KEY_DO, "view reader",
		"show the reader: calls, results and exceptions of all threads as a list", NULL},
	{"j", ONLY(READER), KEY_DO, "line-down", "down one row", NULL},
	{"k", ONLY(READER), KEY_DO, "line-up", "up one row", NULL},
	{"d", ONLY(READER), KEY_DO, "half-down", "down half a page", NULL},
	{"u", ONLY(READER), KEY_DO, "half-up", "up half a page", NULL},
	{"b", ONLY(READER), KEY_DO, "page-up", "up one page", NULL},
	{"F", ONLY(READER), KEY_DO, "follow",
		"go to the last row, and go along while the program runs; any move ends that",
		"follow"},
	{"f", ONLY(READER), KEY_PROMPT, "filter ",
		"show only rows for which an expression is true: func == 'book' and args.qty > 10; "
		"nothing: all",
		"filter"},
	{"&", ONLY(READER), KEY_PROMPT, "match ",
		"show only rows that match a regular expression, as in less; nothing: all", NULL},
	{"n", ONLY(READER), KEY_DO, ";", "repeat the search", NULL},
	{"N", ONLY(READER), KEY_DO, ",", "repeat the search in the other direction", NULL},
	{"v", ONLY(READER), KEY_DO, "whole", "show the chosen row as a whole, or the list again",
		"whole row"},
	{"Enter", ONLY(READER), KEY_DO, "enter",
		"go to the chosen row in the source; F8 comes back", "source"},
	{"&", ALL, KEY_PROMPT, "filter ",
		"show only these events in the path view: call,raise; nothing: all", NULL},
	{"Enter", ROWS_OF, KEY_DO, "enter",
		"go to the chosen row; in the stack: select that frame; variables: fold or unfold",
		NULL},
	{"z", ONLY(TREE) | ONLY(VARIABLES), KEY_DO, "fold", "fold or unfold this call or value",
		NULL},
	{"Up", EVERY, KEY_DO, "line-up", "up one line or row", NULL},
	{"Down", EVERY, KEY_DO, "line-down", "down one line or row", NULL},
	{"Space", EVERY, KEY_DO, "page-down", "down one page", NULL},
	{"PgUp", EVERY, KEY_DO, "page-up", "up one page", NULL},
	{"PgDn", EVERY, KEY_DO, "page-down", "down one page", NULL},
	{"g", EVERY, KEY_DO, "top", "to the top of what is shown", NULL},
	{"G", EVERY, KEY_DO, "bottom", "to the bottom of what is shown", NULL},
	{"Home", EVERY, KEY_DO, "top", "to the top of what is shown", NULL},
	{"End", EVERY, KEY_DO, "bottom", "to the bottom of what is shown", NULL},
	{"Left", EVERY, KEY_DO, "left", "scroll long lines to the left; timeline: earlier", NULL},
	{"Right", EVERY, KEY_DO, "right", "scroll long lines to the right; timeline: later", NULL},
	{"WheelUp", EVERY, KEY_DO, "wheel-up", "up three lines", NULL},
	{"WheelDown", EVERY, KEY_DO, "wheel-down", "down three lines", NULL},
	{"Click", WIDE, KEY_DO, "click", "move the cursor to this line or row; timeline: go there",
		NULL},
	{"Ctrl-L", EVERY, KEY_DO, "redraw", "draw the screen again", NULL},
	{"h", EVERY, KEY_DO, "help", "this help", NULL},
	{"Esc", EVERY, KEY_DO, "close", "leave the help, a view, or a prompt", NULL},
	{"q", EVERY, KEY_DO, "leave",
		"leave the help or a view; in the source, or in `pathline reader`: quit", NULL},
};
#define ROWS (sizeof table / sizeof *table)

const struct key *keys_row(size_t index)
{
	return index < ROWS ? &table[index] : NULL;
}

bool keys_bind(struct keys *k, const char *line)
{
	size_t name = strcspn(line, " \t");
	const char *command = line + name + strspn(line + name, " \t");

	if (!name || name >= KEY_BYTES || !*command || strlen(command) >= KEY_LINE ||
		k->count == KEYS_OWN)
		return false;
	memcpy(k->own[k->count].name, line, name);
	k->own[k->count].name[name] = 0;
	memcpy(k->own[k->count].command, command, strlen(command) + 1);
	k->count++;
	return true;
}

static bool is_called(const struct key *key, const char *name)
{
	return !strcmp(key->name, name) ||
	       (key->how == KEY_COUNT && name[0] >= '1' && name[0] <= '9' && !name[1]);
}

const struct key *keys_find(struct keys *k, const char *name, enum view view)
{
	for (size_t i = k->count; i-- > 0;)
		if (!strcmp(k->own[i].name, name)) {
			k->own[i].key = (struct key){.name = k->own[i].name,
				.views = EVERY,
				.command = k->own[i].command,
				.help = "as you bound it"};
			return &k->own[i].key;
		}
	for (size_t i = 0; i < ROWS; i++)
		if (table[i].views & 1u << view && is_called(&table[i], name))
			return &table[i];
	return NULL;
}

void keys_views(const struct key *key, char *to, size_t bytes)
{
	size_t used = 0;

	if ((key->views & ALL) == ALL) {
		snprintf(to, bytes, "all");
		return;
	}
	for (size_t i = 0; i < VIEWS; i++)
		if (key->views & 1u << i && used < bytes)
			used += (size_t)snprintf(
				to + used, bytes - used, "%s%s", used ? "," : "", view_names[i]);
}

void keys_print(FILE *to)
{
	char views[64];

	for (size_t i = 0; i < ROWS; i++) {
		keys_views(&table[i], views, sizeof views);
		fprintf(to, "%s\t%s\t%s\t%s\n", views, table[i].name, table[i].command,
			table[i].help);
	}
}
