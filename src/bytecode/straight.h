/* Straight code: there is one way through it, from its RESUME to its return. Most modules and class
 * bodies are straight. The call alone determines the lines, so recording it needs no graph. */
#ifndef PL_BYTECODE_STRAIGHT_H
#define PL_BYTECODE_STRAIGHT_H

#include <stdbool.h>
#include "bytecode/bytecode.h"

/* Is the code straight? No jump, handler, yield or raise, and nothing that bytecode_graph complains
 * about; each of its lines fires. If so, *silent says whether its return needs no event
 * (FLOW_BLOCK_SILENT). Costs a few machine instructions for each instruction of the code. */
bool bytecode_is_straight(const struct bytecode *b, bool *silent);

#endif
