/* SQL over a recording: an SQLite database in memory that has nothing but virtual tables, one for
 * each concept of a recording (table.h), and a few functions (functions.c).
 *
 *	query_open(&q, recording, &options)
 *	query_prepare(q, "SELECT ...", &statement)      sqlite3_step, sqlite3_column_..., finalize
 *	query_close(q)
 *
 * The SQL is the user's own, but what is read is not trusted. A statement can only select: an
 * authorizer refuses everything else, and nothing can be attached or loaded. What SQLite takes is
 * bounded by `memory_bytes`; what is sorted beyond that goes to a temporary file.
 */
#ifndef PL_QUERY_QUERY_H
#define PL_QUERY_QUERY_H

#include <signal.h>
#include <sqlite3.h>
#include "pathline/pathline.h"

struct query {
	struct pl_recording *r; /* not owned */
	sqlite3 *db;		/* owned */
	/* If this is not 0, scans end soon, and the statement with them. Not owned; not NULL. */
	const volatile sig_atomic_t *stop;
	bool declaring;	   /* a table of ours, which the authorizer must allow */
	int failed;	   /* enum pl_error of a table, with its cause in `err`; 0: none did */
	struct pl_err err; /* of the recording, or of the SQL */
	char hint[64];	   /* the nearest name to one that there is not; "": none is near */
	char owners[128];  /* other tables that have a column of this name; "": none has */
};

struct query_options {
	uint64_t memory_bytes;
	const volatile sig_atomic_t *stop;
};

/* 0, PL_ERR_MEMORY. To be closed also after a failure. */
int query_open(struct query *q, struct pl_recording *r, const struct query_options *options);
void query_close(struct query *q);

/* PL_ERR_ARGUMENT: q->err says what is wrong with it, and perhaps q->hint what was meant. */
int query_prepare(struct query *q, const char *sql, sqlite3_stmt **statement);
/* Call it for each column of each table, in order; with column NULL once before each table. */
typedef void query_schema_take(
	void *to, const char *table, const char *column, const char *type, const char *meaning);
void query_schema(query_schema_take *take, void *to);

#endif
