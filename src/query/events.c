/* The tables of which a row is an event: `event`, and `exception`, which has each place at which an
 * exception arises or arrives. */
#include <stdio.h>
#include "query/feed.h"
#include "query/tables.h"
#include "query/value_json.h"

/* What both have. `e` is the event. */
#define PLACE_COLUMNS(X)                                                                           \
	X(process, INTEGER, PROCESS, "number in the recording, from 1",                            \
		put_number(out, e->position.process))                                              \
	X(thread, INTEGER, THREAD, "number in its process, from 0",                                \
		put_number(out, e->position.thread))                                               \
	X(seq, INTEGER, SEQ, "counts the thread's events from 0: `replay --at '#SEQ'` goes there", \
		put_number(out, (int64_t)e->seq))                                                  \
	X(time_ns, INTEGER, TIME, "ns since 1970; it never goes back within a thread",             \
		put_number(out, e->time_ns))                                                       \
	X(error_ns, INTEGER, PLAIN, "the event was at time_ns, or up to so much later",            \
		put_error(out, e))

#define CODE_COLUMNS(X)                                                                            \
	X(file, TEXT, FILE, "co_filename of the frame's code", put_file(out, e->code))             \
	X(function, TEXT, FUNCTION, "co_qualname", put_function(out, e->code))                     \
	X(first_line, INTEGER, PLAIN, "co_firstlineno", put_first_line(out, e->code))              \
	X(line, INTEGER, LINE, "where the frame stands; 0: no line", put_number(out, e->line))     \
	X(depth, INTEGER, PLAIN, "frames below it", put_number(out, e->depth))                     \
	X(task, TEXT, PLAIN, "name of the task: of asyncio, trio, or a greenlet",                  \
		put_task(out, e))                                                                  \
	X(task_id, INTEGER, PLAIN, "number of the task in its process, from 1",                    \
		put_number_or_null(out, e->task_id))                                               \
	X(code, TEXT, CODE, "id of the code, the same in every recording of a program",            \
		put_code_id(out, e->code))                                                         \
	X(source, TEXT, PLAIN, "text of the line, as it ran",                                      \
		put_source(out, c->q, e->code, e->line))

#define EVENT_COLUMNS(X)                                                                           \
	PLACE_COLUMNS(X)                                                                           \
	X(kind, TEXT, KIND,                                                                        \
		"call, line, return, yield, resume, throw, unwind, raise, reraise, "               \
		"handled, gap, mark, again, outside",                                              \
		put_text(out, pl_event_kind_name(e->kind), true))                                  \
	CODE_COLUMNS(X)                                                                            \
	X(type, TEXT, PLAIN, "type of the exception; reason of a gap; text of a mark",             \
		put_text(out, e->type, false))                                                     \
	X(caller_line, INTEGER, PLAIN, "of call, resume, throw, outside: the caller's line",       \
		put_number_or_null(out, (uint64_t)(e->caller_line > 0 ? e->caller_line : 0)))      \
	X(generator, INTEGER, PLAIN, "identity of a generator's or coroutine's frame",             \
		put_number_or_null(out, e->generator))                                             \
	X(greenlet, INTEGER, PLAIN, "number of the greenlet on whose stack the frame is",          \
		put_number_or_null(out, e->greenlet))                                              \
	X(order_from, INTEGER, PLAIN,                                                              \
		"its place among the other threads' events: after so many "                        \
		"switches of threads, at the earliest",                                            \
		put_number(out, (int64_t)e->order_from))                                           \
	X(order_to, INTEGER, PLAIN, "the same, at the latest; mostly equal",                       \
		put_number(out, (int64_t)e->order))                                                \
	X(idle_ns, INTEGER, PLAIN, "for which the event loop waited before it",                    \
		put_number_or_null(out, (uint64_t)(e->idle_ns > 0 ? e->idle_ns : 0)))              \
	X(lost, INTEGER, PLAIN, "of a gap: events lost",                                           \
		put_number_or_null(out, e->kind == PL_EVENT_GAP ? e->lost : 0))                    \
	X(block, INTEGER, PLAIN, "number of its block in the thread, from 0",                      \
		put_number(out, e->position.block))                                                \
	X(event_number, INTEGER, PLAIN, "its number in the block, from 0",                         \
		put_number(out, e->position.event))

#define EXCEPTION_COLUMNS(X)                                                                       \
	PLACE_COLUMNS(X)                                                                           \
	X(type, TEXT, PLAIN, "type of the exception", put_text(out, e->type, false))               \
	X(arrives, INTEGER, PLAIN, "1: from a frame that it left; 0: it arises here",              \
		put_number(out, events->arrives))                                                  \
	CODE_COLUMNS(X)                                                                            \
	X(args, TEXT, VALUES, "JSON of its arguments: args ->> 0; NULL: not kept",                 \
		put_exception_arguments(out, e))

struct events {
	struct feed feed;
	struct pl_event event;
	/* of `exception`: the last frame that an exception left */
	struct pl_event left;
	bool has_left, arrives;
};

static void put_error(sqlite3_context *out, const struct pl_event *e)
{
	if (e->time_error_ns < INT64_MAX)
		put_number(out, e->time_error_ns);
}

/* Of a gap it is not always known (feed.h), so it never is. */
static void put_task(sqlite3_context *out, const struct pl_event *e)
{
	put_text(out, e->kind == PL_EVENT_GAP ? NULL : e->task, false);
}

