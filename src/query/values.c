/* The table `value`: the values that were kept of events (record --values), one a row. Of a list or
 * an object it has the text, as Python's repr would write it; its members have no rows.
 *
 *	SELECT text, count(*) FROM value WHERE function = 'book' AND name = 'order' GROUP BY text
 *	SELECT written_line, text FROM value('left')     arguments and variables of that name
 *
 * An event has its values first, then the variables of its frame. With a name only events are read
 * that can have it: calls of code with such an argument, and what shows variables.
 */
#include <string.h>
#include "pathline/values.h"
#include "query/feed.h"
#include "query/tables.h"
#include "query/value_json.h"
#include "session/binds.h"
#include "session/frame_path.h"
#include "session/value_path.h"

#define VALUE_TEXT_BYTES 65536
#define ARGUMENTS_MAX	 64

#define VALUE_COLUMNS(X)                                                                           \
	X(process, INTEGER, PROCESS, "number in the recording, from 1",                            \
		put_number(out, e->position.process))                                              \
	X(thread, INTEGER, THREAD, "number in its process, from 0",                                \
		put_number(out, e->position.thread))                                               \
	X(seq, INTEGER, SEQ, "of its event", put_number(out, (int64_t)e->seq))                     \
	X(time_ns, INTEGER, TIME, "of its event, ns since 1970", put_number(out, e->time_ns))      \
	X(kind, TEXT, KIND,                                                                        \
		"of its event; that of a line has variables, that of a return also the result",    \
		put_text(out, pl_event_kind_name(e->kind), true))                                  \
	X(file, TEXT, FILE, "co_filename", put_file(out, e->code))                                 \
	X(function, TEXT, FUNCTION, "co_qualname", put_function(out, e->code))                     \
	X(first_line, INTEGER, PLAIN, "co_firstlineno", put_first_line(out, e->code))              \
	X(line, INTEGER, LINE, "at which the frame is, and which has not run yet",                 \
		put_number(out, e->line))                                                          \
	X(written_line, INTEGER, PLAIN,                                                            \
		"of a variable that has changed: the line that wrote it; NULL: not known",         \
		put_written_line(out, c))                                                          \
	X(number, INTEGER, PLAIN, "among the values of the event, from 0",                         \
		put_number(out, (int64_t)values->number))                                          \
	X(part, TEXT, PLAIN,                                                                       \
		"argument (of a call), sent (resume), result (return, yield), exception (raise, "  \
		"reraise, throw), or variable",                                                    \
		put_text(out, part_of(values), true))                                              \
	X(name, TEXT, NAMED, "of the argument or the variable", put_value_name(out, values))       \
	X(type, TEXT, PLAIN, "int, str, list, object, and so on",                                  \
		put_text(out, pl_value_kind_name(values->value.kind), true))                       \
	X(class, TEXT, PLAIN, "name of its class, if type does not say it",                        \
		put_part(out, values->value.type))                                                 \
	X(text, TEXT, PLAIN, "as Python's repr would write it", put_repr(out, &values->value))     \
	X(json, TEXT, PLAIN, "as JSON: json ->> '$.item', json_array_length(json)",                \
		put_value_json(out, &values->value))                                               \
	X(integer, INTEGER, PLAIN, "of an int of at most 64 bits, and of a bool",                  \
		put_integer(out, &values->value))                                                  \
	X(real, REAL, PLAIN, "of a float", put_real(out, &values->value))                          \
	X(length, INTEGER, PLAIN, "members, characters or bytes that it had",                      \
		put_number_or_null(out, values->value.length))                                     \
	X(id, INTEGER, PLAIN, "tells two objects apart while both are alive",                      \
		put_number_or_null(out, values->value.id))                                         \
	X(changed, INTEGER, PLAIN,                                                                 \
		"of a variable: 1: since the frame's event before; 0: it is told once more",       \
		put_changed(out, values))                                                          \
	X(code, TEXT, CODE, "id of the code", put_code_id(out, e->code))                           \
	X(named, TEXT, CALLED, "hidden: value('qty') is WHERE named = 'qty', as name = 'qty' is",  \
		put_value_name(out, values))

