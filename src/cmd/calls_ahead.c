#include "cmd/calls_ahead.h"

#include "base/units.h"

/* A search that passes over events stops some thousands before the one that is wanted. */
#define AHEAD_EVENTS 16384

static int64_t latest_of(const struct pl_event *e)
{
	int64_t latest;

	return __builtin_add_overflow(e->time_ns, e->time_error_ns, &latest) ? INT64_MAX : latest;
}

void calls_keep_values(struct calls_tree *t, struct pl_values *to, const struct pl_values *from)
{
	t->failed |= !call_values_copy(&t->nodes, to, from);
}

void call_set_end(struct calls_tree *t, struct call_node *n, const struct pl_event *e)
{
	n->end = e->kind == PL_EVENT_RETURN  ? CALL_RETURNED
		 : e->kind == PL_EVENT_YIELD ? CALL_YIELDED
					     : CALL_RAISED;
	if (e->kind != PL_EVENT_UNWIND)
		calls_keep_values(t, &n->one.out, &e->values);
}

void call_set_end_time(struct call_node *n, const struct pl_event *e)
{
	n->total_ns = units_between(n->begin_ns, e->time_ns);
	n->error_ns = n->begin_error_ns < n->total_ns ? n->begin_error_ns : n->total_ns;
	if (n->error_ns < e->time_error_ns)
		n->error_ns = e->time_error_ns;
	n->latest_ns = latest_of(e);
}

void call_set_open(struct call_node *n, const struct pl_event *last)
{
	n->end = n->begin == CALL_OUTSIDE ? CALL_NONE : CALL_OPEN;
	n->type = last->kind == PL_EVENT_GAP ? pl_gap_reason_name(last->gap) : NULL;
	call_set_end_time(n, last);
}

/* The frame of the node still runs at this event. An exception that arrives is kept. */
static bool is_within(struct calls_tree *t, struct call_node *n, const struct pl_event *e)
{
	if (e->kind == PL_EVENT_GAP || e->kind == PL_EVENT_MARK || e->depth > n->depth)
		return true;
	if (e->depth < n->depth || e->code != n->code || e->greenlet != t->greenlet)
		return false;
	if (call_raises(e)) {
		n->type = e->type;
		calls_keep_values(t, &n->one.out, &e->values);
	}
	return !call_ends(e) && !call_begins(e);
}

/* Pass over what the frame calls, and move the cursor there. PL_END: it never ends. */
static int pass_ahead(struct calls_tree *t, const struct call_node *n, uint64_t seq)
{
	const struct pl_wanted none = {
		.process = t->now.position.process, .thread = t->now.position.thread};
	int code = t->search ? 0 : pl_search_new(&t->search, t->r, &none, NULL);

	if (code == 0)
		code = pl_search_shallow(t->search, n->depth, false, &seq, NULL);
	if (code >= 0 && !t->ahead) {
		code = pl_cursor_new(&t->ahead, t->r, none.process, none.thread, NULL);
		if (code == 0)
			pl_cursor_want_values(t->ahead, t->values);
	}
	return code < 0 ? code : pl_cursor_seek_seq(t->ahead, code ? INT64_MAX : seq, NULL);
}

/* Rows of what may have run are no events. */
static int next_ahead(struct calls_tree *t, struct pl_event *e)
{
	struct pl_event next;
	int code;

	do
		code = pl_cursor_next(t->ahead, &next, NULL);
	while (code == 0 && next.kind == PL_EVENT_POSSIBLE);
	if (code == 0)
		*e = next;
	return code;
}

/* The first event at which the frame does not run any more. */
static int look_ahead(struct calls_tree *t, struct call_node *n, struct pl_event *e)
{
	int code = pass_ahead(t, n, t->now.seq + 1);

	*e = t->now;
	for (uint64_t i = 1; code == 0; i++) {
		if (i % AHEAD_EVENTS == 0)
			code = pass_ahead(t, n, e->seq + 1);
		if (code == 0)
			code = next_ahead(t, e);
		if (code == 0 && when_after(&t->selection->to, e))
			code = PL_END;
		if (code == 0 && !is_within(t, n, e))
			break;
	}
	return code;
}

void calls_ahead_end(struct calls_tree *t, struct call_node *n)
{
	struct pl_event e;
	const int code = look_ahead(t, n, &e);

	if (code) {
		call_set_open(n, &e);
		t->error = code < 0 ? code : t->error;
		return;
	}
	call_set_end_time(n, &e);
	if (e.kind != PL_EVENT_UNWIND)
		n->type = NULL;
	if (call_ends(&e) && e.depth == n->depth && e.code == n->code && e.greenlet == t->greenlet)
		call_set_end(t, n, &e);
	else
		n->end = n->begin == CALL_OUTSIDE    ? CALL_NONE
			 : e.greenlet != t->greenlet ? CALL_LEFT
						     : CALL_VANISHED;
}
