/* Go along the events of a block by transitions and supersteps. */
#include "format/standing_table.h"

#include "base/expect.h"

#define MISS_COSTS 8 /* of the credit of supersteps */

/* A run has the top frame, and those from `low` on, as numbers; those below have not been looked
 * at. It is kept in registers: its address is given only to inlined functions. */
struct run {
	const uint8_t *at, *begin, *end; /* bytes */
	size_t before;			 /* bytes of the block before `begin` */
	struct standings *m;
	struct stack *s;
	struct event_calls *calls;
	const struct follow_codes *codes;
	uint32_t *stack; /* the place of the top is not used */
	uint32_t top;	 /* number */
	uint32_t depth, low;
	uint32_t least; /* least depth since the beginning */
	uint32_t floor; /* depth below which a pop has to do more */
	uint32_t room;	/* for frames */
	uint32_t pops;	/* still to be done, of an event that was read */
	int32_t credit; /* of supersteps: below 0 none are looked for */
	struct sums sums;
	struct standing_counts *out; /* of what is no part of a superstep */
	/* the superstep that is being learned, and notes the transitions that count events;
	 * NULL: none */
	struct superstep *learnt;
	struct superstep *last; /* the last one that was made; number 0: it is not known */
};
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The last frame stays, and so do frames that a gap made stale, and tasks, also that of the next
 * frame. All these take the slow way. */
static uint32_t floor_of_run(const struct stack *s)
{
	uint32_t floor = s->task_count ? s->tasks[s->task_count - 1].frame + 1 : 1;

	return s->stale >= floor ? s->stale + 1 : floor;
}

/* Make numbers frames again. A generator that was resumed meanwhile has its identity at its place
 * by then; one that was made has none. */
static void run_end(const struct run *k, struct stack *s)
{
	if (k->low < k->depth)
		k->stack[k->depth - 1] = k->top;
	for (uint32_t i = k->low; i < k->depth; i++) {
		struct stack_frame f = k->m->frames[k->stack[i]];
		f.gen = f.gen ? s->frames[i].gen : 0;
		s->frames[i] = f;
	}
	s->depth = k->depth;
	if (k->least < s->min_depth)
		s->min_depth = k->least;
}

/* Of the frames below the top those that a superstep asks about. Returns the lowest that has a
 * number. */
static uint32_t number_frames_below(struct standings *m, const struct stack *s, uint32_t top)
{
	const uint32_t last = top > SUPERSTEP_DOWN ? top - SUPERSTEP_DOWN : 0;

	for (; top > last; top--) {
		m->stack[top - 1] = standings_number(m, &s->frames[top - 1]);
		if (!m->stack[top - 1])
			break;
	}
	return top;
}

/* Look at the top frame. false: it cannot be numbered now. */
ALWAYS_INLINE bool run_look_at_top(struct run *k)
{
	k->top = standings_number(k->m, &k->s->frames[k->depth - 1]);
	k->low = k->top ? number_frames_below(k->m, k->s, k->depth - 1) : k->depth;
	return k->top != 0;
}

ALWAYS_INLINE struct standing_transition *run_find(const struct run *k, uint64_t question)
{
	struct standing_transition *transition =
		transition_probe(k->m->transitions, k->m->transition_room - 1, k->top, question);

	return transition->asked ? transition : standings_learn(k->m, k->codes, k->top, question);
}

/* The transition was made, and represents events. */
ALWAYS_INLINE void run_count(const struct run *k, struct standing_transition *transition)
{
	transition->passes++;
	if (k->learnt && k->learnt->transition_count < SUPERSTEP_TRANSITIONS)
		k->learnt->transitions[k->learnt->transition_count] =
			(uint32_t)(transition - k->m->transitions);
	if (k->learnt)
		k->learnt->transition_count++;
}

/* What comes now is not part of a superstep. */
ALWAYS_INLINE void run_end_learning(const struct run *k)
{
	if (k->learnt)
		k->learnt->transition_count = SUPERSTEP_TRANSITIONS + 1;
}

