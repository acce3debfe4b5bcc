#include "trace/walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include "trace/load.h"

void walk_init(struct walk *w, struct pl_recording *r, struct thread_entry *t)
{
	*w = (struct walk){.r = r, .thread = t, .last_ns = INT64_MIN, .time_known = true};
	w->stream.files = r->files;
}

/* ---- frames ---- */

/* By the open block's own table (open_codes). Never NULL: a missing code is "?". */
struct pl_code *walk_code_of(const struct walk *w, uint32_t number)
{
	const uint64_t *found = map_find(&w->block.bodies, number);
	struct pl_code *c = found ? (struct pl_code *)(uintptr_t)*found : NULL;

	return c ? c : w->r->unknown_code;
}

/* The code of the top frame; NULL: there is no frame. */
static struct pl_code *top_code(struct walk *w)
{
	const struct stack_frame *f = stack_top(&w->stack);

	if (!f)
		return NULL;
	if (!w->code || w->code_number != f->code) {
		w->code = walk_code_of(w, f->code);
		w->code_number = f->code;
	}
	return w->code;
}

/* ---- gaps ---- */

/* They are given before the next event is read, so few wait at a time; a fifth would replace the
 * fourth. */
static struct walk_gap *add_gap(struct walk *w, enum pl_gap_reason reason, uint64_t lost)
{
	struct walk_gap *g = &w->gaps[w->gap_count < WALK_GAPS ? w->gap_count++ : WALK_GAPS - 1];

	*g = (struct walk_gap){.reason = reason, .lost = lost, .offset = UINT32_MAX};
	return g;
}

/* A gap at a frame. */
static void add_gap_at(struct walk *w, enum pl_gap_reason reason, uint32_t frame)
{
	const struct stack_frame *f = &w->stack.frames[frame];
	struct walk_gap *g = add_gap(w, reason, 0);
	enum stack_place place = stack_place_of(&w->stack, frame);

	g->code = walk_code_of(w, f->code);
	g->depth = frame;
	g->line = code_place_line(g->code, place, f->value);
	g->offset = code_place_unit(g->code, place, f->value);
}

/* ---- time ---- */

/* The ticks of the next TIME in this block; 0: there is none. */
static uint64_t next_stamp(const struct walk *w)
{
	struct event_calls calls = w->stack.calls;
	struct pl_view v = w->events;
	struct event e;

	if (w->marks.ticks) /* it was read, and applies to the next event */
		return w->ticks + w->marks.ticks;
	while (v.left && event_read(&v, &calls, &e) == 0)
		if (e.kind == EVENT_TIME && e.a)
			return w->ticks + e.a;
	return 0;
}

/* A new time begins; what it means in nanoseconds is computed when a row asks for it (know_time).
 * exact: the next row is that of the event whose time it is. */
static void stamp(struct walk *w, uint64_t ticks, bool exact)
{
	w->ticks = ticks;
	w->at_stamp = exact;
	w->time_known = false;
}

/* What comes after a stamp happened before the next stamp, and before the collector's tick changed.
 * Computed for the first row after the stamp, and only if a row is made. */
static void know_time(struct walk *w)
{
	w->time_known = true;
	clockmap_time(&w->r->clock, w->ticks, &w->time);
	w->stamp_span_ns = w->time.gap_ns;
	if (w->rough || w->ticks >= w->close_ticks)
		return;
	uint64_t next = next_stamp(w);
	int64_t span = clockmap_span(&w->r->clock, (next ? next : w->close_ticks) - w->ticks);
	if (span < w->stamp_span_ns)
		w->stamp_span_ns = span;
}

