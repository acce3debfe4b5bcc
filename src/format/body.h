/* A code's body: what a recording keeps of a code object. Equal bodies are stored once.
 *
 *	file string | name string | first line zigzag | flags | interpreter version | graph
 *	graph: unit count | analysed u8
 *	       | line count  | (unit delta, line delta zigzag)…
 *	       | start count | (unit delta << 1 | witness, line delta zigzag)…
 *	       | block count | (unit delta, flags, start+1 …)…    | edge count | (to, fires)…
 *
 * All numbers are varints unless said. Strings are bytes as Python encodes them with surrogateescape, so that a name
 * that was no UTF-8 comes out as it was.
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
	uint32_t flags;	  /* co_flags */
	uint16_t version; /* 0x030c for 3.12 */
	struct flow_graph graph; /* owned */
};

void body_write(struct pl_buf *out, const struct body *b);
/* Memory asked for is bounded by the bytes there; the graph is checked (flow_graph_check). Release on success only. */
int body_read(struct pl_view v, struct body *out);
void body_release(struct body *b);

#endif
