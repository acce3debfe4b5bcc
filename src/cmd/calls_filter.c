#define _GNU_SOURCE
#include "cmd/calls_filter.h"

#define OF(kind) (1u << PL_EVENT_##kind)

/* Which events are asked about: those with which a call begins, and those that are none. */
#define BEGINS (OF(CALL) | OF(RESUME) | OF(THROW) | OF(OUTSIDE))
#define OTHERS (OF(GAP) | OF(MARK))

/* co_flags: CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR */
#define GENERATOR_FLAGS (0x20u | 0x80u | 0x200u)

static bool needs_frames(const struct calls_filter *f)
{
	return f->x->needs & EXPR_ARGS;
}

/* Of a call that is not suspended, frames know nothing that its events do not have. */
static bool is_of_generator(const struct pl_event *e)
{
	return !e->code || pl_code_flags(e->code) & GENERATOR_FLAGS;
}

/* The search has put in what it has found; then the cursor comes there. */
int calls_filter_event(struct calls_filter *f, const struct pl_event *e)
{
	if (!needs_frames(f) || e->seq < f->known_to || !is_of_generator(e)) {
		expr_subject_of(&f->now, e);
		if (e->kind != PL_EVENT_CALL && e->seq + 1 == f->known_to)
			f->now.args = f->args;
		return 0;
	}
	f->known_to = e->seq + (e->kind != PL_EVENT_GAP);
	const int code = frames_put(&f->known, e, &f->now);
	f->args = e->kind == PL_EVENT_CALL ? NULL : f->now.args;
	return code;
}

const struct pl_values *calls_filter_args(const struct calls_filter *f)
{
	return f->now.args;
}

static void put_thread(const struct calls_filter *f, struct expr_subject *s)
{
	s->process = f->x->process;
	s->thread = f->thread;
}

static int32_t begin_line(const struct pl_code *code, enum pl_event_kind kind, int32_t line)
{
	const bool called = kind == PL_EVENT_CALL || kind == PL_EVENT_OUTSIDE;

	return called && code ? pl_code_first_line(code) : line;
}

enum expr_answer calls_filter_begin(
	struct calls_filter *f, const struct pl_event *e, bool continues)
{
	struct expr_subject s = f->now;

	if (continues)
		expr_subject_of(&s, e);
	s.scope = EXPR_OF_CALL;
	s.known = EXPR_ALL & ~(uint32_t)EXPR_END;
	s.kind = s.end_kind = continues ? PL_EVENT_CALL : e->kind;
	s.line = begin_line(e->code, s.kind, e->line);
	s.args = continues ? NULL : s.args;
	put_thread(f, &s);
	return expr_ask(f->x->expr, &s);
}

static enum pl_event_kind begin_kind(const struct call_node *n)
{
	return n->begin == CALL_RESUMED	  ? PL_EVENT_RESUME
	       : n->begin == CALL_THROWN  ? PL_EVENT_THROW
	       : n->begin == CALL_OUTSIDE ? PL_EVENT_OUTSIDE
					  : PL_EVENT_CALL;
}

static enum pl_event_kind end_kind(const struct call_node *n)
{
	return n->end == CALL_RETURNED	? PL_EVENT_RETURN
	       : n->end == CALL_YIELDED ? PL_EVENT_YIELD
	       : n->end == CALL_RAISED	? PL_EVENT_UNWIND
					: begin_kind(n);
}

bool calls_filter_ended(
	struct calls_filter *f, const struct call_node *n, const struct pl_values *args)
{
	const bool has_result = n->end == CALL_RETURNED || n->end == CALL_YIELDED;
	struct expr_subject s = {.scope = EXPR_OF_CALL,
		.known = EXPR_ALL,
		.kind = begin_kind(n),
		.end_kind = end_kind(n),
		.code = n->code,
		.line = n->line,
		.depth = n->depth,
		.time_ns = n->begin_ns,
		.seq = n->one.seq,
		.task = n->inside_task,
		.task_id = n->inside_task_id,
		.args = n->begin == CALL_CALLED ? &n->one.in : args,
		.result = has_result ? &n->one.out : NULL,
		.exception = n->end == CALL_RAISED ? &n->one.out : NULL,
		.type = n->end == CALL_RAISED ? n->type : NULL,
		.duration_ns = n->begin == CALL_OUTSIDE ? EXPR_NO_DURATION : n->total_ns};

