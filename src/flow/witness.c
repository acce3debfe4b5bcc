#include "flow/witness.h"

#include <string.h>
#include "base/spare.h"
#include "flow/search.h"
#include "pathline/error.h"

/* After this many edges in all searches no more time is spent, because the program waits: the
 * searches of a long row of branches grow with its square. Of the standard library, two codes need
 * more, both of modules. Then the graph is divided by more witnesses, one after FENCE_APART blocks
 * where a start is that no short jump goes around, and a search mostly ends at the next of them. */
#define WALKED_MAX   6000
#define WALKED_EACH  8 /* and for each edge of a graph that is divided */
#define FENCE_APART  12
#define FENCE_AROUND 64 /* blocks; longer jumps may go around */
#define WAY_MAX	     16 /* blocks in a row; a loop has no end */

#define DEAR_PRICE 1.3
/* where the interpreter makes an int for the line number at each LINE */
#define NUMBER_PRICE	  1.5
#define NUMBERS_KEPT	  256 /* line numbers up to here have an int already */
#define INSTRUCTION_PRICE 0.7

struct placement {
	struct flow_graph *g;
	struct flow_search search;
	uint32_t *todo; /* owned; blocks from which paths must still be made unique */
	uint32_t todo_count;
	uint64_t walked_max;
	/* by block: paths from it are unique, whatever else becomes a witness; in the memory after
	 * `todo` */
	bool *unique;
	/* block: of those that would resolve the current conflict, the one that costs least */
	uint32_t best;
	double best_cost;
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
	return event * (s->dear && !(s->sure && s->cheaper_after) ? DEAR_PRICE : 1);
}

/* A frame reaches such blocks by other ways than edges. */
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

static inline double block_cost(const struct placement *p, uint32_t block)
{
	const struct flow_start *s = &p->g->starts[p->g->blocks[block].start];

	return s->frequency * flow_line_price(s);
}

static void choose_block(void *context, uint32_t block)
{
	struct placement *p = context;
	double cost = block_cost(p, block);

	if (p->best == FLOW_NONE || cost < p->best_cost ||
		(cost == p->best_cost && block < p->best)) {
		p->best = block;
		p->best_cost = cost;
	}
}

static void list_witnesses(struct placement *p, uint32_t block)
{
	p->todo[p->todo_count++] = block;
}

static void place_at_handlers(struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++)
		if (g->blocks[i].start != FLOW_NONE && g->blocks[i].flags & FLOW_BLOCK_HANDLER)
			g->starts[g->blocks[i].start].witness = true;
}

bool flow_never_parts(const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		bool doubts = b->edge_count && g->edges[b->first_edge].fires == FLOW_MAYBE;
		if (b->edge_count > 1 || doubts)
			return false;
	}
	return !flow_goes_back(g);
}

/* The blocks at which unrecorded lines can begin; each once. */
static void list_beginnings(struct placement *p)
{
	const uint32_t begins = FLOW_BLOCK_ENTRY | FLOW_BLOCK_RESUME | FLOW_BLOCK_HANDLER;

	for (uint32_t i = 0; i < p->g->block_count; i++) {
		struct flow_block *b = &p->g->blocks[i];
		if (b->flags & begins || (b->start != FLOW_NONE && p->g->starts[b->start].witness))
			list_witnesses(p, i);
	}
}

static bool takes_too_long(const struct placement *p)
{
	return p->search.walked > p->walked_max;
}

/* The rest of a unique sequence is unique, so no search needs to begin at a block that this one
 * entered. */
static void note_unique(struct placement *p)
{
	for (uint32_t i = 0; i < p->search.entered_count; i++)
		p->unique[p->search.entered[i]] = true;
}

/* Do all ways from the block come to a witness at once? */
static bool ends_here(const struct flow_graph *g, const struct flow_block *b)
{
	for (uint32_t i = 0; i < b->edge_count; i++) {
		const struct flow_edge *e = &g->edges[b->first_edge + i];
		if (e->fires != FLOW_ALWAYS || !g->starts[g->blocks[e->to].start].witness)
			return false;
	}
	return true;
}