struct values {
	struct feed feed;
	struct pl_event event;
	struct pl_values rest; /* of the event, or of its variables */
	struct pl_value value;
	size_t number;		 /* of the next one, and while a row is shown of this one */
	bool some;		 /* a value of this event was given */
	bool variable;		 /* it is one */
	size_t variables;	 /* the number of the event's first one */
	struct pl_event before;	 /* the one that was read before this one */
	struct frame_path frame; /* for what wrote a variable */
};

static const struct query_column value_columns[] = {VALUE_COLUMNS(QUERY_COLUMN)};

/* ---- cells ---- */

static void put_part(sqlite3_context *out, struct pl_text text)
{
	if (text.at && text.length)
		sqlite3_result_text64(out, text.at, text.length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static const char *part_of(const struct values *values)
{
	switch (values->event.kind) {
	case PL_EVENT_CALL:
		return "argument";
	case PL_EVENT_RESUME:
		return "sent";
	case PL_EVENT_RETURN:
	case PL_EVENT_YIELD:
		return values->variable ? "variable" : "result";
	default:
		return values->variable ? "variable" : "exception";
	}
}

static bool is_changed(const struct values *values)
{
	const unsigned flags = values->event.variables.flags;

	return values->variable && (!(flags & PL_VALUES_ALL) || values->number - values->variables <
									PL_VALUES_CHANGED(flags));
}

static void put_changed(sqlite3_context *out, const struct values *values)
{
	if (values->variable)
		put_number(out, is_changed(values));
}

/* The event of the frame before this one. Mostly that was read last; else the frame is gone back
 * in, which takes about a millisecond. NULL: it is lost, or there is none. */
static const struct pl_event *event_before(struct values *values, struct query *q)
{
	const struct pl_event *e = &values->event, *b = &values->before;
	const struct pl_event *before = NULL;

	if (b->code == e->code && b->depth == e->depth && b->generator == e->generator &&
		b->position.process == e->position.process &&
		b->position.thread == e->position.thread && b->seq + 1 == e->seq &&
		!PL_VALUES_MORE(b->variables.flags))
		return b;
	values->frame.r = q->r;
	values->frame.stop = q->stop;
	frame_path_begin(&values->frame, e, e->depth);
	do
		if (frame_path_back(&values->frame, &before, NULL))
			return NULL;
	while (before->seq >= e->seq && before->kind != PL_EVENT_GAP);
	return before->kind == PL_EVENT_GAP ? NULL : before;
}

/* As `history` says it: that at which the frame was before, if it can have bound the name. What a
 * frame has before its first line, or had no room in the event before, others wrote. */
static int32_t line_before(struct values *values, struct query *q)
{
	const struct pl_event *e = &values->event, *before = event_before(values, q);
	const bool begins = e->kind == PL_EVENT_LINE || e->kind == PL_EVENT_AGAIN;

	if (!before)
		return 0;
	if (before->kind == PL_EVENT_CALL)
		return begins ? 0 : e->line;
	if (PL_VALUES_MORE(before->variables.flags) &&
		!value_name_is_among(before->variables, values->value.name))
		return 0;
	return before->line;
}

static void put_written_line(sqlite3_context *out, struct query_cursor *c)
{
	struct values *values = c->state;
	const int32_t line = is_changed(values) ? line_before(values, c->q) : 0;

	if (line > 0 &&
		binds_value(c->q->r, values->event.code, line, &values->value, values->value.name))
		put_number(out, line);
}

static void put_value_name(sqlite3_context *out, const struct values *values)
{
	struct pl_argument arguments[ARGUMENTS_MAX];
	const struct pl_event *e = &values->event;

	if (values->variable)
		put_part(out, values->value.name);
	if (e->kind != PL_EVENT_CALL || !e->code)
		return;
	const size_t count = pl_code_arguments(e->code, arguments, ARGUMENTS_MAX);
	if (values->number < count && values->number < ARGUMENTS_MAX)
		put_part(out, arguments[values->number].name);
}

static void put_repr(sqlite3_context *out, const struct pl_value *value)
{
	char *text = sqlite3_malloc(VALUE_TEXT_BYTES);

	if (!text) {
		sqlite3_result_error_nomem(out);
		return;
	}
	const size_t length = pl_value_text(value, text, VALUE_TEXT_BYTES);
	sqlite3_result_text64(out, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
	sqlite3_free(text);
}

static void put_value_json(sqlite3_context *out, const struct pl_value *value)
{
	struct pl_buf json = {0};

	value_json(&json, value);
	put_json(out, &json);
}

static void put_integer(sqlite3_context *out, const struct pl_value *value)
{
	if (value->kind == PL_VALUE_INT)
		put_number(out, value->integer);
	else if (value->kind == PL_VALUE_TRUE || value->kind == PL_VALUE_FALSE)
		put_number(out, value->kind == PL_VALUE_TRUE);
}

static void put_real(sqlite3_context *out, const struct pl_value *value)
{
	if (value->kind == PL_VALUE_FLOAT)
		sqlite3_result_double(out, value->real);
}

static void value_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { VALUE_COLUMNS(QUERY_INDEX) };
	const struct values *values = c->state;
	const struct pl_event *e = &values->event;

	switch (column) {
		VALUE_COLUMNS(QUERY_CELL)
	}
}

/* ---- scans ---- */

#define NAMED_KINDS (1u << PL_EVENT_CALL | VARIABLE_KINDS)
#define VALUED_KINDS                                                                               \
	(1u << PL_EVENT_CALL | 1u << PL_EVENT_RETURN | 1u << PL_EVENT_YIELD |                      \
		1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW | 1u << PL_EVENT_RAISE |              \
		1u << PL_EVENT_RERAISE)
#define VARIABLE_KINDS                                                                             \
	(1u << PL_EVENT_LINE | 1u << PL_EVENT_AGAIN | 1u << PL_EVENT_RETURN |                      \
		1u << PL_EVENT_YIELD | 1u << PL_EVENT_RAISE | 1u << PL_EVENT_RERAISE |             \
		1u << PL_EVENT_HANDLED | 1u << PL_EVENT_UNWIND)

/* Were values of lines kept, or is that not known? */
static bool has_variables(const struct query *q)
{
	struct pl_recording_info info;

	pl_recording_info(q->r, &info);
	return !info.values[0] || !strcmp(info.values, "lines");
}

static int value_open(struct query_cursor *c)
{
	struct values *values = c->state;
	const uint32_t variables = has_variables(c->q) ? VARIABLE_KINDS : 0;

	values->feed.q = c->q;
	values->feed.scope = &c->scope;
	values->feed.kinds =
		(VALUED_KINDS | variables) & (c->scope.named ? NAMED_KINDS : UINT32_MAX);
	values->feed.values = true;
	return 0;
}

static bool take_value(struct values *values)
{
	if (pl_values_next(&values->rest, &values->value) == 0)
		return true;
	if (values->variable || !values->event.variables.at)
		return false;
	values->variable = true;
	values->variables = values->number;
	values->rest = values->event.variables;
	return pl_values_next(&values->rest, &values->value) == 0;
}

/* Values that are damaged end those of their event, as in dump. */
static int value_next(struct query_cursor *c)
{
	struct values *values = c->state;

	for (;;) {
		values->number += values->some;
		values->some = false;
		if (take_value(values))
			break;
		values->before = values->event; /* its bytes are not read any more */
		int code = feed_next(&values->feed, &values->event);
		if (code)
			return code;
		values->rest = values->event.values;
		values->number = 0;
		values->variable = false;
	}
	values->some = true;
	c->row = row_of_thread(values->feed.ordinal, values->event.seq << 12 |
							     (values->number & 255) << 4 |
							     (uint64_t)values->event.kind);
	return 0;
}

static void value_close(struct query_cursor *c)
{
	struct values *values = c->state;

	frame_path_release(&values->frame);
	feed_release(&values->feed);
}

const struct query_table query_value = {
	.name = "value",
	.meaning = "each argument, result, exception and variable that was kept (record --values)",
	.columns = value_columns,
	.column_count = sizeof value_columns / sizeof *value_columns,
	.state_bytes = sizeof(struct values),
	.by_seq = true,
	.open = value_open,
	.next = value_next,
	.cell = value_cell,
	.close = value_close,
};
