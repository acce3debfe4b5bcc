/* Begins: witnesses that tell of the call, too, so that it needs no event of its own.
 *
 *	def fib(n):             ahead
 *	    if n < 2:           ahead
 *	        return n        begins
 *	    return fib(…        begins
 *
 * The invariant: every way from the entry comes to a begin, or raises; nothing leads back from a begin or what is behind it to
 * a begin or what is ahead of one. So a begin that fires in a frame opens a new activation of it, of which nothing was told; and
 * where a frame stands says whether its begin has fired.
 *
 * Source: the idea is Pathline's own (doc/PERFORMANCE.md); the invariant is that of a cut in the flow graph.
 */
#ifndef PL_FLOW_BEGIN_H
#define PL_FLOW_BEGIN_H

#include "flow/graph.h"

/* Sets `begins` of starts and `ahead` of blocks, and places the graph's witnesses (witness.h) anew around them, if that costs
 * less than an event for each call. Behind flow_place_witnesses; `kept` has a byte for each start, true: it was a witness before
 * that. Where nothing calls ahead of a begin and no exception is handled there: events that need the frame are rare then. Gives
 * whether there are begins; if not, the graph is as it was. Without memory there are none. */
bool flow_place_begins(struct flow_graph *g, const bool *kept);

#endif
