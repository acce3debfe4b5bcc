#include "trace/stride.h"

#include <stdlib.h>

#define STEPS_FIRST 512
#define STEPS_MAX   65536u /* 9 MiB with their rows; a program with more repeats little */
#define CODES_MAX   65536u

/* The bytes of a frame are the key: code and value, then the identity of a generator, then the
 * rest. */
_Static_assert(offsetof(struct stack_frame, gen) == 8 &&
		       offsetof(struct stack_frame, place) == 16 &&
		       sizeof(struct stack_frame) == 24,
	"what of a frame an answer depends on are its first and its last eight bytes");

/* POPS is one event for several frames that end without an event of their own. Steps are of one
 * frame, so it is asked frame by frame, as ASK_POP. */
#define ASK_POP EVENT_POPS

/* ---- the table ---- */

/* Where the top frame is (stands, from: see struct stack_frame), and what happens to it:
 *
 *	asked    | operand 32: unit, site, or index | 15: 0 | generator 1 | flags 8 | kind 8 |
 *	callee   | code 32 | unit 32 |   of an event that pushes a frame, else 0
 *
 * Of a generator only whether the frame is one matters, not which: loops over new generators would
 * never find a step again.
 */
struct question {
	uint64_t stands, from, asked, callee;
};

/* The best bits of a product are the high ones. */
static uint32_t home(const struct strides *s, const struct question *q)
{
	uint64_t mixed = q->stands * 0x9e3779b97f4a7c15u ^ q->from * 0xc2b2ae3d27d4eb4fu ^
			 q->asked * 0x165667b19e3779f9u ^ q->callee * 0xd6e8feb86659fd93u;

	return (uint32_t)(mixed >> 40) & (s->room - 1);
}

/* The question's step, or the free place where it would be; there always is one, because the table
 * is never full. */
static struct stride_step *probe(const struct strides *s, const struct question *q)
{
	uint32_t i = home(s, q);

	for (;;) {
		struct stride_step *t = &s->steps[i];
		if (t->stands == q->stands && t->from == q->from && t->asked == q->asked &&
			t->callee == q->callee)
			return t;
		if (!t->asked)
			return t;
		i = (i + 1) & (s->room - 1);
	}
}

static struct question question_of(const struct stride_step *t)
{
	return (struct question){t->stands, t->from, t->asked, t->callee};
}

/* ---- passes ---- */

/* What a step of the kind does to the number of frames: FRAMES_ENTRY, FRAMES_EXIT, or neither. */
static inline unsigned frames_of(enum event_kind kind)
{
	static const uint8_t frames[EVENT_KIND_COUNT] = {
#define X(constant, number, fields, row, stack, ...)                                               \
	[number] = (number) == ASK_POP ? FRAMES_EXIT : EVENT_FRAMES_##stack,
		EVENT_TABLE(X)
#undef X
	};

	return frames[kind];
}

static enum context_entry entry_of(enum event_kind kind)
{
	return kind == EVENT_ENTER    ? ENTRY_CALL
	       : kind == EVENT_RESUME ? ENTRY_RESUME
	       : kind == EVENT_THROW  ? ENTRY_THROW
				      : ENTRY_NONE;
}

static enum event_kind kind_of(const struct stride_step *t)
{
	return (enum event_kind)(t->asked & 0x3f);
}

/* With contexts the counts are taken at each stamp, so it must be quick to find the few steps that
 * have some. */
static inline void add_passes(struct strides *s, uint32_t index, uint64_t passes)
{
	if (s->contexts && !s->steps[index].passes)
		s->touched[s->touched_count++] = index;
	s->steps[index].passes += passes;
}

/* What take_watched would have counted, had each of the trip's steps been taken. */
static void add_trip_step(void *who, const struct trip_step *t, uint64_t passes)
{
	struct strides *s = who;
	struct contexts *x = s->contexts;
	const struct stride_step *step = &s->steps[t->step];
	const enum event_kind kind = kind_of(step);

	add_passes(s, t->step, passes);
	if (!x)
		return;
	contexts_rows(x, t->node,
		passes * (step->lines + (frames_of(kind) == FRAMES_ENTRY ? 0 : step->row)));
	if (!t->edge)
		return;
	x->edges[t->edge - 1].entries[entry_of(kind)] += passes;
	contexts_rows(x, x->edges[t->edge - 1].to, passes);
}

/* ---- room ---- */

/* Steps get new indexes, so what refers to them is forgotten first: trips, whose passes are added
 * before, and the steps of contexts. After a failure the old table is as it was. */
