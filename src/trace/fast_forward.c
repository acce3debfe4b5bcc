#include "trace/fast_forward.h"

#include <stdlib.h>

#define TRANSITIONS_FIRST 512
#define TRANSITIONS_MAX	  65536u /* 9 MiB with their rows; a program with more repeats little */
#define CODES_MAX	  65536u

/* The bytes of a frame are the key: code and value, then the identity of a generator, then the
 * rest. */
_Static_assert(offsetof(struct stack_frame, gen) == 8 &&
		       offsetof(struct stack_frame, place) == 16 &&
		       sizeof(struct stack_frame) == 24,
	"what of a frame an answer depends on are its first and its last eight bytes");

/* POPS is one event for several frames that end without an event of their own. Transitions are of
 * one frame, so it is asked frame by frame, as ASK_POP. */
#define ASK_POP EVENT_POPS

/* ---- the table ---- */

/* Where the top frame is (stands, from: see struct stack_frame), and what happens to it:
 *
 *	asked    | operand 32: unit, site, or index | 15: 0 | generator 1 | flags 8 | kind 8 |
 *	callee   | code 32 | unit 32 |   of an event that pushes a frame, else 0
 *
 * Of a generator only whether the frame is one matters, not which: loops over new generators would
 * never find a transition again.
 */
struct question {
	uint64_t stands, from, asked, callee;
};

/* The best bits of a product are the high ones. */
static uint32_t question_home(const struct fast_forward *s, const struct question *q)
{
	uint64_t mixed = q->stands * 0x9e3779b97f4a7c15u ^ q->from * 0xc2b2ae3d27d4eb4fu ^
			 q->asked * 0x165667b19e3779f9u ^ q->callee * 0xd6e8feb86659fd93u;

	return (uint32_t)(mixed >> 40) & (s->room - 1);
}

/* The question's transition, or the free place where it would be; there always is one, because the
 * table is never full. */
static struct row_transition *probe_table(const struct fast_forward *s, const struct question *q)
{
	uint32_t i = question_home(s, q);

	for (;;) {
		struct row_transition *t = &s->transitions[i];
		if (t->stands == q->stands && t->from == q->from && t->asked == q->asked &&
			t->callee == q->callee)
			return t;
		if (!t->asked)
			return t;
		i = (i + 1) & (s->room - 1);
	}
}

static struct question question_of_transition(const struct row_transition *t)
{
	return (struct question){t->stands, t->from, t->asked, t->callee};
}

/* ---- passes ---- */

/* What a transition of the kind does to the number of frames: FRAMES_ENTRY, FRAMES_EXIT, or
 * neither. */
static inline unsigned frames_change(enum event_kind kind)
{
	static const uint8_t frames[EVENT_KIND_COUNT] = {
#define X(constant, number, fields, row, stack, ...)                                               \
	[number] = (number) == ASK_POP ? FRAMES_EXIT : EVENT_FRAMES_##stack,
		EVENT_TABLE(X)
#undef X
	};

	return frames[kind];
}

static enum context_entry context_entry_of(enum event_kind kind)
{
	return kind == EVENT_ENTER    ? ENTRY_CALL
	       : kind == EVENT_RESUME ? ENTRY_RESUME
	       : kind == EVENT_THROW  ? ENTRY_THROW
				      : ENTRY_NONE;
}

static enum event_kind transition_kind(const struct row_transition *t)
{
	return (enum event_kind)(t->asked & 0x3f);
}

/* With contexts the counts are taken at each stamp, so the few transitions must be found fast that
 * have some. */
static inline void add_passes(struct fast_forward *s, uint32_t index, uint64_t passes)
{
	if (s->contexts && !s->transitions[index].passes)
		s->touched[s->touched_count++] = index;
	s->transitions[index].passes += passes;
}

/* What take_watched would have counted, had each of the superstep's transitions been taken. */
static void add_superstep_part(void *who, const struct superstep_part *t, uint64_t passes)
{
	struct fast_forward *s = who;
	struct contexts *x = s->contexts;
	const struct row_transition *transition = &s->transitions[t->transition];
	const enum event_kind kind = transition_kind(transition);

	add_passes(s, t->transition, passes);
	if (!x)
		return;
	contexts_rows(x, t->node,
		passes * (transition->lines +
				 (frames_change(kind) == FRAMES_ENTRY ? 0 : transition->row)));
	if (!t->edge)
		return;
	x->edges[t->edge - 1].entries[context_entry_of(kind)] += passes;
	contexts_rows(x, x->edges[t->edge - 1].to, passes);
}