/* Does only one way lead from the block, with or without a LINE, to an end or to a block from which
 * paths are unique? Then they are unique from here, because they all have the same beginning. This
 * needs no search. */
static bool goes_one_way(const struct placement *p, uint32_t block)
{
	const struct flow_graph *g = p->g;

	for (int i = 0; i < WAY_MAX && !p->unique[block]; i++) {
		const struct flow_block *b = &g->blocks[block];
		if (ends_here(g, b))
			return true;
		const struct flow_edge *e = &g->edges[b->first_edge];
		if (b->edge_count > 1 || e->fires == FLOW_MAYBE || b->flags & FLOW_BLOCK_SILENT)
			return false;
		block = e->to;
	}
	return p->unique[block];
}

static int cure_from(struct placement *p, uint32_t from)
{
	int err = flow_search_run(&p->search, from);

	while (err == FLOW_CONFLICT) {
		p->best = FLOW_NONE;
		flow_search_apart(&p->search, choose_block, p);
		if (p->best == FLOW_NONE || takes_too_long(p))
			return FLOW_CONFLICT;
		p->g->starts[p->g->blocks[p->best].start].witness = true;
		list_witnesses(p, p->best);
		err = flow_search_again(&p->search, p->best);
	}
	note_unique(p);
	return 0;
}

static int cure_contradictions(struct placement *p)
{
	int err = 0;

	while (p->todo_count && err == 0) {
		uint32_t from = p->todo[--p->todo_count];
		if (!goes_one_way(p, from))
			err = takes_too_long(p) ? FLOW_CONFLICT : cure_from(p, from);
	}
	return err;
}

static void place_fences(struct flow_graph *g)
{
	uint32_t around = 0, last = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		if (around <= i && i - last >= FENCE_APART && b->start != FLOW_NONE) {
			g->starts[b->start].witness = true;
			last = i;
		}
		for (uint32_t k = 0; k < b->edge_count; k++) {
			const uint32_t to = g->edges[b->first_edge + k].to;
			if (to > around && to - i <= FENCE_AROUND)
				around = to;
		}
	}
}

static int cure_all(struct placement *p)
{
	memset(p->unique, 0, p->g->block_count);
	p->todo_count = 0;
	p->search.walked = 0;
	list_beginnings(p);
	return cure_contradictions(p);
}

static struct pl_spare spare;

int flow_place_again(struct flow_graph *g)
{
	struct placement p = {.g = g};
	int err = FLOW_CONFLICT;

	if (!g->analysed)
		goto done;
	place_at_handlers(g);
	if (flow_never_parts(g))
		return 0;
	err = flow_search_init(&p.search, g);
	if (err)
		goto done;
	/* a block is listed as a beginning, or when it becomes a witness, or both */
	const size_t todo_max = 2 * (size_t)g->block_count;
	p.todo = spare_take(&spare, todo_max * sizeof *p.todo + g->block_count);
	err = p.todo ? 0 : PL_ERR_MEMORY;
	if (err)
		goto done;
	p.unique = (bool *)(p.todo + todo_max);
	p.walked_max = WALKED_MAX;
	err = cure_all(&p);
	if (err == FLOW_CONFLICT) {
		place_fences(g);
		p.walked_max += (uint64_t)WALKED_EACH * g->edge_count;
		err = cure_all(&p);
	}
done:
	if (err)
		flow_all_witnesses(g);
	flow_search_release(&p.search);
	spare_give(&spare, p.todo);
	return err < 0 ? err : 0;
}

int flow_place_witnesses(struct flow_graph *g)
{
	if (g->analysed && flow_never_parts(g)) {
		place_at_handlers(g);
		return 0;
	}
	int err = g->analysed ? flow_frequencies(g) : 0;

	if (err < 0) {
		flow_all_witnesses(g);
		return err;
	}
	return flow_place_again(g);
}
