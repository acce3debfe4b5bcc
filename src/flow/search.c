#include "flow/search.h"

#include <string.h>
#include "base/spare.h"
#include "pathline/error.h"

/* A node's children, and the blocks on whose entry its last line fires. Lists by index; FLOW_NONE
 * ends them. */
struct flow_node_links {
	uint32_t child, sibling, rise;
};

struct flow_rise {
	uint32_t block;
	uint32_t next;
	uint32_t node;
	uint32_t step; /* the step in which it was found */
};

/* A block was left; the counts are those before that. */
struct flow_step {
	uint32_t block;
	uint32_t nodes, rises, entered, fired;
};

/* Each block is entered with one node, and has one rise to it. In addition there are the root, and
 * the node that makes a conflict. */
#define ROOM_BESIDE 2

static struct pl_spare spare;

/* All arrays are in one allocation, which is enough for any search. */
int flow_search_init(struct flow_search *s, const struct flow_graph *g)
{
	size_t room = (size_t)g->block_count + ROOM_BESIDE;
	const size_t row_bytes = sizeof *s->at + sizeof *s->nodes + sizeof *s->links +
				 sizeof *s->rises + sizeof *s->steps + sizeof *s->entered +
				 sizeof *s->fired + sizeof *s->below;

	*s = (struct flow_search){.g = g};
	s->at = spare_take(&spare, room * row_bytes);
	if (!s->at)
		return PL_ERR_MEMORY;
	s->nodes = (struct flow_node *)(s->at + room);
	s->links = (struct flow_node_links *)(s->nodes + room);
	s->rises = (struct flow_rise *)(s->links + room);
	s->steps = (struct flow_step *)(s->rises + room);
	s->entered = (uint32_t *)(s->steps + room);
	s->fired = s->entered + room;
	s->below = s->fired + room;
	memset(s->at, 0xff, g->block_count * sizeof *s->at);
	return 0;
}

void flow_search_release(struct flow_search *s)
{
	spare_give(&spare, s->at);
	*s = (struct flow_search){0};
}

static inline uint32_t add_search_node(struct flow_search *s, uint32_t parent, uint32_t start)
{
	uint32_t node = s->node_count++;

	s->nodes[node] = (struct flow_node){parent, s->nodes[parent].depth + 1, start,
		s->nodes[parent].passes + flow_is_pass(start)};
	s->links[node] = (struct flow_node_links){FLOW_NONE, s->links[parent].child, FLOW_NONE};
	s->links[parent].child = node;
	return node;
}

/* Is it the same line, or the same jump? */
static inline bool same_row(const struct flow_search *s, uint32_t a, uint32_t b)
{
	const struct flow_start *starts = s->g->starts;

	return flow_is_pass(a) || flow_is_pass(b) ? a == b : starts[a].line == starts[b].line;
}

/* The node that follows `parent` by the line of `start`, or by a pass. */
static inline uint32_t child_of(struct flow_search *s, uint32_t parent, uint32_t start)
{
	uint32_t node = s->links[parent].child;

	while (node != FLOW_NONE && !same_row(s, s->nodes[node].start, start))
		node = s->links[node].sibling;
	return node != FLOW_NONE ? node : add_search_node(s, parent, start);
}

static inline void note_rise(struct flow_search *s, uint32_t node, uint32_t block)
{
	uint32_t rise = FLOW_NONE;

	/* only a block that was entered with this node can have a rise to it */
	if (s->at[block].enters == node)
		rise = s->links[node].rise;
	while (rise != FLOW_NONE && s->rises[rise].block != block)
		rise = s->rises[rise].next;
	if (rise != FLOW_NONE)
		return;
	s->rises[s->rise_count] =
		(struct flow_rise){block, s->links[node].rise, node, s->step_count - 1};
	s->links[node].rise = s->rise_count++;
}

/* The place was reached with another node before. */
static int note_difference(struct flow_search *s, uint32_t was, uint32_t node)
{
	s->conflict[0] = was;
	s->conflict[1] = node;
	return FLOW_CONFLICT;
}

static inline int search_enter(struct flow_search *s, uint32_t block, uint32_t node)
{
	struct flow_arrival *at = &s->at[block];

	if (at->enters != FLOW_NONE)
		return at->enters == node ? 0 : note_difference(s, at->enters, node);
	at->enters = node;
	s->entered[s->entered_count++] = block;
	s->below[block] = s->waiting;
	s->waiting = block;
	return 0;
}