static int grow(struct strides *s)
{
	struct strides more = {.room = s->room ? s->room * 2 : STEPS_FIRST};

	if (!s->trips.all) {
		s->trips.add = add_trip_step;
		s->trips.who = s;
		if (trips_init(&s->trips))
			return PL_ERR_MEMORY;
	}
	trips_take(&s->trips);
	trips_forget(&s->trips);
	more.steps = calloc(more.room, sizeof *more.steps);
	more.rows = calloc(more.room, sizeof *more.rows);
	more.touched = s->contexts ? calloc(more.room, sizeof *more.touched) : NULL;
	if (!more.steps || !more.rows || (s->contexts && !more.touched)) {
		free(more.steps);
		free(more.rows);
		free(more.touched);
		return PL_ERR_MEMORY;
	}
	for (uint32_t i = 0; i < s->room; i++) {
		if (!s->steps[i].asked)
			continue;
		const struct question q = question_of(&s->steps[i]);
		struct stride_step *to = probe(&more, &q);
		*to = s->steps[i];
		more.rows[to - more.steps] = s->rows[i];
		if (to->passes && s->contexts)
			more.touched[more.touched_count++] = (uint32_t)(to - more.steps);
	}
	free(s->steps);
	free(s->rows);
	free(s->touched);
	s->steps = more.steps;
	s->rows = more.rows;
	s->touched = more.touched;
	s->touched_count = more.touched_count;
	if (s->contexts)
		contexts_forget_steps(s->contexts);
	s->room = more.room;
	return 0;
}

/* Make room for one more step. */
static int reserve(struct strides *s)
{
	if (s->room && s->used + 1 <= s->room / 4 * 3)
		return 0;
	return s->room < STEPS_MAX ? grow(s) : STRIDE_FULL;
}

/* The memory stays. What the steps counted is to be taken before (strides_take). */
void strides_forget(struct strides *s)
{
	if (s->room)
		memset(s->steps, 0, s->room * sizeof *s->steps);
	s->used = 0;
	s->touched_count = 0;
	trips_forget(&s->trips);
	if (s->contexts)
		contexts_forget_steps(s->contexts);
	map_release(&s->codes);
	s->block_file = 0;
}

void strides_release(struct strides *s)
{
	free(s->steps);
	free(s->rows);
	free(s->touched);
	trips_release(&s->trips);
	map_release(&s->codes);
	*s = (struct strides){0};
}

/* ---- codes ---- */

/* Numbers of codes are used again when a code is gone. Steps are kept from block to block as long
 * as the numbers that a block names mean the same as before. */
static int agree(struct strides *s, const struct thread_path *p)
{
	const struct pl_map *bodies = &p->blocks.block.bodies;

	if (s->block_file == p->blocks.stream.file && s->block_off == p->blocks.stream.off)
		return 0;
	if (s->codes.used > CODES_MAX)
		return STRIDE_FULL;
	for (size_t i = 0; i < bodies->room; i++) {
		const struct pl_map_slot *b = &bodies->slots[i];
		if (!b->used)
			continue;
		uint64_t *known = map_put(&s->codes, b->key);
		if (!known)
			return PL_ERR_MEMORY;
		/* a missing code has address 0: the last bit says that it was seen */
		if (!*known)
			*known = b->value | 1;
		if (*known != (b->value | 1))
			return STRIDE_FULL;
	}
	s->block_file = p->blocks.stream.file;
	s->block_off = p->blocks.stream.off;
	return 0;
}

/* ---- learning a step ---- */

/* All of the frame that can matter; of the event its kind and flags, and a unit or index. */
static inline struct question ask_of(const struct stack_frame *f, uint32_t kind, uint32_t operand)
{
	struct question q = {.callee = 0};

	memcpy(&q.stands, f, sizeof q.stands);
	memcpy(&q.from, &f->place, sizeof q.from);
	q.asked = (uint64_t)operand << 32 | (uint64_t)(f->gen != 0) << 16 | kind;
	return q;
}

/* The slow path's way to the question. go_quickly makes the same from the bytes: the two must
 * agree. */
static struct question ask(const struct stack_frame *f, const struct event *e)
{
	const uint32_t kind = (uint32_t)e->kind | (uint32_t)e->flags << 8;
	struct question q;

	if (event_is_entry(e->kind)) {
		q = ask_of(f, kind, e->site);
		q.callee = (uint64_t)e->code << 32 | e->unit;
		return q;
	}
	return ask_of(f, kind, e->kind == EVENT_LINE ? e->index : e->unit);
}

/* A copy of a frame, to which the event is applied; with room for the frame that it may push. */
struct trial {
	struct stack_frame frames[2];
	struct stack stack;
	struct pl_code *code;
	struct follow_lines lines;
	enum follow_answer answer;
};

/* Would the walk put a gap before it, or is it unknown here? */
static bool is_strange(const struct thread_path *p, const struct trial *t, const struct event *e)
{
	switch (e->kind) {
	case EVENT_LINE:
		return !code_has_start(t->code, e->index);
	case EVENT_AGAIN:
		return !code_jumps_back(t->code, e->unit);
	default:
		return event_is_entry(e->kind) &&
		       thread_path_code_of(p, e->code) == p->blocks.r->unknown_code;
	}
}

/* Which lines ran before the event, that have none of their own. */
static void follow(const struct thread_path *p, struct trial *t, const struct event *e)
{
	struct follow_code *c = t->code == p->blocks.r->unknown_code ? NULL : &t->code->follow;

	t->answer = e->kind == ASK_POP ? follow_pop(c, stack_top(&t->stack), &t->lines)
				       : follow_event(c, &t->stack, e, &t->lines);
}

