#include "format/standing.h"

#include "base/expect.h"
#include "format/event_common.h"

#include <stdlib.h>

#define FIRST_ROOM 256

/* The first and last eight bytes of a frame are all of it, except which generator it is. */
_Static_assert(offsetof(struct stack_frame, gen) == 8 &&
		       offsetof(struct stack_frame, place) == 16 &&
		       sizeof(struct stack_frame) == 24,
	"a frame has no padding, and its generator stands in the middle");

/* ---- supersteps: several transitions at once ---- */

#define SUPERSTEP_BYTES	      24 /* bytes that are compared; fewer are read */
#define SUPERSTEP_DOWN	      3	 /* frames that may go, of those that were there */
#define SUPERSTEP_STACK	      9	 /* frames that it leaves, from the lowest of these on */
#define SUPERSTEP_TRANSITIONS 12 /* transitions that represent events */
#define SUPERSTEPS	      2048
/* With 250 in use, as for fib, two would often share one of 2048 places, and replace each other
 * again and again. */
#define SUPERSTEP_PLACES_LOG 14
#define SUPERSTEP_PLACES     (1u << SUPERSTEP_PLACES_LOG)
#define CREDIT_MOST	     4096
#define MISS_COSTS	     8
#define CREDIT_A_RUN	     64

/* Of what can be part of a superstep. */
struct sums {
	uint32_t lines, enters, leaves, agains, suspends; /* events */
	struct follow_rows untold;
};

/* What the next bytes do if these four frames are on top:
 *
 *   calls  the print of the known calls, which none of these events changes
 *   who    the top's standing | that of the frame below, and then those of the two below these,
 *          17 bits each
 *   stack  the standings from the place of the lowest frame that it reaches up to its last top;
 *          the rest is not looked at */
struct superstep {
	uint64_t who[2], calls, ahead[SUPERSTEP_BYTES / 8];
	uint32_t stack[SUPERSTEP_STACK];
	uint8_t bytes; /* 0: no event there can be part of a superstep */
	uint8_t down;  /* how many places the lowest one is below the first top */
	uint8_t stack_count, transition_count;
	uint16_t next; /* the one that came after it last; 0: none did */
	struct sums sums;
	uint32_t mark; /* as that of a transition, for all its entries */
	uint32_t passes;
	uint32_t transitions[SUPERSTEP_TRANSITIONS]; /* indices */
};

/* Its transitions were made as often as the superstep. */
static void settle_one(struct standings *m, struct superstep *superstep)
{
	for (uint32_t j = 0; superstep->passes && j < superstep->transition_count; j++)
		m->transitions[superstep->transitions[j]].passes += superstep->passes;
	superstep->passes = 0;
}

static void settle(struct standings *m)
{
	for (uint32_t i = 1; i <= m->superstep_count; i++)
		settle_one(m, &m->supersteps[i]);
}

static void forget_supersteps(struct standings *m)
{
	settle(m);
	if (m->superstep_count) {
		memset(m->superstep_places, 0, SUPERSTEP_PLACES * sizeof *m->superstep_places);
		m->supersteps[0].next = 0;
	}
	m->superstep_count = m->superstep_last = 0;
}

/* ---- numbers ---- */

/* Numbers begin at 1 again, so all that names them goes: transitions, supersteps, recent ones.
 * The memory stays. */
static void forget(struct standings *m)
{
	forget_supersteps(m);
	m->count = 0;
	m->transition_count = 0;
	map_release(&m->numbers);
	memset(m->recent, 0, sizeof m->recent);
	if (m->transitions)
		memset(m->transitions, 0, m->transition_room * sizeof *m->transitions);
}

void standings_release(struct standings *m)
{
	free(m->frames);
	free(m->transitions);
	free(m->stack);
	free(m->supersteps);
	map_release(&m->numbers);
	*m = (struct standings){0};
}

void standings_begin_block(struct standings *m, struct mentions *mentions)
{
	if (m->count + 2 >= STANDINGS_MAX || m->transition_count >= STANDINGS_MAX)
		forget(m);
	m->mentions = mentions;
	m->mark++;
}

/* Which generator it is does not matter, nor where finished unrecorded lines began. */
static struct stack_frame standing_of(const struct stack_frame *f)
{
	struct stack_frame standing = *f;

