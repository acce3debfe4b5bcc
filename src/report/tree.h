/* A call tree to look at: the contexts of profiles. Calls of one function from several lines of
 * another are one node; the child with the most time comes first. All zero is an empty tree. */
#ifndef PL_REPORT_TREE_H
#define PL_REPORT_TREE_H

#include "base/map.h"
#include "pathline/pathline.h"

struct tree_node {
	uint32_t parent, first_child, next; /* 0: none; node 0 is the root */
	uint32_t depth;
	const struct pl_code *code; /* NULL: the root, or the node of a whole profile */
	const char *task;	    /* the profile's; NULL: none */
	const char *label;	    /* the caller's; of the node of a whole profile */
	bool recursive;
	uint64_t calls, resumes, throws;
	int64_t own_ns, cumulated_ns;
};

struct tree {
	struct tree_node *nodes; /* owned; parents come before their children */
	uint32_t count, room;
};

/* Add a profile, which must stay valid as long as the tree. label: it gets a node of its own below
 * the root; NULL: it is the root. 0, PL_ERR_MEMORY. */
int tree_add(struct tree *t, const struct pl_profile_tables *p, const char *label);
/* After the last profile: link the children of each node. 0, PL_ERR_MEMORY. */
int tree_link(struct tree *t);
void tree_release(struct tree *t);

#endif
