#include "trace/walk.h"

void walk_init(struct walk *w, struct pl_recording *r, struct thread_entry *t)
{
	*w = (struct walk){0};
	path_clock_init(&w->clock, r, t);
}

/* ---- what rows have ---- */

static int32_t unit_line(const struct pl_code *c, uint32_t unit)
{
	return flow_line_at(&c->body.graph, unit);
}

static void put_row_task(struct pl_event *row, const struct stack_task *task)
{
	row->task = task && task->length ? task->name : NULL;
	row->task_id = task ? task->number : 0;
}

/* Where and when it is. */
static void put_place(struct walk *w, struct pl_event *row)
{
	const struct thread_path *p = &w->clock.path;

	row->position = (struct pl_position){.process = p->blocks.thread->public.process,
		.thread = p->blocks.thread->public.number,
		.block = p->blocks.number,
		.event = p->event};
	path_clock_put(&w->clock, row);
}

/* What every row has of the frame that it is about. Without a frame the code is unknown, "?". */
static void put_frame(struct thread_path *p, struct pl_event *row)
{
	const struct stack_frame *f = stack_top(&p->stack);

	row->code = thread_path_top_code(p);
	if (!f) {
		if (row->kind != PL_EVENT_GAP && row->kind != PL_EVENT_MARK)
			row->code = p->blocks.r->unknown_code;
		return;
	}
	row->depth = p->stack.depth - 1;
	row->generator = f->gen;
	row->greenlet = p->stack.greenlet;
	put_row_task(row, stack_running_task(&p->stack));
}

/* The line and unit at which the frame is, for events that do not have them. */
static void put_stand(struct thread_path *p, struct pl_event *row)
{
	const struct stack_frame *f = stack_top(&p->stack);
	const struct pl_code *c = thread_path_top_code(p);

	if (f) {
		row->line = code_place_line(c, (enum stack_place)f->place, f->value);
		row->offset = code_place_unit(c, (enum stack_place)f->place, f->value);
	}
}

static void put_unit(struct pl_event *row, uint32_t unit)
{
	row->offset = unit;
	if (row->code)
		row->line = unit_line(row->code, unit);
}

/* The row of an entry is about the frame that it pushes, that of an exit about the frame that it
 * pops. So one is made after stack_apply and the other before. */
static void give_entry(struct thread_path *p, const struct event *e, struct pl_event *row)
{
	const struct pl_code *caller = thread_path_top_code(p);

	if (caller && e->site != EVENT_NO_SITE)
		row->caller_line = unit_line(caller, e->site);
	stack_apply(&p->stack, e);
	put_frame(p, row);
	if (e->kind == EVENT_ENTER || e->kind == EVENT_OUTSIDE)
		put_stand(p, row);
	else
		put_unit(row, e->unit);
}

static void give_exit(struct thread_path *p, const struct event *e, struct pl_event *row)
{
	put_frame(p, row);
	if (e->kind == EVENT_UNWIND || p->silent)
		put_stand(p, row);
	else
		put_unit(row, e->unit);
	if (p->silent)
		row->offset = UINT32_MAX;
	stack_apply(&p->stack, e);
}

static void give_line(struct thread_path *p, const struct event *e, struct pl_event *row)
{
	stack_apply(&p->stack, e);
	put_frame(p, row);
	if (e->kind == EVENT_LINE_AT) {
		row->line = e->line;
		row->offset = e->unit;
	} else {
		put_stand(p, row);
	}
}

/* A jump back may have no line of its own; its target has it. */
static void put_jump(struct pl_event *row, uint32_t unit)
{
	row->offset = unit;
	if (row->code)
		row->line = code_jump_line(row->code, unit);
}

static void give_again(struct thread_path *p, const struct event *e, struct pl_event *row)
{
	stack_apply(&p->stack, e);
	put_frame(p, row);
	put_jump(row, e->unit);
}

