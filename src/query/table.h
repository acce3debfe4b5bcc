/* A table of SQL over a recording: its columns, and how its rows are gone through.
 *
 * A group of tables is a file. The columns of a table are one list, of which everything is made:
 * the declaration for SQLite, the cells, `query --schema` and the manual.
 *
 *	#define THING_COLUMNS(X)                         a row: name, type, role, meaning, cell
 *		X(process, INTEGER, PROCESS, "number in the recording", put_number(out, t->process))
 *
 *	static const struct query_column thing_columns[] = {THING_COLUMNS(QUERY_COLUMN)};
 *	static void thing_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
 *	{
 *		enum { THING_COLUMNS(QUERY_INDEX) };
 *		const struct thing *t = c->state;
 *		switch (column) {
 *			THING_COLUMNS(QUERY_CELL)
 *		}
 *	}
 *
 * The role of a column says which bound of the scope (scope.h) a constraint on it becomes. A table
 * may use any part of the scope to leave out rows, and need not: SQLite checks each row again.
 */
#ifndef PL_QUERY_TABLE_H
#define PL_QUERY_TABLE_H

#include <sqlite3.h>
#include "base/buf.h"
#include "pathline/pathline.h"
#include "query/query.h"
#include "query/scope.h"

struct query_column {
	const char *name;
	const char *type;
	enum query_role role;
	const char *meaning;
};

#define QUERY_INDEX(name, type, role, meaning, cell)  QUERY_INDEX_##name,
#define QUERY_COLUMN(name, type, role, meaning, cell) {#name, #type, QUERY_##role, meaning},
#define QUERY_CELL(name, type, role, meaning, cell)                                                \
	case QUERY_INDEX_##name:                                                                   \
		cell;                                                                              \
		break;

/* A scan of a table. */
struct query_cursor {
	sqlite3_vtab_cursor base; /* must be first */
	struct query *q;
	const struct query_table *table;
	struct query_scope scope;
	void *state; /* owned: state_bytes of the table, all zero before `open` */
	bool ended;
	/* Set by `next`: a number that the row has in every scan of the table, and no other row.
	 * For an OR, SQLite makes several scans, and leaves out rows that it has seen. */
	int64_t row;
};

struct query_table {
	const char *name;
	const char *meaning;
	const struct query_column *columns;
	unsigned column_count;
	size_t state_bytes;
	/* About how many rows a scan without bounds has: for the order in which SQLite joins. */
	double (*estimate)(const struct query *q);
	/* Rows of one thread come by ascending seq. */
	bool by_seq;
	/* 0, or an error with its cause in c->q->err. `next` also gives the first row; PL_END:
	 * there is none left. */
	int (*open)(struct query_cursor *c);
	int (*next)(struct query_cursor *c);
	void (*cell)(struct query_cursor *c, unsigned column, sqlite3_context *out);
	void (*close)(struct query_cursor *c);
};

/* The tables, in the order in which they are listed; ends with NULL. */
extern const struct query_table *const query_tables[];

/* A number for a row of a thread: of what is there before 2^20 threads and 2^43 numbers, no two
 * are equal. */
static inline int64_t row_of_thread(uint32_t ordinal, uint64_t number)
{
	return (int64_t)((uint64_t)ordinal << 44 ^ number);
}

/* ---- cells ---- */

static inline void put_number(sqlite3_context *out, int64_t number)
{
	sqlite3_result_int64(out, number);
}

/* NULL where it is 0: there is none. */
static inline void put_number_or_null(sqlite3_context *out, uint64_t number)
{
	if (number)
		sqlite3_result_int64(out, number < INT64_MAX ? (int64_t)number : INT64_MAX);
}

/* `lasts`: until the recording is closed, so it need not be copied. */
static inline void put_text(sqlite3_context *out, const char *text, bool lasts)
{
	if (text)
		sqlite3_result_text(out, text, -1, lasts ? SQLITE_STATIC : SQLITE_TRANSIENT);
}

/* All of these give NULL for code NULL. */
void put_file(sqlite3_context *out, const struct pl_code *code);
void put_function(sqlite3_context *out, const struct pl_code *code);
void put_first_line(sqlite3_context *out, const struct pl_code *code);
void put_code_id(sqlite3_context *out, const struct pl_code *code);
/* Takes the text, and releases the buffer. */
void put_json(sqlite3_context *out, struct pl_buf *json);
/* The text of the line, without its indentation. */
void put_source(sqlite3_context *out, struct query *q, const struct pl_code *code, int32_t line);

#endif
