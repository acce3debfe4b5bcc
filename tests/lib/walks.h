/* Made-up runs of a flow graph, and what a reader makes of what would be recorded of them.
 *
 * A run takes edges by chance, with calls, yields, resumes and exceptions where the graph has them.
 * Of its LINEs only those at witnesses are handed on; from these and the places of the other events
 * the lines between are filled in by flow/reach.h. The two lists of lines must be equal.
 */
#ifndef PL_TESTS_WALKS_H
#define PL_TESTS_WALKS_H

#include <stdlib.h>
#include <string.h>
#include "flow/reach.h"
#include "lib/random.h"

#define WALK_STEPS 400

struct walk_lines {
	int32_t at[2 * WALK_STEPS + 8];
	uint32_t count;
};

struct made_walk {
	const struct flow_graph *g;
	struct flow_search *search;
	struct random *random;
	struct walk_lines ran, told;
	struct flow_reach reach;
	uint32_t from;	/* what `reach` is of; FLOW_NONE: of nothing */
	uint32_t depth; /* lines of the stretch that were told */
	uint32_t recorded;
	const char *wrong;
};

static inline void walk_add(struct walk_lines *l, int32_t line)
{
	if (l->count < sizeof l->at / sizeof *l->at)
		l->at[l->count++] = line;
}

/* An implied pass of a loop, among lines. */
static inline int32_t walk_pass(uint32_t block)
{
	return -1 - (int32_t)block;
}

/* A stretch begins at a block. */
static inline void walk_begins(struct made_walk *w, uint32_t block)
{
	flow_reach_release(&w->reach);
	if (flow_reach_init(&w->reach, w->search, block))
		w->wrong = "two paths cannot be told apart";
	w->from = block;
	w->depth = 0;
}

/* The lines up to a node are filled in. */
static inline void walk_tell(struct made_walk *w, uint32_t node)
{
	const struct flow_node *nodes = w->reach.nodes;

	if (w->wrong)
		return;
	if (node == FLOW_NONE || nodes[node].depth < w->depth) {
		w->wrong = node == FLOW_NONE ? "a place that is not reached"
					     : "fewer lines than before";
		return;
	}
	while (w->depth < nodes[node].depth) {
		uint32_t up = node;
		while (nodes[up].depth > w->depth + 1)
			up = nodes[up].parent;
		const uint32_t start = nodes[up].start;
		walk_add(&w->told, flow_is_pass(start) ? walk_pass(flow_pass_block(start))
						       : w->g->starts[start].line);
		w->depth++;
	}
}

static inline bool walk_coin(struct made_walk *w, uint32_t percent)
{
	return random_below(w->random, 100) < percent;
}

/* A block by chance that has the flag; FLOW_NONE: there is none. */
static inline uint32_t walk_any(struct made_walk *w, uint32_t flag)
{
	uint32_t count = 0, chosen = FLOW_NONE;

	for (uint32_t i = 0; i < w->g->block_count; i++)
		if (w->g->blocks[i].flags & flag && !random_below(w->random, ++count))
			chosen = i;
	return chosen;
}

static inline void walk_line(struct made_walk *w, uint32_t block)
{
	const struct flow_start *s = &w->g->starts[w->g->blocks[block].start];

	walk_add(&w->ran, s->line);
	if (!s->witness)
		return;
	w->recorded++;
	walk_tell(w, flow_reach_fires(&w->reach, block));
	walk_add(&w->told, s->line);
	walk_begins(w, block);
}

/* An event of another kind tells where the frame stands. */
static inline void walk_place(struct made_walk *w, uint32_t block)
{
	walk_tell(w, flow_reach_enters(&w->reach, block));
}

/* Gives the block where the run goes on, FLOW_NONE: it does not. */
static inline uint32_t walk_raise(struct made_walk *w, uint32_t block)
{
	uint32_t to = walk_any(w, FLOW_BLOCK_HANDLER);

	walk_place(w, block);
	if (to == FLOW_NONE)
		return to;
	walk_begins(w, to);
	if (w->g->blocks[to].start != FLOW_NONE && walk_coin(w, 50)) {
		/* What fires at a handler does so before all else. */
		walk_add(&w->ran, w->g->starts[w->g->blocks[to].start].line);
		walk_add(&w->told, w->g->starts[w->g->blocks[to].start].line);
		if (!w->g->starts[w->g->blocks[to].start].witness)
			w->wrong = "a handler without a witness";
	}
	return to;
}

/* The frame is left, by an event that tells where, or by none. */
static inline void walk_leaves(struct made_walk *w, uint32_t block)
{
	bool silent = w->g->blocks[block].flags & FLOW_BLOCK_SILENT && walk_coin(w, 70);

	walk_tell(w, silent ? w->reach.leaves : flow_reach_enters(&w->reach, block));
}

static inline uint32_t walk_step(struct made_walk *w, uint32_t block)
{
	const struct flow_block *b = &w->g->blocks[block];

	if (walk_coin(w, 20))
		walk_place(w, block);
	if (b->flags & FLOW_BLOCK_YIELDS) {
		uint32_t to = walk_any(w, FLOW_BLOCK_RESUME);
		walk_leaves(w, block);
		if (to != FLOW_NONE)
			walk_begins(w, to);
		return to;
	}
	if (b->flags & FLOW_BLOCK_RETURNS) {
		walk_leaves(w, block);
		return FLOW_NONE;
	}
	if (b->flags & FLOW_BLOCK_RAISES || !b->edge_count || walk_coin(w, 4))
		return walk_raise(w, block);
	const struct flow_edge *e =
		&w->g->edges[b->first_edge + random_below(w->random, b->edge_count)];
	if (b->flags & FLOW_BLOCK_PASSES)
		walk_add(&w->ran, walk_pass(block));
	if (e->fires == FLOW_ALWAYS || (e->fires == FLOW_MAYBE && walk_coin(w, 50)))
		walk_line(w, e->to);
	return e->to;
}

/* One run. NULL: what was told is what ran; else what is wrong. */
static inline const char *walk_run(struct made_walk *w)
{
	uint32_t block = walk_any(w, FLOW_BLOCK_ENTRY);

	w->ran.count = w->told.count = 0;
	w->wrong = NULL;
	if (block == FLOW_NONE)
		return NULL;
	walk_begins(w, block);
	for (int i = 0; i < WALK_STEPS && block != FLOW_NONE && !w->wrong; i++) {
		block = walk_step(w, block);
	}
	if (block != FLOW_NONE && !w->wrong)
		walk_place(w, block);
	flow_reach_release(&w->reach);
	if (w->wrong)
		return w->wrong;
	if (w->ran.count != w->told.count ||
		memcmp(w->ran.at, w->told.at, w->ran.count * sizeof *w->ran.at) != 0)
		return "other lines were told than ran";
	return NULL;
}

#endif
