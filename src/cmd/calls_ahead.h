/* The end of a call that is written before it is over: its path is read ahead, and what the call
 * calls is passed over (pl_search_shallow).
 */
#ifndef PL_CMD_CALLS_AHEAD_H
#define PL_CMD_CALLS_AHEAD_H

#include "cmd/calls_tree.h"

/* Find the end of the node's call. An error is in t->error. */
void calls_ahead_end(struct calls_tree *t, struct call_node *n);

/* ---- what ends a node, also where it is met in its place ---- */

static inline bool call_begins(const struct pl_event *e)
{
	return e->kind == PL_EVENT_CALL || e->kind == PL_EVENT_RESUME ||
	       e->kind == PL_EVENT_THROW || e->kind == PL_EVENT_OUTSIDE;
}

static inline bool call_ends(const struct pl_event *e)
{
	return e->kind == PL_EVENT_RETURN || e->kind == PL_EVENT_YIELD ||
	       e->kind == PL_EVENT_UNWIND;
}

static inline bool call_raises(const struct pl_event *e)
{
	return e->kind == PL_EVENT_RAISE || e->kind == PL_EVENT_RERAISE;
}

/* With the event that ends it. */
void call_set_end(struct calls_tree *t, struct call_node *n, const struct pl_event *e);
void call_set_end_time(struct call_node *n, const struct pl_event *e);
/* It is still open at the last event. */
void call_set_open(struct call_node *n, const struct pl_event *last);
/* A copy; if there is no memory, t->failed. */
void calls_keep_values(struct calls_tree *t, struct pl_values *to, const struct pl_values *from);

#endif
