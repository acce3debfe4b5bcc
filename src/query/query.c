#include "query/query.h"

#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "query/functions.h"
#include "query/module.h"
#include "query/tables.h"

const struct query_table *const query_tables[] = {
	&query_process,
	&query_thread,
	&query_task,
	&query_code,
	&query_function,
	&query_line,
	&query_call,
	&query_exception,
	&query_event,
	&query_value,
	&query_event_count,
	&query_sample,
	&query_source_event,
	&query_loss,
	NULL,
};

/* Names of tables, columns and functions among which the nearest is looked for. */
#define NAMES_MAX 512
/* Steps of SQLite's machine between two looks at whether to stop. */
#define LOOK_STEPS 10000
#define SQL_BYTES  (1 << 20)
#define TEXT_BYTES (64 << 20)

/* ---- what a statement may do ---- */

/* Read what is there, and call functions. */
static int query_authorizes(void *context, int action, const char *what, const char *name,
	const char *database, const char *trigger)
{
	const struct query *q = context;

	(void)what, (void)database, (void)trigger;
	if (q->declaring)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return name && !strcmp(name, "load_extension") ? SQLITE_DENY : SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

static void bound_database(sqlite3 *db, uint64_t memory_bytes)
{
	sqlite3_hard_heap_limit64((sqlite3_int64)memory_bytes);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TEXT_BYTES);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
}

/* Scans look at it themselves; this is for what runs without one. */
static int query_is_stopped(void *context)
{
	const struct query *q = context;

	return *q->stop != 0;
}

int query_open(struct query *q, struct pl_recording *r, const struct query_options *options)
{
	*q = (struct query){.r = r, .stop = options->stop};
	int code = sqlite3_open_v2(
		":memory:", &q->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL);

	if (code == SQLITE_OK) {
		bound_database(q->db, options->memory_bytes);
		sqlite3_progress_handler(q->db, LOOK_STEPS, query_is_stopped, q);
		code = module_add_all(q);
	}
	if (code == SQLITE_OK)
		code = functions_add(q);
	if (code == SQLITE_OK)
		code = sqlite3_exec(q->db, "PRAGMA query_only = 1", NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_set_authorizer(q->db, query_authorizes, q);
	return code == SQLITE_OK
		       ? 0
		       : pl_err_cause(&q->err, PL_ERR_MEMORY, "SQLite: %s", sqlite3_errstr(code));
}

void query_close(struct query *q)
{
	sqlite3_close(q->db);
	q->db = NULL;
}

/* ---- what is wrong with it ---- */

static size_t add_column_names(const char **names, size_t count)
{
	for (size_t i = 0; query_tables[i]; i++)
		for (unsigned k = 0; k < query_tables[i]->column_count && count < NAMES_MAX; k++)
			names[count++] = query_tables[i]->columns[k].name;
	return count;
}

static size_t add_table_names(const char **names, size_t count)
{
	for (size_t i = 0; query_tables[i] && count < NAMES_MAX; i++)
		names[count++] = query_tables[i]->name;
	return count;
}

/* "call, value": the tables that have this column. */
static void find_owners(struct query *q, const char *column)
{
	size_t used = 0;

	for (size_t i = 0; query_tables[i]; i++) {
		const struct query_table *t = query_tables[i];
		unsigned k = 0;
		while (k < t->column_count && strcmp(t->columns[k].name, column) != 0)
			k++;
		if (k < t->column_count && used + strlen(t->name) + 3 < sizeof q->owners)
			used += (size_t)snprintf(q->owners + used, sizeof q->owners - used, "%s%s",
				used ? ", " : "", t->name);
	}
}

/* "no such column: e.functon": what was meant? */
static void find_hint(struct query *q, const char *message)
{
	const char *names[NAMES_MAX + 1] = {0};
	const char *word = strrchr(message, ' ');

	q->hint[0] = q->owners[0] = 0;
	if (!word || strncmp(message, "no such ", 8) != 0)
		return;
	const char *dot = strrchr(word, '.');
	word = (dot ? dot : word) + 1;
	if (!strncmp(message + 8, "column", 6)) {
		find_owners(q, word);
		add_column_names(names, 0);
	} else if (!strncmp(message + 8, "table", 5))
		add_table_names(names, 0);
	const char *nearest = nearest_word(word, names);
	if (nearest && strlen(nearest) < sizeof q->hint)
		memcpy(q->hint, nearest, strlen(nearest) + 1);
}

static bool is_blank(const char *sql)
{
	return !sql[strspn(sql, " \t\r\n;")];
}

int query_prepare(struct query *q, const char *sql, sqlite3_stmt **statement)
{
	const char *rest = "";
	int code = sqlite3_prepare_v2(q->db, sql, -1, statement, &rest);

	if (code == SQLITE_AUTH)
		return pl_err_cause(
			&q->err, PL_ERR_ARGUMENT, "a query can only select; this would do more");
	if (code != SQLITE_OK) {
		const char *message = sqlite3_errmsg(q->db);
		find_hint(q, message);
		return pl_err_cause(&q->err, PL_ERR_ARGUMENT, "%s", message);
	}
	if (!*statement)
		return pl_err_cause(&q->err, PL_ERR_ARGUMENT, "there is no statement");
	if (!sqlite3_column_count(*statement) || !sqlite3_stmt_readonly(*statement))
		return pl_err_cause(&q->err, PL_ERR_ARGUMENT, "a query can only select");
	if (!is_blank(rest))
		return pl_err_cause(&q->err, PL_ERR_ARGUMENT,
			"one statement at a time; after it there is more");
	return 0;
}

/* ---- schema ---- */

void query_schema(query_schema_take *take, void *to)
{
	for (size_t i = 0; query_tables[i]; i++) {
		const struct query_table *table = query_tables[i];
		take(to, table->name, NULL, NULL, table->meaning);
		for (unsigned k = 0; k < table->column_count; k++)
			take(to, table->name, table->columns[k].name, table->columns[k].type,
				table->columns[k].meaning);
	}
}
