#define _GNU_SOURCE
#include "cmd/calls_ahead.h"
#include "expr/match.h"
#include "expr/named.h"

#include <stdlib.h>
#include <string.h>
#include "base/array.h"

/* Of nodes, before the calls that are still open are written. Without folding there is no reason to
 * keep many. */
#define HELD_MAX     (64u << 20)
#define HELD_ALL_MAX (4u << 20)

struct call_frame {
	const struct pl_code *code;
	uint64_t generator, task;
	struct call_node *node;	 /* owned; NULL: it is not shown */
	struct call_node *shown; /* that node, or the nearest one of a frame below, or the root */
	bool inside;		 /* a function of --function, or called by one */
	bool prints;		 /* an exception, for the interpreter, or called by what does */
	bool linked;		 /* no entry of it was recorded, so none of its end is missed */
	struct pl_values args;	 /* owned: of a pending call that goes on, for the filter */
	/* of the last exception that arrived in it */
	struct pl_values raised; /* owned */
	const char *raised_type;
};

/* ---- writing ---- */

static void write_node(struct calls_tree *t, const struct call_node *n)
{
	const bool too_deep = calls_filter_is_on(&t->filter) && t->depth && n->level >= t->depth;

	if (!t->stopped && !t->failed && !too_deep)
		t->stopped = !t->write(t->context, n);
}

/* Write what has ended below the node; the last ones are left if others may be folded into them. */
static void write_ended(struct calls_tree *t, struct call_node *parent, bool but_last)
{
	while (parent->children > (but_last ? CALL_OPEN_MAX : 0)) {
		struct call_node *n = parent->first;
		for (struct call_node *m = n; m; m = call_node_next(n, m)) {
			m->level = m->parent->level + 1;
			write_node(t, m);
		}
		call_node_free(&t->nodes, call_node_take(parent));
	}
}

/* ---- too much is kept ---- */

/* Write calls that are open, the outermost first, until it is half of that. */
static void write_open(struct calls_tree *t)
{
	const size_t most = t->all ? HELD_ALL_MAX : HELD_MAX;
	struct call_node *inner = &t->root;

	for (size_t i = 0; i < t->count && t->nodes.held > most / 2; i++) {
		struct call_node *n = t->frames[i].node;
		if (!n)
			continue;
		inner = n;
		if (n->written)
			continue;
		write_ended(t, n->parent, false);
		calls_ahead_end(t, n);
		n->hidden = n->pending && !calls_filter_ended(&t->filter, n, &t->frames[i].args);
		n->pending = false;
		n->level = n->parent->level + !n->hidden;
		if (!n->hidden)
			write_node(t, n);
		n->written = true;
	}
	if (t->nodes.held > most / 2)
		write_ended(t, inner, false);
	t->held_max = t->nodes.held > most / 2 ? 2 * t->nodes.held : most;
}

/* At a pause. Whether a pending call is selected is known at its end: until then it is hidden. */
static void write_all(struct calls_tree *t)
{
	struct call_node *inner = &t->root;

	for (size_t i = 0; i < t->count; i++) {
		struct call_node *n = t->frames[i].node;
		if (!n)
			continue;
		inner = n;
		if (n->written)
			continue;
		write_ended(t, n->parent, false);
		n->hidden = n->pending;
		n->level = n->parent->level + !n->hidden;
		call_set_open(n, &t->now);
		if (!n->hidden)
			write_node(t, n);
		n->written = true;
	}
	write_ended(t, inner, false);
}

/* ---- nodes ---- */

static struct call_node *shown_now(struct calls_tree *t)
{
	return t->count ? t->frames[t->count - 1].shown : &t->root;
}

/* NULL: there is no memory. */
static struct call_node *begin_node(
	struct calls_tree *t, const struct pl_event *e, enum call_begin begin)
{
	struct call_node *n = call_node_new(&t->nodes), *parent = shown_now(t);

	if (!n) {
		t->failed = true;
		return NULL;
	}
	n->parent = parent;
	n->level = parent->level + 1;
	n->begin = begin;
	n->code = e->code;
	n->depth = e->depth;
	n->caller_line = e->caller_line;
	n->line = begin == CALL_CALLED || begin == CALL_OUTSIDE ? pl_code_first_line(e->code)
								: e->line;
	n->generator = e->generator;
	n->begin_ns = e->time_ns;
	n->begin_error_ns = e->time_error_ns;
	n->one.seq = e->seq;
	return n;
}

