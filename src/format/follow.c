#include "format/follow.h"

#include <stdlib.h>

#define LONGEST_SWALLOWING 2 /* units of FOR_ITER and SEND, with a cache */

/* ---- a code ---- */

/* A table by unit instead of a search in the blocks: this is asked for each event. */
static void map_units(struct follow_code *c)
{
	const struct flow_graph *g = c->graph;

	for (uint32_t block = 0; block < g->block_count; block++) {
		uint32_t end = flow_block_end(g, block);
		for (uint32_t unit = g->blocks[block].unit; unit < end; unit++)
			c->block_of[unit] = block;
		if (g->blocks[block].flags & FLOW_BLOCK_ENTRY)
			c->entry = block;
	}
}

int follow_code_init(struct follow_code *c, const struct flow_graph *g)
{
	*c = (struct follow_code){.entry = FLOW_NONE};
	if (!g->analysed || !g->block_count)
		return 0;
	c->block_of = malloc(g->unit_count * sizeof *c->block_of);
	c->reaches = calloc(g->block_count, sizeof(struct flow_reach *));
	if (!c->block_of || !c->reaches) {
		follow_code_release(c);
		return PL_ERR_MEMORY;
	}
	for (uint32_t unit = 0; unit < g->blocks[0].unit; unit++)
		c->block_of[unit] = 0;
	c->graph = g;
	c->suspends = flow_suspends(g);
	map_units(c);
	return 0;
}

void follow_code_release(struct follow_code *c)
{
	for (uint32_t i = 0; c->reaches && i < c->graph->block_count; i++) {
		if (c->reaches[i])
			flow_reach_release(c->reaches[i]);
		free(c->reaches[i]);
	}
	free(c->reaches);
	free(c->block_of);
	*c = (struct follow_code){0};
}

/* Where unrecorded lines lead from a block. Made when it is first asked for, and kept with the
 * code: few blocks of a program are ever asked about. */
static struct flow_reach *make_reach(struct follow_code *c, uint32_t from)
{
	struct flow_reach *r = calloc(1, sizeof *r);
	struct flow_search search;

	if (!r || flow_search_init(&search, c->graph)) {
		free(r);
		return NULL;
	}
	int err = flow_reach_init(r, &search, from);
	flow_search_release(&search);
	if (err) {
		free(r);
		return NULL;
	}
	return c->reaches[from] = r;
}

/* NULL: no memory, or the graph does not decide it (it is hostile). Then nothing is filled in. */
static const struct flow_reach *reach_from(struct follow_code *c, uint32_t from)
{
	return c->reaches[from] ? c->reaches[from] : make_reach(c, from);
}

/* ---- places ---- */

static uint32_t block_at(const struct follow_code *c, uint32_t unit)
{
	return unit < c->graph->unit_count ? c->block_of[unit] : FLOW_NONE;
}

/* As block_at, of where the frame does something. At a jump that comes first it is already at the
 * head of its loop. */
static uint32_t block_found(const struct follow_code *c, uint32_t unit)
{
	const struct flow_graph *g = c->graph;
	uint32_t block = block_at(c, unit);
	const bool jumped = block != FLOW_NONE && g->blocks[block].flags & FLOW_BLOCK_PASSES &&
			    g->blocks[block].flags & FLOW_BLOCK_PASSES_FIRST &&
			    unit == flow_pass_unit(g, block);

	return jumped ? g->edges[g->blocks[block].first_edge].to : block;
}

/* Is this the yield that ends its block? */
static bool is_yield(const struct flow_graph *g, uint32_t block, uint32_t unit)
{
	return g->blocks[block].flags & FLOW_BLOCK_YIELDS && unit + 1 == flow_block_end(g, block);
}

/* A resumed frame may still be at the yield by which it was left: it continues after that. */
static uint32_t block_of_unit(const struct follow_code *c, uint32_t unit)
{
	const struct flow_graph *g = c->graph;
	uint32_t block = block_found(c, unit);
	bool left = block != FLOW_NONE && is_yield(g, block, unit) && block + 1 < g->block_count;

	return left && g->blocks[block + 1].flags & FLOW_BLOCK_RESUME ? block + 1 : block;
}