/* The frame passes its lines, and is then at the last one. */
static void pass_lines(struct trial *t)
{
	if (t->answer == FOLLOW_LINES && follow_count(&t->lines))
		stack_pass_start(&t->frames[0], t->lines.reach->nodes[t->lines.node].start);
}

static int32_t stands_at(const struct pl_code *c, const struct stack_frame *f)
{
	return code_place_line(c, (enum stack_place)f->place, f->value);
}

/* The row of the event, as walk.c gives it: the last row of the step. events 0: it has none. The
 * trial is after the event; but if the event pops the frame, the frame is as before. */
static struct pl_count own_row(
	const struct thread_path *p, const struct trial *t, const struct event *e)
{
	const struct stack_frame *f = &t->frames[0];
	struct pl_count row = {.code = t->code, .events = 1};
	const struct flow_graph *g = &t->code->body.graph;

	if (e->kind == EVENT_AT || (e->kind == ASK_POP && t->answer != FOLLOW_LINES))
		return (struct pl_count){0};
	row.kind = event_row(e->kind == ASK_POP ? follow_left_by(&t->code->follow) : e->kind);
	switch (e->kind) {
	case EVENT_ENTER:
	case EVENT_OUTSIDE:
		row.code = thread_path_code_of(p, e->code);
		row.line = code_place_line(row.code, PLACE_ENTRY, 0);
		break;
	case EVENT_RESUME:
	case EVENT_THROW:
		row.code = thread_path_code_of(p, e->code);
		row.line = flow_line_at(&row.code->body.graph, e->unit);
		break;
	case EVENT_LINE:
	case ASK_POP:
	case EVENT_UNWIND:
		row.line = stands_at(t->code, f);
		break;
	case EVENT_AGAIN:
		row.line = code_jump_line(t->code, e->unit);
		break;
	default:
		row.line = flow_line_at(g, e->unit);
		if (!row.line && e->kind == EVENT_HANDLED)
			row.line = flow_line_ahead(g, e->unit);
		break;
	}
	return row;
}

/* The nodes lead from the last of the lines back to the first. */
static bool rows_halt(const struct strides *s, const struct stride_rows *rows, uint32_t lines)
{
	uint32_t node = rows->node;

	for (; lines; lines--) {
		const struct flow_node *n = &rows->reach->nodes[node];
		const struct pl_count line = {.code = rows->code,
			.line = code_start_line(rows->code, n->start),
			.kind = PL_EVENT_LINE,
			.events = 1};
		if (s->halts(s->halts_context, &line))
			return true;
		node = n->parent;
	}
	return rows->own.events && s->halts(s->halts_context, &rows->own);
}

/* *out NULL: it cannot be a step, and the walk must give the rows. */
static int learn(struct strides *s, const struct thread_path *p, const struct event *e,
	const struct question *q, struct stride_step **out)
{
	struct trial t = {.frames = {*stack_top(&p->stack)}};
	int code = reserve(s);

	*out = NULL;
	if (code)
		return code;
	t.stack = (struct stack){.frames = t.frames, .depth = 1, .room = 2};
	t.code = thread_path_code_of(p, t.frames[0].code);
	follow(p, &t, e);
	if (t.answer == FOLLOW_BROKEN || is_strange(p, &t, e))
		return 0;
	pass_lines(&t);
	stack_apply(&t.stack, e);
	/* once the unrecorded lines are over, where they began does not matter: make the keys
	 * equal */
	if (t.frames[0].from_place == PLACE_UNKNOWN)
		t.frames[0].from_value = 0;
	struct stride_step *step = probe(s, q);
	*step = (struct stride_step){.stands = q->stands,
		.from = q->from,
		.asked = q->asked,
		.callee = q->callee,
		.lines = t.answer == FOLLOW_LINES ? follow_count(&t.lines) : 0};
	memcpy(&step->stands_then, &t.frames[0], sizeof step->stands_then);
	memcpy(&step->from_then, &t.frames[0].place, sizeof step->from_then);
	struct stride_rows *rows = &s->rows[step - s->steps];
	*rows = (struct stride_rows){.code = t.code, .own = own_row(p, &t, e)};
	if (step->lines) {
		rows->reach = t.lines.reach;
		rows->node = t.lines.node;
	}
	step->row = (uint32_t)rows->own.events;
	if (s->halts && rows_halt(s, rows, step->lines))
		step->lines = STRIDE_HALT + 1;
	if (step->row)
		rows->line_after = stands_at(rows->own.code, &t.frames[t.stack.depth > 1]);
	s->used++;
	*out = step;
	return 0;
}

/* ---- taking steps ---- */

/* What stack_apply does for one frame, if there is nothing else to do. */
static void pop_top(struct stack *s)
{
	static const struct event one = {.kind = EVENT_POPS, .a = 1};

	if (s->stale || s->task_count)
		stack_apply(s, &one);
	else if (--s->depth < s->min_depth)
		s->min_depth = s->depth;
}