	standing.gen = f->gen != 0;
	if (f->from_place == PLACE_UNKNOWN)
		standing.from_value = 0;
	return standing;
}

static bool same_standing(const struct stack_frame *a, const struct stack_frame *b)
{
	return !memcmp(a, b, sizeof *a);
}

static bool make_room(struct standings *m)
{
	uint32_t room = m->room ? m->room * 2 : FIRST_ROOM;
	struct stack_frame *frames;

	if (m->count + 1 < m->room)
		return true;
	if (room > STANDINGS_MAX || !(frames = realloc(m->frames, room * sizeof *frames)))
		return false;
	m->frames = frames;
	m->room = room;
	return true;
}

/* 0: there is no room, or another standing has its hash. */
static uint32_t number_of_standing(struct standings *m, const struct stack_frame *standing)
{
	uint64_t *number = map_put(&m->numbers, hash_bytes(standing, sizeof *standing));

	if (!number || !make_room(m))
		return 0;
	if (!*number) {
		*number = ++m->count;
		m->frames[m->count] = *standing;
	}
	return same_standing(&m->frames[*number], standing) ? (uint32_t)*number : 0;
}

/* As number_of_standing, for a frame of the stack. */
static uint32_t number_of(struct standings *m, const struct stack_frame *f)
{
	struct stack_frame standing = standing_of(f);
	uint64_t place, from;

	memcpy(&place, &standing, sizeof place);
	memcpy(&from, &standing.place, sizeof from);
	uint64_t mixed =
		(place * 0x9e3779b97f4a7c15u) ^ (from * 0xc2b2ae3d27d4eb4fu) ^ standing.gen << 63;
	uint32_t at = (uint32_t)(mixed >> 40) % STANDINGS_RECENT, number = m->recent[at].number;

	if (number && m->recent[at].place == place && m->recent[at].from == from &&
		m->frames[number].gen == standing.gen)
		return number;
	number = number_of_standing(m, &standing);
	m->recent[at].place = place;
	m->recent[at].from = from;
	m->recent[at].number = number;
	return number;
}

/* ---- transitions ---- */

/* A question is about one or more events. The number of the standing is above it:
 *
 *   LINEs   | their bytes, one to four: 32 |
 *   ENTER   | made: 1 | site: 14 | code: 14 | the byte of the LINE after it, or 0: 8 |
 *           made: the callee is a generator's frame
 *   leaf    the same, and after that POPS, whose first frame is the one that was entered
 *   POPS 1
 *   RESUME  | site: 14 | code: 14 | unit: 14 |   this is so long that its own bit is above all
 *           others; test for it first
 *   others  | kind: 5 | unit: 14 | */
#define ASK_MADE    ((uint64_t)1 << 36)
#define ASK_ENTER   ((uint64_t)1 << 40)
#define ASK_POP	    ((uint64_t)1 << 41)
#define ASK_LEAF    ((uint64_t)1 << 42)
#define ASK_UNIT    ((uint64_t)1 << 43)
#define ASK_RESUME  ((uint64_t)1 << 46)
#define ASK_BITS    47
#define LINES_MOST  4  /* in one question */
#define VARINT_BITS 14 /* of a short one */
#define TOP_BITS    0x80808080u

static inline uint64_t ask_enter(const struct event_common *e, uint32_t line)
{
	return ASK_ENTER | (e->gen ? ASK_MADE : 0) | (uint64_t)e->number << (VARINT_BITS + 8) |
	       e->code << 8 | line;
}

static inline uint64_t ask_resume(const struct event_common *e)
{
	return ASK_RESUME | (uint64_t)e->number << (2 * VARINT_BITS) | e->code << VARINT_BITS |
	       e->unit;
}

static inline uint64_t ask_unit(const struct event_common *e)
{
	return ASK_UNIT | (uint64_t)e->kind << VARINT_BITS | e->number;
}

static struct event at_unit_of(uint64_t question)
{
	return (struct event){.kind = (enum event_kind)(question >> VARINT_BITS & 0x1f),
		.unit = (uint32_t)(question & ((1u << VARINT_BITS) - 1))};
}

/* For a generator, no matter which. */
static struct event resume_of(uint64_t question)
{
	const uint64_t low = (1u << VARINT_BITS) - 1;

