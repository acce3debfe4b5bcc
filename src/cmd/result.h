/* The rows of a statement: as a table for a person, CSV, JSON lines, or a table of a database.
 *
 * Rows are written as they come, so memory does not grow with their number. The columns of the text
 * are as wide as the first rows need.
 *
 * While the recording is written a statement is run again and again. Where the rows of a run begin
 * with those that were written, only the rows after them are new; a hash tells it.
 */
#ifndef PL_CMD_RESULT_H
#define PL_CMD_RESULT_H

#include <sqlite3.h>
#include "cmd/cmd.h"
#include "cmd/grid.h"
#include "cmd/text.h"

enum result_form { RESULT_TEXT, RESULT_CSV, RESULT_JSON };

struct result {
	struct cmd *cmd;	 /* not owned; whose pager is started when there are rows */
	struct out *out;	 /* not owned */
	sqlite3_stmt *statement; /* not owned */
	enum result_form form;
	bool follows;	  /* it is run again */
	uint64_t rows;	  /* out: written */
	uint64_t hash;	  /* of them, if it follows */
	struct grid grid; /* owned */
};

/* SQLITE_DONE, or what sqlite3_step said when it failed. It ends early, with SQLITE_DONE, if nobody
 * reads the output any more. */
int result_write(struct result *r);
/* The next run of it, in r->statement: the rows after those that were written; or, if these are
 * other ones now, an empty line and all rows. */
int result_write_again(struct result *r);
/* After the last run: a table without rows has its head at least. */
void result_end(struct result *r);
void result_release(struct result *r);

/* Into the table `result` of a new database. CMD_GO with *step as above; or an exit code after
 * saying why: the file is there, or cannot be written. A file that is not complete is removed. */
int result_into(struct result *r, const char *file, int *step);

#endif