static void put_exception_arguments(sqlite3_context *out, const struct pl_event *e)
{
	struct pl_values rest = e->values;
	struct pl_value exception, arguments;
	struct pl_buf json = {0};

	if (pl_values_next(&rest, &exception) || exception.kind != PL_VALUE_EXCEPTION ||
		pl_values_next(&exception.members, &arguments))
		return;
	value_json(&json, &arguments);
	put_json(out, &json);
}

static int open_events(struct query_cursor *c, uint32_t kinds)
{
	struct events *events = c->state;

	events->feed.q = c->q;
	events->feed.scope = &c->scope;
	events->feed.kinds = kinds;
	events->feed.values = c->scope.values;
	return 0;
}

static void events_close(struct query_cursor *c)
{
	feed_release(&((struct events *)c->state)->feed);
}

/* The kinds are told apart, because gaps have the seq of the event after them. */
static int64_t row_of_event(const struct events *events)
{
	const struct pl_event *e = &events->event;
	const uint64_t gap = e->kind == PL_EVENT_GAP ? (uint64_t)e->gap << 58 : 0;

	return row_of_thread(events->feed.ordinal, (e->seq << 4 | (uint64_t)e->kind) ^ gap);
}
_Static_assert(PL_EVENT_KIND_COUNT <= 16, "a kind has four bits");

/* ---- event ---- */

static const struct query_column event_columns[] = {EVENT_COLUMNS(QUERY_COLUMN)};

static int event_open(struct query_cursor *c)
{
	return open_events(c, UINT32_MAX >> (32 - PL_EVENT_KIND_COUNT));
}

static int event_next(struct query_cursor *c)
{
	struct events *events = c->state;

	int code = feed_next(&events->feed, &events->event);

	if (code == 0)
		c->row = row_of_event(events);
	return code;
}

static void event_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { EVENT_COLUMNS(QUERY_INDEX) };
	const struct pl_event *e = &((struct events *)c->state)->event;

	switch (column) {
		EVENT_COLUMNS(QUERY_CELL)
	}
}

static double sum_of_kinds(const struct query *q, uint32_t kinds)
{
	const struct pl_process *p;
	double sum = 0;

	for (uint32_t i = 0; (p = pl_recording_process(q->r, i)); i++)
		for (uint32_t n = 0; n < p->thread_count; n++) {
			const struct pl_thread *t = pl_recording_thread(q->r, p->number, n);
			for (int kind = 0; t && kind < PL_EVENT_KIND_COUNT; kind++)
				if (kinds >> kind & 1)
					sum += (double)t->counts[kind];
		}
	return sum;
}

static double event_estimate(const struct query *q)
{
	return sum_of_kinds(q, UINT32_MAX);
}

const struct query_table query_event = {
	.name = "event",
	.meaning = "each event of the path: thread by thread, in the order in which they ran",
	.columns = event_columns,
	.column_count = sizeof event_columns / sizeof *event_columns,
	.state_bytes = sizeof(struct events),
	.estimate = event_estimate,
	.by_seq = true,
	.open = event_open,
	.next = event_next,
	.cell = event_cell,
	.close = events_close,
};

/* ---- exception ---- */

#define RAISE_BIT  (1u << PL_EVENT_RAISE)
#define UNWIND_BIT (1u << PL_EVENT_UNWIND)

static const struct query_column exception_columns[] = {EXCEPTION_COLUMNS(QUERY_COLUMN)};

/* The frame that the exception left can be of any code, just before the bounds. */
static int exception_open(struct query_cursor *c)
{
	struct feed *feed = &((struct events *)c->state)->feed;

	feed->all_codes = true;
	feed->earlier = 1;
	return open_events(c, RAISE_BIT | UNWIND_BIT);
}

static bool is_same_thread(const struct pl_event *a, const struct pl_event *b)
{
	return a->position.process == b->position.process &&
	       a->position.thread == b->position.thread;
}

static int exception_next(struct query_cursor *c)
{
	struct events *events = c->state;
	struct pl_event *e = &events->event;
	int code;

	while ((code = feed_next(&events->feed, e)) == 0 && e->kind != PL_EVENT_RAISE) {
		events->left = *e;
		events->has_left = true;
	}
	if (code == 0) {
		c->row = row_of_event(events);
		events->arrives = events->has_left && is_same_thread(e, &events->left) &&
				  events->left.seq + 1 == e->seq &&
				  events->left.depth == e->depth + 1;
	}
	return code;
}

static void exception_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { EXCEPTION_COLUMNS(QUERY_INDEX) };
	const struct events *events = c->state;
	const struct pl_event *e = &events->event;

	switch (column) {
		EXCEPTION_COLUMNS(QUERY_CELL)
	}
}

static double exception_estimate(const struct query *q)
{
	return sum_of_kinds(q, RAISE_BIT);
}

const struct query_table query_exception = {
	.name = "exception",
	.meaning = "each frame in which an exception arises, or at which it arrives",
	.columns = exception_columns,
	.column_count = sizeof exception_columns / sizeof *exception_columns,
	.state_bytes = sizeof(struct events),
	.estimate = exception_estimate,
	.by_seq = true,
	.open = exception_open,
	.next = exception_next,
	.cell = exception_cell,
	.close = events_close,
};
