#include "flow/witness.h"

#include <stdlib.h>
#include "pathline/error.h"

#define RESUME_MASS   0.3 /* how often a frame goes on behind a yield, where a call enters it once */
#define HANDLER_MASS  0.02 /* how often an exception comes to a handler */
#define RAISING_ARM   0.05 /* weight of a branch that ends in a raise, where another one has 1 */
#define LOOP_BODY     0.9  /* how often FOR_ITER gives an item */
#define LOOP_TIMES    10.0
#define LOOP_DEPTH    8 /* deeper loops count as this deep */
#define MASS_LEAST    1e-4
#define RAISE_IS_NEAR 6 /* blocks in a row */

/* Does what begins at the block come to nothing but a raise? */
static bool raises(const struct flow_graph *g, uint32_t block)
{
	for (int i = 0; i < RAISE_IS_NEAR; i++) {
		const struct flow_block *b = &g->blocks[block];
		if (b->flags & FLOW_BLOCK_RAISES)
			return true;
		if (b->edge_count != 1)
			return false;
		block = g->edges[b->first_edge].to;
	}
	return false;
}

/* The share of the k-th edge among its block's, before they are made to sum up to 1. */
static double weight(const struct flow_graph *g, const struct flow_block *b, uint32_t k)
{
	if (b->flags & FLOW_BLOCK_ITERATES)
		return k == 0 ? LOOP_BODY : 1 - LOOP_BODY;
	return raises(g, g->edges[b->first_edge + k].to) ? RAISING_ARM : 1;
}

/* Of each edge: how often it is taken when its block is left. */
static void share_out(const struct flow_graph *g, double *share)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		double *of = &share[b->first_edge], sum = 0;
		if (b->edge_count == 1) {
			*of = 1;
			continue;
		}
		for (uint32_t k = 0; k < b->edge_count; k++)
			sum += of[k] = weight(g, b, k);
		for (uint32_t k = 0; k < b->edge_count; k++)
			of[k] /= sum > 0 ? sum : 1;
	}
}

static double own_mass(const struct flow_block *b)
{
	return (b->flags & FLOW_BLOCK_ENTRY ? 1.0 : 0) +
	       (b->flags & FLOW_BLOCK_RESUME ? RESUME_MASS : 0) +
	       (b->flags & FLOW_BLOCK_HANDLER ? HANDLER_MASS : 0);
}

struct row {
	double mass;  /* how often the block runs */
	uint32_t end; /* of a loop's head: behind its last block, else 0 */
	int32_t depth; /* by how much the number of loops around it differs from that around the block before */
};

/* Loops left out: the mass flows forward along the edges. */
static void spread(const struct flow_graph *g, const double *share, struct row *rows)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		rows[i].mass += own_mass(b);
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edge_count; e++)
			if (g->edges[e].to > i)
				rows[g->edges[e].to].mass += rows[i].mass * share[e];
	}
}

/* A loop is from where a jump back leads to the jump; those with one head are one loop. */
static void find_loops(const struct flow_graph *g, struct row *rows)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		for (uint32_t k = 0; k < b->edge_count; k++)
			if (g->edges[b->first_edge + k].to <= i)
				rows[g->edges[b->first_edge + k].to].end = i + 1;
	}
}

static void nest(const struct flow_graph *g, struct row *rows)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		if (!rows[i].end)
			continue;
		rows[i].depth++;
		rows[rows[i].end].depth--;
	}
}

static void multiply(const struct flow_graph *g, struct row *rows)
{
	int32_t loops = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		loops += rows[i].depth;
		if (rows[i].mass < MASS_LEAST)
			rows[i].mass = MASS_LEAST;
		for (int32_t n = 0; n < loops && n < LOOP_DEPTH; n++)
			rows[i].mass *= LOOP_TIMES;
	}
}

/* LINE fires on edges, not in blocks: a loop's head that shares its line with what is before it fires on the way back only. */
static void sum_up(struct flow_graph *g, const double *share, const struct row *rows)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		if (b->start != FLOW_NONE && b->flags & FLOW_BLOCK_HANDLER)
			g->starts[b->start].frequency += (float)HANDLER_MASS;
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edge_count; e++)
			if (g->edges[e].fires != FLOW_NEVER)
				g->starts[g->blocks[g->edges[e].to].start].frequency +=
					(float)(rows[i].mass * share[e]);
	}
}

int flow_frequencies(struct flow_graph *g)
{
	double *share = malloc(((size_t)g->edge_count + 1) * sizeof *share);
	struct row *rows = calloc((size_t)g->block_count + 1, sizeof *rows);
	int err = share && rows ? 0 : PL_ERR_MEMORY;

	for (uint32_t i = 0; i < g->start_count; i++)
		g->starts[i].frequency = 0;
	if (err == 0) {
		share_out(g, share);
		spread(g, share, rows);
		find_loops(g, rows);
		nest(g, rows);
		multiply(g, rows);
		sum_up(g, share, rows);
	}
	free(share);
	free(rows);
	return err;
}
