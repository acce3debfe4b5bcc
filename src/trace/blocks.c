/* What took long: a thread that stood still, and what kept an event loop busy.
 *
 *	wait |  _run_once                                                        | wait
 *	     |  Handle._run: a | Handle._run: b | Handle._run: c |               |
 *	      <---- LOOP: one pass, from one wait or poll to the next --------->
 *	                        <-- CALLBACK -->   if it is long itself
 *
 * Where the code of the loop is recorded, a pass is a call of the function that makes it
 * (base/loops.h). Where it is left out, that function's frame stays on the stack, and nothing says
 * that it ends. Then a pass ends where the loop waits, and where a task goes on that has gone on in
 * the pass before: no pass runs a task twice. A poll that does not wait is not known.
 *
 * STILL is a span between two stamps in which no event came. After its last event lines without an
 * event may have run, those of the tail. If there are several, samples say how long each took.
 */
#include "trace/blocks.h"

#include <string.h>
#include "base/loops.h"

/* ---- a list of the longest ---- */

/* The blocks are a heap with the shortest one on top, which is dropped when there is no room. */
static void sift_block_down(struct pl_profile_block *b, uint32_t count, uint32_t i)
{
	for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count && b[child + 1].time.ns < b[child].time.ns)
			child++;
		if (b[i].time.ns <= b[child].time.ns)
			return;
		struct pl_profile_block spare = b[i];
		b[i] = b[child];
		b[child] = spare;
	}
}

/* Keep the longest BLOCKS_MAX; how many more there were is counted. */
void blocks_add(struct pl_profile *p, const struct pl_profile_block *b)
{
	struct pl_profile_block *all = p->blocks;

	if (p->block_count == BLOCKS_MAX) {
		p->more_blocks++;
		if (b->time.ns <= all[0].time.ns)
			return;
		all[0] = *b;
		sift_block_down(all, BLOCKS_MAX, 0);
		return;
	}
	uint32_t i = p->block_count++;
	all[i] = *b;
	for (; i && all[(i - 1) / 2].time.ns > all[i].time.ns; i = (i - 1) / 2) {
		struct pl_profile_block spare = all[i];
		all[i] = all[(i - 1) / 2];
		all[(i - 1) / 2] = spare;
	}
}

/* From the frame of that node outward to the nearest root frame of a task. */
uint32_t blocks_task_of(const struct pl_profile *p, uint32_t node)
{
	const struct contexts *x = &p->contexts;
	uint32_t i = x->depth;

	while (i && x->frames[i - 1].node != node)
		i--;
	while (i && !x->frames[i - 1].task)
		i--;
	return i ? x->frames[i - 1].task : 0;
}

void blocks_note_tail(struct pl_profile *p, uint32_t node)
{
	if (p->wanted.blocking_ns && node)
		p->share.tail[p->share.tail_count - 1].task = blocks_task_of(p, node);
}

/* ---- which line took most ---- */

static const struct profile_recent *recent_at(const struct pl_profile *p, uint32_t i)
{
	return &p->recent[i & (RECENT_SPANS - 1)];
}

/* The number of the first span that opened then or later. */
static uint32_t first_since(const struct pl_profile *p, uint64_t ticks)
{
	uint32_t least = p->recent_count > RECENT_SPANS ? p->recent_count - RECENT_SPANS : 0;
	uint32_t i = p->recent_count;

	while (i > least && recent_at(p, i - 1)->ticks >= ticks)
		i--;
	return i;
}

/* Where the time of spans with this line and task is added up. */
static double *sum_of_line(struct pl_profile *p, const struct profile_recent *r)
{
	return &p->share.lines[r->line].recent_ns;
}

static double *sum_of_task(struct pl_profile *p, const struct profile_recent *r)
{
	return r->task ? &p->tasks[r->task - 1].recent_ns : &p->no_task_ns;
}

/* The first line had the most time; of its tasks the one that had the most of it; and of the spans
 * of both the longest. */
struct profile_recent blocks_most(struct pl_profile *p, uint64_t since)
{
	const uint32_t first = first_since(p, since), end = p->recent_count;
	const struct profile_recent *line = NULL, *task = NULL, *most = NULL;
	struct profile_recent found = {0};

