/* The table `value`: the values that were kept of events (record --values), one a row. Of a list or
 * an object it has the text, as Python's repr would write it; its members have no rows.
 *
 *	SELECT text, count(*) FROM value WHERE function = 'book' AND name = 'order' GROUP BY text
 *
 * A search gives no values, so each event within the bounds of thread, seq and time is visited.
 */
#include "pathline/values.h"
#include "query/feed.h"
#include "query/tables.h"
#include "query/value_json.h"

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
		"of its event: call: an argument; return, yield: the result; resume: what was "    \
		"sent; raise, throw: the exception",                                               \
		put_text(out, pl_event_kind_name(e->kind), true))                                  \
	X(file, TEXT, FILE, "co_filename", put_file(out, e->code))                                 \
	X(function, TEXT, FUNCTION, "co_qualname", put_function(out, e->code))                     \
	X(first_line, INTEGER, PLAIN, "co_firstlineno", put_first_line(out, e->code))              \
	X(line, INTEGER, LINE, "at which the frame is", put_number(out, e->line))                  \
	X(number, INTEGER, PLAIN, "among the values of the event, from 0",                         \
		put_number(out, (int64_t)values->number))                                          \
	X(name, TEXT, PLAIN, "of the argument", put_argument(out, values))                         \
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
	X(code, TEXT, CODE, "id of the code", put_code_id(out, e->code))

struct values {
	struct feed feed;
	struct pl_event event;
	struct pl_values rest; /* of the event */
	struct pl_value value;
	size_t number; /* of the next one, and while a row is shown of this one */
	bool some;     /* a value of this event was given */
};

static const struct query_column value_columns[] = {VALUE_COLUMNS(QUERY_COLUMN)};

/* ---- cells ---- */

static void put_part(sqlite3_context *out, struct pl_text text)
{
	if (text.at && text.length)
		sqlite3_result_text64(out, text.at, text.length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void put_argument(sqlite3_context *out, const struct values *values)
{
	struct pl_argument arguments[ARGUMENTS_MAX];
	const struct pl_event *e = &values->event;

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

static int value_open(struct query_cursor *c)
{
	struct values *values = c->state;

	values->feed.q = c->q;
	values->feed.scope = &c->scope;
	values->feed.kinds = 1u << PL_EVENT_CALL | 1u << PL_EVENT_RETURN | 1u << PL_EVENT_YIELD |
			     1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW | 1u << PL_EVENT_RAISE;
	values->feed.values = true;
	return 0;
}

/* Values that are damaged end those of their event, as in dump. */
static int value_next(struct query_cursor *c)
{
	struct values *values = c->state;

	for (;;) {
		values->number += values->some;
		if (pl_values_next(&values->rest, &values->value) == 0)
			break;
		int code = feed_next(&values->feed, &values->event);
		if (code)
			return code;
		values->rest = values->event.values;
		values->number = 0;
		values->some = false;
	}
	values->some = true;
	c->row = row_of_thread(values->feed.ordinal, values->event.seq << 12 |
							     (values->number & 255) << 4 |
							     (uint64_t)values->event.kind);
	return 0;
}

static void value_close(struct query_cursor *c)
{
	feed_release(&((struct values *)c->state)->feed);
}

const struct query_table query_value = {
	.name = "value",
	.meaning = "each argument, result and exception that was kept (record --values)",
	.columns = value_columns,
	.column_count = sizeof value_columns / sizeof *value_columns,
	.state_bytes = sizeof(struct values),
	.by_seq = true,
	.open = value_open,
	.next = value_next,
	.cell = value_cell,
	.close = value_close,
};
