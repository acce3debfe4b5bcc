/* The table `call`: a row for each stretch that a frame is on the stack, from a call, or a resume
 * of a generator or coroutine, to its return, yield or unwind. Rows come as the stretches end; what
 * has not ended where the path ends comes last.
 *
 *	event    call f   call g   return g   unwind f
 *	stack    f        f g      f
 *	row                        g          f
 *
 * Only calls and ends are visited; where nobody asks for callers, only those of the functions that
 * are wanted. So an entry of the stack has its depth, and those below it may be missing. Each
 * greenlet has a stack of its own.
 */
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/units.h"
#include "query/feed.h"
#include "query/tables.h"
#include "query/value_json.h"

#define BEGIN_KINDS (1u << PL_EVENT_CALL | 1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW)
#define END_KINDS   (1u << PL_EVENT_RETURN | 1u << PL_EVENT_YIELD | 1u << PL_EVENT_UNWIND)

#define CALL_COLUMNS(X)                                                                            \
	X(process, INTEGER, PROCESS, "number in the recording, from 1",                            \
		put_number(out, calls->process))                                                   \
	X(thread, INTEGER, THREAD, "number in its process, from 0",                                \
		put_number(out, calls->thread))                                                    \
	X(seq, INTEGER, SEQ, "of the event with which it begins; NULL: that was not recorded",     \
		put_begin(out, row, (int64_t)row->begin.seq))                                      \
	X(time_ns, INTEGER, TIME, "when it began, ns since 1970",                                  \
		put_begin(out, row, row->begin.time_ns))                                           \
	X(begun, TEXT, PLAIN, "call; resume or throw: of a generator or coroutine",                \
		put_text(out, row->has_begin ? pl_event_kind_name(row->begin.kind) : NULL, true))  \
	X(end_seq, INTEGER, PLAIN, "of the event with which it ends; NULL: there is none",         \
		put_end(out, row, (int64_t)row->end.seq))                                          \
	X(end_ns, INTEGER, PLAIN, "when it ended", put_end(out, row, row->end.time_ns))            \
	X(ended, TEXT, PLAIN, "return, yield or unwind; NULL: no event says so",                   \
		put_text(out, row->has_end ? pl_event_kind_name(row->end.kind) : NULL, true))      \
	X(duration_ns, INTEGER, PLAIN, "from begin to end, with waits of event loops",             \
		put_duration(out, row))                                                            \
	X(error_ns, INTEGER, PLAIN, "duration_ns is at most this much too high or too low",        \
		put_duration_error(out, row))                                                      \
	X(file, TEXT, FILE, "co_filename", put_file(out, event_of(row)->code))                     \
	X(function, TEXT, FUNCTION, "co_qualname", put_function(out, event_of(row)->code))         \
	X(first_line, INTEGER, PLAIN, "co_firstlineno", put_first_line(out, event_of(row)->code))  \
	X(depth, INTEGER, PLAIN, "frames below it", put_number(out, event_of(row)->depth))         \
	X(caller_line, INTEGER, PLAIN, "line of the caller",                                       \
		put_number_or_null(out, row->has_begin && row->begin.caller_line > 0               \
						? (uint64_t)row->begin.caller_line                 \
						: 0))                                              \
	X(caller, TEXT, COSTLY, "co_qualname of the caller; NULL: none is recorded",               \
		put_function(out, row->caller))                                                    \
	X(caller_file, TEXT, COSTLY, "co_filename of the caller", put_file(out, row->caller))      \
	X(task_id, INTEGER, PLAIN, "number of the task in its process, from 1",                    \
		put_number_or_null(out, event_of(row)->task_id))                                   \
	X(generator, INTEGER, PLAIN, "identity of the generator or coroutine",                     \
		put_number_or_null(out, event_of(row)->generator))                                 \
	X(code, TEXT, CODE, "id of the code, the same in every recording of a program",            \
		put_code_id(out, event_of(row)->code))                                             \
	X(args, TEXT, VALUES, "JSON of the arguments by name: args ->> 'qty'; NULL: not kept",     \
		put_arguments(out, row))                                                           \
	X(result, TEXT, VALUES, "JSON of what it returned or yielded; NULL: not kept",             \
		put_result(out, row))

/* What a row shows. One of the two events is there. */
struct call_row {
	struct pl_event begin, end;
	const struct pl_code *caller;
	bool has_begin, has_end;
	/* owned: the bytes of begin's values, which must last longer than the event; NULL: none */
	unsigned char *kept;
};

/* A frame that is open. */
struct call_frame {
	struct pl_event begin;
	unsigned char *kept; /* as in call_row */
};

/* The stack of a greenlet, by ascending depth. */
struct call_stack {
	uint64_t greenlet;
	struct call_frame *frames; /* owned */
	size_t count, room;
};

struct calls {
	struct feed feed;
	uint32_t process, thread;  /* whose stacks these are */
	uint32_t ordinal;	   /* of the thread */
	struct call_stack *stacks; /* owned */
	size_t stack_count, stack_room;
	struct pl_map by_greenlet; /* owned: number -> index in `stacks` */
	size_t frames;		   /* in all of them */
	struct pl_event event;	   /* the last one, if has_event */
	/* has_event: it still is to be worked on; over: it is of another thread, or there
	 * is none */
	bool has_event, over, done;
	bool past; /* what begins now is after the bounds */
	struct call_row row;
};