	for (uint32_t i = first; i < end; i++)
		*sum_of_line(p, recent_at(p, i)) += recent_at(p, i)->ns;
	for (uint32_t i = first; i < end; i++)
		if (!line || *sum_of_line(p, recent_at(p, i)) > *sum_of_line(p, line))
			line = recent_at(p, i);
	for (uint32_t i = first; i < end; i++)
		if (recent_at(p, i)->line == line->line)
			*sum_of_task(p, recent_at(p, i)) += recent_at(p, i)->ns;
	for (uint32_t i = first; i < end; i++)
		if (recent_at(p, i)->line == line->line &&
			(!task || *sum_of_task(p, recent_at(p, i)) > *sum_of_task(p, task)))
			task = recent_at(p, i);
	for (uint32_t i = first; i < end; i++) {
		const struct profile_recent *r = recent_at(p, i);
		if (r->line == line->line && r->task == task->task && (!most || r->ns > most->ns))
			most = r;
	}
	for (uint32_t i = first; i < end; i++)
		*sum_of_line(p, recent_at(p, i)) = *sum_of_task(p, recent_at(p, i)) = 0;
	if (most && most->ns > 0) {
		found = *most;
		found.from_seq = recent_at(p, first)->from_seq;
		found.line++;
	}
	return found;
}

/* ---- event loops ---- */

/* asyncio runs each callback in Handle._run, also the steps of a task: that is the frame between
 * the loop and the program's code. */
static bool is_callback(const struct context_frame *f)
{
	const char *file = pl_code_file(f->code);
	size_t length = strlen(file);
	static const char events[] = "asyncio/events.py";

	return !strcmp(pl_code_name(f->code), "Handle._run") && length >= sizeof events - 1 &&
	       !strcmp(file + length - (sizeof events - 1), events);
}

static bool is_pass(const struct context_frame *f)
{
	return loops_pass(pl_code_file(f->code), code_bare_name(f->code));
}

/* Of code that is left out only the place is known: not when it was entered, nor its end. */
static bool is_frame_left_out(const struct context_frame *f)
{
	return f->entry == ENTRY_NONE;
}

bool blocks_is_of_loop(const struct context_frame *f)
{
	return f->task || is_callback(f) || is_pass(f);
}

/* Along a stack, from the bottom. */
struct loop_stack {
	bool in_pass;
	bool in_step;	/* of a callback or task */
	bool in_hidden; /* of a callback that is left out: what is above it begins the step */
};

static enum pl_block_kind loop_frame(struct loop_stack *s, const struct context_frame *f)
{
	const bool callback = is_callback(f), out = is_frame_left_out(f);
	const bool step = f->task || (!out && (callback || s->in_hidden));

	if (s->in_step)
		return PL_BLOCK_STILL;
	if (step) {
		s->in_step = true;
		return s->in_pass ? PL_BLOCK_CALLBACK : PL_BLOCK_LOOP;
	}
	s->in_hidden |= callback;
	if (callback || s->in_pass || !is_pass(f))
		return PL_BLOCK_STILL;
	s->in_pass = true;
	return PL_BLOCK_LOOP;
}

enum pl_block_kind blocks_kind(
	const struct contexts *x, const struct context_frame *f, uint32_t depth)
{
	struct loop_stack s = {0};

	for (uint32_t i = 0; i < depth && i < x->depth; i++)
		loop_frame(&s, &x->frames[i]);
	return loop_frame(&s, f);
}

/* A pass, a callback or a step of a task took long, so nothing else of its event loop could run.
 * Which line of it took most of the time is known from the spans in it. */
void blocks_note_loop(struct pl_profile *p, const struct context_frame *f, enum pl_block_kind kind,
	const struct pl_longest *time, const struct profile_recent *most)
{
	const struct shared_line *l = most->line ? &p->share.lines[most->line - 1] : NULL;

	if (kind == PL_BLOCK_STILL)
		return;
	blocks_add(p, &(struct pl_profile_block){.kind = kind,
			      .thread = p->thread->public.number,
			      .time = *time,
			      .from_seq = most->from_seq,
			      .before_seq = most->before_seq,
			      .node = l && most->node ? most->node : f->node,
			      .code = l ? l->code : f->code,
			      .line = l ? l->line : 0,
			      .task_id = l ? most->task : f->task});
}

/* A task goes on. If it did so in this pass already, another one has begun. Where that is recorded
 * it is known, and nothing is done. */
bool blocks_begins_pass(struct pl_profile *p, struct profile_task *t)
{
	const bool again = t->pass == p->pass;

	p->pass += again;
	t->pass = p->pass;
	return again;
}

bool blocks_is_hidden_pass(const struct context_frame *f)
{
	return is_frame_left_out(f) && is_pass(f);
}

