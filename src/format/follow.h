/* What happened without an event: the lines at which no witness stands, and the returns and yields that later events show.
 *
 *	recorded        ENTER                      LINE 3          POPS 1
 *	                  \                          \               \
 *	happened        call   line 7   line 8     line 9  line 10   return
 *	                       '-- told before --'         '-- told with the POPS --'
 *
 * The collector counts it, the walk shows it and the check counts it again, each by the same two questions: what goes before
 * this event, and what does a frame do that is popped without one. The answers come from the code's flow graph (flow/reach.h)
 * and from where the stack has the frame. So event and stack are those of one thread, in their order, and each event is
 * applied to the stack (stack.h) behind the question.
 *
 * An answer that the graph does not allow is a contradiction: somebody moved the frame (a debugger), or events are missing.
 */
#ifndef PL_FORMAT_FOLLOW_H
#define PL_FORMAT_FOLLOW_H

#include "flow/reach.h"
#include "format/stack.h"

/* A code whose lines are filled in; all zero is valid, and fills in nothing. */
struct follow_code {
	const struct flow_graph *graph; /* borrowed; NULL or not analysed: nothing is filled in */
	uint32_t *block_of;		/* owned; by unit */
	struct flow_reach **reaches;	/* owned; by block, NULL: not asked for yet */
	uint32_t entry;			/* block, FLOW_NONE: none */
	bool suspends; /* a frame that is popped without an event yielded; else it returned */
};

/* 0; PL_ERR_MEMORY leaves it all zero. */
int follow_code_init(struct follow_code *c, const struct flow_graph *g);
void follow_code_release(struct follow_code *c);

/* Lines in their order: those of `node` behind the first `told`. */
struct follow_lines {
	const struct flow_reach *reach; /* NULL: none */
	uint32_t node;
	uint32_t told;
};

static inline uint32_t follow_count(const struct follow_lines *l)
{
	return l->reach ? l->reach->nodes[l->node].depth - l->told : 0;
}

/* The starts that have the lines, into `starts`, which has room for follow_count. */
void follow_starts(const struct follow_lines *l, uint32_t *starts);

enum follow_answer {
	FOLLOW_NOTHING,
	FOLLOW_LINES,  /* *out has them, and there may be none */
	FOLLOW_BROKEN, /* a contradiction */
};

/* What goes before the event, whose frame (of an entry: the caller) is the top of the stack; c: that frame's code, NULL: not
 * known. BROKEN forgets where the frame stands. */
enum follow_answer follow_event(
	struct follow_code *c, struct stack *s, const struct event *e, struct follow_lines *out);
/* The frame is popped. NOTHING: it was only linked, or nothing is known of it. LINES: these, and then it was left as
 * follow_left_by says. BROKEN: it was entered, and cannot leave without an event. */
enum follow_answer follow_pop(
	struct follow_code *c, const struct stack_frame *f, struct follow_lines *out);

/* By what kind of event a frame was left that is popped without one. */
static inline enum event_kind follow_left_by(const struct follow_code *c)
{
	return c->suspends ? EVENT_SUSPEND : EVENT_LEAVE;
}

/* What a frame that stands there may do before its next event: the starts that may fire, in the order of their blocks from
 * there, into `starts` (room for start_count); gives their number. *leaves: it may be gone. */
uint32_t follow_ahead(struct follow_code *c, enum stack_place place, uint32_t value,
	uint32_t *starts, bool *leaves);

/* Is there nothing to tell between where the frame stands and LINE at `start`? No contradiction then either. */
bool follow_is_next(struct follow_code *c, const struct stack_frame *f, uint32_t start);

/* ---- for who counts only ---- */

/* Gives the code of a number, NULL: not known. */
typedef struct follow_code *follow_find(void *context, uint32_t code);
struct follow_codes {
	follow_find *find;
	void *context;
};

/* Asks both questions as the event has it, applies it, and says how many rows had no event. What stack_apply gives. */
struct follow_rows {
	uint64_t lines, returns, yields;
};

static inline void follow_count_left(const struct follow_code *c, struct follow_rows *rows)
{
	rows->yields += c->suspends;
	rows->returns += !c->suspends;
}

static inline uint64_t follow_rows_sum(const struct follow_rows *rows)
{
	return rows->lines + rows->returns + rows->yields;
}

static inline void follow_rows_add(struct follow_rows *to, const struct follow_rows *rows)
{
	to->lines += rows->lines;
	to->returns += rows->returns;
	to->yields += rows->yields;
}
int follow_apply(struct stack *s, const struct event *e, const struct follow_codes *codes,
	struct follow_rows *out);

#endif
