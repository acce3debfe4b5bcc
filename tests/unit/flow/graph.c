/* Lookups against a scan from the front, and each invariant broken once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "flow/graph.h"
#include "lib/random.h"
#include "pathline/error.h"

/* Three blocks over ten units: the second and third are opened by starts.
 *
 *	0 entry -ALWAYS-> 2 (start 0, line 5) -NEVER-> 6 (start 1, line 7) -MAYBE-> 2
 */
static struct flow_graph sample(void)
{
	struct flow_graph g = {.unit_count = 10,
		.analysed = true,
		.start_count = 2,
		.block_count = 3,
		.edge_count = 3,
		.line_count = 3};

	assert_int_equal(flow_graph_init(&g), 0);
	g.starts[0] = (struct flow_start){.unit = 2, .line = 5, .witness = true};
	g.starts[1] = (struct flow_start){.unit = 6, .line = 7, .witness = true};
	g.blocks[0] = (struct flow_block){0, FLOW_NONE, 0, 1, FLOW_BLOCK_ENTRY};
	g.blocks[1] = (struct flow_block){2, 0, 1, 1, 0};
	g.blocks[2] = (struct flow_block){6, 1, 2, 1, 0};
	g.edges[0] = (struct flow_edge){1, FLOW_ALWAYS};
	g.edges[1] = (struct flow_edge){2, FLOW_NEVER};
	g.edges[2] = (struct flow_edge){1, FLOW_MAYBE};
	g.lines[0] = (struct flow_line){1, 0};
	g.lines[1] = (struct flow_line){2, 5};
	g.lines[2] = (struct flow_line){6, 7};
	return g;
}

static void finds_by_unit(void **state)
{
	struct flow_graph g = sample();

	(void)state;
	assert_int_equal(flow_block_at(&g, 0), 0);
	assert_int_equal(flow_block_at(&g, 1), 0);
	assert_int_equal(flow_block_at(&g, 2), 1);
	assert_int_equal(flow_block_at(&g, 9), 2);
	assert_int_equal(flow_block_at(&g, 10), FLOW_NONE);
	assert_int_equal(flow_line_at(&g, 0), 0);
	assert_int_equal(flow_line_at(&g, 5), 5);
	assert_int_equal(flow_line_at(&g, 9), 7);
	assert_int_equal(flow_line_at(&g, 10), 0);
	assert_int_equal(flow_start_at(&g, 2), 0);
	assert_int_equal(flow_start_at(&g, 3), FLOW_NONE);
	assert_int_equal(flow_start_at(&g, 6), 1);
	assert_int_equal(flow_start_at(&g, 0), FLOW_NONE);
	flow_graph_release(&g);
}

static void finds_the_line_ahead(void **state)
{
	struct flow_graph g = sample();

	(void)state;
	assert_int_equal(flow_line_ahead(&g, 0), 0); /* before the first entry of the lines */
	assert_int_equal(flow_line_ahead(&g, 1), 5);
	assert_int_equal(flow_line_ahead(&g, 3), 5);
	g.lines[1].line = 0;
	assert_int_equal(flow_line_ahead(&g, 1), 7);
	g.edges[1].to = 1; /* the second block falls through no more */
	assert_int_equal(flow_line_ahead(&g, 1), 0);
	g.lines[2].line = 0;
	assert_int_equal(flow_line_ahead(&g, 6), 0);
	assert_int_equal(flow_line_ahead(&g, 10), 0);
	flow_graph_release(&g);
}

static void finds_as_a_scan_does(void **state)
{
	struct random r = {1};

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct flow_graph g = {.unit_count = 200, .line_count = 1 + random_below(&r, 60)};
		uint32_t unit = random_below(&r, 3);
		assert_int_equal(flow_graph_init(&g), 0);
		for (uint32_t i = 0; i < g.line_count; i++) {
			g.lines[i] = (struct flow_line){unit, (int32_t)random_below(&r, 1000)};
			unit += 1 + random_below(&r, 3);
		}
		for (uint32_t u = 0; u < g.unit_count; u++) {
			int32_t line = 0;
			for (uint32_t i = 0; i < g.line_count && g.lines[i].unit <= u; i++)
				line = g.lines[i].line;
			assert_int_equal(flow_line_at(&g, u), line);
		}
		flow_graph_release(&g);
	}
}

