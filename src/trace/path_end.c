/* The end of a thread's path, where it breaks off: the program was killed, or still runs, recorded
 * or no longer.
 *
 *	... | call work | gap | work:6? | return? | stuck:13? |                       end
 *	    ^ the last event, up to a tick later             x    x    x    x    x    x
 *	                                                     samples of one line, stuck:13
 *
 * What has no event may have run after the last one. So the time up to the end belongs to the lines
 * of samples, not to what the path has last. While all samples are of one line, the thread stood
 * still there. A line has the time from each of its samples to the next sample, of any line. The
 * weights of samples say less: a thread that waits is looked at less often. Without samples
 * it may have been at any of the possible lines, and each of them has an error of the whole time.
 */
#include "trace/profile.h"

#include "base/loops.h"
#include "trace/blocks.h"

/* A running program has written by then what it did when its clock was read. */
#define WRITTEN_NS INT64_C(500000000)

bool path_end_has(const struct pl_event *row)
{
	return row->kind == PL_EVENT_POSSIBLE ||
	       (row->kind == PL_EVENT_GAP &&
		       (row->gap == PL_GAP_KILLED || row->gap == PL_GAP_LIVE ||
			       row->gap == PL_GAP_DETACHED));
}

static int add_to_tail(
	struct pl_profile *p, const struct pl_code *code, int32_t line, uint32_t node)
{
	if (share_tail(&p->share, code, line, node))
		return PL_ERR_MEMORY;
	blocks_note_tail(p, node);
	return 0;
}

/* The rows after the last event: each line that may have run there is possible, and can share the
 * time up to the end. */
int path_end_row(struct pl_profile *p, const struct pl_event *row)
{
	const struct contexts *x = &p->contexts;
	uint32_t node = row->depth < x->depth ? x->frames[row->depth].node : 0;

	p->end.open = true;
	p->end.detached = row->kind == PL_EVENT_GAP && row->gap == PL_GAP_DETACHED;
	if (row->kind != PL_EVENT_POSSIBLE || row->line <= 0)
		return 0;
	struct shared_line *l = share_line(&p->share, row->code, row->line);
	if (!l)
		return PL_ERR_MEMORY;
	l->possible = true;
	return add_to_tail(p, row->code, row->line, node);
}

/* ---- when ---- */

/* When a thread of a running program was seen last. */
static int seen_last(const struct pl_profile *p, uint64_t *ticks, struct pl_err *err)
{
	struct samples_walk w = {.r = p->r, .process = p->wanted.range.process};
	struct sample s;
	int code;

	while ((code = samples_walk_next(&w, &s, err)) == 0)
		if (s.thread == p->thread->public.number && s.ticks >= *ticks)
			*ticks = s.ticks + 1;
	samples_walk_release(&w);
	return code == PL_END ? 0 : code;
}

/* Where nobody may look: an event before the newest reading of the clocks would be here. */
static uint64_t read_last(const struct pl_profile *p, uint64_t ticks)
{
	const struct clockmap *m = &p->r->clock;
	uint64_t newest = m->count ? m->points[m->count - 1].s.ticks : 0;

	return newest > ticks && clockmap_span(m, newest - ticks) > WRITTEN_NS ? newest : ticks;
}

static int end_of_running(const struct pl_profile *p, uint64_t *ticks, struct pl_err *err)
{
	const uint64_t last = *ticks;
	int code = p->walk.clock.path.stack.depth ? seen_last(p, ticks, err) : 0;

	if (code == 0 && p->walk.clock.path.stack.depth && *ticks == last)
		*ticks = read_last(p, last);
	return code;
}

/* The time by which the last event had come. */
static uint64_t after_events(const struct pl_profile *p)
{
	double a_tick = (double)clockmap_span(&p->r->clock, UINT32_MAX) / UINT32_MAX;
	double ticks = a_tick > 0 ? (double)profile_tick_ns(p, p->open_ticks) / a_tick : 0;

	return ticks < (double)(UINT64_MAX / 2 - p->open_ticks) ? p->open_ticks + (uint64_t)ticks
								: UINT64_MAX;
}

