/* A code's body: what a recording keeps of a code object. Equal bodies are stored once.
 *
 *	file string | name string | first line zigzag | flags | interpreter version | graph
 *	graph: units | analysed u8 | lines | starts | blocks | edges		how many of each
 *	       (unit delta, line delta zigzag)…			lines
 *	       (unit delta << 1 | witness, line delta zigzag)…	starts
 *	       (unit delta, flags << 1 | opens, edges)…		blocks
 *	       (step zigzag << 2 | fires)…			edges
 *
 * All numbers are varints unless said. A delta is from the row before, of the first row from 0.
 * `opens`: the next start opens this block, since starts and blocks go by the same order. The edges
 * of all blocks follow one another; `step` is counted from the block behind the edge's own, so that
 * falling through, as most do, is one byte. Strings are bytes as Python encodes them with
 * surrogateescape, so that a name that was no UTF-8 comes out as it was.
 */
#ifndef PL_FORMAT_BODY_H
#define PL_FORMAT_BODY_H

#include "base/buf.h"
#include "base/view.h"
#include "flow/graph.h"

struct body {
	struct pl_view file; /* views into the bytes that were read */
	struct pl_view name;
	int32_t first_line;
	uint32_t flags;		 /* co_flags */
	uint16_t version;	 /* 0x030c for 3.12 */
	struct flow_graph graph; /* owned */
};

/* The graph must be sound (flow_graph_check). Running out of memory shows in the buffer. */
void body_write(struct pl_buf *out, const struct body *b);
/* Memory asked for is bounded by the bytes there; the graph is checked (flow_graph_check). Release
 * on success only. Bytes behind the graph are left to later minor versions. 0, PL_ERR_FORMAT or
 * PL_ERR_MEMORY. */
int body_read(struct pl_view v, struct body *out);
void body_release(struct body *b);

#endif
