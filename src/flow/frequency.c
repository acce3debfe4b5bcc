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

/* How often a block runs, loops left out: the mass flows forward along the edges. */
static void spread(const struct flow_graph *g, const double *share, double *mass)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		mass[i] += own_mass(b);
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edge_count; e++)
			if (g->edges[e].to > i)
				mass[g->edges[e].to] += mass[i] * share[e];
	}
}

/* A loop is from where a jump back leads to the jump; those with one head are one loop. */
static void find_loops(const struct flow_graph *g, uint32_t *ends)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		for (uint32_t k = 0; k < b->edge_count; k++)
			if (g->edges[b->first_edge + k].to <= i)
				ends[g->edges[b->first_edge + k].to] = i + 1;
	}
}

/* depth[i]: by how much the number of loops around block i differs from that around the block before. */
static void nest(const struct flow_graph *g, const uint32_t *ends, int32_t *depth)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		if (!ends[i])
			continue;
		depth[i]++;
		depth[ends[i]]--;
	}
}

static void multiply(const struct flow_graph *g, const int32_t *depth, double *mass)
{
	int32_t loops = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		loops += depth[i];
		if (mass[i] < MASS_LEAST)
			mass[i] = MASS_LEAST;
		for (int32_t n = 0; n < loops && n < LOOP_DEPTH; n++)
			mass[i] *= LOOP_TIMES;
	}
}

/* LINE fires on edges, not in blocks: a loop's head that shares its line with what is before it fires on the way back only. */
static void sum_up(struct flow_graph *g, const double *share, const double *mass)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		if (b->start != FLOW_NONE && b->flags & FLOW_BLOCK_HANDLER)
			g->starts[b->start].frequency += (float)HANDLER_MASS;
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edge_count; e++)
			if (g->edges[e].fires != FLOW_NEVER)
				g->starts[g->blocks[g->edges[e].to].start].frequency +=
					(float)(mass[i] * share[e]);
	}
}

int flow_frequencies(struct flow_graph *g)
{
	size_t rows = (size_t)g->block_count + 1;
	double *share = calloc((size_t)g->edge_count + 1, sizeof *share);
	double *mass = calloc(rows, sizeof *mass);
	uint32_t *ends = calloc(rows, sizeof *ends);
	int32_t *depth = calloc(rows, sizeof *depth);
	int err = share && mass && ends && depth ? 0 : PL_ERR_MEMORY;

	for (uint32_t i = 0; i < g->start_count; i++)
		g->starts[i].frequency = 0;
	if (err == 0) {
		share_out(g, share);
		spread(g, share, mass);
		find_loops(g, ends);
		nest(g, ends, depth);
		multiply(g, depth, mass);
		sum_up(g, share, mass);
	}
	free(share);
	free(mass);
	free(ends);
	free(depth);
	return err;
}
