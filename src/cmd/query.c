/* pathline query: SQL over a recording. The tables are those of src/query; here is what a person
 * says and sees. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "cmd/follow.h"
#include "cmd/json.h"
#include "cmd/page.h"
#include "cmd/result.h"
#include "query/query.h"

#define MEMORY_DEFAULT ((uint64_t)256 << 20)
#define MEMORY_LEAST   ((uint64_t)4 << 20)
#define SQL_BYTES_MAX  (1u << 20)
#define TABLE_WIDTH    13
#define COLUMN_WIDTH   14

/* Ctrl-C ends the query. */
static volatile sig_atomic_t query_stopped;

struct asking {
	struct cmd *cmd;
	struct pl_recording *r; /* owned */
	struct query query;
	struct result result;
	struct out out;
	const char *sql, *into, *memory_text;
	char *read; /* owned: the SQL from stdin */
	uint64_t memory_bytes;
	bool json, csv, schema, stat, follows;
	const volatile sig_atomic_t *stop; /* not owned: Ctrl-C sets it */
	struct timespec begin;
};

static void stop_query(int signal)
{
	(void)signal;
	query_stopped = 1;
}

/* ---- schema ---- */

static void write_json_schema(struct out *out, const char *table, const char *column,
	const char *type, const char *meaning)
{
	struct json j = {.out = out};

	json_line(&j, column ? "column" : "table");
	json_text(&j, "table", table);
	if (column) {
		json_text(&j, "column", column);
		json_text(&j, "sql_type", type);
	}
	json_text(&j, "meaning", meaning);
	json_line_end(&j);
}

static void write_schema_row(
	void *to, const char *table, const char *column, const char *type, const char *meaning)
{
	struct asking *a = to;
	struct out *o = &a->out;

	if (a->json) {
		write_json_schema(o, table, column, type, meaning);
		return;
	}
	out_line(o);
	if (column) {
		out_text(o, "  ");
		out_column(o, column, COLUMN_WIDTH);
		out_column(o, type, TABLE_WIDTH - 4);
	} else {
		out_tone(o, TONE_STRONG);
		out_column(o, table, TABLE_WIDTH);
		out_tone(o, TONE_PLAIN);
	}
	out_wrap(o, meaning, column ? COLUMN_WIDTH + TABLE_WIDTH - 2 : TABLE_WIDTH);
	out_line_end(o);
}

static int say_schema(struct asking *a)
{
	int code = page_open(a->cmd, &a->out, !a->json);

	if (code != CMD_GO)
		return code;
	page_start(a->cmd, &a->out);
	query_schema(write_schema_row, a);
	return CMD_OK;
}

/* ---- what was asked ---- */

/* `-`: from stdin. */
static int read_sql(struct asking *a)
{
	struct pl_buf sql = {0};
	ssize_t got = 1;

	while (got > 0 && sql.used < SQL_BYTES_MAX) {
		uint8_t *room = buf_reserve(&sql, 4096);
		got = room ? read(0, room, 4096) : -1;
		sql.used += got > 0 ? (size_t)got : 0;
	}
	buf_u8(&sql, 0);
	if (got || sql.failed) {
		cmd_say("query: the SQL on stdin %s",
			got > 0 ? "is longer than 1 MiB" : "cannot be read");
		buf_release(&sql);
		return CMD_USAGE;
	}
	a->read = (char *)sql.at;
	a->sql = a->read;
	return CMD_GO;
}

/* The first operand is the SQL; a recording may follow. */
static int take_sql(struct asking *a)
{
	struct cmd *c = a->cmd;

	if (!c->count) {
		cmd_say("query: what is asked? Such as: pathline query \"SELECT * FROM line\"; "
			"--schema lists the tables");
		return CMD_USAGE;
	}
	a->sql = c->words[0];
	c->words++;
	c->count--;
	return strcmp(a->sql, "-") ? CMD_GO : read_sql(a);
}

static int check_options(struct asking *a)
{
	a->memory_bytes = MEMORY_DEFAULT;
	if ((a->json && a->csv) || (a->into && (a->json || a->csv))) {
		cmd_say("query: --json, --csv and --into are three forms; give one of them");
		return CMD_USAGE;
	}
	if (a->into && a->follows) {
		cmd_say("query: --into writes a database once; leave out --follow");
		return CMD_USAGE;
	}
	if (a->memory_text &&
		(!cmd_size(a->memory_text, &a->memory_bytes) || a->memory_bytes < MEMORY_LEAST ||
			a->memory_bytes > INT64_MAX)) {
		cmd_say("query: '%s' is not a size of memory; give one such as 256M (at least 4M)",
			a->memory_text);
		return CMD_USAGE;
	}
	return CMD_GO;
}

/* ---- how it ended ---- */

/* A statement failed while it ran. */
static int say_failed(struct asking *a, int step)
{
	const struct query *q = &a->query;

	if (step == SQLITE_DONE)
		return CMD_OK;
	if (*a->stop)
		return 128 + SIGINT;
	if (step == SQLITE_NOMEM || q->failed == PL_ERR_MEMORY) {
		cmd_say("query: it needs more memory than --memory gives");
		return CMD_BAD;
	}
	if (q->failed) {
		cmd_say("query: %s", q->err.used ? pl_err_text(&q->err) : pl_error_name(q->failed));
		return CMD_BAD;
	}
	cmd_say("query: %s", sqlite3_errmsg(q->db));
	return CMD_USAGE;
}