static void nothing_is_found_in_nothing(void **state)
{
	struct flow_graph g = {0};

	(void)state;
	assert_int_equal(flow_graph_init(&g), 0);
	assert_int_equal(flow_graph_check(&g), 0);
	assert_int_equal(flow_block_at(&g, 0), FLOW_NONE);
	assert_int_equal(flow_start_at(&g, 0), FLOW_NONE);
	assert_int_equal(flow_line_at(&g, 0), 0);
	flow_graph_release(&g);
	flow_graph_release(&g);
}

#define REFUSED(change)                                                                            \
	do {                                                                                       \
		struct flow_graph g = sample();                                                    \
		assert_int_equal(flow_graph_check(&g), 0);                                         \
		change;                                                                            \
		assert_int_equal(flow_graph_check(&g), PL_ERR_FORMAT);                             \
		flow_graph_release(&g);                                                            \
	} while (0)

static void refuses_what_is_not_sound(void **state)
{
	(void)state;
	REFUSED(g.unit_count = 6);
	REFUSED(g.analysed = false);
	REFUSED(g.starts[1].unit = 2);
	REFUSED(g.starts[0].line = -1);
	REFUSED(g.starts[1].unit = 7);
	REFUSED(g.lines[1].unit = 1);
	REFUSED(g.lines[2].unit = 10);
	REFUSED(g.lines[2].line = -2);
	REFUSED(g.blocks[1].unit = 0);
	REFUSED(g.blocks[1].start = 1);
	REFUSED(g.blocks[2].start = FLOW_NONE);
	REFUSED(g.blocks[1].first_edge = 0);
	REFUSED(g.blocks[2].edge_count = 0);
	REFUSED(g.blocks[2].edge_count = UINT32_MAX);
	REFUSED(g.edges[0].to = 3);
	REFUSED(g.edges[0].fires = (enum flow_fires)3);
	REFUSED(g.edges[2].to = 0);
	REFUSED((g.blocks[1].flags |= FLOW_BLOCK_SILENT | FLOW_BLOCK_YIELDS,
		g.blocks[2].flags |= FLOW_BLOCK_SILENT | FLOW_BLOCK_RETURNS));
}

/* The jump of a pass leads back, by an edge that never fires, and is within its block. */
static void refuses_passes_that_are_none(void **state)
{
	(void)state;
	REFUSED(g.blocks[2].flags = FLOW_BLOCK_PASSES); /* it may fire */
	REFUSED(g.blocks[1].flags = FLOW_BLOCK_PASSES);
	REFUSED((g.edges[2].fires = FLOW_NEVER, g.unit_count = 7,
		g.blocks[2].flags = FLOW_BLOCK_PASSES | FLOW_BLOCK_PASSES_CACHED));
}

static void finds_the_jump_of_a_pass(void **state)
{
	struct flow_graph g = sample();

	(void)state;
	g.edges[2].fires = FLOW_NEVER;
	g.blocks[2].flags = FLOW_BLOCK_PASSES;
	assert_int_equal(flow_graph_check(&g), 0);
	assert_int_equal(flow_pass_unit(&g, 2), 9);
	g.blocks[2].flags |= FLOW_BLOCK_PASSES_CACHED;
	assert_int_equal(flow_graph_check(&g), 0);
	assert_int_equal(flow_pass_unit(&g, 2), 8);
	flow_graph_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_by_unit),
		cmocka_unit_test(finds_the_line_ahead),
		cmocka_unit_test(finds_as_a_scan_does),
		cmocka_unit_test(nothing_is_found_in_nothing),
		cmocka_unit_test(refuses_what_is_not_sound),
		cmocka_unit_test(refuses_passes_that_are_none),
		cmocka_unit_test(finds_the_jump_of_a_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
