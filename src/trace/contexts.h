/* Calling contexts along a walk: for each frame of the stack, its node of the tree.
 *
 *	stack     main | work | half          frames   node 1 | node 2 | node 3
 *	nodes     0 root <- 1 main <- 2 work, called at main:12 <- 3 half, called at work:17
 *
 * A site is a callee, and the line of the caller at which it is called. From a node a site leads to
 * another node by an edge, and entries are counted on edges. In a recursion the callee is already
 * on the way to the root. Its node is then a child of the first node of that code, and has the set
 * of all sites on the stack between the two. There are few such sets, while there would be as many
 * paths as calls of fib. A node knows which sites are on the stack; cumulated times are computed
 * from that.
 *
 * A fast-forward (fast_forward.h) updates frames along with their own stack. After rows that came
 * from a walk, contexts_sync updates them.
 */
#ifndef PL_TRACE_CONTEXTS_H
#define PL_TRACE_CONTEXTS_H

#include "trace/thread_path.h"

#define CONTEXT_CACHE 8192u /* a power of two */

enum context_entry { ENTRY_CALL, ENTRY_RESUME, ENTRY_THROW, ENTRY_NONE, ENTRY_COUNT };

#define CONTEXT_UNKNOWN UINT64_MAX

/* Times are ticks * 2, plus 1 if the event has its own time; or CONTEXT_UNKNOWN. */
struct context_frame {
	uint32_t edge;
	uint32_t node;
	const struct pl_code *code; /* the first of its plans */
	uint64_t gen;
	uint64_t since;	  /* when it came to its line */
	uint64_t entered; /* when it was entered or resumed */
	/* Idle waits since then, in ticks. */
	uint64_t since_idle, entered_idle;
	int64_t since_unsure_ns; /* by so much `since` is an estimate among passes of its line */
	/* Of the exception that it handles: number + 1 of the row that counts its flight, 0: none;
	 * and which event raised it (flights.h). */
	uint32_t flight;
	uint32_t task; /* number + 1; 0: it is not the root of a task */
	uint64_t raised_seq;
	int64_t raised_ns;
	enum context_entry entry;
};

struct context_site {
	/* the first of their plans; caller NULL: the callee is the bottom */
	const struct pl_code *callee, *caller;
	int32_t line;
	uint32_t task; /* as above; contexts of different tasks are separate */
};

struct context_node {
	uint32_t parent;
	uint32_t site; /* of a recursive node: that of its parent */
	uint32_t set;  /* 0: it is not recursive */
	uint32_t depth;
	uint64_t rows;	/* of the span */
	double ns[2];	/* computing, waiting */
	double sure_ns; /* of them, as in shared_line */
};

struct context_edge {
	uint32_t from, to, site;
	uint64_t entries[ENTRY_COUNT];
};

struct context_cached {
	uint32_t node, transition, edge; /* edge + 1; 0: nothing */
};

/* All zero except `walk` and the callbacks is valid, after contexts_init. */
struct contexts {
	struct context_frame *frames; /* owned; as deep as the stack */
	uint32_t depth, room;
	struct context_node *nodes; /* owned */
	uint32_t node_count, node_room;
	uint32_t *touched; /* owned: nodes with rows in the span; node_room of them */
	uint32_t touched_count;
	struct context_site *sites; /* owned */
	uint32_t site_count, site_room;
	struct context_edge *edges; /* owned */
	uint32_t edge_count, edge_room;
	struct pl_map site_map; /* hash of a site -> index + 1 */
	struct pl_map edge_map; /* from << 32 | site -> index + 1 */
	struct pl_map set_map;	/* node << 32 | set -> the recursive node + 1 */
	struct pl_map set_index;
	uint32_t *set_items; /* owned: of set i those from set_ends[i - 1] to set_ends[i] */
	uint32_t *set_ends;  /* owned */
	uint32_t set_count, set_room, item_room;
	bool folded;
	uint64_t now; /* of the walk's stamp, as in the frames */
	uint64_t block_off;
	uint32_t block_file;
	struct context_cached *cache; /* owned */
	/* Called when a frame's line that began at another stamp is over, and when a frame that was
	 * entered at another stamp is left. Both as they were before. */
	void (*passed)(
		void *who, const struct context_frame *f, const struct pl_code *code, int32_t line);
	void (*left)(void *who, const struct context_frame *f);
	/* Called when the root frame of a task was entered. Returns the task's index + 1. */
	uint32_t (*task)(void *who, const struct stack_task *task);
	bool by_task;
	void *who;
};

/* A tree of the root alone; the calls above are set before. 0, PL_ERR_MEMORY: release it, too. */
int contexts_init(struct contexts *x);
void contexts_release(struct contexts *x);
/* Set the frames to those of the path. Entries are not counted. 0, PL_ERR_MEMORY. */
int contexts_sync(struct contexts *x, struct thread_path *p);
/* Another path begins. */
void contexts_restart(struct contexts *x);
/* Transitions have other numbers from now on. */
void contexts_forget_transitions(struct contexts *x);

/* The edge from a node; UINT32_MAX: no memory. */
uint32_t contexts_edge(struct contexts *x, uint32_t from, const struct context_site *site);
/* The innermost node of that code on the stack; 0: there is none. */
uint32_t contexts_near(const struct contexts *x, const struct pl_code *code);
/* A node directly below the root, for what has no known context; 0: no memory. */
uint32_t contexts_loose(struct contexts *x, const struct pl_code *code);
/* To be called after a TASK event about the top frame. */
int contexts_task(struct contexts *x, struct thread_path *p);
/* Visit each site that is on the stack in a node; some are visited more than once. */
void contexts_sites(const struct contexts *x, uint32_t node,
	void (*visit)(void *context, uint32_t site), void *context);

/* ---- what a fast-forward does at each transition ---- */

/* Add rows to a node, and note that it has some. */
static inline void contexts_rows(struct contexts *x, uint32_t node, uint64_t rows)
{
	struct context_node *n = &x->nodes[node];

	if (!rows)
		return;
	if (!n->rows)
		x->touched[x->touched_count++] = node;
	n->rows += rows;
}

static inline struct context_cached *contexts_cached(
	struct contexts *x, uint32_t node, uint32_t transition)
{
	return &x->cache[(node * 0x9e3779b1u ^ transition * 0x85ebca6bu) >> 19 &
			 (CONTEXT_CACHE - 1)];
}

int contexts_more_frames(struct contexts *x);

static inline int contexts_push(
	struct contexts *x, uint32_t edge, uint64_t gen, enum context_entry entry)
{
	struct context_edge *e = &x->edges[edge];

	if (x->depth == x->room && contexts_more_frames(x))
		return PL_ERR_MEMORY;
	e->entries[entry]++;
	x->frames[x->depth++] = (struct context_frame){.edge = edge,
		.node = e->to,
		.code = x->sites[e->site].callee,
		.gen = gen,
		.since = x->now,
		.entered = x->now,
		.entry = entry};
	return 0;
}

#endif
