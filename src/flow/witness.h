/* Witnesses: the line starts of a code whose LINEs are recorded, so few that the path is still known.
 *
 * The invariant: from the entry, from every resume, handler and witness there is at most one sequence of unrecorded LINEs to
 * every place where something is recorded or the frame leaves (search.h has no conflict from there). Then the same holds
 * from every block on the way, for the rest of a sequence that is unique is unique.
 *
 * Source: Ball and Larus, "Optimally Profiling and Tracing Programs", TOPLAS 16 (1994), whose witness placement this is but
 * for what is asked: they tell blocks apart, we tell lines apart, and events of calls and exceptions help.
 */
#ifndef PL_FLOW_WITNESS_H
#define PL_FLOW_WITNESS_H

#include "flow/graph.h"

/* Sets `witness` of the graph's starts: those that have it set already keep it, as do all starts at handlers (whether LINE
 * fires there depends on where the exception came from). Others are added where they cost least, by the
 * starts' frequencies, which are set first (flow_frequencies) where there is a choice (not flow_never_parts). A graph that is
 * not analysed, or is so large that it would take too long, gets all. 0; PL_ERR_MEMORY: all starts are witnesses. */
int flow_place_witnesses(struct flow_graph *g);
/* The same by the frequencies that are there. */
int flow_place_again(struct flow_graph *g);
/* Has each block of an analysed graph one way on at most, and that ahead? Then from nowhere are there two sequences. */
bool flow_never_parts(const struct flow_graph *g);
/* Every LINE is recorded. */
void flow_all_witnesses(struct flow_graph *g);

/* Sets `frequency` of an analysed graph's starts, by guess. Loops are taken to run ten times, branches to go each way alike
 * but for those that end in a raise. 0; PL_ERR_MEMORY: all are 0. */
int flow_frequencies(struct flow_graph *g);

/* Sets `sure` of the graph's starts: those to which only edges lead on which LINE always fires. */
void flow_find_sure(struct flow_graph *g);

/* What hearing of the start costs the program, where a cheap LINE costs 1: by INSTRUCTION, where it is sure. */
double flow_line_price(const struct flow_start *s);

#endif
