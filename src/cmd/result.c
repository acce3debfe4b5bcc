#define _GNU_SOURCE
#include "cmd/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "cmd/json.h"
#include "cmd/page.h"
#include "cmd/sheet.h"

/* The rows by which the text is measured: so many, or so many bytes. */
#define MEASURED_ROWS  1000
#define MEASURED_BYTES (4u << 20)
/* Columns of a terminal for one that is not the last. */
#define WIDTH_MAX 48
#define GAP	  2

/* ---- cells ---- */

static struct text cell_of(sqlite3_stmt *statement, int column)
{
	const char *at = (const char *)sqlite3_column_text(statement, column);

	return (struct text){.at = at, .length = (size_t)sqlite3_column_bytes(statement, column)};
}

static bool is_number(int type)
{
	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* ---- JSON ---- */

static void write_real(struct out *o, double v)
{
	char text[40];

	if (!isfinite(v)) {
		out_text(o, "null");
		return;
	}
	snprintf(text, sizeof text, "%.17g", v);
	out_text(o, text);
}

static void write_json_cell(struct json *j, sqlite3_stmt *statement, int column)
{
	struct text cell;

	json_key(j, sqlite3_column_name(statement, column));
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		out_i64(j->out, sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT:
		write_real(j->out, sqlite3_column_double(statement, column));
		break;
	case SQLITE_NULL:
		out_text(j->out, "null");
		break;
	default:
		cell = cell_of(statement, column);
		out_char(j->out, '"');
		out_json(j->out, cell);
		out_char(j->out, '"');
	}
}

static void write_json(struct result *r)
{
	struct json j = {.out = r->out};

	json_line(&j, "row");
	for (int i = 0; i < sqlite3_column_count(r->statement); i++)
		write_json_cell(&j, r->statement, i);
	json_line_end(&j);
}

/* ---- CSV ---- */

/* What is not there is empty, as in the CSV of `report`. */
static void write_csv(struct result *r)
{
	for (int i = 0; i < sqlite3_column_count(r->statement); i++) {
		const struct text cell = cell_of(r->statement, i);
		if (i)
			out_char(r->out, ',');
		if (cell.at)
			sheet_quoted(r->out, cell.at);
	}
	out_text(r->out, "\r\n");
}

static void write_csv_head(struct result *r)
{
	for (int i = 0; i < sqlite3_column_count(r->statement); i++) {
		if (i)
			out_char(r->out, ',');
		sheet_quoted(r->out, sqlite3_column_name(r->statement, i));
	}
	out_text(r->out, "\r\n");
}

/* ---- text ---- */

/* The first rows, which are kept until their columns are measured. */
struct measured {
	struct result *r;
	int columns;
	size_t *widths;	     /* owned: of each column */
	bool *left;	     /* owned: it has a text, so it is aligned left */
	struct pl_buf cells; /* owned: each ends with NUL */
	size_t rows;
};

static void measure_cell(struct measured *m, int column, const char *text)
{
	const size_t width = text_width(text);
	const size_t most = m->r->out->columns && column + 1 < m->columns ? WIDTH_MAX : SIZE_MAX;

	if (width > m->widths[column])
		m->widths[column] = width < most ? width : most;
}

static const char *shown_cell(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "-";
}

static void keep_row(struct measured *m)
{
	for (int i = 0; i < m->columns; i++) {
		const char *text = shown_cell(m->r->statement, i);
		const int type = sqlite3_column_type(m->r->statement, i);
		m->left[i] |= !is_number(type) && type != SQLITE_NULL;
		measure_cell(m, i, text);
		buf_put(&m->cells, text, strlen(text) + 1);
	}
	m->rows++;
}

static void write_cell(struct measured *m, int column, const char *text)
{
	struct out *o = m->r->out;
	const size_t width = m->widths[column], own = text_width(text);
	const bool last = column + 1 == m->columns;

	out_spaces(o, column ? GAP : 0);
	if (last && m->left[column]) {
		out_clean(o, text_of(text));
	} else if (m->left[column] && o->columns) {
		out_column(o, text, width);
	} else {
		out_spaces(o, !m->left[column] && own < width ? width - own : 0);
		out_clean(o, text_of(text));
		out_spaces(o, m->left[column] && own < width ? width - own : 0);
	}
}

static void write_head(struct measured *m)
{
	out_line(m->r->out);
	out_tone(m->r->out, TONE_STRONG);
	for (int i = 0; i < m->columns; i++)
		write_cell(m, i, sqlite3_column_name(m->r->statement, i));
	out_tone(m->r->out, TONE_PLAIN);
	out_line_end(m->r->out);
}

static void write_kept(struct measured *m)
{
	const char *at = (const char *)m->cells.at;

	write_head(m);
	for (size_t row = 0; row < m->rows; row++) {
		out_line(m->r->out);
		for (int i = 0; i < m->columns; i++) {
			write_cell(m, i, at);
			at += strlen(at) + 1;
		}
		out_line_end(m->r->out);
	}
}

static void write_text(struct measured *m)
{
	out_line(m->r->out);
	for (int i = 0; i < m->columns; i++)
		write_cell(m, i, shown_cell(m->r->statement, i));
	out_line_end(m->r->out);
}

static void release_measured(struct measured *m)
{
	free(m->widths);
	free(m->left);
	buf_release(&m->cells);
}

/* The pager is started when the first rows are there, so a query that takes long can be stopped. */
static int write_table(struct measured *m)
{
	struct result *r = m->r;
	int step = SQLITE_DONE;

	while (m->rows < MEASURED_ROWS && m->cells.used < MEASURED_BYTES &&
		(step = sqlite3_step(r->statement)) == SQLITE_ROW)
		keep_row(m);
	if (m->cells.failed || (step != SQLITE_ROW && step != SQLITE_DONE))
		return m->cells.failed ? SQLITE_NOMEM : step;
	page_start(r->cmd, r->out);
	write_kept(m);
	r->rows = m->rows;
	while (step == SQLITE_ROW && !r->out->error &&
		(step = sqlite3_step(r->statement)) == SQLITE_ROW) {
		write_text(m);
		r->rows++;
	}
	return step == SQLITE_ROW ? SQLITE_DONE : step;
}

static int result_table(struct result *r)
{
	struct measured m = {.r = r, .columns = sqlite3_column_count(r->statement)};
	int step = SQLITE_NOMEM;

	m.widths = calloc((size_t)m.columns + 1, sizeof *m.widths);
	m.left = calloc((size_t)m.columns + 1, sizeof *m.left);
	if (m.widths && m.left) {
		for (int i = 0; i < m.columns; i++)
			measure_cell(&m, i, sqlite3_column_name(r->statement, i));
		step = write_table(&m);
	}
	release_measured(&m);
	return step;
}

int result_write(struct result *r)
{
	int step = SQLITE_DONE;

	if (r->form == RESULT_TEXT)
		return result_table(r);
	if (r->form == RESULT_CSV)
		write_csv_head(r);
	while (!r->out->error && (step = sqlite3_step(r->statement)) == SQLITE_ROW) {
		if (r->form == RESULT_CSV)
			write_csv(r);
		else
			write_json(r);
		r->rows++;
	}
	return step == SQLITE_ROW ? SQLITE_DONE : step;
}

/* ---- a database ---- */

static char *create_sql(sqlite3_stmt *statement)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	sqlite3_str_appendall(sql, "CREATE TABLE result(");
	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const char *type = sqlite3_column_decltype(statement, i);
		sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? "," : "",
			sqlite3_column_name(statement, i), type ? type : "");
	}
	sqlite3_str_appendall(sql, ")");
	return sqlite3_str_finish(sql);
}

