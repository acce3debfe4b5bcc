/* The calls of a thread as a tree, each with its end, in the order in which they began.
 *
 *	main  app.py:9  1.2 s  #4              a node: one call, or several that are folded
 *	  load  app.py:2  4.0 ms  #9           its children
 *	  step  × 1,204  app.py:5  1.1 s  #31
 *
 * The path is read once, forward. A call is written before the calls below it, but its end comes
 * after them, so nodes are kept until the outermost call ends, or until they take HELD_MAX bytes.
 * Then the calls that are still open are written, the outermost first: their ends are looked for
 * ahead (pl_search_shallow). What is below a call that is written is written as it ends. So memory
 * grows with the depth of the stack, not with the length of the path.
 *
 * Folding: calls that follow each other in one caller are one node if they have the same function,
 * line of the call and kind of end, and if their children after folding are such in turn. The
 * numbers of repetitions below may differ. The node keeps the first call with its children, and the
 * values of the last one. Where some calls follow each other again and again, as in a loop that
 * calls two functions, those of the first round are below a node "repeated".
 *
 * With --filter, calls that it does not select have no node; those of which that is known only at
 * their end have one that is pending, which gives its children to its parent if it is not shown.
 *
 * While the recording is written (follows): at a pause all that is kept is written, with the calls
 * that are open. Such a call has a second line when it ends.
 *
 * A run of a generator or coroutine, from when it begins or is resumed until it yields or ends, is
 * a call.
 */
#ifndef PL_CMD_CALLS_TREE_H
#define PL_CMD_CALLS_TREE_H

#include "cmd/calls_filter.h"
#include "cmd/calls_node.h"
#include "cmd/select.h"
#include "pathline/pathline.h"

struct call_frame; /* one that is on the stack */

/* Of one thread. */
struct calls_tree {
	/* in */
	struct pl_recording *r;
	const struct selection *selection;
	const char *function;	       /* only below functions of this pattern; NULL: all */
	struct expression *expression; /* of --filter; NULL: none */
	uint32_t depth;		       /* levels; 0: all */
	bool all;		       /* nothing is folded */
	bool follows;		       /* the recording is being written */
	bool values;
	/* Called for each node, in order; nothing of it is valid afterwards. It returns false if no
	 * more is wanted. */
	bool (*write)(void *context, const struct call_node *n);
	void *context;
	/* out */
	uint64_t damages; /* gaps of damage */
	/* all zero at the beginning */
	struct pl_cursor *cursor, *ahead; /* owned */
	struct pl_search *search;	  /* owned; of the events between */
	struct call_frame *frames;	  /* owned */
	size_t count, room;
	struct call_node root; /* above all nodes; never written */
	struct call_nodes nodes;
	size_t held_max; /* bytes of nodes; more are written */
	struct calls_filter filter;
	uint64_t greenlet;
	struct pl_event now; /* the last one */
	bool raised;	     /* an exception ended the last bottom frame */
	bool passed_over;    /* the last event is the first after some that were */
	bool stopped, failed;
	int error; /* of reading ahead; 0: none */
};

/* Walk over the path of a thread. 0, or an error; PL_ERR_MEMORY. Everything is released. */
int calls_tree_walk(struct calls_tree *t, uint32_t process, uint32_t thread, struct pl_err *err);

/* The same in parts, of a recording that is being written: begin, then each time that there is more
 * a step, which ends with a pause; at last the end, also after an error. */
int calls_tree_begin(struct calls_tree *t, uint32_t process, uint32_t thread, struct pl_err *err);
int calls_tree_step(struct calls_tree *t, struct pl_err *err);
void calls_tree_end(struct calls_tree *t);

#endif
