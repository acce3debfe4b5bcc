/* Where a code is busy with an exception: the instructions from a handler's PUSH_EXC_INFO to its
 * POP_EXCEPT. Only there can an exception be raised again without the trace function of 3.11 being
 * told, and where `raise` stands alone: a code that has one outside of all handlers counts as busy
 * from its first unit on, everywhere.
 */
#ifndef PL_BYTECODE_HANDLING_H
#define PL_BYTECODE_HANDLING_H

#include "bytecode/bytecode.h"

/* Fills in a byte a unit: true where an exception is being handled, or where that cannot be known
 * (code that nothing leads to). `units` has room for all units of b->code, and must be zero: it
 * stays so for a version that is not known.
 */
void bytecode_handling(const struct bytecode *b, bool *units);

#endif