/* ---- room ---- */

/* Transitions get new indexes, so what refers to them is forgotten first: supersteps, whose passes
 * are added before, and the transitions of contexts. After a failure the old table is as it was. */
static int grow_table(struct fast_forward *s)
{
	struct fast_forward more = {.room = s->room ? s->room * 2 : TRANSITIONS_FIRST};

	if (!s->supersteps.all) {
		s->supersteps.add = add_superstep_part;
		s->supersteps.who = s;
		if (row_supersteps_init(&s->supersteps))
			return PL_ERR_MEMORY;
	}
	row_supersteps_take(&s->supersteps);
	row_supersteps_forget(&s->supersteps);
	more.transitions = calloc(more.room, sizeof *more.transitions);
	more.rows = calloc(more.room, sizeof *more.rows);
	more.touched = s->contexts ? calloc(more.room, sizeof *more.touched) : NULL;
	if (!more.transitions || !more.rows || (s->contexts && !more.touched)) {
		free(more.transitions);
		free(more.rows);
		free(more.touched);
		return PL_ERR_MEMORY;
	}
	for (uint32_t i = 0; i < s->room; i++) {
		if (!s->transitions[i].asked)
			continue;
		const struct question q = question_of_transition(&s->transitions[i]);
		struct row_transition *to = probe_table(&more, &q);
		*to = s->transitions[i];
		more.rows[to - more.transitions] = s->rows[i];
		if (to->passes && s->contexts)
			more.touched[more.touched_count++] = (uint32_t)(to - more.transitions);
	}
	free(s->transitions);
	free(s->rows);
	free(s->touched);
	s->transitions = more.transitions;
	s->rows = more.rows;
	s->touched = more.touched;
	s->touched_count = more.touched_count;
	if (s->contexts)
		contexts_forget_transitions(s->contexts);
	s->room = more.room;
	return 0;
}

/* Make room for one more transition. */
static int reserve_transition(struct fast_forward *s)
{
	if (s->room && s->used + 1 <= s->room / 4 * 3)
		return 0;
	return s->room < TRANSITIONS_MAX ? grow_table(s) : FAST_FORWARD_FULL;
}

/* The memory stays. What the transitions counted is to be taken before (fast_forward_take). */
void fast_forward_forget(struct fast_forward *s)
{
	if (s->room)
		memset(s->transitions, 0, s->room * sizeof *s->transitions);
	s->used = 0;
	s->touched_count = 0;
	row_supersteps_forget(&s->supersteps);
	if (s->contexts)
		contexts_forget_transitions(s->contexts);
	map_release(&s->codes);
	s->block_file = 0;
}

void fast_forward_release(struct fast_forward *s)
{
	free(s->transitions);
	free(s->rows);
	free(s->touched);
	row_supersteps_release(&s->supersteps);
	map_release(&s->codes);
	*s = (struct fast_forward){0};
}

/* ---- codes ---- */

/* Numbers of codes are used again when a code is gone. Transitions are kept from block to block as
 * long as the numbers that a block names mean the same as before. */
static int codes_agree(struct fast_forward *s, const struct thread_path *p)
{
	const struct pl_map *bodies = &p->blocks.block.bodies;

	if (s->block_file == p->blocks.stream.file && s->block_off == p->blocks.stream.off)
		return 0;
	if (s->codes.used > CODES_MAX)
		return FAST_FORWARD_FULL;
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
			return FAST_FORWARD_FULL;
	}
	s->block_file = p->blocks.stream.file;
	s->block_off = p->blocks.stream.off;
	return 0;
}

/* ---- learning a transition ---- */

/* All of the frame that can matter; of the event its kind and flags, and a unit or index. */
static inline struct question ask_of(const struct stack_frame *f, uint32_t kind, uint32_t operand)
{
	struct question q = {.callee = 0};

	memcpy(&q.stands, f, sizeof q.stands);
	memcpy(&q.from, &f->place, sizeof q.from);
	q.asked = (uint64_t)operand << 32 | (uint64_t)(f->gen != 0) << 16 | kind;
	return q;
}

