#include "cmd/beside.h"

#include <stdlib.h>
#include <string.h>

#define LEVEL_MAX 1000

int beside_begin(struct beside *b, const struct pl_process *p, struct pl_err *err)
{
	const uint32_t count = pl_event_source_count(b->r);
	int code = 0;

	beside_release(b);
	if (!count)
		return 0;
	b->threads = calloc((size_t)p->thread_count + 1, sizeof *b->threads);
	b->sources = calloc(count, sizeof *b->sources);
	if (!b->threads || !b->sources)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for threads and sources");
	b->thread_count = p->thread_count;
	for (; code == 0 && b->source_count < count; b->source_count++) {
		struct beside_source *s = &b->sources[b->source_count];
		code = pl_source_rows_new(&s->rows, b->r, p->number, err);
		if (code == 0)
			pl_source_rows_select(
				s->rows, pl_event_source(b->r, b->source_count)->number);
	}
	return code;
}

/* How far to the right of its thread's frames it stands by its own word; -1: it has none. */
static int own_level(const struct pl_source_row *row)
{
	for (uint32_t i = 0; i < row->value_count; i++)
		if (!strcmp(row->kind->fields[i].unit, "level"))
			return row->values[i].number < LEVEL_MAX ? (int)row->values[i].number
								 : LEVEL_MAX;
	return -1;
}

/* What begins, and has no duration yet, has what follows inside it; with its end it has not. */
static void take_level(struct beside *b, const struct pl_source_row *row)
{
	const int level = own_level(row);

	if (level >= 0 && row->thread < b->thread_count)
		b->threads[row->thread].level =
			(uint32_t)level + (pl_source_field(row->kind, "duration") < 0);
}

/* The rows of each source are in order, about; those of several are put together here. */
int beside_before(struct beside *b, int64_t time_ns, struct pl_source_row *row, struct pl_err *err)
{
	struct beside_source *first = NULL;

	for (uint32_t i = 0; i < b->source_count; i++) {
		struct beside_source *s = &b->sources[i];
		int code = s->has_row ? 0 : pl_source_rows_next(s->rows, &s->row, err);
		if (code && code != PL_END)
			return code;
		s->has_row = code == 0;
		if (s->has_row && s->row.time_ns < time_ns &&
			(!first || s->row.time_ns < first->row.time_ns))
			first = s;
	}
	if (!first)
		return PL_END;
	*row = first->row;
	first->has_row = false;
	take_level(b, row);
	return 0;
}

uint32_t beside_depth(const struct beside *b, const struct pl_source_row *row, bool *unsure)
{
	const struct beside_thread *t =
		row->thread < b->thread_count ? &b->threads[row->thread] : NULL;

	*unsure = !t || row->time_ns < INT64_MIN + row->time_error_ns ||
		  t->until_ns > row->time_ns - row->time_error_ns;
	const int level = own_level(row);
	return (t ? t->depth : 0) + (level >= 0 ? (uint32_t)level : t ? t->level : 0);
}

void beside_saw(struct beside *b, const struct pl_event *e)
{
	if (e->position.thread >= b->thread_count)
		return;
	struct beside_thread *t = &b->threads[e->position.thread];
	t->depth = e->depth + 1;
	t->level = 0;
	t->until_ns = e->time_error_ns < INT64_MAX - e->time_ns ? e->time_ns + e->time_error_ns
								: INT64_MAX;
}

void beside_release(struct beside *b)
{
	for (uint32_t i = 0; i < b->source_count; i++)
		pl_source_rows_free(b->sources[i].rows);
	free(b->sources);
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