/* Lines, and passes of loops. */
ALWAYS_INLINE void run_add_rows(struct run *k, const struct standing_transition *transition)
{
	k->sums.untold.lines += transition->untold.lines;
	k->sums.untold.passes += transition->untold.passes;
}

/* Of a transition that may leave a frame; others have only lines. */
ALWAYS_INLINE void run_add_all_rows(struct run *k, const struct standing_transition *transition)
{
	run_add_rows(k, transition);
	k->sums.untold.returns += transition->untold.returns;
	k->sums.untold.yields += transition->untold.yields;
}

/* One to four of them. */
ALWAYS_INLINE bool run_lines(struct run *k)
{
	struct standing_transition *transition;
	uint32_t bytes, n;

	memcpy(&bytes, k->at, sizeof bytes);
	n = count_line_bytes(bytes);
	if (!n || !(transition = run_find(k, bytes & UINT32_MAX >> (32 - 8 * n))))
		return false;
	k->at += n;
	k->top = transition->then;
	run_count(k, transition);
	k->sums.lines += n;
	run_add_rows(k, transition);
	return true;
}

/* How many frames POPS of one byte more pops, if it comes next; 0: it does not. */
ALWAYS_INLINE uint32_t pops_that_come(const uint8_t *at, const uint8_t *end)
{
	return end - at >= 2 && at[0] == EVENT_POPS && at[1] < 0x80 ? at[1] : 0;
}

/* The top frame is gone. */
ALWAYS_INLINE bool run_go_down(struct run *k)
{
	k->depth--;
	if (unlikely(k->depth <= k->low))
		return run_look_at_top(k);
	k->top = k->stack[k->depth - 1];
	return true;
}

ALWAYS_INLINE bool run_pop_one(struct run *k)
{
	const struct standing_transition *transition = run_find(k, ASK_POP);

	if (!transition)
		return false;
	run_add_all_rows(k, transition);
	k->pops--;
	return run_go_down(k);
}

ALWAYS_INLINE bool run_pop_all(struct run *k, uint32_t n)
{
	bool went = true;

	for (k->pops = n; went && k->pops;)
		went = run_pop_one(k);
	if (k->depth < k->least)
		k->least = k->depth;
	return went;
}

ALWAYS_INLINE bool run_pop(struct run *k, uint32_t n, struct pl_view rest)
{
	if (n + k->floor > k->depth)
		return false;
	k->at = rest.at;
	return run_pop_all(k, n);
}

/* LEAVE, SUSPEND or UNWIND. */
ALWAYS_INLINE bool run_leave(struct run *k, const struct event_common *e, struct pl_view rest)
{
	struct standing_transition *transition;

	if (1 + k->floor > k->depth || !(transition = run_find(k, ask_unit(e))))
		return false;
	k->at = rest.at;
	run_count(k, transition);
	if (unlikely(e->kind == EVENT_UNWIND)) {
		k->out->rows[PL_EVENT_UNWIND]++;
		run_end_learning(k);
	}
	k->sums.leaves += e->kind == EVENT_LEAVE;
	k->sums.suspends += e->kind == EVENT_SUSPEND;
	run_add_rows(k, transition);
	bool went = run_go_down(k);
	if (k->depth < k->least)
		k->least = k->depth;
	return went;
}

/* The frame stands at the event's unit afterwards. NULL: that is not known yet. */
ALWAYS_INLINE const struct standing_transition *run_stay_at(
	struct run *k, const struct event_common *e, struct pl_view rest)
{
	struct standing_transition *transition = run_find(k, ask_unit(e));

	if (!transition)
		return NULL;
	k->at = rest.at;
	k->top = transition->then;
	run_count(k, transition);
	return transition;
}

ALWAYS_INLINE bool run_again(struct run *k, const struct event_common *e, struct pl_view rest)
{
	const struct standing_transition *transition = run_stay_at(k, e, rest);

	if (!transition)
		return false;
	k->sums.agains++;
	run_add_rows(k, transition);
	return true;
}

/* RAISE, RERAISE or HANDLED. */
ALWAYS_INLINE bool run_raise(struct run *k, const struct event_common *e, struct pl_view rest)
{
	const struct standing_transition *transition = run_stay_at(k, e, rest);

	if (!transition)
		return false;
	run_end_learning(k);
	k->out->rows[event_row(e->kind)]++;
	run_add_rows(k, transition);
	return true;
}

