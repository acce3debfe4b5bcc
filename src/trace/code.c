#include "trace/code.h"

#include <stdlib.h>

/* Where a call begins: the line of a row for a call, before any LINE. A code that was not analysed
 * has its first line. */
static void find_entry(struct pl_code *c)
{
	const struct flow_graph *g = &c->body.graph;

	c->entry_block = FLOW_NONE;
	c->entry_unit = UINT32_MAX;
	c->entry_line = c->body.first_line;
	for (uint32_t i = 0; i < g->block_count; i++) {
		if (!(g->blocks[i].flags & FLOW_BLOCK_ENTRY))
			continue;
		c->entry_block = i;
		c->entry_unit = g->blocks[i].unit;
		int32_t line = flow_line_at(g, c->entry_unit);
		if (line)
			c->entry_line = line;
		return;
	}
}

/* What is broken stays so: the next one who asks gets the same answer without another try. */
static void open_body(struct pl_recording *r, struct pl_code *c)
{
	c->opened = true;
	c->broken = true;
	if (body_read(c->bytes, &c->body)) {
		c->body = (struct body){0};
		recording_damage(r, FILE_META, c->off, "a code's body cannot be decoded");
		return;
	}
	c->file = texts_keep(&r->texts, c->body.file);
	c->name = texts_keep(&r->texts, c->body.name);
	find_entry(c);
	c->broken = !c->file || !c->name;
}

struct pl_code *code_open(struct pl_recording *r, uint64_t body)
{
	uint64_t *found = body ? map_find(&r->bodies, body - 1) : NULL;
	struct pl_code *c = found ? (struct pl_code *)(uintptr_t)*found : NULL;

	if (c && !c->opened)
		open_body(r, c);
	return c && !c->broken ? c : NULL;
}

struct pl_code *code_new_unknown(struct pl_recording *r)
{
	struct pl_code *c = entries_add(&r->codes, sizeof *c);

	if (c) {
		c->opened = true;
		c->file = "?";
		c->name = "?";
		find_entry(c);
	}
	return c;
}

void code_release(struct pl_code *c)
{
	if (c->opened)
		body_release(&c->body);
	flow_walk_release(&c->walk);
}

uint32_t code_place_unit(const struct pl_code *c, enum stack_place place, uint32_t value)
{
	switch (place) {
	case PLACE_UNIT:
	case PLACE_HANDLER:
		return value;
	case PLACE_START:
		return value < c->body.graph.start_count ? c->body.graph.starts[value].unit
							 : UINT32_MAX;
	case PLACE_ENTRY:
		return c->entry_unit;
	default:
		return UINT32_MAX;
	}
}

int32_t code_place_line(const struct pl_code *c, enum stack_place place, uint32_t value)
{
	if (place == PLACE_START)
		return code_start_line(c, value);
	if (place == PLACE_ENTRY)
		return c->entry_line;
	uint32_t unit = code_place_unit(c, place, value);
	return unit == UINT32_MAX ? 0 : flow_line_at(&c->body.graph, unit);
}

/* A step from where the frame stands, as a number for `followed`: place 3 bits, value 32 of which
 * the highest three meet it, target 32. Two steps of one number would be a missed gap, never a
 * wrong one. */
static inline uint64_t step_of(const struct stack_frame *f, uint32_t to)
{
	return ((uint64_t)f->place << 61) ^ ((uint64_t)f->value << 32) ^ to;
}

/* *place: where it is kept, or may be put. */
static inline bool is_followed(struct pl_code *c, uint64_t step, uint64_t **place)
{
	*place = &c->followed[(step * 0x9e3779b97f4a7c15u) >> 58];
	_Static_assert(CODE_FOLLOWED == 1 << (64 - 58), "the hash's bits");
	return **place == step;
}

/* The block in which the frame stands; not one of the graph's when it is not known. */
static uint32_t stands_in(const struct pl_code *c, const struct stack_frame *f)
{
	return f->place == PLACE_ENTRY
		       ? c->entry_block
		       : flow_block_at(&c->body.graph, code_place_unit(c, f->place, f->value));
}

/* No only when the graph proves it: whatever is not known allows all. */
static bool graph_allows(struct pl_code *c, const struct stack_frame *f, uint32_t start)
{
	const struct flow_graph *g = &c->body.graph;
	uint32_t from = stands_in(c, f);

	if (from >= g->block_count)
		return true;
	if (flow_path_fires(g, &c->walk, from, start, f->place == PLACE_HANDLER))
		return true;
	/* A resumed frame can still stand on the yield by which it was left. */
	return g->blocks[from].flags & FLOW_BLOCK_YIELDS && from + 1 < g->block_count &&
	       flow_path_fires(g, &c->walk, from + 1, start, true);
}

/* The block to which the jump at `unit` leads back; FLOW_NONE: there is no such jump. */
static uint32_t jump_target(const struct flow_graph *g, uint32_t unit)
{
	uint32_t from = flow_block_at(g, unit);

	if (from >= g->block_count || g->blocks[from].edge_count != 1)
		return FLOW_NONE;
	uint32_t to = g->edges[g->blocks[from].first_edge].to;
	return to <= from ? to : FLOW_NONE;
}

int32_t code_jump_line(const struct pl_code *c, uint32_t unit)
{
	const struct flow_graph *g = &c->body.graph;
	uint32_t to = jump_target(g, unit);
	int32_t line = flow_line_at(g, unit);

	return line || to == FLOW_NONE ? line : flow_line_ahead(g, g->blocks[to].unit);
}

static bool allows_jump_back(struct pl_code *c, const struct stack_frame *f, uint32_t unit)
{
	const struct flow_graph *g = &c->body.graph;
	uint32_t to = flow_block_at(g, unit);
	uint32_t from = stands_in(c, f);

	if (jump_target(g, unit) == FLOW_NONE)
		return false;
	if (from >= g->block_count || flow_path_reaches(g, &c->walk, from, to))
		return true;
	return g->blocks[from].flags & FLOW_BLOCK_YIELDS &&
	       flow_path_reaches(g, &c->walk, from + 1, to);
}

bool code_can_jump_back(struct pl_code *c, const struct stack_frame *f, uint32_t unit)
{
	if (f->raised || f->linked || f->place == PLACE_UNKNOWN || !c->body.graph.analysed)
		return true;
	/* No start has so high a number: the step is told apart from those to starts. */
	uint64_t *known, step = step_of(f, ~unit);
	if (is_followed(c, step, &known))
		return true;
	if (!allows_jump_back(c, f, unit))
		return false;
	*known = step;
	return true;
}

bool code_can_follow(struct pl_code *c, const struct stack_frame *f, uint32_t start)
{
	const struct flow_graph *g = &c->body.graph;

	if (f->raised || f->linked || f->place == PLACE_UNKNOWN || !g->analysed ||
		start >= g->start_count)
		return true;
	uint64_t *known, step = step_of(f, start);
	if (is_followed(c, step, &known))
		return true;
	if (!graph_allows(c, f, start))
		return false;
	*known = step;
	return true;
}

const char *pl_code_file(const struct pl_code *c)
{
	return c->file;
}

const char *pl_code_name(const struct pl_code *c)
{
	return c->name;
}

int32_t pl_code_first_line(const struct pl_code *c)
{
	return c->body.first_line;
}

uint32_t pl_code_flags(const struct pl_code *c)
{
	return c->body.flags;
}
