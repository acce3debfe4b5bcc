/* Implied passes: on random graphs they are told as they were made; and on small ones, which are
 * implied is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "flow/implied.h"
#include "flow/witness.h"
#include "lib/alloc.h"
#include "lib/graphs.h"

/* Every jump back that could be one. */
static uint32_t ask_for_all(struct flow_graph *g)
{
	uint32_t asked = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		if (b->edge_count != 1 || g->edges[b->first_edge].to > i ||
			g->edges[b->first_edge].fires != FLOW_NEVER)
			continue;
		g->blocks[i].flags |= FLOW_BLOCK_PASSES;
		asked++;
	}
	assert_int_equal(flow_graph_check(g), 0);
	return asked;
}

static uint32_t count_implied(const struct flow_graph *g)
{
	uint32_t implied = 0;

	for (uint32_t i = 0; i < g->block_count; i++)
		implied += (g->blocks[i].flags & FLOW_BLOCK_PASSES) != 0;
	return implied;
}

static void passes_are_told(void **state)
{
	struct random r = {3};
	uint32_t asked = 0, implied = 0;
	(void)state;

	for (int i = 0; i < 2000; i++) {
		struct flow_graph g = random_graph(&r);
		assert_int_equal(flow_place_witnesses(&g), 0);
		asked += ask_for_all(&g);
		flow_imply_passes(&g);
		implied += count_implied(&g);
		assert_int_equal(wrong_runs(&g, &r, 20), 0);
		flow_graph_release(&g);
	}
	assert_true(implied > asked / 20 && implied < asked);
}

/* If all were implied, the same runs would not be told: the test above can fail. */
static void too_many_are_found_out(void **state)
{
	struct random r = {3};
	unsigned wrong = 0;
	(void)state;

	for (int i = 0; i < 400; i++) {
		struct flow_graph g = random_graph(&r);
		assert_int_equal(flow_place_witnesses(&g), 0);
		ask_for_all(&g);
		wrong += wrong_runs(&g, &r, 20) > 0;
		flow_graph_release(&g);
	}
	assert_true(wrong > 20);
}

/* A generator's loop with a yield:
 *
 *	0 entry --> 1 next item --> 2 body --> 3 yields | 4 after it, jumps back --> 1
 *	                 `-> 5 returns
 *
 * `around`: from the body a way leads round the yield. */
static struct flow_graph generator(bool around)
{
	const struct flow_block blocks[] = {{0, FLOW_NONE, 0, 1, FLOW_BLOCK_ENTRY},
		{2, FLOW_NONE, 1, 2, FLOW_BLOCK_ITERATES}, {4, FLOW_NONE, 3, around ? 2 : 1, 0},
		{6, FLOW_NONE, around ? 5 : 4, 0, FLOW_BLOCK_YIELDS | FLOW_BLOCK_SILENT},
		{8, FLOW_NONE, around ? 5 : 4, 1, FLOW_BLOCK_RESUME | FLOW_BLOCK_PASSES},
		{10, FLOW_NONE, around ? 6 : 5, 0, FLOW_BLOCK_RETURNS}};
	const uint32_t straight[] = {1, 2, 5, 3, 1}, round[] = {1, 2, 5, 3, 4, 1};
	struct flow_graph g = {
		.unit_count = 12, .analysed = true, .block_count = 6, .edge_count = 5 + around};

	assert_int_equal(flow_graph_init(&g), 0);
	for (uint32_t i = 0; i < g.block_count; i++)
		g.blocks[i] = blocks[i];
	for (uint32_t i = 0; i < g.edge_count; i++)
		g.edges[i].to = around ? round[i] : straight[i];
	assert_int_equal(flow_graph_check(&g), 0);
	return g;
}

static void the_resume_implies_it(void **state)
{
	struct flow_graph g = generator(false);

	(void)state;
	flow_imply_passes(&g);
	assert_int_equal(count_implied(&g), 1);
	assert_true(g.blocks[4].flags & FLOW_BLOCK_PASSES);
	flow_graph_release(&g);
}

static void a_way_round_the_yield_does_not(void **state)
{
	struct flow_graph g = generator(true);

	(void)state;
	flow_imply_passes(&g);
	assert_int_equal(count_implied(&g), 0);
	flow_graph_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_are_told),
		cmocka_unit_test(too_many_are_found_out),
		cmocka_unit_test(the_resume_implies_it),
		cmocka_unit_test(a_way_round_the_yield_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
