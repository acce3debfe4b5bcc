/* pathline report --filter of lines, by what counts do not know: times, tasks, arguments. The lines
 * that run are gone through, and those at which the expression is true are counted. So there are
 * hits, and no times. */
#include <stdlib.h>
#include "base/array.h"
#include "cmd/report.h"
#include "session/bindings.h"

#define OF(kind)  (1u << PL_EVENT_##kind)
#define HIT_KINDS (OF(LINE) | OF(AGAIN))

enum { HIT_HITS, HIT_FILE, HIT_FILE_ID, HIT_LINE, HIT_CODE, HIT_CODE_ID, HIT_PLACE };

const struct column report_hit_columns[] = {
	[HIT_HITS] = {"hits", "hits"},
	[HIT_FILE] = {"file", NULL},
	[HIT_FILE_ID] = {"file_id", NULL},
	[HIT_LINE] = {"line", NULL},
	[HIT_CODE] = {"code", NULL},
	[HIT_CODE_ID] = {"code_id", NULL},
	[HIT_PLACE] = {NULL, "line"},
	{0},
};

struct hit_row {
	const struct pl_code *code;
	int32_t line;
	uint64_t hits;
};

struct hits {
	struct report *w;
	const struct pl_process *process;
	const struct pl_thread *thread;
	bool needs_args;
	struct bindings frames;
	struct hit_row *rows; /* owned */
	size_t count, room;
	struct pl_map places; /* owned: hash of code and line -> index + 1 */
};

static uint32_t frame_kinds(const struct hits *h)
{
	return h->needs_args ? bindings_kinds(false) : 0;
}

static bool hits_may(void *context, const struct pl_count *row)
{
	struct hits *h = context;
	struct expr *expr = h->w->filter.expr;

	if (frame_kinds(h) >> row->kind & 1)
		return row->kind == PL_EVENT_GAP || expr_may_code(expr, EXPR_OF_FRAME, row->code);
	return expr_may(expr, EXPR_OF_FRAME, row);
}

static int add_hit(struct hits *h, const struct pl_event *e)
{
	const uint64_t words[] = {(uintptr_t)e->code, (uint64_t)e->line};
	uint64_t *place = map_put(&h->places, hash_bytes(words, sizeof words));

	if (!place)
		return PL_ERR_MEMORY;
	if (*place) {
		h->rows[*place - 1].hits++;
		return PL_END;
	}
	struct hit_row *rows = array_room(h->rows, h->count, &h->room, sizeof *rows);
	if (!rows)
		return PL_ERR_MEMORY;
	h->rows = rows;
	h->rows[h->count++] = (struct hit_row){.code = e->code, .line = e->line, .hits = 1};
	*place = h->count;
	return PL_END;
}

static bool is_in_range(const struct report *w, const struct pl_event *e)
{
	return e->time_ns >= w->range.from_ns && (!w->range.to_ns || e->time_ns <= w->range.to_ns);
}

/* A pl_wanted's `is`, which goes on to the end. */
static int hits_note(void *context, const struct pl_event *e)
{
	struct hits *h = context;
	const struct bound_frame *frame = NULL;
	struct expr_subject s = {0};
	int code = 0;

	if (frame_kinds(h) >> e->kind & 1)
		code = bindings_put(&h->frames, e);
	if (code || !(HIT_KINDS >> e->kind & 1) || !is_in_range(h->w, e))
		return code ? code : PL_END;
	expr_subject_of(&s, e);
	s.scope = EXPR_OF_FRAME;
	s.known = EXPR_ALL;
	s.process = h->process;
	s.thread = h->thread;
	if (h->needs_args)
		code = bindings_ask(&h->frames, e, true, &frame, NULL);
	if (code)
		return code;
	s.args = frame ? bindings_arguments(frame) : NULL;
	return expr_ask(h->w->filter.expr, &s) == EXPR_YES ? add_hit(h, e) : PL_END;
}

static int hits_of_thread(struct hits *h, uint32_t thread, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = h->process->number,
		.thread = thread,
		.kinds = HIT_KINDS | frame_kinds(h),
		.may = hits_may,
		.is = hits_note,
		.context = h};
	struct pl_search *s = NULL;
	struct pl_event e;

	h->thread = pl_recording_thread(h->w->r, h->process->number, thread);
	if (!h->thread || !expr_may_thread(h->w->filter.expr, h->process, h->thread))
		return 0;
	int code = pl_search_new(&s, h->w->r, &wanted, err);
	bindings_begin(&h->frames);
	if (code == 0) {
		pl_search_want_values(s, h->needs_args);
		code = pl_search_next(s, 0, UINT64_MAX, &e, err);
	}
	pl_search_free(s);
	return code < 0 ? code : 0;
}

static int by_hits(const void *a, const void *b)
{
	const struct hit_row *x = a, *y = b;

	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static struct cell hit_cell(const void *context, size_t row, unsigned column)
{
	const struct hits *h = context;
	const struct hit_row *r = &h->rows[row];

	switch (column) {
	case HIT_HITS:
		return cell_count(r->hits);
	case HIT_FILE:
		return cell_file(r->code);
	case HIT_FILE_ID:
		return cell_file_id(r->code);
	case HIT_LINE:
		return cell_ns(CELL_NUMBER, r->line);
	case HIT_CODE:
		return cell_code(r->code);
	case HIT_CODE_ID:
		return cell_code_id(r->code);
	default:
		return cell_place(h->w, r->code, r->line);
	}
}

static bool hit_wanted(const void *context, size_t row)
{
	const struct hits *h = context;

	return report_wants_place(h->w, h->rows[row].code);
}

static int show_hits(struct hits *h)
{
	struct sheet s = report_sheet(h->w, "line", report_hit_columns);
	bool any = false;

	for (size_t i = 0; i < h->count && !any; i++)
		any = hit_wanted(h, i);
	h->w->found |= any;
	if (!any)
		return CMD_GO;
	qsort(h->rows, h->count, sizeof *h->rows, by_hits);
	s.cell = hit_cell;
	s.wanted = hit_wanted;
	s.context = h;
	s.rows = h->count;
	report_title(h->w, "hits of lines where", h->w->filter_text);
	return report_show(h->w, &s);
}

int report_hits(struct report *w)
{
	struct hits h = {.w = w,
		.process = pl_recording_find_process(w->r, w->range.process),
		.needs_args = w->filter.needs & (EXPR_ARGS | EXPR_END),
		.frames = {.r = w->r}};
	struct pl_err err = {0};
	int code = 0;

	for (uint32_t n = 0; code == 0 && n < h.process->thread_count; n++)
		if (!w->range.one_thread || n == w->range.thread)
			code = hits_of_thread(&h, n, &err);
	if (code < 0)
		cmd_say("report: process %u: %s", h.process->number,
			err.used ? pl_err_text(&err) : pl_error_name(code));
	code = code < 0 ? CMD_BAD : show_hits(&h);
	bindings_release(&h.frames);
	map_release(&h.places);
	free(h.rows);
	return code;
}