static void give_exception(struct thread_path *p, const struct event *e, struct pl_event *row)
{
	stack_apply(&p->stack, e);
	put_frame(p, row);
	put_unit(row, e->unit);
	if (e->kind == EVENT_HANDLED && row->code && !row->line)
		row->line = flow_line_ahead(&row->code->body.graph, e->unit);
	row->type = recording_string(p->blocks.r, e->type);
}

/* A gap that the recorder wrote itself: events were lost, or a fatal signal came (STOP). */
static void give_recorded_gap(struct thread_path *p, const struct event *e, struct pl_event *row)
{
	bool signal = e->kind == EVENT_STOP;

	stack_apply(&p->stack, e);
	put_frame(p, row);
	put_stand(p, row);
	row->gap = signal			? PL_GAP_SIGNAL
		   : e->a < PL_GAP_REASON_COUNT ? (enum pl_gap_reason)e->a
						: PL_GAP_UNKNOWN;
	row->lost = signal ? 0 : e->b;
	row->type = pl_gap_reason_name(row->gap);
	if (row->gap == PL_GAP_ATTACHED)
		thread_path_take_links(p);
}

/* The text is in the block's memory: the row points to a copy, which is valid until the next
 * row. */
static void give_mark(struct walk *w, const struct event *e, struct pl_event *row)
{
	struct thread_path *p = walk_path(w);

	put_frame(p, row);
	put_stand(p, row);
	memcpy(w->mark, e->text.at, e->text.left);
	w->mark[e->text.left] = 0;
	row->type = w->mark;
}

/* ---- rows ---- */

/* The row of an event, and the stack after it. A silent event is none of the stream: its frame
 * ended without one, and the marks wait for the next that is. */
static void give_event(struct walk *w, const struct event *e, struct pl_event *row)
{
	struct thread_path *p = walk_path(w);

	*row = (struct pl_event){.kind = event_row(e->kind), .offset = UINT32_MAX};
	if (!p->silent)
		path_clock_take(&w->clock, e);
	put_place(w, row);
	switch (e->kind) {
	case EVENT_LINE:
	case EVENT_LINE_AT:
		give_line(p, e, row);
		break;
	case EVENT_AGAIN:
		give_again(p, e, row);
		break;
	case EVENT_ENTER:
	case EVENT_OUTSIDE:
	case EVENT_RESUME:
	case EVENT_THROW:
		give_entry(p, e, row);
		break;
	case EVENT_LEAVE:
	case EVENT_SUSPEND:
	case EVENT_UNWIND:
		give_exit(p, e, row);
		break;
	case EVENT_RAISE:
	case EVENT_RERAISE:
	case EVENT_HANDLED:
		give_exception(p, e, row);
		break;
	case EVENT_MARK:
		give_mark(w, e, row);
		break;
	default:
		give_recorded_gap(p, e, row);
		break;
	}
	p->explained = row->kind == PL_EVENT_GAP;
	p->stopped = e->kind == EVENT_STOP;
	p->implied += p->silent;
	p->silent = false;
	path_clock_count_row(&w->clock);
}

/* The next of the lines that have no event, or pass of a loop that has none. */
static void give_told(struct walk *w, struct pl_event *row)
{
	struct thread_path *p = walk_path(w);

	*row = (struct pl_event){.kind = PL_EVENT_LINE, .offset = UINT32_MAX};
	put_place(w, row);
	const uint32_t start = thread_path_take_told(p);
	put_frame(p, row);
	if (flow_is_pass(start)) {
		row->kind = PL_EVENT_AGAIN;
		put_jump(row, code_pass_unit(row->code, start));
	} else {
		put_stand(p, row);
	}
	path_clock_count_row(&w->clock);
}

/* The oldest of the gaps that wait. After the end of the path nothing bounds its time but the end
 * of the thread. */
static void give_gap(struct walk *w, struct pl_event *row)
{
	struct thread_path *p = walk_path(w);
	const struct path_gap g = thread_path_take_gap(p);

	*row = (struct pl_event){.kind = PL_EVENT_GAP,
		.code = g.code,
		.depth = g.depth,
		.line = g.line,
		.type = pl_gap_reason_name(g.reason),
		.gap = g.reason,
		.lost = g.lost,
		.offset = g.offset};
	put_place(w, row);
	if (p->ended || p->ahead.begun)
		row->time_error_ns = path_clock_error_at_end(&w->clock);
}

