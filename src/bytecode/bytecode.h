/* From the bytecode of one CPython version to a flow graph. Pure: needs no running interpreter and
 * no Python.h.
 *
 * One table per minor version has, for each opcode, its number of cache units, where it jumps, and
 * which line starts it makes or hides. The tables are generated from each version's own metadata
 * (tools/gen-opcodes.py).
 */
#ifndef PL_BYTECODE_BYTECODE_H
#define PL_BYTECODE_BYTECODE_H

#include "base/view.h"
#include "flow/graph.h"

/* The parts of a code object, as the interpreter has them. The bytes are views; the caller keeps
 * them alive. */
struct bytecode {
	uint16_t version;	     /* 0x030c for 3.12 */
	struct pl_view code;	     /* co_code as compiled, neither specialised nor instrumented */
	struct pl_view line_table;   /* co_linetable */
	struct pl_view except_table; /* co_exceptiontable */
	int32_t first_line;	     /* co_firstlineno */
	uint32_t flags;		     /* co_flags */
};

/* Are this version's opcodes known? */
bool bytecode_knows(uint16_t version);

/* Build the graph into *out, which the caller releases. 0; PL_ERR_MEMORY; or PL_ERR_FORMAT when the
 * code cannot be analysed (no RESUME, a jump into the middle of an instruction, a damaged table):
 * then *out has the lines, and the starts as far as they are known, with analysed = false, and *why
 * is the reason (a string constant). Never reads past a view. */
int bytecode_graph(const struct bytecode *b, struct flow_graph *out, const char **why);

/* The unit of the first RESUME, where a frame can have its first event; 0: there is none. */
uint32_t bytecode_first_unit(const struct bytecode *b);

#endif
