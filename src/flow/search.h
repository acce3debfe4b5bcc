/* A search from one block along every path on which nothing is recorded: which LINEs fire on the
 * way to each place?
 *
 *	          fires 3     ,-- fires 4 --.                 nodes   0 --- 1 --- 2
 *	from ---------------->               >---> leaves             ()   (3)   (3 4)
 *	                      '-------------'                 leaves with 1 and with 2: a conflict
 *
 * A node is a sequence of lines: its parent's and one more. Equal sequences are the same node. An
 * implied pass of a loop (FLOW_BLOCK_PASSES) counts as a line, and is equal to itself only. A place
 * that is reached with two sequences is a conflict, because what is recorded does not say which one
 * ran. Without conflicts the nodes are what a reader needs to fill in the lines between two
 * recorded events (reach.h). With a conflict, one of the places where the two sequences differ must
 * become a witness (witness.h).
 *
 * Places are: each block when it is entered; each witness when it fires; and the end of the frame,
 * if it has no event.
 */
#ifndef PL_FLOW_SEARCH_H
#define PL_FLOW_SEARCH_H

#include "flow/graph.h"

struct flow_node {
	uint32_t parent; /* of the root: itself */
	uint32_t depth;	 /* number of lines; the root has none */
	/* index of a start that has the last line; or of the block whose jump is the last pass,
	 * with FLOW_NODE_PASS */
	uint32_t start;
	uint32_t passes; /* how many of the lines are passes */
};
#define FLOW_NODE_PASS ((uint32_t)1 << 31)

static inline bool flow_is_pass(uint32_t start)
{
	return start & FLOW_NODE_PASS;
}

static inline uint32_t flow_pass_block(uint32_t start)
{
	return start & ~FLOW_NODE_PASS;
}

/* The nodes with which a block is reached; FLOW_NONE: it is not reached. */
struct flow_arrival {
	uint32_t enters; /* its witness, if it has one, does not fire */
	uint32_t fires;	 /* its witness fires */
};

#define FLOW_CONFLICT 1

/* The searches of one graph, one after the other, in the same memory. */
struct flow_search {
	const struct flow_graph *g; /* borrowed */
	struct flow_arrival *at; /* owned; by block, FLOW_NONE: the last search did not reach it */
	/* the root is the first; this and the following arrays are in the memory after `at` */
	struct flow_node *nodes;
	struct flow_node_links *links;
	uint32_t node_count;
	struct flow_rise *rises; /* where each node's last line fires */
	uint32_t rise_count;
	struct flow_step *steps; /* the blocks that were left, one after the other */
	uint32_t step_count;
	uint32_t *entered, *fired; /* the blocks for which these are set in `at` */
	uint32_t entered_count, fired_count;
	uint32_t *below;  /* by block that waits to be left: the next one that waits */
	uint32_t waiting; /* the first block that waits, or FLOW_NONE */
	uint32_t leaves;  /* the node with which the frame ends without an event, or FLOW_NONE */
	uint32_t leaves_step;
	uint32_t conflict[2]; /* of FLOW_CONFLICT: the two nodes */
	uint64_t walked;      /* edges walked, in all searches */
};

/* The graph must be analysed and checked. 0; PL_ERR_MEMORY. */
int flow_search_init(struct flow_search *s, const struct flow_graph *g);
/* 0; FLOW_CONFLICT. The result of the search before is gone. */
int flow_search_run(struct flow_search *s, uint32_t from);
/* Continue a search that found a conflict, after the start of `block`, which flow_search_apart
 * named, became a witness. What was found before LINE first fired there is kept. */
int flow_search_again(struct flow_search *s, uint32_t block);
/* Call `visit` for each block that can resolve the conflict: its start has a LINE in one of the two
 * sequences after they part, and making it a witness removes that sequence. There is at least one
 * if the graph has no implied passes. */
void flow_search_apart(
	const struct flow_search *s, void (*visit)(void *context, uint32_t block), void *context);
void flow_search_release(struct flow_search *s);

#endif