ALWAYS_INLINE bool run_time(struct run *k, uint32_t ticks, struct pl_view rest)
{
	if (k->m->mentions)
		mentions_add_apart(k->m->mentions, k->before + (size_t)(k->at - k->begin),
			(size_t)(rest.at - k->at));
	k->at = rest.at;
	k->out->ticks += ticks;
	run_end_learning(k); /* its place is another one each time */
	return true;
}

/* A call, with the LINE after it and, if the callee is gone by then, that too. `rest`: the bytes
 * after the event. */
ALWAYS_INLINE bool run_enter(struct run *k, const struct event_common *e, struct pl_view rest)
{
	uint32_t line = rest.left && *rest.at >= 0x80 && *rest.at != 0xff ? *rest.at : 0;
	const uint8_t *at = rest.at + (line != 0);
	uint32_t pops = pops_that_come(at, k->end);
	bool leaf = pops && pops - 1 + k->floor <= k->depth;
	struct standing_transition *transition;

	if (k->depth == k->room ||
		!(transition = run_find(k, ask_enter(e, line) | (leaf ? ASK_LEAF : 0))))
		return false;
	if (transition->mark != k->m->mark)
		standings_mention(k->m, transition, e->code);
	run_count(k, transition);
	if (e->gen)
		run_end_learning(k); /* another one each time */
	k->sums.enters++;
	k->sums.lines += line != 0;
	run_add_all_rows(k, transition);
	if (leaf) {
		k->at = at + 2;
		k->top = transition->then;
		return run_pop_all(k, pops - 1);
	}
	k->at = at;
	if (e->gen)
		k->s->frames[k->depth].gen = e->gen;
	k->stack[k->depth++ - 1] = transition->then;
	k->top = transition->callee;
	return true;
}

ALWAYS_INLINE bool run_resume(struct run *k, const struct event_common *e, struct pl_view rest)
{
	struct standing_transition *transition;

	if (k->depth == k->room || !(transition = run_find(k, ask_resume(e))))
		return false;
	if (transition->mark != k->m->mark)
		standings_mention(k->m, transition, e->code);
	run_count(k, transition);
	run_end_learning(k); /* the bytes do not say which generator it is */
	k->at = rest.at;
	k->out->rows[PL_EVENT_RESUME]++;
	k->out->known_resumes += e->known;
	run_add_rows(k, transition);
	k->s->frames[k->depth].gen = e->gen;
	k->stack[k->depth++ - 1] = transition->then;
	k->top = transition->callee;
	return true;
}

/* false: the slow way must read what comes now, and do k->pops. */
ALWAYS_INLINE bool run_step(struct run *k)
{
	struct pl_view rest = view_of(k->at, (size_t)(k->end - k->at));
	struct event_common e;

	if (rest.left < EVENT_COMMON_BYTES)
		return false;
	if (*k->at >= 0x80)
		return run_lines(k);
	if (!event_read_common(&rest, k->calls, &e))
		return false;
	switch (e.kind) {
	case EVENT_ENTER:
		return run_enter(k, &e, rest);
	case EVENT_POPS:
		return run_pop(k, e.number, rest);
	case EVENT_AGAIN:
		return run_again(k, &e, rest);
	case EVENT_RESUME:
		return run_resume(k, &e, rest);
	case EVENT_TIME:
		return run_time(k, e.number, rest);
	case EVENT_RAISE:
	case EVENT_RERAISE:
	case EVENT_HANDLED:
		return run_raise(k, &e, rest);
	default:
		return run_leave(k, &e, rest);
	}
}

/* ---- supersteps, run ---- */

/* Up to the step that was made, if that can be kept. */
static bool superstep_lengthen(
	struct superstep *to, struct superstep *now, const struct run *k, const struct run *first)
{
	const uint32_t lowest = first->depth - 1 - SUPERSTEP_DOWN;
	const size_t bytes = (size_t)(k->at - first->at);