/* ---- a thread that stood still ---- */

/* The rows of the tail had their node and task when they ran; since then its frames may be gone. */
static const struct share_tail *tail_of(const struct pl_profile *p, const struct shared_line *l)
{
	const struct share *s = &p->share;

	for (uint32_t i = s->tail_count; i--;)
		if (s->tail[i].line == (uint32_t)(l - s->lines))
			return &s->tail[i];
	return NULL;
}

static uint32_t line_node(const struct pl_profile *p, const struct shared_line *l)
{
	const struct share_tail *tail = tail_of(p, l);
	uint32_t node = tail ? tail->node : contexts_near(&p->contexts, l->code);

	return node ? node : p->share.codes[l->of_code].node;
}

static uint32_t task_of(const struct pl_profile *p, const struct shared_line *l, uint32_t node)
{
	const struct share_tail *tail = tail_of(p, l);

	return tail ? tail->task : blocks_task_of(p, node);
}

/* Did it stand at that line for so long? Then this is a block. */
static void add_still(struct pl_profile *p, const struct shared_line *l, uint64_t from_ticks,
	double ns, int64_t error_ns)
{
	const uint32_t node = line_node(p, l);

	if (!p->wanted.blocking_ns || ns < (double)p->wanted.blocking_ns)
		return;
	blocks_add(p, &(struct pl_profile_block){.kind = PL_BLOCK_STILL,
			      .thread = p->thread->public.number,
			      .time = {.ns = ns < (double)TIME_NS_MAX ? (int64_t)ns : TIME_NS_MAX,
				      .error_ns = error_ns,
				      .at_ns = recording_time(p->r, from_ticks)},
			      .from_seq = p->open_seq,
			      .before_seq = p->row_seq,
			      .node = node,
			      .code = l->code,
			      .line = l->line,
			      .task_id = task_of(p, l, node)});
}

uint64_t blocks_between(const struct pl_profile *p, uint64_t look, uint64_t next, int64_t *error_ns)
{
	const uint64_t apart = next > look ? next - look : 0;

	*error_ns = clockmap_span(&p->r->clock, apart);
	return look + apart / 2;
}

/* It was at the line of the looks up to then. */
static void end_stand(struct pl_profile *p, uint64_t to_ticks, int64_t error_ns)
{
	const struct profile_stand *k = &p->stand;

	add_still(p, &p->share.lines[k->line], k->from, profile_wanted_ns(p, k->from, to_ticks),
		profile_add_ns(k->error_ns, error_ns));
}

/* Only the lines of the tail can have taken the time of a long span. A look that came in the moment
 * of an event may have found another one. */
void blocks_look(struct pl_profile *p, uint64_t ticks, const struct pl_code *code, int32_t line)
{
	struct profile_stand *k = &p->stand;
	const struct shared_line *l =
		p->wanted.blocking_ns ? share_line(&p->share, code, line) : NULL;
	const uint32_t index = l ? (uint32_t)(l - p->share.lines) : 0;
	int64_t error_ns = profile_tick_ns(p, p->open_ticks);
	uint64_t from = p->open_ticks;

	if (!l || !l->tail_rows)
		return;
	if (k->count && k->line != index) {
		from = blocks_between(p, k->last, ticks, &error_ns);
		end_stand(p, from, error_ns);
	}
	if (!k->count || k->line != index) {
		k->count++;
		k->line = index;
		k->from = from;
		k->error_ns = error_ns;
	}
	k->last = ticks;
}

/* If the looks found several lines, each has its part; else the line with the most has all. */
void blocks_note_still(struct pl_profile *p, uint64_t end_ticks, double ns, int64_t tick)
{
	uint32_t node;
	const struct shared_line *most = share_most(&p->share, &node);
	const bool several = p->stand.count > 1;

	if (several)
		end_stand(p, end_ticks, 0);
	p->stand = (struct profile_stand){0};
	if (!most || !most->code)
		return;
	node = line_node(p, most);
	p->recent[p->recent_count++ & (RECENT_SPANS - 1)] =
		(struct profile_recent){.ticks = p->open_ticks,
			.from_seq = p->open_seq,
			.before_seq = p->row_seq,
			.line = (uint32_t)(most - p->share.lines),
			.node = node,
			.task = p->wanted.blocking_ns ? task_of(p, most, node) : 0,
			.ns = most->span_ns[0] + most->span_ns[1]};
	if (!several && !p->end.open)
		add_still(p, most, p->open_ticks, ns, tick);
}
