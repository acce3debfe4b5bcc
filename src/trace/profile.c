/* Along a thread's path, span by span: fast-forwards count what ran, with contexts, up to the next
 * stamp; there the span's time is divided (share.h). The walk gives the rows around a stamp, which
 * say where the span ends.
 *
 *	count_prior             fast-forward over some blocks: what does a row of each line cost?
 *	count_profile_samples   all samples: in which lines was the program seen, and did it wait?
 *	share_thread            for each thread, from stamp to stamp:
 *	    fast_forward_to         counts rows, moves the contexts
 *	    on_row                  a row at a stamp: closes the span, then changes the stack
 *	    close_span              samples of the span, then share_out
 *
 * The cost of a row of each line must be known before the first span is divided. It is an estimate,
 * so for a large recording it comes from some of its blocks, evenly spread. That makes one pass of
 * the two short.
 *
 * Besides the sums, the longest pass of each line and the longest call of each function are kept.
 * Their times are those of frames (contexts.h): doubled ticks, odd if the event had its own time.
 */
#include "trace/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include "trace/blocks.h"
#include "trace/parts.h"

#define PRIOR_BLOCKS 256u /* of a thread are counted to estimate the cost of rows */

/* ---- what rows cost ---- */

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

/* Every n-th block of a thread, each of its rows with weight n. */
static int count_prior(struct pl_profile *p, struct thread_entry *t, struct pl_err *err)
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

/* Is a time later than what was asked for? */
static bool is_after_range(const struct pl_profile *p, int64_t time_ns)
{
	return p->wanted.range.to_ns && time_ns > p->wanted.range.to_ns;
}

/* A sample names a body and an instruction of it; its line comes from the body's table. */
static const struct pl_code *code_of_sample(
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

/* A sample is of a thread at a time, and says which instruction of which code it was in, and
 * whether it waited. */
static int count_profile_samples(struct pl_profile *p, struct pl_err *err)
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
			is_after_range(p, at))
			continue;
		const struct pl_code *c = code_of_sample(p, &s, &line);
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

/* A line that is several times in the tail: how much of its time was of which pass is not known. 0
 * while the span is not divided. */
static int64_t tail_unsure_ns(const struct shared_line *l)
{
	return l->tail_rows > 1 ? (int64_t)(l->tail_ns - l->tail_ns / l->tail_rows) : 0;
}

/* The line of a frame was over at a time (as in context_frame). */
static void passed_at(
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
				profile_add_ns(f->since_unsure_ns, tail_unsure_ns(l))});
}

/* Called by the contexts when a frame goes to another line, or ends. */
static void line_passed(
	void *who, const struct context_frame *f, const struct pl_code *code, int32_t line)
{
	struct pl_profile *p = who;
	const struct stood stood = {.depth = index_of(p, f) + 1, .code = code, .line = line};

	passed_at(p, f, &stood, p->contexts.now);
}

/* A frame was left at `to`, a time as in contexts.h. If its entry was in an earlier part, that part
 * knows when it began (parts.h). `kind`: of its block; NULL: that follows from the stack. */
