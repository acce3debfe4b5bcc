#include "trace/path_clock.h"

void path_clock_init(struct path_clock *c, struct pl_recording *r, struct thread_entry *t)
{
	*c = (struct path_clock){.last_ns = INT64_MIN, .time_known = true};
	thread_path_init(&c->path, r, t);
}

/* ---- time ---- */

/* The ticks of the next TIME in this block; 0: there is none. */
static uint64_t next_stamp(const struct path_clock *c)
{
	struct event_calls calls = c->path.stack.calls;
	struct pl_view v = c->path.events;
	struct event e;

	if (c->marks.ticks) /* it was read, and applies to the next event */
		return c->ticks + c->marks.ticks;
	while (v.left && event_read(&v, &calls, &e) == 0)
		if (e.kind == EVENT_TIME && e.a)
			return c->ticks + e.a;
	return 0;
}

/* A new time begins; what it means in nanoseconds is computed when a row asks (path_clock_know).
 * exact: the next row is that of the event whose time it is. */
static void begin_stamp(struct path_clock *c, uint64_t ticks, bool exact)
{
	c->ticks = ticks;
	c->at_stamp = exact;
	c->time_known = false;
}

void path_clock_know(struct path_clock *c)
{
	c->time_known = true;
	clockmap_time(path_clock_map(c), c->ticks, &c->time);
	c->stamp_span_ns = c->time.gap_ns;
	if (c->rough || c->ticks >= c->close_ticks)
		return;
	uint64_t next = next_stamp(c);
	int64_t span = clockmap_span(path_clock_map(c), (next ? next : c->close_ticks) - c->ticks);
	if (span < c->stamp_span_ns)
		c->stamp_span_ns = span;
}

int64_t path_clock_error_at_end(const struct path_clock *c)
{
	const struct pl_recording *r = c->path.blocks.r;
	const struct thread_entry *t = c->path.blocks.thread;
	const struct process_entry *p = recording_find_process(r, t->public.process);
	uint64_t end = t->ended		  ? t->end_ticks
		       : p && p->ended	  ? p->end_ticks
		       : r->info.finished ? r->end_ticks
					  : 0;

	if (!end)
		return INT64_MAX;
	return path_clock_add(c->time.error_ns,
		clockmap_span(path_clock_map(c), end > c->ticks ? end - c->ticks : 0));
}

/* ---- marks ---- */

static void note_mark(struct path_clock *c, const struct event *e)
{
	if (e->kind == EVENT_TIME) {
		c->marks.timed = true;
		c->marks.ticks += e->a;
	} else if (e->kind == EVENT_IDLE) {
		c->marks.idle_from = c->ticks + c->marks.ticks + e->a;
		c->marks.idle_ticks = e->b;
	} else {
		/* order_from stays: rows without an event may have happened before */
		c->order = e->a;
	}
}

/* A stamp makes path_clock_know look for the next stamp, so one that changes nothing is ignored. */
static void take_marks(struct path_clock *c)
{
	const struct path_marks m = c->marks;

	c->marks = (struct path_marks){0};
	if (m.idle_ticks) {
		c->idle_from = m.idle_from;
		c->idle_ticks = m.idle_ticks;
		c->idle_due = true;
	}
	c->order_from = c->order;
	if (m.timed)
		c->at_stamp = true;
	if (m.timed && m.ticks)
		begin_stamp(c, c->ticks + m.ticks, true);
}

/* If the event's own place in the order is open, that of the events after it is open as well. */
void path_clock_take(struct path_clock *c, const struct event *e)
{
	const uint64_t from = c->order_from;

	take_marks(c);
	if (event_is_open(e))
		c->order_from = from;
}

void path_clock_pass(struct path_clock *c, const struct event *e)
{
	if (e->kind == EVENT_TIME || e->kind == EVENT_IDLE || e->kind == EVENT_SWITCH)
		note_mark(c, e);
	else
		thread_path_pass(&c->path, e);
}

void path_clock_over_marks(struct path_clock *c)
{
	if (!c->marks.idle_ticks && path_clock_is_plain(c))
		return;
	take_marks(c);
	c->at_stamp = c->idle_due = false;
}

/* ---- going on ---- */

static void begin_clock_block(struct path_clock *c)
{
	const struct block_reader *b = &c->path.blocks;

	c->order = c->order_from = b->block.head.order;
	c->close_ticks = b->close_ticks;
	c->marks = (struct path_marks){0};
	begin_stamp(c, b->open_ticks, false);
}

int path_clock_go_on(struct path_clock *c, struct pl_err *err)
{
	struct path_met met;
	int code = thread_path_go_on(&c->path, &met, err);

	if (code)
		return code;
	switch (met.news) {
	case PATH_MARK:
		note_mark(c, &met.mark);
		break;
	case PATH_HELD:
		path_clock_take(c, &c->path.held);
		break;
	case PATH_OPENED:
		begin_clock_block(c);
		break;
	case PATH_ENDED:
		if (!c->ticks)
			begin_stamp(c, met.ticks, false);
		break;
	case PATH_NO_NEWS:
		break;
	}
	return 0;
}

void path_clock_go_to(struct path_clock *c, size_t index)
{
	const struct block_ref *ref = thread_path_go_to(&c->path, index);

	c->marks = (struct path_marks){0};
	c->last_ns = INT64_MIN;
	c->order = c->order_from = ref ? ref->order : 0;
	c->ticks = ref ? ref->open_ticks : 0;
}

int path_clock_peek(struct path_clock *c, struct path_clock_peek *out, struct pl_err *err)
{
	struct path_peek next;
	int code;

	while (!thread_path_peek(&c->path, &next)) {
		code = path_clock_go_on(c, err);
		if (code)
			return code;
	}
	out->order = next.switched ? next.order : c->order;
	out->ticks = c->ticks + (next.of_event ? c->marks.ticks + next.ticks : 0);
	return 0;
}
