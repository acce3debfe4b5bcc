/* What a reader fills in: the lines without an event between two recorded events of a frame.
 *
 * A frame is at a place: a block, and the number of lines on the way from `from` that were already
 * given. The next event says where the frame is now; the node of that place has the lines that are
 * new:
 *
 *	from --- line 3 --- line 4 --- call in block 7 --- line 5 --- witness in block 9
 *	                               node (3 4)                     node (3 4 5): 5 is new
 *
 * Pure. One is made for each block from which unrecorded lines can begin, and kept.
 */
#ifndef PL_FLOW_REACH_H
#define PL_FLOW_REACH_H

#include "flow/search.h"

struct flow_reach {
	uint32_t low, count;	 /* blocks low to low + count - 1 may be reached */
	struct flow_arrival *at; /* owned; `count` of them */
	struct flow_node *nodes; /* owned; the root is the first */
	uint32_t node_count;
	/* node for leaving without an event; FLOW_NONE: the frame cannot leave so */
	uint32_t leaves;
};

/* 0; PL_ERR_MEMORY; PL_ERR_FORMAT: what is recorded does not distinguish two paths (the graph is
 * hostile, or flow_place_witnesses did not place its witnesses). The search's graph is the
 * reach's. */
int flow_reach_init(struct flow_reach *r, struct flow_search *s, uint32_t from);
void flow_reach_release(struct flow_reach *r);

static inline uint32_t flow_reach_enters(const struct flow_reach *r, uint32_t block)
{
	return block - r->low < r->count ? r->at[block - r->low].enters : FLOW_NONE;
}

static inline uint32_t flow_reach_fires(const struct flow_reach *r, uint32_t block)
{
	return block - r->low < r->count ? r->at[block - r->low].fires : FLOW_NONE;
}

#endif