	return (struct event){.kind = EVENT_RESUME,
		.site = (uint32_t)(question >> (2 * VARINT_BITS) & low),
		.code = (uint32_t)(question >> VARINT_BITS & low),
		.unit = (uint32_t)(question & low),
		.gen = 1};
}

static struct event enter_of(uint64_t question)
{
	const uint64_t low = (1u << VARINT_BITS) - 1;

	return (struct event){.kind = EVENT_ENTER,
		.site = (uint32_t)(question >> (VARINT_BITS + 8) & low),
		.code = (uint32_t)(question >> 8 & low),
		.gen = (question & ASK_MADE) != 0};
}

/* How many of the four bytes, from the lowest on, are LINEs of one byte: 0x80 to 0xfe. */
static inline uint32_t count_lines(uint32_t bytes)
{
	uint32_t lines = bytes & ~((bytes & ~TOP_BITS) + 0x01010101u) & TOP_BITS;

	return lines == TOP_BITS ? LINES_MOST : (uint32_t)__builtin_ctz(~lines & TOP_BITS) / 8;
}

static inline uint64_t question_of(const struct standing_transition *transition)
{
	return transition->asked & (((uint64_t)1 << ASK_BITS) - 1);
}

/* Where to look first. The number is added last and by a short way, because the next look-up waits
 * only for it. Numbers of one question must not be near each other: shifted by two, the same
 * question about many frames filled a quarter of the table's places, and the others none. */
static inline uint32_t home(uint32_t number, uint64_t question)
{
	return number * 5 + (uint32_t)(question * 0x9e3779b97f4a7c15u >> 40);
}

/* The place of the transition, or the free place where it would be; there always is one. */
static inline struct standing_transition *probe(
	struct standing_transition *transitions, uint32_t mask, uint32_t number, uint64_t question)
{
	const uint64_t asked = (uint64_t)number << ASK_BITS | question;

	for (uint32_t i = home(number, question);; i++) {
		struct standing_transition *transition = &transitions[i & mask];
		if (transition->asked == asked || !transition->asked)
			return transition;
	}
}

static bool make_room_for_transitions(struct standings *m)
{
	struct standings more = {
		.transition_room = m->transition_room ? m->transition_room * 2 : FIRST_ROOM};

	if (m->transition_room && m->transition_count + 1 <= m->transition_room / 2)
		return true;
	if (more.transition_room > 2 * STANDINGS_MAX)
		return false;
	more.transitions = calloc(more.transition_room, sizeof *more.transitions);
	if (!more.transitions)
		return false;
	forget_supersteps(m);
	for (uint32_t i = 0; i < m->transition_room; i++) {
		const struct standing_transition *transition = &m->transitions[i];
		if (transition->asked)
			*probe(more.transitions, more.transition_room - 1,
				(uint32_t)(transition->asked >> ASK_BITS),
				question_of(transition)) = *transition;
	}
	free(m->transitions);
	m->transitions = more.transitions;
	m->transition_room = more.transition_room;
	return true;
}

/* A code has few implied passes (flow/implied.h). */
static void add_untold_lines(
	struct standing_transition *transition, const struct follow_lines *lines)
{
	const uint32_t passes = follow_passes(lines);

	transition->untold.lines += follow_count(lines) - passes;
	transition->untold.passes = (uint16_t)(transition->untold.passes + passes);
}

/* false: nothing is known about the code. */
static bool try_event(struct stack *trial, const struct follow_codes *codes, const struct event *e,
	struct standing_transition *transition)
{
	struct follow_code *c = codes->find(codes->context, stack_top(trial)->code);
	struct follow_lines lines;

	if (!c)
		return false;
	if (follow_event(c, trial, e, &lines) == FOLLOW_LINES)
		add_untold_lines(transition, &lines);
	stack_apply(trial, e);
	return true;
}

static bool try_lines(struct stack *trial, const struct follow_codes *codes, uint32_t bytes,
	struct standing_transition *transition)
{
	for (; bytes; bytes >>= 8) {
		const struct event e = {.kind = EVENT_LINE, .index = bytes & 0x7f};
		if (!try_event(trial, codes, &e, transition))
			return false;
	}
	return true;
}

/* The frame ends without an event: the lines up to there, and a return or a yield, had none. */
static bool try_pop(struct stack *trial, const struct follow_codes *codes,
	struct standing_transition *transition)
{
	struct follow_code *c = codes->find(codes->context, stack_top(trial)->code);
	struct follow_lines lines;

