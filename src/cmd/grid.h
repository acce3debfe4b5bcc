/* A grid: rows of cells as aligned text, which are written as they come.
 *
 *	grid_open(&g, cmd, out, names, 3)
 *	grid_cell(&g, "book", false)        three for each row
 *	grid_end(&g)
 *
 * The first rows are kept until their columns are measured; then the pager is started, and all are
 * written. So memory does not grow with the number of rows, and what takes long can be stopped
 * before the pager has the terminal.
 */
#ifndef PL_CMD_GRID_H
#define PL_CMD_GRID_H

#include "base/buf.h"
#include "cmd/cmd.h"
#include "cmd/text.h"

struct grid {
	struct cmd *cmd;	  /* not owned */
	struct out *out;	  /* not owned */
	size_t *widths;		  /* owned: of each column */
	bool *left;		  /* owned: it has a text, so it is aligned left */
	struct pl_buf kept;	  /* owned: names, then cells; each ends with NUL */
	unsigned columns, column; /* column: of the next cell */
	size_t rows;		  /* that are complete */
	bool written;		  /* those that were kept */
};

/* The names are copied. false: no memory. To be released in any case. */
bool grid_open(struct grid *g, struct cmd *cmd, struct out *out, const char *const *names,
	unsigned columns);
/* The next cell of a row. NULL: there is none; "-" is shown. false: no memory. */
bool grid_cell(struct grid *g, const char *text, bool number);
/* There are no more rows. */
void grid_end(struct grid *g);
void grid_release(struct grid *g);

#endif