/* The filter does not select it: its children go to its parent. */
static void drop_node(struct calls_tree *t, struct call_node *n)
{
	struct call_node *parent = n->parent;

	while (n->first) {
		struct call_node *child = call_node_take(n);
		child->parent = parent;
		call_node_append(&t->nodes, child, !t->all);
	}
	call_node_free(&t->nodes, n);
	if (parent->written)
		write_ended(t, parent, !t->all);
}

/* The node has ended. */
static void end_node(struct calls_tree *t, struct call_node *n)
{
	struct call_node *parent = n->parent;

	if (n->written) {
		write_ended(t, n, false);
		if (n->begin == CALL_ENDS) {
			n->level = parent->level + 1;
			write_node(t, n);
		}
		call_node_free(&t->nodes, n);
		return;
	}
	call_node_shape(n);
	call_node_append(&t->nodes, n, !t->all);
	if (parent->written)
		write_ended(t, parent, !t->all);
	if (t->nodes.held <= t->held_max)
		return;
	if (t->follows)
		write_all(t);
	else
		write_open(t);
}

static bool passes_filter(struct calls_tree *t, const struct pl_event *e)
{
	return !calls_filter_is_on(&t->filter) || calls_filter_has(&t->filter, e);
}

static void take_gap(struct calls_tree *t, const struct pl_event *e)
{
	t->damages += e->gap == PL_GAP_DAMAGED;
	if ((t->function && shown_now(t) == &t->root) || !passes_filter(t, e))
		return;
	struct call_node *n = begin_node(t, e, CALL_GAP);
	if (!n)
		return;
	n->end = CALL_NONE;
	n->gap = e->gap;
	n->type = pl_gap_reason_name(e->gap);
	n->lost = e->lost;
	end_node(t, n);
}

static void take_mark(struct calls_tree *t, const struct pl_event *e)
{
	if (!select_task(t->selection, e) || (t->function && shown_now(t) == &t->root) ||
		!passes_filter(t, e))
		return;
	struct call_node *n = begin_node(t, e, CALL_MARK);
	if (!n)
		return;
	n->end = CALL_NONE;
	n->text = strdup(e->type ? e->type : "");
	t->failed |= !n->text;
	end_node(t, n);
}

/* ---- frames ---- */

/* Older recordings have no numbers of tasks. */
static uint64_t task_key(const struct pl_event *e)
{
	return e->task_id ? e->task_id : e->task ? hash_bytes(e->task, strlen(e->task)) : 0;
}

static void note_task(struct calls_tree *t, struct call_node *n, const struct pl_event *e)
{
	n->one.task_id = e->task_id;
	n->one.task = e->task ? strdup(e->task) : NULL;
	t->failed |= e->task && !n->one.task;
}

/* What its end will be asked for, together with how it ends. */
static void make_pending(
	struct calls_tree *t, struct call_frame *f, const struct pl_event *e, enum call_begin begin)
{
	const struct pl_values *args = calls_filter_args(&t->filter);
	struct call_node *n = f->node;

	n->pending = true;
	n->inside_task_id = e->task_id;
	n->inside_task = e->task ? strdup(e->task) : NULL;
	t->failed |= e->task && !n->inside_task;
	if (args && (begin == CALL_RESUMED || begin == CALL_THROWN))
		calls_keep_values(t, &f->args, args);
}

static bool is_code(const struct pl_code *code, const char *file, const char *name)
{
	return code && named_function(code, name) &&
	       match_is_end(pl_code_file(code), '/', (struct pl_text){file, strlen(file)});
}

/* Does it print an exception that nobody handled? From 3.13 on the interpreter calls Python code
 * for that, and before it an import of that code, if it was not imported yet. */
static bool prints_exception(const struct calls_tree *t, const struct pl_code *code)
{
	const struct call_frame *caller = t->count ? &t->frames[t->count - 1] : NULL;

	if (is_code(code, "traceback.py", "_print_exception_bltin"))
		return true;
	return is_code(code, "<frozen importlib._bootstrap>", "_find_and_load") &&
	       (caller ? is_code(caller->code, "threading.py", "invoke_excepthook") : t->raised);
}

/* Does it only add to the number of calls below its caller? Who selects calls gets all of them. */
static bool is_counted(const struct calls_tree *t)
{
	return t->count && t->frames[t->count - 1].prints && !t->all && !t->function &&
	       !calls_filter_is_on(&t->filter);
}

