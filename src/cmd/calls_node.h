/* A node of the tree of calls (calls_tree.h): a call, or several that are folded into one; or a gap
 * or a mark.
 */
#ifndef PL_CMD_CALLS_NODE_H
#define PL_CMD_CALLS_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include "pathline/pathline.h"

/* How a node begins. A row: constant, the word of --json. */
#define CALL_BEGINS(X)                                                                             \
	X(CALLED, "call")                                                                          \
	X(RESUMED, "resume")                                                                       \
	X(THROWN, "throw")                                                                         \
	X(OUTSIDE, "outside")                                                                      \
	X(CONTINUES, "continues") /* its beginning is not in what was read */                      \
	X(ENDS, "ends")		  /* of one that had a line before, when it was open */            \
	X(GAP, "gap")		  /* no call: events are missing */                                \
	X(MARK, "mark")		  /* no call */                                                    \
	X(REPEAT, "repeat")	  /* no call: its children follow each other again and again */

/* How it ends. */
#define CALL_ENDS(X)                                                                               \
	X(OPEN, "open") /* it has not ended where what is read ends */                             \
	X(RETURNED, "return")                                                                      \
	X(YIELDED, "yield")                                                                        \
	X(RAISED, "unwind")                                                                        \
	X(LEFT, "left")		/* its greenlet was left for another one */                        \
	X(VANISHED, "vanished") /* without an event */                                             \
	X(NONE, "none")		/* that of a gap, a mark, or a call that is not recorded */

#define X(constant, word) CALL_##constant,
enum call_begin { CALL_BEGINS(X) };
enum call_end { CALL_ENDS(X) };
#undef X

/* What is known of one call, and what differs between calls that are folded. */
struct call_one {
	struct pl_values in;  /* owned: arguments, what was sent, or what was thrown */
	struct pl_values out; /* owned: the result, what it yields, or the exception */
	uint64_t seq;
	uint64_t task_id; /* 0: no task begins here, or its number is not known */
	char *task;	  /* owned: its name; NULL: none, or not known */
};

struct call_node {
	struct call_node *parent;	/* NULL: of the root */
	struct call_node *next, *prev;	/* siblings */
	struct call_node *first, *last; /* children that have ended; owned */
	uint32_t children;		/* their number */
	struct call_one one, to;    /* the first call, and of several the last one (seq: not 0) */
	const struct pl_code *code; /* NULL: of gaps and marks outside of all code */
	const char *type;	    /* of the exception; of a gap, its reason */
	char *text;		    /* owned: of a mark */
	uint64_t count;		    /* of calls; below a REPEAT: in its first round */
	uint64_t below;		    /* calls below it, deeper than --depth */
	uint64_t generator;
	uint64_t lost;	/* of a gap: events */
	uint64_t shape; /* the same: the node can be folded with it */
	int64_t begin_ns;
	int64_t total_ns;	/* by the times of events: the sum of all calls */
	int64_t latest_ns;	/* the last one had ended by then; INT64_MAX: not known */
	int64_t begin_error_ns; /* it began at begin_ns, or up to so much later */
	int64_t error_ns;	/* the sum of those of all calls; call_node_error has less */
	uint32_t depth;		/* frames below it in the thread */
	uint32_t level;		/* nodes above it */
	int32_t line;		/* where it begins */
	int32_t caller_line;	/* 0: none */
	enum pl_gap_reason gap;
	enum call_begin begin;
	enum call_end end;
	bool written;
	/* With --filter: whether it is shown depends on its end; it is not, and what is below it is
	 * shown at its level. */
	bool pending, hidden;
	char *inside_task; /* owned: of a pending one, the task in which it runs, or NULL */
	uint64_t inside_task_id;
};

/* total_ns is at most this much too high or too low; INT64_MAX: not known. */
int64_t call_node_error(const struct call_node *n);

const char *call_begin_word(enum call_begin begin);
const char *call_end_word(enum call_end end);

/* Nodes that are not used, for the next ones. */
struct call_nodes {
	struct call_node *unused; /* owned */
	size_t held;		  /* bytes of the nodes that are in use */
};

/* All zero. NULL: there is no memory. */
struct call_node *call_node_new(struct call_nodes *all);
/* With all that is below it, and below what was taken out of its parent's list. */
void call_node_free(struct call_nodes *all, struct call_node *n);
void call_nodes_release(struct call_nodes *all);

/* *to, which is released before, gets a copy of the values. false: there is no memory. */
bool call_values_copy(struct call_nodes *all, struct pl_values *to, const struct pl_values *from);
void call_values_release(struct call_nodes *all, struct pl_values *v);

/* Say what its shape is, when it and its children have ended. */
void call_node_shape(struct call_node *n);

/* Put a node that has ended at the end of its parent's list. With `fold`, what repeats there
 * becomes one:
 *
 *	a a a            a × 3
 *	a b a b a b      repeated × 3, above a and b
 */
void call_node_append(struct call_nodes *all, struct call_node *n, bool fold);
/* Siblings at the end of a list that later ones can be folded into. */
#define CALL_ROUND_MAX 8
#define CALL_OPEN_MAX  (2 * CALL_ROUND_MAX)
/* Take the first child off its parent's list; the caller frees it. */
struct call_node *call_node_take(struct call_node *parent);
/* The next one in the order of their beginnings, at or below `top`; NULL: there is none. */
struct call_node *call_node_next(const struct call_node *top, struct call_node *n);

#endif
