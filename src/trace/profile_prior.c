/* What must be known before the first span is shared: what rows cost, and in which lines the
 * program was seen. */
#include "trace/profile.h"

#define PRIOR_BLOCKS 256u /* of a thread are counted to estimate the cost of rows */

struct prior {
	struct pl_profile *p;
	double weight; /* the number of rows that one row represents */
};

/* A row that leaves a frame does not count for its line: it belongs to the line of the caller that
 * runs then. */
static int add_prior(void *context, const struct pl_count *row)
{
	const struct prior *prior = context;
	struct share *s = &prior->p->share;

	if (row->kind == PL_EVENT_RETURN || row->kind == PL_EVENT_YIELD ||
		row->kind == PL_EVENT_UNWIND)
		return 0;
	struct shared_line *l = share_line(s, row->code, row->line);
	if (!l)
		return PL_ERR_MEMORY;
	l->rows += prior->weight * (double)row->events;
	s->rows_all += prior->weight * (double)row->events;
	return 0;
}

/* One block by itself: the walk begins there with the stack that the block opens with, and ends
 * where the next block would begin. */
static int count_block(struct prior *prior, struct fast_forward *s, struct walk *w, size_t index,
	struct pl_err *err)
{
	struct pl_event row;
	int code;

	walk_go_to(w, index);
	const struct thread_path *path = walk_path(w);
	const uint64_t own = path->blocks.next_block + 1;
	while ((code = walk_next(w, &row, err)) == 0 && path->blocks.next_block == own) {
		code = add_prior(prior,
			&(struct pl_count){
				.code = row.code, .line = row.line, .kind = row.kind, .events = 1});
		while (code == 0 && (code = fast_forward(s, &w->clock, &FAST_FORWARD_ALL)) ==
					    FAST_FORWARD_FULL) {
			code = fast_forward_take(s, add_prior, prior);
			fast_forward_forget(s);
		}
		if (code || (path->blocks.open && !path->events.left && !path->pops))
			break;
	}
	return code == PL_END ? 0 : code;
}

/* Does the block have time of the range that is wanted? */
static bool is_block_in_range(const struct pl_profile *p, const struct block_ref *b)
{
	const struct pl_times_range *range = &p->wanted.range;

	return (!range->from_ns || recording_time(p->r, b->close_ticks) >= range->from_ns) &&
	       (!range->to_ns || recording_time(p->r, b->open_ticks) <= range->to_ns);
}

int profile_count_prior(struct pl_profile *p, struct thread_entry *t, struct pl_err *err)
{
	struct fast_forward s = {0};
	struct walk w;
	size_t step = t->block_count / PRIOR_BLOCKS + 1;
	struct prior prior = {.p = p, .weight = (double)step};
	int code = 0;

	walk_init(&w, p->r, t);
	for (size_t i = 0; i < t->block_count; i++)
		p->blocks_all += is_block_in_range(p, &t->blocks[i]);
	for (size_t i = 0; i < t->block_count && code == 0; i += step)
		if (is_block_in_range(p, &t->blocks[i]))
			code = count_block(&prior, &s, &w, i, err);
	walk_release(&w);
	if (code == 0)
		code = fast_forward_take(&s, add_prior, &prior);
	fast_forward_release(&s);
	return code;
}

bool profile_is_after_range(const struct pl_profile *p, int64_t time_ns)
{
	return p->wanted.range.to_ns && time_ns > p->wanted.range.to_ns;
}

const struct pl_code *profile_code_of_sample(
	struct pl_profile *p, const struct sample *s, int32_t *line)
{
	const struct pl_code *c = code_open(p->r, s->body);

	*line = c ? flow_line_at(&c->body.graph, s->unit) : 0;
	return c;
}

/* Put the number there; 0: it was the first, or there is no memory. */
static uint64_t put_last(struct pl_map *lasts, uint64_t key, uint64_t number)
{
	uint64_t *place = map_put(lasts, key);
	uint64_t last = place ? *place : 0;

	if (place)
		*place = number;
	return last;
}

static void add_seen(struct share *s, uint64_t index, bool waiting, double looks)
{
	s->lines[index].seen[waiting] += looks;
	s->seen_all += looks;
}

/* A thread that was not looked at for longer than this was out of what is recorded. If it waited at
 * one place, the weight says that it was not. */
#define LOOKS_APART_MAX 100

/* The time from the thread's look before to this one belongs to both, as in looks.h. `lasts`: of
 * each thread the time of its last look, and index and waiting of its line. */
static void add_look(
	struct pl_profile *p, struct pl_map *lasts, const struct sample *s, uint64_t index)
{
	uint64_t at = put_last(lasts, (uint64_t)s->thread << 1, s->ticks);
	uint64_t last =
		put_last(lasts, (uint64_t)s->thread << 1 | 1, (index + 1) << 1 | s->waiting);
	double looks = 1;

	if (at && last)
		looks = s->ticks > at
				? (double)clockmap_span(&p->r->clock, s->ticks - at) / LOOK_NS / 2
				: 0;
	if (s->weight == 1 && looks > LOOKS_APART_MAX)
		looks = LOOKS_APART_MAX;
	if (at && last)
		add_seen(&p->share, (last >> 1) - 1, last & 1, looks);
	add_seen(&p->share, index, s->waiting, looks);
}

int profile_count_samples(struct pl_profile *p, struct pl_err *err)
{
	const struct pl_times_range *range = &p->wanted.range;
	struct samples_walk w = {.r = p->r, .process = range->process};
	struct pl_map lasts = {0};
	struct sample s;
	int code;

	while ((code = samples_walk_next(&w, &s, err)) == 0) {
		int64_t at = recording_time(p->r, s.ticks);
		int32_t line = 0;
		if ((range->one_thread && s.thread != range->thread) || at < range->from_ns ||
			profile_is_after_range(p, at))
			continue;
		const struct pl_code *c = profile_code_of_sample(p, &s, &line);
		struct shared_line *l = line ? share_line(&p->share, c, line) : NULL;
		if (!l)
			continue;
		add_look(p, &lasts, &s, (uint64_t)(l - p->share.lines));
		l->samples++;
		p->share.codes[l->of_code].samples++;
		p->share.looks_all += s.weight;
	}
	map_release(&lasts);
	samples_walk_release(&w);
	return code == PL_END ? 0 : code;
}
