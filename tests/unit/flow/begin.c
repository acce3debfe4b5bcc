/* Begins on random graphs: whatever a frame does, its first witness is one, and no other is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "flow/begin.h"
#include "flow/witness.h"
#include "lib/alloc.h"
#include "lib/graphs.h"

#define STEPS 60

static const bool none[BLOCKS_MAX + 2];

static bool begins(const struct flow_graph *g, const struct flow_block *b)
{
	return b->start != FLOW_NONE && g->starts[b->start].begins;
}

/* From block `at` on; told: the call was, by a begin or otherwise. */
static void run_from(struct random *r, const struct flow_graph *g, uint32_t at, bool told)
{
	for (int i = 0; i < STEPS; i++) {
		const struct flow_block *b = &g->blocks[at];
		assert_int_equal(b->pending, !told);
		if (!b->edge_count) {
			assert_true(told || b->flags & FLOW_BLOCK_RAISES);
			return;
		}
		const struct flow_edge *e =
			&g->edges[b->first_edge + random_below(r, b->edge_count)];
		at = e->to;
		if (begins(g, &g->blocks[at])) {
			assert_false(told);
			assert_int_equal(e->fires, FLOW_ALWAYS);
			assert_true(g->starts[g->blocks[at].start].witness);
			told = true;
		}
	}
}

static void check_begins(struct random *r, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		bool enters = g->blocks[i].flags & FLOW_BLOCK_ENTRY;
		bool comes = g->blocks[i].flags & (FLOW_BLOCK_HANDLER | FLOW_BLOCK_RESUME);
		for (int n = 0; n < 30 && (enters || comes); n++)
			run_from(r, g, i, !enters);
		assert_false(g->blocks[i].pending && g->blocks[i].eventful);
	}
}

/* Code mostly goes forward, and LINE mostly fires. */
static struct flow_graph random_code(struct random *r)
{
	struct flow_graph g = random_graph(r);

	for (uint32_t i = 0; i < g.block_count; i++) {
		struct flow_block *b = &g.blocks[i];
		b->eventful = random_below(r, 6) == 0;
		for (uint32_t k = 0; k < b->edge_count; k++) {
			struct flow_edge *e = &g.edges[b->first_edge + k];
			for (int n = 0; n < 3 && e->to <= i; n++)
				e->to = random_target(r, &g);
			bool fires = random_below(r, 6) && g.blocks[e->to].start != FLOW_NONE;
			e->fires = fires ? FLOW_ALWAYS : FLOW_NEVER;
		}
	}
	return g;
}

static void each_call_is_told_once(void **state)
{
	struct random r = {1};
	unsigned placed = 0;
	(void)state;

	for (int i = 0; i < 40000; i++) {
		struct flow_graph g = random_code(&r);
		assert_int_equal(flow_place_witnesses(&g), 0);
		if (flow_place_begins(&g, none)) {
			placed++;
			check_begins(&r, &g);
			assert_int_equal(wrong_runs(&g, &r, 20), 0);
		}
		flow_graph_release(&g);
	}
	assert_true(placed > 100);
}

static void add_block(struct flow_graph *g, uint32_t flags, int32_t line)
{
	struct flow_block *b = &g->blocks[g->block_count];

	*b = (struct flow_block){.unit = g->block_count++,
		.start = line ? g->start_count : FLOW_NONE,
		.first_edge = g->edge_count,
		.flags = flags};
	if (line)
		g->starts[g->start_count++] = (struct flow_start){.unit = b->unit, .line = line};
}

/* To the last block. */
static void add_edge(struct flow_graph *g, uint32_t to)
{
	enum flow_fires fires = to >= 1 ? FLOW_ALWAYS : FLOW_NEVER;

	g->edges[g->edge_count++] = (struct flow_edge){.to = to, .fires = fires};
	g->blocks[g->block_count - 1].edge_count++;
}

/*	0 RESUME --> 1 if n < 2 --> 2 return n
 *	                       \--> 3 return fib(…	*/
static struct flow_graph fib(int32_t first_line)
{
	struct flow_graph g = {.unit_count = 4,
		.analysed = true,
		.start_count = 4,
		.block_count = 4,
		.edge_count = 4};

	assert_int_equal(flow_graph_init(&g), 0);
	g.start_count = g.block_count = g.edge_count = 0;
	g.lines = NULL;
	add_block(&g, FLOW_BLOCK_ENTRY, 0);
	add_edge(&g, 1);
	add_block(&g, 0, first_line);
	add_edge(&g, 2);
	add_edge(&g, 3);
	add_block(&g, FLOW_BLOCK_RETURNS | FLOW_BLOCK_SILENT, 3);
	add_block(&g, FLOW_BLOCK_RETURNS | FLOW_BLOCK_SILENT, 4);
	g.blocks[3].eventful = true;
	assert_int_equal(flow_graph_check(&g), 0);
	return g;
}

static void both_arms_of_fib_begin(void **state)
{
	struct flow_graph g = fib(2);
	(void)state;

	assert_int_equal(flow_place_witnesses(&g), 0);
	assert_true(flow_place_begins(&g, none));
	assert_false(g.starts[0].begins);
	assert_true(g.starts[1].begins && g.starts[2].begins);
	assert_true(g.blocks[0].pending && g.blocks[1].pending);
	flow_graph_release(&g);
}

/* What calls ahead would be told late itself. */
static void none_after_a_call(void **state)
{
	struct flow_graph g = fib(2);
	(void)state;

	g.blocks[1].eventful = true;
	assert_int_equal(flow_place_witnesses(&g), 0);
	assert_false(flow_place_begins(&g, none));
	for (uint32_t i = 0; i < g.block_count; i++)
		assert_false(g.blocks[i].pending || begins(&g, &g.blocks[i]));
	flow_graph_release(&g);
}

static void none_without_memory(void **state)
{
	(void)state;
	for (unsigned fail = 1; fail < 12; fail++) {
		struct flow_graph g = fib(2);
		assert_int_equal(flow_place_witnesses(&g), 0);
		bool before[3];
		for (uint32_t i = 0; i < 3; i++)
			before[i] = g.starts[i].witness;
		alloc_grant = fail;
		bool placed = flow_place_begins(&g, none);
		alloc_grant = 0;
		for (uint32_t i = 0; i < 3 && !placed; i++)
			assert_true(g.starts[i].witness == before[i] && !g.starts[i].begins);
		flow_graph_release(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_is_told_once),
		cmocka_unit_test(both_arms_of_fib_begin),
		cmocka_unit_test(none_after_a_call),
		cmocka_unit_test(none_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
