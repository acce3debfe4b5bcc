/* Witnesses on random graphs: whatever a frame does, its lines can be told from what is
 * recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "flow/witness.h"
#include "lib/alloc.h"
#include "lib/graphs.h"
#include "pathline/error.h"

static void lines_are_told(void **state)
{
	struct random r = {1};
	uint64_t starts = 0, witnesses = 0;
	(void)state;

	for (int i = 0; i < 1000; i++) {
		struct flow_graph g = random_graph(&r);
		assert_int_equal(flow_place_witnesses(&g), 0);
		assert_int_equal(wrong_runs(&g, &r, 20), 0);
		starts += g.start_count;
		for (uint32_t k = 0; k < g.start_count; k++)
			witnesses += g.starts[k].witness;
		flow_graph_release(&g);
	}
	assert_true(witnesses * 10 < starts * 8);
}

/* Without witnesses the same runs are not told: the test above can fail. */
static void too_few_are_found_out(void **state)
{
	struct random r = {2};
	unsigned wrong = 0;
	(void)state;

	for (int i = 0; i < 200; i++) {
		struct flow_graph g = random_graph(&r);
		wrong += wrong_runs(&g, &r, 20) > 0;
		flow_graph_release(&g);
	}
	assert_true(wrong > 50);
}

/* By each edge, and by no other way, LINE fires at a sure start; and such a one is the cheaper
 * witness. */
static void sure_ones_fire_always(void **state)
{
	struct random r = {7};
	unsigned sure = 0, unsure = 0;
	(void)state;

	for (int i = 0; i < 200; i++) {
		struct flow_graph g = random_graph(&r);
		flow_find_sure(&g);
		for (uint32_t k = 0; k < g.edge_count; k++) {
			const struct flow_block *to = &g.blocks[g.edges[k].to];
			bool is = to->start != FLOW_NONE && g.starts[to->start].sure;
			assert_false(is && g.edges[k].fires != FLOW_ALWAYS);
			assert_false(is && to->flags & (FLOW_BLOCK_RESUME | FLOW_BLOCK_HANDLER));
			*(is ? &sure : &unsure) += 1;
		}
		for (uint32_t k = 0; k < g.start_count; k++) {
			struct flow_start other = g.starts[k];
			other.sure = !other.sure;
			assert_true(g.starts[k].sure ==
				    (flow_line_price(&g.starts[k]) < flow_line_price(&other)));
		}
		flow_graph_release(&g);
	}
	assert_true(sure > 100 && unsure > 100);
}

static void given_ones_are_kept(void **state)
{
	struct random r = {3};
	(void)state;

	for (int i = 0; i < 300; i++) {
		struct flow_graph g = random_graph(&r);
		uint32_t given = g.start_count ? random_below(&r, g.start_count) : 0;
		if (g.start_count)
			g.starts[given].witness = true;
		assert_int_equal(flow_place_witnesses(&g), 0);
		assert_true(!g.start_count || g.starts[given].witness);
		assert_int_equal(wrong_runs(&g, &r, 10), 0);
		flow_graph_release(&g);
	}
}

static bool all_are_witnesses(const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->start_count; i++)
		if (!g->starts[i].witness)
			return false;
	return true;
}

static void what_is_not_analysed_has_all(void **state)
{
	struct random r = {4};
	struct flow_graph g = random_graph(&r);
	(void)state;

	g.analysed = false;
	g.block_count = g.edge_count = 0;
	assert_int_equal(flow_place_witnesses(&g), 0);
	assert_true(all_are_witnesses(&g));
	flow_graph_release(&g);
}

/* A loop that one arm leaves: one witness on the way round. */
static void branches_in_a_loop(void **state)
{
	struct flow_graph g = {.unit_count = 5,
		.analysed = true,
		.start_count = 4,
		.block_count = 5,
		.edge_count = 5};
	static const struct flow_edge edges[] = {{1, FLOW_ALWAYS}, {2, FLOW_ALWAYS},
		{3, FLOW_ALWAYS}, {4, FLOW_ALWAYS}, {1, FLOW_ALWAYS}};
	int witnesses = 0;
	(void)state;

	/*	0 --> 1 --> 2 --> 4 --> 1
	 *	       \--> 3				*/
	assert_int_equal(flow_graph_init(&g), 0);
	for (uint32_t i = 0; i < 5; i++) {
		g.blocks[i].unit = i;
		g.blocks[i].start = i ? i - 1 : FLOW_NONE;
		if (i)
			g.starts[i - 1] = (struct flow_start){.unit = i, .line = (int32_t)i};
	}
	memcpy(g.edges, edges, sizeof edges);
	g.blocks[0].flags = FLOW_BLOCK_ENTRY;
	g.blocks[0].edge_count = 1;
	g.blocks[1].first_edge = 1;
	g.blocks[1].edge_count = 2;
	g.blocks[2].first_edge = 3;
	g.blocks[2].edge_count = 1;
	g.blocks[3].first_edge = 4;
	g.blocks[3].edge_count = 0;
	g.blocks[4].first_edge = 4;
	g.blocks[4].edge_count = 1;
	assert_int_equal(flow_graph_check(&g), 0);
	assert_int_equal(flow_place_witnesses(&g), 0);
	for (uint32_t i = 0; i < g.start_count; i++)
		witnesses += g.starts[i].witness;
	assert_int_equal(witnesses, 1);
	assert_false(g.starts[2].witness); /* the arm that does not come back */
	flow_graph_release(&g);
}

