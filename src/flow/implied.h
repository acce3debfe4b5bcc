/* Implied passes: jumps back that need no event, because the path between two recorded events of
 * the frame shows how often they were taken.
 *
 *	for x in xs: yield x     RESUME, jump, next item, yield | RESUME, jump, next item, yield
 *	                                 '- implied                      '- implied
 *
 * That is so where each way round the loop has an event at a place of its own: the resume after a
 * yield, since no edge leads there. A call is none: whether what is called has events is not a
 * property of the place, nor is how often it is called back from there.
 */
#ifndef PL_FLOW_IMPLIED_H
#define PL_FLOW_IMPLIED_H

#include "flow/graph.h"

#define FLOW_IMPLIED_MAX 16 /* in one code */

/* Blocks that have FLOW_BLOCK_PASSES are those that may be implied. Keep the flag, and those with
 * it, where the rows between two events stay certain with it (search.h has no conflict), and remove
 * it elsewhere. Call it when the witnesses are chosen. Without memory, and where it would take too
 * long, none is implied. */
void flow_imply_passes(struct flow_graph *g);

#endif