	if (c && follow_pop(c, stack_top(trial), &lines) == FOLLOW_LINES) {
		add_untold_lines(transition, &lines);
		transition->untold.returns += !c->suspends;
		transition->untold.yields += c->suspends;
	}
	return c != NULL;
}

/* Only the question: nobody needs the frame's place afterwards. */
static bool try_leave(struct stack *trial, const struct follow_codes *codes, const struct event *e,
	struct standing_transition *transition)
{
	struct follow_code *c = codes->find(codes->context, stack_top(trial)->code);
	struct follow_lines lines;

	if (c && follow_event(c, trial, e, &lines) == FOLLOW_LINES)
		add_untold_lines(transition, &lines);
	return c != NULL;
}

static bool try_enter(struct stack *trial, const struct follow_codes *codes, uint64_t question,
	struct standing_transition *transition)
{
	const struct event e = enter_of(question);

	if (!try_event(trial, codes, &e, transition) ||
		!try_lines(trial, codes, question & 0xff, transition))
		return false;
	if (!(question & ASK_LEAF))
		return true;
	if (!try_pop(trial, codes, transition))
		return false;
	trial->depth--;
	return true;
}

/* The events of a question, applied one by one to a stack of one frame; *transition counts the
 * rows that had no event. */
static bool try_question(struct stack *trial, const struct follow_codes *codes, uint64_t question,
	struct standing_transition *transition)
{
	const struct event resume = resume_of(question), there = at_unit_of(question);

	if (question & ASK_RESUME)
		return try_event(trial, codes, &resume, transition);
	if (question & ASK_POP)
		return try_pop(trial, codes, transition);
	if (question & ASK_UNIT)
		return event_is_exit(there.kind) ? try_leave(trial, codes, &there, transition)
						 : try_event(trial, codes, &there, transition);
	if (question & ASK_ENTER)
		return try_enter(trial, codes, question, transition);
	return try_lines(trial, codes, (uint32_t)question, transition);
}

/* NULL: it cannot be learned now, because nothing is known about a code, or there is no room. */
static struct standing_transition *learn(
	struct standings *m, const struct follow_codes *codes, uint32_t number, uint64_t question)
{
	struct stack_frame frames[2] = {m->frames[number]};
	struct stack trial;
	struct standing_transition transition = {.asked = (uint64_t)number << ASK_BITS | question};

	/* its calls are those of a stream that is read, which this is not, and most of its bytes */
	memset(&trial, 0, offsetof(struct stack, calls));
	trial.frames = frames;
	trial.depth = 1;
	trial.room = 2;
	if (!make_room_for_transitions(m) || !try_question(&trial, codes, question, &transition))
		return NULL;
	transition.then = number_of(m, &frames[0]);
	transition.callee = trial.depth > 1 ? number_of(m, &frames[1]) : transition.then;
	if (!transition.then || !transition.callee)
		return NULL;
	struct standing_transition *place =
		probe(m->transitions, m->transition_room - 1, number, question);
	*place = transition;
	m->transition_count++;
	return place;
}

/* ---- running ---- */

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
static uint32_t floor_of(const struct stack *s)
{
	uint32_t floor = s->task_count ? s->tasks[s->task_count - 1].frame + 1 : 1;

	return s->stale >= floor ? s->stale + 1 : floor;
}

static bool reserve_stack(struct standings *m, uint32_t room)
{
	uint32_t *stack;

	room += SUPERSTEP_STACK; /* written at once */
	if (m->stack_room >= room)
		return true;
	stack = realloc(m->stack, room * sizeof *stack);
	if (!stack)
		return false;
	m->stack = stack;
	m->stack_room = room;
	return true;
}

static bool run_may_begin(struct standings *m, const struct stack *s)
{
	if (!s->depth || !reserve_stack(m, s->room) ||
		(!m->transition_room && !make_room_for_transitions(m)))
		return false;
	return true;
}

/* Make numbers frames again. A generator that was resumed meanwhile has its identity at its place
 * by then; one that was made has none. */
