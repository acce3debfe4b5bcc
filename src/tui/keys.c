#include "tui/keys.h"

#include <string.h>

#define ONLY(view) (1u << VIEW_##view)
#define ALL	   ((1u << VIEWS) - 1)
#define ROWS_OF	   (ONLY(STACK) | ONLY(TREE) | ONLY(PATH)) /* views of rows, one of which is chosen */

const char *const view_names[VIEWS] = {"source", "stack", "tree", "timeline", "path"};

static const struct key table[] = {
	{"s", ALL, KEY_DO, "s", "the next line of this thread", "step"},
	{"S", ALL, KEY_DO, "S", "the previous line of this thread", NULL},
	{"n", ALL, KEY_DO, "n", "the next line of this frame, or of the one it went back to",
		"next"},
	{"N", ALL, KEY_DO, "N", "the previous line of this frame, or the line that entered it",
		NULL},
	{"f", ALL, KEY_DO, "f", "out to the caller's next line", "out"},
	{"F", ALL, KEY_DO, "F", "back to the line that called", NULL},
	{"c", ALL, KEY_DO, "c", "to the next stop; Ctrl-C ends it", "continue"},
	{"C", ALL, KEY_DO, "C", "to the previous stop", NULL},
	{"a", ALL, KEY_DO, "a", "c, C and searches go through all threads, or this one only", NULL},
	{"b", ALL, KEY_PROMPT, "b ",
		"a stop: N, FILE:N, FUNCTION, N if hits == K; nothing: at the cursor's line",
		"stop"},
	{"x", ALL, KEY_PROMPT, "x ", "a stop where an exception is raised: its type, or nothing",
		NULL},
	{"w", ALL, KEY_PROMPT, "w ", "a stop where a function is called or goes on", NULL},
	{"u", ALL, KEY_DO, "u", "up the stack, outwards", NULL},
	{"d", ALL, KEY_DO, "d", "down the stack", NULL},
	{"t", ALL, KEY_PROMPT, "t ", "to a thread; nothing: list them", NULL},
	{"T", ALL, KEY_PROMPT, "T ", "to where a task goes on; nothing: list them", NULL},
	{"P", ALL, KEY_PROMPT, "P ", "to a process; nothing: list them", NULL},
	{"j", ALL, KEY_PROMPT, "j ", "jump: 10:52:01.5, +5ms, -1h, 42%, #4711, start, end", "jump"},
	{"m", ALL, KEY_LETTER, "m", "mark this place by a letter, a to z", NULL},
	{"'", ALL, KEY_LETTER, "'", "go to the mark of a letter; '' to where it was before", NULL},
	{"/", ALL, KEY_PROMPT, "/",
		"search on: in the text of the source; in the path view functions and exceptions",
		"search"},
	{"?", ALL, KEY_PROMPT, "?", "search back, likewise", NULL},
	{";", ALL, KEY_DO, ";", "search again", NULL},
	{",", ALL, KEY_DO, ",", "search again, the other way", NULL},
	{":", ALL, KEY_PROMPT, "", "a command; Up and Down: earlier ones, Tab completes",
		"command"},
	{"o", ALL, KEY_PROMPT, "open ", "show a file, by any part of its name", NULL},
	{"e", ALL, KEY_DO, "edit", "run $VISUAL or $EDITOR on the file, at the cursor's line",
		NULL},
	{"]", ALL, KEY_DO, "]", "to where another task or thread goes on", NULL},
	{"[", ALL, KEY_DO, "[", "back to where this one went on, or the one before", NULL},
	{"Ctrl-O", ALL, KEY_DO, "back", "back through the places visited", NULL},
	{"Ctrl-P", ALL, KEY_DO, "forward", "forward through them", NULL},
	{"g", ALL, KEY_DO, "top", "to the top of what is shown", NULL},
	{"G", ALL, KEY_DO, "bottom", "to its bottom", NULL},
	{"Up", ALL, KEY_DO, "up", "the cursor a line up", NULL},
	{"Down", ALL, KEY_DO, "down", "the cursor a line down", NULL},
	{"PgUp", ALL, KEY_DO, "page-up", "a screen up", NULL},
	{"PgDn", ALL, KEY_DO, "page-down", "a screen down", NULL},
	{"Left", ALL, KEY_DO, "left", "long lines: to the left", NULL},
	{"Right", ALL, KEY_DO, "right", "long lines: to the right", NULL},
	{"WheelUp", ALL, KEY_DO, "wheel-up", "three lines up", NULL},
	{"WheelDown", ALL, KEY_DO, "wheel-down", "three lines down", NULL},
	{"Click", ALL, KEY_DO, "click", "the cursor to this line", NULL},
	{"Enter", ROWS_OF, KEY_DO, "enter",
		"stack: show this frame; tree and path: jump to this event", NULL},
	{"Space", ONLY(TREE), KEY_DO, "fold", "fold or unfold this call", NULL},
	{"Tab", ALL, KEY_DO, "view", "the next view beside the source", "views"},
	{"F2", ALL, KEY_DO, "view source", "the source alone", NULL},
	{"F3", ALL, KEY_DO, "view stack", "the call stack", NULL},
	{"F4", ALL, KEY_DO, "view tree", "the call tree around here", NULL},
	{"F5", ALL, KEY_DO, "view timeline", "when which thread and task ran", NULL},
	{"F6", ALL, KEY_DO, "view path", "the path as indented text", NULL},
	{"&", ALL, KEY_PROMPT, "filter ",
		"the path: these events only, as call,raise; nothing: all", NULL},
	{"Ctrl-L", ALL, KEY_DO, "redraw", "draw the screen anew", NULL},
	{"h", ALL, KEY_DO, "help", "these keys", "help"},
	{"q", ALL, KEY_DO, "q", "end", "quit"},
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

const struct key *keys_find(struct keys *k, const char *name, enum view view)
{
	for (size_t i = k->count; i-- > 0;)
		if (!strcmp(k->own[i].name, name)) {
			k->own[i].key = (struct key){.name = k->own[i].name,
				.views = ALL,
				.command = k->own[i].command,
				.help = "as you bound it"};
			return &k->own[i].key;
		}
	for (size_t i = 0; i < ROWS; i++)
		if (table[i].views & 1u << view && !strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

void keys_views(const struct key *key, char *to, size_t bytes)
{
	size_t used = 0;

	if (key->views == ALL) {
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
