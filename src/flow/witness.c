#include "flow/witness.h"

#include <stdlib.h>
#include "flow/search.h"
#include "pathline/error.h"

/* A search walks the edges once; so many searches' worth, and then no more time is spent on it. */
#define SEARCHES_MAX 4000
#define STEPS_FREE   1000000

#define DEAR_PRICE 1.3
#define NUMBER_PRICE                                                                               \
	1.5 /* where the interpreter makes an object for the line's number at each LINE */
#define NUMBERS_KEPT	  256 /* it has those up to here ready */
#define INSTRUCTION_PRICE 0.7

struct placement {
	struct flow_graph *g;
	struct flow_search search;
	uint32_t *todo; /* owned; blocks from which it must be unique */
	uint32_t todo_count;
	uint32_t
		best; /* block; of those that would cure the conflict at hand the one that costs least */
};

void flow_all_witnesses(struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->start_count; i++)
		g->starts[i].witness = true;
}

double flow_line_price(const struct flow_start *s)
{
	double event = s->line > NUMBERS_KEPT ? NUMBER_PRICE : 1;

	if (s->sure)
		event = INSTRUCTION_PRICE;
	return event * (s->dear && !(s->sure && s->behind) ? DEAR_PRICE : 1);
}

/* By other ways than edges a frame comes to what has these. */
#define COMES_OTHERWISE (FLOW_BLOCK_ENTRY | FLOW_BLOCK_RESUME | FLOW_BLOCK_HANDLER)

void flow_find_sure(struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++)
		if (g->blocks[i].start != FLOW_NONE)
			g->starts[g->blocks[i].start].sure =
				!(g->blocks[i].flags & COMES_OTHERWISE);
	for (uint32_t i = 0; i < g->edge_count; i++) {
		uint32_t start = g->blocks[g->edges[i].to].start;
		if (start != FLOW_NONE && g->edges[i].fires != FLOW_ALWAYS)
			g->starts[start].sure = false;
	}
}

static double cost_of(const struct placement *p, uint32_t block)
{
	const struct flow_start *s = &p->g->starts[p->g->blocks[block].start];

	return s->frequency * flow_line_price(s);
}

static void choose(void *context, uint32_t block)
{
	struct placement *p = context;
	double cost = cost_of(p, block);

	if (p->best == FLOW_NONE || cost < cost_of(p, p->best) ||
		(cost == cost_of(p, p->best) && block < p->best))
		p->best = block;
}

static void list(struct placement *p, uint32_t block)
{
	p->todo[p->todo_count++] = block;
}

static void place_at_handlers(struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++)
		if (g->blocks[i].start != FLOW_NONE && g->blocks[i].flags & FLOW_BLOCK_HANDLER)
			g->starts[g->blocks[i].start].witness = true;
}

/* Has each block one way on at most, and that ahead? Then from nowhere are there two sequences. */
static bool never_parts(const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		bool doubts = b->edge_count && g->edges[b->first_edge].fires == FLOW_MAYBE;
		if (b->edge_count > 1 || doubts)
			return false;
	}
	return !flow_goes_back(g);
}

/* Where unrecorded stretches begin; each block once. */
static void list_beginnings(struct placement *p)
{
	const uint32_t begins = FLOW_BLOCK_ENTRY | FLOW_BLOCK_RESUME | FLOW_BLOCK_HANDLER;

	for (uint32_t i = 0; i < p->g->block_count; i++) {
		struct flow_block *b = &p->g->blocks[i];
		if (b->flags & begins || (b->start != FLOW_NONE && p->g->starts[b->start].witness))
			list(p, i);
	}
}

static bool takes_too_long(const struct placement *p)
{
	return p->search.steps > STEPS_FREE + (uint64_t)SEARCHES_MAX * p->g->edge_count;
}

static int cure(struct placement *p)
{
	int err;

	while (p->todo_count) {
		uint32_t from = p->todo[--p->todo_count];
		while ((err = flow_search_run(&p->search, from)) == FLOW_CONFLICT) {
			p->best = FLOW_NONE;
			flow_search_apart(&p->search, choose, p);
			if (p->best == FLOW_NONE || takes_too_long(p))
				return FLOW_CONFLICT;
			p->g->starts[p->g->blocks[p->best].start].witness = true;
			list(p, p->best);
		}
		if (err)
			return err;
	}
	return 0;
}

int flow_place_again(struct flow_graph *g)
{
	struct placement p = {.g = g};
	int err = FLOW_CONFLICT;

	if (!g->analysed)
		goto done;
	place_at_handlers(g);
	if (never_parts(g))
		return 0;
	err = flow_search_init(&p.search, g);
	if (err)
		goto done;
	/* A block is listed as a beginning or when it becomes a witness, or both. */
	p.todo = calloc(2 * (size_t)g->block_count + 1, sizeof *p.todo);
	err = p.todo ? 0 : PL_ERR_MEMORY;
	if (err)
		goto done;
	list_beginnings(&p);
	err = cure(&p);
done:
	if (err)
		flow_all_witnesses(g);
	flow_search_release(&p.search);
	free(p.todo);
	return err < 0 ? err : 0;
}

int flow_place_witnesses(struct flow_graph *g)
{
	int err = g->analysed ? flow_frequencies(g) : 0;

	if (err < 0) {
		flow_all_witnesses(g);
		return err;
	}
	return flow_place_again(g);
}
