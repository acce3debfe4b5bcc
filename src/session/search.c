/* Looking for events in all threads of a process, in their order. */
#include <stdlib.h>
#include "session/replay_own.h"

bool order_place_before(const struct pl_event *e, const void *key)
{
	const struct order_place *place = key;

	return order_place_is_before(e->order, place->of, place);
}

uint64_t *replay_near(struct replay *p, uint32_t process, uint32_t thread)
{
	const struct pl_process *of = pl_recording_find_process(p->r, process);

	if (!of || thread >= of->thread_count)
		return NULL;
	if (p->near_process != process || p->near_count < of->thread_count) {
		free(p->near);
		p->near = calloc(of->thread_count, sizeof *p->near);
		p->near_count = p->near ? of->thread_count : 0;
		p->near_process = process;
	}
	return p->near ? &p->near[thread] : NULL;
}

int replay_seq_from(struct replay *p, const struct pl_event *of, struct path *path, uint64_t *seq,
	struct pl_err *err)
{
	const struct order_place place = {
		.order = of->order, .thread = of->position.thread, .of = path->thread};
	uint64_t *near = replay_near(p, path->process, path->thread);
	struct pl_event e;
	int code = path_search(
		path, &(struct path_key){order_place_before, &place, near ? *near : 0}, &e, err);

	*seq = code == 0 ? e.seq : UINT64_MAX;
	if (code >= 0 && near)
		*near = *seq;
	return code < 0 ? code : 0;
}

int replay_seq_in(struct replay *p, struct path *path, uint64_t *seq, struct pl_err *err)
{
	return replay_seq_from(p, &p->at, path, seq, err);
}

/* What is looked for, and the nearest so far. */
struct search {
	/* in */
	bool back;
	uint32_t kinds;
	bool values; /* `is` needs them */
	bool (*may)(void *context, const struct pl_count *row);
	int (*is)(void *context, const struct pl_event *e);
	/* NULL, or called before another part of the path: *found is an event of it that is wanted
	 * whatever `is` says, or UINT64_MAX. */
	int (*begin)(struct search *s, uint64_t seq, uint64_t to, uint64_t *found);
	struct replay *replay;
	struct path *path; /* of the thread that is searched */
	const struct pattern *pattern;
	struct pl_err *err;
	/* out */
	bool found;
	struct pl_event best;
};

/* Called by a search for each part of the path that it comes to. */
static void passes(void *context, uint64_t seq)
{
	const struct search *s = context;

	if (s->replay->progress)
		s->replay->progress(s->replay->context, s->path->thread, seq);
}

/* The nearest to where the search began, of all threads: forward the first, backward the last. */
static void keep_nearest(struct search *s, const struct pl_event *e)
{
	const struct order_place best = {.order = s->best.order, .thread = s->best.position.thread};

	if (s->found && order_place_is_before(e->order, e->position.thread, &best) == s->back)
		return;
	s->best = *e;
	s->best.task = NULL;
	s->found = true;
}

/* One thread from seq up to `to`; back: from before seq down to `to`. What `begin` knows already is
 * a limit for the search, and its result if the search finds nothing before it. */
static int search_path(
	struct replay *p, struct search *s, struct path *path, uint64_t seq, uint64_t to)
{
	const struct pl_wanted wanted = {.process = path->process,
		.thread = path->thread,
		.kinds = s->kinds,
		.may = s->may,
		.is = s->is,
		.context = s,
		.passes = passes,
		.stop = p->stop};
	struct pl_search *search = NULL;
	uint64_t known = UINT64_MAX;
	const struct pl_event *at;
	struct pl_event e;
	int code;

	s->path = path;
	code = s->begin ? s->begin(s, seq, to, &known) : 0;
	if (code == 0)
		code = pl_search_new(&search, p->r, &wanted, s->err);
	if (code == 0)
		pl_search_want_values(search, s->values);
	if (code == 0 && known != UINT64_MAX)
		to = known;
	if (code == 0)
		code = s->back ? pl_search_previous(search, seq, to, &e, s->err)
			       : pl_search_next(search, seq, to, &e, s->err);
	pl_search_free(search);
	if (code == PL_END && known != UINT64_MAX) {
		code = path_from(path, known, &at, s->err);
		if (code == 0)
			e = *at;
	}
	if (code == 0)
		keep_nearest(s, &e);
	return code < 0 ? code : 0;
}

/* Another thread from the same place in the process's order, at most to the nearest event that was
 * found so far. */
