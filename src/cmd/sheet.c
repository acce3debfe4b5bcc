#define _GNU_SOURCE
#include "cmd/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "os/local.h"

#define CELL_BYTES  CELL_ID_BYTES
#define COLUMNS_MAX 40
#define WORD_BYTES  32
#define PLACE_LEAST 24 /* columns of a path and its line */
#define LAST_LEAST  30 /* columns kept for the last column */

/* ---- order ---- */

/* --sort takes the name of the data, with its unit or without, or the title of the text. */
static bool names(const struct column *c, const char *word)
{
	size_t length = strlen(word);

	if (!c->name)
		return false;
	if (c->title && !strcmp(c->title, word))
		return true;
	if (strncmp(c->name, word, length) != 0)
		return false;
	return !c->name[length] || !strcmp(c->name + length, "_ns");
}

/* Its name in the data, without the unit. */
static const char *sort_word(const struct column *c, char word[WORD_BYTES])
{
	const size_t length = strlen(c->name);
	const bool has_unit = length > 3 && !strcmp(c->name + length - 3, "_ns");

	snprintf(word, WORD_BYTES, "%.*s", (int)(has_unit ? length - 3 : length), c->name);
	return word;
}

/* CMD_GO; or after saying which columns there are. */
static int find_column(
	const char *command, const struct column *columns, const char *sort, unsigned *column)
{
	char words[COLUMNS_MAX][WORD_BYTES];
	const char *known[COLUMNS_MAX + 1] = {0};
	size_t count = 0;

	for (*column = 0; columns[*column].name || columns[*column].title; ++*column) {
		if (names(&columns[*column], sort))
			return CMD_GO;
		if (columns[*column].name && count < COLUMNS_MAX) {
			known[count] = sort_word(&columns[*column], words[count]);
			count++;
		}
	}
	return cmd_unknown(command, "column for --sort", sort, known);
}

int sheet_check_sort(const char *command, const struct column *columns, const char *sort)
{
	unsigned column;

	return find_column(command, columns, sort, &column);
}

/* A row that is shown, and the cell by which it is sorted. */
struct key {
	size_t row;
	struct cell cell;
};

/* Numbers in descending order, texts ascending. Equal rows keep the order of the view, so that two
 * runs print the same. */
