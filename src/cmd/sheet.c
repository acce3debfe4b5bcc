#define _GNU_SOURCE
#include "cmd/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "os/local.h"

#define CELL_BYTES  48
#define COLUMNS_MAX 40

/* ---- order ---- */

static bool names(const struct column *c, const char *word)
{
	size_t length = strlen(word);

	if (!c->name || strncmp(c->name, word, length) != 0)
		return false;
	return !c->name[length] || !strcmp(c->name + length, "_ns");
}

static int find_column(const struct sheet *s, unsigned *column)
{
	const char *known[COLUMNS_MAX + 1] = {0};
	size_t count = 0;

	for (*column = 0; s->columns[*column].name || s->columns[*column].title; ++*column) {
		if (names(&s->columns[*column], s->sort))
			return CMD_GO;
		if (s->columns[*column].name && count < COLUMNS_MAX)
			known[count++] = s->columns[*column].name;
	}
	return cmd_unknown("column to sort by", s->sort, known);
}

struct key {
	size_t row;
	struct cell cell;
};

/* Numbers fall, texts grow. */
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

static void number_text(const struct cell *c, char text[CELL_BYTES])
{
	text[0] = 0;
	switch (c->kind) {
	case CELL_COUNT:
		snprintf(text, CELL_BYTES, "%lld", (long long)c->number);
		break;
	case CELL_NS:
		snprintf(text, CELL_BYTES, "%.4f", (double)c->number / 1e9);
		break;
	case CELL_SPAN:
		units_duration(text, c->number);
		break;
	case CELL_SHARE:
		snprintf(text, CELL_BYTES, "%.1f%%", 100 * c->share);
		break;
	case CELL_MOMENT:
		if (c->number)
			local_clock(text, c->number, 3);
		break;
	case CELL_ID:
		memcpy(text, c->id, sizeof c->id);
		break;
	default:
		break;
	}
}

static void write_place(struct out *o, const struct cell *c)
{
	out_clean(o, text_of(c->text ? c->text : "(nothing of Python ran)"));
	if (c->text && c->number > 0) {
		out_char(o, ':');
		out_i64(o, c->number);
	}
	if (!c->source.at)
		return;
	out_tone(o, TONE_FAINT);
	out_text(o, "  ");
	out_clean(o, c->source);
	out_tone(o, TONE_PLAIN);
}

static void write_cell(struct out *o, const struct column *column, const struct cell *c)
{
	char text[CELL_BYTES];

	if (c->kind == CELL_PLACE) {
		write_place(o, c);
	} else if (c->kind == CELL_TEXT && column->width) {
		out_column(o, c->text ? c->text : "", column->width);
	} else if (c->kind == CELL_TEXT) {
		out_clean(o, text_of(c->text ? c->text : ""));
	} else {
		number_text(c, text);
		size_t length = strlen(text);
		out_spaces(o, length < column->width ? column->width - length : 0);
		out_text(o, text);
	}
}

/* ---- the three forms ---- */

static bool is_text(const struct sheet *s, const struct column *column, const struct key *first)
{
	unsigned i = (unsigned)(column - s->columns);
	enum cell_kind kind = first ? s->cell(s->context, first->row, i).kind : CELL_TEXT;

	return kind == CELL_TEXT || kind == CELL_PLACE || kind == CELL_ID;
}

static void write_head(const struct sheet *s, struct out *o, const struct key *first)
{
	out_tone(o, TONE_STRONG);
	for (const struct column *c = s->columns; c->name || c->title; c++) {
		if (!c->title)
			continue;
		size_t length = text_width(c->title),
		       pad = length < c->width ? c->width - length : 0;
		bool left = is_text(s, c, first);
		out_char(o, ' ');
		out_spaces(o, left ? 0 : pad);
		out_text(o, c->title);
		out_spaces(o, left ? pad : 0);
	}
	out_tone(o, TONE_PLAIN);
	out_char(o, '\n');
}

static void write_text(const struct sheet *s, struct out *o, const struct key *keys, size_t count)
{
	write_head(s, o, count ? keys : NULL);
	for (size_t i = 0; i < count && !o->error; i++) {
		for (unsigned c = 0; s->columns[c].name || s->columns[c].title; c++) {
			if (!s->columns[c].title)
				continue;
			const struct cell cell = s->cell(s->context, keys[i].row, c);
			out_char(o, ' ');
			write_cell(o, &s->columns[c], &cell);
		}
		out_char(o, '\n');
	}
}

static void write_member(struct json *j, const char *name, const struct cell *c)
{
	switch (c->kind) {
	case CELL_COUNT:
	case CELL_NS:
	case CELL_SPAN:
		json_i64(j, name, c->number);
		break;
	case CELL_SHARE:
		json_key(j, name);
		out_fixed(j->out, c->share, 6);
		break;
	case CELL_MOMENT:
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

static void write_json(const struct sheet *s, struct out *o, const struct key *keys, size_t count)
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
			write_member(&j, s->columns[c].name, &cell);
		}
		json_line_end(&j);
	}
}

/* As RFC 4180 has it: in quotes where it must be. */
static void write_quoted(struct out *o, const char *text)
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

static void write_value(struct out *o, const struct cell *c)
{
	switch (c->kind) {
	case CELL_COUNT:
	case CELL_NS:
	case CELL_SPAN:
		out_i64(o, c->number);
		break;
	case CELL_SHARE:
		out_fixed(o, c->share, 6);
		break;
	case CELL_MOMENT:
		if (c->number)
			out_seconds(o, c->number);
		break;
	case CELL_ID:
		out_text(o, c->id);
		break;
	case CELL_TEXT:
		write_quoted(o, c->text ? c->text : "");
		break;
	default:
		break;
	}
}

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

int sheet_write(const struct sheet *s, struct out *out, enum sheet_form form)
{
	unsigned column = 0;
	size_t count = 0;

	if (s->sort && find_column(s, &column) != CMD_GO)
		return CMD_USAGE;
	struct key *keys = malloc((s->rows + 1) * sizeof *keys);
	if (!keys) {
		cmd_say("report: no memory for %zu rows", s->rows);
		return CMD_BAD;
	}
	for (size_t i = 0; i < s->rows; i++)
		if (!s->wanted || s->wanted(s->context, i))
			keys[count++] = (struct key){.row = i,
				.cell = s->sort ? s->cell(s->context, i, column)
						: (struct cell){0}};
	if (s->sort && count)
		qsort(keys, count, sizeof *keys, by_cell);
	if (form != SHEET_JSON && s->most && count > s->most)
		count = s->most;
	if (form == SHEET_TEXT)
		write_text(s, out, keys, count);
	else if (form == SHEET_JSON)
		write_json(s, out, keys, count);
	else
		write_csv(s, out, keys, count);
	free(keys);
	return CMD_GO;
}
