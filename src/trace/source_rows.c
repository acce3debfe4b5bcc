/* The rows of sources: record by record, with their threads, times, and the names of what they say.
 */
#include <stdlib.h>
#include <string.h>
#include "base/varint.h"
#include "trace/event_sources.h"

struct pl_source_rows {
	struct pl_recording *r;
	uint32_t process; /* PL_ANY_PROCESS: of all */
	uint32_t source;  /* 0: of all */
	uint64_t next;	  /* number of the next record, dropped ones counted */
	struct source_record record;
	uint32_t index; /* of the row in its record */
	/* native id -> thread + 1 of the process whose threads these are; of an id that several
	 * threads had, SEVERAL */
	struct pl_map threads;
	const struct process_entry *threads_of;
	size_t thread_count;
};

#define SEVERAL UINT64_MAX

/* A kind without a description, of which only the bytes are known. */
static const struct pl_source_kind no_kind = {.name = "?", .meaning = ""};

int pl_source_rows_new(
	struct pl_source_rows **out, struct pl_recording *r, uint32_t process, struct pl_err *err)
{
	*out = calloc(1, sizeof **out);
	if (!*out)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the events of sources");
	(*out)->r = r;
	(*out)->process = process;
	return 0;
}

void pl_source_rows_select(struct pl_source_rows *rows, uint32_t source)
{
	rows->source = source;
}

void pl_source_rows_free(struct pl_source_rows *rows)
{
	if (!rows)
		return;
	source_record_release(&rows->record);
	map_release(&rows->threads);
	free(rows);
}

/* ---- whose is it? ---- */

static int learn_source_threads(struct pl_source_rows *w, const struct process_entry *p)
{
	if (w->threads_of == p && (!p || w->thread_count == p->thread_count))
		return 0;
	map_release(&w->threads);
	w->threads = (struct pl_map){0};
	w->threads_of = p;
	w->thread_count = p ? p->thread_count : 0;
	for (size_t i = 0; i < w->thread_count; i++) {
		const struct pl_thread *t = &p->threads[i]->public;
		uint64_t *slot = map_put(&w->threads, t->native_id);
		if (!slot)
			return PL_ERR_MEMORY;
		*slot = *slot ? SEVERAL : t->number + (uint64_t)1;
	}
	return 0;
}

/* The last one with this id that had begun; ids are used again. */
static uint32_t source_thread(const struct pl_source_rows *w)
{
	const struct source_row *row = &w->record.row;
	const uint64_t *found = map_find(&w->threads, row->native_id);
	uint32_t thread = PL_NO_THREAD;
	uint64_t latest = 0;

	if (!found || *found != SEVERAL)
		return found ? (uint32_t)(*found - 1) : PL_NO_THREAD;
	for (size_t i = 0; i < w->thread_count; i++) {
		const struct thread_entry *t = w->threads_of->threads[i];
		if (t->public.native_id != row->native_id)
			continue;
		if (thread == PL_NO_THREAD ||
			(t->start_ticks <= row->ticks && t->start_ticks >= latest)) {
			thread = t->public.number;
			latest = t->start_ticks;
		}
	}
	return thread;
}

/* ---- what does it say? ---- */

static int read_source_value(struct pl_view *v, const struct source_kind_entry *k, uint32_t n,
	struct pl_source_value *out)
{
	struct pl_view text;

	*out = (struct pl_source_value){0};
	switch (k->fields[n].type) {
	case PL_FIELD_TEXT:
		if (view_string(v, &text))
			return PL_ERR_FORMAT;
		out->text = (const char *)text.at;
		out->length = text.left;
		return 0;
	case PL_FIELD_UNSIGNED:
	case PL_FIELD_SIGNED:
		if (view_varint(v, &out->number))
			return PL_ERR_FORMAT;
		if (k->fields[n].type == PL_FIELD_SIGNED)
			out->number = (uint64_t)unzigzag(out->number);
		const uint64_t *name = map_find(&k->names[n], out->number);
		out->name = name ? (const char *)(uintptr_t)*name : NULL;
		return 0;
	default:
		return PL_END; /* of a later version */
	}
}