static void say_stat(const struct asking *a)
{
	const struct pl_process *p;
	uint64_t blocks = 0;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (uint32_t i = 0; (p = pl_recording_process(a->r, i)); i++)
		for (uint32_t n = 0; n < p->thread_count; n++) {
			const struct pl_thread *t = pl_recording_thread(a->r, p->number, n);
			blocks += t ? t->blocks : 0;
		}
	cmd_say("query: %" PRIu64 " rows, %" PRIu64 " blocks read, the recording has %" PRIu64
		"; %.3f s",
		a->result.rows, pl_recording_block_reads(a->r), blocks,
		(double)(now.tv_sec - a->begin.tv_sec) +
			(double)(now.tv_nsec - a->begin.tv_nsec) / 1e9);
}

/* ---- the query ---- */

static int run_statement(struct asking *a, sqlite3_stmt *statement)
{
	struct result *result = &a->result;
	const bool again = result->statement;
	int step = SQLITE_DONE, code = CMD_GO;

	result->statement = statement;
	if (a->into)
		code = result_into(result, a->into, &step);
	else
		step = again ? result_write_again(result) : result_write(result);
	return code == CMD_GO ? say_failed(a, step) : code;
}

static int ask(struct asking *a)
{
	const struct query_options options = {.memory_bytes = a->memory_bytes, .stop = a->stop};
	struct query *q = &a->query;
	sqlite3_stmt *statement = NULL;
	int code = CMD_USAGE;

	int result = query_open(q, a->r, &options);
	if (result == 0)
		result = query_prepare(q, a->sql, &statement);
	if (result == 0)
		code = run_statement(a, statement);
	else if (q->owners[0])
		cmd_say("query: %s; of that name there is a column of %s", pl_err_text(&q->err),
			q->owners);
	else if (q->hint[0])
		cmd_say("query: %s; did you mean '%s'?", pl_err_text(&q->err), q->hint);
	else
		cmd_say("query: %s", pl_err_text(&q->err));
	sqlite3_finalize(statement);
	query_close(q);
	return result == PL_ERR_MEMORY ? CMD_BAD : code;
}

/* Tables and statement are made anew each time: nothing in them is of a recording that was
 * shorter. */
static int ask_again(struct asking *a)
{
	struct timespec began = a->begin;
	struct pl_err err = {0};
	int code = CMD_OK, waited = 0;

	while (code == CMD_OK && waited == 0 && !a->out.error) {
		out_flush(&a->out);
		waited = follow_wait_again(a->r, &began, &err);
		clock_gettime(CLOCK_MONOTONIC, &began);
		if (waited == 0)
			code = ask(a);
	}
	if (waited < 0) {
		cmd_say("query: %s", err.used ? pl_err_text(&err) : pl_error_name(waited));
		return CMD_BAD;
	}
	return *a->stop ? 128 + SIGINT : code;
}

static int ask_all(struct asking *a)
{
	const struct sigaction action = {.sa_handler = stop_query};

	a->result = (struct result){.cmd = a->cmd,
		.out = &a->out,
		.form = a->json	 ? RESULT_JSON
			: a->csv ? RESULT_CSV
				 : RESULT_TEXT,
		.follows = a->follows};
	a->stop = a->follows ? &follow_stopped : &query_stopped;
	if (a->follows)
		follow_begin(a->r);
	else
		sigaction(SIGINT, &action, NULL);
	int code = ask(a);
	if (code == CMD_OK && a->follows)
		code = ask_again(a);
	if (code == CMD_OK)
		result_end(&a->result);
	if (code == CMD_OK)
		code = cmd_say_damages("query", a->r, 0);
	if (a->stat && a->result.statement)
		say_stat(a);
	result_release(&a->result);
	return code;
}

static int open_and_ask(struct asking *a)
{
	int code = take_sql(a);

	a->cmd->no_pager |= a->follows;
	if (code == CMD_GO)
		code = check_options(a);
	if (code == CMD_GO)
		code = cmd_open(a->cmd, &a->r);
	if (code == CMD_GO)
		code = page_open(a->cmd, &a->out, !a->json && !a->csv);
	if (code != CMD_GO)
		return code;
	clock_gettime(CLOCK_MONOTONIC, &a->begin);
	return ask_all(a);
}

static const char ABOUT[] =
	"Ask a recording by SQL: a SELECT of SQLite over the tables of --schema. With - the SQL\n"
	"is read from stdin.\n\n"
	"Counts (line, function, code, event_count) do not visit each event. In the others,\n"
	"comparisons of process, thread, seq, time_ns, kind, file, function, code and line with a\n"
	"value, and LIKE and GLOB of names, leave out events without a visit.\n\n"
	"moment('+1.5') is a time as dump --from takes it, in ns; clock(time_ns) and\n"
	"duration(ns) are texts as the other commands write them.";

int cmd_query(struct cmd *c)
{
	struct asking a = {.cmd = c};
	const struct cmd_option options[] = {
		{"schema", 0, NULL, "the tables, their columns, and what they mean",
			.flag = &a.schema},
		{"json", 0, NULL, "one JSON object a line", .flag = &a.json},
		{"csv", 0, NULL, "comma-separated, with a head", .flag = &a.csv},
		{"into", 0, "FILE", "into the table `result` of a new SQLite database",
			.text = &a.into},
		{"memory", 0, "SIZE", "that SQLite may take (256M); it sorts in a temporary file",
			.text = &a.memory_text},
		{"follow", 0, NULL, FOLLOW_HELP, .flag = &a.follows},
		{"stat", 0, NULL, "say at the end how many blocks of events were read",
			.flag = &a.stat},
		{0},
	};
	int written = 0, code = cmd_parse(c, &(struct cmd_usage){"SQL [RECORDING]", ABOUT, options,
						     .paged = true});

	if (code == CMD_GO)
		code = a.schema ? say_schema(&a) : open_and_ask(&a);
	if (a.out.bytes)
		written = page_close(c, &a.out);
	free(a.read);
	pl_recording_close(a.r);
	return written ? written : code;
}
