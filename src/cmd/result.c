#define _GNU_SOURCE
#include "cmd/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/map.h"
#include "cmd/json.h"
#include "cmd/sheet.h"

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

static bool put_row(struct grid *g, sqlite3_stmt *statement)
{
	bool put = true;

	for (int i = 0; i < sqlite3_column_count(statement) && put; i++)
		put = grid_cell(g, (const char *)sqlite3_column_text(statement, i),
			is_number(sqlite3_column_type(statement, i)));
	return put;
}

static bool open_table(struct result *r)
{
	const int columns = sqlite3_column_count(r->statement);
	const char **names = calloc((size_t)columns + 1, sizeof *names);

	for (int i = 0; names && i < columns; i++)
		names[i] = sqlite3_column_name(r->statement, i);
	const bool opened = names && grid_open(&r->grid, r->cmd, r->out, names, (unsigned)columns);
	free(names);
	return opened;
}

/* ---- rows ---- */

/* Before anything converts its cells. */
static uint64_t hash_row(uint64_t hash, sqlite3_stmt *statement)
{
	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const int type = sqlite3_column_type(statement, i);
		uint64_t parts[3] = {hash, (uint64_t)type, 0};
		if (type == SQLITE_INTEGER) {
			parts[2] = (uint64_t)sqlite3_column_int64(statement, i);
		} else if (type == SQLITE_FLOAT) {
			const double real = sqlite3_column_double(statement, i);
			memcpy(&parts[2], &real, sizeof real);
		} else if (type != SQLITE_NULL) {
			const struct text cell = cell_of(statement, i);
			parts[2] = hash_bytes(cell.at ? cell.at : "", cell.at ? cell.length : 0);
		}
		hash = hash_bytes(parts, sizeof parts);
	}
	return hash;
}

static bool write_row(struct result *r)
{
	if (r->follows)
		r->hash = hash_row(r->hash, r->statement);
	r->rows++;
	if (r->form == RESULT_TEXT)
		return put_row(&r->grid, r->statement);
	if (r->form == RESULT_CSV)
		write_csv(r);
	else
		write_json(r);
	return true;
}

/* Up to the end. With the first row of a text its columns are measured. */
static int write_rest(struct result *r)
{
	int step = SQLITE_DONE;

	while (!r->out->error && (step = sqlite3_step(r->statement)) == SQLITE_ROW)
		if (!write_row(r))
			return SQLITE_NOMEM;
	if (step == SQLITE_DONE && r->form == RESULT_TEXT && (r->rows || !r->follows))
		grid_end(&r->grid);
	return step == SQLITE_ROW ? SQLITE_DONE : step;
}

int result_write(struct result *r)
{
	if (r->form == RESULT_CSV)
		write_csv_head(r);
	if (r->form == RESULT_TEXT && !open_table(r))
		return SQLITE_NOMEM;
	return write_rest(r);
}

int result_write_again(struct result *r)
{
	uint64_t hash = 0, left = r->rows;
	int step = SQLITE_ROW;

	for (; left && (step = sqlite3_step(r->statement)) == SQLITE_ROW; left--)
		hash = hash_row(hash, r->statement);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return step;
	if (!left && hash == r->hash)
		return write_rest(r);
	sqlite3_reset(r->statement);
	grid_release(&r->grid);
	r->rows = r->hash = 0;
	out_char(r->out, '\n');
	return result_write(r);
}

void result_end(struct result *r)
{
	if (r->grid.columns)
		grid_end(&r->grid);
}

void result_release(struct result *r)
{
	grid_release(&r->grid);
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