static int by_cell(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = 0;

	if (x->cell.kind == CELL_TEXT && y->cell.kind == CELL_TEXT)
		order = strcmp(x->cell.text ? x->cell.text : "", y->cell.text ? y->cell.text : "");
	else if (x->cell.kind == CELL_SHARE)
		order = x->cell.share > y->cell.share ? -1 : x->cell.share < y->cell.share;
	else
		order = x->cell.number > y->cell.number ? -1 : x->cell.number < y->cell.number;
	return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

/* ---- cells as text ---- */

/* For a person, with units; "-" is nothing. */
static void number_text(const struct cell *c, char text[CELL_BYTES])
{
	text[0] = 0;
	switch (c->kind) {
	case CELL_COUNT:
		if (c->text)
			snprintf(text, CELL_BYTES, "%s", c->text);
		else
			units_count(text, c->number > 0 ? (uint64_t)c->number : 0);
		break;
	case CELL_NUMBER:
		snprintf(text, CELL_BYTES, "%lld", (long long)c->number);
		break;
	case CELL_SIZE:
		units_size(text, (uint64_t)c->number);
		break;
	case CELL_NS:
		units_duration(text, c->number);
		break;
	case CELL_ERROR:
		units_error(text, c->number);
		break;
	case CELL_SHARE:
		snprintf(text, CELL_BYTES, "%.1f%%", 100 * c->share);
		break;
	case CELL_MOMENT:
		if (c->number)
			local_clock(text, c->number, 3);
		break;
	case CELL_DATE:
		if (c->number)
			local_moment(text, c->number);
		else
			snprintf(text, CELL_BYTES, "unknown");
		break;
	case CELL_ID:
		memcpy(text, c->id, sizeof c->id);
		break;
	default:
		break;
	}
	if (!text[0])
		memcpy(text, "-", 2);
}

/* Write the path and its line; returns the columns used. */
static size_t write_path(struct out *o, const struct cell *c, size_t room)
{
	const size_t before = out_line_left(o);
	char number[24] = "";

	if (!c->text) {
		out_char(o, '-');
		return 1;
	}
	if (c->number > 0)
		snprintf(number, sizeof number, ":%lld", (long long)c->number);
	out_path(o, c->text, room > strlen(number) ? room - strlen(number) : 1);
	out_text(o, number);
	return before == SIZE_MAX ? text_width(c->text) + strlen(number)
				  : before - out_line_left(o);
}

/* The text of the line, in faint letters, after its place. */
static void write_source(struct out *o, const struct cell *c)
{
	if (!c->source.at)
		return;
	out_tone(o, TONE_FAINT);
	out_text(o, "  ");
	out_clean(o, c->source);
	out_tone(o, TONE_PLAIN);
}

/* In the last column a path takes at most half of the room, so that the source text is visible
 * too. */
static void write_place(struct out *o, const struct cell *c)
{
	size_t room = out_line_left(o);

	if (c->source.at && room != SIZE_MAX)
		room = room / 2 > PLACE_LEAST ? room / 2 : PLACE_LEAST;
	write_path(o, c, room);
	if (c->in) {
		out_text(o, " in ");
		out_clean(o, text_of(c->in));
	}
	write_source(o, c);
}

static bool is_text_column(enum cell_kind kind)
{
	return kind == CELL_TEXT || kind == CELL_PLACE || kind == CELL_ID;
}

/* The table as a person sees it: which columns are shown, and how wide they are. */
struct layout {
	const struct sheet *s;
	bool shown[COLUMNS_MAX], left[COLUMNS_MAX];
	size_t width[COLUMNS_MAX];
	unsigned last; /* its width is what the others leave */
};

/* The table of columns ends with one that has no name and no title. */
static bool has_column(const struct sheet *s, unsigned i)
{
	return i < COLUMNS_MAX && (s->columns[i].name || s->columns[i].title);
}

/* The width of ":123"; 0 if there is no line. */
static size_t number_width(int64_t line)
{
	return line > 0 ? (size_t)snprintf(NULL, 0, ":%lld", (long long)line) : 0;
}

/* Columns of the terminal that the cell wants; cut: at most those of its column. */
static size_t cell_width(const struct cell *c, const struct column *column, bool cut)
{
	char text[CELL_BYTES];
	size_t width;

	if (c->kind == CELL_PLACE) {
		width = c->text ? text_width(c->text) + number_width(c->number) : 1;
	} else if (c->kind == CELL_TEXT) {
		width = text_width(c->text ? c->text : "");
	} else {
		number_text(c, text);
		return text_width(text);
	}
	return cut && column->width && width > column->width ? column->width : width;
}

/* Each column is as wide as its widest cell, its title among them. So all cells are computed twice,
 * which takes less memory than keeping them. Texts are aligned left, numbers right; an empty table
 * left. */
static void measure(struct layout *l, const struct key *keys, size_t count, bool cut)
{
	for (unsigned i = 0; has_column(l->s, i); i++) {
		const struct column *column = &l->s->columns[i];
		if (!column->title)
			continue;
		l->shown[i] = true;
		l->last = i;
		l->width[i] = text_width(column->title);
		for (size_t k = 0; k < count; k++) {
			const struct cell c = l->s->cell(l->s->context, keys[k].row, i);
			size_t width = cell_width(&c, column, cut);
			l->left[i] |= is_text_column(c.kind);
			if (width > l->width[i])
				l->width[i] = width;
		}
		l->left[i] |= !count;
	}
}

/* A sheet without a gap of its own has one blank before each column. */
static size_t gap_of(const struct sheet *s)
{
	return s->gap ? s->gap : 1;
}

static size_t indent_of(const struct sheet *s)
{
	return s->gap ? s->indent : 1;
}

/* Leave columns out until the rest fits the terminal, with room for the last one. */
static void drop_columns(struct layout *l, size_t columns)
{
	for (;;) {
		size_t whole = indent_of(l->s) + (l->s->last ? l->s->last : LAST_LEAST);
		unsigned next = COLUMNS_MAX;
		for (unsigned i = 0; has_column(l->s, i); i++) {
			if (!l->shown[i])
				continue;
			whole += i == l->last ? 0 : l->width[i] + gap_of(l->s);
			if (l->s->columns[i].drop &&
				(next == COLUMNS_MAX ||
					l->s->columns[i].drop > l->s->columns[next].drop))
				next = i;
		}
		if (whole <= columns || next == COLUMNS_MAX)
			return;
		l->shown[next] = false;
	}
}

/* The first column that is shown has the indentation before it, the others the gap. */
static size_t blanks_before(const struct layout *l, unsigned i)
{
	for (unsigned before = 0; before < i; before++)
		if (l->shown[before])
			return gap_of(l->s);
	return indent_of(l->s);
}

/* Numbers stand at the right end of their column, texts at the left. */
static void write_padded(struct out *o, const char *text, size_t width, bool left)
{
	size_t length = text_width(text), pad = length < width ? width - length : 0;

	out_spaces(o, left ? 0 : pad);
	out_clean(o, text_of(text));
	out_spaces(o, left ? pad : 0);
}

/* The last column is not padded: it may be as long as the line is. */
static void write_cell(struct out *o, const struct layout *l, unsigned i, const struct cell *c)
{
	const bool last = i == l->last;
	char text[CELL_BYTES];

	if (c->kind == CELL_PLACE && last) {
		write_place(o, c);
	} else if (c->kind == CELL_PLACE) {
		size_t width = write_path(o, c, l->width[i]);
		out_spaces(o, l->width[i] > width ? l->width[i] - width : 0);
	} else if (c->kind == CELL_TEXT && last) {
		out_clean(o, text_of(c->text ? c->text : ""));
		write_source(o, c);
	} else if (c->kind == CELL_TEXT) {
		out_column(o, c->text ? c->text : "", l->width[i]);
	} else {
		number_text(c, text);
		write_padded(o, text, last && l->left[i] ? 0 : l->width[i], l->left[i]);
	}
}

/* ---- the three forms ---- */

/* Titles are aligned as the cells below them. */
static void write_head(const struct layout *l, struct out *o)
{
	out_line(o);
	out_tone(o, TONE_STRONG);
	for (unsigned i = 0; has_column(l->s, i); i++) {
		if (!l->shown[i])
			continue;
		out_spaces(o, blanks_before(l, i));
		write_padded(o, l->s->columns[i].title,
			i == l->last && l->left[i] ? 0 : l->width[i], l->left[i]);
	}
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

/* For a person: measure all, leave out what does not fit, then write. A file or pipe has no width:
 * nothing is left out or cut. */
static void sheet_text(const struct sheet *s, struct out *o, const struct key *keys, size_t count)
{
	struct layout l = {.s = s};

	measure(&l, keys, count, o->columns);
	if (o->columns)
		drop_columns(&l, o->columns);
	write_head(&l, o);
	for (size_t k = 0; k < count && !o->error; k++) {
		out_line(o);
		for (unsigned i = 0; has_column(s, i); i++) {
			if (!l.shown[i])
				continue;
			const struct cell cell = s->cell(s->context, keys[k].row, i);
			out_spaces(o, blanks_before(&l, i));
			write_cell(o, &l, i, &cell);
		}
		out_line_end(o);
	}
}

/* A count that is not known is nothing for a program: 0 would say that nothing ran. */
static enum cell_kind cell_data_kind(const struct cell *c)
{
	return c->kind == CELL_COUNT && c->text ? CELL_NONE : c->kind;
}

/* JSON and CSV have the plain values: nanoseconds, bytes, shares of 1. They are an interface, and
 * do not change with the terminal. */
void sheet_member(struct json *j, const char *name, const struct cell *c)
{
	switch (cell_data_kind(c)) {
	case CELL_COUNT:
	case CELL_NUMBER:
	case CELL_SIZE:
	case CELL_NS:
	case CELL_ERROR:
		json_i64(j, name, c->number);
		break;
	case CELL_SHARE:
		json_key(j, name);
		out_fixed(j->out, c->share, 6);
		break;
	case CELL_MOMENT:
	case CELL_DATE:
		json_moment(j, name, c->number);
		break;
	case CELL_ID:
		json_text(j, name, c->id);
		break;
	case CELL_TEXT:
		json_text(j, name, c->text);
		break;
	default:
		json_null(j, name);
		break;
	}
}

/* One object a row, all columns that have a name, whatever a terminal would show. */
static void sheet_json(const struct sheet *s, struct out *o, const struct key *keys, size_t count)
{
	struct json j = {.out = o};

	for (size_t i = 0; i < count && !o->error; i++) {
		json_line(&j, s->type);
		json_u64(&j, "process", s->process);
		if (s->thread == PL_ALL_THREADS)
			json_null(&j, "thread");
		else
			json_u64(&j, "thread", s->thread);
		for (unsigned c = 0; s->columns[c].name || s->columns[c].title; c++) {
			if (!s->columns[c].name)
				continue;
			const struct cell cell = s->cell(s->context, keys[i].row, c);
			sheet_member(&j, s->columns[c].name, &cell);
		}
		json_line_end(&j);
	}
}

/* As in RFC 4180: quoted only if necessary. */
void sheet_quoted(struct out *o, const char *text)
{
	if (!text[strcspn(text, "\",\r\n")]) {
		out_text(o, text);
		return;
	}
	out_char(o, '"');
	for (; *text; text++) {
		if (*text == '"')
			out_char(o, '"');
		out_char(o, *text);
	}
	out_char(o, '"');
}

/* A cell of CSV. What is not there is empty. */
static void write_value(struct out *o, const struct cell *c)
{
	switch (cell_data_kind(c)) {
	case CELL_COUNT:
	case CELL_NUMBER:
	case CELL_SIZE:
	case CELL_NS:
	case CELL_ERROR:
		out_i64(o, c->number);
		break;
	case CELL_SHARE:
		out_fixed(o, c->share, 6);
		break;
	case CELL_MOMENT:
	case CELL_DATE:
		if (c->number)
			out_seconds(o, c->number);
		break;
	case CELL_ID:
		out_text(o, c->id);
		break;
	case CELL_TEXT:
		sheet_quoted(o, c->text ? c->text : "");
		break;
	default:
		break;
	}
}

/* All columns that have a name, as in JSON, each row with its process and thread. */
static void write_csv(const struct sheet *s, struct out *o, const struct key *keys, size_t count)
{
	if (!s->headless) {
		out_text(o, "process,thread");
		for (const struct column *c = s->columns; c->name || c->title; c++)
			if (c->name) {
				out_char(o, ',');
				out_text(o, c->name);
			}
		out_text(o, "\r\n");
	}
	for (size_t i = 0; i < count && !o->error; i++) {
		out_u64(o, s->process);
		out_char(o, ',');
		if (s->thread != PL_ALL_THREADS)
			out_u64(o, s->thread);
		for (unsigned c = 0; s->columns[c].name || s->columns[c].title; c++) {
			if (!s->columns[c].name)
				continue;
			const struct cell cell = s->cell(s->context, keys[i].row, c);
			out_char(o, ',');
			write_value(o, &cell);
		}
		out_text(o, "\r\n");
	}
}

size_t sheet_hidden(const struct sheet *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->rows; i++)
		count += !s->wanted || s->wanted(s->context, i);
	return s->most && count > s->most ? count - s->most : 0;
}

/* The rows that are wanted, in their order. */
static size_t order_keys(const struct sheet *s, unsigned column, struct key *keys)
{
	size_t count = 0;

	for (size_t i = 0; i < s->rows; i++)
		if (!s->wanted || s->wanted(s->context, i))
			keys[count++] = (struct key){.row = i,
				.cell = s->sort ? s->cell(s->context, i, column)
						: (struct cell){0}};
	if (s->sort && count)
		qsort(keys, count, sizeof *keys, by_cell);
	return count;
}

bool sheet_row(const struct sheet *s, size_t index, size_t *row)
{
	unsigned column = 0;
	struct key *keys = malloc((s->rows + 1) * sizeof *keys);
	bool found = keys && (!s->sort || find_column("", s->columns, s->sort, &column) == CMD_GO);

	if (found)
		found = index < order_keys(s, column, keys);
	if (found)
		*row = keys[index].row;
	free(keys);
	return found;
}

/* JSON has all rows whatever -n says: a program chooses itself. */
int sheet_write(const struct sheet *s, struct out *out, enum sheet_form form)
{
	unsigned column = 0;

	if (s->sort && find_column("report", s->columns, s->sort, &column) != CMD_GO)
		return CMD_USAGE;
	struct key *keys = malloc((s->rows + 1) * sizeof *keys);
	if (!keys) {
		cmd_say("no memory for %zu rows", s->rows);
		return CMD_BAD;
	}
	size_t count = order_keys(s, column, keys);
	if (form != SHEET_JSON && s->most && count > s->most)
		count = s->most;
	if (form == SHEET_TEXT)
		sheet_text(s, out, keys, count);
	else if (form == SHEET_JSON)
		sheet_json(s, out, keys, count);
	else
		write_csv(s, out, keys, count);
	free(keys);
	return CMD_GO;
}