static char *insert_sql(sqlite3_stmt *statement)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	sqlite3_str_appendall(sql, "INSERT INTO result VALUES(");
	for (int i = 0; i < sqlite3_column_count(statement); i++)
		sqlite3_str_appendall(sql, i ? ",?" : "?");
	sqlite3_str_appendall(sql, ")");
	return sqlite3_str_finish(sql);
}

/* The file is new, and of no use if it is not complete: no journal. */
static int begin_database(sqlite3 *db, sqlite3_stmt *statement, sqlite3_stmt **insert)
{
	char *create = create_sql(statement), *into = insert_sql(statement);
	int code = create && into ? SQLITE_OK : SQLITE_NOMEM;

	if (code == SQLITE_OK)
		code = sqlite3_exec(db,
			"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", NULL, NULL,
			NULL);
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, create, NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(db, into, -1, insert, NULL);
	sqlite3_free(create);
	sqlite3_free(into);
	return code;
}

static int insert_row(sqlite3_stmt *statement, sqlite3_stmt *insert)
{
	int code = SQLITE_OK;

	for (int i = 0; i < sqlite3_column_count(statement) && code == SQLITE_OK; i++)
		code = sqlite3_bind_value(insert, i + 1, sqlite3_column_value(statement, i));
	if (code == SQLITE_OK && sqlite3_step(insert) != SQLITE_DONE)
		code = SQLITE_ERROR;
	sqlite3_reset(insert);
	return code;
}

static int fill_database(struct result *r, sqlite3 *db, int *step)
{
	sqlite3_stmt *insert = NULL;
	int code = begin_database(db, r->statement, &insert);

	while (code == SQLITE_OK && (*step = sqlite3_step(r->statement)) == SQLITE_ROW) {
		code = insert_row(r->statement, insert);
		r->rows += code == SQLITE_OK;
	}
	sqlite3_finalize(insert);
	if (code == SQLITE_OK && *step == SQLITE_DONE)
		code = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	return code;
}

int result_into(struct result *r, const char *file, int *step)
{
	sqlite3 *db = NULL;

	*step = SQLITE_DONE;
	if (access(file, F_OK) == 0) {
		cmd_say("query: %s is there already; remove it, or name another file", file);
		return CMD_USAGE;
	}
	int code = sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
	if (code == SQLITE_OK)
		code = fill_database(r, db, step);
	if (code != SQLITE_OK)
		cmd_say("query: %s cannot be written: %s", file, sqlite3_errmsg(db));
	sqlite3_close(db);
	if (code != SQLITE_OK || *step != SQLITE_DONE)
		unlink(file);
	return code == SQLITE_OK ? CMD_GO : CMD_NOT_WRITTEN;
}