static uint32_t block_of_place(const struct follow_code *c, enum stack_place place, uint32_t value)
{
	const struct flow_graph *g = c->graph;

	switch (place) {
	case PLACE_START:
		return value < g->start_count ? c->block_of[g->starts[value].unit] : FLOW_NONE;
	case PLACE_UNIT:
		return block_of_unit(c, value);
	case PLACE_HANDLER:
		return block_at(c, value);
	case PLACE_ENTRY:
		return c->entry;
	default:
		return FLOW_NONE;
	}
}

/* Find the stretch of unrecorded lines in which the frame is: out->reach and out->told. false:
 * nothing is known. */
static bool stretch_of(struct follow_code *c, const struct stack_frame *f, struct follow_lines *out)
{
	bool here = f->from_place == PLACE_UNKNOWN;
	uint32_t from = here ? block_of_place(c, f->place, f->value)
			     : block_of_place(c, f->from_place, f->from_value);

	if (from == FLOW_NONE)
		return false;
	out->reach = reach_from(c, from);
	if (!out->reach)
		return false;
	out->told = 0;
	if (here)
		return true;
	uint32_t stands = block_of_place(c, f->place, f->value);
	uint32_t node = stands == FLOW_NONE ? FLOW_NONE : flow_reach_enters(out->reach, stands);
	out->told = node == FLOW_NONE ? 0 : out->reach->nodes[node].depth;
	return true;
}

/* The lines up to a node. BROKEN: the place is not reached, or was already passed. */
static enum follow_answer up_to(struct follow_lines *l, uint32_t node)
{
	if (node == FLOW_NONE || l->reach->nodes[node].depth < l->told) {
		l->reach = NULL;
		return FOLLOW_BROKEN;
	}
	l->node = node;
	return FOLLOW_LINES;
}

/* Can the frame continue where it raised? If not, an event of the exception follows, or the frame
 * is gone with it. */
static bool swallows_exception(const struct follow_code *c, const struct stack_frame *f)
{
	uint32_t block = f->place == PLACE_UNIT ? block_at(c, f->value) : FLOW_NONE;

	return block != FLOW_NONE && c->graph->blocks[block].flags & FLOW_BLOCK_SWALLOWS &&
	       f->value + LONGEST_SWALLOWING >= flow_block_end(c->graph, block);
}

static bool is_followed(const struct follow_code *c, const struct stack_frame *f)
{
	if (!c || !c->graph || !f || f->place == PLACE_UNKNOWN || f->raised == RAISED_AGAIN)
		return false;
	return f->raised == RAISED_NOT || swallows_exception(c, f);
}

/* ---- questions ---- */

/* The node of what fired before the LINE of the block's own start, which is not a witness.
 * FLOW_NONE: it does not fire on the way. */
static uint32_t before_line(
	const struct follow_code *c, const struct follow_lines *l, uint32_t block)
{
	const struct flow_start *starts = c->graph->starts;
	uint32_t node = flow_reach_enters(l->reach, block);

	if (node == FLOW_NONE || !node)
		return FLOW_NONE;
	const uint32_t last = l->reach->nodes[node].start;
	bool fired = !flow_is_pass(last) &&
		     starts[last].line == starts[c->graph->blocks[block].start].line;
	return fired ? l->reach->nodes[node].parent : FLOW_NONE;
}

static enum follow_answer to_line(struct follow_code *c, const struct stack_frame *f,
	uint32_t start, struct follow_lines *out)
{
	uint32_t block = block_of_place(c, PLACE_START, start);

	if (block == FLOW_NONE)
		return FOLLOW_BROKEN;
	/* LINE at a handler's own start fires before everything else; a linked frame is where its
	 * event is */
	if (f->place == PLACE_HANDLER && block == block_at(c, f->value))
		return FOLLOW_NOTHING;
	if (f->linked && f->place == PLACE_UNIT && f->value == c->graph->starts[start].unit)
		return FOLLOW_NOTHING;
	if (!stretch_of(c, f, out))
		return FOLLOW_NOTHING;
	return up_to(out, c->graph->starts[start].witness ? flow_reach_fires(out->reach, block)
							  : before_line(c, out, block));
}

