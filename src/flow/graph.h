/* The flow graph of a code: its line starts, and the possible steps between them.
 *
 * A block is a run of instructions that is entered at its first and left behind its last. A line
 * start is an instruction at which LINE can fire; it always opens a block. Whether LINE fires is a
 * property of the edge by which the start is reached, so an edge says never, always, or maybe.
 *
 *	blocks   by growing unit; a position (unit) lies in the last block whose unit is <= it
 *	starts   by growing unit; the event LINE names one by its index here
 *
 *	for x in a:   [0 RESUME] -always-> [1 a, line 1] -never-> [2 FOR_ITER, line 1] <--.
 *	    f(x)                                                   | always  | always     | always
 *	g()                                                       [3 f(x), line 2] -------'
 *	                                                                     '-> [4 g(), line 3]
 *
 * No edge leads to a handler, nor from a yield to the resume behind it: events tell of both
 * (HANDLED, RESUME). So what the edges allow is what can happen between two events.
 *
 * Pure: knows no Python version and no bytes. Built by src/bytecode, stored by format/body.h,
 * searched by flow/search.h.
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
	FLOW_BLOCK_RESUME = 2,	/* behind a yield: where a resume goes on */
	FLOW_BLOCK_HANDLER = 4, /* a target of the exception table */
	FLOW_BLOCK_RETURNS = 8, /* its last instruction returns */
	FLOW_BLOCK_YIELDS = 16, /* its last instruction suspends */
	FLOW_BLOCK_RAISES = 32, /* its last instruction only raises */
	FLOW_BLOCK_BEFORE = 64, /* before the first RESUME (RETURN_GENERATOR …): no events there */
	FLOW_BLOCK_SILENT =
		128, /* it returns or suspends, and an event may be missing: what follows shows that the frame is gone */
	FLOW_BLOCK_ITERATES =
		256, /* its last instruction takes a loop's next item; the first edge is the loop's body */
	FLOW_BLOCK_SWALLOWS =
		512, /* a StopIteration that its last instruction raises ends a loop or an await, and nothing more */
};

struct flow_start {
	uint32_t unit;
	int32_t line;
	float frequency;  /* of its LINE, a call being 1; by witness.h, not stored */
	bool witness : 1; /* recorded when it fires; the others are known from the path */
	bool dear : 1;	  /* its LINE costs more than others': a hint for placement, not stored */
	bool sure : 1; /* its LINE fires whenever it is reached, so INSTRUCTION may be heard there in its place; not stored */
	bool begins : 1; /* by begin.h: its LINE tells of the call, too; not stored */
	uint8_t behind; /* INSTRUCTION is cheaper so many units further on, and nothing but a look-up comes before; 0: at the start; not stored */
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
	bool eventful; /* it calls, or what it raises has a handler: a hint for placement, not stored */
	bool pending; /* by begin.h: it runs before the call is told; not stored */
};

/* From `unit` on, up to the next entry's, instructions have this line; 0: none. */
struct flow_line {
	uint32_t unit;
	int32_t line;
};

struct pl_spare;

struct flow_graph {
	struct pl_spare
		*spare; /* where its memory comes from, and goes back to; NULL: the allocator */
	void *memory;	/* owned: of all the arrays */
	uint32_t unit_count;
	bool analysed; /* false: no blocks and edges; what has no start is recorded by LINE_AT */
	struct flow_start *starts;
	uint32_t start_count;
	struct flow_block *blocks;
	uint32_t block_count;
	struct flow_edge *edges;
	uint32_t edge_count;
	struct flow_line *lines;
	uint32_t line_count;
};

/* Gives *g arrays for as many starts, blocks, edges and lines as its counts say, all zero: what
 * builds or reads a graph sets the counts first, and the spare, if it is there for a moment only. 0; or PL_ERR_MEMORY, and *g is empty. */
int flow_graph_init(struct flow_graph *g);
/* Gives back what the graph owns: all of its arrays. */
void flow_graph_release(struct flow_graph *g);

/* The block in which a unit lies, FLOW_NONE when the graph has none. */
uint32_t flow_block_at(const struct flow_graph *g, uint32_t unit);
/* The unit behind a block's last one. */
static inline uint32_t flow_block_end(const struct flow_graph *g, uint32_t block)
{
	return block + 1 < g->block_count ? g->blocks[block + 1].unit : g->unit_count;
}
/* The line of a unit, 0 when it has none. A cache unit has the line of its instruction. */
int32_t flow_line_at(const struct flow_graph *g, uint32_t unit);
/* The line of a unit, or, where it has none, that at which straight execution from it first comes
 * to a line; 0 when the code is left or jumps before. A handler opens with an instruction of no
 * line since 3.13. */
int32_t flow_line_ahead(const struct flow_graph *g, uint32_t unit);
/* Is a frame of the code that is gone without an event suspended? Else it returned. */
bool flow_suspends(const struct flow_graph *g);
/* Does an edge lead to its own block or to one before? Without one there are no loops. */
bool flow_goes_back(const struct flow_graph *g);
/* The index of the start at exactly this unit, or FLOW_NONE. */
uint32_t flow_start_at(const struct flow_graph *g, uint32_t unit);

/* The invariants above, and every index in range: 0, or PL_ERR_FORMAT. For graphs that were read,
 * and for tests.
 *
 *	starts, blocks, lines   units grow strictly and are < unit_count; no line is negative
 *	blocks                  open every start, in order; their edges are all the edges, in order
 *	edges                   one that can fire leads to a block that a start opens
 *	silent blocks           all return, or all yield
 *	not analysed            no blocks, no edges
 */
int flow_graph_check(const struct flow_graph *g);

#endif
