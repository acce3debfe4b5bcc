/* Random flow graphs, and random runs of them. */
#ifndef PL_TESTS_GRAPHS_H
#define PL_TESTS_GRAPHS_H

#include "flow/graph.h"
#include "lib/walks.h"

#define BLOCKS_MAX 20

/* The first block is the entry; normal control flow leads neither there nor to a handler. */
static uint32_t random_target(struct random *r, const struct flow_graph *g)
{
	for (;;) {
		uint32_t to = random_below(r, g->block_count);
		if (!(g->blocks[to].flags & (FLOW_BLOCK_ENTRY | FLOW_BLOCK_HANDLER)))
			return to;
	}
}

static uint32_t random_flags(struct random *r)
{
	static const uint32_t flags[] = {0, 0, 0, 0, 0, 0, FLOW_BLOCK_ITERATES, FLOW_BLOCK_RETURNS,
		FLOW_BLOCK_RETURNS | FLOW_BLOCK_SILENT, FLOW_BLOCK_YIELDS, FLOW_BLOCK_RAISES,
		FLOW_BLOCK_HANDLER, FLOW_BLOCK_RESUME};

	return flags[random_below(r, sizeof flags / sizeof *flags)];
}

/* No return is silent, but some yields are. */
static uint32_t leaving_by_yield(struct random *r, uint32_t flags)
{
	flags &= ~(uint32_t)FLOW_BLOCK_SILENT;
	return flags & FLOW_BLOCK_YIELDS && random_below(r, 2) ? flags | FLOW_BLOCK_SILENT : flags;
}

static void random_edges(struct random *r, struct flow_graph *g, struct flow_block *b)
{
	bool ends = b->flags & (FLOW_BLOCK_RETURNS | FLOW_BLOCK_YIELDS | FLOW_BLOCK_RAISES);

	b->first_edge = g->edge_count;
	b->edge_count = ends ? 0 : 1 + random_below(r, 3);
	for (uint32_t i = 0; i < b->edge_count; i++) {
		struct flow_edge *e = &g->edges[g->edge_count++];
		e->to = random_target(r, g);
		e->fires = g->blocks[e->to].start == FLOW_NONE ? FLOW_NEVER : random_below(r, 3);
	}
}

/* Few lines for many starts, so that equal sequences are met on different ways. */
static struct flow_graph random_graph(struct random *r)
{
	uint32_t n = 2 + random_below(r, BLOCKS_MAX);
	struct flow_graph g = {.unit_count = n,
		.analysed = true,
		.start_count = n,
		.block_count = n,
		.edge_count = 3 * n};

	const bool suspends = random_below(r, 2);

	assert_int_equal(flow_graph_init(&g), 0);
	g.start_count = g.edge_count = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct flow_block *b = &g.blocks[i];
		b->unit = i;
		b->flags = i == 0 ? FLOW_BLOCK_ENTRY : i == 1 ? 0 : random_flags(r);
		if (suspends)
			b->flags = leaving_by_yield(r, b->flags);
		b->start = i && random_below(r, 3) ? g.start_count++ : FLOW_NONE;
		if (b->start != FLOW_NONE)
			g.starts[b->start] = (struct flow_start){
				.unit = i, .line = 1 + (int32_t)random_below(r, 5)};
	}
	for (uint32_t i = 0; i < n; i++)
		random_edges(r, &g, &g.blocks[i]);
	assert_int_equal(flow_graph_check(&g), 0);
	return g;
}

/* The number of runs of which the lines come out wrong. */
static unsigned wrong_runs(const struct flow_graph *g, struct random *r, unsigned runs)
{
	static struct made_walk w;
	struct flow_search search;
	unsigned wrong = 0;

	assert_int_equal(flow_search_init(&search, g), 0);
	w = (struct made_walk){.g = g, .search = &search, .random = r};
	for (unsigned i = 0; i < runs; i++)
		wrong += walk_run(&w) != NULL;
	flow_search_release(&search);
	return wrong;
}

#endif