static const struct query_column call_columns[] = {CALL_COLUMNS(QUERY_COLUMN)};

/* ---- cells ---- */

static const struct pl_event *event_of(const struct call_row *row)
{
	return row->has_begin ? &row->begin : &row->end;
}

static void put_begin(sqlite3_context *out, const struct call_row *row, int64_t number)
{
	if (row->has_begin)
		put_number(out, number);
}

static void put_end(sqlite3_context *out, const struct call_row *row, int64_t number)
{
	if (row->has_end)
		put_number(out, number);
}

static void put_duration(sqlite3_context *out, const struct call_row *row)
{
	if (row->has_begin && row->has_end)
		put_number(out, row->end.time_ns - row->begin.time_ns);
}

static void put_duration_error(sqlite3_context *out, const struct call_row *row)
{
	const int64_t begin = row->begin.time_error_ns, end = row->end.time_error_ns;
	const int64_t duration = units_between(row->begin.time_ns, row->end.time_ns);

	if (!row->has_begin || !row->has_end || end == INT64_MAX)
		return;
	const int64_t high = begin < duration ? begin : duration;
	put_number(out, high > end ? high : end);
}

static void put_arguments(sqlite3_context *out, const struct call_row *row)
{
	struct pl_buf json = {0};

	if (!row->has_begin || row->begin.kind != PL_EVENT_CALL || !row->begin.values.at)
		return;
	value_json_arguments(&json, row->begin.code, row->begin.values);
	put_json(out, &json);
}

static void put_result(sqlite3_context *out, const struct call_row *row)
{
	struct pl_values rest = row->end.values;
	struct pl_buf json = {0};
	struct pl_value value;

	if (!row->has_end || pl_values_next(&rest, &value))
		return;
	value_json(&json, &value);
	put_json(out, &json);
}

static void call_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { CALL_COLUMNS(QUERY_INDEX) };
	const struct calls *calls = c->state;
	const struct call_row *row = &calls->row;

	switch (column) {
		CALL_COLUMNS(QUERY_CELL)
	}
}

/* ---- stacks ---- */

/* The stack of the event's greenlet; NULL: no memory. */
static struct call_stack *stack_of(struct calls *calls, uint64_t greenlet)
{
	const uint64_t *known = map_find(&calls->by_greenlet, greenlet);

	if (known)
		return &calls->stacks[*known];
	struct call_stack *stacks =
		array_room(calls->stacks, calls->stack_count, &calls->stack_room, sizeof *stacks);
	if (!stacks)
		return NULL;
	calls->stacks = stacks;
	uint64_t *index = map_put(&calls->by_greenlet, greenlet);
	if (!index)
		return NULL;
	*index = calls->stack_count++;
	calls->stacks[*index] = (struct call_stack){.greenlet = greenlet};
	return &calls->stacks[*index];
}

/* The event's texts and values are not valid for as long as the frame: values are copied. */
static int keep_begin(struct call_frame *frame, const struct pl_event *e)
{
	*frame = (struct call_frame){.begin = *e};
	frame->begin.task = NULL;
	if (!e->values.bytes)
		return 0;
	frame->kept = malloc(e->values.bytes);
	if (!frame->kept)
		return PL_ERR_MEMORY;
	memcpy(frame->kept, e->values.at, e->values.bytes);
	frame->begin.values.at = frame->kept;
	return 0;
}

static int push(struct calls *calls, struct call_stack *stack, const struct pl_event *e)
{
	struct call_frame *frames =
		array_room(stack->frames, stack->count, &stack->room, sizeof *frames);

	if (!frames)
		return PL_ERR_MEMORY;
	stack->frames = frames;
	int code = keep_begin(&stack->frames[stack->count], e);
	if (code == 0) {
		stack->count++;
		calls->frames++;
	}
	return code;
}

/* The frame below it, if that is known. */
static const struct pl_code *caller_of(const struct call_stack *stack, uint32_t depth)
{
	const struct pl_event *below = stack->count ? &stack->frames[stack->count - 1].begin : NULL;

	return below && below->depth + 1 == depth ? below->code : NULL;
}

/* The top frame ends, with `e` or without an event: a row. */
static void pop(struct calls *calls, struct call_stack *stack, const struct pl_event *e)
{
	struct call_row *row = &calls->row;
	const struct call_frame *frame = &stack->frames[--stack->count];

	*row = (struct call_row){.begin = frame->begin,
		.kept = frame->kept,
		.has_begin = true,
		.has_end = e != NULL};
	if (e)
		row->end = *e;
	row->caller = caller_of(stack, row->begin.depth);
	calls->frames--;
}

static void forget_stacks(struct calls *calls)
{
	for (size_t i = 0; i < calls->stack_count; i++) {
		while (calls->stacks[i].count)
			free(calls->stacks[i].frames[--calls->stacks[i].count].kept);
		free(calls->stacks[i].frames);
	}
	calls->stack_count = calls->frames = 0;
	map_release(&calls->by_greenlet);
}

