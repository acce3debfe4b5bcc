#include "trace/transitions.h"

struct question transition_question(const struct stack_frame *f, const struct event *e)
{
	const uint32_t kind = (uint32_t)e->kind | (uint32_t)e->flags << 8;
	struct question q;

	if (event_is_entry(e->kind)) {
		q = ask_of(f, kind, e->site);
		q.callee = (uint64_t)e->code << 32 | e->unit;
		return q;
	}
	return ask_of(f, kind, e->kind == EVENT_LINE ? e->index : e->unit);
}

/* A copy of a frame, to which the event is applied; with room for the frame that it may push. */
struct trial {
	struct stack_frame frames[2];
	struct stack stack;
	struct pl_code *code;
	struct follow_lines lines;
	enum follow_answer answer;
};

/* Would the walk put a gap before it, or is it unknown here? */
static bool is_strange(const struct thread_path *p, const struct trial *t, const struct event *e)
{
	switch (e->kind) {
	case EVENT_LINE:
		return !code_has_start(t->code, e->index);
	case EVENT_AGAIN:
		return !code_jumps_back(t->code, e->unit);
	default:
		return event_is_entry(e->kind) &&
		       thread_path_code_of(p, e->code) == p->blocks.r->unknown_code;
	}
}

/* Which lines ran before the event, that have none of their own. */
static void follow_trial(const struct thread_path *p, struct trial *t, const struct event *e)
{
	struct follow_code *c = t->code == p->blocks.r->unknown_code ? NULL : &t->code->follow;

	t->answer = e->kind == ASK_POP ? follow_pop(c, stack_top(&t->stack), &t->lines)
				       : follow_event(c, &t->stack, e, &t->lines);
}

/* The frame passes its lines, and is then at the last one. */
static void pass_trial_lines(struct trial *t)
{
	if (t->answer == FOLLOW_LINES && follow_count(&t->lines))
		follow_pass_line(&t->code->follow, &t->frames[0],
			t->lines.reach->nodes[t->lines.node].start);
}

/* The row of the event, as walk.c gives it: the last row of the transition. events 0: it has none.
 * The trial is after the event; but if the event pops the frame, the frame is as before. */
static struct pl_count own_row_of(
	const struct thread_path *p, const struct trial *t, const struct event *e)
{
	const struct stack_frame *f = &t->frames[0];
	struct pl_count row = {.code = t->code, .events = 1};
	const struct flow_graph *g = &t->code->body.graph;

	if (e->kind == EVENT_AT || (e->kind == ASK_POP && t->answer != FOLLOW_LINES))
		return (struct pl_count){0};
	row.kind = event_row(e->kind == ASK_POP ? follow_left_by(&t->code->follow) : e->kind);
	switch (e->kind) {
	case EVENT_ENTER:
	case EVENT_OUTSIDE:
		row.code = thread_path_code_of(p, e->code);
		row.line = code_place_line(row.code, PLACE_ENTRY, 0);
		break;
	case EVENT_RESUME:
	case EVENT_THROW:
		row.code = thread_path_code_of(p, e->code);
		row.line = flow_line_at(&row.code->body.graph, e->unit);
		break;
	case EVENT_LINE:
	case ASK_POP:
	case EVENT_UNWIND:
		row.line = line_stood_at(t->code, f);
		break;
	case EVENT_AGAIN:
		row.line = code_jump_line(t->code, e->unit);
		break;
	default:
		row.line = flow_line_at(g, e->unit);
		if (!row.line && e->kind == EVENT_HANDLED)
			row.line = flow_line_ahead(g, e->unit);
		break;
	}
	return row;
}

struct pl_count transition_implied_row(const struct pl_code *c, uint32_t start, uint64_t times)
{
	if (flow_is_pass(start))
		return (struct pl_count){.code = c,
			.line = code_jump_line(c, code_pass_unit(c, start)),
			.kind = PL_EVENT_AGAIN,
			.events = times};
	return (struct pl_count){.code = c,
		.line = code_start_line(c, start),
		.kind = PL_EVENT_LINE,
		.events = times};
}

/* The nodes lead from the last of the lines back to the first. */
static bool rows_halt(
	const struct fast_forward *s, const struct transition_rows *rows, uint32_t lines)
{
	uint32_t node = rows->node;

	for (; lines; lines--) {
		const struct flow_node *n = &rows->reach->nodes[node];
		const struct pl_count line = transition_implied_row(rows->code, n->start, 1);
		if (s->halts(s->halts_context, &line))
			return true;
		node = n->parent;
	}
	return rows->own.events && s->halts(s->halts_context, &rows->own);
}

int transition_learn(struct fast_forward *s, const struct thread_path *p, const struct event *e,
	const struct question *q, struct row_transition **out)
{
	struct trial t = {.frames = {*stack_top(&p->stack)}};
	int code = transitions_reserve(s);

	*out = NULL;
	if (code)
		return code;
	t.stack = (struct stack){.frames = t.frames, .depth = 1, .room = 2};
	t.code = thread_path_code_of(p, t.frames[0].code);
	follow_trial(p, &t, e);
	if (t.answer == FOLLOW_BROKEN || is_strange(p, &t, e))
		return 0;
	pass_trial_lines(&t);
	stack_apply(&t.stack, e);
	/* once the unrecorded lines are over, where they began does not matter: make the keys
	 * equal */
	if (t.frames[0].from_place == PLACE_UNKNOWN)
		t.frames[0].from_value = 0;
	struct row_transition *transition = probe_table(s, q);
	*transition = (struct row_transition){.stands = q->stands,
		.from = q->from,
		.asked = q->asked,
		.callee = q->callee,
		.lines = t.answer == FOLLOW_LINES ? follow_count(&t.lines) : 0};
	memcpy(&transition->stands_then, &t.frames[0], sizeof transition->stands_then);
	memcpy(&transition->from_then, &t.frames[0].place, sizeof transition->from_then);
	struct transition_rows *rows = &s->rows[transition - s->transitions];
	*rows = (struct transition_rows){.code = t.code, .own = own_row_of(p, &t, e)};
	if (transition->lines) {
		rows->reach = t.lines.reach;
		rows->node = t.lines.node;
	}
	transition->row = (uint32_t)rows->own.events;
	if (s->halts && rows_halt(s, rows, transition->lines))
		transition->lines = FAST_FORWARD_HALT + 1;
	if (transition->row)
		rows->line_after = line_stood_at(rows->own.code, &t.frames[t.stack.depth > 1]);
	s->used++;
	*out = transition;
	return 0;
}
