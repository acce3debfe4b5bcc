/* The flow graph of a code: its line starts, and the possible steps between them.
 *
 * A block is a run of instructions that is entered at its first instruction and left after its
 * last. A line start is an instruction at which LINE can fire; it always opens a block. Whether
 * LINE fires depends on the edge by which the start is reached, so an edge says never, always or
 * maybe.
 *
 *	blocks   in order of unit; a unit is in the last block whose unit is <= it
 *	starts   in order of unit; the event LINE names a start by its index here
 *
 *	for x in a:   [0 RESUME] -always-> [1 a, line 1] -never-> [2 FOR_ITER, line 1] <--.
 *	    f(x)                                                   | always  | always     | always
 *	g()                                                       [3 f(x), line 2] -------'
 *	                                                                     '-> [4 g(), line 3]
 *
 * No edge leads to a handler, or from a yield to the resume after it: these have events (HANDLED,
 * RESUME). So the edges say what can happen between two events.
 *
 * Pure: it knows neither versions of Python nor bytes. src/bytecode builds graphs, format/body.h
 * stores them, flow/search.h searches them.
 */
#ifndef PL_FLOW_GRAPH_H
#define PL_FLOW_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_NONE UINT32_MAX

enum flow_fires { FLOW_NEVER, FLOW_ALWAYS, FLOW_MAYBE };

enum {
	FLOW_BLOCK_ENTRY = 1,	/* the first RESUME: where a call begins */
	FLOW_BLOCK_RESUME = 2,	/* after a yield: where a resume continues */
	FLOW_BLOCK_HANDLER = 4, /* a target of the exception table */
	FLOW_BLOCK_RETURNS = 8, /* its last instruction returns */
	FLOW_BLOCK_YIELDS = 16, /* its last instruction suspends */
	FLOW_BLOCK_RAISES = 32, /* its last instruction only raises */
	/* before the first RESUME (RETURN_GENERATOR ...): no events there */
	FLOW_BLOCK_BEFORE = 64,
	/* it returns or suspends, and may do so without an event; later events imply that the frame
	 * is gone */
	FLOW_BLOCK_SILENT = 128,
	/* its last instruction takes the next item of a loop; the first edge leads to the loop's
	 * body */
	FLOW_BLOCK_ITERATES = 256,
	/* if its last instruction raises StopIteration, that ends a loop or an await, and nothing
	 * else */
	FLOW_BLOCK_SWALLOWS = 512,
	/* its last instruction, at its last unit, jumps back to another pass of a loop, which has a
	 * row and no event: it is implied (implied.h) */
	FLOW_BLOCK_PASSES = 1024,
	FLOW_BLOCK_PASSES_CACHED = 2048, /* with that: the jump is at the last unit but one */
	/* with that: what the frame does at the jump (a signal handler's call), it does after it */
	FLOW_BLOCK_PASSES_FIRST = 4096,
};

struct flow_start {
	uint32_t unit;
	int32_t line;
	float frequency;  /* of its LINE, relative to one call; set by witness.h, not stored */
	bool witness : 1; /* recorded when it fires; the others follow from the path */
	bool dear : 1;	  /* its LINE costs more than others'; a hint for placement, not stored */
	/* its LINE fires whenever it is reached, so INSTRUCTION can be enabled there instead; not
	 * stored */
	bool sure : 1;
	/* INSTRUCTION is cheaper this many units later, with only a look-up in between; 0: at the
	 * start itself; not stored */
	uint8_t cheaper_after;
};

struct flow_edge {
	uint32_t to; /* block */
	enum flow_fires fires;
};

struct flow_block {
	uint32_t unit;	     /* of its first instruction */
	uint32_t start;	     /* index of the line start that opens it, or FLOW_NONE */
	uint32_t first_edge; /* into edges */
	uint32_t edge_count;
	uint32_t flags;
};

/* Instructions from `unit` up to the next row's unit have this line; 0: none. */
struct flow_line {
	uint32_t unit;
	int32_t line;
};

struct pl_spare;

struct flow_graph {
	struct pl_spare *spare; /* where its memory comes from and is returned to; NULL: malloc */
	void *memory;		/* owned: holds all arrays */
	uint32_t unit_count;
	/* false: there are no blocks and edges, and a line without a start is recorded by
	 * LINE_AT */
	bool analysed;
	struct flow_start *starts;
	uint32_t start_count;
	struct flow_block *blocks;
	uint32_t block_count;
	struct flow_edge *edges;
	uint32_t edge_count;
	struct flow_line *lines;
	uint32_t line_count;
};

/* Allocate the arrays of *g, all zero. Set the counts of starts, blocks, edges and lines before,
 * and `spare` if the graph lives only for a short time. 0; or PL_ERR_MEMORY, and *g is empty. */
int flow_graph_init(struct flow_graph *g);
/* Free the arrays, and make *g empty. */
void flow_graph_release(struct flow_graph *g);

/* The block that contains the unit, or FLOW_NONE. */
uint32_t flow_block_at(const struct flow_graph *g, uint32_t unit);
/* The unit after the block's last one. */
static inline uint32_t flow_block_end(const struct flow_graph *g, uint32_t block)
{
	return block + 1 < g->block_count ? g->blocks[block + 1].unit : g->unit_count;
}
/* The unit of the jump that ends a block with FLOW_BLOCK_PASSES. */
static inline uint32_t flow_pass_unit(const struct flow_graph *g, uint32_t block)
{
	const bool cached = g->blocks[block].flags & FLOW_BLOCK_PASSES_CACHED;

	return flow_block_end(g, block) - 1u - cached;
}
/* The line of a unit, 0 when it has none. A cache unit has the line of its instruction. */
int32_t flow_line_at(const struct flow_graph *g, uint32_t unit);
/* The line of a unit. If it has none: the first line that straight execution from there reaches, or
 * 0 if the code is left or jumps before. Since 3.13 a handler begins with an instruction that has
 * no line. */
int32_t flow_line_ahead(const struct flow_graph *g, uint32_t unit);
/* If a frame of this code is gone without an event, was it suspended? If not, it returned. */
bool flow_suspends(const struct flow_graph *g);
/* Does an edge lead to its own block or to an earlier one? If not, there are no loops. */
bool flow_goes_back(const struct flow_graph *g);
/* The index of the start at exactly this unit, or FLOW_NONE. */
uint32_t flow_start_at(const struct flow_graph *g, uint32_t unit);

/* Check the invariants above, and that every index is in range. 0, or PL_ERR_FORMAT. For graphs
 * that were read, and for tests.
 *
 *	starts, blocks, lines   units grow strictly and are < unit_count; no line is negative
 *	blocks                  open every start, in order; their edges are all the edges, in order
 *	edges                   one that can fire leads to a block that a start opens
 *	silent blocks           all return, or all yield
 *	implied passes          by the only edge, which leads back and never fires
 *	not analysed            no blocks, no edges */
int flow_graph_check(const struct flow_graph *g);

#endif