/* ---- from events to rows ---- */

/* Whether a begin is after the bounds, when none of the wanted ones is open any more. */
static bool is_past(struct calls *calls, const struct query_scope *scope)
{
	const struct pl_event *e = &calls->event;

	if (e->time_ns > scope->time.to ||
		(scope->seq.to < INT64_MAX && (int64_t)e->seq > scope->seq.to))
		calls->past = true;
	return calls->past;
}

/* A frame begins. 0, or 1: a frame above ended without an event, and has its row first. */
static int take_begin(
	struct calls *calls, struct call_stack *stack, const struct query_scope *scope)
{
	if (stack->count && stack->frames[stack->count - 1].begin.depth >= calls->event.depth) {
		pop(calls, stack, NULL);
		return 1;
	}
	calls->has_event = false;
	if (!is_past(calls, scope))
		return push(calls, stack, &calls->event);
	if (!calls->frames)
		feed_skip_thread(&calls->feed);
	return 0;
}

/* A frame ends: 1, there is a row; 0, it is one that began after the bounds. */
static int take_end(struct calls *calls, struct call_stack *stack)
{
	const struct pl_event *e = &calls->event;
	const struct pl_event *top = stack->count ? &stack->frames[stack->count - 1].begin : NULL;

	if (top && top->depth > e->depth) {
		pop(calls, stack, NULL);
		return 1;
	}
	calls->has_event = false;
	if (top && top->depth == e->depth && top->code == e->code) {
		pop(calls, stack, e);
		return 1;
	}
	if (calls->past)
		return 0;
	calls->row =
		(struct call_row){.end = *e, .has_end = true, .caller = caller_of(stack, e->depth)};
	return 1;
}

/* The path of the thread is over: 1, a row of what is left; 0, none is. */
static int take_rest(struct calls *calls)
{
	while (calls->stack_count) {
		struct call_stack *stack = &calls->stacks[calls->stack_count - 1];
		if (stack->count) {
			pop(calls, stack, NULL);
			return 1;
		}
		free(stack->frames);
		calls->stack_count--;
	}
	forget_stacks(calls);
	return 0;
}

/* Read an event. */
static int read_event(struct calls *calls)
{
	int code = feed_next(&calls->feed, &calls->event);
	const struct pl_position *at = &calls->event.position;

	if (code < 0)
		return code;
	calls->done = code == PL_END;
	calls->has_event = code == 0;
	calls->over = calls->done || at->process != calls->process || at->thread != calls->thread;
	return 0;
}

/* 1: there is a row; 0: go on; or an error. */
static int take_event(struct calls *calls, const struct query_scope *scope)
{
	if (calls->over) {
		if (take_rest(calls))
			return 1;
		calls->process = calls->event.position.process;
		calls->thread = calls->event.position.thread;
		calls->ordinal = calls->feed.ordinal;
		calls->over = calls->past = false;
		return 0;
	}
	if (!calls->has_event)
		return read_event(calls);
	struct call_stack *stack = stack_of(calls, calls->event.greenlet);
	if (!stack)
		return PL_ERR_MEMORY;
	return BEGIN_KINDS >> calls->event.kind & 1 ? take_begin(calls, stack, scope)
						    : take_end(calls, stack);
}

/* ---- scans ---- */

/* Callers are on the stack only if all calls were seen, from the start. */
static int call_open(struct query_cursor *c)
{
	struct calls *calls = c->state;

	calls->feed = (struct feed){.q = c->q,
		.scope = &c->scope,
		.kinds = BEGIN_KINDS | END_KINDS,
		.all_codes = c->scope.costly,
		.unbounded = c->scope.costly,
		.values = c->scope.values,
		.open_end = true};
	calls->over = true;
	return read_event(calls);
}

static int call_next(struct query_cursor *c)
{
	struct calls *calls = c->state;
	int code = 0;

	free(calls->row.kept);
	calls->row.kept = NULL;
	while (code == 0) {
		if (calls->done && !calls->over)
			return PL_END;
		code = take_event(calls, &c->scope);
	}
	if (code < 0)
		return code;
	c->row = row_of_thread(
		calls->ordinal, event_of(&calls->row)->seq << 1 | (uint64_t)calls->row.has_begin);
	return 0;
}

static void call_close(struct query_cursor *c)
{
	struct calls *calls = c->state;

	feed_release(&calls->feed);
	free(calls->row.kept);
	forget_stacks(calls);
	free(calls->stacks);
}

static double call_estimate(const struct query *q)
{
	return query_event.estimate(q) / 4;
}

const struct query_table query_call = {
	.name = "call",
	.meaning = "each call, and each stretch of a generator or coroutine, as they end",
	.columns = call_columns,
	.column_count = sizeof call_columns / sizeof *call_columns,
	.state_bytes = sizeof(struct calls),
	.estimate = call_estimate,
	.open = call_open,
	.next = call_next,
	.cell = call_cell,
	.close = call_close,
};
