/* The table of a fast-forward's transitions. Here for the files of fast_forward.h:
 *
 *	fast_forward.c      asks it, and takes what it finds
 *	transition_learn.c  makes a transition of a frame and an event
 *	transitions.c       room for them, which codes they are of, and the rows that were taken
 */
#ifndef PL_TRACE_TRANSITIONS_H
#define PL_TRACE_TRANSITIONS_H

#include "trace/fast_forward.h"

/* The bytes of a frame are the key: code and value, then the identity of a generator, then the
 * rest. */
_Static_assert(offsetof(struct stack_frame, gen) == 8 &&
		       offsetof(struct stack_frame, place) == 16 &&
		       sizeof(struct stack_frame) == 24,
	"what of a frame an answer depends on are its first and its last eight bytes");

/* POPS is one event for several frames that end without an event of their own. Transitions are of
 * one frame, so it is asked frame by frame, as ASK_POP. */
#define ASK_POP EVENT_POPS

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
static inline uint32_t question_home(const struct fast_forward *s, const struct question *q)
{
	uint64_t mixed = q->stands * 0x9e3779b97f4a7c15u ^ q->from * 0xc2b2ae3d27d4eb4fu ^
			 q->asked * 0x165667b19e3779f9u ^ q->callee * 0xd6e8feb86659fd93u;

	return (uint32_t)(mixed >> 40) & (s->room - 1);
}

/* The question's transition, or the free place where it would be; there always is one, because the
 * table is never full. */
static inline struct row_transition *probe_table(
	const struct fast_forward *s, const struct question *q)
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

/* All of the frame that can matter; of the event its kind and flags, and a unit or index. */
static inline struct question ask_of(const struct stack_frame *f, uint32_t kind, uint32_t operand)
{
	struct question q = {.callee = 0};

	memcpy(&q.stands, f, sizeof q.stands);
	memcpy(&q.from, &f->place, sizeof q.from);
	q.asked = (uint64_t)operand << 32 | (uint64_t)(f->gen != 0) << 16 | kind;
	return q;
}

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

static inline enum context_entry context_entry_of(enum event_kind kind)
{
	return kind == EVENT_ENTER    ? ENTRY_CALL
	       : kind == EVENT_RESUME ? ENTRY_RESUME
	       : kind == EVENT_THROW  ? ENTRY_THROW
				      : ENTRY_NONE;
}

static inline enum event_kind transition_kind(const struct row_transition *t)
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

static inline int32_t line_stood_at(const struct pl_code *c, const struct stack_frame *f)
{
	return code_place_line(c, (enum stack_place)f->place, f->value);
}

/* The slow path's way to the question. The fast path makes the same from the bytes: the two must
 * agree. */
struct question transition_question(const struct stack_frame *f, const struct event *e);
/* Learn the transition of the question, which is not in the table. 0: *out is it, or NULL: it
 * cannot be a transition, and the walk must give the rows. Else as fast_forward. */
int transition_learn(struct fast_forward *s, const struct thread_path *p, const struct event *e,
	const struct question *q, struct row_transition **out);
/* The row of a line, or pass, that has no event; so often. */
struct pl_count transition_implied_row(const struct pl_code *c, uint32_t start, uint64_t times);
/* Make room for one more transition. Returns as fast_forward. */
int transitions_reserve(struct fast_forward *s);
/* Numbers of codes are used again when a code is gone. Transitions are kept from block to block as
 * long as the numbers that a block names mean the same as before. Returns as fast_forward. */
int transitions_agree(struct fast_forward *s, const struct thread_path *p);

#endif
