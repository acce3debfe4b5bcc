/* What happened without an event: lines at which there is no witness, and returns and yields that
 * later events imply.
 *
 *	recorded        ENTER                      LINE 3          POPS 1
 *	                  \                          \               \
 *	happened        call   line 7   line 8     line 9  line 10   return
 *	                       '- given before -'         '- given with the POPS -'
 *
 * The collector counts these rows, the walk shows them, and the check counts them again. All three
 * ask the same two questions: what comes before this event, and what does a frame do that is popped
 * without an event? The answers come from the code's flow graph (flow/reach.h), and from where the
 * stack has the frame. So event and stack must be of one thread, in order, and each event is
 * applied to the stack (stack.h) after the question.
 *
 * If the graph does not allow an answer, that is a contradiction: something moved the frame (a
 * debugger), or events are missing.
 */
#ifndef PL_FORMAT_FOLLOW_H
#define PL_FORMAT_FOLLOW_H

#include "flow/reach.h"
#include "format/stack.h"

/* A code whose lines are filled in. All zero is valid, and fills in nothing. */
struct follow_code {
	const struct flow_graph *graph; /* borrowed; NULL or not analysed: nothing is filled in */
	uint32_t *block_of;		/* owned; by unit */
	struct flow_reach **reaches;	/* owned; by block, NULL: not needed yet */
	uint32_t entry;			/* block, FLOW_NONE: none */
	bool suspends; /* a frame that is popped without an event yielded; if not, it returned */
};

/* 0; after PL_ERR_MEMORY *c is all zero. */
int follow_code_init(struct follow_code *c, const struct flow_graph *g);
void follow_code_release(struct follow_code *c);

/* Lines in order: those of `node` after the first `told`. An implied pass of a loop is one of
 * them. */
struct follow_lines {
	const struct flow_reach *reach; /* NULL: none */
	uint32_t node;
	uint32_t told;
};

/* How many lines these are. */
static inline uint32_t follow_count(const struct follow_lines *l)
{
	return l->reach ? l->reach->nodes[l->node].depth - l->told : 0;
}

/* How many of these are passes. */
uint32_t follow_passes(const struct follow_lines *l);

/* Write the starts that have the lines to `starts`, which must have room for follow_count; of
 * passes as flow_node has them. */
void follow_starts(const struct follow_lines *l, uint32_t *starts);

/* The frame, whose code is c, has passed a line without an event: a start, or a pass. */
void follow_pass_line(const struct follow_code *c, struct stack_frame *f, uint32_t start);

enum follow_answer {
	FOLLOW_NOTHING,
	FOLLOW_LINES,  /* *out has the lines; there may be none */
	FOLLOW_BROKEN, /* a contradiction */
};

/* What comes before the event. The event's frame (of an entry: the caller) is the top of the stack;
 * c is that frame's code, NULL: not known. After BROKEN the stack no longer says where the frame
 * is. */
enum follow_answer follow_event(
	struct follow_code *c, struct stack *s, const struct event *e, struct follow_lines *out);
/* What does a frame do that is popped? NOTHING: it was only linked, or nothing is known about it.
 * LINES: these, and then it was left as follow_left_by says. BROKEN: it was entered, and cannot
 * leave without an event. */
enum follow_answer follow_pop(
	struct follow_code *c, const struct stack_frame *f, struct follow_lines *out);

/* The kind of event by which a frame that is popped without an event was left. */
static inline enum event_kind follow_left_by(const struct follow_code *c)
{
	return c->suspends ? EVENT_SUSPEND : EVENT_LEAVE;
}

/* What may a frame at this place do before its next event? Writes the starts that may fire to
 * `starts` (room for start_count and block_count), as follow_starts, in the order of their blocks
 * from there, and returns their number. *leaves: the frame may be gone. */
uint32_t follow_ahead(struct follow_code *c, enum stack_place place, uint32_t value,
	uint32_t *starts, bool *leaves);

/* Are there no lines between where the frame is and LINE at `start`, and no contradiction? */
bool follow_is_next(struct follow_code *c, const struct stack_frame *f, uint32_t start);

/* ---- for callers that only count ---- */

/* Returns the code with this number, NULL: not known. */
typedef struct follow_code *follow_find(void *context, uint32_t code);
struct follow_codes {
	follow_find *find;
	void *context;
};

/* Numbers of rows without an event. */
struct follow_rows {
	uint64_t lines, passes, returns, yields;
};

/* These lines came before an event. */
static inline void follow_count_lines(const struct follow_lines *l, struct follow_rows *rows)
{
	const uint32_t passes = follow_passes(l);

	rows->lines += follow_count(l) - passes;
	rows->passes += passes;
}

/* A frame of the code was left without an event. */
static inline void follow_count_left(const struct follow_code *c, struct follow_rows *rows)
{
	rows->yields += c->suspends;
	rows->returns += !c->suspends;
}

static inline uint64_t follow_rows_sum(const struct follow_rows *rows)
{
	return rows->lines + rows->passes + rows->returns + rows->yields;
}

static inline void follow_rows_add(struct follow_rows *to, const struct follow_rows *rows)
{
	to->lines += rows->lines;
	to->passes += rows->passes;
	to->returns += rows->returns;
	to->yields += rows->yields;
}
/* Ask both questions as the event needs, apply it, and add the rows without an event to *out.
 * Returns what stack_apply returns. */
int follow_apply(struct stack *s, const struct event *e, const struct follow_codes *codes,
	struct follow_rows *out);

#endif
