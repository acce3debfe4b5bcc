/* Between two stamps of a thread; its time is shared when it closes. */
#include "trace/profile.h"

#include "trace/blocks.h"

/* Is the sample in what is shared of the span, without its idle time and what is out of the range?
 * Then also the ends of that. */
static bool is_sample_shared(
	const struct pl_profile *p, const struct sample *s, uint64_t *from, uint64_t *to)
{
	if (*from < p->range_from)
		*from = p->range_from;
	if (*to > p->range_to)
		*to = p->range_to;
	if (*from < p->idle_to && s->ticks >= p->idle_to)
		*from = p->idle_to;
	if (*to > p->idle_from && s->ticks < p->idle_from)
		*to = p->idle_from;
	return s->ticks >= *from && s->ticks < *to &&
	       !(s->ticks >= p->idle_from && s->ticks < p->idle_to);
}

/* The line of the last looks is over. */
static int end_stay(struct pl_profile *p)
{
	const struct profile_stay stay = p->stay;

	p->stay = (struct profile_stay){0};
	if (!(stay.least_ns > stay.ns))
		return 0;
	return share_sample(
		&p->share, stay.code, stay.line, (stay.least_ns - stay.ns) / LOOK_NS, stay.waiting);
}

/* The look has its part of the span's time. */
static int add_part(struct pl_profile *p, const struct pl_code *code, int32_t line, uint64_t ticks)
{
	struct profile_stay *stay = &p->stay;
	const struct looks *l = &p->seen;
	const double ns = (double)clockmap_span(&p->r->clock, ticks);

	if ((stay->code != code || stay->line != line) && end_stay(p))
		return PL_ERR_MEMORY;
	if (!stay->code)
		*stay = (struct profile_stay){.code = code,
			.line = line,
			.waiting = l->sample.waiting,
			.least_ns =
				l->rare ? (double)clockmap_span(&p->r->clock, looks_before(l)) : 0};
	stay->ns += ns;
	return share_sample(&p->share, code, line, ns / LOOK_NS, l->sample.waiting);
}

/* One of the span. A look takes a moment: close to an event it may find the line on the other side
 * of it. What the stamps prove is right, then. */
static int take_sample(struct pl_profile *p, uint64_t end_ticks)
{
	const struct sample *s = &p->seen.sample;
	uint64_t from = p->open_ticks, to = end_ticks;
	int32_t line = 0;

	const struct pl_code *c = profile_code_of_sample(p, s, &line);
	const bool ends = p->end.open && s->ticks >= p->end.from;
	if (!line)
		return 0;
	if (!ends && s->ticks >= p->open_ticks) {
		if (p->end.open)
			path_end_look(p, s->ticks, c, line);
		else if (p->idle_to <= p->open_ticks)
			blocks_look(p, s->ticks, c, line);
	}
	if (!ends && !is_sample_shared(p, s, &from, &to))
		return 0;
	struct shared_line *l = share_line(&p->share, c, line);
	if (!l)
		return PL_ERR_MEMORY;
	hidden_look(p, (uint32_t)(l - p->share.lines) + 1, from, to);
	if (ends)
		return path_end_sample(p, s, c, line);
	if (p->proven_call && !share_touched(&p->share, c, line))
		return 0;
	return add_part(p, c, line, looks_part(&p->seen, from, to));
}

/* The samples from the beginning of the span to its end. */
static int take_samples(struct pl_profile *p, uint64_t end_ticks)
{
	int code = 0;

	hidden_begin(p);
	while (code == 0 && p->seen.has_sample && p->seen.sample.ticks < end_ticks) {
		code = take_sample(p, end_ticks);
		if (code == 0)
			code = looks_next(&p->seen, p->err);
	}
	hidden_none(p, end_ticks);
	return code ? code : end_stay(p);
}

static int add_transition_row(void *context, const struct pl_count *row)
{
	struct pl_profile *p = context;

	if (share_rows(&p->share, row->code, row->line, (double)row->events))
		return PL_ERR_MEMORY;
	if (pl_event_is_pass(row->kind)) /* share_rows has just looked it up */
		p->share.lines[p->share.last].hits += row->events;
	return 0;
}

int profile_take_transitions(struct pl_profile *p)
{
	return fast_forward_take(&p->forward, add_transition_row, p);
}

/* Of the span, in ns; it belongs to no line. */
static double idle_part(const struct pl_profile *p, uint64_t end_ticks)
{
	uint64_t from = p->idle_from > p->open_ticks ? p->idle_from : p->open_ticks;
	uint64_t to = p->idle_to < end_ticks ? p->idle_to : end_ticks;

	return to > from ? profile_wanted_ns(p, from, to) : 0;
}

