#define _GNU_SOURCE
#include "session/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session/request_kinds.h"

#define REQUESTS_MAX 4000000 /* more are not found */
#define KINDS                                                                                      \
	(1u << PL_EVENT_CALL | 1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW |                      \
		1u << PL_EVENT_YIELD | 1u << PL_EVENT_RETURN | 1u << PL_EVENT_UNWIND |             \
		1u << PL_EVENT_RAISE)

/* A request whose frame is there. */
struct live_request {
	size_t row; /* of all */
	const struct pl_code *code;
	uint64_t generator; /* of a coroutine; else 0 */
	uint32_t depth;	    /* as long as it is on the stack */
	bool on_stack, named;
	int64_t left_ns;	       /* when it was suspended */
	char type[REQUEST_TYPE_BYTES]; /* of the exception that was last in its frame */
};

/* The path of a thread. */
struct request_walk {
	struct requests *all;
	struct request_codes codes;
	struct pl_recording *r;
	uint32_t process, thread;
	uint64_t unwound_seq;	   /* of the last event with which an exception left a frame */
	struct live_request *live; /* owned */
	size_t count, room;
};

const char *request_kind_name(enum request_kind kind)
{
	static const char *const names[] = {"wsgi", "asgi", "celery", "rq"};

	return names[kind];
}

static struct request *row_of(struct request_walk *w, const struct live_request *l)
{
	return &w->all->rows[l->row];
}

/* The one on the stack; NULL: none. */
static struct live_request *request_on_stack(struct request_walk *w)
{
	for (size_t i = w->count; i; i--)
		if (w->live[i - 1].on_stack)
			return &w->live[i - 1];
	return NULL;
}

static bool is_frame_of(const struct live_request *l, const struct pl_event *e)
{
	return l->code == e->code && l->generator == e->generator &&
	       (l->generator || l->depth == e->depth);
}

static struct live_request *request_of_frame(struct request_walk *w, const struct pl_event *e)
{
	for (size_t i = w->count; i; i--)
		if (is_frame_of(&w->live[i - 1], e))
			return &w->live[i - 1];
	return NULL;
}

/* Frames that ended without an event, as where events are missing: what is at or above this depth
 * is no longer on the stack. */
static void drop_lost(struct request_walk *w, const struct pl_event *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->count; i++) {
		struct live_request *l = &w->live[i];
		if (!l->on_stack || l->depth < e->depth)
			w->live[kept++] = *l;
	}
	w->count = kept;
}

static void *grow_rows(void *rows, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return rows;
	const size_t more = *room ? 2 * *room : 16;
	void *grown = realloc(rows, more * size);
	if (grown)
		*room = more;
	return grown;
}

static int begin_request(struct request_walk *w, const struct pl_event *e, enum request_code code)
{
	struct request q = {.kind = (enum request_kind)(code - CODE_WSGI),
		.process = w->process,
		.thread = w->thread,
		.seq = e->seq,
		.end_seq = e->seq,
		.task_id = e->task_id,
		.begin_ns = e->time_ns,
		.end_ns = e->time_ns,
		.begin_error_ns = e->time_error_ns,
		.open = true};

	if (!request_describe(&q, e) || w->all->count >= REQUESTS_MAX)
		return 0;
	void *rows = grow_rows(w->all->rows, w->all->count, &w->all->room, sizeof *w->all->rows);
	if (!rows)
		return PL_ERR_MEMORY;
	w->all->rows = rows;
	void *live = grow_rows(w->live, w->count, &w->room, sizeof *w->live);
	if (!live)
		return PL_ERR_MEMORY;
	w->live = live;
	w->live[w->count++] = (struct live_request){.row = w->all->count,
		.code = e->code,
		.generator = e->generator,
		.depth = e->depth,
		.named = q.target[0] || (q.kind <= REQUEST_ASGI && request_code_is_own(e->code)),
		.on_stack = true};
	w->all->rows[w->all->count++] = q;
	return 0;
}

/* What the request was called with may be recorded of an inner application only; a task's own
 * function is the first one of the user's that is called. */
static void name_request(struct request_walk *w, struct live_request *outer,
	const struct pl_event *e, enum request_code code)
{
	struct request *q = row_of(w, outer), inner = *q;
	const bool task = q->kind == REQUEST_CELERY || q->kind == REQUEST_RQ;

	if (outer->named || code == CODE_LIBRARY || (!task && !request_code_begins(code)))
		return;
	if (task)
		snprintf(inner.route, sizeof inner.route, "%s", pl_code_name(e->code));
	else if (!request_describe(&inner, e))
		return;
	outer->named = task || inner.target[0] || request_code_is_own(e->code);
	if (outer->named) /* else the library's own outermost application says more */
		*q = inner;
}

static int take_call(struct request_walk *w, const struct pl_event *e)
{
	const enum request_code code = request_code_of(&w->codes, e->code);

	drop_lost(w, e);
	struct live_request *outer = request_on_stack(w);
	if (outer) {
		name_request(w, outer, e, code);
		return 0;
	}
	return request_code_begins(code) ? begin_request(w, e, code) : 0;
}

static void take_resume(struct request_walk *w, const struct pl_event *e)
{
	struct live_request *l = e->generator ? request_of_frame(w, e) : NULL;

	if (!l || l->on_stack)
		return;
	l->on_stack = true;
	l->depth = e->depth;
	row_of(w, l)->suspended_ns += e->time_ns - l->left_ns;
}

/* An exception arises in each frame that it passes. It is counted in the first one. */
static void take_raise(struct request_walk *w, const struct pl_event *e)
{
	struct live_request *l = request_on_stack(w);

	if (!l)
		return;
	row_of(w, l)->raised += e->seq != w->unwound_seq + 1;
	if (is_frame_of(l, e))
		snprintf(l->type, sizeof l->type, "%s", e->type ? e->type : "");
}

