/* What a reader fills in: the LINEs that fired unrecorded between two recorded events of a frame.
 *
 * A frame stands at a place (a block, and how many of the lines on the way from `from` have been told). The next event says
 * where it is now; the node of that place has the lines that are new:
 *
 *	from --- line 3 --- line 4 --- call in block 7 --- line 5 --- witness in block 9
 *	                                node (3 4)                     node (3 4 5): what is new is 5
 *
 * Pure; one is made once for each block from which a stretch begins, and kept.
 */
#ifndef PL_FLOW_REACH_H
#define PL_FLOW_REACH_H

#include "flow/search.h"

struct flow_reach {
	uint32_t low, count;	 /* blocks low to low + count - 1 may be reached */
	struct flow_arrival *at; /* owned; `count` of them */
	struct flow_node *nodes; /* owned; the root is the first */
	uint32_t node_count;
	uint32_t leaves; /* node of a leave without an event; FLOW_NONE: it cannot leave so */
};

/* 0; PL_ERR_MEMORY; PL_ERR_FORMAT: what is recorded does not tell two paths apart (a hostile graph, or one whose witnesses
 * were not placed by flow_place_witnesses). The search's graph is the reach's. */
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
