#include "trace/code.h"

#include <stdlib.h>
#include "format/block.h"

/* Where a call begins: the line of a row for a call, before any LINE. A code that was not analysed
 * has its first line. */
static void find_entry(struct pl_code *c)
{
	const struct flow_graph *g = &c->body.graph;

	c->entry_unit = UINT32_MAX;
	c->entry_line = c->body.first_line;
	for (uint32_t i = 0; i < g->block_count; i++) {
		if (!(g->blocks[i].flags & FLOW_BLOCK_ENTRY))
			continue;
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
	if (r->info.format_minor >= MINOR_WITNESSES)
		c->broken |= follow_code_init(&c->follow, &c->body.graph) != 0;
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
	follow_code_release(&c->follow);
	if (c->opened)
		body_release(&c->body);
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

bool code_jumps_back(const struct pl_code *c, uint32_t unit)
{
	return !c->body.graph.analysed || jump_target(&c->body.graph, unit) != FLOW_NONE;
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