#define ROW 4

/* The witnesses of 0 --> 1 --> 2 --> 3, of which the last goes on to `last`, if that is one of
 * them. */
static unsigned witnesses_of_a_row(enum flow_fires fires, uint32_t last)
{
	bool goes_on = last < ROW;
	struct flow_graph g = {.unit_count = ROW,
		.analysed = true,
		.start_count = ROW - 1,
		.block_count = ROW,
		.edge_count = ROW - 1 + goes_on};
	unsigned witnesses = 0;

	assert_int_equal(flow_graph_init(&g), 0);
	for (uint32_t i = 0; i < ROW; i++) {
		g.blocks[i] = (struct flow_block){.unit = i,
			.start = i ? i - 1 : FLOW_NONE,
			.first_edge = i,
			.edge_count = i + 1 < ROW || goes_on};
		if (i)
			g.starts[i - 1] = (struct flow_start){.unit = i, .line = (int32_t)i};
		if (i < g.edge_count)
			g.edges[i] = (struct flow_edge){i + 1 < ROW ? i + 1 : last, FLOW_ALWAYS};
	}
	g.edges[1].fires = fires;
	g.blocks[0].flags = FLOW_BLOCK_ENTRY;
	assert_int_equal(flow_graph_check(&g), 0);
	assert_int_equal(flow_place_witnesses(&g), 0);
	for (uint32_t i = 0; i < g.start_count; i++)
		witnesses += g.starts[i].witness;
	flow_graph_release(&g);
	return witnesses;
}

/* How often a loop was gone through, and whether a LINE fired, is told by nothing else. */
static void only_a_straight_line_needs_none(void **state)
{
	(void)state;
	assert_int_equal(witnesses_of_a_row(FLOW_ALWAYS, FLOW_NONE), 0);
	assert_int_equal(witnesses_of_a_row(FLOW_ALWAYS, 1), 1);
	assert_int_equal(witnesses_of_a_row(FLOW_MAYBE, FLOW_NONE), 1);
}

/* `if` after `if`, each of two lines: head, arm, and the next head. */
static struct flow_graph row_of_branches(uint32_t count)
{
	const uint32_t blocks = 2 * count + 1;
	struct flow_graph g = {.unit_count = blocks,
		.analysed = true,
		.start_count = blocks - 1,
		.block_count = blocks,
		.edge_count = 3 * count - 1};
	uint32_t edge = 0;

	assert_int_equal(flow_graph_init(&g), 0);
	for (uint32_t i = 0; i < blocks; i++) {
		const uint32_t others = i % 2 ? 2 : 1; /* a head has two ways */
		g.blocks[i] = (struct flow_block){
			.unit = i, .start = i ? i - 1 : FLOW_NONE, .first_edge = edge};
		for (uint32_t k = 1; k <= others && i + k < blocks; k++)
			g.edges[edge++] = (struct flow_edge){i + k, FLOW_ALWAYS};
		g.blocks[i].edge_count = edge - g.blocks[i].first_edge;
		if (i)
			g.starts[i - 1] = (struct flow_start){.unit = i, .line = (int32_t)i};
	}
	g.blocks[0].flags = FLOW_BLOCK_ENTRY;
	assert_int_equal(edge, g.edge_count);
	assert_int_equal(flow_graph_check(&g), 0);
	return g;
}

static uint32_t witnesses_of(const struct flow_graph *g)
{
	uint32_t witnesses = 0;

	for (uint32_t k = 0; k < g->start_count; k++)
		witnesses += g->starts[k].witness;
	return witnesses;
}

/* The program waits for the search, which would grow with the square of a long row. It ends at
 * witnesses that are there for this alone. */
static void a_long_search_is_divided(void **state)
{
	struct random r = {8};
	(void)state;

	for (uint32_t count = 50; count <= 5000; count *= 100) {
		struct flow_graph g = row_of_branches(count);
		assert_int_equal(flow_place_witnesses(&g), 0);
		assert_int_equal(wrong_runs(&g, &r, 5), 0);
		if (count == 50)
			assert_int_equal(witnesses_of(&g), count - 1); /* not the last arm */
		else
			assert_in_range(witnesses_of(&g), count + count / 10, count + count / 2);
		flow_graph_release(&g);
	}
}

/* Without memory every line is recorded, which is never wrong. */
static void out_of_memory(void **state)
{
	(void)state;
	for (unsigned fail = 1; fail < 8; fail++) {
		struct random r = {5};
		struct flow_graph g = random_graph(&r);
		alloc_grant = fail;
		int err = flow_place_witnesses(&g);
		alloc_grant = 0;
		assert_true(err == 0 || err == PL_ERR_MEMORY);
		assert_true(err == 0 || all_are_witnesses(&g));
		assert_int_equal(wrong_runs(&g, &r, 10), 0);
		flow_graph_release(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_told),
		cmocka_unit_test(too_few_are_found_out),
		cmocka_unit_test(sure_ones_fire_always),
		cmocka_unit_test(given_ones_are_kept),
		cmocka_unit_test(what_is_not_analysed_has_all),
		cmocka_unit_test(branches_in_a_loop),
		cmocka_unit_test(only_a_straight_line_needs_none),
		cmocka_unit_test(a_long_search_is_divided),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