static void show_frame(
	struct calls_tree *t, struct call_frame *f, const struct pl_event *e, enum call_begin begin)
{
	const uint64_t task = t->count ? t->frames[t->count - 1].task : 0;
	struct call_node *parent = shown_now(t);

	const bool filtered = calls_filter_is_on(&t->filter);
	enum expr_answer wanted = EXPR_YES;

	f->shown = parent;
	if (!f->inside || !select_task(t->selection, e))
		return;
	if (filtered)
		wanted = t->passed_over && begin == CALL_CONTINUES
				 ? EXPR_NO
				 : calls_filter_begin(&t->filter, e, begin == CALL_CONTINUES);
	if (wanted == EXPR_NO)
		return;
	if (is_counted(t) || (t->depth && !filtered && parent->level + 1 >= t->depth)) {
		parent->below++;
		return;
	}
	f->node = begin_node(t, e, begin);
	if (!f->node)
		return;
	if (wanted == EXPR_MAYBE)
		make_pending(t, f, e, begin);
	f->shown = f->node;
	if (f->task && f->task != task)
		note_task(t, f->node, e);
	calls_keep_values(t, &f->node->one.in, &e->values);
}

static void open_frame(struct calls_tree *t, const struct pl_event *e, enum call_begin begin)
{
	struct call_frame *frames = array_room(t->frames, t->count, &t->room, sizeof *frames);

	if (!frames) {
		t->failed = true;
		return;
	}
	t->frames = frames;
	struct call_frame f = {.code = e->code, .generator = e->generator, .task = task_key(e)};
	f.inside = !t->function || (t->count && t->frames[t->count - 1].inside) ||
		   named_function(e->code, t->function);
	f.prints = (t->count && t->frames[t->count - 1].prints) || prints_exception(t, e->code);
	show_frame(t, &f, e, begin);
	t->frames[t->count++] = f;
}

static bool end_is_known(const struct call_node *n)
{
	return n->end != CALL_OPEN && n->end != CALL_NONE;
}

/* e: with which it ends; NULL: without an event. */
static void close_frame(struct calls_tree *t, const struct pl_event *e, enum call_end end)
{
	struct call_frame *f = &t->frames[t->count - 1];
	struct call_node *n = f->node;

	if (n && (!n->written || t->follows)) {
		n->type = NULL;
		if (e && e->kind == PL_EVENT_UNWIND) {
			n->type = f->raised_type;
			n->one.out = f->raised;
			f->raised = (struct pl_values){0};
		}
		call_set_end_time(n, &t->now);
		if (e)
			call_set_end(t, n, e);
		else if (end == CALL_OPEN)
			call_set_open(n, &t->now);
		else
			n->end = n->begin == CALL_OUTSIDE || (f->linked && end == CALL_VANISHED)
					 ? CALL_NONE
					 : end;
	}
	call_values_release(&t->nodes, &f->raised);
	const bool drop = n && n->pending && !calls_filter_ended(&t->filter, n, &f->args);
	call_values_release(&t->nodes, &f->args);
	t->count--;
	if (!t->count)
		t->raised = e && e->kind == PL_EVENT_UNWIND;
	if (n && n->written && t->follows && end_is_known(n))
		n->begin = CALL_ENDS;
	if (drop)
		drop_node(t, n);
	else if (n)
		end_node(t, n);
}

static void close_to(struct calls_tree *t, size_t count, enum call_end end)
{
	while (t->count > count)
		close_frame(t, NULL, end);
}

/* ---- the stack ---- */

/* How many of the frames are those that the tree has. */
static size_t same_frames(const struct calls_tree *t, const struct pl_frame *frames, size_t count)
{
	size_t n = 0;

	while (n < count && n < t->count && frames[n].code == t->frames[n].code &&
		frames[n].generator == t->frames[n].generator)
		n++;
	return n;
}

/* Frames that the path has on its stack, but of which no event was read: those that were there at
 * the beginning, after a gap, or of a greenlet that goes on. */
static void open_missing(
	struct calls_tree *t, const struct pl_event *e, const struct pl_frame *frames, size_t count)
{
	struct pl_event made = *e;

