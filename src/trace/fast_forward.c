#include "trace/transitions.h"

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
	const struct question q = transition_question(stack_top(&p->stack), e);

	if (s->room) {
		*out = probe_table(s, &q);
		if ((*out)->asked)
			return 0;
	}
	return transition_learn(s, p, e, &q, out);
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
	int code = p->blocks.open ? transitions_agree(s, p) : 0;

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