int path_end_find(struct pl_profile *p, uint64_t *end_ticks, struct pl_err *err)
{
	const struct process_entry *process = recording_find_process(p->r, p->wanted.range.process);
	struct pl_event row;
	int code = 0;

	*end_ticks = p->walk.clock.ticks;
	if (p->thread->ended && !p->end.detached)
		*end_ticks = p->thread->end_ticks;
	else if (process && process->ended)
		*end_ticks = process->end_ticks;
	else
		code = end_of_running(p, end_ticks, err);
	while (code == 0 && (code = walk_possible(&p->walk, &row, err)) == 0)
		code = path_end_row(p, &row);
	p->end.from = after_events(p);
	return code == PL_END ? 0 : code;
}

/* ---- where ---- */

/* Does an event loop wait in the top one of so many frames? */
static bool is_loop_wait(const struct profile_end *e, const struct contexts *x, uint32_t frames)
{
	const uint32_t all = frames;

	while (frames && loops_selects(code_bare_name(x->frames[frames - 1].code)))
		frames--;
	if (!frames || (frames == all && !e->waiting))
		return false;
	const struct pl_code *run = x->frames[frames - 1].code;
	return loops_run(pl_code_file(run), code_bare_name(run));
}

/* The frame of a sample is the innermost one with its code. If that is the frame in which the
 * thread is, and its last line is the sample's, then it stood there since the last event: the pass
 * of the line goes on, and is not a new one. */
static void find_frame(struct pl_profile *p, bool first)
{
	struct profile_end *e = &p->end;
	const struct contexts *x = &p->contexts;
	const struct stack *s = &p->walk.clock.path.stack;
	uint32_t i = x->depth < s->depth ? x->depth : s->depth;

	while (i && x->frames[i - 1].code != e->code)
		i--;
	e->frame = i;
	e->node = i ? x->frames[i - 1].node : contexts_loose(&p->contexts, e->code);
	e->idle = is_loop_wait(e, x, i);
	e->stays = i && first &&
		   code_place_line(thread_path_code_of(&p->walk.clock.path, s->frames[i - 1].code),
			   stack_place_of(s, i - 1), s->frames[i - 1].value) == e->line;
}

/* The line of the last sample has the time since. */
static int share_stood(struct pl_profile *p, uint64_t to_ticks)
{
	struct profile_end *e = &p->end;
	const uint64_t from = e->shared;

	e->shared = to_ticks;
	if (!e->code || e->idle)
		return 0;
	return share_sample(&p->share, e->code, e->line,
		profile_wanted_ns(p, from, to_ticks) / LOOK_NS, e->waiting);
}

void path_end_look(struct pl_profile *p, uint64_t ticks, const struct pl_code *code, int32_t line)
{
	struct profile_end *e = &p->end;

	code = code_first(code);
	if (e->look_code != code || e->look_line != line) {
		e->left = e->last;
		e->first = ticks;
	}
	e->look_code = code;
	e->look_line = line;
	e->last = ticks;
}

/* The last look found another line than those before: it has been there since some time after the
 * last one of these. If the path has that line last, an event says since when. */
static void begin_stand(struct pl_profile *p)
{
	struct profile_end *e = &p->end;
	const bool is_first = !e->code;

	e->code = e->look_code;
	e->line = e->look_line;
	find_frame(p, is_first);
	e->since = p->open_ticks;
	if (e->stays)
		e->error_ns = profile_tick_ns(p, p->open_ticks);
	else
		e->since = blocks_between(
			p, e->left ? e->left : p->open_ticks, e->first, &e->error_ns);
}

/* The thread stood at the line up to about then; `gone`: it was at another line then. */
static void note_stood(struct pl_profile *p, uint64_t to_ticks, int64_t to_error_ns, bool gone)
{
	const struct profile_end *e = &p->end;
	struct shared_line *l = e->code ? share_line(&p->share, e->code, e->line) : NULL;
	int64_t least = p->wanted.blocking_ns;

	if (!l || e->idle)
		return;
	const struct profile_pass pass = {e->since << 1, to_ticks << 1, 0};
	const int64_t error_ns = profile_add_ns(e->error_ns, to_error_ns);
	if ((!e->stays || gone) && profile_longest(p, &l->longest, &pass) &&
		l->longest.error_ns < error_ns)
		l->longest.error_ns = error_ns;
	double ns = profile_wanted_ns(p, e->since, to_ticks);
	if (!least || ns < (double)least)
		return;
	blocks_add(p, &(struct pl_profile_block){.kind = PL_BLOCK_STILL,
			      .thread = p->thread->public.number,
			      .time = {.ns = ns < (double)TIME_NS_MAX ? (int64_t)ns : TIME_NS_MAX,
				      .error_ns = error_ns,
				      .at_ns = recording_time(p->r, e->since)},
			      .from_seq = e->stays ? p->open_seq : p->row_seq,
			      .before_seq = p->row_seq,
			      .node = e->node,
			      .code = e->code,
			      .line = e->line,
			      .task_id = blocks_task_of(p, e->node)});
}