static void end(const struct run *k, struct stack *s)
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
static uint32_t number_below(struct standings *m, const struct stack *s, uint32_t top)
{
	const uint32_t last = top > SUPERSTEP_DOWN ? top - SUPERSTEP_DOWN : 0;

	for (; top > last; top--) {
		m->stack[top - 1] = number_of(m, &s->frames[top - 1]);
		if (!m->stack[top - 1])
			break;
	}
	return top;
}

/* Look at the top frame. false: it cannot be numbered now. */
ALWAYS_INLINE bool look_at_top(struct run *k)
{
	k->top = number_of(k->m, &k->s->frames[k->depth - 1]);
	k->low = k->top ? number_below(k->m, k->s, k->depth - 1) : k->depth;
	return k->top != 0;
}

ALWAYS_INLINE struct standing_transition *find_transition(const struct run *k, uint64_t question)
{
	struct standing_transition *transition =
		probe(k->m->transitions, k->m->transition_room - 1, k->top, question);

	return transition->asked ? transition : learn(k->m, k->codes, k->top, question);
}

/* The transition was made, and represents events. */
ALWAYS_INLINE void pass(const struct run *k, struct standing_transition *transition)
{
	transition->passes++;
	if (k->learnt && k->learnt->transition_count < SUPERSTEP_TRANSITIONS)
		k->learnt->transitions[k->learnt->transition_count] =
			(uint32_t)(transition - k->m->transitions);
	if (k->learnt)
		k->learnt->transition_count++;
}

/* What comes now is not part of a superstep. */
ALWAYS_INLINE void end_learning(const struct run *k)
{
	if (k->learnt)
		k->learnt->transition_count = SUPERSTEP_TRANSITIONS + 1;
}

/* Lines, and passes of loops. */
ALWAYS_INLINE void add_untold_rows(struct run *k, const struct standing_transition *transition)
{
	k->sums.untold.lines += transition->untold.lines;
	k->sums.untold.passes += transition->untold.passes;
}

/* Of a transition that may leave a frame; others have only lines. */
ALWAYS_INLINE void add_untold(struct run *k, const struct standing_transition *transition)
{
	add_untold_rows(k, transition);
	k->sums.untold.returns += transition->untold.returns;
	k->sums.untold.yields += transition->untold.yields;
}

/* One to four of them. */
ALWAYS_INLINE bool lines(struct run *k)
{
	struct standing_transition *transition;
	uint32_t bytes, n;

	memcpy(&bytes, k->at, sizeof bytes);
	n = count_lines(bytes);
	if (!n || !(transition = find_transition(k, bytes & UINT32_MAX >> (32 - 8 * n))))
		return false;
	k->at += n;
	k->top = transition->then;
	pass(k, transition);
	k->sums.lines += n;
	add_untold_rows(k, transition);
	return true;
}

/* How many frames POPS of one byte more pops, if it comes next; 0: it does not. */
ALWAYS_INLINE uint32_t pops_next(const uint8_t *at, const uint8_t *end)
{
	return end - at >= 2 && at[0] == EVENT_POPS && at[1] < 0x80 ? at[1] : 0;
}

static void mention(struct standings *m, struct standing_transition *transition, uint32_t code)
{
	transition->mark = m->mark;
	if (m->mentions)
		mentions_add_code(m->mentions, code);
}

/* The top frame is gone. */
ALWAYS_INLINE bool go_down(struct run *k)
{
	k->depth--;
	if (unlikely(k->depth <= k->low))
		return look_at_top(k);
	k->top = k->stack[k->depth - 1];
	return true;
}

ALWAYS_INLINE bool pop_one(struct run *k)
{
	const struct standing_transition *transition = find_transition(k, ASK_POP);

	if (!transition)
		return false;
	add_untold(k, transition);
	k->pops--;
	return go_down(k);
}

ALWAYS_INLINE bool pop_all(struct run *k, uint32_t n)
{
	bool went = true;

	for (k->pops = n; went && k->pops;)
		went = pop_one(k);
	if (k->depth < k->least)
		k->least = k->depth;
	return went;
}

ALWAYS_INLINE bool pop(struct run *k, uint32_t n, struct pl_view rest)
{
	if (n + k->floor > k->depth)
		return false;
	k->at = rest.at;
	return pop_all(k, n);
}

