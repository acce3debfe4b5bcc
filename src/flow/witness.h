/* Witnesses: the line starts of a code whose LINEs are recorded, as few as possible without losing
 * the path.
 *
 * The invariant: from the entry, and from every resume, handler and witness, at most one sequence
 * of unrecorded LINEs leads to each place where something is recorded or the frame ends (search.h
 * finds no conflict from there). The same then holds from every block on the way, because the rest
 * of a unique sequence is unique.
 *
 * Source: Ball and Larus, "Optimally Profiling and Tracing Programs", TOPLAS 16 (1994). The
 * placement is theirs; the question differs: they distinguish blocks, Pathline distinguishes lines,
 * and events of calls and exceptions help.
 */
#ifndef PL_FLOW_WITNESS_H
#define PL_FLOW_WITNESS_H

#include "flow/graph.h"

/* Choose the witnesses: set `witness` of the graph's starts. Starts that have it set keep it. All
 * starts at handlers get it, because whether LINE fires there depends on where the exception came
 * from. Others are added where they cost least by the starts' frequencies, which are computed first
 * (flow_frequencies) if there is a choice (not flow_never_parts). If the graph is not analysed, or
 * would take too long, all starts become witnesses. 0; PL_ERR_MEMORY: all starts are witnesses. */
int flow_place_witnesses(struct flow_graph *g);
/* The same, by the frequencies that are set already. */
int flow_place_again(struct flow_graph *g);
/* Does every block of an analysed graph have at most one way on, which leads forward? Then there is
 * only one sequence from anywhere. */
bool flow_never_parts(const struct flow_graph *g);
/* Make every start a witness. */
void flow_all_witnesses(struct flow_graph *g);

/* Estimate `frequency` of an analysed graph's starts. A loop runs ten times; the arms of a branch
 * are equally likely, except an arm that ends in a raise. 0; PL_ERR_MEMORY: all are 0. */
int flow_frequencies(struct flow_graph *g);

/* Set `sure` of the starts on whose every edge LINE always fires. */
void flow_find_sure(struct flow_graph *g);

/* The cost of an event at the start for the program, relative to a cheap LINE: by INSTRUCTION, if
 * the start is sure. */
double flow_line_price(const struct flow_start *s);

#endif
