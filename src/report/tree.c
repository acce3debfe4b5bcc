#include "report/tree.h"

#include <stdlib.h>
#include <string.h>

/* A node without times; the first one is the root. UINT32_MAX: no memory. */
static uint32_t add_node(struct tree *t, uint32_t parent)
{
	if (t->count == t->room) {
		uint32_t room = t->room ? t->room * 2 : 256;
		struct tree_node *nodes = realloc(t->nodes, room * sizeof *nodes);
		if (!nodes)
			return UINT32_MAX;
		t->nodes = nodes;
		t->room = room;
	}
	t->nodes[t->count] = (struct tree_node){
		.parent = parent, .depth = t->count ? t->nodes[parent].depth + 1 : 0};
	return t->count++;
}

/* A profile's times are limited to a quarter of the maximum, because a hostile recording can say
 * anything. */
static int64_t add_ns(int64_t a, int64_t b)
{
	return a < INT64_MAX - b ? a + b : INT64_MAX;
}

/* Several contexts of a profile, or of several profiles, can become one node: their times add
 * up. */
static void add_times(struct tree_node *to, const struct pl_profile_node *from)
{
	to->code = from->code;
	to->task = from->task;
	to->recursive = from->recursive;
	to->calls += from->calls;
	to->resumes += from->resumes;
	to->throws += from->throws;
	to->own_ns = add_ns(to->own_ns, from->own_ns);
	to->cumulated_ns = add_ns(to->cumulated_ns, from->cumulated_ns);
}

/* The node for a context below `parent`; UINT32_MAX: no memory. */
static uint32_t node_of(
	struct tree *t, struct pl_map *known, uint32_t parent, const struct pl_profile_node *n)
{
	const uint64_t words[] = {parent, (uintptr_t)n->code, (uintptr_t)n->task, n->recursive};
	uint64_t *place = map_put(known, hash_bytes(words, sizeof words));

	if (!place)
		return UINT32_MAX;
	if (!*place) {
		uint32_t node = add_node(t, parent);
		if (node == UINT32_MAX)
			return node;
		*place = (uint64_t)node + 1;
	}
	return (uint32_t)(*place - 1);
}

/* A parent comes before its children, so to[] has its node when it is asked for. Contexts that
 * differ only in the line of their call become one node. */
static int add_all(struct tree *t, const struct pl_profile_tables *p, uint32_t top, uint32_t *to)
{
	struct pl_map known = {0};
	int code = 0;

	to[0] = top;
	add_times(&t->nodes[top], &p->nodes[0]);
	for (size_t i = 1; i < p->node_count && code == 0; i++) {
		const struct pl_profile_node *n = &p->nodes[i];
		to[i] = node_of(t, &known, to[n->parent], n);
		if (to[i] == UINT32_MAX)
			code = PL_ERR_MEMORY;
		else
			add_times(&t->nodes[to[i]], n);
	}
	map_release(&known);
	return code;
}

/* With a label each profile has a node of its own below the root; without, its root is the
 * tree's. */
int tree_add(struct tree *t, const struct pl_profile_tables *p, const char *label)
{
	uint32_t *to = calloc(p->node_count, sizeof *to), top = 0;

	if (to && !t->count && add_node(t, 0) == UINT32_MAX)
		top = UINT32_MAX;
	if (to && top == 0 && label) {
		top = add_node(t, 0);
		if (top != UINT32_MAX) {
			t->nodes[top].label = label;
			t->nodes[0].cumulated_ns =
				add_ns(t->nodes[0].cumulated_ns, p->nodes[0].cumulated_ns);
		}
	}
	int code = to && top != UINT32_MAX ? add_all(t, p, top, to) : PL_ERR_MEMORY;
	free(to);
	return code;
}

/* ---- children ---- */

struct order {
	uint32_t node, parent;
	int64_t ns;
};

/* Children of one parent together, the widest first; equal ones in the order of their numbers, so
 * that two runs draw the same. */
static int by_parent(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Sorted once by parent, each node's children are next to each other: the first of them is the
 * parent's first child, and each is the next of the one before. */
int tree_link(struct tree *t)
{
	struct order *all = calloc(t->count ? t->count : 1, sizeof *all);

	if (!all)
		return PL_ERR_MEMORY;
	for (uint32_t i = 1; i < t->count; i++)
		all[i] = (struct order){i, t->nodes[i].parent, t->nodes[i].cumulated_ns};
	if (t->count > 1)
		qsort(all + 1, t->count - 1, sizeof *all, by_parent);
	for (uint32_t i = 1; i < t->count; i++) {
		struct tree_node *n = &t->nodes[all[i].node];
		if (i == 1 || all[i - 1].parent != all[i].parent)
			t->nodes[n->parent].first_child = all[i].node;
		n->next = i + 1 < t->count && all[i + 1].parent == all[i].parent ? all[i + 1].node
										 : 0;
	}
	free(all);
	return 0;
}

void tree_release(struct tree *t)
{
	free(t->nodes);
	*t = (struct tree){0};
}