/* What an event does to the stack, besides the place of its frame. */
struct change {
	enum event_kind kind;
	uint32_t code, unit; /* of the frame that is pushed */
	uint64_t gen;
};

/* In three stores, as ask_of reads it: the processor can forward these to the loads of the next
 * question. It could not, if the fields were stored one by one. */
static inline int push(struct stack *s, const struct change *c)
{
	const struct stack_frame f = stack_entered(c->kind, c->code, c->unit, c->gen);

	if (s->depth == s->room)
		return stack_push(s, &f);
	uint8_t *to = (uint8_t *)&s->frames[s->depth++];
	const uint64_t stands = (uint64_t)f.value << 32 | f.code;
	const uint64_t from =
		(uint64_t)f.raised << 16 | (uint64_t)f.linked << 8 | (uint64_t)f.place;
	memcpy(to, &stands, 8);
	memcpy(to + 8, &f.gen, 8);
	memcpy(to + 16, &from, 8);
	return 0;
}

/* frames: frames_of the change */
static inline int push_or_pop(struct stack *s, const struct change *c, unsigned frames)
{
	if (frames == FRAMES_ENTRY)
		return push(s, c);
	if (frames == FRAMES_EXIT)
		pop_top(s);
	return 0;
}

static inline void stand(struct stack_frame *f, uint64_t stands, uint64_t from)
{
	memcpy(f, &stands, sizeof stands);
	memcpy(&f->place, &from, sizeof from);
}

/* The context of the frame that is to be pushed: where the site of the top frame leads. */
static uint32_t find_edge(
	struct strides *s, struct thread_path *p, struct context_cached *known, uint32_t index)
{
	const struct stride_rows *rows = &s->rows[index];
	struct contexts *x = s->contexts;
	const uint32_t node = x->frames[x->depth - 1].node;
	const struct context_site site = {.callee = code_first(rows->own.code),
		.caller = code_first(rows->code),
		.line = stands_at(rows->code, stack_top(&p->stack))};
	uint32_t edge = contexts_edge(x, node, &site);

	if (edge != UINT32_MAX)
		*known = (struct context_cached){.node = node, .step = index, .edge = edge + 1};
	return edge;
}

/* The cache is asked first: most calls come from the same context as before. */
static int push_context(
	struct strides *s, struct thread_path *p, const struct change *c, struct trip_step *t)
{
	struct contexts *x = s->contexts;
	const uint32_t index = t->step;
	struct context_cached *known = contexts_cached(x, t->node, index);
	uint32_t edge = known->edge - 1;

	if (!known->edge || known->node != t->node || known->step != index)
		edge = find_edge(s, p, known, index);
	if (edge == UINT32_MAX || contexts_push(x, edge, c->gen, entry_of(c->kind)))
		return PL_ERR_MEMORY;
	t->edge = edge + 1;
	contexts_rows(x, x->edges[edge].to, 1);
	return 0;
}

/* As take, with contexts. The order is that of the walk: the line that the frame was on is over
 * (passed), before the frame moves; a frame that ends is told (left), before it is popped. */
static inline int take_watched(
	struct strides *s, struct thread_path *p, struct stride_step *step, const struct change *c)
{
	struct stack_frame *f = stack_top(&p->stack);
	struct contexts *x = s->contexts;
	struct context_frame *k = &x->frames[x->depth - 1];
	const uint32_t index = (uint32_t)(step - s->steps);
	const unsigned frames = frames_of(c->kind);
	const bool pushing = frames == FRAMES_ENTRY, popping = frames == FRAMES_EXIT;
	struct trip_step t = {.step = index, .node = k->node};
	int code = 0;

	add_passes(s, index, 1);
	contexts_rows(x, k->node, step->lines + (pushing ? 0 : step->row));
	if (k->since != x->now &&
		(step->lines || popping || c->kind == EVENT_LINE || c->kind == EVENT_AGAIN)) {
		x->passed(x->who, k, s->rows[index].code, stands_at(s->rows[index].code, f));
		k->since = x->now;
		k->since_idle = 0;
	}
	stand(f, step->stands_then, step->from_then);
	if (pushing) {
		code = push_context(s, p, c, &t);
	} else if (popping) {
		if (k->entered != x->now)
			x->left(x->who, k);
		x->depth--;
	}
	if (s->tape)
		trip_note(s->tape, &t);
	return code ? code : push_or_pop(&p->stack, c, frames);
}

/* Count the step, and do to the stack what it says. */
static inline int take(
	struct strides *s, struct thread_path *p, struct stride_step *step, const struct change *c)
{
	if (s->contexts)
		return take_watched(s, p, step, c);
	stand(stack_top(&p->stack), step->stands_then, step->from_then);
	step->passes++;
	if (s->tape)
		trip_note(s->tape, &(struct trip_step){.step = (uint32_t)(step - s->steps)});
	return push_or_pop(&p->stack, c, frames_of(c->kind));
}

