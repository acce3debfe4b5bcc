/* The rows of `history`: a sighting a row, as a table for a person, CSV, or JSON lines. */
#ifndef PL_CMD_HISTORY_ROWS_H
#define PL_CMD_HISTORY_ROWS_H

#include "cmd/grid.h"
#include "cmd/sightings.h"

enum history_form { HISTORY_TEXT, HISTORY_CSV, HISTORY_JSON };

struct history_rows {
	/* in */
	struct cmd *cmd;
	struct out *out;
	struct pl_recording *r;
	enum history_form form;
	const char *name; /* as it was asked for */
	bool parts;	  /* rows are of parts of objects: which ones is shown */
	bool processes;	  /* there are several: which one is shown */
	/* own */
	struct grid grid;
	bool failed; /* no memory */
};

/* Each gives CMD_GO, or CMD_BAD after saying why. */
int history_rows_open(struct history_rows *h);
int history_rows_write(struct history_rows *h, const struct sighting *s);
int history_rows_end(struct history_rows *h);
void history_rows_release(struct history_rows *h);

#endif
