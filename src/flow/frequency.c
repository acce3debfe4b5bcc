#include "flow/witness.h"

#include <string.h>
#include "base/spare.h"
#include "pathline/error.h"

#define RESUME_MASS   0.3  /* how often a frame resumes after a yield, for each call */
#define HANDLER_MASS  0.02 /* how often an exception comes to a handler */
#define RAISING_ARM   0.05 /* weight of a branch that ends in a raise; other branches have 1 */
#define LOOP_BODY     0.9  /* how often FOR_ITER gives an item */
#define LOOP_TIMES    10.0
#define LOOP_DEPTH    8 /* deeper loops count as this deep */
#define MASS_LEAST    1e-4
#define RAISE_IS_NEAR 6 /* blocks in a row */

/* Does the way from this block lead only to a raise? */
static bool leads_to_raise(const struct flow_graph *g, uint32_t block)
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

/* The weight of the block's k-th edge, before the weights are made to add up to 1. */
static double edge_weight(const struct flow_graph *g, const struct flow_block *b, uint32_t k)
{
	if (b->flags & FLOW_BLOCK_ITERATES)
		return k == 0 ? LOOP_BODY : 1 - LOOP_BODY;
	return leads_to_raise(g, g->edges[b->first_edge + k].to) ? RAISING_ARM : 1;
}

/* For each edge of the block: how often it is taken when the block is left. */
static inline void share_out(const struct flow_graph *g, const struct flow_block *b, double *share)
{
	double sum = 0;

	if (b->edge_count == 1) {
		share[0] = 1;
		return;
	}
	for (uint32_t k = 0; k < b->edge_count; k++)
		sum += share[k] = edge_weight(g, b, k);
	for (uint32_t k = 0; k < b->edge_count; k++)
		share[k] /= sum > 0 ? sum : 1;
}

static inline double own_mass(const struct flow_block *b)
{
	if (!(b->flags & (FLOW_BLOCK_ENTRY | FLOW_BLOCK_RESUME | FLOW_BLOCK_HANDLER)))
		return 0;
	return (b->flags & FLOW_BLOCK_ENTRY ? 1.0 : 0) +
	       (b->flags & FLOW_BLOCK_RESUME ? RESUME_MASS : 0) +
	       (b->flags & FLOW_BLOCK_HANDLER ? HANDLER_MASS : 0);
}

struct row {
	double mass;   /* how often the block runs */
	uint32_t end;  /* of a loop's head: the block after the loop's last one, else 0 */
	int32_t depth; /* loops around this block, less those around the block before */
};

/* Without loops, mass flows forward along the edges. A loop extends from the target of a jump back
 * to the jump; jumps to one head are one loop. */
static void spread_mass(const struct flow_graph *g, double *share, struct row *rows)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		double mass = rows[i].mass += own_mass(b);
		share_out(g, b, &share[b->first_edge]);
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edge_count; e++) {
			struct row *to = &rows[g->edges[e].to];
			if (to > &rows[i])
				to->mass += mass * share[e];
			else
				to->end = i + 1;
		}
	}
}

static inline double loop_mass(double mass, int32_t loops)
{
	if (mass < MASS_LEAST)
		mass = MASS_LEAST;
	for (int32_t n = 0; n < loops && n < LOOP_DEPTH; n++)
		mass *= LOOP_TIMES;
	return mass;
}

/* LINE fires on edges, not in blocks: the head of a loop that has the same line as the code before
 * it fires only on the way back. A loop ends after its head, so the depth of a row is known when
 * the row is reached. */
static void sum_up(struct flow_graph *g, const double *share, struct row *rows)
{
	int32_t loops = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		if (rows[i].end) {
			rows[i].depth++;
			rows[rows[i].end].depth--;
		}
		loops += rows[i].depth;
		double mass = loop_mass(rows[i].mass, loops);
		if (b->flags & FLOW_BLOCK_HANDLER && b->start != FLOW_NONE)
			g->starts[b->start].frequency += (float)HANDLER_MASS;
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edge_count; e++)
			if (g->edges[e].fires != FLOW_NEVER)
				g->starts[g->blocks[g->edges[e].to].start].frequency +=
					(float)(mass * share[e]);
	}
}

static struct pl_spare spare;

int flow_frequencies(struct flow_graph *g)
{
	const size_t row_count = (size_t)g->block_count + 1;
	const size_t room = row_count * sizeof(struct row) + g->edge_count * sizeof(double);
	struct row *rows = spare_take(&spare, room);

	for (uint32_t i = 0; i < g->start_count; i++)
		g->starts[i].frequency = 0;
	if (!rows)
		return PL_ERR_MEMORY;
	memset(rows, 0, room);
	double *share = (double *)(rows + row_count);
	spread_mass(g, share, rows);
	sum_up(g, share, rows);
	spare_give(&spare, rows);
	return 0;
}