/* It is not at the limit, and nothing waits that only the walk can give. */
static bool can_go_on(const struct path_clock *c, const struct stride_limit *limit)
{
	const struct thread_path *p = &c->path;

	return p->blocks.open && !p->gap_count && !p->ahead.begun && !p->holds && !p->silent &&
	       p->told_next == p->told_count && c->ticks + c->marks.ticks < limit->ticks &&
	       (p->pops || p->events.left);
}

/* The step of an event whose frame is the top one. */
static int find(struct strides *s, const struct thread_path *p, const struct event *e,
	struct stride_step **out)
{
	const struct question q = ask(stack_top(&p->stack), e);

	if (s->room) {
		*out = probe(s, &q);
		if ((*out)->asked)
			return 0;
	}
	return learn(s, p, e, &q, out);
}

/* One step for the event, whose bytes go up to `rest`. *went false: it is for the walk. */
static int try_step(struct strides *s, struct path_clock *c, const struct event *e,
	const struct stride_limit *limit, bool *went)
{
	struct thread_path *p = &c->path;
	struct stride_step *step;

	*went = false;
	if (!p->stack.depth)
		return 0;
	int code = find(s, p, e, &step);
	if (code || !step || p->next_seq + step->lines + step->row > limit->seq)
		return code;
	*went = true;
	path_clock_over_rows(c, step->lines + step->row);
	return take(s, p, step,
		&(struct change){.kind = e->kind, .code = e->code, .unit = e->unit, .gen = e->gen});
}

/* Update the contexts after an event that has no row but changes the stack. */
static int step_contexts(struct strides *s, struct thread_path *p, const struct event *e)
{
	if (e->kind == EVENT_TASK)
		return e->flags & EVENT_NUMBERED ? 0 : contexts_task(s->contexts, p);
	return s->contexts->depth == p->stack.depth && e->kind != EVENT_LINK &&
			       e->kind != EVENT_GREENLET
		       ? 0
		       : contexts_sync(s->contexts, p);
}

/* Decode the next event. One with a step is taken by it; one without a row (a stamp, a task, a
 * name) is given to the walk; before any other, such as a gap, the stride ends here, and *went is
 * false. */
static int step_by_event(
	struct strides *s, struct path_clock *c, const struct stride_limit *limit, bool *went)
{
	struct thread_path *p = &c->path;
	struct pl_view rest = p->events;
	struct event e;
	int code = 0;

	*went = false;
	if (event_read(&rest, &p->stack.calls, &e))
		return 0;
	if (e.kind == EVENT_TIME && c->ticks + c->marks.ticks + e.a >= limit->ticks)
		return 0;
	if (event_is_open(&e))
		return 0;
	if (event_has_trait(e.kind, EVENT_STEP) && !(s->refused >> e.kind & 1)) {
		code = try_step(s, c, &e, limit, went);
		if (*went && e.kind != EVENT_AT)
			path_clock_over_marks(c);
	} else if (!event_counts(e.kind)) {
		if (s->contexts)
			stack_mark(&p->stack);
		path_clock_pass(c, &e);
		*went = true;
		if (s->contexts)
			code = step_contexts(s, p, &e);
	}
	if (*went)
		p->events = rest;
	return code;
}

/* Is the frame that is popped the one into which the next event throws? Contexts see the two as one
 * (contexts_sync), so both are for the walk. */
static bool next_is_thrown(const struct thread_path *p)
{
	const struct stack_frame *f = stack_top(&p->stack);
	struct event_calls calls = p->stack.calls;
	struct pl_view rest = p->events;
	struct event e;

	if (p->pops != 1 || !f || !f->linked || !f->gen)
		return false;
	do
		if (event_read(&rest, &calls, &e))
			return false;
	while (!event_counts(e.kind));
	return e.kind == EVENT_THROW && e.gen == f->gen;
}

static int step_by_pop(
	struct strides *s, struct path_clock *c, const struct stride_limit *limit, bool *went)
{
	static const struct event pop = {.kind = ASK_POP, .a = 1};

	*went = false;
	if (s->contexts && next_is_thrown(&c->path))
		return 0;
	int code = try_step(s, c, &pop, limit, went);

	if (*went)
		c->path.pops--;
	return code;
}

/* ---- the fast path ----
 *
 * Most events need only their step. These are taken directly from the bytes, in a loop that keeps
 * what it needs in registers, as long as their steps are known and nothing else waits. */

/* A view of the block's events and what is counted on the way, in locals: written back at the end
 * of stride_quickly. */
struct quick {
	const uint8_t *at, *end;
	uint64_t rows;
	uint64_t most;	  /* rows */
	uint64_t refused; /* as in strides */
};