	if (k->calls->print != now->calls || bytes > SUPERSTEP_BYTES ||
		now->transition_count > SUPERSTEP_TRANSITIONS || k->least <= lowest ||
		k->depth - k->least >= SUPERSTEP_STACK)
		return false;
	now->bytes = (uint8_t)bytes;
	now->down = (uint8_t)(first->depth - k->least);
	now->stack_count = (uint8_t)(k->depth - k->least + 1);
	k->stack[k->depth - 1] = k->top;
	memcpy(now->stack, &k->stack[k->least - 1], now->stack_count * sizeof *now->stack);
	now->sums = (struct sums){.lines = k->sums.lines - first->sums.lines,
		.enters = k->sums.enters - first->sums.enters,
		.leaves = k->sums.leaves - first->sums.leaves,
		.agains = k->sums.agains - first->sums.agains,
		.suspends = k->sums.suspends - first->sums.suspends,
		.untold = {k->sums.untold.lines - first->sums.untold.lines,
			k->sums.untold.passes - first->sums.untold.passes,
			k->sums.untold.returns - first->sums.untold.returns,
			k->sums.untold.yields - first->sums.untold.yields}};
	*to = *now;
	return true;
}

/* Steps that may be part of a superstep. false: none can be made any more. */
static bool superstep_learn_steps(struct run *k, struct superstep *to)
{
	const struct run first = *k;
	struct superstep now = *to;
	bool goes;

	k->learnt = &now;
	k->least = k->depth;
	while ((goes = run_step(k)) && superstep_lengthen(to, &now, k, &first))
		;
	k->learnt = NULL;
	if (k->least > first.least)
		k->least = first.least;
	return goes;
}

/* Replaces another superstep. Makes at least the first of its transitions, if it can be made: if
 * not, false. */
static __attribute__((noinline)) bool superstep_learn(
	struct run *k, uint16_t *place, const struct superstep *asked)
{
	struct superstep *superstep = superstep_take(k->m, place);
	struct superstep learnt = {.who = {asked->who[0], asked->who[1]},
		.calls = asked->calls,
		.ahead = {asked->ahead[0], asked->ahead[1], asked->ahead[2]},
		.mark = k->m->mark};
	const uint32_t transition_room = k->m->transition_room;

	bool goes = superstep_learn_steps(k, &learnt);
	/* if not, transitions are elsewhere now, and no superstep is in use */
	if (transition_room == k->m->transition_room)
		*superstep = learnt;
	k->credit -= MISS_COSTS;
	k->last = k->m->supersteps;
	return goes;
}

ALWAYS_INLINE uint16_t *superstep_place(const struct standings *m, const struct superstep *asked)
{
	uint64_t mixed = (asked->ahead[0] * 0x9e3779b97f4a7c15u) ^
			 (asked->ahead[1] * 0xc2b2ae3d27d4eb4fu) ^
			 (asked->ahead[2] * 0x9fb21c651e98df25u) ^
			 ((asked->who[0] ^ asked->calls) * 0x165667b19e3779f9u) ^
			 (asked->who[1] * 0xd6e8feb86659fd93u);

	/* only the top bits depend on all bytes */
	return &m->superstep_places[mixed >> (64 - SUPERSTEP_PLACES_LOG)];
}

ALWAYS_INLINE bool superstep_is_asked(const struct superstep *s, const struct superstep *asked)
{
	return s->who[0] == asked->who[0] && s->who[1] == asked->who[1] &&
	       s->calls == asked->calls && s->ahead[0] == asked->ahead[0] &&
	       s->ahead[1] == asked->ahead[1] && s->ahead[2] == asked->ahead[2];
}

ALWAYS_INLINE bool superstep_make(struct run *k, struct superstep *superstep)
{
	const uint32_t lowest = k->depth - 1 - superstep->down;

	if (superstep->mark != k->m->mark)
		superstep_mention(k->m, superstep);
	superstep->passes++;
	k->at += superstep->bytes;
	memcpy(&k->stack[lowest], superstep->stack, sizeof superstep->stack);
	k->depth = lowest + superstep->stack_count;
	k->top = superstep->stack[superstep->stack_count - 1];
	k->least = lowest + 1 < k->least ? lowest + 1 : k->least;
	k->sums.lines += superstep->sums.lines;
	k->sums.enters += superstep->sums.enters;
	k->sums.leaves += superstep->sums.leaves;
	k->sums.agains += superstep->sums.agains;
	k->sums.suspends += superstep->sums.suspends;
	follow_rows_add(&k->sums.untold, &superstep->sums.untold);
	return true;
}

