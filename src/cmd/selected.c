#include "cmd/selected.h"

#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/buf.h"

/* An event that waits. What it points to is in the bytes of its thread. */
struct waiting_event {
	struct pl_event e;
	bool is_selected;
	size_t task_bytes; /* 0: it has none */
};

/* A thread, with the events that were found last: gaps, and then one that is selected. */
struct selected_thread {
	const struct selected *s;
	uint32_t number;
	struct pl_search *search;     /* owned */
	uint64_t seq;		      /* it goes on there */
	struct waiting_event *events; /* owned */
	size_t count, room, given;
	struct pl_buf bytes; /* owned */
	int64_t last_ns;     /* no later event can be selected */
	bool ended, past;
};

/* ---- what waits ---- */

static void keep_bytes(struct pl_buf *bytes, const struct pl_values *values)
{
	if (values->at)
		buf_put(bytes, values->at, values->bytes);
}

static int add_waiting(struct selected_thread *t, const struct pl_event *e, bool is_selected)
{
	struct waiting_event *events = array_room(t->events, t->count, &t->room, sizeof *events);

	if (!events)
		return PL_ERR_MEMORY;
	t->events = events;
	t->events[t->count++] = (struct waiting_event){.e = *e,
		.is_selected = is_selected,
		.task_bytes = e->task ? strlen(e->task) + 1 : 0};
	keep_bytes(&t->bytes, &e->values);
	keep_bytes(&t->bytes, &e->variables);
	if (e->task)
		buf_put(&t->bytes, e->task, strlen(e->task) + 1);
	return t->bytes.failed ? PL_ERR_MEMORY : 0;
}

static const uint8_t *point_to(struct pl_values *values, const uint8_t *at)
{
	if (!values->at)
		return at;
	values->at = at;
	return at + values->bytes;
}

/* The bytes moved as they grew. */
static void point_to_bytes(struct selected_thread *t)
{
	const uint8_t *at = t->bytes.at;

	for (size_t i = 0; i < t->count; i++) {
		struct waiting_event *one = &t->events[i];
		at = point_to(&one->e.values, at);
		at = point_to(&one->e.variables, at);
		one->e.task = one->task_bytes ? (const char *)at : NULL;
		at += one->task_bytes;
	}
}

/* ---- searches ---- */

static bool selected_may(void *context, const struct pl_count *row)
{
	const struct selected_thread *t = context;

	return row->kind == PL_EVENT_GAP || expression_may(t->s->x, row);
}

/* A gap that the reader adds has the seq of the event after it, so the search goes on from it. */
static int selected_is(void *context, const struct pl_event *e)
{
	struct selected_thread *t = context;
	const struct pl_count row = {.code = e->code, .line = e->line, .kind = e->kind};
	const bool is_gap = e->kind == PL_EVENT_GAP;

	t->past = t->s->is_past(t->s->context, e);
	if (t->past)
		return 0;
	int code = !is_gap || expression_may(t->s->x, &row) ? expression_event(t->s->x, e) : PL_END;

	pl_search_narrow(t->search, expression_kinds_now(t->s->x, t->number));
	t->past = e->time_ns > t->last_ns; /* it was asked, so that it can be said why */
	if (code < 0 || t->past || (code == PL_END && !is_gap))
		return t->past && code > 0 ? 0 : code;
	code = add_waiting(t, e, code == 0);
	return code ? code : is_gap ? PL_END : 0;
}

static int find_more(struct selected_thread *t, struct pl_err *err)
{
	struct pl_event e;

	t->count = t->given = 0;
	buf_reset(&t->bytes);
	if (t->ended)
		return 0;
	const int code = pl_search_next(t->search, t->seq, UINT64_MAX, &e, err);
	t->ended = code != 0 || t->past;
	if (code == 0)
		t->seq = e.seq + 1;
	point_to_bytes(t);
	return code < 0 ? code : 0;
}

static int open_thread(struct selected_thread *t, uint32_t number, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = t->s->x->process->number,
		.thread = number,
		.kinds = expression_kinds(t->s->x) | 1u << PL_EVENT_GAP,
		.may = selected_may,
		.is = selected_is,
		.context = t,
		.stop = t->s->stop};
	int64_t first_ns;
	int code = t->s->begin(t->s->context, number, &t->seq, err);

	expr_times(t->s->x->expr, &first_ns, &t->last_ns);
	t->ended = code || t->seq == UINT64_MAX;
	if (t->ended)
		return code;
	code = pl_search_new(&t->search, t->s->r, &wanted, err);
	if (code)
		return code;
	pl_search_want_values(t->search, t->s->values);
	pl_search_narrow(t->search, expression_kinds_now(t->s->x, number));
	return find_more(t, err);
}

static void close_thread(struct selected_thread *t)
{
	pl_search_free(t->search);
	free(t->events);
	buf_release(&t->bytes);
}

/* ---- in order ---- */

/* NULL: none has more. */
static struct selected_thread *next_thread(struct selected_thread *threads, uint32_t count)
{
	struct selected_thread *first = NULL;

	for (uint32_t n = 0; n < count; n++) {
		struct selected_thread *t = &threads[n];
		if (t->given < t->count && (!first || t->events[t->given].e.order <
							      first->events[first->given].e.order))
			first = t;
	}
	return first;
}

static int show_all(const struct selected *s, struct selected_thread *threads, uint32_t count,
	struct pl_err *err)
{
	struct selected_thread *t;
	int code = 0;

	while (code == 0 && !*s->stop && (t = next_thread(threads, count))) {
		const struct waiting_event *one = &t->events[t->given++];
		code = s->show(s->context, &one->e, one->is_selected);
		if (code == PL_END) {
			t->ended = true;
			t->given = t->count;
			code = 0;
		}
		if (code == 0 && t->given == t->count)
			code = find_more(t, err);
	}
	return code;
}

int selected_walk(const struct selected *s, struct pl_err *err)
{
	const uint32_t count = s->x->process->thread_count;
	struct selected_thread *threads = calloc((size_t)count + 1, sizeof *threads);
	int code = threads ? 0 : PL_ERR_MEMORY;

	for (uint32_t n = 0; n < count && code == 0; n++) {
		threads[n].s = s;
		threads[n].number = n;
		code = open_thread(&threads[n], n, err);
	}
	if (code == 0)
		code = show_all(s, threads, count, err);
	for (uint32_t n = 0; n < count && threads; n++)
		close_thread(&threads[n]);
	free(threads);
	return code;
}