/* LEAVE, SUSPEND or UNWIND. */
ALWAYS_INLINE bool leave(struct run *k, const struct event_common *e, struct pl_view rest)
{
	struct standing_transition *transition;

	if (1 + k->floor > k->depth || !(transition = find_transition(k, ask_unit(e))))
		return false;
	k->at = rest.at;
	pass(k, transition);
	if (unlikely(e->kind == EVENT_UNWIND)) {
		k->out->rows[PL_EVENT_UNWIND]++;
		end_learning(k);
	}
	k->sums.leaves += e->kind == EVENT_LEAVE;
	k->sums.suspends += e->kind == EVENT_SUSPEND;
	add_untold_rows(k, transition);
	bool went = go_down(k);
	if (k->depth < k->least)
		k->least = k->depth;
	return went;
}

/* The frame stands at the event's unit afterwards. NULL: that is not known yet. */
ALWAYS_INLINE const struct standing_transition *stand_at(
	struct run *k, const struct event_common *e, struct pl_view rest)
{
	struct standing_transition *transition = find_transition(k, ask_unit(e));

	if (!transition)
		return NULL;
	k->at = rest.at;
	k->top = transition->then;
	pass(k, transition);
	return transition;
}

ALWAYS_INLINE bool again(struct run *k, const struct event_common *e, struct pl_view rest)
{
	const struct standing_transition *transition = stand_at(k, e, rest);

	if (!transition)
		return false;
	k->sums.agains++;
	add_untold_rows(k, transition);
	return true;
}

/* RAISE, RERAISE or HANDLED. */
ALWAYS_INLINE bool raise_at(struct run *k, const struct event_common *e, struct pl_view rest)
{
	const struct standing_transition *transition = stand_at(k, e, rest);

	if (!transition)
		return false;
	end_learning(k);
	k->out->rows[event_row(e->kind)]++;
	add_untold_rows(k, transition);
	return true;
}

ALWAYS_INLINE bool pass_time(struct run *k, uint32_t ticks, struct pl_view rest)
{
	if (k->m->mentions)
		mentions_add_apart(k->m->mentions, k->before + (size_t)(k->at - k->begin),
			(size_t)(rest.at - k->at));
	k->at = rest.at;
	k->out->ticks += ticks;
	end_learning(k); /* its place is another one each time */
	return true;
}

/* A call, with the LINE after it and, if the callee is gone by then, that too. `rest`: the bytes
 * after the event. */
ALWAYS_INLINE bool enter(struct run *k, const struct event_common *e, struct pl_view rest)
{
	uint32_t line = rest.left && *rest.at >= 0x80 && *rest.at != 0xff ? *rest.at : 0;
	const uint8_t *at = rest.at + (line != 0);
	uint32_t pops = pops_next(at, k->end);
	bool leaf = pops && pops - 1 + k->floor <= k->depth;
	struct standing_transition *transition;

	if (k->depth == k->room ||
		!(transition = find_transition(k, ask_enter(e, line) | (leaf ? ASK_LEAF : 0))))
		return false;
	if (transition->mark != k->m->mark)
		mention(k->m, transition, e->code);
	pass(k, transition);
	if (e->gen)
		end_learning(k); /* another one each time */
	k->sums.enters++;
	k->sums.lines += line != 0;
	add_untold(k, transition);
	if (leaf) {
		k->at = at + 2;
		k->top = transition->then;
		return pop_all(k, pops - 1);
	}
	k->at = at;
	if (e->gen)
		k->s->frames[k->depth].gen = e->gen;
	k->stack[k->depth++ - 1] = transition->then;
	k->top = transition->callee;
	return true;
}

ALWAYS_INLINE bool resume(struct run *k, const struct event_common *e, struct pl_view rest)
{
	struct standing_transition *transition;

	if (k->depth == k->room || !(transition = find_transition(k, ask_resume(e))))
		return false;
	if (transition->mark != k->m->mark)
		mention(k->m, transition, e->code);
	pass(k, transition);
	end_learning(k); /* the bytes do not say which generator it is */
	k->at = rest.at;
	k->out->rows[PL_EVENT_RESUME]++;
	k->out->known_resumes += e->known;
	add_untold_rows(k, transition);
	k->s->frames[k->depth].gen = e->gen;
	k->stack[k->depth++ - 1] = transition->then;
	k->top = transition->callee;
	return true;
}

