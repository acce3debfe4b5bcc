/* What a CODE message says of a code (code_body.c). */
#ifndef PL_RECORDER_CODE_BODY_H
#define PL_RECORDER_CODE_BODY_H

#include "recorder/compat/python.h"
#include "bytecode/bytecode.h"

struct flow_graph;

/* What a CODE message says about a code besides the code itself. */
struct code_told {
	uint32_t number;
	uint32_t unit; /* its text unit, or 0 */
	bool left_out; /* only its name is needed */
	bool values;   /* those of its calls are kept, so its arguments have names */
};

struct bytecode code_parts(PyCodeObject *code, PyObject *plain);
bool code_send_body(PyCodeObject *code, const struct flow_graph *graph, struct code_told told);
/* The same for code without a graph. */
bool code_send_straight(PyCodeObject *code, const struct bytecode *parts, struct code_told told);

/* Describe the code again, with the graph's witnesses. Returns its new number; 0: it could not be
 * described. */
uint32_t code_tell_again(PyCodeObject *code, const struct flow_graph *graph);

#endif
