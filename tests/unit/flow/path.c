/* The walk against a naive search, over random graphs; and the cases that the header names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "flow/path.h"
#include "lib/alloc.h"
#include "lib/random.h"
#include "pathline/error.h"

#define BLOCKS_MAX 24

static void random_edges(struct random *r, struct flow_graph *g, struct flow_block *b)
{
	b->first_edge = g->edge_count;
	b->edge_count = random_below(r, 4);
	for (uint32_t i = 0; i < b->edge_count; i++) {
		struct flow_edge *e = &g->edges[g->edge_count++];
		e->to = random_below(r, g->block_count);
		e->fires = g->blocks[e->to].start == FLOW_NONE ? FLOW_NEVER : random_below(r, 3);
	}
}

/* Every block is one unit; some are opened by a start, some starts are no witnesses. */
static struct flow_graph random_graph(struct random *r)
{
	static const uint32_t flags[] = {0, 0, 0, 0, 0, FLOW_BLOCK_RETURNS, FLOW_BLOCK_YIELDS,
		FLOW_BLOCK_RAISES, FLOW_BLOCK_HANDLER};
	uint32_t n = 1 + random_below(r, BLOCKS_MAX);
	struct flow_graph g = {.unit_count = n,
		.analysed = true,
		.start_count = n,
		.block_count = n,
		.edge_count = 4 * n};

	assert_int_equal(flow_graph_init(&g), 0);
	g.start_count = g.edge_count = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct flow_block *b = &g.blocks[i];
		b->unit = i;
		b->flags = flags[random_below(r, sizeof flags / sizeof *flags)];
		b->start = random_below(r, 2) ? g.start_count++ : FLOW_NONE;
		if (b->start != FLOW_NONE)
			g.starts[b->start] =
				(struct flow_start){i, (int32_t)i, random_below(r, 4) > 0};
	}
	for (uint32_t i = 0; i < n; i++)
		random_edges(r, &g, &g.blocks[i]);
	return g;
}

static bool leads(const struct flow_graph *g, uint32_t from, uint32_t to, bool fires)
{
	const struct flow_block *b = &g->blocks[from];

	if (b->flags & (FLOW_BLOCK_RETURNS | FLOW_BLOCK_YIELDS | FLOW_BLOCK_RAISES))
		return false;
	for (uint32_t i = b->first_edge; i < b->first_edge + b->edge_count; i++) {
		const struct flow_edge *e = &g->edges[i];
		if (e->to != to)
			continue;
		if (fires && e->fires != FLOW_NEVER)
			return true;
		if (!fires && (e->fires != FLOW_ALWAYS || !g->starts[g->blocks[to].start].witness))
			return true;
	}
	return false;
}

/* All pairs, by going on until nothing new is found. */
static void naive(const struct flow_graph *g, bool reach[BLOCKS_MAX][BLOCKS_MAX])
{
	bool more = true;

	memset(reach, 0, sizeof(bool[BLOCKS_MAX][BLOCKS_MAX]));
	for (uint32_t i = 0; i < g->block_count; i++)
		reach[i][i] = true;
	while (more) {
		more = false;
		for (uint32_t a = 0; a < g->block_count; a++)
			for (uint32_t b = 0; b < g->block_count; b++)
				for (uint32_t c = 0; c < g->block_count; c++)
					if (reach[a][b] && !reach[a][c] && leads(g, b, c, false))
						more = reach[a][c] = true;
	}
}

static void compare(const struct flow_graph *g, struct flow_walk *w, uint32_t from)
{
	bool reach[BLOCKS_MAX][BLOCKS_MAX];

	naive(g, reach);
	for (uint32_t to = 0; to < g->block_count; to++)
		assert_int_equal(flow_path_reaches(g, w, from, to), reach[from][to]);
	for (uint32_t s = 0; s < g->start_count; s++) {
		bool fires = false;
		for (uint32_t b = 0; b < g->block_count; b++)
			fires |= reach[from][b] && leads(g, b, g->starts[s].unit, true);
		assert_int_equal(flow_path_fires(g, w, from, s, false), fires);
		bool entry = from == g->starts[s].unit;
		assert_int_equal(flow_path_fires(g, w, from, s, true), fires || entry);
	}
}

static void walks_as_a_naive_search_does(void **state)
{
	struct random r = {7};
	struct flow_walk w = {0};

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct flow_graph g = random_graph(&r);
		assert_int_equal(flow_graph_check(&g), 0);
		compare(&g, &w, random_below(&r, g.block_count));
		flow_graph_release(&g);
	}
	flow_walk_release(&w);
	flow_walk_release(&w);
}

