/* The walk along the path of one thread: the last stage of reading, which makes the rows.
 *
 *	block_reader.h   blocks in order            block 3 | block 4 | ...
 *	thread_path.h    what happened              TIME ENTER LINE LINE SWITCH LINE POPS | line ...
 *	path_clock.h     when, and in which order        t1    t1   t1          t1
 *	walk.h           rows                            call  line line        line      | return
 *
 * Each stage has the one before it inside, and knows no later one. Who needs no rows uses an
 * earlier stage: fast-forwards (fast_forward.h) the clock, contexts (contexts.h) the path.
 */
#ifndef PL_TRACE_WALK_H
#define PL_TRACE_WALK_H

#include "trace/path_clock.h"
#include "trace/values.h"

struct walk {
	struct path_clock clock;
	char mark[EVENT_TEXT_MAX + 1]; /* text of the last row */
	struct row_values values;      /* if somebody asks for them */
};

/* r and t are not owned, and must live as long. */
void walk_init(struct walk *w, struct pl_recording *r, struct thread_entry *t);
/* Give the next row. PL_END: there is none, so far. */
int walk_next(struct walk *w, struct pl_event *row, struct pl_err *err);
/* After PL_END, while the recording is live: as pl_cursor_possible. */
int walk_possible(struct walk *w, struct pl_event *row, struct pl_err *err);
/* Move to before a block of the thread's list, by its index. */
void walk_go_to(struct walk *w, size_t index);

/* Fill in the values of the row that was given last. 0, or PL_ERR_MEMORY. */
static inline int walk_put_values(struct walk *w, struct pl_event *row)
{
	return row_values_put(&w->values, &w->clock.path, row);
}

static inline struct thread_path *walk_path(struct walk *w)
{
	return &w->clock.path;
}
static inline const struct thread_entry *walk_thread(const struct walk *w)
{
	return w->clock.path.blocks.thread;
}

/* Free the memory of a walk that is at its end. It may continue when there is more. */
void walk_rest(struct walk *w);
void walk_release(struct walk *w);

#endif
