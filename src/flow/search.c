#include "flow/search.h"

#include <stdlib.h>
#include <string.h>
#include "pathline/error.h"

#define FIRST_ROOM 64

/* A node's children, and the blocks on whose entry its last line fires: lists by index, FLOW_NONE ends them. */
struct flow_node_links {
	uint32_t child, sibling, rise;
};

struct flow_rise {
	uint32_t block;
	uint32_t next;
};

int flow_search_init(struct flow_search *s, const struct flow_graph *g)
{
	size_t blocks = g->block_count ? g->block_count : 1;

	*s = (struct flow_search){.g = g};
	s->at = malloc(blocks * sizeof *s->at);
	s->reached = calloc(blocks, sizeof *s->reached);
	s->waiting = calloc(blocks, sizeof *s->waiting);
	if (!s->at || !s->reached || !s->waiting) {
		flow_search_release(s);
		return PL_ERR_MEMORY;
	}
	memset(s->at, 0xff, blocks * sizeof *s->at);
	return 0;
}

void flow_search_release(struct flow_search *s)
{
	free(s->nodes);
	free(s->links);
	free(s->rises);
	free(s->at);
	free(s->reached);
	free(s->waiting);
	*s = (struct flow_search){0};
}

static bool grow(void **rows, size_t row_bytes, uint32_t room)
{
	void *more = realloc(*rows, room * row_bytes);

	if (more)
		*rows = more;
	return more;
}

static bool room_for_node(struct flow_search *s)
{
	uint32_t room = s->node_room ? 2 * s->node_room : FIRST_ROOM;
	void *nodes = s->nodes, *links = s->links;

	if (s->node_count < s->node_room)
		return true;
	bool both = grow(&nodes, sizeof *s->nodes, room) && grow(&links, sizeof *s->links, room);
	s->nodes = nodes;
	s->links = links;
	if (both)
		s->node_room = room;
	return both;
}

static bool room_for_rise(struct flow_search *s)
{
	uint32_t room = s->rise_room ? 2 * s->rise_room : FIRST_ROOM;
	void *rises = s->rises;

	if (s->rise_count < s->rise_room)
		return true;
	if (!grow(&rises, sizeof *s->rises, room))
		return false;
	s->rises = rises;
	s->rise_room = room;
	return true;
}

static uint32_t add_node(struct flow_search *s, uint32_t parent, uint32_t start)
{
	uint32_t node = s->node_count;

	if (!room_for_node(s))
		return FLOW_NONE;
	s->node_count++;
	s->links[node] = (struct flow_node_links){FLOW_NONE, FLOW_NONE, FLOW_NONE};
	s->nodes[node] = (struct flow_node){.parent = parent, .start = start};
	if (node) {
		s->nodes[node].depth = s->nodes[parent].depth + 1;
		s->links[node].sibling = s->links[parent].child;
		s->links[parent].child = node;
	}
	return node;
}

/* The node behind `parent` by the line of `start`. */
static uint32_t child_of(struct flow_search *s, uint32_t parent, uint32_t start)
{
	const struct flow_start *starts = s->g->starts;
	uint32_t node = s->links[parent].child;

	while (node != FLOW_NONE && starts[s->nodes[node].start].line != starts[start].line)
		node = s->links[node].sibling;
	return node != FLOW_NONE ? node : add_node(s, parent, start);
}

static bool note_rise(struct flow_search *s, uint32_t node, uint32_t block)
{
	uint32_t rise = s->links[node].rise;

	while (rise != FLOW_NONE && s->rises[rise].block != block)
		rise = s->rises[rise].next;
	if (rise != FLOW_NONE)
		return true;
	if (!room_for_rise(s))
		return false;
	s->rises[s->rise_count] = (struct flow_rise){block, s->links[node].rise};
	s->links[node].rise = s->rise_count++;
	return true;
}

/* Another node at a place than was there is a conflict; *place is set when it had none. */
static int arrive(struct flow_search *s, uint32_t *place, uint32_t node)
{
	if (*place == FLOW_NONE)
		*place = node;
	if (*place == node)
		return 0;
	s->conflict[0] = *place;
	s->conflict[1] = node;
	return FLOW_CONFLICT;
}

static void reach(struct flow_search *s, uint32_t block)
{
	if (s->at[block].enters == FLOW_NONE && s->at[block].fires == FLOW_NONE)
		s->reached[s->reached_count++] = block;
}

static int enter(struct flow_search *s, uint32_t block, uint32_t node)
{
	reach(s, block);
	if (s->at[block].enters == FLOW_NONE)
		s->waiting[s->waiting_count++] = block;
	return arrive(s, &s->at[block].enters, node);
}

/* LINE fires at the start that opens the block. */
static int fire(struct flow_search *s, uint32_t block, uint32_t node)
{
	uint32_t start = s->g->blocks[block].start;

	if (s->g->starts[start].witness) {
		reach(s, block);
		return arrive(s, &s->at[block].fires, node);
	}
	uint32_t child = child_of(s, node, start);
	if (child == FLOW_NONE || !note_rise(s, child, block))
		return PL_ERR_MEMORY;
	return enter(s, block, child);
}

static int follow(struct flow_search *s, const struct flow_edge *e, uint32_t node)
{
	int err = 0;

	s->steps++;
	if (e->fires != FLOW_NEVER)
		err = fire(s, e->to, node);
	if (err == 0 && e->fires != FLOW_ALWAYS)
		err = enter(s, e->to, node);
	return err;
}

static int leave_block(struct flow_search *s, uint32_t block)
{
	const struct flow_block *b = &s->g->blocks[block];
	uint32_t node = s->at[block].enters;
	int err = b->flags & FLOW_BLOCK_SILENT ? arrive(s, &s->leaves, node) : 0;

	for (uint32_t i = 0; i < b->edge_count && err == 0; i++)
		err = follow(s, &s->g->edges[b->first_edge + i], node);
	return err;
}

static void forget(struct flow_search *s)
{
	while (s->reached_count)
		s->at[s->reached[--s->reached_count]] = (struct flow_arrival){FLOW_NONE, FLOW_NONE};
	s->node_count = 0;
	s->rise_count = 0;
	s->waiting_count = 0;
	s->leaves = FLOW_NONE;
}

int flow_search_run(struct flow_search *s, uint32_t from)
{
	int err;

	forget(s);
	uint32_t root = add_node(s, 0, FLOW_NONE);
	if (root == FLOW_NONE)
		return PL_ERR_MEMORY;
	err = enter(s, from, root);
	while (err == 0 && s->waiting_count)
		err = leave_block(s, s->waiting[--s->waiting_count]);
	return err;
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