	put_thread(f, &s);
	return expr_ask(f->x->expr, &s) == EXPR_YES;
}

bool calls_filter_has(struct calls_filter *f, const struct pl_event *e)
{
	struct expr_subject s = {0};

	expr_subject_of(&s, e);
	put_thread(f, &s);
	return expr_ask(f->x->expr, &s) == EXPR_YES;
}

/* ---- passing over ---- */

static bool call_may(void *context, const struct pl_count *row)
{
	struct calls_filter *f = context;
	struct pl_count begin = *row;

	if (row->kind == PL_EVENT_GAP)
		return true;
	if (row->kind == PL_EVENT_YIELD) /* with it a generator keeps its arguments */
		return expr_may_code(f->x->expr, EXPR_OF_CALL, row->code);
	begin.line = begin_line(row->code, row->kind, row->line);
	return expr_may(f->x->expr, OTHERS >> row->kind & 1 ? EXPR_OF_EVENT : EXPR_OF_CALL, &begin);
}

static int call_is(void *context, const struct pl_event *e)
{
	struct calls_filter *f = context;
	const int code = calls_filter_event(f, e);

	f->past = e->time_ns > f->last_ns;
	if (code || f->past)
		return code;
	if (OTHERS >> e->kind & 1)
		return calls_filter_has(f, e) ? 0 : PL_END;
	if (!(BEGINS >> e->kind & 1))
		return PL_END;
	return calls_filter_begin(f, e, false) != EXPR_NO ? 0 : PL_END;
}

int calls_filter_next(
	struct calls_filter *f, struct pl_recording *r, uint64_t *seq, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = f->thread->process,
		.thread = f->thread->number,
		.kinds = BEGINS | OTHERS | (needs_frames(f) ? OF(YIELD) : 0),
		.may = call_may,
		.is = call_is,
		.context = f,
		.stop = f->stop};
	struct pl_event e;
	int code = f->search ? 0 : pl_search_new(&f->search, r, &wanted, err);

	if (code == 0) {
		pl_search_want_values(f->search, expression_wants_values(f->x));
		code = pl_search_next(f->search, *seq, UINT64_MAX, &e, err);
	}
	*seq = code == 0 && !f->past ? e.seq : UINT64_MAX;
	return code < 0 ? code : 0;
}

/* ---- generators that began before ---- */

static bool generator_may(void *context, const struct pl_count *row)
{
	struct calls_filter *f = context;

	return row->kind == PL_EVENT_GAP ||
	       (row->code && pl_code_flags(row->code) & GENERATOR_FLAGS &&
		       expr_may_code(f->x->expr, EXPR_OF_CALL, row->code));
}

static int put_generator(void *context, const struct pl_event *e)
{
	struct calls_filter *f = context;
	const int code = frames_put(&f->known, e, &f->now);

	return code ? code : PL_END;
}

int calls_filter_start(
	struct calls_filter *f, struct pl_recording *r, uint64_t seq, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = f->thread->process,
		.thread = f->thread->number,
		.kinds = frames_kinds(),
		.may = generator_may,
		.is = put_generator,
		.context = f,
		.stop = f->stop};
	struct pl_search *search = NULL;
	struct pl_event e;

	if (!seq || !needs_frames(f))
		return 0;
	int code = pl_search_new(&search, r, &wanted, err);
	if (code == 0) {
		pl_search_want_values(search, true);
		code = pl_search_next(search, 0, seq, &e, err);
	}
	pl_search_free(search);
	f->known_to = seq;
	return code < 0 ? code : 0;
}

void calls_filter_release(struct calls_filter *f)
{
	pl_search_free(f->search);
	f->search = NULL;
	frames_release(&f->known);
	f->known_to = 0;
}
