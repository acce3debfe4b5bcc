/* Begins: witnesses that also prove that their frame was called, so the call needs no event.
 *
 *	def fib(n):             pending
 *	    if n < 2:           pending
 *	        return n        begins
 *	    return fib(...      begins
 *
 * The invariant: every way from the entry comes to a begin or raises. No way leads back from a
 * begin, or from a block after one, to a begin or to a pending block. So a begin that fires in a
 * frame is the first event of a new call, and the unit at which a frame is says whether its begin
 * has fired.
 *
 * Source: the idea is Pathline's own (doc/PERFORMANCE.md); the invariant is that of a cut in the
 * flow graph.
 */
#ifndef PL_FLOW_BEGIN_H
#define PL_FLOW_BEGIN_H

#include "flow/graph.h"

/* Choose begins: set `begins` of starts and `pending` of blocks, and place the graph's witnesses
 * (witness.h) again around them, if that costs less than an event for each call. Call it after
 * flow_place_witnesses. `kept` has a byte for each start, which is true if the start was a witness
 * before that.
 *
 * No pending block calls anything or handles an exception, so events that need the frame are rare
 * there. Returns whether there are begins; if not, also for want of memory or in large code, the
 * graph is as it was. */
bool flow_place_begins(struct flow_graph *g, const bool *kept);

#endif
