#include "format/standing.h"

#include "format/standing_table.h"

#include <stdlib.h>

#define FIRST_ROOM   256
#define CREDIT_MOST  4096
#define CREDIT_A_RUN 64

/* The first and last eight bytes of a frame are all of it, except which generator it is. */
_Static_assert(offsetof(struct stack_frame, gen) == 8 &&
		       offsetof(struct stack_frame, place) == 16 &&
		       sizeof(struct stack_frame) == 24,
	"a frame has no padding, and its generator stands in the middle");

/* ---- supersteps ---- */

/* Its transitions were made as often as the superstep. */
static void superstep_settle(struct standings *m, struct superstep *superstep)
{
	for (uint32_t j = 0; superstep->passes && j < superstep->transition_count; j++)
		m->transitions[superstep->transitions[j]].passes += superstep->passes;
	superstep->passes = 0;
}

static void supersteps_settle(struct standings *m)
{
	for (uint32_t i = 1; i <= m->superstep_count; i++)
		superstep_settle(m, &m->supersteps[i]);
}

static void supersteps_forget(struct standings *m)
{
	supersteps_settle(m);
	if (m->superstep_count) {
		memset(m->superstep_places, 0, SUPERSTEP_PLACES * sizeof *m->superstep_places);
		m->supersteps[0].next = 0;
	}
	m->superstep_count = m->superstep_last = 0;
}

struct superstep *superstep_take(struct standings *m, uint16_t *place)
{
	if (!*place) {
		m->superstep_last = m->superstep_last % (SUPERSTEPS - 1) + 1;
		*place = (uint16_t)m->superstep_last;
	}
	if (*place <= m->superstep_count) {
		superstep_settle(m, &m->supersteps[*place]);
	} else {
		m->superstep_count = *place;
		m->supersteps[*place].passes = 0;
	}
	return &m->supersteps[*place];
}

void standings_mention(struct standings *m, struct standing_transition *transition, uint32_t code)
{
	transition->mark = m->mark;
	if (m->mentions)
		mentions_add_code(m->mentions, code);
}

void superstep_mention(struct standings *m, struct superstep *superstep)
{
	superstep->mark = m->mark;
	for (uint32_t j = 0; j < superstep->transition_count; j++) {
		struct standing_transition *transition = &m->transitions[superstep->transitions[j]];
		if (transition->asked & ASK_ENTER && transition->mark != m->mark)
			standings_mention(m, transition, enter_of(transition->asked).code);
	}
}

/* A program that never does the same twice is not worth the search; but this is decided again in
 * each run. */
bool supersteps_begin(struct standings *m)
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

/* ---- numbers ---- */

static bool same_standing(const struct stack_frame *a, const struct stack_frame *b)
{
	return !memcmp(a, b, sizeof *a);
}

static bool make_room_for_frame(struct standings *m)
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

uint32_t standings_number_of(struct standings *m, const struct stack_frame *standing)
{
	uint64_t *number = map_put(&m->numbers, hash_bytes(standing, sizeof *standing));

	if (!number || !make_room_for_frame(m))
		return 0;
	if (!*number) {
		*number = ++m->count;
		m->frames[m->count] = *standing;
	}
	return same_standing(&m->frames[*number], standing) ? (uint32_t)*number : 0;
}

/* ---- transitions ---- */

bool standings_make_room(struct standings *m)
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
	supersteps_forget(m);
	for (uint32_t i = 0; i < m->transition_room; i++) {
		const struct standing_transition *transition = &m->transitions[i];
		if (transition->asked)
			*transition_probe(more.transitions, more.transition_room - 1,
				(uint32_t)(transition->asked >> ASK_BITS),
				question_of(transition)) = *transition;
	}
	free(m->transitions);
	m->transitions = more.transitions;
	m->transition_room = more.transition_room;
	return true;
}

static bool standings_reserve_stack(struct standings *m, uint32_t room)
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

bool standings_may_run(struct standings *m, const struct stack *s)
{
	if (!s->depth || !standings_reserve_stack(m, s->room) ||
		(!m->transition_room && !standings_make_room(m)))
		return false;
	return true;
}

/* ---- the table ---- */

/* ---- numbers ---- */

/* Numbers begin at 1 again, so all that names them goes: transitions, supersteps, recent ones.
 * The memory stays. */
static void standings_forget(struct standings *m)
{
	supersteps_forget(m);
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
		standings_forget(m);
	m->mentions = mentions;
	m->mark++;
}

struct taker {
	void (*add)(void *context, uint32_t code, enum event_kind kind, uint64_t count);
	void *context;
};

static void take_lines(const struct taker *t, uint32_t code, uint32_t bytes, uint64_t passes)
{
	const uint32_t n = count_line_bytes(bytes);

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

	supersteps_settle(m);
	for (uint32_t i = 0; i < m->transition_room; i++) {
		struct standing_transition *transition = &m->transitions[i];
		if (transition->passes)
			take_transition(&taker, question_of(transition),
				m->frames[transition->asked >> ASK_BITS].code, transition);
		transition->passes = 0;
	}
}