static void end_request_at(struct request *q, const struct pl_event *e)
{
	q->end_ns = e->time_ns;
	const int64_t span_ns = q->end_ns - q->begin_ns;
	q->error_ns = q->begin_error_ns < span_ns ? q->begin_error_ns : span_ns;
	if (q->error_ns < e->time_error_ns)
		q->error_ns = e->time_error_ns;
}

static void take_leave(struct request_walk *w, const struct pl_event *e)
{
	struct live_request *l = request_of_frame(w, e);

	if (e->kind == PL_EVENT_UNWIND)
		w->unwound_seq = e->seq;
	if (!l)
		return;
	struct request *q = row_of(w, l);
	q->end_seq = e->seq;
	end_request_at(q, e);
	if (e->kind == PL_EVENT_YIELD) {
		l->on_stack = false;
		l->left_ns = e->time_ns;
		return;
	}
	q->open = false;
	if (e->kind == PL_EVENT_UNWIND)
		snprintf(q->error, sizeof q->error, "%s", l->type[0] ? l->type : "?");
	*l = w->live[--w->count];
}

static int take_request_event(void *context, const struct pl_event *e)
{
	struct request_walk *w = context;
	int code = 0;

	switch (e->kind) {
	case PL_EVENT_CALL:
		code = take_call(w, e);
		break;
	case PL_EVENT_RESUME:
	case PL_EVENT_THROW:
		take_resume(w, e);
		break;
	case PL_EVENT_RAISE:
		take_raise(w, e);
		break;
	default:
		take_leave(w, e);
		break;
	}
	return code < 0 ? code : PL_END;
}

/* Of the user's functions calls are read for the name of a task, and exceptions. */
static bool may_be_of_request(void *context, const struct pl_count *row)
{
	struct request_walk *w = context;
	const enum request_code code = request_code_of(&w->codes, row->code);

	if (row->kind == PL_EVENT_RAISE || row->kind == PL_EVENT_UNWIND ||
		row->kind == PL_EVENT_CALL)
		return code != CODE_LIBRARY;
	return request_code_begins(code);
}

static int find_in_thread(
	struct request_walk *w, const volatile sig_atomic_t *stop, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = w->process,
		.thread = w->thread,
		.kinds = KINDS,
		.may = may_be_of_request,
		.is = take_request_event,
		.context = w,
		.stop = stop};
	struct pl_search *search = NULL;
	struct pl_event e;
	int code = pl_search_new(&search, w->r, &wanted, err);

	if (code < 0)
		return code;
	pl_search_want_values(search, true);
	w->count = 0;
	w->unwound_seq = UINT64_MAX - 1;
	code = pl_search_next(search, 0, UINT64_MAX, &e, err);
	pl_search_free(search);
	return code == PL_END && !(stop && *stop) ? 0 : code;
}

/* ---- looks ---- */

/* In the order of process, thread, and time. */
static int by_thread(const void *a, const void *b)
{
	const struct request *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/* The last one that began in the thread before the look; NULL: none. */
static struct request *request_at(struct requests *all, const struct pl_sample *look)
{
	const struct request key = {
		.process = look->process, .thread = look->thread, .begin_ns = look->time_ns};
	size_t low = 0, high = all->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (by_thread(&all->rows[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	struct request *q = low ? &all->rows[low - 1] : NULL;
	return q && q->process == look->process && q->thread == look->thread &&
			       look->time_ns <= q->end_ns
		       ? q
		       : NULL;
}

static int count_looks(
	struct requests *all, struct pl_recording *r, uint32_t process, struct pl_err *err)
{
	struct pl_samples *samples = NULL;
	struct pl_sample look;
	int code = pl_samples_new(&samples, r, process, err);

	while (code == 0 && (code = pl_samples_next(samples, &look, err)) == 0) {
		struct request *q = request_at(all, &look);
		if (!q || q->kind == REQUEST_ASGI)
			continue;
		q->looks += look.weight;
		q->waiting_looks += look.waiting ? look.weight : 0;
	}
	pl_samples_free(samples);
	return code == PL_END ? 0 : code;
}

int64_t request_waiting_ns(const struct request *q)
{
	if (q->kind == REQUEST_ASGI)
		return q->suspended_ns;
	if (!q->looks)
		return -1;
	return (int64_t)((double)(q->end_ns - q->begin_ns) * (double)q->waiting_looks /
			 (double)q->looks);
}

/* ---- all ---- */

static int by_begin(const void *a, const void *b)
{
	const struct request *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

int requests_find(struct requests *all, struct pl_recording *r, const volatile sig_atomic_t *stop,
	struct pl_err *err)
{
	struct request_walk w = {.all = all, .codes = {.r = r}, .r = r};
	int code = 0;

	for (uint32_t i = 0; i < pl_recording_process_count(r) && code == 0; i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		w.process = p->number;
		for (w.thread = 0; w.thread < p->thread_count && code == 0; w.thread++)
			code = find_in_thread(&w, stop, err);
	}
	request_codes_release(&w.codes);
	free(w.live);
	if (all->count && code == 0)
		qsort(all->rows, all->count, sizeof *all->rows, by_thread);
	for (uint32_t i = 0; all->count && i < pl_recording_process_count(r) && code == 0; i++)
		code = count_looks(all, r, pl_recording_process(r, i)->number, err);
	if (all->count)
		qsort(all->rows, all->count, sizeof *all->rows, by_begin);
	for (size_t i = 0; i < all->count; i++)
		all->rows[i].number = (uint32_t)i + 1;
	return code;
}

void requests_release(struct requests *all)
{
	free(all->rows);
	*all = (struct requests){.count = 0};
}
