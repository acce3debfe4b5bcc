/* The help: all keys, what the screen shows, then the commands and their other names, from the
 * tables of all of these, so that none can be missing.
 *
 * Rows are made when they are drawn, not kept: help_row(i) is the i-th, and walks through the parts
 * (is_in). A row of the help takes one or more rows of the screen, because its text is wrapped;
 * t->help_top counts rows of the screen, t->help_found rows of the help.
 */
#include "tui/state.h"

#include <stdio.h>
#include <string.h>

#define LEFT_COLUMNS 26

/* A row of it. */
struct row {
	char left[64];
	const char *text; /* NULL: a title */
	char views[64];	  /* "": all */
};

static void help_title(struct row *row, const char *text)
{
	snprintf(row->left, sizeof row->left, "%s", text);
}

static void key_row(const struct key *key, struct row *row)
{
	snprintf(row->left, sizeof row->left, "%s", key->name);
	row->text = key->help;
	keys_views(key, row->views, sizeof row->views);
	if (!strcmp(row->views, "all"))
		row->views[0] = 0;
}

/* The n-th command, or the n-th that has other names. false: none. */
static bool word_row(size_t n, bool others, struct row *row)
{
	const struct session_word *word;

	for (size_t i = 0; (word = session_word(i)); i++) {
		if (!word->help || (others && !word->others) || n--)
			continue;
		snprintf(row->left, sizeof row->left, "%s %s", word->word,
			others ? "" : word->argument);
		row->text = others ? word->others : word->help;
		return true;
	}
	return false;
}

/* What is on the screen and is not a key or a command. A sign that is added to source_draw.c needs
 * a row here. */
static const struct sign {
	const char *left, *text;
} signs[] = {
	{"event 5 of 90", "the event of this thread, counted from 1"},
	{"(#4)", "the same event's seq, which counts from 0: for j #4, and as dump -f seq has it"},
	{"after event 90",
		"the end of a path that breaks off, after its last event; #90 goes there"},
	{"±2 ms", "the error of the time: the event was then, or up to so much later"},
	{"12% of time", "how much of this thread's time has passed: j 12% goes there"},
	{"left: 1", "in the first column of the source: the number of the stop that is set there"},
	{"17", "how often the line has run in this thread so far; 0: it runs later, or in others"},
	{"never", "the line has not run in any thread; a line without code shows nothing"},
	{"?", "whether the line has run is not known: it may have, where the path breaks off"},
	{"+", "the line has run; how often is still being counted"},
	{">", "the position, or the line of the selected frame"},
	{"SEEN LAST", "the thread was seen in this line after its last event, for so long"},
	{"# ~ .", "in the timeline: it ran then, may have run (times have errors), or waited"},
	{"O |", "in the timeline: the position, and its time in the other rows"},
	{"5 above", "in the timeline: so many of its rows are out of sight above; also: below"},
	{"width 7 ms", "of the timeline: the time from its left end to its right end"},
	{"GAP", "events are missing here, for the reason that follows"},
};
#define SIGNS (sizeof signs / sizeof *signs)

static void sign_row(const struct sign *sign, struct row *row)
{
	snprintf(row->left, sizeof row->left, "%s", sign->left);
	row->text = sign->text;
}

static size_t count_words(bool others)
{
	struct row row;
	size_t n = 0;

	while (word_row(n, others, &row))
		n++;
	return n;
}

static size_t count_keys(void)
{
	size_t n = 0;

	while (keys_row(n))
		n++;
	return n;
}

/* The rows of a part are numbered from 0; `i` is reduced by those of the parts before. */
static bool is_in(size_t *i, size_t rows)
{
	if (*i < rows)
		return true;
	*i -= rows;
	return false;
}

/* false: the help has no more rows. */
static bool help_row(size_t i, struct row *row)
{
	*row = (struct row){.text = NULL};
	if (is_in(&i, 1))
		help_title(row, "KEYS (Space: next page, /: search, q or Esc: leave the help)");
	else if (is_in(&i, count_keys()))
		key_row(keys_row(i), row);
	else if (is_in(&i, 1))
		help_title(row, "WHAT THE SCREEN SHOWS");
	else if (is_in(&i, SIGNS))
		sign_row(&signs[i], row);
	else if (is_in(&i, 1))
		help_title(row, "COMMANDS, after the key : (a count before one repeats it)");
	else if (is_in(&i, count_words(false)))
		word_row(i, false, row);
	else if (is_in(&i, 1))
		help_title(row, "OTHER NAMES, those of gdb and pdb");
	else
		return word_row(i, true, row);
	return true;
}

