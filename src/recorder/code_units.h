/* What the hooks look up at each unit of a code, from its flow graph (code_units.c). */
#ifndef PL_RECORDER_CODE_UNITS_H
#define PL_RECORDER_CODE_UNITS_H

#include "recorder/compat.h"

struct bytecode;
struct code_record;
struct flow_graph;

/* The code's flow graph, owned by the caller. */
bool code_graph(PyCodeObject *code, struct flow_graph *out);
/* For straight code: its starts are known from here on, unless there is no memory. */
void code_find_lines(PyCodeObject *code, struct code_record *r);

/* From the parts of the bytecode, without what the recording does not want. */
int code_graph_of(const struct bytecode *parts, struct flow_graph *out);
/* The record of a code that has this graph, in which witnesses and begins are chosen on the way.
 * NULL: there is no memory. */
struct code_record *code_record_of(
	PyCodeObject *code, const struct bytecode *parts, struct flow_graph *g);
/* Are all LINEs wanted, from the code's first run on? One that was disabled would come only in the
 * next run. */
bool code_hears_all(void);
/* Do its lines follow from its call? Not if each has an event, or if its return has one. */
bool code_may_be_straight(PyCodeObject *code);
/* Without lines and starts: the collector makes the graph from the bytecode, outside the
 * program. */
struct code_record *code_straight_record(PyCodeObject *code, bool silent);

#endif
