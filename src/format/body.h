/* A code's body: what a recording keeps of a code object. Equal bodies are stored once.
 *
 *	file string | name string | first line zigzag | flags | interpreter version | graph
 *	[arguments]			since 1.12; missing: none, or not known (arguments.h)
 *	graph: units | analysed u8 | lines | starts | blocks | edges		how many of each
 *	       (unit delta, line delta zigzag)...			lines
 *	       (unit delta << 1 | witness, line delta zigzag)...	starts
 *	       (unit delta, flags << 1 | opens, edges)...		blocks
 *	       (step zigzag << 2 | fires)...				edges
 *
 * All numbers are varints unless stated otherwise. A delta is from the row before, that of the
 * first row from 0. `opens`: the next start opens this block; starts and blocks are in the same
 * order. The edges of all blocks follow one another. `step` is counted from the block after the
 * edge's own, so falling through, the most common step, is one byte. Strings are bytes that Python
 * encodes with surrogateescape, so a name that was not UTF-8 is unchanged.
 */
#ifndef PL_FORMAT_BODY_H
#define PL_FORMAT_BODY_H

#include "base/buf.h"
#include "base/view.h"
#include "flow/graph.h"
#include "format/arguments.h"

struct body {
	struct pl_view file; /* views into the bytes that were read */
	struct pl_view name;
	int32_t first_line;
	uint32_t flags;		    /* co_flags */
	uint16_t version;	    /* 0x030c for 3.12 */
	struct flow_graph graph;    /* owned */
	struct arguments arguments; /* if its values are kept; of the bytes that were read, too */
};

/* Append the body. Its graph must be correct (flow_graph_check). If there is no memory, `out` says
 * so. */
void body_write(struct pl_buf *out, const struct body *b);
/* Read a body. Counts are compared with the bytes before memory is asked for, and the graph is
 * checked (flow_graph_check). Bytes after the arguments are ignored: later minor versions may use
 * them.
 * 0, PL_ERR_FORMAT or PL_ERR_MEMORY. Release it only after 0. */
int body_read(struct pl_view v, struct body *out);
void body_release(struct body *b);

#endif
