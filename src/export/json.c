#include "export/json.h"

#include <inttypes.h>
#include "query/value_json.h"

void export_json_us(struct pl_buf *b, int64_t ns)
{
	const uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	buf_printf(b, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", magnitude / 1000,
		(unsigned)(magnitude % 1000));
}

/* The next member of an object: the comma is before it, but for the first. */
static void put_key(struct pl_buf *b, const char *key)
{
	const bool first = !b->used || b->at[b->used - 1] == '{';

	buf_printf(b, "%s\"%s\":", first ? "" : ",", key);
}

static void put_file(struct pl_buf *b, const struct pl_code *code, int32_t line)
{
	put_key(b, "file");
	export_string(b, pl_code_file(code));
	if (line <= 0)
		return;
	put_key(b, "line");
	buf_printf(b, "%" PRId32, line);
}

static void put_value(struct pl_buf *b, const char *key, struct pl_values values)
{
	struct pl_value value;

	if (pl_values_next(&values, &value))
		return;
	put_key(b, key);
	value_json(b, &value);
}

void export_json_place(struct pl_buf *b, const struct export_slice *s)
{
	put_file(b, s->code, s->line ? s->line : pl_code_first_line(s->code));
}

void export_json_about(struct pl_buf *b, const struct export_slice *s, const char *task)
{
	if (task) {
		put_key(b, "task");
		export_string(b, task);
	}
	if (s->line)
		return;
	if (s->begun != PL_EVENT_CALL) {
		put_key(b, "began");
		export_string(
			b, s->begun == PL_EVENT_GAP ? "earlier" : pl_event_kind_name(s->begun));
	}
	if (s->begun == PL_EVENT_CALL && s->values.at) {
		put_key(b, "args");
		value_json_arguments(b, s->code, s->values);
	} else if (s->begun == PL_EVENT_RESUME)
		put_value(b, "sent", s->values);
}

void export_json_outcome(struct pl_buf *b, const struct export_slice *s, const struct pl_event *e)
{
	put_key(b, "end");
	export_string(b, e ? pl_event_kind_name(e->kind) : "not recorded");
	if (!e)
		return;
	if (e->kind == PL_EVENT_UNWIND && s->exception) {
		put_key(b, "exception");
		export_string(b, s->exception);
	}
	put_value(b, "result", e->values);
}

void export_json_point(struct pl_buf *b, const struct pl_event *e)
{
	if (e->code)
		put_file(b, e->code, e->line);
	if (e->kind == PL_EVENT_GAP) {
		put_key(b, "lost");
		buf_printf(b, "%" PRIu64, e->lost);
	}
	if (e->kind == PL_EVENT_RAISE)
		put_value(b, "exception", e->values);
}

bool export_value_text(struct pl_values values, char text[EXPORT_VALUE_BYTES])
{
	struct pl_value value;

	if (pl_values_next(&values, &value))
		return false;
	pl_value_text(&value, text, EXPORT_VALUE_BYTES);
	return true;
}
