/* The longest pass of each line, and the longest call of each function. */
#include "trace/profile.h"

#include "trace/blocks.h"
#include "trace/parts.h"

/* ---- time ---- */

/* The times come from a file, so the difference may not fit an int64. */
static int64_t apart_ns(int64_t from, int64_t to)
{
	int64_t ns;

	return __builtin_sub_overflow(to, from, &ns) ? INT64_MAX : ns;
}

/* The range is of the clock that people read (real), and a span's length is of the one that does
 * not jump (mono): what is outside the range is taken off. */
double profile_wanted_ns(const struct pl_profile *p, uint64_t from_ticks, uint64_t to_ticks)
{
	const struct pl_times_range *range = &p->wanted.range;
	struct clock_time from, to;

	clockmap_time(&p->r->clock, from_ticks, &from);
	clockmap_time(&p->r->clock, to_ticks, &to);
	double left = (double)apart_ns(from.mono_ns, to.mono_ns);
	if (range->from_ns > from.real_ns)
		left -= (double)apart_ns(from.real_ns, range->from_ns);
	if (range->to_ns && range->to_ns < to.real_ns)
		left -= (double)apart_ns(range->to_ns, to.real_ns);
	return left > 0 ? left : 0;
}

/* The distance between two stamps around this time: how late an event without its own time can be
 * noted. */
int64_t profile_tick_ns(const struct pl_profile *p, uint64_t ticks)
{
	struct clock_time time;

	clockmap_time(&p->r->clock, ticks, &time);
	return time.gap_ns;
}

int64_t profile_add_ns(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The part of a pass outside of the range does not count. Times as in context_frame. */
static uint64_t in_range(const struct pl_profile *p, uint64_t time)
{
	if (time >> 1 < p->range_from)
		return p->range_from << 1 | 1;
	return time >> 1 >= p->range_to ? p->range_to << 1 | 1 : time;
}

/* A pass without an own time at its beginning began within a tick before. If it is shorter than
 * that, it may have taken no time at all, and says nothing. */
bool profile_longest(
	const struct pl_profile *p, struct pl_longest *l, const struct profile_pass *pass)
{
	const uint64_t from = in_range(p, pass->from), to = in_range(p, pass->to);
	uint64_t ticks = to > from ? (to >> 1) - (from >> 1) : 0;
	int64_t ns = ticks > pass->idle ? clockmap_span(&p->r->clock, ticks - pass->idle) : 0;

	if (ns <= l->ns)
		return false;
	int64_t bound = from & 1 ? 0 : profile_tick_ns(p, from >> 1);
	if (ns <= bound)
		return false;
	l->ns = ns;
	l->error_ns = profile_add_ns(bound, to & 1 ? 0 : profile_tick_ns(p, to >> 1));
	l->error_ns = profile_add_ns(l->error_ns, pass->unsure_ns);
	l->at_ns = recording_time(p->r, from >> 1);
	l->to_ns = recording_time(p->r, to >> 1);
	l->thread = p->thread ? p->thread->public.number : 0;
	return true;
}

/* ---- what took longest ---- */

/* How deep the frame is. */
static uint32_t index_of(const struct pl_profile *p, const struct context_frame *f)
{
	return (uint32_t)(f - p->contexts.frames);
}

int64_t profile_tail_unsure_ns(const struct shared_line *l)
{
	return l->tail_rows > 1 ? (int64_t)(l->tail_ns - l->tail_ns / l->tail_rows) : 0;
}

void profile_passed_at(
	struct pl_profile *p, const struct context_frame *f, const struct stood *stood, uint64_t to)
{
	struct shared_line *l = share_line(&p->share, stood->code, stood->line);

	if (f->since == CONTEXT_UNKNOWN)
		parts_note_end(p, &(struct profile_border){.depth = stood->depth - 1,
					  .code = stood->code,
					  .line = stood->line,
					  .since = to,
					  .since_idle = f->since_idle});
	else if (l)
		profile_longest(p, &l->longest,
			&(struct profile_pass){f->since, to, f->since_idle,
				profile_add_ns(f->since_unsure_ns, profile_tail_unsure_ns(l))});
}

void profile_line_passed(
	void *who, const struct context_frame *f, const struct pl_code *code, int32_t line)
{
	struct pl_profile *p = who;
	const struct stood stood = {.depth = index_of(p, f) + 1, .code = code, .line = line};

	profile_passed_at(p, f, &stood, p->contexts.now);
}

void profile_left_as(struct pl_profile *p, const struct context_frame *f, uint32_t depth,
	uint64_t to, const enum pl_block_kind *kind)
{
	uint32_t code = share_code(&p->share, f->code);
	struct pl_longest time = {0};

	if (f->task && p->tasks[f->task - 1].last < to >> 1)
		p->tasks[f->task - 1].last = to >> 1;
	if (f->entered == CONTEXT_UNKNOWN) {
		parts_note_end(p, &(struct profile_border){.depth = depth,
					  .code = f->code,
					  .of_frame = true,
					  .since = to,
					  .since_idle = f->entered_idle});
		return;
	}
	if (!profile_longest(p, &time, &(struct profile_pass){f->entered, to, f->entered_idle}))
		return;
	if (code != UINT32_MAX && time.ns > p->share.codes[code].longest.ns)
		p->share.codes[code].longest = time;
	bool is_loop = p->wanted.blocking_ns && time.ns >= p->wanted.blocking_ns;
	struct profile_task *task = f->task && p->wanted.tasks ? &p->tasks[f->task - 1] : NULL;
	if (!is_loop && !task)
		return;
	struct profile_recent most = blocks_most(p, f->entered >> 1);
	if (is_loop)
		blocks_note_loop(
			p, f, kind ? *kind : blocks_kind(&p->contexts, f, depth), &time, &most);
	if (task && time.ns > task->public.longest.ns) {
		task->public.longest = time;
		task->line = most.line;
	}
}

void profile_left_at(
	struct pl_profile *p, const struct context_frame *f, uint32_t depth, uint64_t to)
{
	profile_left_as(p, f, depth, to, NULL);
}

void profile_split_at_wait(struct pl_profile *p, uint64_t idle_ticks)
{
	struct contexts *x = &p->contexts;

	p->pass++;
	for (uint32_t i = 0; i < x->depth; i++) {
		struct context_frame *f = &x->frames[i];
		if (!blocks_is_of_loop(f))
			continue;
		f->entered_idle -= idle_ticks;
		profile_left_at(p, f, i, p->idle_from << 1 | 1);
		f->entered = x->now;
		f->entered_idle = 0;
	}
}

/* Idle time is not of the lines and frames that are on the stack meanwhile: it is subtracted when
 * they end. */
void profile_pass_idle(struct pl_profile *p, uint64_t ticks)
{
	for (uint32_t i = 0; i < p->contexts.depth; i++) {
		p->contexts.frames[i].since_idle += ticks;
		p->contexts.frames[i].entered_idle += ticks;
	}
}

void profile_frame_left(void *who, const struct context_frame *f)
{
	struct pl_profile *p = who;

	profile_left_at(p, f, index_of(p, f), p->contexts.now);
}