/* The slow path's way to the question. go_fast makes the same from the bytes: the two must
 * agree. */
static struct question question_for(const struct stack_frame *f, const struct event *e)
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
static void follow_trial(const struct thread_path *p, struct trial *t, const struct event *e)
{
	struct follow_code *c = t->code == p->blocks.r->unknown_code ? NULL : &t->code->follow;

	t->answer = e->kind == ASK_POP ? follow_pop(c, stack_top(&t->stack), &t->lines)
				       : follow_event(c, &t->stack, e, &t->lines);
}

/* The frame passes its lines, and is then at the last one. */
static void pass_trial_lines(struct trial *t)
{
	if (t->answer == FOLLOW_LINES && follow_count(&t->lines))
		follow_pass_line(&t->code->follow, &t->frames[0],
			t->lines.reach->nodes[t->lines.node].start);
}

static int32_t line_stood_at(const struct pl_code *c, const struct stack_frame *f)
{
	return code_place_line(c, (enum stack_place)f->place, f->value);
}

/* The row of the event, as walk.c gives it: the last row of the transition. events 0: it has none.
 * The trial is after the event; but if the event pops the frame, the frame is as before. */
static struct pl_count own_row_of(
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
		row.line = line_stood_at(t->code, f);
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

/* The row of a line, or pass, that has no event; so often. */
static struct pl_count implied_row(const struct pl_code *c, uint32_t start, uint64_t times)
{
	if (flow_is_pass(start))
		return (struct pl_count){.code = c,
			.line = code_jump_line(c, code_pass_unit(c, start)),
			.kind = PL_EVENT_AGAIN,
			.events = times};
	return (struct pl_count){.code = c,
		.line = code_start_line(c, start),
		.kind = PL_EVENT_LINE,
		.events = times};
}

/* The nodes lead from the last of the lines back to the first. */
static bool rows_halt(
	const struct fast_forward *s, const struct transition_rows *rows, uint32_t lines)
{
	uint32_t node = rows->node;

	for (; lines; lines--) {
		const struct flow_node *n = &rows->reach->nodes[node];
		const struct pl_count line = implied_row(rows->code, n->start, 1);
		if (s->halts(s->halts_context, &line))
			return true;
		node = n->parent;
	}
	return rows->own.events && s->halts(s->halts_context, &rows->own);
}

/* *out NULL: it cannot be a transition, and the walk must give the rows. */
static int learn_row_transition(struct fast_forward *s, const struct thread_path *p,
	const struct event *e, const struct question *q, struct row_transition **out)
{
	struct trial t = {.frames = {*stack_top(&p->stack)}};
	int code = reserve_transition(s);

	*out = NULL;
	if (code)
		return code;
	t.stack = (struct stack){.frames = t.frames, .depth = 1, .room = 2};
	t.code = thread_path_code_of(p, t.frames[0].code);
	follow_trial(p, &t, e);
	if (t.answer == FOLLOW_BROKEN || is_strange(p, &t, e))
		return 0;
	pass_trial_lines(&t);
	stack_apply(&t.stack, e);
	/* once the unrecorded lines are over, where they began does not matter: make the keys
	 * equal */
	if (t.frames[0].from_place == PLACE_UNKNOWN)
		t.frames[0].from_value = 0;
	struct row_transition *transition = probe_table(s, q);
	*transition = (struct row_transition){.stands = q->stands,
		.from = q->from,
		.asked = q->asked,
		.callee = q->callee,
		.lines = t.answer == FOLLOW_LINES ? follow_count(&t.lines) : 0};
	memcpy(&transition->stands_then, &t.frames[0], sizeof transition->stands_then);
	memcpy(&transition->from_then, &t.frames[0].place, sizeof transition->from_then);
	struct transition_rows *rows = &s->rows[transition - s->transitions];
	*rows = (struct transition_rows){.code = t.code, .own = own_row_of(p, &t, e)};
	if (transition->lines) {
		rows->reach = t.lines.reach;
		rows->node = t.lines.node;
	}
	transition->row = (uint32_t)rows->own.events;
	if (s->halts && rows_halt(s, rows, transition->lines))
		transition->lines = FAST_FORWARD_HALT + 1;
	if (transition->row)
		rows->line_after = line_stood_at(rows->own.code, &t.frames[t.stack.depth > 1]);
	s->used++;
	*out = transition;
	return 0;
}

/* ---- taking transitions ---- */

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
static inline int push_frame(struct stack *s, const struct change *c)
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
		return push_frame(s, c);
	if (frames == FRAMES_EXIT)
		pop_top(s);
	return 0;
}

