#include "flow/graph.h"

#include <stdlib.h>
#include <string.h>
#include "base/spare.h"
#include "pathline/error.h"

/* Rows of starts, blocks and lines begin with their unit, and are sorted by it. */
_Static_assert(offsetof(struct flow_start, unit) == 0, "a search compares first members");
_Static_assert(offsetof(struct flow_block, unit) == 0, "a search compares first members");
_Static_assert(offsetof(struct flow_line, unit) == 0, "a search compares first members");
/* The arrays follow one another in memory. */
_Static_assert(_Alignof(struct flow_start) == 4 && _Alignof(struct flow_block) == 4 &&
		       _Alignof(struct flow_edge) == 4 && _Alignof(struct flow_line) == 4,
	"no gap");

/* The index of the last row whose unit is <= `unit`, or FLOW_NONE. */
static uint32_t last_at(const void *rows, size_t stride, uint32_t count, uint32_t unit)
{
	const unsigned char *bytes = rows;
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (*(const uint32_t *)(const void *)(bytes + middle * stride) <= unit)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : FLOW_NONE;
}

uint32_t flow_block_at(const struct flow_graph *g, uint32_t unit)
{
	if (unit >= g->unit_count)
		return FLOW_NONE;
	return last_at(g->blocks, sizeof *g->blocks, g->block_count, unit);
}

int32_t flow_line_at(const struct flow_graph *g, uint32_t unit)
{
	uint32_t i = last_at(g->lines, sizeof *g->lines, g->line_count, unit);

	return i == FLOW_NONE || unit >= g->unit_count ? 0 : g->lines[i].line;
}

/* Can execution continue from this block into the next one? */
static bool falls_through(const struct flow_graph *g, uint32_t block)
{
	const struct flow_block *b = &g->blocks[block];

	for (uint32_t i = 0; i < b->edge_count; i++)
		if (g->edges[b->first_edge + i].to == block + 1)
			return true;
	return false;
}

/* Goes from row to row of the lines; execution must be able to continue over each block border on
 * the way. */
int32_t flow_line_ahead(const struct flow_graph *g, uint32_t unit)
{
	uint32_t block = flow_block_at(g, unit);
	uint32_t i = last_at(g->lines, sizeof *g->lines, g->line_count, unit);

	if (block == FLOW_NONE || i == FLOW_NONE)
		return 0;
	while (!g->lines[i].line && ++i < g->line_count)
		while (block + 1 < g->block_count && g->blocks[block + 1].unit <= g->lines[i].unit)
			if (!falls_through(g, block++))
				return 0;
	return i < g->line_count ? g->lines[i].line : 0;
}

bool flow_goes_back(const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		for (uint32_t k = 0; k < b->edge_count; k++)
			if (g->edges[b->first_edge + k].to <= i)
				return true;
	}
	return false;
}

uint32_t flow_start_at(const struct flow_graph *g, uint32_t unit)
{
	uint32_t i = last_at(g->starts, sizeof *g->starts, g->start_count, unit);

	return i == FLOW_NONE || g->starts[i].unit != unit ? FLOW_NONE : i;
}

/* All arrays are in one allocation. */
int flow_graph_init(struct flow_graph *g)
{
	const size_t starts = g->start_count * sizeof *g->starts,
		     blocks = g->block_count * sizeof *g->blocks,
		     edges = g->edge_count * sizeof *g->edges,
		     room = starts + blocks + edges + g->line_count * sizeof *g->lines;

	if (!room)
		return 0;
	g->memory = g->spare ? spare_take(g->spare, room) : malloc(room);
	if (!g->memory) {
		*g = (struct flow_graph){0};
		return PL_ERR_MEMORY;
	}
	char *at = memset(g->memory, 0, room);
	g->starts = (struct flow_start *)(void *)at;
	g->blocks = (struct flow_block *)(void *)(at += starts);
	g->edges = (struct flow_edge *)(void *)(at += blocks);
	g->lines = (struct flow_line *)(void *)(at + edges);
	return 0;
}

void flow_graph_release(struct flow_graph *g)
{
	if (g->spare)
		spare_give(g->spare, g->memory);
	else
		free(g->memory);
	*g = (struct flow_graph){0};
}

static bool lines_sound(const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->line_count; i++) {
		const struct flow_line *l = &g->lines[i];
		if (l->unit >= g->unit_count || l->line < 0 || (i && l->unit <= l[-1].unit))
			return false;
	}
	return true;
}

static bool starts_sound(const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->start_count; i++) {
		const struct flow_start *s = &g->starts[i];
		if (s->unit >= g->unit_count || s->line < 0 || (i && s->unit <= s[-1].unit))
			return false;
	}
	return true;
}

static bool edges_sound(const struct flow_graph *g, const struct flow_block *b)
{
	for (uint32_t i = 0; i < b->edge_count; i++) {
		const struct flow_edge *e = &g->edges[b->first_edge + i];
		if (e->to >= g->block_count || (unsigned)e->fires > FLOW_MAYBE)
			return false;
		if (e->fires != FLOW_NEVER && g->blocks[e->to].start == FLOW_NONE)
			return false;
	}
	return true;
}

/* The jump of a pass without an event is within its block, and leads back. */
static bool pass_sound(const struct flow_graph *g, uint32_t block)
{
	const struct flow_block *b = &g->blocks[block];
	const uint32_t units = flow_block_end(g, block) - b->unit;

	if (!(b->flags & FLOW_BLOCK_PASSES))
		return true;
	return b->edge_count == 1 && g->edges[b->first_edge].to <= block &&
	       g->edges[b->first_edge].fires == FLOW_NEVER &&
	       units > !!(b->flags & FLOW_BLOCK_PASSES_CACHED);
}

static bool passes_sound(const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++)
		if (!pass_sound(g, i))
			return false;
	return true;
}

/* The blocks' edges are all edges, in order; the blocks open all starts, in order. */
static bool blocks_sound(const struct flow_graph *g)
{
	uint32_t start = 0, edge = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		if (b->unit >= g->unit_count || (i && b->unit <= b[-1].unit))
			return false;
		if (b->first_edge != edge || b->edge_count > g->edge_count - edge ||
			!edges_sound(g, b))
			return false;
		edge += b->edge_count;
		if (b->start == FLOW_NONE)
			continue;
		if (b->start != start || start >= g->start_count ||
			g->starts[start].unit != b->unit)
			return false;
		start++;
	}
	return edge == g->edge_count && start == g->start_count;
}

static bool leaves_silently(const struct flow_graph *g, uint32_t by)
{
	for (uint32_t i = 0; i < g->block_count; i++)
		if (g->blocks[i].flags & FLOW_BLOCK_SILENT && g->blocks[i].flags & by)
			return true;
	return false;
}

bool flow_suspends(const struct flow_graph *g)
{
	return leaves_silently(g, FLOW_BLOCK_YIELDS);
}

int flow_graph_check(const struct flow_graph *g)
{
	if (!lines_sound(g) || !starts_sound(g))
		return PL_ERR_FORMAT;
	if (!g->analysed)
		return g->block_count || g->edge_count ? PL_ERR_FORMAT : 0;
	if (flow_suspends(g) && leaves_silently(g, FLOW_BLOCK_RETURNS))
		return PL_ERR_FORMAT;
	return blocks_sound(g) && passes_sound(g) ? 0 : PL_ERR_FORMAT;
}