	made.task = NULL;
	made.task_id = 0;
	made.values = (struct pl_values){0};
	for (size_t i = 0; i < count && !t->failed; i++) {
		made.caller_line = i ? frames[i - 1].line : 0;
		if (frames[i].task || frames[i].task_id) {
			made.task = frames[i].task;
			made.task_id = frames[i].task_id;
		}
		if (i < t->count)
			continue;
		made.code = frames[i].code;
		made.line = frames[i].line;
		made.depth = (uint32_t)i;
		made.generator = frames[i].generator;
		open_frame(t, &made, CALL_CONTINUES);
		if (!t->failed)
			t->frames[i].linked = frames[i].linked;
	}
}

/* Take the stack of the cursor; frames: those below the event's own, or with it. */
static void take_stack(struct calls_tree *t, const struct pl_event *e, size_t wanted)
{
	size_t count = pl_cursor_stack(t->cursor, NULL, 0);
	struct pl_frame *frames = calloc(count + 1, sizeof *frames);
	const bool moved = e->greenlet != t->greenlet;

	if (!frames) {
		t->failed = true;
		return;
	}
	pl_cursor_stack(t->cursor, frames, count);
	if (count > wanted)
		count = wanted;
	close_to(t, moved ? 0 : same_frames(t, frames, count), moved ? CALL_LEFT : CALL_VANISHED);
	t->greenlet = e->greenlet;
	open_missing(t, e, frames, count);
	free(frames);
	if (call_ends(e) && t->count == e->depth && t->count + 1 == wanted) {
		struct pl_event made = *e;
		made.values = (struct pl_values){0};
		made.caller_line = 0;
		open_frame(t, &made, CALL_CONTINUES);
	}
}

/* Before an event the tree has the frames that the path has. Mostly it has. */
static void follow_stack(struct calls_tree *t, const struct pl_event *e)
{
	const bool begins = call_begins(e);
	const size_t wanted = (size_t)e->depth + !begins;

	if (e->greenlet != t->greenlet || t->count < wanted ||
		(!begins && t->frames[wanted - 1].code != e->code))
		take_stack(t, e, wanted);
	else if (t->count > wanted)
		close_to(t, wanted, CALL_VANISHED);
}

static void take_exception(struct calls_tree *t, const struct pl_event *e)
{
	struct call_frame *f = &t->frames[t->count - 1];

	f->raised_type = e->type;
	calls_keep_values(t, &f->raised, &e->values);
}

static void take_event(struct calls_tree *t, const struct pl_event *e)
{
	static const enum call_begin begins[] = {[PL_EVENT_CALL] = CALL_CALLED,
		[PL_EVENT_RESUME] = CALL_RESUMED,
		[PL_EVENT_THROW] = CALL_THROWN,
		[PL_EVENT_OUTSIDE] = CALL_OUTSIDE};

	if (calls_filter_is_on(&t->filter))
		t->failed |= calls_filter_event(&t->filter, e) < 0;
	if (e->kind == PL_EVENT_GAP) {
		take_gap(t, e);
		if (e->gap == PL_GAP_ATTACHED) /* a thread that stands still has nothing else */
			take_stack(t, e, SIZE_MAX);
		return;
	}
	if (e->kind == PL_EVENT_MARK) {
		take_mark(t, e);
		return;
	}
	if (!e->code)
		return;
	follow_stack(t, e);
	if (call_begins(e))
		open_frame(t, e, begins[e->kind]);
	else if (call_ends(e) && t->count == (size_t)e->depth + 1)
		close_frame(t, e, CALL_OPEN);
	else if (call_raises(e) && t->count)
		take_exception(t, e);
}

/* ---- the thread ---- */

/* To the first call that the filter can select. The frames that are there already are not. */
static int seek_filter(struct calls_tree *t, struct pl_err *err)
{
	int code = pl_cursor_seek_time(t->cursor, t->filter.first_ns, err);

	if (code == 0)
		code = pl_cursor_next(t->cursor, &t->now, err);
	if (code == 0)
		code = calls_filter_start(&t->filter, t->r, t->now.seq, err);
	t->passed_over = true;
	return code ? code : pl_cursor_seek_seq(t->cursor, t->now.seq, err);
}

static int seek_from(struct calls_tree *t, struct pl_err *err)
{
	const struct when *from = &t->selection->from;
	const int64_t first_ns = t->filter.first_ns;

	if (!t->follows && first_ns > INT64_MIN &&
		(from->kind == WHEN_NONE || (from->kind == WHEN_TIME && from->time_ns < first_ns)))
		return seek_filter(t, err);
	if (from->kind == WHEN_TIME)
		return pl_cursor_seek_time(t->cursor, from->time_ns, err);
	return from->kind == WHEN_SEQ ? pl_cursor_seek_seq(t->cursor, from->seq, err) : 0;
}