static inline void move_frame(struct stack_frame *f, uint64_t stands, uint64_t from)
{
	memcpy(f, &stands, sizeof stands);
	memcpy(&f->place, &from, sizeof from);
}

/* The context of the frame that is to be pushed: where the site of the top frame leads. */
static uint32_t find_transition_edge(
	struct fast_forward *s, struct thread_path *p, struct context_cached *known, uint32_t index)
{
	const struct transition_rows *rows = &s->rows[index];
	struct contexts *x = s->contexts;
	const uint32_t node = x->frames[x->depth - 1].node;
	const struct context_site site = {.callee = code_first(rows->own.code),
		.caller = code_first(rows->code),
		.line = line_stood_at(rows->code, stack_top(&p->stack))};
	uint32_t edge = contexts_edge(x, node, &site);

	if (edge != UINT32_MAX)
		*known = (struct context_cached){
			.node = node, .transition = index, .edge = edge + 1};
	return edge;
}

/* The cache is asked first: most calls come from the same context as before. */
static int push_context(struct fast_forward *s, struct thread_path *p, const struct change *c,
	struct superstep_part *t)
{
	struct contexts *x = s->contexts;
	const uint32_t index = t->transition;
	struct context_cached *known = contexts_cached(x, t->node, index);
	uint32_t edge = known->edge - 1;

	if (!known->edge || known->node != t->node || known->transition != index)
		edge = find_transition_edge(s, p, known, index);
	if (edge == UINT32_MAX || contexts_push(x, edge, c->gen, context_entry_of(c->kind)))
		return PL_ERR_MEMORY;
	t->edge = edge + 1;
	contexts_rows(x, x->edges[edge].to, 1);
	return 0;
}

/* As take, with contexts. The order is that of the walk: the line that the frame was on is over
 * (passed), before the frame moves; a frame that ends is told (left), before it is popped. */
static inline int take_watched(struct fast_forward *s, struct thread_path *p,
	struct row_transition *transition, const struct change *c)
{
	struct stack_frame *f = stack_top(&p->stack);
	struct contexts *x = s->contexts;
	struct context_frame *k = &x->frames[x->depth - 1];
	const uint32_t index = (uint32_t)(transition - s->transitions);
	const unsigned frames = frames_change(c->kind);
	const bool pushing = frames == FRAMES_ENTRY, popping = frames == FRAMES_EXIT;
	struct superstep_part t = {.transition = index, .node = k->node};
	int code = 0;

	add_passes(s, index, 1);
	contexts_rows(x, k->node, transition->lines + (pushing ? 0 : transition->row));
	if (k->since != x->now &&
		(transition->lines || popping || c->kind == EVENT_LINE || c->kind == EVENT_AGAIN)) {
		x->passed(x->who, k, s->rows[index].code, line_stood_at(s->rows[index].code, f));
		k->since = x->now;
		k->since_idle = 0;
	}
	move_frame(f, transition->stands_then, transition->from_then);
	if (pushing) {
		code = push_context(s, p, c, &t);
	} else if (popping) {
		if (k->entered != x->now)
			x->left(x->who, k);
		x->depth--;
	}
	if (s->tape)
		superstep_note(s->tape, &t);
	return code ? code : push_or_pop(&p->stack, c, frames);
}

/* Count the transition, and do to the stack what it says. */
static inline int take_transition(struct fast_forward *s, struct thread_path *p,
	struct row_transition *transition, const struct change *c)
{
	if (s->contexts)
		return take_watched(s, p, transition, c);
	move_frame(stack_top(&p->stack), transition->stands_then, transition->from_then);
	transition->passes++;
	if (s->tape)
		superstep_note(
			s->tape, &(struct superstep_part){
					 .transition = (uint32_t)(transition - s->transitions)});
	return push_or_pop(&p->stack, c, frames_change(c->kind));
}

/* It is not at the limit, and nothing waits that only the walk can give. */
static bool can_go_on(const struct path_clock *c, const struct fast_forward_limit *limit)
{
	const struct thread_path *p = &c->path;

	return p->blocks.open && !p->gap_count && !p->ahead.begun && !p->holds && !p->silent &&
	       p->told_next == p->told_count && c->ticks + c->marks.ticks < limit->ticks &&
	       (p->pops || p->events.left);
}