/* false: the slow way must read what comes now, and do k->pops. */
ALWAYS_INLINE bool go_one_step(struct run *k)
{
	struct pl_view rest = view_of(k->at, (size_t)(k->end - k->at));
	struct event_common e;

	if (rest.left < EVENT_COMMON_BYTES)
		return false;
	if (*k->at >= 0x80)
		return lines(k);
	if (!event_read_common(&rest, k->calls, &e))
		return false;
	switch (e.kind) {
	case EVENT_ENTER:
		return enter(k, &e, rest);
	case EVENT_POPS:
		return pop(k, e.number, rest);
	case EVENT_AGAIN:
		return again(k, &e, rest);
	case EVENT_RESUME:
		return resume(k, &e, rest);
	case EVENT_TIME:
		return pass_time(k, e.number, rest);
	case EVENT_RAISE:
	case EVENT_RERAISE:
	case EVENT_HANDLED:
		return raise_at(k, &e, rest);
	default:
		return leave(k, &e, rest);
	}
}

/* ---- supersteps, run ---- */

/* Up to the step that was made, if that can be kept. */
static bool lengthen(
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
static bool learn_steps(struct run *k, struct superstep *to)
{
	const struct run first = *k;
	struct superstep now = *to;
	bool goes;

	k->learnt = &now;
	k->least = k->depth;
	while ((goes = go_one_step(k)) && lengthen(to, &now, k, &first))
		;
	k->learnt = NULL;
	if (k->least > first.least)
		k->least = first.least;
	return goes;
}

/* The superstep for this place. If it has none: one that is not in use, or else the oldest. */
static struct superstep *take_superstep(struct standings *m, uint16_t *place)
{
	if (!*place) {
		m->superstep_last = m->superstep_last % (SUPERSTEPS - 1) + 1;
		*place = (uint16_t)m->superstep_last;
	}
	if (*place <= m->superstep_count) {
		settle_one(m, &m->supersteps[*place]);
	} else {
		m->superstep_count = *place;
		m->supersteps[*place].passes = 0;
	}
	return &m->supersteps[*place];
}

/* Replaces another superstep. Makes at least the first of its transitions, if it can be made: if
 * not, false. */
static __attribute__((noinline)) bool learn_superstep(
	struct run *k, uint16_t *place, const struct superstep *asked)
{
	struct superstep *superstep = take_superstep(k->m, place);
	struct superstep learnt = {.who = {asked->who[0], asked->who[1]},
		.calls = asked->calls,
		.ahead = {asked->ahead[0], asked->ahead[1], asked->ahead[2]},
		.mark = k->m->mark};
	const uint32_t transition_room = k->m->transition_room;

	bool goes = learn_steps(k, &learnt);
	/* if not, transitions are elsewhere now, and no superstep is in use */
	if (transition_room == k->m->transition_room)
		*superstep = learnt;
	k->credit -= MISS_COSTS;
	k->last = k->m->supersteps;
	return goes;
}

static __attribute__((noinline)) void mention_all(struct standings *m, struct superstep *superstep)
{
	superstep->mark = m->mark;
	for (uint32_t j = 0; j < superstep->transition_count; j++) {
		struct standing_transition *transition = &m->transitions[superstep->transitions[j]];
		if (transition->asked & ASK_ENTER && transition->mark != m->mark)
			mention(m, transition, enter_of(transition->asked).code);
	}
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

ALWAYS_INLINE bool is_asked(const struct superstep *s, const struct superstep *asked)
{
	return s->who[0] == asked->who[0] && s->who[1] == asked->who[1] &&
	       s->calls == asked->calls && s->ahead[0] == asked->ahead[0] &&
	       s->ahead[1] == asked->ahead[1] && s->ahead[2] == asked->ahead[2];
}

ALWAYS_INLINE bool make_superstep(struct run *k, struct superstep *superstep)
{
	const uint32_t lowest = k->depth - 1 - superstep->down;

	if (superstep->mark != k->m->mark)
		mention_all(k->m, superstep);
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

ALWAYS_INLINE bool may_superstep(const struct run *k)
{
	return k->credit >= 0 && k->end - k->at >= SUPERSTEP_BYTES + EVENT_COMMON_BYTES &&
	       k->depth >= k->floor + SUPERSTEP_DOWN && k->depth > k->low + SUPERSTEP_DOWN &&
	       k->depth + SUPERSTEP_STACK <= k->room;
}

/* First try the superstep that followed the last one before: that needs no hash, and it is fetched
 * early. NULL: nothing is known about what is asked; *place is for it. */
ALWAYS_INLINE struct superstep *find_superstep(
	struct run *k, const struct superstep *asked, uint16_t **place)
{
	struct superstep *superstep = &k->m->supersteps[k->last->next];

	if (unlikely(!is_asked(superstep, asked))) {
		*place = superstep_place(k->m, asked);
		superstep = &k->m->supersteps[**place];
		if (unlikely(!is_asked(superstep, asked)))
			return NULL;
		k->last->next = **place;
	}
	k->last = superstep;
	return superstep;
}

/* As go_one_step(), or further if possible. */
ALWAYS_INLINE bool go_far(struct run *k)
{
	struct superstep asked, *superstep;
	uint16_t *place;

	if (unlikely(!may_superstep(k)))
		return go_one_step(k);
	memcpy(asked.ahead, k->at, sizeof asked.ahead);
	asked.calls = k->calls->print;
	asked.who[0] = (uint64_t)k->top << 17 | k->stack[k->depth - 2];
	asked.who[1] = (uint64_t)k->stack[k->depth - 3] << 17 | k->stack[k->depth - 4];
	superstep = find_superstep(k, &asked, &place);
	if (unlikely(!superstep)) {
		struct run slow = *k;
		bool goes = learn_superstep(&slow, place, &asked);
		*k = slow;
		return goes;
	}
	k->credit++;
	return likely(superstep->bytes != 0) ? make_superstep(k, superstep) : go_one_step(k);
}

/* A program that never does the same twice is not worth the search; but this is decided again in
 * each run. */
static bool begin_supersteps(struct standings *m)
{
	if (!m->supersteps) {
		m->supersteps = calloc(1, SUPERSTEPS * sizeof *m->supersteps +
						  SUPERSTEP_PLACES * sizeof *m->superstep_places);
		m->superstep_places =
			m->supersteps ? (uint16_t *)(m->supersteps + SUPERSTEPS) : NULL;
	}
	m->credit += CREDIT_A_RUN;
	if (m->credit > CREDIT_MOST)
		m->credit = CREDIT_MOST;
	return m->supersteps != NULL;
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

	if (!run_may_begin(m, s))
		return;
	k.stack = m->stack;
	k.room = s->room;
	k.depth = k.least = s->depth;
	k.floor = floor_of(s);
	if (!look_at_top(&k))
		return;
	k.credit = begin_supersteps(m) ? m->credit : -1;
	k.last = m->supersteps;
	while (go_far(&k))
		;
	m->credit = k.credit;
	const struct run done = k;
	end(&done, s);
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

struct taker {
	void (*add)(void *context, uint32_t code, enum event_kind kind, uint64_t count);
	void *context;
};

static void take_lines(const struct taker *t, uint32_t code, uint32_t bytes, uint64_t passes)
{
	const uint32_t n = count_lines(bytes);

	if (n)
		t->add(t->context, code, EVENT_LINE, n * passes);
}

static void take_transition(const struct taker *t, uint64_t question, uint32_t code,
	const struct standing_transition *transition)
{
	if (question & ASK_RESUME) {
		t->add(t->context, resume_of(question).code, EVENT_RESUME, transition->passes);
	} else if (question & ASK_UNIT) {
		t->add(t->context, code, at_unit_of(question).kind, transition->passes);
	} else if (question & ASK_ENTER) {
		const uint32_t callee = enter_of(question).code;
		t->add(t->context, callee, EVENT_ENTER, transition->passes);
		take_lines(t, callee, question & 0xff, transition->passes);
	} else {
		take_lines(t, code, (uint32_t)question, transition->passes);
	}
}

void standings_take(struct standings *m,
	void (*add)(void *context, uint32_t code, enum event_kind kind, uint64_t count),
	void *context)
{
	const struct taker taker = {add, context};

	settle(m);
	for (uint32_t i = 0; i < m->transition_room; i++) {
		struct standing_transition *transition = &m->transitions[i];
		if (transition->passes)
			take_transition(&taker, question_of(transition),
				m->frames[transition->asked >> ASK_BITS].code, transition);
		transition->passes = 0;
	}
}