/* The columns of its name, and the text beside it. A title has the whole row. */
#define TEXT_BYTES 512
static int right_text(size_t i, const struct row *row, int columns, char text[TEXT_BYTES])
{
	const bool keys = i <= count_keys(), signs_too = i <= count_keys() + 1 + SIGNS;
	const int names = keys || columns < 2 * LEFT_COLUMNS ? 10 : signs_too ? 14 : LEFT_COLUMNS;

	snprintf(text, TEXT_BYTES, "%s%s%s%s", row->text ? row->text : row->left,
		row->views[0] ? " (only in " : "", row->views, row->views[0] ? ")" : "");
	return !row->text ? 0 : names + 2;
}

/* A narrow screen has no room beside the names. */
static int room_of(int columns, int left)
{
	return columns > left + 10 ? columns - left : 10;
}

/* Screen rows that it takes. */
static int height(size_t i, const struct row *row, int columns)
{
	char text[TEXT_BYTES];
	const int room = room_of(columns, right_text(i, row, columns, text));
	int rows = 1;

	for (const char *at = tui_next_row(text, room); *at; at = tui_next_row(at, room))
		rows++;
	return rows;
}

/* Screen rows before the i-th row of the help; its total height if there is no such row. */
static int rows_before(size_t i, int columns)
{
	struct row row;
	int rows = 0;

	for (size_t n = 0; n < i && help_row(n, &row); n++)
		rows += height(n, &row, columns);
	return rows;
}

/* The i-th row of the help as it is drawn: from its screen row `skip` on, which goes to y. */
struct drawn_row {
	size_t i;
	struct row row;
	int y, skip;
	bool lit;
};

static void draw_help_row(struct box box, const struct drawn_row *d)
{
	char text[TEXT_BYTES];
	const int left = right_text(d->i, &d->row, box.columns, text);
	const int room = room_of(box.columns, left);
	const int first = d->y - d->skip;
	const char *at = text;

	for (int n = 0; (!n || *at) && first + n < box.y + box.rows; n++) {
		struct pen p = {.y = first + n, .x = box.x, .columns = box.columns, .lit = d->lit};
		const size_t bytes = tui_row_bytes(at, room);
		if (n >= d->skip && left) {
			struct pen name = p;
			name.columns = left - 1;
			pen_text(&name, " ", INK_HERE);
			pen_text(&name, n ? "" : d->row.left, INK_HERE);
			pen_fill(&name, " ", INK_HERE);
			p.x += left;
			p.columns -= left;
		}
		if (n >= d->skip)
			pen_bytes(&p, at, bytes, left ? INK_PLAIN : INK_HERE);
		if (n >= d->skip && d->lit)
			pen_fill(&p, " ", INK_PLAIN);
		at = tui_next_row(at, room);
	}
}

void help_draw(struct tui *t, struct box box)
{
	const int count = rows_before(SIZE_MAX, box.columns);
	struct drawn_row d = {0};
	int y = 0;

	t->help_columns = box.columns;
	if (t->help_top > count - box.rows)
		t->help_top = count - box.rows;
	if (t->help_top < 0)
		t->help_top = 0;
	for (; y < t->help_top + box.rows && help_row(d.i, &d.row); d.i++) {
		const int rows = height(d.i, &d.row, box.columns);
		d.skip = y < t->help_top ? t->help_top - y : 0;
		d.y = box.y + y + d.skip - t->help_top;
		d.lit = t->help_found == (int)d.i + 1;
		if (d.skip < rows)
			draw_help_row(box, &d);
		y += rows;
	}
}

/* A row matches in its name or in its text. A match over both is not found. */
static bool matches(const struct tui *t, const struct row *row)
{
	return pattern_has(&t->pattern, row->left) ||
	       (row->text && pattern_has(&t->pattern, row->text));
}

/* The first row of the help that is on the screen. */
static int first_row(const struct tui *t)
{
	struct row row;
	int i = 0;

	for (int y = 0; y < t->help_top && help_row((size_t)i, &row); i++)
		y += height((size_t)i, &row, t->help_columns);
	return i;
}

/* From the row that was found last, or the first one in sight; around the end of the help. The 4
 * are the titles. */
bool help_search(struct tui *t, bool back)
{
	const int count = (int)(count_keys() + SIGNS + count_words(false) + count_words(true)) + 4;
	const int from = t->help_found ? t->help_found - 1 : first_row(t) + (back ? 0 : -1);
	struct row row;

	for (int n = 1; n <= count; n++) {
		int i = ((from + (back ? -n : n)) % count + count) % count;
		if (!help_row((size_t)i, &row) || !matches(t, &row))
			continue;
		const int y = rows_before((size_t)i, t->help_columns);
		t->help_found = i + 1;
		if (y < t->help_top || y >= t->help_top + t->body_rows)
			t->help_top = y - t->body_rows / 2;
		return true;
	}
	return false;
}
