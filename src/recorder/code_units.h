/* What the hooks look up at each unit of a code, from its flow graph (code_units.c). */
#ifndef PL_RECORDER_CODE_UNITS_H
#define PL_RECORDER_CODE_UNITS_H

#include "recorder/compat/python.h"
#include "recorder/policy.h"

struct bytecode;
struct code_record;
struct flow_graph;

/* The code's flow graph, owned by the caller. */
bool code_graph(PyCodeObject *code, struct flow_graph *out);
/* For straight code: its starts are known from here on, unless there is no memory. */
void code_find_lines(PyCodeObject *code, struct code_record *r);

/* From the parts of the bytecode, without what the recording does not want. */
int code_graph_of(const struct bytecode *parts, struct flow_graph *out);
/* The record of a code that has this graph, in which witnesses are chosen on the way. NULL: there
 * is no memory. */
struct code_record *code_record_of(
	PyCodeObject *code, const struct bytecode *parts, struct flow_graph *g);
/* What of the code, which is being described, may go without an event. */
struct policy_omission code_omits(PyCodeObject *code);
/* Without lines and starts: the collector makes the graph from the bytecode, outside the
 * program. */
struct code_record *code_straight_record(PyCodeObject *code, bool silent);

#endif