static enum follow_answer to_unit(
	struct follow_code *c, const struct stack_frame *f, uint32_t unit, struct follow_lines *out)
{
	uint32_t block = block_found(c, unit);
	bool stays = f->place == PLACE_UNIT && f->value == unit;

	if (block == FLOW_NONE || stays || !stretch_of(c, f, out))
		return FOLLOW_NOTHING;
	return up_to(out, flow_reach_enters(out->reach, block));
}

/* The frame calls, or lets go of what it holds. The latter also where the exception was raised, if
 * another tool's callback raised at HANDLED: the handler does not run then. */
static enum follow_answer to_site(
	struct follow_code *c, const struct stack_frame *f, uint32_t site, struct follow_lines *out)
{
	enum follow_answer answer =
		site < EVENT_NO_UNIT ? to_unit(c, f, site, out) : FOLLOW_NOTHING;

	return answer == FOLLOW_BROKEN && f->place == PLACE_HANDLER ? FOLLOW_NOTHING : answer;
}

static enum follow_answer to_raise(struct follow_code *c, const struct stack_frame *f,
	const struct event *e, struct follow_lines *out)
{
	uint32_t block = e->flags & EVENT_EARLY ? block_at(c, e->unit) : FLOW_NONE;
	uint32_t start = block == FLOW_NONE ? FLOW_NONE : c->graph->blocks[block].start;

	if (start != FLOW_NONE && to_line(c, f, start, out) == FOLLOW_LINES)
		return FOLLOW_LINES;
	/* nothing was to fire there: a jump within a line */
	*out = (struct follow_lines){0};
	return to_unit(c, f, e->unit, out);
}

static enum follow_answer follow_question(struct follow_code *c, const struct stack_frame *f,
	const struct event *e, struct follow_lines *out)
{
	switch (e->kind) {
	case EVENT_LINE:
		return to_line(c, f, e->index, out);
	case EVENT_ENTER:
	case EVENT_OUTSIDE:
	case EVENT_RESUME:
	case EVENT_THROW:
		return to_site(c, f, e->site, out);
	case EVENT_RAISE:
		return to_raise(c, f, e, out);
	case EVENT_RERAISE:
	case EVENT_LEAVE:
	case EVENT_SUSPEND:
	case EVENT_AGAIN:
	case EVENT_AT:
		return to_unit(c, f, e->unit, out);
	case EVENT_STOP: /* it can come between an instruction and its event */
		if (!e->b || e->b > UINT32_MAX ||
			to_unit(c, f, (uint32_t)(e->b - 1), out) != FOLLOW_LINES)
			return FOLLOW_NOTHING;
		return FOLLOW_LINES;
	default:
		return FOLLOW_NOTHING;
	}
}

enum follow_answer follow_event(
	struct follow_code *c, struct stack *s, const struct event *e, struct follow_lines *out)
{
	struct stack_frame *f = stack_top(s);

	*out = (struct follow_lines){0};
	bool no_caller =
		(e->kind == EVENT_ENTER || e->kind == EVENT_OUTSIDE) && e->site == EVENT_NO_SITE;
	if (!is_followed(c, f) || no_caller)
		return FOLLOW_NOTHING;
	enum follow_answer answer = follow_question(c, f, e, out);
	if (answer != FOLLOW_LINES)
		out->reach = NULL;
	if (answer == FOLLOW_BROKEN) {
		f->place = PLACE_UNKNOWN;
		f->from_place = PLACE_UNKNOWN;
	}
	return answer;
}

/* It was linked but does not run. It is suspended between two frames of which one passes a throw on
 * to the other. Or it was not entered yet, as when a signal handler runs at the first RESUME (3.13
 * and later). */
static bool only_stands_there(const struct follow_code *c, const struct stack_frame *f)
{
	const struct flow_graph *g = c->graph;
	uint32_t block = f->place == PLACE_UNIT ? block_at(c, f->value) : FLOW_NONE;

	if (block == FLOW_NONE)
		return false;
	bool at_head = f->value == g->blocks[block].unit;
	if (g->blocks[block].flags & FLOW_BLOCK_BEFORE ||
		(at_head && g->blocks[block].flags & FLOW_BLOCK_ENTRY))
		return true;
	return f->gen && (is_yield(g, block, f->value) ||
				 (at_head && g->blocks[block].flags & FLOW_BLOCK_RESUME));
}

