/* From one block along every path on which nothing is recorded: which LINEs fire on the way to each place.
 *
 *	          fires 3     ,-- fires 4 --.                 nodes   0 --- 1 --- 2
 *	from ---------------->               >---> leaves             ()   (3)   (3 4)
 *	                      '-------------'                 leaves with 1 and with 2: a conflict
 *
 * A node stands for a sequence of lines, its parent's and one more; equal sequences are the same node. A place that two
 * sequences reach is a conflict: what is recorded does not say which one ran. Without conflicts the nodes are what a reader
 * needs to fill in the lines between two recorded events (reach.h); with one, the places where the two sequences part are
 * those of which one must become a witness (witness.h).
 *
 * Places are: each block, as it is entered; each witness, as it fires; and the frame's leave where that makes no event.
 */
#ifndef PL_FLOW_SEARCH_H
#define PL_FLOW_SEARCH_H

#include "flow/graph.h"

struct flow_node {
	uint32_t parent; /* of the root: itself */
	uint32_t depth;	 /* so many lines; the root has none */
	uint32_t start;	 /* index of a start that has its last line */
};

/* The nodes with which a block is reached, FLOW_NONE: not. */
struct flow_arrival {
	uint32_t enters; /* its witness, if it has one, did not fire */
	uint32_t fires;	 /* its witness fires */
};

#define FLOW_CONFLICT 1

/* One graph's searches, one after the other, in the same memory. */
struct flow_search {
	const struct flow_graph *g; /* borrowed */
	struct flow_arrival *at; /* owned; by block, FLOW_NONE where the last search did not come */
	struct flow_node *nodes; /* the root is the first; this and what follows lie behind `at` */
	struct flow_node_links *links;
	uint32_t node_count;
	struct flow_rise *rises; /* where each node's last line fires */
	uint32_t rise_count;
	struct flow_step *steps; /* the blocks that were left, one after the other */
	uint32_t step_count;
	uint32_t *entered, *fired; /* the blocks that have each in `at` */
	uint32_t entered_count, fired_count;
	uint32_t *below;  /* by block that waits to be left: the next that does */
	uint32_t waiting; /* the first that does, or FLOW_NONE */
	uint32_t leaves;  /* the node with which the frame leaves without an event, or FLOW_NONE */
	uint32_t leaves_step;
	uint32_t conflict[2]; /* of FLOW_CONFLICT: the two nodes */
	uint64_t walked;      /* edges, by all searches */
};

/* For a graph that is analysed and sound. 0; PL_ERR_MEMORY. */
int flow_search_init(struct flow_search *s, const struct flow_graph *g);
/* 0; FLOW_CONFLICT. Forgets the search before. */
int flow_search_run(struct flow_search *s, uint32_t from);
/* The search that came to a conflict once more, when the start of a block that flow_search_apart named has become a witness:
 * what came before LINE first fired there stays as it is. */
int flow_search_again(struct flow_search *s, uint32_t block);
/* Call `visit` for each block that opens with a start whose LINE is in one of the two sequences of the conflict behind where
 * they part: making that start a witness takes it out. Never none. */
void flow_search_apart(
	const struct flow_search *s, void (*visit)(void *context, uint32_t block), void *context);
void flow_search_release(struct flow_search *s);

#endif
