#include "cmd/history_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cmd/json.h"
#include "cmd/sheet.h"
#include "cmd/values.h"
#include "os/local.h"

#define AT_BYTES    96
#define PLACE_BYTES 4400

/* What a cell of any form is made from. */
struct history_cell {
	const char *text; /* NULL: there is none */
	bool number;
	char room[PLACE_BYTES]; /* of the text */
};

struct history_column {
	const char *name;
	bool in_table, in_data;
	enum { SHOWN_ALWAYS, SHOWN_PARTS } when; /* in the table */
	void (*fill)(
		const struct history_rows *h, const struct sighting *s, struct history_cell *cell);
};

/* ---- cells ---- */

static void fill_number(struct history_cell *cell, uint64_t number)
{
	snprintf(cell->room, sizeof cell->room, "%" PRIu64, number);
	cell->text = cell->room;
	cell->number = true;
}

/* What `replay` takes: -t 3 #4390 */
static void fill_at(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	const struct pl_position *at = &s->event->position;
	size_t used = 0;

	if (h->processes)
		used = (size_t)snprintf(cell->room, AT_BYTES, "-p %" PRIu32 " ", at->process);
	snprintf(
		cell->room + used, AT_BYTES, "-t %" PRIu32 " #%" PRIu64, at->thread, s->event->seq);
	cell->text = cell->room;
}

static void fill_time(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	local_clock(cell->room, s->event->time_ns, 6);
	cell->text = cell->room;
}

static void fill_value(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	cell->text = s->text.at;
	cell->number = s->value.kind == PL_VALUE_INT || s->value.kind == PL_VALUE_FLOAT;
}

static void fill_class(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	if (!s->class_name.length || s->class_name.length >= sizeof cell->room)
		return;
	memcpy(cell->room, s->class_name.at, s->class_name.length);
	cell->room[s->class_name.length] = 0;
	cell->text = cell->room;
}

static void fill_id(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	if (s->id)
		fill_number(cell, s->id);
}

static void fill_how(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	cell->text = sighting_how_name(s->how);
}

/* "shop.py:12" */
static void fill_place(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	if (!s->line || !s->code)
		return;
	snprintf(cell->room, sizeof cell->room, "%s:%" PRId32,
		out_relative(h->out, pl_code_file(s->code)), s->line);
	cell->text = cell->room;
}

static void fill_file(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	cell->text = s->line && s->code ? pl_code_file(s->code) : NULL;
}

static void fill_line(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	if (s->line && s->code)
		fill_number(cell, (uint64_t)s->line);
}

/* Of the frame that has it. */
static void fill_function(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	cell->text = pl_code_name(s->event->code);
}

static void fill_source(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	struct pl_text line;

	if (!s->line || !s->code || pl_source_line(h->r, s->code, s->line, &line, NULL) < 0)
		return;
	while (line.length && (*line.at == ' ' || *line.at == '\t')) {
		line.at++;
		line.length--;
	}
	snprintf(cell->room, sizeof cell->room, "%.*s", (int)line.length, line.at);
	cell->text = cell->room;
}

static void fill_process(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	fill_number(cell, s->event->position.process);
}

static void fill_thread(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	fill_number(cell, s->event->position.thread);
}

static void fill_seq(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	fill_number(cell, s->event->seq);
}

static void fill_time_ns(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)h;
	fill_number(cell, (uint64_t)s->event->time_ns);
}

static void fill_name(
	const struct history_rows *h, const struct sighting *s, struct history_cell *cell)
{
	(void)s;
	cell->text = h->name;
}

static const struct history_column columns[] = {
	{"at", true, false, SHOWN_ALWAYS, fill_at},
	{"time", true, false, SHOWN_ALWAYS, fill_time},
	{"process", false, true, SHOWN_ALWAYS, fill_process},
	{"thread", false, true, SHOWN_ALWAYS, fill_thread},
	{"seq", false, true, SHOWN_ALWAYS, fill_seq},
	{"time_ns", false, true, SHOWN_ALWAYS, fill_time_ns},
	{"name", false, true, SHOWN_ALWAYS, fill_name},
	{"value", true, true, SHOWN_ALWAYS, fill_value},
	{"class", true, true, SHOWN_PARTS, fill_class},
	{"id", true, true, SHOWN_PARTS, fill_id},
	{"how", true, true, SHOWN_ALWAYS, fill_how},
	{"function", true, true, SHOWN_ALWAYS, fill_function},
	{"place", true, false, SHOWN_ALWAYS, fill_place},
	{"file", false, true, SHOWN_ALWAYS, fill_file},
	{"line", false, true, SHOWN_ALWAYS, fill_line},
	{"source", true, true, SHOWN_ALWAYS, fill_source},
};