static int64_t add_clamped(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* A row with a stamp between it and the next event was filled in, and comes before both: an event
 * would have had a stamp, so how long after the collector's tick it happened is not known. Any
 * other row happened at the latest with the next event, so before that tick. */
static int64_t time_error(const struct walk *w)
{
	if (w->marks.ticks)
		return add_clamped(w->time.error_ns, clockmap_span(&w->r->clock, w->marks.ticks));
	return w->at_stamp ? w->time.error_ns : add_clamped(w->time.error_ns, w->stamp_span_ns);
}

/* Set position, seq, order and time of the next row. Time is clamped, so that it never goes
 * backward within a thread, even if the clock map cannot tell. */
static void put_place(struct walk *w, struct pl_event *row)
{
	if (!w->time_known)
		know_time(w);
	if (w->time.real_ns > w->last_ns)
		w->last_ns = w->time.real_ns;
	row->position = (struct pl_position){.process = w->thread->public.process,
		.thread = w->thread->public.number,
		.block = w->number,
		.event = w->event};
	row->seq = w->next_seq;
	row->order = w->order;
	row->order_from = w->order_from;
	row->time_ns = w->last_ns;
	row->time_error_ns = time_error(w);
	row->idle_ns = w->idle_due ? clockmap_span(&w->r->clock, w->idle_ticks) : 0;
	w->idle_due = false;
}

/* What came after the last event happened before the end of its thread, whenever that was. */
static int64_t error_at_end(const struct walk *w)
{
	const struct thread_entry *t = w->thread;
	const struct process_entry *p = recording_find_process(w->r, t->public.process);
	uint64_t end = t->ended		     ? t->end_ticks
		       : p && p->ended	     ? p->end_ticks
		       : w->r->info.finished ? w->r->end_ticks
					     : 0;

	if (!end)
		return INT64_MAX;
	return add_clamped(
		w->time.error_ns, clockmap_span(&w->r->clock, end > w->ticks ? end - w->ticks : 0));
}

/* The oldest of the gaps that wait. After the end of the path nothing bounds its time but the end
 * of the thread. */
static void give_gap(struct walk *w, struct pl_event *row)
{
	const struct walk_gap g = w->gaps[0];

	w->gap_count--;
	memmove(w->gaps, w->gaps + 1, w->gap_count * sizeof *w->gaps);
	*row = (struct pl_event){.kind = PL_EVENT_GAP,
		.code = g.code,
		.depth = g.depth,
		.line = g.line,
		.type = pl_gap_reason_name(g.reason),
		.gap = g.reason,
		.lost = g.lost,
		.offset = g.offset};
	put_place(w, row);
	if (w->ended || w->ahead.begun)
		row->time_error_ns = error_at_end(w);
}

/* ---- blocks ---- */

/* Once for each block, though several cursors may come there. */
static void note_damage(struct walk *w, struct block_ref *ref, const char *what)
{
	if (!ref->told)
		recording_damage(w->r, ref->file, ref->off, what);
	ref->told = true;
}

/* Does the block follow what was read? If not, a gap says what is missing. */
static void note_missing(struct walk *w, struct block_ref *ref, bool oldest)
{
	uint64_t lost = ref->first_seq > w->next_seq ? ref->first_seq - w->next_seq : 0;
	bool follows = ref->number == w->next_number && ref->first_seq == w->next_seq;

	if (follows && !ref->gap_before)
		return;
	if (follows) {
		bool damaged = recording_lost_bytes(w->r, w->thread, ref->first_seq);
		add_gap(w, damaged ? PL_GAP_DAMAGED : PL_GAP_UNKNOWN, 0);
	} else if (oldest && (w->thread->evicted || w->r->first_segment > 1)) {
		add_gap(w, PL_GAP_EVICTED, lost);
	} else {
		note_damage(w, ref, "the blocks before it are missing");
		add_gap(w, PL_GAP_DAMAGED, lost);
	}
	w->explained = true;
}

/* Map the block's codes once, so that each event finds its code in one step. */
static void open_codes(struct walk *w)
{
	struct pl_map *bodies = &w->block.bodies;

	for (size_t i = 0; i < bodies->room; i++)
		if (bodies->slots[i].used)
			bodies->slots[i].value = (uintptr_t)code_open(w->r, bodies->slots[i].value);
	w->code = NULL;
}

/* The walk's stack and the block's are exchanged: the block does not need its own any more, and the
 * memory is used for the next one. The stack of the block is right, not the one that the walk
 * reached: after damage only the former is known. */
static void open_block(struct walk *w, const struct block_ref *ref)
{
	const struct stack spare = w->stack;

	open_codes(w);
	w->stack = w->block.stack;
	w->block.stack = spare;
	w->events = w->block.events;
	w->open = true;
	w->order = w->order_from = w->block.head.order;
	w->close_ticks = ref->close_ticks;
	w->next_seq = ref->first_seq;
	w->marks = (struct walk_marks){0};
	stamp(w, ref->open_ticks, false);
}

static bool room_for_told(struct walk *w, uint32_t count)
{
	if (count <= w->told_room)
		return true;
	uint32_t *told = realloc(w->told, 2 * (size_t)count * sizeof *told);
	if (!told)
		return false;
	w->told = told;
	w->told_room = 2 * count;
	return true;
}

/* Give these lines next, before what waits: they ran without an event. */
static int tell(struct walk *w, const struct follow_lines *lines)
{
	uint32_t count = follow_count(lines);

	if (!room_for_told(w, count))
		return PL_ERR_MEMORY;
	follow_starts(lines, w->told);
	w->told_count = count;
	w->told_next = 0;
	return 0;
}

/* Give the lines of this frame next. */
static int ahead_of(struct walk *w, uint32_t frames)
{
	const struct stack_frame *f = frames ? &w->stack.frames[frames - 1] : NULL;
	struct pl_code *c = f ? walk_code_of(w, f->code) : NULL;

	w->ahead = (struct walk_ahead){.begun = true, .frames = frames};
	w->told_count = w->told_next = 0;
	if (!c || !c->follow.graph || f->raised)
		return 0;
	if (!room_for_told(w, c->body.graph.start_count))
		return PL_ERR_MEMORY;
	w->told_count = follow_ahead(&c->follow, stack_place_of(&w->stack, frames - 1), f->value,
		w->told, &w->ahead.leaves);
	w->ahead.leaves &= frames > 1;
	return 0;
}

/* Did the limit drop the thread's blocks to the last? The oldest are dropped first, so a thread of
 * which one is kept has its end. */
static bool is_dropped(const struct walk *w)
{
	const struct thread_entry *t = w->thread;

	return !t->block_count && (t->evicted || w->r->first_segment > 1) &&
	       !recording_lost_bytes(w->r, t, w->next_seq);
}

/* The thread has more events than blocks of them are there. */
static void end_is_missing(struct walk *w)
{
	const struct thread_entry *t = w->thread;

	w->ended = true;
	if (!w->ticks)
		stamp(w, t->end_ticks, false); /* no block said when it was */
	if (is_dropped(w)) {
		add_gap(w, PL_GAP_EVICTED, t->end_seq - w->next_seq);
		return;
	}
	add_gap(w, PL_GAP_DAMAGED, t->end_seq - w->next_seq);
	recording_damage(w->r, FILE_META, 0, "a thread's last blocks are missing");
}

/* Events are missing at the end, and any number of frames may have begun and ended meanwhile. So
 * there is nothing to say of what may have followed, and where the frames are is not known. */
static void lose_the_end(struct walk *w, const struct pl_loss *l)
{
	const struct event gap = {.kind = EVENT_GAP, .a = l->reason};
	const struct process_entry *p = recording_find_process(w->r, w->thread->public.process);
	/* of a LOSS of all threads, it is not known how many were this one's */
	const uint64_t lost = p && p->thread_count == 1 ? l->lost : 0;

	w->ended = true;
	w->explained = true;
	if (!w->ticks) /* none of its events is there */
		stamp(w, w->thread->start_ticks, false);
	if (!w->stack.depth) {
		add_gap(w, l->reason, lost);
		return;
	}
	add_gap_at(w, l->reason, w->stack.depth - 1);
	w->gaps[w->gap_count - 1].lost = lost;
	stack_apply(&w->stack, &gap);
}

/* The path ends here: give a gap if it was cut off. */
static int last_gap(struct walk *w)
{
	const struct thread_entry *t = w->thread;
	const struct pl_loss *lost;

	if (w->ended)
		return PL_END;
	if (t->ended && w->next_seq < t->end_seq) {
		end_is_missing(w);
		return 0;
	}
	if (recording_lost_bytes(w->r, t, w->next_seq)) {
		w->ended = true;
		add_gap(w, PL_GAP_DAMAGED, 0);
		return 0;
	}
	lost = w->stopped ? NULL : recording_end_loss(w->r, t, w->stack.depth);
	if (lost) {
		lose_the_end(w, lost);
		return 0;
	}
	if (!recording_killed(w->r, t) || w->stopped || !w->stack.depth)
		return PL_END;
	w->ended = true;
	w->explained = true;
	add_gap_at(w, PL_GAP_KILLED, w->stack.depth - 1);
	return ahead_of(w, w->stack.depth);
}

/* A file that is gone was dropped by --limit, after its blocks were listed. */
static enum pl_gap_reason missing_reason(int code)
{
	if (code == PL_ERR_VERSION)
		return PL_GAP_UNKNOWN; /* it has events of a later minor version */
	return code == PL_ERR_FORMAT ? PL_GAP_DAMAGED : PL_GAP_EVICTED;
}

/* Open the next block, with a gap before it if it does not follow. A damaged block is itself a gap,
 * and the result is 0: the caller gives the gap and calls this again. */
static int next_block(struct walk *w, struct pl_err *err)
{
	struct thread_entry *t = w->thread;

	w->open = false;
	if (w->next_block < t->evicted)
		w->next_block = t->evicted;
	if (w->next_block - t->evicted >= t->block_count)
		return last_gap(w);
	struct block_ref *ref = &t->blocks[w->next_block - t->evicted];
	note_missing(w, ref, w->next_block == t->evicted);
	w->next_block++;
	w->number = ref->number;
	w->next_number = ref->number + 1;
	w->event = 0;
	struct block_ref *damaged = ref;
	int code = load_block(&w->block, &w->stream, t, &damaged, err);
	if (code == 0) {
		open_block(w, ref);
		return 0;
	}
	if (code != PL_ERR_FORMAT && code != PL_ERR_NOT_FOUND && code != PL_ERR_VERSION)
		return pl_err_cause(err, code, "block %" PRIu32 " of thread %" PRIu32, ref->number,
			t->public.number);
	/* its bodies may still be numbers, where codes are expected */
	block_release(&w->block);
	stack_reset(&w->stack);
	w->next_seq = ref->first_seq + ref->events;
	w->explained = true;
	add_gap(w, missing_reason(code), ref->events);
	if (code == PL_ERR_FORMAT)
		note_damage(w, damaged, "the block is damaged");
	return 0;
}

/* The rest of the block cannot be decoded: it is lost. */
static void give_up_block(struct walk *w)
{
	const struct block_head *head = &w->block.head;

	w->events.left = 0;
	add_gap(w, PL_GAP_DAMAGED, head->events > w->event ? head->events - w->event : 0);
	note_damage(w, &w->thread->blocks[w->next_block - 1 - w->thread->evicted],
		"the block holds bytes that are no events");
	w->next_seq = head->first_seq + head->events;
	w->explained = true;
}

/* ---- events that make no row ---- */

/* An event without a row. Times and switches are marks of the next event with a row, because rows
 * that have no event, and that come before it, may have happened before these. */
void walk_pass(struct walk *w, const struct event *e)
{
	if (e->kind == EVENT_TIME) {
		w->marks.timed = true;
		w->marks.ticks += e->a;
	} else if (e->kind == EVENT_IDLE) {
		w->marks.idle_from = w->ticks + w->marks.ticks + e->a;
		w->marks.idle_ticks = e->b;
	} else if (e->kind == EVENT_SWITCH) {
		/* order_from stays: rows without an event may have happened before */
		w->order = e->a;
	} else if (e->kind == EVENT_POPS) {
		w->pops = e->a <= w->stack.depth ? e->a : 0;
	} else {
		stack_apply(&w->stack, e);
		const struct stack_task *task =
			e->kind == EVENT_TASK && w->renamed ? stack_running_task(&w->stack) : NULL;
		if (task && !stack_task_waits(&w->stack))
			w->renamed(w->who, task);
	}
}

/* The event's own time and order begin. A stamp makes time_error look for the next stamp, so one
 * that changes nothing is ignored. */
void walk_take_marks(struct walk *w)
{
	const struct walk_marks m = w->marks;

	w->marks = (struct walk_marks){0};
	if (m.idle_ticks) {
		w->idle_from = m.idle_from;
		w->idle_ticks = m.idle_ticks;
		w->idle_due = true;
	}
	w->order_from = w->order;
	if (m.timed)
		w->at_stamp = true;
	if (m.timed && m.ticks)
		stamp(w, w->ticks + m.ticks, true);
}

/* ---- rows without an event ---- */

/* NULL: nothing is known about the code, and all its rows have events. */
static struct follow_code *follow_of(const struct walk *w, struct pl_code *c)
{
	return c && c != w->r->unknown_code ? &c->follow : NULL;
}

static struct follow_code *top_follow(struct walk *w)
{
	return follow_of(w, top_code(w));
}

static void pop_one(struct walk *w)
{
	static const struct event one = {.kind = EVENT_POPS, .a = 1};

	stack_apply(&w->stack, &one);
}

/* Pop one of the frames to be popped: it returned or yielded, was only linked, or should not be
 * gone. */
static int pop_next(struct walk *w)
{
	struct follow_code *c = top_follow(w);
	struct follow_lines lines;

	w->pops--;
	enum follow_answer answer = follow_pop(c, stack_top(&w->stack), &lines);
	if (answer == FOLLOW_LINES) {
		w->held = (struct event){.kind = follow_left_by(c), .unit = EVENT_NO_UNIT};
		w->holds = true;
		w->silent = true;
		return tell(w, &lines);
	}
	if (answer == FOLLOW_BROKEN && !w->explained) {
		add_gap_at(w, PL_GAP_VANISHED, w->stack.depth - 1);
		w->explained = true;
	}
	pop_one(w);
	return 0;
}

/* ---- what may have happened after the end ---- */

static void put_task(struct pl_event *row, const struct stack_task *task)
{
	row->task = task && task->length ? task->name : NULL;
	row->task_id = task ? task->number : 0;
}

/* A row that may have happened after the end: each line that could come next in the innermost
 * frame; if it can be left without an event, that it was; then the same for its caller. If nothing
 * is known about an innermost frame, it has no rows. */
static int give_ahead(struct walk *w, struct pl_event *row)
{
	uint32_t frame = w->ahead.frames - 1;
	bool line = w->told_next < w->told_count;

	if (!w->ahead.frames || (!line && !w->ahead.leaves))
		return PL_END;
	const struct stack_frame *f = &w->stack.frames[frame];
	struct pl_code *c = walk_code_of(w, f->code);
	enum stack_place place = line ? PLACE_START : PLACE_UNKNOWN;
	uint32_t start = line ? w->told[w->told_next++] : 0;
	*row = (struct pl_event){.kind = PL_EVENT_POSSIBLE,
		.code = c,
		.depth = frame,
		.line = line ? code_place_line(c, place, start) : 0,
		.offset = code_place_unit(c, place, start),
		.generator = f->gen,
		.greenlet = w->stack.greenlet,
		.type = line		     ? "line"
			: c->follow.suspends ? "yield"
					     : "return"};
	put_task(row, stack_task_at(&w->stack, frame));
	put_place(w, row);
	row->time_error_ns = error_at_end(w);
	return line ? 0 : ahead_of(w, frame);
}

/* The recording has grown: what could have happened is now known. */
static void forget_ahead(struct walk *w)
{
	if (!w->ahead.begun)
		return;
	w->ahead = (struct walk_ahead){0};
	w->told_count = w->told_next = 0;
	w->gap_count = 0;
}

/* Of a thread that still runs. First a gap that says how far its path is known, then what may
 * follow. */
int walk_possible(struct walk *w, struct pl_event *row, struct pl_err *err)
{
	int code = 0;

	if (w->ended || !w->stack.depth)
		return PL_END;
	if (!w->ahead.begun) {
		add_gap_at(w, PL_GAP_LIVE, w->stack.depth - 1);
		code = ahead_of(w, w->stack.depth);
	}
	if (code == 0 && w->gap_count)
		give_gap(w, row);
	else if (code == 0)
		code = give_ahead(w, row);
	return code < 0 ? pl_err_cause(err, code, "no memory for the lines of a path") : code;
}

/* ---- rows ---- */

static int32_t unit_line(const struct pl_code *c, uint32_t unit)
{
	return flow_line_at(&c->body.graph, unit);
}

/* What every row has of the frame that it is about. Without a frame the code is unknown, "?". */
static void put_frame(struct walk *w, struct pl_event *row)
{
	const struct stack_frame *f = stack_top(&w->stack);

	row->code = top_code(w);
	if (!f) {
		if (row->kind != PL_EVENT_GAP && row->kind != PL_EVENT_MARK)
			row->code = w->r->unknown_code;
		return;
	}
	row->depth = w->stack.depth - 1;
	row->generator = f->gen;
	row->greenlet = w->stack.greenlet;
	put_task(row, stack_running_task(&w->stack));
}

/* The line and unit at which the frame is, for events that do not have them. */
static void put_stand(struct walk *w, struct pl_event *row)
{
	const struct stack_frame *f = stack_top(&w->stack);
	const struct pl_code *c = top_code(w);

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
static void give_entry(struct walk *w, const struct event *e, struct pl_event *row)
{
	const struct pl_code *caller = top_code(w);

	if (caller && e->site != EVENT_NO_SITE)
		row->caller_line = unit_line(caller, e->site);
	stack_apply(&w->stack, e);
	put_frame(w, row);
	if (e->kind == EVENT_ENTER || e->kind == EVENT_OUTSIDE)
		put_stand(w, row);
	else
		put_unit(row, e->unit);
}

static void give_exit(struct walk *w, const struct event *e, struct pl_event *row)
{
	put_frame(w, row);
	if (e->kind == EVENT_UNWIND || w->silent)
		put_stand(w, row);
	else
		put_unit(row, e->unit);
	if (w->silent)
		row->offset = UINT32_MAX;
	stack_apply(&w->stack, e);
}

static void give_line(struct walk *w, const struct event *e, struct pl_event *row)
{
	stack_apply(&w->stack, e);
	put_frame(w, row);
	if (e->kind == EVENT_LINE_AT) {
		row->line = e->line;
		row->offset = e->unit;
	} else {
		put_stand(w, row);
	}
}

/* A jump back may have no line of its own; its target has it. */
static void give_again(struct walk *w, const struct event *e, struct pl_event *row)
{
	stack_apply(&w->stack, e);
	put_frame(w, row);
	row->offset = e->unit;
	if (row->code)
		row->line = code_jump_line(row->code, e->unit);
}

static void give_exception(struct walk *w, const struct event *e, struct pl_event *row)
{
	stack_apply(&w->stack, e);
	put_frame(w, row);
	put_unit(row, e->unit);
	if (e->kind == EVENT_HANDLED && row->code && !row->line)
		row->line = flow_line_ahead(&row->code->body.graph, e->unit);
	row->type = recording_string(w->r, e->type);
}

/* A gap that the recorder wrote itself: events were lost, or a fatal signal came (STOP). */
static void give_recorded_gap(struct walk *w, const struct event *e, struct pl_event *row)
{
	bool signal = e->kind == EVENT_STOP;

	stack_apply(&w->stack, e);
	put_frame(w, row);
	put_stand(w, row);
	row->gap = signal			? PL_GAP_SIGNAL
		   : e->a < PL_GAP_REASON_COUNT ? (enum pl_gap_reason)e->a
						: PL_GAP_UNKNOWN;
	row->lost = signal ? 0 : e->b;
	row->type = pl_gap_reason_name(row->gap);
}

/* The text is in the block's memory: the row points to a copy, which is valid until the next
 * row. */
static void give_mark(struct walk *w, const struct event *e, struct pl_event *row)
{
	put_frame(w, row);
	put_stand(w, row);
	memcpy(w->mark, e->text.at, e->text.left);
	w->mark[e->text.left] = 0;
	row->type = w->mark;
}

/* A row was given: the next one has the next seq, and a number more in its block. */
static void count_row(struct walk *w)
{
	w->at_stamp = false;
	w->next_seq++;
	w->event++;
}

/* walk_take_marks of this event: if its own place in the order is open, that of the events after it
 * is open as well. */
static void take_marks(struct walk *w, const struct event *e)
{
	const uint64_t from = w->order_from;

	walk_take_marks(w);
	if (event_is_open(e))
		w->order_from = from;
}

/* The row of an event, and the stack after it. A silent event is none of the stream: its frame
 * ended without one, and the marks wait for the next that is. */
static void give(struct walk *w, const struct event *e, struct pl_event *row)
{
	*row = (struct pl_event){.kind = event_row(e->kind), .offset = UINT32_MAX};
	if (!w->silent)
		take_marks(w, e);
	put_place(w, row);
	switch (e->kind) {
	case EVENT_LINE:
	case EVENT_LINE_AT:
		give_line(w, e, row);
		break;
	case EVENT_AGAIN:
		give_again(w, e, row);
		break;
	case EVENT_ENTER:
	case EVENT_OUTSIDE:
	case EVENT_RESUME:
	case EVENT_THROW:
		give_entry(w, e, row);
		break;
	case EVENT_LEAVE:
	case EVENT_SUSPEND:
	case EVENT_UNWIND:
		give_exit(w, e, row);
		break;
	case EVENT_RAISE:
	case EVENT_RERAISE:
	case EVENT_HANDLED:
		give_exception(w, e, row);
		break;
	case EVENT_MARK:
		give_mark(w, e, row);
		break;
	default:
		give_recorded_gap(w, e, row);
		break;
	}
	w->explained = row->kind == PL_EVENT_GAP;
	w->stopped = e->kind == EVENT_STOP;
	w->implied += w->silent;
	w->silent = false;
	count_row(w);
}

/* The next of the lines that have no event. */
static void give_told(struct walk *w, struct pl_event *row)
{
	uint32_t start = w->told[w->told_next++];

	w->implied++;
	*row = (struct pl_event){.kind = PL_EVENT_LINE, .offset = UINT32_MAX};
	put_place(w, row);
	stack_pass_start(stack_top(&w->stack), start);
	put_frame(w, row);
	put_stand(w, row);
	w->explained = false;
	w->stopped = false;
	count_row(w);
}

/* EVENT_LINE_AT: is the reported line another one than that of the unit? */
static bool is_moved(const struct pl_code *c, const struct event *e)
{
	return c->body.graph.analysed && e->unit != EVENT_NO_UNIT &&
	       unit_line(c, e->unit) != e->line;
}

/* Did a debugger move the frame? */
static bool is_jumped(struct walk *w, const struct event *e)
{
	if (!w->stack.depth)
		return false;
	if (e->kind == EVENT_LINE_AT)
		return is_moved(top_code(w), e);
	return e->kind == EVENT_AGAIN && !code_jumps_back(top_code(w), e->unit);
}

/* A LINE of a start that the code does not have: which line ran is not known. */
static bool is_undecoded(struct walk *w, const struct event *e)
{
	return e->kind == EVENT_LINE && w->stack.depth && !code_has_start(top_code(w), e->index);
}

/* What comes before the event's row: gaps if it contradicts the path, and the lines that led to
 * it. */
static int prepare(struct walk *w, const struct event *e)
{
	struct walk_gap jumped = {0};
	struct follow_lines lines;
	enum follow_answer answer = FOLLOW_NOTHING;

	if (w->stack.depth) {
		add_gap_at(w, PL_GAP_JUMPED,
			w->stack.depth - 1); /* where the frame is: forgotten below */
		jumped = w->gaps[--w->gap_count];
		answer = follow_event(top_follow(w), &w->stack, e, &lines);
	}
	if (is_undecoded(w, e))
		jumped.reason = PL_GAP_DAMAGED;
	if (answer == FOLLOW_BROKEN || jumped.reason == PL_GAP_DAMAGED || is_jumped(w, e))
		w->gaps[w->gap_count++] = jumped;
	if (event_is_entry(e->kind) && walk_code_of(w, e->code) == w->r->unknown_code)
		add_gap(w, PL_GAP_CODE, 0);
	if (!w->stack.depth && event_has_trait(e->kind, EVENT_FRAME) && !w->explained)
		add_gap(w, PL_GAP_APPEARED, 0);
	if (answer == FOLLOW_LINES && follow_count(&lines))
		return tell(w, &lines);
	take_marks(w, e); /* the gaps belong to the event */
	return 0;
}

/* The frame is there now: the lines that led to it come next. */
static int come_to(struct walk *w, const struct event *e)
{
	struct follow_lines lines;
	enum follow_answer answer = FOLLOW_NOTHING;

	if (w->stack.depth)
		answer = follow_event(top_follow(w), &w->stack, e, &lines);
	stack_apply(&w->stack, e);
	return answer == FOLLOW_LINES ? tell(w, &lines) : 0;
}

/* Read one event. It has a row if `holds` is set afterwards; then other rows may come before it. */
static int step(struct walk *w)
{
	struct event e;

	if (event_read(&w->events, &w->stack.calls, &e)) {
		give_up_block(w);
		return 0;
	}
	if (e.kind == EVENT_AT)
		return come_to(w, &e);
	if (!event_counts(e.kind)) {
		walk_pass(w, &e);
		return 0;
	}
	w->held = e;
	w->holds = true;
	return prepare(w, &e);
}

/* Most events are lines of one byte, in a known frame that may be there. Make their row at once,
 * with the same result as step and give_line. */
static bool give_short_line(struct walk *w, struct pl_event *row)
{
	if (!w->events.left || *w->events.at < 0x80 || *w->events.at == 0xff || !w->stack.depth ||
		w->marks.timed || w->order_from != w->order)
		return false;
	struct stack_frame *f = stack_top(&w->stack);
	struct pl_code *c = top_code(w);
	uint32_t start = *w->events.at & 0x7f;
	if (start >= c->body.graph.start_count || !follow_is_next(&c->follow, f, start))
		return false;
	w->events.at++;
	w->events.left--;
	f->place = PLACE_START;
	f->value = start;
	f->raised = RAISED_NOT;
	f->from_place = PLACE_UNKNOWN;
	*row = (struct pl_event){.kind = PL_EVENT_LINE,
		.line = c->body.graph.starts[start].line,
		.offset = c->body.graph.starts[start].unit};
	put_place(w, row);
	put_frame(w, row);
	w->explained = false;
	w->stopped = false;
	count_row(w);
	return true;
}

/* A row that waits, if there is one. In this order: gaps, what may follow the end, lines without an
 * event, the event after them. */
static bool give_waiting(struct walk *w, struct pl_event *row)
{
	if (w->gap_count) {
		give_gap(w, row);
	} else if (w->ahead.begun) {
		return give_ahead(w, row) == 0;
	} else if (w->told_next < w->told_count) {
		give_told(w, row);
	} else if (w->holds) {
		w->holds = false;
		give(w, &w->held, row);
	} else {
		return false;
	}
	return true;
}

/* When nothing waits: the next of the frames that are to be popped, the next event, or the next
 * block. */
static int go_on(struct walk *w, struct pl_err *err)
{
	int code;

	if (w->pops)
		code = pop_next(w);
	else if (w->events.left)
		code = step(w);
	else
		return next_block(w, err);
	return code < 0 ? pl_err_cause(err, code, "no memory for the lines of a path") : 0;
}

int walk_next(struct walk *w, struct pl_event *row, struct pl_err *err)
{
	if (!w->ended)
		forget_ahead(w);
	while (!give_waiting(w, row)) {
		if (!w->pops && give_short_line(w, row))
			return 0;
		int code = go_on(w, err);
		if (code)
			return code;
	}
	return 0;
}

/* The event is the next one with a row, and the stack is that before it. Do other rows come before
 * it? They have the time before. */
static bool something_before(const struct walk *w, struct stack *s, const struct event *e)
{
	struct stack_frame *f = stack_top(s);
	struct follow_lines lines;

	if (!f)
		return false;
	const struct stack_frame before = *f;
	enum follow_answer answer =
		follow_event(follow_of(w, walk_code_of(w, f->code)), s, e, &lines);
	*f = before;
	return answer == FOLLOW_LINES && follow_count(&lines);
}

/* If n frames are popped, does any of them have a row? Frames that were only linked, or are left
 * out, have none. */
static bool pops_make_row(const struct walk *w, const struct stack *stack, uint64_t n)
{
	struct follow_lines lines;

	for (size_t i = stack->depth; n && i; n--) {
		const struct stack_frame *f = &stack->frames[--i];
		if (!f->linked || follow_pop(follow_of(w, walk_code_of(w, f->code)), f, &lines) ==
					  FOLLOW_LINES)
			return true;
	}
	return false;
}

/* The stack after an event without a row, which must not change the walk's own stack. Without
 * memory it is unchanged. */
static struct stack *peek_apply(struct walk *w, struct stack *s, const struct event *e)
{
	if (s == &w->stack && stack_copy(&w->peeked, s))
		return s;
	stack_apply(&w->peeked, e);
	return &w->peeked;
}

/* Look through the open block; false: it has no more rows. */
static bool peek_block(struct walk *w, struct walk_peek *out)
{
	uint64_t late_ticks = w->ticks + w->marks.ticks;
	struct pl_view v = w->events;
	struct event e = {.kind = EVENT_POPS, .a = w->pops};
	struct stack *s = w->pops ? peek_apply(w, &w->stack, &e) : &w->stack;

	while (v.left) {
		/* only up to the first row: events are read again before any that the calls they
		 * add could affect */
		bool damaged = event_read(&v, &w->stack.calls, &e);
		if (damaged)
			return true;
		if (e.kind == EVENT_POPS && pops_make_row(w, s, e.a))
			return true;
		if (e.kind == EVENT_AT && something_before(w, s, &e))
			return true;
		if (event_counts(e.kind)) {
			if (!something_before(w, s, &e))
				out->ticks = late_ticks;
			return true;
		}
		if (e.kind == EVENT_SWITCH)
			out->order = e.a;
		else if (e.kind == EVENT_TIME)
			late_ticks += e.a;
		else if (e.kind != EVENT_IDLE)
			s = peek_apply(w, s, &e);
	}
	return false;
}

/* The row that waits, if one does. */
static bool peek_waiting(const struct walk *w, struct walk_peek *out)
{
	bool old = w->gap_count || w->told_next < w->told_count || w->ahead.leaves || w->silent ||
		   pops_make_row(w, &w->stack, w->pops);

	if (!old && !w->holds)
		return false;
	if (!old)
		out->ticks = w->ticks + w->marks.ticks;
	return true;
}

/* The order and time of the next row, which stays the next. Only whether a row comes is looked for;
 * to make it would change the stack. */
int walk_peek(struct walk *w, struct walk_peek *out, struct pl_err *err)
{
	for (;;) {
		*out = (struct walk_peek){.order = w->order, .ticks = w->ticks};
		if (peek_waiting(w, out) || peek_block(w, out))
			return 0;
		int code = go_on(w, err);
		if (code)
			return code;
	}
}

/* ---- going elsewhere ---- */

static void forget_waiting(struct walk *w)
{
	w->gap_count = 0;
	w->ahead = (struct walk_ahead){0};
	w->told_count = w->told_next = 0;
	w->holds = false;
	w->silent = false;
	w->pops = 0;
	w->marks = (struct walk_marks){0};
}

/* Before a block, which next_block opens. Its stack is that of the block, so nothing of the old
 * place is needed; but of the first block what is missing before it is still to be told
 * (next_number 0). */
void walk_go_to(struct walk *w, size_t index)
{
	const struct thread_entry *t = w->thread;
	const struct block_ref *ref = index < t->block_count ? &t->blocks[index] : NULL;

	w->next_block = t->evicted + index;
	w->next_seq = index && ref ? ref->first_seq : 0;
	w->next_number = index && ref ? ref->number : 0;
	w->open = false;
	w->ended = false;
	w->events = (struct pl_view){0};
	forget_waiting(w);
	w->explained = false;
	w->stopped = false;
	w->last_ns = INT64_MIN;
	w->order = w->order_from = ref ? ref->order : 0;
	w->ticks = ref ? ref->open_ticks : 0;
	stack_reset(&w->stack);
	w->code = NULL;
}

/* ---- the stack ---- */

const struct pl_code *walk_runs(struct walk *w, int32_t *line)
{
	const struct stack_frame *f = stack_top(&w->stack);
	const struct pl_code *c = top_code(w);

	*line = f ? code_place_line(c, stack_place_of(&w->stack, w->stack.depth - 1), f->value) : 0;
	return c;
}

/* Tasks are sorted by the frame of their root, so one pass over both lists finds them. */
size_t walk_stack(const struct walk *w, struct pl_frame *frames, size_t max)
{
	const struct stack *s = &w->stack;
	uint32_t task = 0;

	for (uint32_t i = 0; i < s->depth && i < max; i++) {
		const struct stack_frame *f = &s->frames[i];
		const struct pl_code *c = walk_code_of(w, f->code);
		enum stack_place place = stack_place_of(s, i);
		frames[i] = (struct pl_frame){.code = code_first(c),
			.line = code_place_line(c, place, f->value),
			.offset = code_place_unit(c, place, f->value),
			.generator = f->gen,
			.linked = f->linked};
		if (task < s->task_count && s->tasks[task].frame == i) {
			frames[i].task = s->tasks[task].length ? s->tasks[task].name : NULL;
			frames[i].task_id = s->tasks[task++].number;
		}
	}
	return s->depth;
}

/* The place in the list and the numbers stay; the stack comes from the next block. */
void walk_rest(struct walk *w)
{
	block_release(&w->block);
	stream_release(&w->stream);
	stack_release(&w->stack);
	stack_release(&w->peeked);
	w->stream.room = (struct pl_buf){0};
	w->events = (struct pl_view){0};
	w->open = false;
	w->code = NULL;
}

void walk_release(struct walk *w)
{
	walk_rest(w);
	free(w->told);
	w->told = NULL;
	w->told_room = 0;
}
