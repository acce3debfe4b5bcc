/* The flow graphs of the bodies, with which the collector counts what has no event
 * (format/follow.h). A block's head says how many rows it has, so a reader finds a row by its
 * number without decoding what is before it.
 */
#ifndef PL_COLLECTOR_GRAPHS_H
#define PL_COLLECTOR_GRAPHS_H

#include "base/view.h"
#include "format/follow.h"

struct graphs {
	struct body_graph **all; /* owned, each of them too; by body number, NULL: cannot be had */
	uint32_t room;
};

/* A body that is damaged, or for which there is no memory, has no graph. */
void graphs_add(struct graphs *g, uint32_t body_number, struct pl_view body);
struct follow_code *graphs_find(struct graphs *g, uint32_t body_number); /* NULL: none */
void graphs_release(struct graphs *g);

#endif