#define COLUMNS (sizeof columns / sizeof *columns)

static bool has_column(const struct history_rows *h, const struct history_column *column)
{
	if (h->form != HISTORY_TEXT)
		return column->in_data;
	return column->in_table && (column->when == SHOWN_ALWAYS || h->parts);
}

/* ---- rows ---- */

static int say_no_memory(struct history_rows *h)
{
	h->failed = true;
	cmd_say("history: no memory for its rows");
	return CMD_BAD;
}

static void write_csv_cell(struct history_rows *h, const struct history_cell *cell, bool first)
{
	if (!first)
		out_char(h->out, ',');
	if (cell->text)
		sheet_quoted(h->out, cell->text);
}

static void write_json_cell(struct json *j, const char *name, const struct history_cell *cell)
{
	if (cell->number && cell->text == cell->room) {
		json_key(j, name);
		out_text(j->out, cell->text);
	} else {
		json_text(j, name, cell->text);
	}
}

/* false: there is no such column. */
static bool fill_cell(
	struct history_rows *h, const struct sighting *s, size_t column, struct history_cell *cell)
{
	cell->text = NULL;
	cell->number = false;
	if (!has_column(h, &columns[column]))
		return false;
	columns[column].fill(h, s, cell);
	return true;
}

static void write_json(struct history_rows *h, const struct sighting *s)
{
	struct json j = {.out = h->out};

	json_line(&j, "history");
	for (size_t i = 0; i < COLUMNS; i++) {
		struct history_cell cell;
		if (!fill_cell(h, s, i, &cell))
			continue;
		if (columns[i].fill == fill_value) {
			json_text(&j, "text", cell.text);
			values_json_value(&j, "value", &s->value);
		} else {
			write_json_cell(&j, columns[i].name, &cell);
		}
	}
	json_line_end(&j);
}

static void write_csv_head(struct history_rows *h)
{
	bool first = true;

	for (size_t i = 0; i < COLUMNS; i++)
		if (has_column(h, &columns[i])) {
			write_csv_cell(h, &(struct history_cell){.text = columns[i].name}, first);
			first = false;
		}
	out_text(h->out, "\r\n");
}

int history_rows_open(struct history_rows *h)
{
	const char *names[COLUMNS];
	unsigned count = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		if (has_column(h, &columns[i]))
			names[count++] = columns[i].name;
	if (h->form == HISTORY_CSV)
		write_csv_head(h);
	if (h->form != HISTORY_TEXT)
		return CMD_GO;
	return grid_open(&h->grid, h->cmd, h->out, names, count) ? CMD_GO : say_no_memory(h);
}

static bool write_cells(struct history_rows *h, const struct sighting *s)
{
	bool written = true, first = true;

	for (size_t i = 0; i < COLUMNS && written; i++) {
		struct history_cell cell;
		if (!fill_cell(h, s, i, &cell))
			continue;
		if (h->form == HISTORY_TEXT)
			written = grid_cell(&h->grid, cell.text, cell.number);
		else
			write_csv_cell(h, &cell, first);
		first = false;
	}
	if (h->form == HISTORY_CSV)
		out_text(h->out, "\r\n");
	return written;
}

int history_rows_write(struct history_rows *h, const struct sighting *s)
{
	if (h->form == HISTORY_JSON)
		write_json(h, s);
	else if (!write_cells(h, s))
		return say_no_memory(h);
	return CMD_GO;
}

int history_rows_end(struct history_rows *h)
{
	if (h->form == HISTORY_TEXT && h->grid.columns && !h->failed)
		grid_end(&h->grid);
	return h->failed ? CMD_BAD : CMD_GO;
}

void history_rows_release(struct history_rows *h)
{
	grid_release(&h->grid);
}