/* The transition of an event whose frame is the top one. */
static int find_row_transition(struct fast_forward *s, const struct thread_path *p,
	const struct event *e, struct row_transition **out)
{
	const struct question q = question_for(stack_top(&p->stack), e);

	if (s->room) {
		*out = probe_table(s, &q);
		if ((*out)->asked)
			return 0;
	}
	return learn_row_transition(s, p, e, &q, out);
}

/* One transition for the event, whose bytes go up to `rest`. *went false: it is for the walk. */
static int try_transition(struct fast_forward *s, struct path_clock *c, const struct event *e,
	const struct fast_forward_limit *limit, bool *went)
{
	struct thread_path *p = &c->path;
	struct row_transition *transition;

	*went = false;
	if (!p->stack.depth)
		return 0;
	int code = find_row_transition(s, p, e, &transition);
	if (code || !transition || p->next_seq + transition->lines + transition->row > limit->seq)
		return code;
	*went = true;
	path_clock_over_rows(c, transition->lines + transition->row);
	return take_transition(s, p, transition,
		&(struct change){.kind = e->kind, .code = e->code, .unit = e->unit, .gen = e->gen});
}

/* Update the contexts after an event that has no row but changes the stack. */
static int forward_contexts(struct fast_forward *s, struct thread_path *p, const struct event *e)
{
	if (e->kind == EVENT_TASK)
		return e->flags & EVENT_NUMBERED ? 0 : contexts_task(s->contexts, p);
	return s->contexts->depth == p->stack.depth && e->kind != EVENT_LINK &&
			       e->kind != EVENT_GREENLET
		       ? 0
		       : contexts_sync(s->contexts, p);
}

/* Decode the next event. One with a transition is taken by it; one without a row (a stamp, a task,
 * a name) is given to the walk; before any other, such as a gap, the fast-forward ends here, and
 * *went is false. */