/* A row that may have happened after the end. */
static int give_ahead(struct walk *w, struct pl_event *row)
{
	struct thread_path *p = walk_path(w);
	struct path_possible next;
	int code = thread_path_take_possible(p, &next);

	if (code)
		return code;
	const struct stack_frame *f = &p->stack.frames[next.frame];
	struct pl_code *c = thread_path_code_of(p, f->code);
	const bool passes = next.has_line && flow_is_pass(next.start);
	enum stack_place place = next.has_line && !passes ? PLACE_START : PLACE_UNKNOWN;
	*row = (struct pl_event){.kind = PL_EVENT_POSSIBLE,
		.code = c,
		.depth = next.frame,
		.line = next.has_line ? code_place_line(c, place, next.start) : 0,
		.offset = code_place_unit(c, place, next.start),
		.generator = f->gen,
		.greenlet = p->stack.greenlet,
		.type = passes		     ? "again"
			: next.has_line	     ? "line"
			: c->follow.suspends ? "yield"
					     : "return"};
	if (passes)
		put_jump(row, code_pass_unit(c, next.start));
	put_row_task(row, stack_task_at(&p->stack, next.frame));
	put_place(w, row);
	row->time_error_ns = path_clock_error_at_end(&w->clock);
	return 0;
}

/* Of a thread that still runs. First a gap that says how far its path is known, then what may
 * follow. */
int walk_possible(struct walk *w, struct pl_event *row, struct pl_err *err)
{
	int code = thread_path_begin_ahead(walk_path(w));

	if (code == 0 && w->clock.path.gap_count)
		give_gap(w, row);
	else if (code == 0)
		code = give_ahead(w, row);
	return code < 0 ? pl_err_cause(err, code, "no memory for the lines of a path") : code;
}

/* ---- going on ---- */

/* A line that is ready in one byte: its row at once, with the same result as give_line. */
static bool give_short_line(struct walk *w, struct pl_event *row)
{
	struct thread_path *p = walk_path(w);
	uint32_t start;

	if (!path_clock_is_plain(&w->clock) || !thread_path_take_short_line(p, &start))
		return false;
	const struct flow_start *s = &thread_path_top_code(p)->body.graph.starts[start];
	*row = (struct pl_event){.kind = PL_EVENT_LINE, .line = s->line, .offset = s->unit};
	put_place(w, row);
	put_frame(p, row);
	path_clock_count_row(&w->clock);
	return true;
}

/* A row that waits, if there is one. In this order: gaps, what may follow the end, lines without an
 * event, the event after them. */
static bool give_waiting(struct walk *w, struct pl_event *row)
{
	struct thread_path *p = walk_path(w);

	if (p->gap_count) {
		give_gap(w, row);
	} else if (p->ahead.begun) {
		return give_ahead(w, row) == 0;
	} else if (p->told_next < p->told_count) {
		give_told(w, row);
	} else if (p->holds) {
		p->holds = false;
		give_event(w, &p->held, row);
	} else {
		return false;
	}
	return true;
}

int walk_next(struct walk *w, struct pl_event *row, struct pl_err *err)
{
	if (!w->clock.path.ended)
		thread_path_forget_ahead(walk_path(w));
	while (!give_waiting(w, row)) {
		if (give_short_line(w, row))
			return 0;
		int code = path_clock_go_on(&w->clock, err);
		if (code)
			return code;
	}
	return 0;
}

void walk_go_to(struct walk *w, size_t index)
{
	path_clock_go_to(&w->clock, index);
}

void walk_rest(struct walk *w)
{
	row_values_release(&w->values);
	thread_path_rest(walk_path(w));
}

void walk_release(struct walk *w)
{
	row_values_release(&w->values);
	thread_path_release(walk_path(w));
}
