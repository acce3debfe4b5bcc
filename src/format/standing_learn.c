/* What a transition does, learned with the questions of follow.h about a stack of one frame. */
#include "format/standing_table.h"

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

struct standing_transition *standings_learn(
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
	if (!standings_make_room(m) || !try_question(&trial, codes, question, &transition))
		return NULL;
	transition.then = standings_number(m, &frames[0]);
	transition.callee = trial.depth > 1 ? standings_number(m, &frames[1]) : transition.then;
	if (!transition.then || !transition.callee)
		return NULL;
	struct standing_transition *place =
		transition_probe(m->transitions, m->transition_room - 1, number, question);
	*place = transition;
	m->transition_count++;
	return place;
}
