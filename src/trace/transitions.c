#include "trace/transitions.h"

#include <stdlib.h>

#define TRANSITIONS_FIRST 512
#define TRANSITIONS_MAX	  65536u /* 9 MiB with their rows; a program with more repeats little */
#define CODES_MAX	  65536u

/* ---- room ---- */

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

static struct question question_of_transition(const struct row_transition *t)
{
	return (struct question){t->stands, t->from, t->asked, t->callee};
}

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

int transitions_reserve(struct fast_forward *s)
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

int transitions_agree(struct fast_forward *s, const struct thread_path *p)
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
		const struct pl_count line =
			transition_implied_row(rows->code, n->start, transition->passes);
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
