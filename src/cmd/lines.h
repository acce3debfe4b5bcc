/* The path for a person: the date, then a line for each event, with its time, its thread, and what
 * happened, indented by depth. On a terminal lines are cut at its width.
 *
 *	2026-11-21
 *	10:52:01.120031 MainThread     12  orders = asyncio.Queue()
 *	10:52:01.120031 MainThread     call serve  examples/orders.py:40  from line 12
 *	10:52:01.120090 MainThread       41  server = await asyncio.start_server(…)
 *	10:52:01.120090 MainThread       42  left = 3 * 4    left = 12
 *
 * Text from the recording is cleaned: no byte of it controls the terminal.
 */
#ifndef PL_CMD_LINES_H
#define PL_CMD_LINES_H

#include "cmd/text.h"
#include "os/local.h"
#include "pathline/pathline.h"

/* Ready if all zero except out and r. Nothing to release. */
struct lines {
	struct out *out;	/* not owned */
	struct pl_recording *r; /* not owned */
	unsigned columns;	/* names and indents leave room for the text; 0: those of out */
	bool only_rows; /* no lines for date and process; for rows that are asked for one by one */
	/* of the last event */
	const struct pl_process *process;
	const struct pl_thread *thread;
	int64_t second; /* the one that `clock` shows */
	char clock[LOCAL_BYTES], date[LOCAL_BYTES];
	size_t name_width;
	/* the row of a line is not ended yet: what the line changed comes with the next event */
	bool open;
	bool unsure; /* its place among other threads' rows is not known */
	struct pl_event open_at;
};

void lines_write(struct lines *w, const struct pl_event *e);
/* A row of a source, at this depth. unsure: events before it may also be after it. */
void lines_source(struct lines *w, const struct pl_source_row *row, uint32_t depth, bool unsure);
/* After the row of the gap at which a running program was attached, which c gave: the frames that
 * were found on the thread's stack, with the lines at which they stood. */
void lines_write_stack(struct lines *w, const struct pl_event *gap, const struct pl_cursor *c);
/* After the last row, unless they are only_rows. */
void lines_end(struct lines *w);

#endif
