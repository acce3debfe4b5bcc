#include "flow/path.h"

#include <stdlib.h>
#include <string.h>

void flow_walk_release(struct flow_walk *w)
{
	free(w->stack);
	free(w->seen);
	*w = (struct flow_walk){0};
}

/* Ready for a walk over `blocks` blocks: nothing is seen. False when memory ran out. */
static bool walk_begin(struct flow_walk *w, uint32_t blocks)
{
	if (w->room < blocks) {
		uint32_t *stack = calloc(blocks, sizeof *stack);
		uint32_t *seen = calloc(blocks, sizeof *seen);
		if (!stack || !seen) {
			free(stack);
			free(seen);
			return false;
		}
		flow_walk_release(w);
		*w = (struct flow_walk){.stack = stack, .seen = seen, .room = blocks};
	}
	if (w->mark == UINT32_MAX) {
		memset(w->seen, 0, w->room * sizeof *w->seen);
		w->mark = 0;
	}
	w->mark++;
	return true;
}

/* Can the edge be taken without a recorded event? A LINE is recorded at a witness only. */
static bool unrecorded(const struct flow_graph *g, const struct flow_edge *e)
{
	uint32_t start = g->blocks[e->to].start;

	return e->fires != FLOW_ALWAYS || start == FLOW_NONE || !g->starts[start].witness;
}

static bool ends(const struct flow_block *b)
{
	return b->flags & (FLOW_BLOCK_RETURNS | FLOW_BLOCK_YIELDS | FLOW_BLOCK_RAISES);
}

/* Walks from `from` along unrecorded edges, until one is found that leads to `to` and, with
 * `fires`, can fire there. Each block is put on the stack once, so `room` is enough. */
static bool search(
	const struct flow_graph *g, struct flow_walk *w, uint32_t from, uint32_t to, bool fires)
{
	uint32_t depth = 0;

	w->seen[from] = w->mark;
	w->stack[depth++] = from;
	while (depth) {
		const struct flow_block *b = &g->blocks[w->stack[--depth]];
		uint32_t count = ends(b) ? 0 : b->edge_count;
		for (uint32_t i = 0; i < count; i++) {
			const struct flow_edge *e = &g->edges[b->first_edge + i];
			bool walked = unrecorded(g, e);
			if (e->to == to && (fires ? e->fires != FLOW_NEVER : walked))
				return true;
			if (walked && w->seen[e->to] != w->mark) {
				w->seen[e->to] = w->mark;
				w->stack[depth++] = e->to;
			}
		}
	}
	return false;
}

/* Nothing can be said of a code that was not analysed, or of a block that it does not have. */
static bool unknown(const struct flow_graph *g, uint32_t block)
{
	return !g->analysed || block >= g->block_count;
}

bool flow_path_reaches(const struct flow_graph *g, struct flow_walk *w, uint32_t from, uint32_t to)
{
	if (from == to || unknown(g, from) || unknown(g, to))
		return true;
	if (!walk_begin(w, g->block_count))
		return true;
	return search(g, w, from, to, false);
}

bool flow_path_fires(const struct flow_graph *g, struct flow_walk *w, uint32_t from, uint32_t start,
	bool at_entry)
{
	if (start >= g->start_count)
		return false;
	uint32_t to = flow_block_at(g, g->starts[start].unit);
	if (unknown(g, from) || unknown(g, to) || (at_entry && from == to))
		return true;
	if (!walk_begin(w, g->block_count))
		return true;
	return search(g, w, from, to, true);
}