/* The time of a row of the tail. */
static double tail_part(const struct pl_profile *p, uint32_t i)
{
	const struct shared_line *l = &p->share.lines[p->share.tail[i].line];

	return l->tail_rows ? l->tail_ns / l->tail_rows : 0;
}

/* The time `ns` before the end, as times of frames are. */
static uint64_t before_end(const struct pl_profile *p, uint64_t end_ticks, double ns)
{
	double a_tick = (double)clockmap_span(&p->r->clock, UINT32_MAX) / UINT32_MAX;
	double ticks = a_tick > 0 ? ns / a_tick : 0;

	if (ticks >= (double)(end_ticks - p->open_ticks))
		return p->open_ticks << 1;
	return (end_ticks - (uint64_t)ticks) << 1;
}

void profile_begin_line(struct context_frame *f, uint64_t now, int64_t unsure_ns)
{
	f->since = now;
	f->since_idle = 0;
	f->since_unsure_ns = unsure_ns;
}

static void left_in_tail(struct pl_profile *p, const struct profile_left *l, uint64_t to)
{
	if (l->stood.code)
		profile_passed_at(p, &l->frame, &l->stood, to);
	if (l->gone)
		profile_left_as(p, &l->frame, l->stood.depth - 1, to, &l->kind);
}

void profile_leave_aside(struct pl_profile *p, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_left *l = &p->left[i];
		if (l->gone)
			profile_left_as(p, &l->frame, l->stood.depth - 1, l->now, &l->kind);
	}
	p->left_count -= count;
	memmove(p->left, p->left + count, p->left_count * sizeof *p->left);
}

/* When the rows of a long tail ended follows from the time of each: lines passed, frames left. */
static void note_tail(struct pl_profile *p, uint64_t end_ticks)
{
	struct share *s = &p->share;
	struct contexts *x = &p->contexts;
	double after = 0;
	uint32_t n_left = p->left_count;

	for (uint32_t i = s->tail_count; i--;) {
		uint64_t end = before_end(p, end_ticks, after);
		while (n_left && p->left[n_left - 1].tail > i)
			left_in_tail(p, &p->left[--n_left], end);
		after += tail_part(p, i);
		uint64_t begin = before_end(p, end_ticks, after);
		struct shared_line *l = &s->lines[s->tail[i].line];
		if (i + 1 == s->tail_count && p->tail_line && p->tail_line == x->depth)
			profile_begin_line(
				&x->frames[x->depth - 1], begin, profile_tail_unsure_ns(l));
		else if (i + 1 < s->tail_count)
			profile_longest(p, &l->longest,
				&(struct profile_pass){begin, end, 0, profile_tail_unsure_ns(l)});
	}
	while (n_left)
		left_in_tail(p, &p->left[--n_left], before_end(p, end_ticks, after));
	p->left_count = 0;
}

int profile_close_span(struct pl_profile *p, uint64_t end_ticks)
{
	int code = profile_take_transitions(p);

	p->proven_call = p->exact_from && p->exact_to && !(idle_part(p, end_ticks) > 0) &&
			 share_is_one_call(&p->share, &p->contexts);
	p->proven = p->proven_call && share_is_one(&p->share);
	if (code == 0)
		code = take_samples(p, end_ticks);
	if (code == 0 && p->end.open)
		code = path_end_close(p, end_ticks);
	double ns = end_ticks > p->open_ticks ? profile_wanted_ns(p, p->open_ticks, end_ticks) : 0;
	int64_t tick = profile_tick_ns(p, p->open_ticks);
	double idle = idle_part(p, end_ticks);

	p->idle_ns += idle < ns ? idle : ns;
	ns -= idle < ns ? idle : ns;
	if (tick > p->tick_ns && tick < INT64_MAX)
		p->tick_ns = tick;
	share_out(&p->share, &p->contexts, ns, ns > (double)tick ? ns - (double)tick : 0);
	if (p->proven_call)
		share_sure(&p->share, &p->contexts, ns, p->proven);
	hidden_close(p, ns, (double)tick);
	p->exact_from = p->exact_to;
	p->exact_to = false;
	blocks_note_still(p, end_ticks, ns, tick); /* before note_tail, which asks what took most */
	if (p->end.open)
		path_end_unsure(p, ns);
	else if (ns > (double)tick && p->share.tail_count)
		note_tail(p, end_ticks);
	profile_leave_aside(p, p->left_count);
	p->tail_line = 0;
	share_forget(&p->share, &p->contexts);
	p->open_ticks = end_ticks;
	p->open_seq = p->row_seq;
	return code;
}
