/* A row at a stamp closes the span, then changes the stack. */
#include "trace/profile.h"

#include "trace/blocks.h"

struct stood profile_line_before_row(struct pl_profile *p)
{
	struct stood s = {.depth = p->walk.clock.path.stack.depth};

	s.code = thread_path_runs(&p->walk.clock.path, &s.line);
	return s;
}

static bool is_exit(enum pl_event_kind kind)
{
	return kind == PL_EVENT_RETURN || kind == PL_EVENT_YIELD || kind == PL_EVENT_UNWIND;
}

int profile_lose_span(struct pl_profile *p, uint64_t to_ticks)
{
	int code = profile_take_transitions(p);

	if (to_ticks > p->open_ticks)
		p->lost_ns += profile_wanted_ns(p, p->open_ticks, to_ticks);
	profile_leave_aside(p, p->left_count);
	share_forget(&p->share, &p->contexts);
	p->open_ticks = to_ticks;
	p->open_seq = p->row_seq;
	return code;
}

/* JUMPED is a gap without lost events: the path before it is known up to there. */
static int leave_gap(struct pl_profile *p, const struct pl_event *row)
{
	if (row->kind != PL_EVENT_GAP || row->gap == PL_GAP_JUMPED || path_end_has(row))
		return 0;
	return profile_lose_span(p, p->walk.clock.ticks);
}

/* In a tail: its time is known at the end of the span. */
static void put_in_tail(struct pl_profile *p, const struct stood *before, bool gone)
{
	struct contexts *x = &p->contexts;
	const bool began_here = p->tail_line == x->depth;

	if (!p->walk.clock.marks.timed) /* what comes before a stamp's row has no time of its own */
		return;
	p->tail_line = gone ? 0 : x->depth;
	if (!gone && began_here)
		return;
	struct context_frame *f = &x->frames[x->depth - 1];
	if (p->left_count == LEFT_MAX) /* the tail, too, has only its last rows */
		profile_leave_aside(p, 1);
	p->left[p->left_count++] = (struct profile_left){.frame = *f,
		.stood = {before->depth, began_here ? NULL : before->code, before->line},
		.tail = p->share.tail_count,
		.gone = gone,
		.now = x->now,
		.kind = p->wanted.blocking_ns ? blocks_kind(x, f, x->depth - 1) : 0};
	if (gone) /* it is told later, and once */
		f->entered = x->now;
}

/* The line of the top frame is over. */
static void leave_line(struct pl_profile *p, const struct pl_event *row, const struct stood *before)
{
	struct contexts *x = &p->contexts;
	struct context_frame *f = x->depth ? &x->frames[x->depth - 1] : NULL;

	if (!f || before->depth != x->depth || !before->code)
		return;
	if (row->kind != PL_EVENT_LINE && row->kind != PL_EVENT_AGAIN && !is_exit(row->kind))
		return;
	put_in_tail(p, before, is_exit(row->kind));
	if (f->since != x->now)
		profile_line_passed(p, f, before->code, before->line);
	profile_begin_line(f, x->now, 0);
}

static void count_entry(struct contexts *x, enum pl_event_kind kind)
{
	struct context_frame *f = x->depth ? &x->frames[x->depth - 1] : NULL;
	enum context_entry entry = kind == PL_EVENT_CALL     ? ENTRY_CALL
				   : kind == PL_EVENT_RESUME ? ENTRY_RESUME
				   : kind == PL_EVENT_THROW  ? ENTRY_THROW
							     : ENTRY_NONE;

	if (!f || entry == ENTRY_NONE)
		return;
	x->edges[f->edge].entries[entry]++;
	f->entry = entry;
}

/* There was a TASK event about the top frame between the rows (before 1.9). */
static int meet_task(struct pl_profile *p)
{
	const struct stack *s = &p->walk.clock.path.stack;
	struct contexts *x = &p->contexts;

	if (!s->task_count || s->tasks[s->task_count - 1].frame + 1 != x->depth ||
		x->frames[x->depth - 1].task)
		return 0;
	return contexts_task(x, &p->walk.clock.path);
}

/* The line of a def begins with the call and is over at the function's first line. So its row is
 * not that of a pass, and takes no part of the tail's time. */
static void take_back_entry(struct pl_profile *p)
{
	share_shorten_tail(&p->share);
	if (p->left_count && p->left[p->left_count - 1].tail > p->share.tail_count)
		p->left[p->left_count - 1].tail = p->share.tail_count;
}

/* The row belongs to the line that runs after it. */
static int share_row(struct pl_profile *p, const struct pl_event *row, bool told)
{
	struct contexts *x = &p->contexts;
	uint32_t node = x->depth ? x->frames[x->depth - 1].node : 0;
	int32_t line;
	const struct pl_code *c = thread_path_runs(&p->walk.clock.path, &line);

	if (told)
		share_begin_tail(&p->share);
	else if (p->entered && row->kind == PL_EVENT_LINE)
		take_back_entry(p);
	p->entered = row->kind == PL_EVENT_CALL;
	for (uint32_t i = 0; p->share.tail_count == TAIL_MAX && i < p->left_count; i++)
		p->left[i].tail -= p->left[i].tail > 0; /* its first row is dropped */
	if (share_rows(&p->share, c, line, 1) || share_tail(&p->share, c, line, node))
		return PL_ERR_MEMORY;
	blocks_note_tail(p, node);
	if (node)
		contexts_rows(x, node, 1);
	if (!pl_event_is_pass(row->kind) || p->before)
		return 0;
	struct shared_line *ran = share_line(&p->share, row->code, row->line);
	if (!ran)
		return PL_ERR_MEMORY;
	ran->hits++;
	return 0;
}