/* LINE fires at the start that opens the block. */
static inline int search_line_fires(struct flow_search *s, uint32_t block, uint32_t node)
{
	uint32_t start = s->g->blocks[block].start;
	struct flow_arrival *at = &s->at[block];

	if (!s->g->starts[start].witness) {
		uint32_t child = child_of(s, node, start);
		note_rise(s, child, block);
		return search_enter(s, block, child);
	}
	if (at->fires != FLOW_NONE)
		return at->fires == node ? 0 : note_difference(s, at->fires, node);
	at->fires = node;
	s->fired[s->fired_count++] = block;
	return 0;
}

static inline int search_follow(struct flow_search *s, const struct flow_edge *e, uint32_t node)
{
	int err = 0;

	s->walked++;
	if (e->fires != FLOW_NEVER)
		err = search_line_fires(s, e->to, node);
	if (err == 0 && e->fires != FLOW_ALWAYS)
		err = search_enter(s, e->to, node);
	return err;
}

static inline int leave_silently(struct flow_search *s, uint32_t node)
{
	if (s->leaves != FLOW_NONE && s->leaves != node)
		return note_difference(s, s->leaves, node);
	if (s->leaves == FLOW_NONE)
		s->leaves_step = s->step_count - 1;
	s->leaves = node;
	return 0;
}

static inline int leave_block(struct flow_search *s, uint32_t block)
{
	const struct flow_block *b = &s->g->blocks[block];
	const struct flow_edge *e = &s->g->edges[b->first_edge], *end = e + b->edge_count;
	uint32_t node = s->at[block].enters;
	int err = b->flags & FLOW_BLOCK_SILENT ? leave_silently(s, node) : 0;

	if (b->flags & FLOW_BLOCK_PASSES)
		node = child_of(s, node, block | FLOW_NODE_PASS);
	for (; e < end && err == 0; e++)
		err = search_follow(s, e, node);
	return err;
}

/* Forget what was reached after the first `entered` and `fired` ones. */
static void search_forget(struct flow_search *s, uint32_t entered, uint32_t fired)
{
	while (s->entered_count > entered)
		s->at[s->entered[--s->entered_count]].enters = FLOW_NONE;
	while (s->fired_count > fired)
		s->at[s->fired[--s->fired_count]].fires = FLOW_NONE;
}

/* The block that was entered last is left first. */
static int search_go_on(struct flow_search *s)
{
	int err = 0;

	while (err == 0 && s->waiting != FLOW_NONE) {
		uint32_t block = s->waiting;
		s->waiting = s->below[block];
		s->steps[s->step_count++] = (struct flow_step){
			block, s->node_count, s->rise_count, s->entered_count, s->fired_count};
		err = leave_block(s, block);
	}
	return err;
}

int flow_search_run(struct flow_search *s, uint32_t from)
{
	search_forget(s, 0, 0);
	s->nodes[0] = (struct flow_node){.start = FLOW_NONE};
	s->links[0] = (struct flow_node_links){FLOW_NONE, FLOW_NONE, FLOW_NONE};
	s->node_count = 1;
	s->rise_count = 0;
	s->step_count = 0;
	s->waiting = FLOW_NONE;
	s->leaves = FLOW_NONE;
	(void)search_enter(s, from, 0);
	return search_go_on(s);
}

/* Back to the beginning of the step. Lists grow at their heads, so the last entry is removed
 * first. */
static void undo_search_step(struct flow_search *s, uint32_t step)
{
	struct flow_step to = s->steps[step];

	while (s->rise_count > to.rises) {
		const struct flow_rise *r = &s->rises[--s->rise_count];
		s->links[r->node].rise = r->next;
	}
	while (s->node_count > to.nodes) {
		uint32_t node = --s->node_count;
		s->links[s->nodes[node].parent].child = s->links[node].sibling;
	}
	search_forget(s, to.entered, to.fired);
	s->step_count = step;
	s->waiting = to.block;
	if (s->leaves_step >= step)
		s->leaves = FLOW_NONE;
}

/* Rises are in the order in which they were found. */
int flow_search_again(struct flow_search *s, uint32_t block)
{
	const struct flow_rise *first = s->rises;

	while (first->block != block)
		first++;
	undo_search_step(s, first->step);
	return search_go_on(s);
}

void flow_search_apart(
	const struct flow_search *s, void (*visit)(void *context, uint32_t block), void *context)
{
	uint32_t a = s->conflict[0], b = s->conflict[1];

	while (a != b) {
		uint32_t *deeper = s->nodes[a].depth >= s->nodes[b].depth ? &a : &b;
		for (uint32_t rise = s->links[*deeper].rise; rise != FLOW_NONE;
			rise = s->rises[rise].next)
			visit(context, s->rises[rise].block);
		*deeper = s->nodes[*deeper].parent;
	}
}
