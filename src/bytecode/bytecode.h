/* From the bytecode of one CPython version to a flow graph. Pure: needs no running interpreter and
 * no Python.h.
 *
 * One table per minor version says which opcode has how many cache units, which one jumps where,
 * and which line starts it makes or hides; the tables are generated from each version's own
 * metadata (tools/gen-opcodes.py).
 */
#ifndef PL_BYTECODE_BYTECODE_H
#define PL_BYTECODE_BYTECODE_H

#include "base/view.h"
#include "flow/graph.h"

/* A code object's parts, as the interpreter has them; the bytes are views that the caller keeps
 * alive. */
struct bytecode {
	uint16_t version;	   /* 0x030c for 3.12 */
	struct pl_view code;	   /* co_code: as compiled, neither specialised nor instrumented */
	struct pl_view line_table; /* co_linetable */
	struct pl_view except_table; /* co_exceptiontable */
	int32_t first_line;	     /* co_firstlineno */
	uint32_t flags;		     /* co_flags */
};

/* True when this version's opcodes are known. */
bool bytecode_knows(uint16_t version);

/* Build the graph into *out, which the caller releases. 0; PL_ERR_MEMORY; or PL_ERR_FORMAT when the
 * code cannot be analysed (no RESUME, a jump into the middle, a damaged table): then *out has
 * lines, and starts as far as they are known, with analysed = false, and *why says what was found
 * (a string constant). Never reads past a view. */
int bytecode_graph(const struct bytecode *b, struct flow_graph *out, const char **why);

/* The unit of the first RESUME, where the first event of a frame can be; 0 when there is none. */
uint32_t bytecode_first_unit(const struct bytecode *b);

#endif