/* So many ticks until the row. */
static uint64_t ticks_as_ns(const struct pl_source_rows *w, uint64_t ticks)
{
	struct clock_time from, to;
	const uint64_t end = w->record.row.ticks;

	clockmap_time(&w->r->clock, end - (ticks < end ? ticks : end), &from);
	clockmap_time(&w->r->clock, end, &to);
	return to.real_ns > from.real_ns ? (uint64_t)(to.real_ns - from.real_ns) : 0;
}

/* Fields that are missing at the end are of an older writer. */
static int describe_row(const struct pl_source_rows *w, struct pl_source_row *row)
{
	const struct source_head *head = &w->record.head;
	const struct event_source_entry *s = w->r->event_sources[head->source];
	const struct source_kind_entry *k = s->kinds[w->record.row.kind];
	struct pl_view v = w->record.row.fields;
	struct clock_time time;
	int code = 0;

	clockmap_time(&w->r->clock, w->record.row.ticks, &time);
	*row = (struct pl_source_row){.source = &s->public,
		.kind = k ? &k->public : &no_kind,
		.process = head->process,
		.thread = source_thread(w),
		.pid = head->pid,
		.native_id = w->record.row.native_id,
		.number = w->next << 20 ^ w->index,
		.time_ns = time.real_ns,
		.time_error_ns = time.error_ns < INT64_MAX - (int64_t)head->error_ns
					 ? time.error_ns + (int64_t)head->error_ns
					 : INT64_MAX};
	while (k && code == 0 && v.left && row->value_count < k->public.field_count) {
		code = read_source_value(&v, k, row->value_count, &row->values[row->value_count]);
		if (code == 0 && k->in_ticks >> row->value_count & 1)
			row->values[row->value_count].number =
				ticks_as_ns(w, row->values[row->value_count].number);
		row->value_count += code == 0;
	}
	return code == PL_ERR_FORMAT ? code : 0;
}

/* ---- record by record ---- */

static bool is_selected(const struct pl_source_rows *w, const struct source_head *head)
{
	return head->count && (w->process == PL_ANY_PROCESS || head->process == w->process) &&
	       (!w->source || head->source == w->source);
}

/* One that is damaged, or was dropped meanwhile, is skipped. */
static int next_source_record(struct pl_source_rows *w, struct pl_err *err)
{
	struct pl_recording *r = w->r;

	if (w->next < r->source_refs_evicted)
		w->next = r->source_refs_evicted;
	while (w->next - r->source_refs_evicted < r->source_ref_count) {
		struct source_ref *ref = &r->source_refs[w->next++ - r->source_refs_evicted];
		struct pl_err why = {0};
		if (!is_selected(w, &ref->head))
			continue;
		int code = source_record_load(&w->record, r, ref, &why);
		w->index = 0;
		if (code == 0)
			return learn_source_threads(
				w, recording_find_process(r, ref->head.process));
		w->record.rows = (struct pl_view){0};
		if (code != PL_ERR_FORMAT && code != PL_ERR_NOT_FOUND)
			return recording_failed(err, code, &why);
		if (code == PL_ERR_FORMAT)
			source_events_damage(r, ref);
	}
	return PL_END;
}

int pl_source_rows_next(struct pl_source_rows *w, struct pl_source_row *row, struct pl_err *err)
{
	struct pl_recording *r = w->r;

	for (;;) {
		if (w->record.rows.left) {
			w->index++;
			if (source_row_read(&w->record.rows, &w->record.row) == 0 &&
				describe_row(w, row) == 0)
				return 0;
			size_t last = (size_t)(w->next - 1 - r->source_refs_evicted);
			w->record.rows = (struct pl_view){0};
			if (w->next > r->source_refs_evicted && last < r->source_ref_count)
				source_events_damage(r, &r->source_refs[last]);
		}
		int code = next_source_record(w, err);
		if (code)
			return code;
	}
}