/*	0 -ALWAYS-> 1 -NEVER-> 2 -MAYBE-> 1,  blocks 1 and 2 opened by starts 0 and 1 */
static struct flow_graph sample(void)
{
	struct flow_graph g = {.unit_count = 3,
		.analysed = true,
		.start_count = 2,
		.block_count = 3,
		.edge_count = 3};

	assert_int_equal(flow_graph_init(&g), 0);
	for (uint32_t i = 0; i < 3; i++)
		g.blocks[i] = (struct flow_block){i, i ? i - 1 : FLOW_NONE, i, 1, 0};
	g.starts[0] = (struct flow_start){1, 10, true};
	g.starts[1] = (struct flow_start){2, 10, true};
	g.edges[0] = (struct flow_edge){1, FLOW_ALWAYS};
	g.edges[1] = (struct flow_edge){2, FLOW_NEVER};
	g.edges[2] = (struct flow_edge){1, FLOW_MAYBE};
	return g;
}

static void stops_at_a_witness(void **state)
{
	struct flow_graph g = sample();
	struct flow_walk w = {0};

	(void)state;
	assert_false(flow_path_reaches(&g, &w, 0, 1));
	assert_true(flow_path_fires(&g, &w, 0, 0, false));
	assert_true(flow_path_reaches(&g, &w, 1, 2));
	assert_false(flow_path_fires(&g, &w, 1, 1, false));
	assert_true(flow_path_reaches(&g, &w, 2, 1));
	assert_true(flow_path_fires(&g, &w, 1, 0, false));
	g.starts[0].witness = false;
	assert_true(flow_path_reaches(&g, &w, 0, 2));
	flow_graph_release(&g);
	flow_walk_release(&w);
}

static void stops_where_a_block_ends(void **state)
{
	struct flow_graph g = sample();
	struct flow_walk w = {0};

	(void)state;
	g.blocks[1].flags = FLOW_BLOCK_YIELDS;
	assert_false(flow_path_reaches(&g, &w, 1, 2));
	assert_true(flow_path_reaches(&g, &w, 1, 1));
	assert_false(flow_path_fires(&g, &w, 1, 0, false));
	flow_graph_release(&g);
	flow_walk_release(&w);
}

static void fires_at_a_handlers_entry(void **state)
{
	struct flow_graph g = sample();
	struct flow_walk w = {0};

	(void)state;
	assert_false(flow_path_fires(&g, &w, 2, 1, false));
	assert_true(flow_path_fires(&g, &w, 2, 1, true));
	assert_false(flow_path_fires(&g, &w, 0, 1, true));
	flow_graph_release(&g);
	flow_walk_release(&w);
}

static void claims_nothing_that_it_does_not_know(void **state)
{
	struct flow_graph g = sample();
	struct flow_walk w = {0};

	(void)state;
	assert_true(flow_path_reaches(&g, &w, FLOW_NONE, 1));
	assert_true(flow_path_reaches(&g, &w, 1, 3));
	assert_true(flow_path_fires(&g, &w, FLOW_NONE, 1, false));
	assert_false(flow_path_fires(&g, &w, FLOW_NONE, 2, false));
	g.analysed = false;
	assert_true(flow_path_reaches(&g, &w, 0, 1));
	flow_graph_release(&g);
	flow_walk_release(&w);
}

static void sees_afresh_when_the_mark_wraps(void **state)
{
	struct flow_graph g = sample();
	struct flow_walk w = {0};

	(void)state;
	assert_false(flow_path_reaches(&g, &w, 1, 0));
	w.seen[2] = 1;
	w.mark = UINT32_MAX;
	assert_true(flow_path_reaches(&g, &w, 1, 2));
	assert_int_equal(w.mark, 1);
	assert_true(flow_path_fires(&g, &w, 1, 0, false));
	flow_graph_release(&g);
	flow_walk_release(&w);
}

static void claims_nothing_without_memory(void **state)
{
	struct flow_graph g = sample();
	struct flow_walk w = {0};

	(void)state;
	for (unsigned granted = 1; granted <= 2; granted++) {
		alloc_grant = granted;
		assert_true(flow_path_reaches(&g, &w, 0, 1));
		alloc_grant = granted;
		assert_true(flow_path_fires(&g, &w, 1, 1, false));
	}
	alloc_grant = 0;
	assert_false(flow_path_reaches(&g, &w, 0, 1));
	flow_graph_release(&g);
	flow_walk_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_as_a_naive_search_does),
		cmocka_unit_test(stops_at_a_witness),
		cmocka_unit_test(stops_where_a_block_ends),
		cmocka_unit_test(fires_at_a_handlers_entry),
		cmocka_unit_test(claims_nothing_that_it_does_not_know),
		cmocka_unit_test(sees_afresh_when_the_mark_wraps),
		cmocka_unit_test(claims_nothing_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