static void left_as(struct pl_profile *p, const struct context_frame *f, uint32_t depth,
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

static void left_at(
	struct pl_profile *p, const struct context_frame *f, uint32_t depth, uint64_t to)
{
	left_as(p, f, depth, to, NULL);
}

/* An event loop that waits is in no pass and no callback. One that is left out does not say that
 * its callback returned: that is still on the stack, and is taken as ended before the wait and
 * begun again. */
static void split_at_wait(struct pl_profile *p, uint64_t idle_ticks)
{
	struct contexts *x = &p->contexts;

	p->pass++;
	for (uint32_t i = 0; i < x->depth; i++) {
		struct context_frame *f = &x->frames[i];
		if (!blocks_is_of_loop(f))
			continue;
		f->entered_idle -= idle_ticks;
		left_at(p, f, i, p->idle_from << 1 | 1);
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

/* Called by the contexts when a frame is left. */
static void frame_left(void *who, const struct context_frame *f)
{
	struct pl_profile *p = who;

	left_at(p, f, index_of(p, f), p->contexts.now);
}

/* ---- tasks ---- */

/* NULL: no memory. */
static struct profile_task *add_task(struct pl_profile *p, uint64_t number, const char *name)
{
	if (p->task_count == p->task_room) {
		uint32_t room = p->task_room ? p->task_room * 2 : 64;
		struct profile_task *tasks = realloc(p->tasks, room * sizeof *tasks);
		if (!tasks)
			return NULL;
		p->tasks = tasks;
		p->task_room = room;
	}
	p->tasks[p->task_count] =
		(struct profile_task){.public = {.number = number, .name = strdup(name)}};
	return p->tasks[p->task_count].public.name ? &p->tasks[p->task_count++] : NULL;
}

/* It has another name now. Without memory it keeps the old one. */
static void rename_task(struct profile_task *t, const char *name)
{
	char *copy = *name && strcmp(t->public.name, name) != 0 ? strdup(name) : NULL;

	if (!copy)
		return;
	free((char *)t->public.name);
	t->public.name = copy;
}

/* By its number; in a recording older than 1.9 by its name. */
static uint32_t find_task_row(struct pl_profile *p, const struct stack_task *task)
{
	uint64_t *place = map_put(
		&p->task_index, task->number ? hash_bytes(&task->number, sizeof task->number)
					     : hash_bytes(task->name, task->length));

	if (!place)
		return 0;
	if (!*place && p->task_count == TASKS_MAX)
		*place = TASKS_MAX;
	if (!*place && p->task_count == TASKS_MAX - 1)
		*place = add_task(p, 0, "(more tasks)") ? p->task_count : 0;
	else if (!*place)
		*place = add_task(p, task->number, task->name) ? p->task_count : 0;
	else if (*place != TASKS_MAX)
		rename_task(&p->tasks[*place - 1], task->name);
	return (uint32_t)*place;
}

/* A pass of an event loop that is left out has ended, and the next one has begun. */
static void split_pass(struct pl_profile *p)
{
	struct contexts *x = &p->contexts;

	for (uint32_t i = 0; i < x->depth; i++) {
		struct context_frame *f = &x->frames[i];
		if (!blocks_is_hidden_pass(f))
			continue;
		left_at(p, f, i, x->now);
		f->entered = x->now;
		f->entered_idle = 0;
	}
}

/* A task goes on. */
static void begin_stretch(struct pl_profile *p, uint32_t number, uint64_t ticks)
{
	struct profile_task *t = &p->tasks[number - 1];

	if (p->wanted.blocking_ns && number != TASKS_MAX && blocks_begins_pass(p, t))
		split_pass(p);
	t->public.stretches++;
	t->waits_in = 0;
	t->last = ticks;
	if (!t->first)
		t->first = ticks;
}

/* Called by the contexts when a frame is the first one of a task. Returns its number, from 1; 0: it
 * is not counted. */
static uint32_t began_task(void *who, const struct stack_task *task)
{
	struct pl_profile *p = who;
	uint32_t number = find_task_row(p, task);

	if (number && !p->before)
		begin_stretch(p, number, p->walk.clock.ticks);
	return number;
}

/* The rows before the range are over. The tasks that run at its beginning have a stretch in it. */
static void enter_range(struct pl_profile *p)
{
	const struct contexts *x = &p->contexts;

	p->before = false;
	for (uint32_t i = 0; i < x->depth; i++)
		if (x->frames[i].task)
			begin_stretch(p, x->frames[i].task, p->range_from);
}

/* Neither of the standard library nor installed. */
static bool is_own(const struct pl_profile *p, const struct pl_code *c)
{
	const char *file = pl_code_file(c);
	const struct process_entry *process = recording_find_process(p->r, p->wanted.range.process);
	const char *library = process->stdlib_dir;
	const size_t length = strlen(library);

	return strncmp(file, "<frozen ", 8) != 0 && !strstr(file, "/site-packages/") &&
	       !strstr(file, "/dist-packages/") &&
	       !(length && !strncmp(file, library, length) && file[length] == '/');
}

/* To be called before the row's frame is left. */
static void note_wait(struct pl_profile *p, const struct pl_event *row)
{
	const struct contexts *x = &p->contexts;
	const uint32_t task = row->depth < x->depth ? x->frames[row->depth].task : 0;
	struct profile_wait *in = &p->wait;

	if (row->kind != PL_EVENT_YIELD || !p->wanted.tasks)
		return;
	if (!in->code || in->seq + 1 != row->seq || in->depth != row->depth + 1)
		*in = (struct profile_wait){0};
	if (!in->code || (!in->own && is_own(p, row->code))) {
		in->own = is_own(p, row->code);
		in->code = code_first(row->code);
		in->line = row->line;
	}
	in->seq = row->seq;
	in->depth = row->depth;
	if (!task)
		return;
	struct profile_task *t = &p->tasks[task - 1];
	t->waits_in = p->thread->public.number + 1;
	t->public.wait_code = in->code;
	t->public.wait_line = in->line;
}

/* A task that never went on waits to the end of its thread's path. */
static void wait_to_end(struct pl_profile *p, uint64_t end_ticks)
{
	for (uint32_t i = 0; i < p->task_count; i++) {
		struct profile_task *t = &p->tasks[i];
		if (t->waits_in == p->thread->public.number + 1)
			t->waits_to = end_ticks;
	}
}

static void renamed_task(void *who, const struct stack_task *task)
{
	find_task_row(who, task);
}

/* ---- a span ---- */

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

	const struct pl_code *c = code_of_sample(p, s, &line);
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

static int take_profile_transitions(struct pl_profile *p)
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

static void begin_line(struct context_frame *f, uint64_t now, int64_t unsure_ns)
{
	f->since = now;
	f->since_idle = 0;
	f->since_unsure_ns = unsure_ns;
}

static void left_in_tail(struct pl_profile *p, const struct profile_left *l, uint64_t to)
{
	if (l->stood.code)
		passed_at(p, &l->frame, &l->stood, to);
	if (l->gone)
		left_as(p, &l->frame, l->stood.depth - 1, to, &l->kind);
}

/* When they ended within the span is not told: then at its beginning. */
static void leave_aside(struct pl_profile *p, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_left *l = &p->left[i];
		if (l->gone)
			left_as(p, &l->frame, l->stood.depth - 1, l->now, &l->kind);
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
			begin_line(&x->frames[x->depth - 1], begin, tail_unsure_ns(l));
		else if (i + 1 < s->tail_count)
			profile_longest(p, &l->longest,
				&(struct profile_pass){begin, end, 0, tail_unsure_ns(l)});
	}
	while (n_left)
		left_in_tail(p, &p->left[--n_left], before_end(p, end_ticks, after));
	p->left_count = 0;
}

/* The order matters. Rows and samples of the span first; then its length, without idle waits; then
 * the division, to which blocks_note_still and note_tail refer; at last all of the span is
 * forgotten, and the next one opens at the same tick. */
static int close_span(struct pl_profile *p, uint64_t end_ticks)
{
	int code = take_profile_transitions(p);

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
	leave_aside(p, p->left_count);
	p->tail_line = 0;
	share_forget(&p->share, &p->contexts);
	p->open_ticks = end_ticks;
	p->open_seq = p->row_seq;
	return code;
}

/* ---- rows ---- */

/* Before a row is taken: which line runs, at which depth. Afterwards the stack has changed. */
static struct stood line_before_row(struct pl_profile *p)
{
	struct stood s = {.depth = p->walk.clock.path.stack.depth};

	s.code = thread_path_runs(&p->walk.clock.path, &s.line);
	return s;
}

static bool is_exit(enum pl_event_kind kind)
{
	return kind == PL_EVENT_RETURN || kind == PL_EVENT_YIELD || kind == PL_EVENT_UNWIND;
}

/* The path is not known from here up to then. */
static int lose_span(struct pl_profile *p, uint64_t to_ticks)
{
	int code = take_profile_transitions(p);

	if (to_ticks > p->open_ticks)
		p->lost_ns += profile_wanted_ns(p, p->open_ticks, to_ticks);
	leave_aside(p, p->left_count);
	share_forget(&p->share, &p->contexts);
	p->open_ticks = to_ticks;
	p->open_seq = p->row_seq;
	return code;
}

/* JUMPED and KILLED are gaps without lost events: the path before them is known up to there. */
static int leave_gap(struct pl_profile *p, const struct pl_event *row)
{
	if (row->kind != PL_EVENT_GAP || row->gap == PL_GAP_JUMPED || row->gap == PL_GAP_KILLED)
		return 0;
	return lose_span(p, p->walk.clock.ticks);
}

/* In a tail: its time is known at the end of the span. */
static void put_in_tail(struct pl_profile *p, const struct stood *before, bool gone)
{
	struct contexts *x = &p->contexts;
	const bool began_here = p->tail_line == x->depth;

	if (!p->walk.clock.marks.timed) /* what comes before a stamp's row has no time of its own */
		return;
	p->tail_line = gone ? 0 : x->depth;
	if (!gone && began_here)
		return;
	struct context_frame *f = &x->frames[x->depth - 1];
	if (p->left_count == LEFT_MAX) /* the tail, too, has only its last rows */
		leave_aside(p, 1);
	p->left[p->left_count++] = (struct profile_left){.frame = *f,
		.stood = {before->depth, began_here ? NULL : before->code, before->line},
		.tail = p->share.tail_count,
		.gone = gone,
		.now = x->now,
		.kind = p->wanted.blocking_ns ? blocks_kind(x, f, x->depth - 1) : 0};
	if (gone) /* it is told later, and once */
		f->entered = x->now;
}

/* The line of the top frame is over. */
static void leave_line(struct pl_profile *p, const struct pl_event *row, const struct stood *before)
{
	struct contexts *x = &p->contexts;
	struct context_frame *f = x->depth ? &x->frames[x->depth - 1] : NULL;

	if (!f || before->depth != x->depth || !before->code)
		return;
	if (row->kind != PL_EVENT_LINE && row->kind != PL_EVENT_AGAIN && !is_exit(row->kind))
		return;
	put_in_tail(p, before, is_exit(row->kind));
	if (f->since != x->now)
		line_passed(p, f, before->code, before->line);
	begin_line(f, x->now, 0);
}

static void count_entry(struct contexts *x, enum pl_event_kind kind)
{
	struct context_frame *f = x->depth ? &x->frames[x->depth - 1] : NULL;
	enum context_entry entry = kind == PL_EVENT_CALL     ? ENTRY_CALL
				   : kind == PL_EVENT_RESUME ? ENTRY_RESUME
				   : kind == PL_EVENT_THROW  ? ENTRY_THROW
							     : ENTRY_NONE;

	if (!f || entry == ENTRY_NONE)
		return;
	x->edges[f->edge].entries[entry]++;
	f->entry = entry;
}

/* There was a TASK event about the top frame between the rows (before 1.9). */
static int meet_task(struct pl_profile *p)
{
	const struct stack *s = &p->walk.clock.path.stack;
	struct contexts *x = &p->contexts;

	if (!s->task_count || s->tasks[s->task_count - 1].frame + 1 != x->depth ||
		x->frames[x->depth - 1].task)
		return 0;
	return contexts_task(x, &p->walk.clock.path);
}

/* The line of a def begins with the call and is over at the function's first line. So its row is
 * not that of a pass, and takes no part of the tail's time. */
static void take_back_entry(struct pl_profile *p)
{
	share_shorten_tail(&p->share);
	if (p->left_count && p->left[p->left_count - 1].tail > p->share.tail_count)
		p->left[p->left_count - 1].tail = p->share.tail_count;
}

/* The row belongs to the line that runs after it. */
static int share_row(struct pl_profile *p, const struct pl_event *row, bool told)
{
	struct contexts *x = &p->contexts;
	uint32_t node = x->depth ? x->frames[x->depth - 1].node : 0;
	int32_t line;
	const struct pl_code *c = thread_path_runs(&p->walk.clock.path, &line);

	if (told)
		share_begin_tail(&p->share);
	else if (p->entered && row->kind == PL_EVENT_LINE)
		take_back_entry(p);
	p->entered = row->kind == PL_EVENT_CALL;
	for (uint32_t i = 0; p->share.tail_count == TAIL_MAX && i < p->left_count; i++)
		p->left[i].tail -= p->left[i].tail > 0; /* its first row is dropped */
	if (share_rows(&p->share, c, line, 1) || share_tail(&p->share, c, line, node))
		return PL_ERR_MEMORY;
	blocks_note_tail(p, node);
	if (node)
		contexts_rows(x, node, 1);
	if (!pl_event_is_pass(row->kind) || p->before)
		return 0;
	struct shared_line *ran = share_line(&p->share, row->code, row->line);
	if (!ran)
		return PL_ERR_MEMORY;
	ran->hits++;
	return 0;
}

/* The code of the thread's first frame; NULL: not known. */
static const struct pl_code *find_bottom(struct pl_profile *p)
{
	const struct pl_code *bottom = NULL;
	struct pl_event row;
	struct walk w;

	walk_init(&w, p->r, p->thread);
	if (walk_next(&w, &row, NULL) == 0 && row.kind == PL_EVENT_CALL && !row.depth)
		bottom = code_first(row.code);
	walk_release(&w);
	return bottom;
}

/* After the thread's first frame others run, which print the exception. So it is not the last row
 * that tells, but the code. */
static bool is_bottom(struct pl_profile *p, const struct pl_event *row)
{
	if (row->depth || row->greenlet)
		return false;
	if (!p->bottom_known)
		p->bottom = find_bottom(p);
	p->bottom_known = true;
	return p->bottom && p->bottom == code_first(row->code);
}

/* The walk's stack no longer has the frame; the contexts do. */
static int row_unwinds(struct pl_profile *p, const struct pl_event *row)
{
	int32_t line;
	const struct pl_code *below = thread_path_runs(&p->walk.clock.path, &line);
	int code = flights_row(&p->flights, &p->contexts, row, is_bottom(p, row));

	flights_below(&p->flights, below, line);
	return code;
}

/* A part begins with the stack of its first block. Only what the row itself begins has a known
 * beginning. */
static void forget_beginnings(struct pl_profile *p, const struct pl_event *row)
{
	struct contexts *x = &p->contexts;
	bool entry = row->kind == PL_EVENT_CALL || row->kind == PL_EVENT_RESUME ||
		     row->kind == PL_EVENT_THROW || row->kind == PL_EVENT_OUTSIDE;

	p->fresh = false;
	for (uint32_t i = 0; i + entry < x->depth; i++)
		x->frames[i].since = x->frames[i].entered = CONTEXT_UNKNOWN;
	if (x->depth && (row->kind == PL_EVENT_LINE || row->kind == PL_EVENT_AGAIN))
		begin_line(&x->frames[x->depth - 1], x->now, 0);
}

/* Was the row at the time of its stamp? */
static bool is_exact(const struct path_clock *c, const struct pl_event *row)
{
	return c->time_known && row->time_error_ns <= c->time.error_ns;
}

/* The order matters. Time up to the row belongs to what ran before it, so the span is closed first.
 * An exception leaves a frame while that is still on the stack; all other rows are of the stack
 * after contexts_sync. */
static int on_row(struct pl_profile *p, const struct pl_event *row, const struct stood *before)
{
	struct contexts *x = &p->contexts;
	const struct path_clock *c = &p->walk.clock;
	const bool exact = is_exact(c, row);
	int code = 0;

	p->exact_to = exact;
	p->row_seq = row->seq;
	if (!p->open) {
		p->open = true;
		p->exact_from = exact;
		p->open_ticks = c->ticks;
		p->open_seq = row->seq;
	}
	code = leave_gap(p, row);
	if (row->idle_ns) {
		p->idle_from = c->idle_from;
		p->idle_to = c->idle_from + c->idle_ticks;
	}
	if (code == 0 && c->ticks != p->open_ticks)
		code = close_span(p, c->ticks);
	x->now = c->ticks << 1 | exact;
	p->exact_to = false;
	if (p->before && row->time_ns >= p->wanted.range.from_ns)
		enter_range(p);
	if (row->idle_ns)
		profile_pass_idle(p, c->idle_ticks);
	if (row->idle_ns && p->wanted.blocking_ns)
		split_at_wait(p, c->idle_ticks);
	leave_line(p, row, before);
	const bool exceptions = p->wanted.exceptions && !p->before;
	if (code == 0 && exceptions && row->kind == PL_EVENT_UNWIND)
		code = row_unwinds(p, row);
	if (!p->before)
		note_wait(p, row);
	if (code == 0)
		code = contexts_sync(x, &p->walk.clock.path);
	if (code == 0 && p->fresh)
		forget_beginnings(p, row);
	if (code == 0 && exceptions && row->kind != PL_EVENT_UNWIND)
		code = flights_row(&p->flights, x, row, false);
	if (!p->before)
		count_entry(x, row->kind);
	if (c->path.ended && row->kind == PL_EVENT_GAP && !path_end_has(row)) {
		p->end.open = p->end.lost = true;
		return code;
	}
	if (path_end_has(row))
		return code ? code : path_end_row(p, row);
	bool told = c->path.implied == p->implied;
	p->implied = c->path.implied;
	if (code == 0)
		code = meet_task(p);
	return code ? code : share_row(p, row, told);
}

/* ---- a thread ---- */

/* Has the top frame had no event since it was called? */
static bool is_entered(const struct stack *s)
{
	return s->depth && stack_place_of(s, s->depth - 1) == PLACE_ENTRY;
}

/* To the next stamp. Without a transition between two rows nothing ran in between, and the tail is
 * that of the row before. */
static int fast_forward_to(struct pl_profile *p, const struct fast_forward_limit *limit)
{
	const uint64_t seq = p->walk.clock.path.next_seq;
	struct contexts *x = &p->contexts;
	int32_t line;
	int code;

	x->now = p->walk.clock.ticks << 1;
	while ((code = fast_forward(&p->forward, &p->walk.clock, limit)) == FAST_FORWARD_FULL) {
		code = take_profile_transitions(p);
		if (code)
			break;
		fast_forward_forget(&p->forward);
	}
	stack_mark(&p->walk.clock.path.stack);
	if (code || p->walk.clock.path.next_seq == seq)
		return code;
	/* what ran last, up to the stamp */
	const struct pl_code *c = thread_path_runs(&p->walk.clock.path, &line);
	share_begin_tail(&p->share);
	p->entered = is_entered(&p->walk.clock.path.stack);
	p->implied = p->walk.clock.path.implied;
	const uint32_t node = x->depth ? x->frames[x->depth - 1].node : 0;
	if (share_tail(&p->share, c, line, node))
		return PL_ERR_MEMORY;
	blocks_note_tail(p, node);
	return 0;
}

/* By blocks that were passed; a worker of several multiplies its own by their number. false:
 * stop. */
static bool tell_progress(struct pl_profile *p, uint64_t block)
{
	if (!p->wanted.progress || p->walk.clock.path.blocks.next_block == block)
		return true;
	p->blocks_done += p->walk.clock.path.blocks.next_block > block
				  ? p->walk.clock.path.blocks.next_block - block
				  : 0;
	uint32_t parts = p->parts ? p->parts : 1;
	double done = p->blocks_all ? (double)p->blocks_done * parts / (double)p->blocks_all : 1;
	return p->wanted.progress(p->wanted.context, done < 1 ? done : 1);
}

/* PL_END: the path is over. 0: the part or the range is, with the row that is past it in `walk`.
 * PL_END + 1: it was stopped. */
static int walk_rows(struct pl_profile *p, struct pl_err *err)
{
	const struct fast_forward_limit limit = {.ticks = p->range_to, .seq = UINT64_MAX};
	struct pl_event row;
	int code;

	for (;;) {
		const uint64_t block = p->walk.clock.path.blocks.next_block;
		code = p->open && !p->before ? fast_forward_to(p, &limit) : 0;
		if (code)
			return code;
		const struct stood before = line_before_row(p);
		code = walk_next(&p->walk, &row, err);
		if (code == 0)
			p->exact_to = is_exact(&p->walk.clock, &row);
		if (code || p->walk.clock.path.blocks.next_block > p->last_block)
			return code;
		if (!tell_progress(p, block))
			return PL_END + 1;
		code = is_after_range(p, row.time_ns) ? 0 : on_row(p, &row, &before);
		if (code || is_after_range(p, row.time_ns))
			return code;
	}
}

/* Frames that are there at the end are counted up to there. */
static void leave_all(struct pl_profile *p, uint64_t end_ticks)
{
	struct contexts *x = &p->contexts;

	wait_to_end(p, end_ticks);
	x->now = end_ticks << 1;
	while (x->depth) {
		const struct context_frame *f = &x->frames[--x->depth];
		const struct stack_frame *s = &p->walk.clock.path.stack.frames[x->depth];
		if (f->task && p->tasks[f->task - 1].last < end_ticks)
			p->tasks[f->task - 1].last = end_ticks;
		if (x->depth >= p->walk.clock.path.stack.depth || !path_end_kept(p, x->depth))
			continue;
		const struct pl_code *c = thread_path_code_of(&p->walk.clock.path, s->code);
		if (path_end_stayed(p, x->depth))
			line_passed(p, f, c,
				code_place_line(c,
					stack_place_of(&p->walk.clock.path.stack, x->depth),
					s->value));
		frame_left(p, f);
	}
}

static void begin_thread(struct pl_profile *p, struct thread_entry *thread)
{
	p->thread = thread;
	p->implied = 0;
	p->open = p->exact_from = p->exact_to = p->ends = false;
	p->idle_from = p->idle_to = 0;
	p->end = (struct profile_end){0};
	p->recent_count = p->left_count = p->tail_line = 0;
	p->stand = (struct profile_stand){0};
	p->wait = (struct profile_wait){0};
	p->pass++;
	flights_restart(&p->flights);
	walk_init(&p->walk, p->r, thread);
	p->walk.clock.path.renamed = renamed_task;
	p->walk.clock.path.who = p;
	p->walk.clock.rough = true;
	contexts_restart(&p->contexts);
	p->last_block = UINT64_MAX;
	p->fresh = p->before = p->bottom_known = false;
}

/* If the range begins between two stamps, then at the row after the first of them: what ran there
 * may still have run when the range began. */
static int seek_range(struct pl_profile *p, struct pl_err *err)
{
	const int64_t from_ns = p->wanted.range.from_ns;
	int code = walk_seek_time(&p->walk, from_ns, err);
	const int64_t span_ns = recording_time(p->r, p->walk.clock.ticks);

	if (code < 0 || span_ns >= from_ns)
		return code;
	p->before = true;
	return walk_seek_time(&p->walk, span_ns, err);
}

/* Move to where its part of the thread begins; false: it has none. */
static bool begin_part(struct pl_profile *p, struct thread_entry *thread)
{
	size_t first, last;

	if (p->parts < 2)
		return true;
	first = parts_edge(thread, p->part, p->parts);
	last = parts_edge(thread, p->part + 1, p->parts);
	if (first >= last && (thread->block_count || p->part))
		return false;
	if (first) {
		walk_go_to(&p->walk, first);
		p->fresh = true;
	}
	if (last < thread->block_count)
		p->last_block = thread->evicted + last;
	return true;
}

/* Where it ends decides what happens to the frames that are still there: at the border of a part
 * the next one goes on with them; at the end of the path, or of the range, they are over. */
static int share_thread(struct pl_profile *p, struct thread_entry *thread, struct pl_err *err)
{
	begin_thread(p, thread);
	if ((thread->ended && thread->end_ticks < p->range_from) || !begin_part(p, thread)) {
		walk_release(&p->walk);
		return 0;
	}
	int code = p->range_from ? seek_range(p, err) : 0;
	if (code == 0)
		code = looks_begin(
			&p->seen, p->r, p->wanted.range.process, p->thread->public.number, err);
	if (code == 0)
		code = walk_rows(p, err);
	uint64_t end = p->walk.clock.ticks;
	p->row_seq = p->walk.clock.path.next_seq - (code == 0 && p->walk.clock.path.next_seq);
	const bool ended = code == PL_END;
	if (ended && p->open)
		code = path_end_find(p, &end, err);
	if (code == 0 && p->open) {
		bool border = p->walk.clock.path.blocks.next_block > p->last_block;
		p->ends = ended;
		code = p->end.lost ? lose_span(p, end) : close_span(p, end);
		if (border)
			parts_keep_open(p);
		else
			leave_all(p, end);
		if (code == 0 && p->wanted.exceptions)
			code = flights_end(&p->flights, p->walk.clock.path.next_seq);
	}
	share_forget(&p->share, &p->contexts);
	looks_release(&p->seen);
	walk_release(&p->walk);
	return code == PL_END ? 0 : code;
}

/* Both passes, over each thread that is wanted. */
static int each_thread(struct pl_profile *p,
	int (*pass)(struct pl_profile *, struct thread_entry *, struct pl_err *),
	struct pl_err *err)
{
	const struct pl_times_range *range = &p->wanted.range;
	const struct process_entry *process = recording_find_process(p->r, range->process);
	int code = 0;

	for (size_t i = 0; i < process->thread_count && code == 0; i++) {
		struct thread_entry *thread = process->threads[i];
		if (!range->one_thread || thread->public.number == range->thread)
			code = pass(p, thread, err);
	}
	return code;
}

/* ---- the API ---- */

static int prepare_profile(struct pl_profile *p)
{
	int code = contexts_init(&p->contexts);

	p->share.r = p->r;
	p->contexts.who = p;
	p->contexts.passed = line_passed;
	p->contexts.left = frame_left;
	p->contexts.task = began_task;
	p->contexts.by_task = p->wanted.tasks;
	p->forward.contexts = &p->contexts;
	if (p->wanted.exceptions)
		p->forward.refused = 1u << EVENT_RAISE | 1u << EVENT_RERAISE | 1u << EVENT_HANDLED |
				     1u << EVENT_UNWIND | 1u << EVENT_THROW;
	if (p->wanted.tasks) /* the walk sees where tasks wait */
		p->forward.refused |= 1u << EVENT_SUSPEND;
	p->blocks = calloc(BLOCKS_MAX, sizeof *p->blocks);
	return code == 0 && p->blocks ? 0 : PL_ERR_MEMORY;
}

int profile_begin(struct pl_profile **out, struct pl_recording *r,
	const struct pl_profile_wanted *wanted, struct pl_err *err)
{
	struct pl_profile *p = calloc(1, sizeof *p);

	if (!p)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a profile");
	const struct pl_times_range *range = &wanted->range;
	p->r = r;
	p->wanted = *wanted;
	p->range_from = range->from_ns ? walk_ticks_of(r, range->from_ns) : 0;
	p->range_to = range->to_ns && range->to_ns < INT64_MAX ? walk_ticks_of(r, range->to_ns + 1)
							       : UINT64_MAX;
	if (prepare_profile(p)) {
		pl_profile_free(p);
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a profile");
	}
	*out = p;
	return 0;
}

/* The three passes. err is kept for the callbacks of the walk meanwhile. */
int profile_gather(struct pl_profile *p, struct pl_err *err)
{
	p->err = err;
	int code = each_thread(p, count_prior, err);
	if (code == 0)
		code = count_profile_samples(p, err);
	if (code == 0)
		code = each_thread(p, share_thread, err);
	p->err = NULL;
	return code;
}

int pl_profile_new(struct pl_profile **out, struct pl_recording *r,
	const struct pl_profile_wanted *wanted, struct pl_err *err)
{
	struct pl_profile *p = NULL;

	if (!recording_find_process(r, wanted->range.process))
		return pl_err_cause(err, PL_ERR_NOT_FOUND, "there is no process %" PRIu32,
			wanted->range.process);
	int code = profile_begin(&p, r, wanted, err);
	if (code)
		return code;
	uint32_t parts = parts_count(r, wanted);
	code = parts > 1 ? parts_gather(p, parts, err) : profile_gather(p, err);
	share_settle(&p->share, &p->contexts);
	if (code == 0)
		code = profile_finish(p);
	if (code) {
		pl_profile_free(p);
		return code > 0		       ? PL_END
		       : code == PL_ERR_MEMORY ? pl_err_cause(err, code, "no memory for a profile")
					       : code;
	}
	*out = p;
	return 0;
}

void pl_profile_free(struct pl_profile *p)
{
	if (!p)
		return;
	fast_forward_release(&p->forward);
	contexts_release(&p->contexts);
	share_release(&p->share);
	flights_release(&p->flights);
	profile_release_tables(p);
	for (uint32_t i = 0; i < p->task_count; i++)
		free((char *)p->tasks[i].public.name);
	free(p->tasks);
	map_release(&p->task_index);
	free(p->blocks);
	free(p->open_frames.at);
	free(p->ended.at);
	free(p);
}

const struct pl_profile_tables *pl_profile_tables(const struct pl_profile *p)
{
	return &p->tables;
}
