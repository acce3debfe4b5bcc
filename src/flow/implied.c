#include "flow/implied.h"

#include "flow/search.h"

/* Edges that all searches of a code walk; after that the other passes have events. */
#define STEPS_MAX 20000

#define PASS_FLAGS (FLOW_BLOCK_PASSES | FLOW_BLOCK_PASSES_CACHED | FLOW_BLOCK_PASSES_FIRST)

/* What is recorded at the beginning of a stretch (witness.h)? */
static bool begins_stretch(const struct flow_graph *g, const struct flow_block *b)
{
	const uint32_t begins = FLOW_BLOCK_ENTRY | FLOW_BLOCK_RESUME | FLOW_BLOCK_HANDLER;

	return b->flags & begins || (b->start != FLOW_NONE && g->starts[b->start].witness);
}

static bool is_certain(struct flow_search *s)
{
	for (uint32_t i = 0; i < s->g->block_count; i++)
		if (begins_stretch(s->g, &s->g->blocks[i]) &&
			(s->walked > STEPS_MAX || flow_search_run(s, i) == FLOW_CONFLICT))
			return false;
	return true;
}

struct candidate {
	uint32_t block, flags;
};

/* Remove all flags, and return how many blocks had them. */
static uint32_t take_candidates(struct flow_graph *g, struct candidate *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		const uint32_t flags = g->blocks[i].flags & PASS_FLAGS;
		if (flags && count < FLOW_IMPLIED_MAX)
			out[count++] = (struct candidate){i, flags};
		g->blocks[i].flags &= ~(uint32_t)PASS_FLAGS;
	}
	return count;
}

void flow_imply_passes(struct flow_graph *g)
{
	struct candidate candidates[FLOW_IMPLIED_MAX];
	const uint32_t count = take_candidates(g, candidates);
	struct flow_search search;

	if (!count || flow_search_init(&search, g))
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct flow_block *b = &g->blocks[candidates[i].block];
		b->flags |= candidates[i].flags;
		if (!is_certain(&search))
			b->flags &= ~(uint32_t)PASS_FLAGS;
	}
	flow_search_release(&search);
}