/* A cursor that is this near goes on; else it seeks. */
#define NEAR_EVENTS 4096

/* No frame that is open has a node: pass over what cannot be selected. Those frames will be opened
 * again, with no more nodes than they had, from the cursor's stack. */
static int pass_over(struct calls_tree *t, struct pl_err *err)
{
	uint64_t seq = t->now.seq + 1;
	int code = calls_filter_next(&t->filter, t->r, &seq, err);

	if (code < 0 || seq == UINT64_MAX)
		return code < 0 ? code : PL_END;
	if (seq <= t->now.seq + 1)
		return 0;
	close_to(t, 0, CALL_OPEN);
	t->passed_over = true;
	if (seq - t->now.seq > NEAR_EVENTS)
		return pl_cursor_seek_seq(t->cursor, seq, err);
	for (uint64_t left = seq - t->now.seq - 1; left && code == 0; left--)
		code = pl_cursor_next(t->cursor, &t->now, err);
	return code;
}

static bool shows_nothing(struct calls_tree *t)
{
	if (!calls_filter_is_on(&t->filter) || shown_now(t) != &t->root)
		return false;
	return t->now.kind != PL_EVENT_GAP;
}

static int walk_events(struct calls_tree *t, struct pl_err *err)
{
	struct pl_event e;
	int code = 0;

	while (code == 0 && !t->stopped && !t->failed && !t->error) {
		code = pl_cursor_next(t->cursor, &e, err);
		if (code == 0 && when_after(&t->selection->to, &e))
			code = PL_END;
		if (code || e.kind == PL_EVENT_POSSIBLE)
			continue;
		t->now = e;
		take_event(t, &e);
		t->passed_over = false;
		if (!t->follows && shows_nothing(t))
			code = pass_over(t, err);
	}
	return code == PL_END ? 0 : code;
}

static void release_tree(struct calls_tree *t)
{
	for (size_t i = t->count; i > 0; i--) {
		call_values_release(&t->nodes, &t->frames[i - 1].raised);
		call_values_release(&t->nodes, &t->frames[i - 1].args);
		if (t->frames[i - 1].node)
			call_node_free(&t->nodes, t->frames[i - 1].node);
	}
	while (t->root.first)
		call_node_free(&t->nodes, call_node_take(&t->root));
	call_nodes_release(&t->nodes);
	free(t->frames);
	t->frames = NULL;
	t->count = t->room = 0;
	calls_filter_release(&t->filter);
	pl_search_free(t->search);
	pl_cursor_free(t->ahead);
	pl_cursor_free(t->cursor);
	t->search = NULL;
	t->cursor = t->ahead = NULL;
}

int calls_tree_begin(struct calls_tree *t, uint32_t process, uint32_t thread, struct pl_err *err)
{
	const int code = pl_cursor_new(&t->cursor, t->r, process, thread, err);

	t->root = (struct call_node){.level = UINT32_MAX, .written = true};
	t->greenlet = 0;
	t->held_max = t->all ? HELD_ALL_MAX : HELD_MAX;
	t->filter.x = t->expression;
	t->filter.thread = pl_recording_thread(t->r, process, thread);
	t->filter.first_ns = INT64_MIN;
	t->filter.last_ns = INT64_MAX;
	if (t->expression)
		expr_times(t->expression->expr, &t->filter.first_ns, &t->filter.last_ns);
	if (code)
		return code;
	pl_cursor_want_values(t->cursor, t->values);
	return seek_from(t, err);
}

int calls_tree_step(struct calls_tree *t, struct pl_err *err)
{
	const int code = walk_events(t, err);

	if (t->follows)
		write_all(t);
	return code < 0 ? code : t->failed ? PL_ERR_MEMORY : t->error;
}

void calls_tree_end(struct calls_tree *t)
{
	close_to(t, 0, CALL_OPEN);
	write_ended(t, &t->root, false);
	release_tree(t);
}

int calls_tree_walk(struct calls_tree *t, uint32_t process, uint32_t thread, struct pl_err *err)
{
	int code = calls_tree_begin(t, process, thread, err);

	if (code >= 0)
		code = calls_tree_step(t, err);
	calls_tree_end(t);
	return code < 0 ? code : t->failed ? PL_ERR_MEMORY : t->error;
}
