/* The API over the two ways along a path: that of one thread (walk.h), or of all threads of a
 * process in order (order.h). A caller's mistake has a stable name, `pre:cursor-...`, which a test
 * provokes. */
#include "pathline/cursor.h"

#include <inttypes.h>
#include <stdlib.h>
#include "trace/counts.h"
#include "trace/order.h"
#include "trace/seek.h"

struct pl_cursor {
	struct pl_recording *r; /* not owned */
	bool all_threads;
	bool wants_values;
	struct walk walk;   /* of one thread */
	struct order order; /* of all */
};

static int start_cursor(struct pl_cursor *c, uint32_t process, uint32_t thread, struct pl_err *err)
{
	struct process_entry *p = recording_find_process(c->r, process);
	struct thread_entry *t = recording_find_thread(c->r, process, thread);

	c->all_threads = thread == PL_ALL_THREADS;
	if (!p)
		return pl_err_cause(err, PL_ERR_NOT_FOUND, "there is no process %" PRIu32, process);
	if (c->all_threads) {
		c->order = (struct order){.r = c->r, .process = p};
		return 0;
	}
	if (!t)
		return pl_err_cause(err, PL_ERR_NOT_FOUND,
			"process %" PRIu32 " has no thread %" PRIu32, process, thread);
	walk_init(&c->walk, c->r, t);
	return 0;
}

int pl_cursor_new(struct pl_cursor **out, struct pl_recording *r, uint32_t process, uint32_t thread,
	struct pl_err *err)
{
	struct pl_cursor *c = calloc(1, sizeof *c);
	int code;

	if (!c)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a cursor");
	c->r = r;
	code = start_cursor(c, process, thread, err);
	if (code) {
		free(c);
		return code;
	}
	*out = c;
	return 0;
}

void pl_cursor_free(struct pl_cursor *c)
{
	if (!c)
		return;
	walk_release(&c->walk);
	order_release(&c->order);
	free(c);
}

static int put_values(struct pl_cursor *c, struct pl_event *event, struct pl_err *err)
{
	int code = walk_put_values(c->all_threads ? c->order.last : &c->walk, event);

	return code ? pl_err_cause(err, code, "no memory for the values of an event") : 0;
}

/* Within this folder an event has the code whose plan was in force; a caller sees the first of
 * them. */
int pl_cursor_next(struct pl_cursor *c, struct pl_event *event, struct pl_err *err)
{
	int code = c->all_threads ? order_next(&c->order, event, err)
				  : walk_next(&c->walk, event, err);

	if (code == 0 && c->wants_values)
		code = put_values(c, event, err);
	if (code == 0)
		event->code = code_first(event->code);
	return code;
}

void pl_cursor_want_values(struct pl_cursor *c, bool wanted)
{
	c->wants_values = wanted;
}

int pl_cursor_possible(struct pl_cursor *c, struct pl_event *event, struct pl_err *err)
{
	if (c->all_threads)
		return pl_err_cause(err, PL_ERR_ARGUMENT,
			"pre:cursor-possible:one-thread: where a path may go on is a matter of one "
			"thread");
	int code = walk_possible(&c->walk, event, err);

	if (code == 0)
		event->code = code_first(event->code);
	return code;
}

int pl_cursor_seek_time(struct pl_cursor *c, int64_t time_ns, struct pl_err *err)
{
	return c->all_threads ? order_seek_time(&c->order, time_ns, err)
			      : walk_seek_time(&c->walk, time_ns, err);
}

int pl_cursor_seek_seq(struct pl_cursor *c, uint64_t seq, struct pl_err *err)
{
	if (c->all_threads)
		return pl_err_cause(err, PL_ERR_ARGUMENT,
			"pre:cursor-seek-seq:one-thread: seq counts the events of one thread");
	return walk_seek_seq(&c->walk, seq, err);
}

int pl_cursor_seek_position(struct pl_cursor *c, const struct pl_position *p, struct pl_err *err)
{
	if (c->all_threads)
		return pl_err_cause(err, PL_ERR_ARGUMENT,
			"pre:cursor-seek-position:one-thread: a position lies in one thread");
	if (p->process != walk_thread(&c->walk)->public.process ||
		p->thread != walk_thread(&c->walk)->public.number)
		return pl_err_cause(err, PL_ERR_ARGUMENT,
			"pre:cursor-seek-position:same-thread: the position lies in another "
			"thread");
	return walk_seek_position(&c->walk, p, err);
}

struct count {
	struct pl_counts *counts;
	struct fast_forward_limit limit;
};

static int count_walk(struct walk *w, void *context, struct pl_err *err)
{
	const struct count *count = context;

	return counts_walk(count->counts, w, &count->limit, err);
}

int pl_cursor_count(
	struct pl_cursor *c, struct pl_counts *counts, int64_t to_ns, struct pl_err *err)
{
	struct count count = {.counts = counts,
		.limit = {.ticks = walk_ticks_of(c->r, to_ns), .seq = UINT64_MAX}};
	int code;

	if (counts_recording(counts) != c->r)
		return pl_err_cause(err, PL_ERR_ARGUMENT,
			"pre:cursor-count:same-recording: the counts are of another recording");
	code = c->all_threads ? order_move(&c->order, count_walk, &count, err)
			      : count_walk(&c->walk, &count, err);
	return code == PL_END ? 0 : code;
}

int pl_cursor_count_to_seq(
	struct pl_cursor *c, struct pl_counts *counts, uint64_t seq, struct pl_err *err)
{
	const struct fast_forward_limit limit = {.ticks = UINT64_MAX, .seq = seq};

	if (c->all_threads || counts_recording(counts) != c->r)
		return pl_err_cause(err, PL_ERR_ARGUMENT,
			"pre:cursor-count-to-seq:one-thread: seq counts the events of one thread "
			"of "
			"the recording of the counts");
	int code = counts_walk(counts, &c->walk, &limit, err);
	return code == PL_END ? 0 : code;
}

size_t pl_cursor_stack(const struct pl_cursor *c, struct pl_frame *frames, size_t max)
{
	if (!c->all_threads)
		return thread_path_stack(&c->walk.clock.path, frames, max);
	return c->order.last ? thread_path_stack(&c->order.last->clock.path, frames, max) : 0;
}