static int forward_event(struct fast_forward *s, struct path_clock *c,
	const struct fast_forward_limit *limit, bool *went)
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
		code = try_transition(s, c, &e, limit, went);
		if (*went && e.kind != EVENT_AT)
			path_clock_over_marks(c);
	} else if (!event_counts(e.kind)) {
		if (s->contexts)
			stack_mark(&p->stack);
		path_clock_pass(c, &e);
		*went = true;
		if (s->contexts)
			code = forward_contexts(s, p, &e);
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

static int forward_pop(struct fast_forward *s, struct path_clock *c,
	const struct fast_forward_limit *limit, bool *went)
{
	static const struct event pop = {.kind = ASK_POP, .a = 1};

	*went = false;
	if (s->contexts && next_is_thrown(&c->path))
		return 0;
	int code = try_transition(s, c, &pop, limit, went);

	if (*went)
		c->path.pops--;
	return code;
}

/* ---- the fast path ----
 *
 * Most events need only their transition. These are taken directly from the bytes, in a loop that
 * keeps what it needs in registers, as long as their transitions are known and nothing else
 * waits. */

/* A view of the block's events and what is counted on the way, in locals: written back at the end
 * of run_fast. */
struct fast_run {
	const uint8_t *at, *end;
	uint64_t rows;
	uint64_t most;	  /* rows */
	uint64_t refused; /* as in fast-forwards */
};

/* A varint of at most three bytes; UINT32_MAX: it is longer. */
static inline uint32_t read_small(const uint8_t **at, const uint8_t *end)
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
 * site or number. 0: the event is not taken here. FAST_ENTERS is set in those of entries. */
#define FAST_ENTERS 0x80u
static const uint8_t fast_kinds[32] = {
#define X(constant, number, fields, row, stack, traits, ...)                                       \
	[number] = (traits)&EVENT_FAST                                                             \
			   ? (EVENT_FRAMES_##stack == FRAMES_ENTRY ? FAST_ENTERS : 0) + 1 +        \
				     EVENT_COUNT_##fields -                                        \
				     !!(EVENT_BITS_##fields & EVENT_FIELD_made)                    \
			   : 0,
	EVENT_KINDS(X)
#undef X
};
#define FIELDS_MAX 4

/* Of a generator that the block has resumed before: one byte and its place in the table, and a unit
 * if that is another one. */
static inline const uint8_t *read_fast_resume(const struct fast_run *k,
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
	if (!(*k->at & EVENT_SAME_UNIT) && (c->unit = read_small(&at, k->end)) == UINT32_MAX)
		return NULL;
	return r->code ? at : NULL;
}

/* Returns the byte after the event; NULL: it is for the slow path. */
static inline const uint8_t *read_fast(const struct fast_run *k, struct event_calls *calls,
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
		return read_fast_resume(k, calls, fields, c, flags);
	uint32_t n =
		first < 0x80 && !(k->refused >> (first & 0x1f) & 1) ? fast_kinds[first & 0x1f] : 0;
	const bool enters = n & FAST_ENTERS;

	*flags = first & 0x60;
	c->kind = (enum event_kind)(first & 0x1f);
	if (!n || (enters && *flags & EVENT_NO_CALLER))
		return NULL;
	n &= ~FAST_ENTERS;
	bool made = c->kind == EVENT_ENTER && *flags & EVENT_GENERATOR;
	for (uint32_t i = 0; i + 1 < n + made; i++)
		if ((fields[i] = read_small(&at, k->end)) == UINT32_MAX)
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

/* After a transition that was taken: a superstep can end where the frame has returned to. */
static void note_place(struct fast_forward *s, const struct fast_run *k,
	const struct thread_path *p, uint64_t pops)
{
	struct superstep_tape *tape = s->tape;
	const struct stack_frame *f = stack_top(&p->stack);
	const uint64_t rows = k->rows - tape->rows;
	const ptrdiff_t length = k->at - tape->from;

	tape->over |= p->stack.depth < tape->depth || p->stack.calls.print != tape->calls ||
		      p->stack.calls.resumes_print != tape->resumes ||
		      tape->count > SUPERSTEP_PARTS || length > SUPERSTEP_BYTES ||
		      rows > UINT32_MAX || pops > UINT8_MAX;
	if (tape->over || p->stack.depth > tape->depth)
		return;
	struct row_superstep *t = &tape->superstep;
	t->length = (uint8_t)length;
	t->pops = (uint8_t)pops;
	t->transitions = (uint8_t)tape->count;
	t->rows = (uint32_t)rows;
	memcpy(&t->stands_then, f, sizeof t->stands_then);
	memcpy(&t->from_then, &f->place, sizeof t->from_then);
}

/* One event, or one pop of it. */
struct fast_event {
	struct question asked;
	struct change change;
	const uint8_t *after; /* the byte after it */
};

/* false: no transition is known, or it would go over the limit. */
static inline bool take_fast(struct fast_run *k, struct fast_forward *s, struct thread_path *p,
	const struct fast_event *e, int *code)
{
	struct row_transition *transition = probe_table(s, &e->asked);

	if (!transition->asked || k->rows + transition->lines + transition->row > k->most) {
		/* a longer one is never taken */
		if (s->tape)
			s->tape->early = transition->lines <= FAST_FORWARD_HALT;
		return false;
	}
	k->at = e->after;
	k->rows += transition->lines + transition->row;
	*code = take_transition(s, p, transition, &e->change);
	if (s->tape)
		note_place(s, k, p, e->change.kind == ASK_POP ? p->pops - 1 : 0);
	return true;
}

/* If it stops on the way, p->pops has what is left for the slow path. Such is a linked coroutine:
 * the next event can throw into it (next_is_thrown). */
static bool pop_fast(
	struct fast_run *k, struct fast_forward *s, struct thread_path *p, uint32_t n, int *code)
{
	struct fast_event pop = {.change = {.kind = ASK_POP}, .after = k->at};

	if (s->tape && n > p->stack.depth)
		s->tape->over = true;
	for (p->pops = n <= p->stack.depth ? n : 0; p->pops; p->pops--) {
		if (s->contexts && stack_top(&p->stack)->linked && stack_top(&p->stack)->gen)
			return false;
		pop.asked = ask_of(stack_top(&p->stack), ASK_POP, 0);
		if (!take_fast(k, s, p, &pop, code))
			return false;
	}
	return true;
}

/* One event. false: it, or the rest of its pops, is for the slow path. */
static inline bool go_fast(
	struct fast_run *k, struct fast_forward *s, struct thread_path *p, int *code)
{
	const struct stack_frame *f = stack_top(&p->stack);
	const uint8_t first = *k->at;
	struct fast_event e = {.change = {.kind = EVENT_LINE}, .after = k->at + 1};
	const struct change *c = &e.change;
	uint32_t fields[FIELDS_MAX] = {0}, flags;

	if (first >= 0x80 && first < 0x80 + EVENT_SHORT_LINES) {
		e.asked = ask_of(f, EVENT_LINE, first & 0x7f);
		return take_fast(k, s, p, &e, code);
	}
	e.after = read_fast(k, &p->stack.calls, fields, &e.change, &flags);
	if (!e.after)
		return false;
	if (c->kind == EVENT_POPS) {
		k->at = e.after;
		return pop_fast(k, s, p, fields[0], code);
	}
	e.asked = ask_of(f, (uint32_t)c->kind | flags << 8, fields[0]);
	e.asked.callee = (uint64_t)c->code << 32 | c->unit;
	return take_fast(k, s, p, &e, code);
}

/* ---- supersteps ---- */

/* Is one of eight bytes the first byte of a known resume? Other bytes can have the same value. */
static inline bool bytes_may_resume(uint64_t bytes)
{
	const uint64_t ones = 0x0101010101010101u, same = ones * (uint8_t)~EVENT_SAME_UNIT;
	const uint64_t off = (bytes & same) ^ ones * (EVENT_RESUME | EVENT_KNOWN);

	return ((off - ones) & ~off & ones << 7) != 0;
}

/* false: too near to the end. */
static inline bool superstep_key_here(const struct fast_run *k, const struct fast_forward *s,
	const struct thread_path *p, struct superstep_key *key)
{
	const struct stack_frame *f = stack_top(&p->stack);
	const struct contexts *x = s->contexts;
	const uint64_t node = x ? x->frames[x->depth - 1].node : 0;

	if (k->end - k->at < SUPERSTEP_BYTES)
		return false;
	memcpy(&key->bytes, k->at, sizeof key->bytes);
	memcpy(&key->stands, f, sizeof key->stands);
	memcpy(&key->from, &f->place, sizeof key->from);
	key->where = p->stack.calls.print ^ (node << 1 | (f->gen != 0));
	if (bytes_may_resume(key->bytes))
		key->where ^= p->stack.calls.resumes_print;
	return true;
}

/* Transitions are taken as usual, and noted on a tape (note_place). The longest beginning that can
 * be a superstep, one that ends in the frame where it began, is kept. */
static bool learn_superstep(struct fast_run *k, struct fast_forward *s, struct thread_path *p,
	const struct superstep_key *key, int *code)
{
	struct superstep_tape tape = {.superstep = {.key = *key},
		.from = k->at,
		.rows = k->rows,
		.calls = p->stack.calls.print,
		.resumes = p->stack.calls.resumes_print,
		.depth = p->stack.depth};
	bool went = true;

	s->tape = &tape;
	while (went && !tape.over && k->at - tape.from < SUPERSTEP_BYTES && p->stack.depth &&
		*code == 0)
		went = go_fast(k, s, p, code);
	s->tape = NULL;
	row_supersteps_spend(&s->supersteps, SUPERSTEPS_LEARNING);
	if (*code == 0 && !tape.early)
		row_supersteps_put(&s->supersteps, &tape);
	return went;
}

/* All of the superstep must have the same stamp: a line that began at an earlier stamp is over with
 * the first transition. */
static inline bool take_superstep(
	struct fast_run *k, struct fast_forward *s, struct thread_path *p, struct row_superstep *t)
{
	const struct contexts *x = s->contexts;

	if (!t->length || k->rows + t->rows > k->most || t->pops > p->stack.depth ||
		(x && x->frames[x->depth - 1].since != x->now))
		return false;
	if (!t->listed)
		s->supersteps.touched[s->supersteps.touched_count++] =
			(uint32_t)(t - s->supersteps.all);
	t->listed = true;
	t->passes++;
	move_frame(stack_top(&p->stack), t->stands_then, t->from_then);
	k->at += t->length;
	k->rows += t->rows;
	p->pops = t->pops;
	return true;
}

/* A superstep if one is known here, else a transition. Supersteps are tried only as long as they
 * save more than they cost (row_supersteps_spend, row_supersteps_save): there are programs that
 * repeat nothing. */
static inline bool go_forward(
	struct fast_run *k, struct fast_forward *s, struct thread_path *p, int *code)
{
	struct superstep_key key;

	if (!row_supersteps_wanted(&s->supersteps) || !superstep_key_here(k, s, p, &key))
		return go_fast(k, s, p, code);
	struct row_superstep *t = &s->supersteps.all[row_supersteps_home(&key)];
	if (!superstep_has_key(t, &key))
		return learn_superstep(k, s, p, &key, code);
	if (!take_superstep(k, s, p, t)) {
		row_supersteps_spend(&s->supersteps, 1);
		return go_fast(k, s, p, code);
	}
	row_supersteps_save(&s->supersteps, t->transitions - 1);
	return !p->pops || pop_fast(k, s, p, (uint32_t)p->pops, code);
}

static int run_fast(
	struct fast_forward *s, struct path_clock *c, const struct fast_forward_limit *limit)
{
	struct thread_path *p = &c->path;
	struct fast_run k = {.at = p->events.at,
		.end = p->events.at + p->events.left,
		.most = limit->seq - p->next_seq, /* the limit is not before this */
		.refused = s->refused};
	int code = 0;

	while (k.at < k.end && p->stack.depth && code == 0 && go_forward(&k, s, p, &code))
		;
	p->events.left = (size_t)(k.end - k.at);
	p->events.at = k.at;
	path_clock_over_rows(c, k.rows);
	return code;
}

/* No mark waits for the next event; can_go_on does not decide that. */
static bool fast_may_run(const struct fast_forward *s, const struct path_clock *c,
	const struct fast_forward_limit *limit)
{
	return s->room && !c->path.pops && path_clock_is_plain(c) && !c->marks.idle_ticks &&
	       c->path.next_seq <= limit->seq;
}

/* The next row has a time of its own, or is the call of a task's root; contexts need to see it. */
static bool waits_for_walk(const struct fast_forward *s, const struct path_clock *c)
{
	return s->contexts &&
	       (c->marks.timed || c->marks.idle_ticks || stack_task_waits(&c->path.stack));
}

int fast_forward(
	struct fast_forward *s, struct path_clock *c, const struct fast_forward_limit *limit)
{
	const struct thread_path *p = &c->path;
	bool went = true;
	int code = p->blocks.open ? codes_agree(s, p) : 0;

	while (code == 0 && went && can_go_on(c, limit) && !waits_for_walk(s, c)) {
		if (fast_may_run(s, c, limit))
			code = run_fast(s, c, limit);
		if (code)
			break;
		code = p->pops ? forward_pop(s, c, limit, &went)
			       : forward_event(s, c, limit, &went);
	}
	return code;
}

/* ---- what was taken ---- */

/* The rows of one transition, each as often as the transition was taken. */
static int take_rows(const struct fast_forward *s, uint32_t i,
	int (*add)(void *context, const struct pl_count *row), void *context)
{
	const struct row_transition *transition = &s->transitions[i];
	const struct transition_rows *rows = &s->rows[i];
	uint32_t node = rows->node;
	int code = 0;

	for (uint32_t n_lines = transition->lines; n_lines && code == 0; n_lines--) {
		const struct flow_node *n = &rows->reach->nodes[node];
		const struct pl_count line = implied_row(rows->code, n->start, transition->passes);
		code = add(context, &line);
		node = n->parent;
	}
	if (code || !transition->row ||
		(s->contexts && frames_change(transition_kind(transition)) == FRAMES_EXIT))
		return code;
	struct pl_count own = rows->own;
	own.events = transition->passes;
	if (s->contexts)
		own.line = rows->line_after;
	return add(context, &own);
}

int fast_forward_take(struct fast_forward *s, int (*add)(void *context, const struct pl_count *row),
	void *context)
{
	int code = 0;

	row_supersteps_take(&s->supersteps);
	const uint32_t count = s->contexts ? s->touched_count : s->room;

	s->touched_count = 0;
	for (uint32_t n = 0; n < count && code == 0; n++) {
		uint32_t i = s->contexts ? s->touched[n] : n;
		if (!s->transitions[i].passes)
			continue;
		code = take_rows(s, i, add, context);
		s->transitions[i].passes = 0;
	}
	return code;
}