static int search_other(struct replay *p, struct search *s, uint32_t thread)
{
	struct path other = {
		.r = p->r, .process = p->at.position.process, .thread = thread, .stop = p->stop};
	const struct order_place best = {
		.order = s->best.order, .thread = s->best.position.thread, .of = thread};
	uint64_t from, to = s->back ? 0 : UINT64_MAX;
	int code = replay_seq_in(p, &other, &from, s->err);

	if (code == 0 && s->found)
		code = path_bound(&other, &(struct path_key){order_place_before, &best, from},
			s->back, &to, s->err);
	if (code == 0 && (s->back ? to < from : from < to))
		code = search_path(p, s, &other, from, to);
	path_release(&other);
	return code;
}

/* The thread of the position comes first, because what it finds is a limit for the others. */
static int search_threads(struct replay *p, struct search *s)
{
	const struct pl_process *process = pl_recording_find_process(p->r, p->at.position.process);
	uint32_t here = p->at.position.thread;
	const struct pl_event *e;
	uint64_t seq;

	s->replay = p;
	int code = search_path(
		p, s, &p->path, s->back ? p->at.seq : p->at.seq + 1, s->back ? 0 : UINT64_MAX);
	for (uint32_t n = 0; !p->only_here && process && n < process->thread_count && code == 0;
		n++)
		if (n != here)
			code = search_other(p, s, n);
	if (code < 0)
		return code;
	if (!s->found || *p->stop)
		return PL_END;
	replay_follow_thread(p, s->best.position.process, s->best.position.thread);
	seq = s->best.seq;
	code = path_from(&p->path, seq, &e, s->err);
	if (code == 0)
		replay_arrive(p, e);
	return code;
}

static bool may_stop(void *context, const struct pl_count *row)
{
	return stops_may(&((struct search *)context)->replay->stops, row);
}

static int stops_here(void *context, const struct pl_event *e)
{
	struct search *s = context;

	return stops_match(&s->replay->stops, s->path, e, s->err);
}

/* Stops that count hits are found by counting, not by looking at events. */
static int begin_stops(struct search *s, uint64_t seq, uint64_t to, uint64_t *found)
{
	struct replay *p = s->replay;

	const struct seqs in = {
		.from = s->back ? to : seq, .to = s->back ? seq : to, .back = s->back};

	const int code = stops_begin(&p->stops, s->path, seq);
	return code ? pl_err_cause(s->err, code, "no memory for conditions")
		    : stops_hit(&p->stops, s->path, &in, found, s->err);
}

int replay_continue(struct replay *p, bool back, struct pl_err *err)
{
	struct search s = {.back = back,
		.kinds = stops_kinds(&p->stops),
		.values = stops_need_values(&p->stops),
		.may = may_stop,
		.is = stops_here,
		.begin = begin_stops,
		.err = err};
	int code = search_threads(p, &s);

	if (code == 0)
		stops_arrive(&p->stops, &p->at);
	return code;
}

static bool has_pattern(const struct search *s, const char *text)
{
	return text && pattern_has(s->pattern, text);
}

/* Of a call its function decides, which a row has; of a raise its type, which only the event
 * has. */
static bool may_have_pattern(void *context, const struct pl_count *row)
{
	return row->kind == PL_EVENT_RAISE ||
	       (row->code && has_pattern(context, pl_code_name(row->code)));
}

static int type_has_pattern(void *context, const struct pl_event *e)
{
	return e->kind != PL_EVENT_RAISE || has_pattern(context, e->type) ? 0 : PL_END;
}

int replay_search(struct replay *p, const struct pattern *pattern, bool back, struct pl_err *err)
{
	struct search s = {.back = back,
		.kinds = 1u << PL_EVENT_CALL | 1u << PL_EVENT_RAISE,
		.may = may_have_pattern,
		.is = type_has_pattern,
		.pattern = pattern,
		.err = err};

	return search_threads(p, &s);
}

/* In any thread of any process. */
static int search_all(
	struct replay *p, const struct pl_wanted *wanted, bool values, struct pl_err *err)
{
	int code = PL_END;

	for (uint32_t i = 0; code == PL_END && i < pl_recording_process_count(p->r); i++) {
		const struct pl_process *process = pl_recording_process(p->r, i);
		for (uint32_t n = 0; code == PL_END && n < process->thread_count; n++) {
			struct pl_wanted there = *wanted;
			struct pl_search *search = NULL;
			struct pl_event e;
			there.process = process->number;
			there.thread = n;
			code = pl_search_new(&search, p->r, &there, err);
			if (code == 0) {
				pl_search_want_values(search, values);
				code = pl_search_next(search, 0, UINT64_MAX, &e, err);
			}
			pl_search_free(search);
		}
	}
	return code;
}

int replay_ever(struct replay *p, const struct pl_wanted *wanted, struct pl_err *err)
{
	return search_all(p, wanted, false, err);
}

int replay_ever_valued(struct replay *p, const struct pl_wanted *wanted, struct pl_err *err)
{
	return search_all(p, wanted, true, err);
}