enum follow_answer follow_pop(
	struct follow_code *c, const struct stack_frame *f, struct follow_lines *out)
{
	enum follow_answer broken = f->linked ? FOLLOW_NOTHING : FOLLOW_BROKEN;

	*out = (struct follow_lines){0};
	if (!c || f->place == PLACE_UNKNOWN)
		return FOLLOW_NOTHING;
	if (!is_followed(c, f) || (f->linked && only_stands_there(c, f)) || !stretch_of(c, f, out))
		return broken;
	uint32_t leaves = out->reach->leaves;
	return leaves == FLOW_NONE ? (out->reach = NULL, broken) : up_to(out, leaves);
}

void follow_starts(const struct follow_lines *l, uint32_t *starts)
{
	uint32_t node = l->node;

	for (uint32_t i = follow_count(l); i; i--) {
		starts[i - 1] = l->reach->nodes[node].start;
		node = l->reach->nodes[node].parent;
	}
}

uint32_t follow_passes(const struct follow_lines *l)
{
	const struct flow_node *nodes = l->reach ? l->reach->nodes : NULL;
	uint32_t passes = 0, node = l->node;

	if (!nodes || !nodes[node].passes)
		return 0;
	for (uint32_t i = follow_count(l); i; i--) {
		passes += flow_is_pass(nodes[node].start);
		node = nodes[node].parent;
	}
	return passes;
}

/* After a pass the frame is at the head of its loop: at the jump the pass is yet to come. */
void follow_pass_line(const struct follow_code *c, struct stack_frame *f, uint32_t start)
{
	if (!flow_is_pass(start)) {
		stack_pass_start(f, start);
		return;
	}
	const struct flow_graph *g = c->graph;
	const uint32_t head = g->edges[g->blocks[flow_pass_block(start)].first_edge].to;
	stack_pass_jump(f, g->blocks[head].unit);
}

static bool has_start(const uint32_t *starts, uint32_t count, uint32_t start)
{
	while (count && starts[count - 1] != start)
		count--;
	return count != 0;
}

/* All lines that may come next without an event. */
uint32_t follow_ahead(struct follow_code *c, enum stack_place place, uint32_t value,
	uint32_t *starts, bool *leaves)
{
	uint32_t from = block_of_place(c, place, value), count = 0;
	const struct flow_reach *reach = from == FLOW_NONE ? NULL : reach_from(c, from);

	*leaves = reach && reach->leaves != FLOW_NONE;
	for (uint32_t node = 1; reach && node < reach->node_count; node++)
		if (!has_start(starts, count, reach->nodes[node].start))
			starts[count++] = reach->nodes[node].start;
	return count;
}

/* Where nothing is known about the frame, it may be. */
bool follow_is_next(struct follow_code *c, const struct stack_frame *f, uint32_t start)
{
	struct follow_lines lines = {0};

	if (!is_followed(c, f))
		return true;
	enum follow_answer answer = to_line(c, f, start, &lines);
	return answer == FOLLOW_NOTHING || (answer == FOLLOW_LINES && !follow_count(&lines));
}

/* ---- for callers that only count ---- */

static int apply_pops(
	struct stack *s, uint64_t n, const struct follow_codes *codes, struct follow_rows *out)
{
	if (n > s->depth)
		return PL_ERR_FORMAT;
	for (; n; n--) {
		struct follow_lines lines;
		struct follow_code *c = codes->find(codes->context, stack_top(s)->code);
		if (follow_pop(c, stack_top(s), &lines) == FOLLOW_LINES) {
			follow_count_lines(&lines, out);
			follow_count_left(c, out);
		}
		stack_pops(s, 1);
	}
	return 0;
}

int follow_apply(struct stack *s, const struct event *e, const struct follow_codes *codes,
	struct follow_rows *out)
{
	struct follow_lines lines;

	*out = (struct follow_rows){0};
	if (e->kind == EVENT_POPS)
		return apply_pops(s, e->a, codes, out);
	if (s->depth && follow_event(codes->find(codes->context, stack_top(s)->code), s, e,
				&lines) == FOLLOW_LINES)
		follow_count_lines(&lines, out);
	return stack_apply(s, e);
}
