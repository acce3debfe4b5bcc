/* Straight code: there is one way through it, from its RESUME to its return. Of most modules and
 * class bodies that is so. Its lines are known from the call alone, so who records it needs no
 * graph of it.
 */
#ifndef PL_BYTECODE_STRAIGHT_H
#define PL_BYTECODE_STRAIGHT_H

#include <stdbool.h>
#include "bytecode/bytecode.h"

/* Is it? No jump, no handler, no yield, no raise, and nothing that bytecode_graph complains of;
 * each of its lines fires. *silent is set then: its return is one of which no event needs to tell
 * (FLOW_BLOCK_SILENT). Costs a few instructions for each of the code's. */
bool bytecode_is_straight(const struct bytecode *b, bool *silent);

#endif