/* The code of the thread's first frame; NULL: not known. */
static const struct pl_code *find_bottom(struct pl_profile *p)
{
	const struct pl_code *bottom = NULL;
	struct pl_event row;
	struct walk w;

	walk_init(&w, p->r, p->thread);
	if (walk_next(&w, &row, NULL) == 0 && row.kind == PL_EVENT_CALL && !row.depth)
		bottom = code_first(row.code);
	walk_release(&w);
	return bottom;
}

/* After the thread's first frame others run, which print the exception. So it is not the last row
 * that tells, but the code. */
static bool is_bottom(struct pl_profile *p, const struct pl_event *row)
{
	if (row->depth || row->greenlet)
		return false;
	if (!p->bottom_known)
		p->bottom = find_bottom(p);
	p->bottom_known = true;
	return p->bottom && p->bottom == code_first(row->code);
}

/* The walk's stack no longer has the frame; the contexts do. */
static int row_unwinds(struct pl_profile *p, const struct pl_event *row)
{
	int32_t line;
	const struct pl_code *below = thread_path_runs(&p->walk.clock.path, &line);
	int code = flights_row(&p->flights, &p->contexts, row, is_bottom(p, row));

	flights_below(&p->flights, below, line);
	return code;
}

/* A part begins with the stack of its first block. Only what the row itself begins has a known
 * beginning. */
static void forget_beginnings(struct pl_profile *p, const struct pl_event *row)
{
	struct contexts *x = &p->contexts;
	bool entry = row->kind == PL_EVENT_CALL || row->kind == PL_EVENT_RESUME ||
		     row->kind == PL_EVENT_THROW || row->kind == PL_EVENT_OUTSIDE;

	p->fresh = false;
	for (uint32_t i = 0; i + entry < x->depth; i++)
		x->frames[i].since = x->frames[i].entered = CONTEXT_UNKNOWN;
	if (x->depth && (row->kind == PL_EVENT_LINE || row->kind == PL_EVENT_AGAIN))
		profile_begin_line(&x->frames[x->depth - 1], x->now, 0);
}

bool profile_is_exact(const struct path_clock *c, const struct pl_event *row)
{
	return c->time_known && row->time_error_ns <= c->time.error_ns;
}

/* The open span goes on to the row, which closes it if it is at a stamp. */
static int span_takes_row(struct pl_profile *p, const struct pl_event *row)
{
	const struct path_clock *c = &p->walk.clock;
	const bool exact = profile_is_exact(c, row);

	p->exact_to = exact;
	p->row_seq = row->seq;
	if (!p->open) {
		p->open = true;
		p->exact_from = exact;
		p->open_ticks = c->ticks;
		p->open_seq = row->seq;
	}
	int code = leave_gap(p, row);
	if (row->idle_ns) {
		p->idle_from = c->idle_from;
		p->idle_to = c->idle_from + c->idle_ticks;
	}
	if (code == 0 && c->ticks != p->open_ticks && !path_end_has(row))
		code = profile_close_span(p, c->ticks);
	p->contexts.now = c->ticks << 1 | exact;
	p->exact_to = false;
	if (p->before && row->time_ns >= p->wanted.range.from_ns)
		profile_enter_range(p);
	if (row->idle_ns)
		profile_pass_idle(p, c->idle_ticks);
	if (row->idle_ns && p->wanted.blocking_ns)
		profile_split_at_wait(p, c->idle_ticks);
	return code;
}

/* The contexts follow the row, and so do the exceptions that are on their way. */
static int contexts_take_row(struct pl_profile *p, const struct pl_event *row)
{
	struct contexts *x = &p->contexts;
	const bool exceptions = p->wanted.exceptions && !p->before;
	int code = exceptions && row->kind == PL_EVENT_UNWIND ? row_unwinds(p, row) : 0;

	if (!p->before)
		profile_note_wait(p, row);
	if (code == 0)
		code = contexts_sync(x, &p->walk.clock.path);
	if (code == 0 && p->fresh)
		forget_beginnings(p, row);
	if (code == 0 && exceptions && row->kind != PL_EVENT_UNWIND)
		code = flights_row(&p->flights, x, row, false);
	if (!p->before)
		count_entry(x, row->kind);
	return code;
}

int profile_on_row(struct pl_profile *p, const struct pl_event *row, const struct stood *before)
{
	const struct path_clock *c = &p->walk.clock;
	int code = span_takes_row(p, row);

	leave_line(p, row, before);
	if (code == 0)
		code = contexts_take_row(p, row);
	if (c->path.ended && row->kind == PL_EVENT_GAP && !path_end_has(row)) {
		p->end.open = p->end.lost = true;
		return code;
	}
	if (path_end_has(row))
		return code ? code : path_end_row(p, row);
	bool told = c->path.implied == p->implied;
	p->implied = c->path.implied;
	if (code == 0)
		code = meet_task(p);
	return code ? code : share_row(p, row, told);
}
