/* Is there one way through a graph, on which no LINE need be heard? What bytecode_is_straight says
 * of code must hold of its graph, with its witnesses placed. */
#ifndef PL_TESTS_LIB_STRAIGHT_H
#define PL_TESTS_LIB_STRAIGHT_H

#include "flow/graph.h"

static inline bool block_is_straight(const struct flow_graph *g, uint32_t i, bool silent)
{
	const struct flow_block *b = &g->blocks[i];
	const bool last = i + 1 == g->block_count,
		   leads_on = !last && !(b->flags & FLOW_BLOCK_BEFORE);

	return b->edge_count == leads_on &&
	       !(b->flags & (FLOW_BLOCK_HANDLER | FLOW_BLOCK_RESUME)) &&
	       !!(b->flags & FLOW_BLOCK_RETURNS) == last &&
	       !!(b->flags & FLOW_BLOCK_SILENT) == (last && silent);
}

static inline bool graph_is_straight(const struct flow_graph *g, bool silent)
{
	bool straight = g->analysed && g->block_count;

	for (uint32_t i = 0; straight && i < g->block_count; i++)
		straight = block_is_straight(g, i, silent);
	for (uint32_t i = 0; straight && i < g->edge_count; i++)
		straight = g->edges[i].fires != FLOW_MAYBE;
	for (uint32_t i = 0; straight && i < g->start_count; i++)
		straight = !g->starts[i].witness;
	return straight;
}

#endif
