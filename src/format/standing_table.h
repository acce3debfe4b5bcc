/* The table of standings and transitions, for those who make it and go along it.
 *
 *	standing.c	 numbers, memory, and what a table is asked for
 *	standing_learn.c what a transition does: the questions of follow.h
 *	standing_run.c	 goes along a block by transitions and supersteps
 */
#ifndef PL_FORMAT_STANDING_TABLE_H
#define PL_FORMAT_STANDING_TABLE_H

#include "format/event_common.h"
#include "format/standing.h"

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

/* ---- transitions ---- */

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

static inline struct event at_unit_of(uint64_t question)
{
	return (struct event){.kind = (enum event_kind)(question >> VARINT_BITS & 0x1f),
		.unit = (uint32_t)(question & ((1u << VARINT_BITS) - 1))};
}

/* For a generator, no matter which. */
static inline struct event resume_of(uint64_t question)
{
	const uint64_t low = (1u << VARINT_BITS) - 1;

	return (struct event){.kind = EVENT_RESUME,
		.site = (uint32_t)(question >> (2 * VARINT_BITS) & low),
		.code = (uint32_t)(question >> VARINT_BITS & low),
		.unit = (uint32_t)(question & low),
		.gen = 1};
}

static inline struct event enter_of(uint64_t question)
{
	const uint64_t low = (1u << VARINT_BITS) - 1;

	return (struct event){.kind = EVENT_ENTER,
		.site = (uint32_t)(question >> (VARINT_BITS + 8) & low),
		.code = (uint32_t)(question >> 8 & low),
		.gen = (question & ASK_MADE) != 0};
}

/* How many of the four bytes, from the lowest on, are LINEs of one byte: 0x80 to 0xfe. */
static inline uint32_t count_line_bytes(uint32_t bytes)
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
static inline uint32_t transition_home(uint32_t number, uint64_t question)
{
	return number * 5 + (uint32_t)(question * 0x9e3779b97f4a7c15u >> 40);
}

/* The place of the transition, or the free place where it would be; there always is one. */
static inline struct standing_transition *transition_probe(
	struct standing_transition *transitions, uint32_t mask, uint32_t number, uint64_t question)
{
	const uint64_t asked = (uint64_t)number << ASK_BITS | question;

	for (uint32_t i = transition_home(number, question);; i++) {
		struct standing_transition *transition = &transitions[i & mask];
		if (transition->asked == asked || !transition->asked)
			return transition;
	}
}

/* ---- standing.c ---- */

/* 0: there is no room, or another standing has its hash. */
uint32_t standings_number_of(struct standings *m, const struct stack_frame *standing);
/* For one more; all supersteps may be gone then. */
bool standings_make_room(struct standings *m);
/* Is there something on the stack, and memory for the numbers of that and for transitions? */
bool standings_may_run(struct standings *m, const struct stack *s);
/* The code is entered by the transition: it is one of the block's mentions. */
void standings_mention(struct standings *m, struct standing_transition *transition, uint32_t code);
/* Is there memory for supersteps? */
bool supersteps_begin(struct standings *m);
/* The superstep for this place. If it has none: one that is not in use, or else the oldest. */
struct superstep *superstep_take(struct standings *m, uint16_t *place);
void superstep_mention(struct standings *m, struct superstep *superstep);

/* Which generator it is does not matter, nor where finished unrecorded lines began. */
static inline struct stack_frame standing_of(const struct stack_frame *f)
{
	struct stack_frame standing = *f;

	standing.gen = f->gen != 0;
	if (f->from_place == PLACE_UNKNOWN)
		standing.from_value = 0;
	return standing;
}

/* As standings_number_of, for a frame of the stack. */
static inline uint32_t standings_number(struct standings *m, const struct stack_frame *f)
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
	number = standings_number_of(m, &standing);
	m->recent[at].place = place;
	m->recent[at].from = from;
	m->recent[at].number = number;
	return number;
}

/* ---- standing_learn.c ---- */

/* NULL: it cannot be learned now, because nothing is known about a code, or there is no room. */
struct standing_transition *standings_learn(
	struct standings *m, const struct follow_codes *codes, uint32_t number, uint64_t question);

#endif
