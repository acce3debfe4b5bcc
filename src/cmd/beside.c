#include "cmd/beside.h"

#include <stdlib.h>
#include <string.h>

#define LEVEL_MAX 1000

int beside_begin(struct beside *b, const struct pl_process *p, struct pl_err *err)
{
	beside_release(b);
	if (!pl_event_source_count(b->r))
		return 0;
	b->threads = calloc((size_t)p->thread_count + 1, sizeof *b->threads);
	if (!b->threads)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for threads");
	b->thread_count = p->thread_count;
	return pl_source_rows_new(&b->rows, b->r, p->number, err);
}

int beside_before(struct beside *b, int64_t time_ns, struct pl_source_row *row, struct pl_err *err)
{
	if (!b->rows)
		return PL_END;
	if (!b->has_row) {
		int code = pl_source_rows_next(b->rows, &b->row, err);
		if (code)
			return code;
		b->has_row = true;
	}
	if (b->row.time_ns >= time_ns)
		return PL_END;
	*row = b->row;
	b->has_row = false;
	return 0;
}

/* How far to the right of its thread's frames it stands, by its own word. */
static uint32_t own_level(const struct pl_source_row *row)
{
	for (uint32_t i = 0; i < row->value_count; i++)
		if (!strcmp(row->kind->fields[i].unit, "level"))
			return row->values[i].number < LEVEL_MAX ? (uint32_t)row->values[i].number
								 : LEVEL_MAX;
	return 0;
}

uint32_t beside_depth(const struct beside *b, const struct pl_source_row *row, bool *unsure)
{
	const struct beside_thread *t =
		row->thread < b->thread_count ? &b->threads[row->thread] : NULL;

	*unsure = !t || row->time_ns < INT64_MIN + row->time_error_ns ||
		  t->until_ns > row->time_ns - row->time_error_ns;
	return (t ? t->depth : 0) + own_level(row);
}

void beside_saw(struct beside *b, const struct pl_event *e)
{
	if (e->position.thread >= b->thread_count)
		return;
	struct beside_thread *t = &b->threads[e->position.thread];
	t->depth = e->depth + 1;
	t->until_ns = e->time_error_ns < INT64_MAX - e->time_ns ? e->time_ns + e->time_error_ns
								: INT64_MAX;
}

void beside_release(struct beside *b)
{
	pl_source_rows_free(b->rows);
	free(b->threads);
	*b = (struct beside){.r = b->r};
}

/* ---- JSON ---- */

static void json_source_value(
	struct json *j, const struct pl_source_field *f, const struct pl_source_value *v)
{
	if (f->type == PL_FIELD_TEXT) {
		json_key(j, f->name);
		out_char(j->out, '"');
		out_json(j->out, (struct text){.at = v->text, .length = v->length});
		out_char(j->out, '"');
	} else if (v->name) {
		json_text(j, f->name, v->name);
	} else if (f->type == PL_FIELD_SIGNED) {
		json_i64(j, f->name, (int64_t)v->number);
	} else {
		json_u64(j, f->name, v->number);
	}
}

void beside_json(struct json *j, const struct pl_source_row *row)
{
	json_line(j, "source event");
	json_text(j, "source", row->source->name);
	json_text(j, "kind", row->kind->name);
	json_u64(j, "process", row->process);
	if (row->thread == PL_NO_THREAD)
		json_null(j, "thread");
	else
		json_u64(j, "thread", row->thread);
	json_u64(j, "native_id", row->native_id);
	json_moment(j, "time", row->time_ns);
	json_i64(j, "time_error_ns", row->time_error_ns);
	json_open(j, "fields", '{');
	for (uint32_t i = 0; i < row->value_count; i++)
		json_source_value(j, &row->kind->fields[i], &row->values[i]);
	json_close(j, '}');
	json_line_end(j);
}