ALWAYS_INLINE bool run_may_superstep(const struct run *k)
{
	return k->credit >= 0 && k->end - k->at >= SUPERSTEP_BYTES + EVENT_COMMON_BYTES &&
	       k->depth >= k->floor + SUPERSTEP_DOWN && k->depth > k->low + SUPERSTEP_DOWN &&
	       k->depth + SUPERSTEP_STACK <= k->room;
}

/* First try the superstep that followed the last one before: that needs no hash, and it is fetched
 * early. NULL: nothing is known about what is asked; *place is for it. */
ALWAYS_INLINE struct superstep *superstep_find(
	struct run *k, const struct superstep *asked, uint16_t **place)
{
	struct superstep *superstep = &k->m->supersteps[k->last->next];

	if (unlikely(!superstep_is_asked(superstep, asked))) {
		*place = superstep_place(k->m, asked);
		superstep = &k->m->supersteps[**place];
		if (unlikely(!superstep_is_asked(superstep, asked)))
			return NULL;
		k->last->next = **place;
	}
	k->last = superstep;
	return superstep;
}

/* As go_one_step(), or further if possible. */
ALWAYS_INLINE bool run_far(struct run *k)
{
	struct superstep asked, *superstep;
	uint16_t *place;

	if (unlikely(!run_may_superstep(k)))
		return run_step(k);
	memcpy(asked.ahead, k->at, sizeof asked.ahead);
	asked.calls = k->calls->print;
	asked.who[0] = (uint64_t)k->top << 17 | k->stack[k->depth - 2];
	asked.who[1] = (uint64_t)k->stack[k->depth - 3] << 17 | k->stack[k->depth - 4];
	superstep = superstep_find(k, &asked, &place);
	if (unlikely(!superstep)) {
		struct run slow = *k;
		bool goes = superstep_learn(&slow, place, &asked);
		*k = slow;
		return goes;
	}
	k->credit++;
	return likely(superstep->bytes != 0) ? superstep_make(k, superstep) : run_step(k);
}

void standings_run(struct standings *m, struct stack *s, struct standing_events *events,
	const struct follow_codes *codes, struct standing_counts *out)
{
	struct run k = {.at = events->rest.at,
		.begin = events->rest.at,
		.before = events->off,
		.end = events->rest.at + events->rest.left,
		.m = m,
		.s = s,
		.calls = &s->calls,
		.codes = codes,
		.out = out};
	struct follow_rows rows = {0};

	if (!standings_may_run(m, s))
		return;
	k.stack = m->stack;
	k.room = s->room;
	k.depth = k.least = s->depth;
	k.floor = floor_of_run(s);
	if (!run_look_at_top(&k))
		return;
	k.credit = supersteps_begin(m) ? m->credit : -1;
	k.last = m->supersteps;
	while (run_far(&k))
		;
	m->credit = k.credit;
	const struct run done = k;
	run_end(&done, s);
	events->rest = view_of(k.at, (size_t)(k.end - k.at));
	events->off += (size_t)(k.at - k.begin);
	if (k.pops)
		follow_apply(s, &(struct event){.kind = EVENT_POPS, .a = k.pops}, codes, &rows);
	out->rows[PL_EVENT_LINE] += k.sums.lines;
	out->rows[PL_EVENT_CALL] += k.sums.enters;
	out->rows[PL_EVENT_RETURN] += k.sums.leaves;
	out->rows[PL_EVENT_AGAIN] += k.sums.agains;
	out->rows[PL_EVENT_YIELD] += k.sums.suspends;
	follow_rows_add(&out->untold, &k.sums.untold);
	follow_rows_add(&out->untold, &rows);
}
