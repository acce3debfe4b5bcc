#include "flow/begin.h"

#include <math.h>
#include <string.h>
#include "base/spare.h"
#include "flow/witness.h"

/* Prices of events. A cheap LINE costs 1. */
#define CALL_PRICE  0.8
#define BEGIN_PRICE 0.1 /* added to a witness that also writes the call */
/* of a call that is written with its raise, since nothing was written before */
#define RAISE_PRICE 1.2
#define RAISING_ARM 0.05 /* how often such an arm is taken */
/* In larger code an event for the call weighs little, and looking for begins stops the program. */
#define BLOCKS_MAX 400

/* Blocks that a frame reaches by other ways than from its entry. */
#define COMES_OTHERWISE (FLOW_BLOCK_HANDLER | FLOW_BLOCK_RESUME)

struct place {
	double cost; /* of recording the call from this block on: here, or later */
	bool here;
	bool unsure; /* on some way to it LINE does not fire */
};

/* A cut of the graph between its entry and its exits. */
struct cut {
	struct flow_graph *g;
	struct place *at; /* by block; owned */
};

static uint32_t entry_block(const struct flow_graph *g)
{
	uint32_t i = 0;

	while (i < g->block_count && !(g->blocks[i].flags & FLOW_BLOCK_ENTRY))
		i++;
	return i;
}

/* If a LINE has the line of the entry, whether it fires depends on the RESUME that would be the
 * call's own event. */
static void find_unsure(struct cut *c, uint32_t entry)
{
	const struct flow_graph *g = c->g;
	int32_t line = flow_line_at(g, g->blocks[entry].unit);

	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		for (uint32_t k = 0; k < b->edge_count; k++) {
			const struct flow_edge *e = &g->edges[b->first_edge + k];
			uint32_t start = g->blocks[e->to].start;
			bool stays =
				i == entry && start != FLOW_NONE && g->starts[start].line == line;
			c->at[e->to].unsure |= e->fires != FLOW_ALWAYS || stays;
		}
	}
}

/* The cost of recording the call with the block's own LINE. */
static double cost_here(const struct cut *c, uint32_t block)
{
	const struct flow_block *b = &c->g->blocks[block];

	if (b->start == FLOW_NONE || b->flags & COMES_OTHERWISE || c->at[block].unsure)
		return INFINITY;
	const struct flow_start *s = &c->g->starts[b->start];
	double line = s->witness ? 0 : flow_line_price(s);
	return (line + BEGIN_PRICE) * s->frequency;
}

/* The cost of recording it with later blocks. A block that raises records the call with its
 * RAISE. */
static double cost_after(const struct cut *c, uint32_t block)
{
	const uint32_t leaves = FLOW_BLOCK_RETURNS | FLOW_BLOCK_YIELDS | FLOW_BLOCK_SWALLOWS;
	const struct flow_block *b = &c->g->blocks[block];
	double sum = 0;

	if (b->eventful || b->flags & (leaves | COMES_OTHERWISE))
		return INFINITY;
	if (b->flags & FLOW_BLOCK_RAISES)
		return RAISE_PRICE *
		       (b->start == FLOW_NONE ? RAISING_ARM : c->g->starts[b->start].frequency);
	for (uint32_t k = 0; k < b->edge_count; k++) {
		uint32_t to = c->g->edges[b->first_edge + k].to;
		sum += to > block ? c->at[to].cost : INFINITY;
	}
	return sum;
}

static void find_cheapest(struct cut *c, uint32_t entry)
{
	for (uint32_t i = c->g->block_count; i-- > entry;) {
		double here = i == entry ? INFINITY : cost_here(c, i), after = cost_after(c, i);
		c->at[i].here = here <= after;
		c->at[i].cost = c->at[i].here ? here : after;
	}
}

/* A pending block leads only to blocks with greater numbers. */
static void mark_reached(struct cut *c, uint32_t entry)
{
	struct flow_graph *g = c->g;

	g->blocks[entry].pending = true;
	for (uint32_t i = entry; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		for (uint32_t k = 0; b->pending && k < b->edge_count; k++) {
			uint32_t to = g->edges[b->first_edge + k].to;
			if (c->at[to].here)
				g->starts[g->blocks[to].start].begins = true;
			else
				g->blocks[to].pending = true;
		}
	}
}

static void unmark_begins(struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++)
		g->blocks[i].pending = false;
	for (uint32_t i = 0; i < g->start_count; i++)
		g->starts[i].begins = false;
}

static bool block_begins(const struct flow_graph *g, uint32_t block)
{
	return g->blocks[block].start != FLOW_NONE && g->starts[g->blocks[block].start].begins;
}

/* The second half of the invariant. */
static bool leads_back(const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		for (uint32_t k = 0; !b->pending && k < b->edge_count; k++) {
			uint32_t to = g->edges[b->first_edge + k].to;
			if (g->blocks[to].pending || block_begins(g, to))
				return true;
		}
	}
	return false;
}

static bool witness_pending(const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		if (b->pending && b->start != FLOW_NONE && g->starts[b->start].witness)
			return true;
	}
	return false;
}

/* A witness in a pending block would have to record the call itself. */
static bool place_around(struct flow_graph *g, const bool *kept)
{
	for (uint32_t i = 0; i < g->start_count; i++)
		g->starts[i].witness = kept[i] || g->starts[i].begins;
	return flow_place_again(g) == 0 && !witness_pending(g);
}

static bool place_begins(struct cut *c, const bool *kept)
{
	struct flow_graph *g = c->g;
	uint32_t entry = entry_block(g);

	if (entry == g->block_count)
		return false;
	find_unsure(c, entry);
	find_cheapest(c, entry);
	if (!(c->at[entry].cost < CALL_PRICE))
		return false;
	mark_reached(c, entry);
	if (!leads_back(g) && place_around(g, kept))
		return true;
	unmark_begins(g);
	return false;
}

static struct pl_spare spare;

bool flow_place_begins(struct flow_graph *g, const bool *kept)
{
	struct cut c = {.g = g};

	if (!g->analysed || !g->start_count || g->block_count > BLOCKS_MAX)
		return false;
	if (flow_never_parts(g) && flow_frequencies(g) < 0)
		return false;
	c.at = spare_take(&spare, g->block_count * sizeof *c.at + g->start_count);
	if (!c.at)
		return false;
	memset(c.at, 0, g->block_count * sizeof *c.at);
	bool *before = (bool *)(c.at + g->block_count);
	for (uint32_t i = 0; i < g->start_count; i++)
		before[i] = g->starts[i].witness;
	bool placed = place_begins(&c, kept);
	for (uint32_t i = 0; !placed && i < g->start_count; i++)
		g->starts[i].witness = before[i];
	spare_give(&spare, c.at);
	return placed;
}
