/* Where a code is handling an exception: the instructions from a handler's PUSH_EXC_INFO to its
 * POP_EXCEPT. Only there can an exception be raised again without a call of 3.11's trace function,
 * and where there is a bare `raise`: a code that has one outside of all handlers counts as handling
 * an exception everywhere, from its first unit on. */
#ifndef PL_BYTECODE_HANDLING_H
#define PL_BYTECODE_HANDLING_H

#include "bytecode/bytecode.h"

/* Sets units[i] where an exception is being handled, or where that is not known (code that nothing
 * leads to). `units` has room for all units of b->code and must be all false; it stays so if the
 * version is not known. */
void bytecode_handling(const struct bytecode *b, bool *units);

#endif