/* A varint of at most three bytes; UINT32_MAX: it is longer. */
static inline uint32_t small(const uint8_t **at, const uint8_t *end)
{
	uint32_t value = 0;

	for (uint32_t shift = 0; shift < 21 && *at < end; shift += 7) {
		uint8_t byte = *(*at)++;
		value |= (uint32_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	return UINT32_MAX;
}

/* The number of an event's varints + 1, without one that a flag adds; the first varint is the unit,
 * site or number. 0: the event is not taken here. QUICK_ENTERS is set in those of entries. */
#define QUICK_ENTERS 0x80u
static const uint8_t quick_kinds[32] = {
#define X(constant, number, fields, row, stack, traits, ...)                                       \
	[number] = (traits)&EVENT_QUICK                                                            \
			   ? (EVENT_FRAMES_##stack == FRAMES_ENTRY ? QUICK_ENTERS : 0) + 1 +       \
				     EVENT_COUNT_##fields -                                        \
				     !!(EVENT_BITS_##fields & EVENT_FIELD_made)                    \
			   : 0,
	EVENT_KINDS(X)
#undef X
};
#define FIELDS_MAX 4

/* Of a generator that the block has resumed before: one byte and its place in the table, and a unit
 * if that is another one. */
static inline const uint8_t *read_known_resume(const struct quick *k,
	const struct event_calls *calls, uint32_t fields[FIELDS_MAX], struct change *c,
	uint32_t *flags)
{
	const uint8_t *at = k->at + 1;

	if (at == k->end || *at >= EVENT_RESUMES || k->refused >> EVENT_RESUME & 1)
		return NULL;
	const struct event_resume *r = &calls->resumes[*at++];
	*c = (struct change){.kind = EVENT_RESUME, .code = r->code, .gen = r->gen, .unit = r->unit};
	fields[0] = r->site;
	*flags = 0;
	if (!(*k->at & EVENT_SAME_UNIT) && (c->unit = small(&at, k->end)) == UINT32_MAX)
		return NULL;
	return r->code ? at : NULL;
}

/* Returns the byte after the event; NULL: it is for the slow path. */
static inline const uint8_t *read_quickly(const struct quick *k, struct event_calls *calls,
	uint32_t fields[FIELDS_MAX], struct change *c, uint32_t *flags)
{
	const uint8_t *at = k->at + 1;
	const uint32_t first = *k->at;

	const bool far = first == EVENT_FAR_CALL;
	if (event_is_known_call(*k->at) || (far && at < k->end)) {
		uint64_t call = far ? calls->far[*at++] : calls->at[first];
		fields[0] = (uint32_t)call;
		*c = (struct change){.kind = EVENT_ENTER, .code = (uint32_t)(call >> 32)};
		*flags = 0;
		return c->code && !(k->refused >> EVENT_ENTER & 1) ? at : NULL;
	}
	if (event_is_known_resume(*k->at))
		return read_known_resume(k, calls, fields, c, flags);
	uint32_t n =
		first < 0x80 && !(k->refused >> (first & 0x1f) & 1) ? quick_kinds[first & 0x1f] : 0;
	const bool enters = n & QUICK_ENTERS;

	*flags = first & 0x60;
	c->kind = (enum event_kind)(first & 0x1f);
	if (!n || (enters && *flags & EVENT_NO_CALLER))
		return NULL;
	n &= ~QUICK_ENTERS;
	bool made = c->kind == EVENT_ENTER && *flags & EVENT_GENERATOR;
	for (uint32_t i = 0; i + 1 < n + made; i++)
		if ((fields[i] = small(&at, k->end)) == UINT32_MAX)
			return NULL;
	if (enters) {
		c->code = fields[1];
		c->gen = made || c->kind == EVENT_RESUME ? fields[2] : 0;
		c->unit = c->kind == EVENT_RESUME ? fields[3] : 0;
	}
	if (c->kind == EVENT_ENTER && !*flags)
		event_calls_put(calls, event_call(fields[0], fields[1]));
	if (c->kind == EVENT_RESUME)
		event_resumes_put(
			calls, &(struct event_resume){fields[0], fields[1], fields[3], fields[2]});
	return at;
}

/* After a step that was taken: a trip can end where the frame has returned to. */
static void note_place(
	struct strides *s, const struct quick *k, const struct thread_path *p, uint64_t pops)
{
	struct trip_tape *tape = s->tape;
	const struct stack_frame *f = stack_top(&p->stack);
	const uint64_t rows = k->rows - tape->rows;
	const ptrdiff_t length = k->at - tape->from;

	tape->over |= p->stack.depth < tape->depth || p->stack.calls.print != tape->calls ||
		      p->stack.calls.resumes_print != tape->resumes || tape->count > TRIP_STEPS ||
		      length > TRIP_BYTES || rows > UINT32_MAX || pops > UINT8_MAX;
	if (tape->over || p->stack.depth > tape->depth)
		return;
	struct trip *t = &tape->trip;
	t->length = (uint8_t)length;
	t->pops = (uint8_t)pops;
	t->steps = (uint8_t)tape->count;
	t->rows = (uint32_t)rows;
	memcpy(&t->stands_then, f, sizeof t->stands_then);
	memcpy(&t->from_then, &f->place, sizeof t->from_then);
}

/* One event, or one pop of it. */
struct quick_event {
	struct question asked;
	struct change change;
	const uint8_t *after; /* the byte after it */
};

/* false: no step is known, or it would go over the limit. */
static inline bool take_quickly(struct quick *k, struct strides *s, struct thread_path *p,
	const struct quick_event *e, int *code)
{
	struct stride_step *step = probe(s, &e->asked);

	if (!step->asked || k->rows + step->lines + step->row > k->most) {
		/* a longer one is never taken */
		if (s->tape)
			s->tape->early = step->lines <= STRIDE_HALT;
		return false;
	}
	k->at = e->after;
	k->rows += step->lines + step->row;
	*code = take(s, p, step, &e->change);
	if (s->tape)
		note_place(s, k, p, e->change.kind == ASK_POP ? p->pops - 1 : 0);
	return true;
}

/* If it stops on the way, p->pops has what is left for the slow path. Such is a linked coroutine:
 * the next event can throw into it (next_is_thrown). */
static bool pop_quickly(
	struct quick *k, struct strides *s, struct thread_path *p, uint32_t n, int *code)
{
	struct quick_event pop = {.change = {.kind = ASK_POP}, .after = k->at};

	if (s->tape && n > p->stack.depth)
		s->tape->over = true;
	for (p->pops = n <= p->stack.depth ? n : 0; p->pops; p->pops--) {
		if (s->contexts && stack_top(&p->stack)->linked && stack_top(&p->stack)->gen)
			return false;
		pop.asked = ask_of(stack_top(&p->stack), ASK_POP, 0);
		if (!take_quickly(k, s, p, &pop, code))
			return false;
	}
	return true;
}

/* One event. false: it, or the rest of its pops, is for the slow path. */
static inline bool go_quickly(struct quick *k, struct strides *s, struct thread_path *p, int *code)
{
	const struct stack_frame *f = stack_top(&p->stack);
	const uint8_t first = *k->at;
	struct quick_event e = {.change = {.kind = EVENT_LINE}, .after = k->at + 1};
	const struct change *c = &e.change;
	uint32_t fields[FIELDS_MAX] = {0}, flags;

	if (first >= 0x80 && first < 0x80 + EVENT_SHORT_LINES) {
		e.asked = ask_of(f, EVENT_LINE, first & 0x7f);
		return take_quickly(k, s, p, &e, code);
	}
	e.after = read_quickly(k, &p->stack.calls, fields, &e.change, &flags);
	if (!e.after)
		return false;
	if (c->kind == EVENT_POPS) {
		k->at = e.after;
		return pop_quickly(k, s, p, fields[0], code);
	}
	e.asked = ask_of(f, (uint32_t)c->kind | flags << 8, fields[0]);
	e.asked.callee = (uint64_t)c->code << 32 | c->unit;
	return take_quickly(k, s, p, &e, code);
}

/* ---- trips ---- */

/* Is one of eight bytes the first byte of a known resume? Other bytes can have the same value. */
static inline bool may_resume(uint64_t bytes)
{
	const uint64_t ones = 0x0101010101010101u, same = ones * (uint8_t)~EVENT_SAME_UNIT;
	const uint64_t off = (bytes & same) ^ ones * (EVENT_RESUME | EVENT_KNOWN);

	return ((off - ones) & ~off & ones << 7) != 0;
}

/* false: too near to the end. */
static inline bool key_here(const struct quick *k, const struct strides *s,
	const struct thread_path *p, struct trip_key *key)
{
	const struct stack_frame *f = stack_top(&p->stack);
	const struct contexts *x = s->contexts;
	const uint64_t node = x ? x->frames[x->depth - 1].node : 0;

	if (k->end - k->at < TRIP_BYTES)
		return false;
	memcpy(&key->bytes, k->at, sizeof key->bytes);
	memcpy(&key->stands, f, sizeof key->stands);
	memcpy(&key->from, &f->place, sizeof key->from);
	key->where = p->stack.calls.print ^ (node << 1 | (f->gen != 0));
	if (may_resume(key->bytes))
		key->where ^= p->stack.calls.resumes_print;
	return true;
}

/* Steps are taken as usual, and noted on a tape (note_place). The longest beginning that can be a
 * trip, one that ends in the frame where it began, is kept. */
static bool learn_trip(struct quick *k, struct strides *s, struct thread_path *p,
	const struct trip_key *key, int *code)
{
	struct trip_tape tape = {.trip = {.key = *key},
		.from = k->at,
		.rows = k->rows,
		.calls = p->stack.calls.print,
		.resumes = p->stack.calls.resumes_print,
		.depth = p->stack.depth};
	bool went = true;

	s->tape = &tape;
	while (went && !tape.over && k->at - tape.from < TRIP_BYTES && p->stack.depth && *code == 0)
		went = go_quickly(k, s, p, code);
	s->tape = NULL;
	trips_spend(&s->trips, TRIPS_LEARNING);
	if (*code == 0 && !tape.early)
		trips_put(&s->trips, &tape);
	return went;
}

/* All of the trip must have the same stamp: a line that began at an earlier stamp is over with the
 * first step. */
static inline bool take_trip(
	struct quick *k, struct strides *s, struct thread_path *p, struct trip *t)
{
	const struct contexts *x = s->contexts;

	if (!t->length || k->rows + t->rows > k->most || t->pops > p->stack.depth ||
		(x && x->frames[x->depth - 1].since != x->now))
		return false;
	if (!t->listed)
		s->trips.touched[s->trips.touched_count++] = (uint32_t)(t - s->trips.all);
	t->listed = true;
	t->passes++;
	stand(stack_top(&p->stack), t->stands_then, t->from_then);
	k->at += t->length;
	k->rows += t->rows;
	p->pops = t->pops;
	return true;
}

/* A trip if one is known here, else a step. Trips are tried only as long as they save more than
 * they cost (trips_spend, trips_save): there are programs that repeat nothing. */
static inline bool go(struct quick *k, struct strides *s, struct thread_path *p, int *code)
{
	struct trip_key key;

	if (!trips_wanted(&s->trips) || !key_here(k, s, p, &key))
		return go_quickly(k, s, p, code);
	struct trip *t = &s->trips.all[trips_home(&key)];
	if (!trip_has_key(t, &key))
		return learn_trip(k, s, p, &key, code);
	if (!take_trip(k, s, p, t)) {
		trips_spend(&s->trips, 1);
		return go_quickly(k, s, p, code);
	}
	trips_save(&s->trips, t->steps - 1);
	return !p->pops || pop_quickly(k, s, p, (uint32_t)p->pops, code);
}

static int stride_quickly(struct strides *s, struct path_clock *c, const struct stride_limit *limit)
{
	struct thread_path *p = &c->path;
	struct quick k = {.at = p->events.at,
		.end = p->events.at + p->events.left,
		.most = limit->seq - p->next_seq, /* the limit is not before this */
		.refused = s->refused};
	int code = 0;

	while (k.at < k.end && p->stack.depth && code == 0 && go(&k, s, p, &code))
		;
	p->events.left = (size_t)(k.end - k.at);
	p->events.at = k.at;
	path_clock_over_rows(c, k.rows);
	return code;
}

/* No mark waits for the next event; can_go_on does not decide that. */
static bool is_plain(
	const struct strides *s, const struct path_clock *c, const struct stride_limit *limit)
{
	return s->room && !c->path.pops && path_clock_is_plain(c) && !c->marks.idle_ticks &&
	       c->path.next_seq <= limit->seq;
}

/* The next row has a time of its own, or is the call of a task's root; contexts need to see it. */
static bool waits_for_walk(const struct strides *s, const struct path_clock *c)
{
	return s->contexts &&
	       (c->marks.timed || c->marks.idle_ticks || stack_task_waits(&c->path.stack));
}

int stride(struct strides *s, struct path_clock *c, const struct stride_limit *limit)
{
	const struct thread_path *p = &c->path;
	bool went = true;
	int code = p->blocks.open ? agree(s, p) : 0;

	while (code == 0 && went && can_go_on(c, limit) && !waits_for_walk(s, c)) {
		if (is_plain(s, c, limit))
			code = stride_quickly(s, c, limit);
		if (code)
			break;
		code = p->pops ? step_by_pop(s, c, limit, &went)
			       : step_by_event(s, c, limit, &went);
	}
	return code;
}

/* ---- what was taken ---- */

/* The rows of one step, each as often as the step was taken. */
static int take_rows(const struct strides *s, uint32_t i,
	int (*add)(void *context, const struct pl_count *row), void *context)
{
	const struct stride_step *step = &s->steps[i];
	const struct stride_rows *rows = &s->rows[i];
	uint32_t node = rows->node;
	int code = 0;

	for (uint32_t n_lines = step->lines; n_lines && code == 0; n_lines--) {
		const struct flow_node *n = &rows->reach->nodes[node];
		code = add(context, &(struct pl_count){.code = rows->code,
					    .line = code_start_line(rows->code, n->start),
					    .kind = PL_EVENT_LINE,
					    .events = step->passes});
		node = n->parent;
	}
	if (code || !step->row || (s->contexts && frames_of(kind_of(step)) == FRAMES_EXIT))
		return code;
	struct pl_count own = rows->own;
	own.events = step->passes;
	if (s->contexts)
		own.line = rows->line_after;
	return add(context, &own);
}

int strides_take(
	struct strides *s, int (*add)(void *context, const struct pl_count *row), void *context)
{
	int code = 0;

	trips_take(&s->trips);
	const uint32_t count = s->contexts ? s->touched_count : s->room;

	s->touched_count = 0;
	for (uint32_t n = 0; n < count && code == 0; n++) {
		uint32_t i = s->contexts ? s->touched[n] : n;
		if (!s->steps[i].passes)
			continue;
		code = take_rows(s, i, add, context);
		s->steps[i].passes = 0;
	}
	return code;
}