/* One sample after the last event, in order of time. The line before it gets the time up to here.
 * If it is another line, the thread has moved, so a new stand begins. */
int path_end_sample(
	struct pl_profile *p, const struct sample *s, const struct pl_code *code, int32_t line)
{
	struct profile_end *e = &p->end;

	if (!e->code)
		e->shared = e->from;
	else if (share_stood(p, s->ticks))
		return PL_ERR_MEMORY;
	const bool moved = e->code != code_first(code) || e->line != line;
	if (moved && e->code) {
		int64_t error_ns = 0;
		uint64_t to = blocks_between(p, e->last, s->ticks, &error_ns);
		note_stood(p, to, error_ns, true);
	}
	path_end_look(p, s->ticks, code, line);
	e->waiting = s->waiting;
	if (moved)
		begin_stand(p);
	struct shared_line *l = share_line(&p->share, code, line);
	if (!l)
		return PL_ERR_MEMORY;
	l->possible = true;
	return e->idle || l->tail_rows ? 0 : add_to_tail(p, code, line, e->node);
}

/* The last line gets the rest. If an event loop waited there, this is idle time, and not the
 * line's. */
int path_end_close(struct pl_profile *p, uint64_t end_ticks)
{
	int code = share_stood(p, end_ticks);

	note_stood(p, end_ticks, profile_tick_ns(p, end_ticks), false);
	if (!p->end.code || !p->end.idle)
		return code;
	if (p->idle_to <= p->open_ticks)
		p->idle_from = p->end.since;
	p->idle_to = end_ticks;
	if (end_ticks > p->end.since)
		profile_pass_idle(p, end_ticks - p->end.since);
	return code;
}

/* ---- without samples ---- */

/* It stood still at the line that the path has last, or at a later one. */
static void note_guess(struct pl_profile *p, double ns)
{
	const struct contexts *x = &p->contexts;
	int64_t least = p->wanted.blocking_ns;
	int32_t line;
	const struct pl_code *code = thread_path_runs(&p->walk.clock.path, &line);

	if (!least || ns < (double)least || !code || !x->depth)
		return;
	blocks_add(p, &(struct pl_profile_block){.kind = PL_BLOCK_STILL,
			      .or_later = true,
			      .thread = p->thread->public.number,
			      .time = {.ns = ns < (double)TIME_NS_MAX ? (int64_t)ns : TIME_NS_MAX,
				      .error_ns = profile_tick_ns(p, p->open_ticks),
				      .at_ns = recording_time(p->r, p->open_ticks)},
			      .from_seq = p->open_seq,
			      .before_seq = p->row_seq,
			      .node = x->frames[x->depth - 1].node,
			      .code = code_first(code),
			      .line = line,
			      .task_id = blocks_task_of(p, x->frames[x->depth - 1].node)});
}

/* Without samples: each possible line, and each function on the stack, may have had all of the
 * time, so all of it is their error. A thread counts once for a function, even if that is on the
 * stack several times. */
void path_end_unsure(struct pl_profile *p, double ns)
{
	struct share *s = &p->share;
	const struct contexts *x = &p->contexts;

	if (p->end.code || !(ns > 0))
		return;
	for (uint32_t i = 0; i < s->touched_count; i++) {
		struct shared_line *l = &s->lines[s->touched[i]];
		double own = l->span_ns[0] + l->span_ns[1];
		if (l->tail_rows && ns > own)
			l->unsure_ns += ns - own;
	}
	for (uint32_t i = 0; i < x->depth; i++) {
		uint32_t code = share_code(s, x->frames[i].code);
		if (code == UINT32_MAX || s->codes[code].unsure_of == p->thread->public.number + 1)
			continue;
		s->codes[code].unsure_of = p->thread->public.number + 1;
		s->codes[code].unsure_ns += ns;
	}
	note_guess(p, ns);
}

bool path_end_kept(const struct pl_profile *p, uint32_t frame)
{
	return !p->end.open || frame < p->end.frame;
}

bool path_end_stayed(const struct pl_profile *p, uint32_t frame)
{
	const struct profile_end *e = &p->end;

	return !e->open || frame + 1 < e->frame || (frame + 1 == e->frame && e->stays);
}
