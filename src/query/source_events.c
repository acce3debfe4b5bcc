/* The table `source_event`: what sources beside the recorder saw (record --kernel, --native).
 *
 *	SELECT fields ->> '$.name' call, count(*), sum(duration_ns) FROM source_event
 *	WHERE kind = 'syscall' GROUP BY call
 */
#include <inttypes.h>
#include <string.h>
#include "query/tables.h"
#include "query/value_json.h"

#define SOURCE_TEXT_BYTES 4096

#define SOURCE_EVENT_COLUMNS(X)                                                                    \
	X(process, INTEGER, PROCESS, "number in the recording; 0: it is not recorded",             \
		put_number(out, e->process))                                                       \
	X(thread, INTEGER, PLAIN, "number in its process; NULL: it ran no Python",                 \
		put_source_thread(out, e))                                                         \
	X(pid, INTEGER, PLAIN, "of its process", put_number(out, e->pid))                          \
	X(native_id, INTEGER, PLAIN, "of its thread, as gettid(2) gives it",                       \
		put_number(out, e->native_id))                                                     \
	X(time_ns, INTEGER, PLAIN, "when it ended, ns since 1970", put_number(out, e->time_ns))    \
	X(error_ns, INTEGER, PLAIN, "by which that can be wrong",                                  \
		put_number(out, e->time_error_ns))                                                 \
	X(source, TEXT, PLAIN, "kernel", put_text(out, e->source->name, true))                     \
	X(kind, TEXT, PLAIN, "syscall, off, on, …: as the source has it",                          \
		put_text(out, e->kind->name, true))                                                \
	X(duration_ns, INTEGER, PLAIN, "NULL: it has none", put_source_duration(out, e))           \
	X(text, TEXT, PLAIN, "what it says, in words", put_source_text(out, e))                    \
	X(fields, TEXT, PLAIN, "as JSON: fields ->> '$.name'", put_source_fields(out, e))

struct source_events {
	struct pl_source_rows *rows; /* owned */
	struct pl_source_row row;
};

static const struct query_column source_event_columns[] = {SOURCE_EVENT_COLUMNS(QUERY_COLUMN)};

static void put_source_thread(sqlite3_context *out, const struct pl_source_row *e)
{
	if (e->thread != PL_NO_THREAD)
		put_number(out, e->thread);
}

static void put_source_duration(sqlite3_context *out, const struct pl_source_row *e)
{
	const int at = pl_source_field(e->kind, "duration");

	if (at >= 0 && (uint32_t)at < e->value_count)
		put_number(out, (int64_t)(e->values[at].number & INT64_MAX));
}

static void put_source_text(sqlite3_context *out, const struct pl_source_row *e)
{
	char text[SOURCE_TEXT_BYTES];

	pl_source_row_text(e, text, sizeof text);
	put_text(out, text, false);
}

static void put_source_fields(sqlite3_context *out, const struct pl_source_row *e)
{
	struct pl_buf json = {0};

	buf_u8(&json, '{');
	for (uint32_t i = 0; i < e->value_count; i++) {
		const struct pl_source_field *f = &e->kind->fields[i];
		const struct pl_source_value *v = &e->values[i];
		if (i)
			buf_u8(&json, ',');
		value_json_text(&json, (struct pl_text){.at = f->name, .length = strlen(f->name)});
		buf_u8(&json, ':');
		if (f->type == PL_FIELD_TEXT)
			value_json_text(
				&json, (struct pl_text){.at = v->text, .length = v->length});
		else if (v->name)
			value_json_text(
				&json, (struct pl_text){.at = v->name, .length = strlen(v->name)});
		else if (f->type == PL_FIELD_SIGNED)
			buf_printf(&json, "%" PRId64, (int64_t)v->number);
		else
			buf_printf(&json, "%" PRIu64, v->number);
	}
	buf_u8(&json, '}');
	put_json(out, &json);
}

static int source_event_open(struct query_cursor *c)
{
	struct source_events *events = c->state;
	const struct query_range *process = &c->scope.process;
	const bool one = process->from == process->to && process->from >= 0;

	return pl_source_rows_new(
		&events->rows, c->q->r, one ? (uint32_t)process->from : PL_ANY_PROCESS, &c->q->err);
}

static int source_event_next(struct query_cursor *c)
{
	struct source_events *events = c->state;
	int code;

	do
		code = pl_source_rows_next(events->rows, &events->row, &c->q->err);
	while (code == 0 && !range_has(&c->scope.process, events->row.process));
	c->row = (int64_t)events->row.number;
	return code;
}

static void source_event_cell(struct query_cursor *c, unsigned column, sqlite3_context *out)
{
	enum { SOURCE_EVENT_COLUMNS(QUERY_INDEX) };
	const struct pl_source_row *e = &((const struct source_events *)c->state)->row;

	switch (column) {
		SOURCE_EVENT_COLUMNS(QUERY_CELL)
	}
}

static void source_event_close(struct query_cursor *c)
{
	pl_source_rows_free(((struct source_events *)c->state)->rows);
}

const struct query_table query_source_event = {
	.name = "source_event",
	.meaning = "what sources beside the recorder saw (record --kernel, --native)",
	.columns = source_event_columns,
	.column_count = sizeof source_event_columns / sizeof *source_event_columns,
	.state_bytes = sizeof(struct source_events),
	.open = source_event_open,
	.next = source_event_next,
	.cell = source_event_cell,
	.close = source_event_close,
};
