#include "trace/thread_path.h"

#include <stdlib.h>

void thread_path_init(struct thread_path *p, struct pl_recording *r, struct thread_entry *t)
{
	*p = (struct thread_path){0};
	block_reader_init(&p->blocks, r, t);
}

/* NULL: nothing is known about the code, and all its rows have events. */
static struct follow_code *path_follow_code(const struct thread_path *p, struct pl_code *c)
{
	return c && c != p->blocks.r->unknown_code ? &c->follow : NULL;
}

static struct follow_code *top_follow(struct thread_path *p)
{
	return path_follow_code(p, thread_path_top_code(p));
}

/* ---- gaps ---- */

/* They are given before the next event is read, so few wait at a time; a fifth would replace the
 * fourth. */
static struct path_gap *add_path_gap(
	struct thread_path *p, enum pl_gap_reason reason, uint64_t lost)
{
	struct path_gap *g = &p->gaps[p->gap_count < PATH_GAPS ? p->gap_count++ : PATH_GAPS - 1];

	*g = (struct path_gap){.reason = reason, .lost = lost, .offset = UINT32_MAX};
	return g;
}

/* A gap at a frame. */
static void add_gap_at(struct thread_path *p, enum pl_gap_reason reason, uint32_t frame)
{
	const struct stack_frame *f = &p->stack.frames[frame];
	struct path_gap *g = add_path_gap(p, reason, 0);
	enum stack_place place = stack_place_of(&p->stack, frame);

	g->code = thread_path_code_of(p, f->code);
	g->depth = frame;
	g->line = code_place_line(g->code, place, f->value);
	g->offset = code_place_unit(g->code, place, f->value);
}

/* A gap that nothing after it contradicts. */
static void add_block_gap(struct thread_path *p, const struct block_gap *g)
{
	if (!g->found)
		return;
	add_path_gap(p, g->reason, g->lost);
	p->explained = true;
}

struct path_gap thread_path_take_gap(struct thread_path *p)
{
	const struct path_gap g = p->gaps[0];

	p->gap_count--;
	memmove(p->gaps, p->gaps + 1, p->gap_count * sizeof *p->gaps);
	return g;
}

/* ---- lines without an event ---- */

static bool room_for_told(struct thread_path *p, uint32_t count)
{
	if (count <= p->told_room)
		return true;
	uint32_t *told = realloc(p->told, 2 * (size_t)count * sizeof *told);
	if (!told)
		return false;
	p->told = told;
	p->told_room = 2 * count;
	return true;
}

/* Give these lines next, before what waits: they ran without an event. */
static int tell_lines(struct thread_path *p, const struct follow_lines *lines)
{
	uint32_t count = follow_count(lines);

	if (!room_for_told(p, count))
		return PL_ERR_MEMORY;
	follow_starts(lines, p->told);
	p->told_count = count;
	p->told_next = 0;
	return 0;
}

uint32_t thread_path_take_told(struct thread_path *p)
{
	const uint32_t start = p->told[p->told_next++];

	follow_pass_line(top_follow(p), stack_top(&p->stack), start);
	p->implied++;
	p->explained = false;
	p->stopped = false;
	return start;
}

/* ---- what may have happened after the end ---- */

/* Give the lines of this frame next. */
static int look_ahead(struct thread_path *p, uint32_t frames)
{
	const struct stack_frame *f = frames ? &p->stack.frames[frames - 1] : NULL;
	struct pl_code *c = f ? thread_path_code_of(p, f->code) : NULL;

	p->ahead = (struct path_ahead){.begun = true, .frames = frames};
	p->told_count = p->told_next = 0;
	if (!c || !c->follow.graph || f->raised)
		return 0;
	if (!room_for_told(p, c->body.graph.start_count + c->body.graph.block_count))
		return PL_ERR_MEMORY;
	p->told_count = follow_ahead(&c->follow, stack_place_of(&p->stack, frames - 1), f->value,
		p->told, &p->ahead.leaves);
	p->ahead.leaves &= frames > 1;
	return 0;
}

/* Each line that could come next in the innermost frame; if it can be left without an event, that
 * it was; then the same for its caller. If nothing is known about an innermost frame, there is
 * nothing. */
int thread_path_take_possible(struct thread_path *p, struct path_possible *out)
{
	bool line = p->told_next < p->told_count;

	if (!p->ahead.frames || (!line && !p->ahead.leaves))
		return PL_END;
	*out = (struct path_possible){.frame = p->ahead.frames - 1, .has_line = line};
	if (!line)
		return look_ahead(p, out->frame);
	out->start = p->told[p->told_next++];
	return 0;
}

/* First a gap that says how far the path is known. */
int thread_path_begin_ahead(struct thread_path *p)
{
	if (p->ended || !p->stack.depth)
		return PL_END;
	if (p->ahead.begun)
		return 0;
	add_gap_at(p, PL_GAP_LIVE, p->stack.depth - 1);
	return look_ahead(p, p->stack.depth);
}

void thread_path_forget_ahead(struct thread_path *p)
{
	if (!p->ahead.begun)
		return;
	p->ahead = (struct path_ahead){0};
	p->told_count = p->told_next = 0;
	p->gap_count = 0;
}

/* ---- the end ---- */

/* The thread has more events than blocks of them are there. */
static void miss_the_end(struct thread_path *p, struct path_met *met)
{
	const struct thread_entry *t = p->blocks.thread;
	const bool dropped = block_reader_is_dropped(&p->blocks, p->next_seq);

	*met = (struct path_met){.news = PATH_ENDED, .ticks = t->end_ticks};
	p->ended = true;
	add_path_gap(p, dropped ? PL_GAP_EVICTED : PL_GAP_DAMAGED, t->end_seq - p->next_seq);
	if (!dropped)
		recording_damage(p->blocks.r, FILE_META, 0, "a thread's last blocks are missing");
}

/* Events are missing at the end, and any number of frames may have begun and ended meanwhile. So
 * there is nothing to say of what may have followed, and where the frames are is not known. */
static void lose_the_end(struct thread_path *p, const struct pl_loss *l, struct path_met *met)
{
	const struct event gap = {.kind = EVENT_GAP, .a = l->reason};
	const struct thread_entry *t = p->blocks.thread;
	const struct process_entry *process =
		recording_find_process(p->blocks.r, t->public.process);
	/* of a LOSS of all threads, it is not known how many were this one's */
	const uint64_t lost = process && process->thread_count == 1 ? l->lost : 0;

	*met = (struct path_met){.news = PATH_ENDED, .ticks = t->start_ticks};
	p->ended = true;
	p->explained = true;
	if (!p->stack.depth) {
		add_path_gap(p, l->reason, lost);
		return;
	}
	add_gap_at(p, l->reason, p->stack.depth - 1);
	p->gaps[p->gap_count - 1].lost = lost;
	stack_apply(&p->stack, &gap);
}

/* The path ends here: a gap if it was cut off. */
static int end_path(struct thread_path *p, struct path_met *met)
{
	struct pl_recording *r = p->blocks.r;
	const struct thread_entry *t = p->blocks.thread;
	const struct pl_loss *lost;

	if (p->ended)
		return PL_END;
	if (t->ended && p->next_seq < t->end_seq) {
		miss_the_end(p, met);
		return 0;
	}
	if (recording_lost_bytes(r, t, p->next_seq)) {
		p->ended = true;
		add_path_gap(p, PL_GAP_DAMAGED, 0);
		return 0;
	}
	lost = p->stopped ? NULL : recording_end_loss(r, t, p->stack.depth);
	if (lost) {
		lose_the_end(p, lost, met);
		return 0;
	}
	if (!recording_killed(r, t) || p->stopped || !p->stack.depth)
		return PL_END;
	p->ended = true;
	p->explained = true;
	add_gap_at(p, PL_GAP_KILLED, p->stack.depth - 1);
	return look_ahead(p, p->stack.depth);
}

/* ---- blocks ---- */

/* The path's stack and the block's are exchanged: the block does not need its own any more, and the
 * memory is used for the next one. The stack of the block is right, not the one that the path
 * reached: after damage only the former is known. */
static void begin_path_block(struct thread_path *p)
{
	const struct stack spare = p->stack;

	p->stack = p->blocks.block.stack;
	p->blocks.block.stack = spare;
	p->events = p->blocks.block.events;
	p->values = p->variables = (struct pl_view){0};
	p->code = NULL;
}

/* A damaged block is itself a gap: the caller gives that and goes on. */
static int next_block(struct thread_path *p, struct path_met *met, struct pl_err *err)
{
	struct block_read read = {.seq = p->next_seq};
	int code = block_reader_next(&p->blocks, p->next_seq, &read, err);

	if (code == PL_END) {
		code = end_path(p, met);
		return code < 0 ? pl_err_cause(err, code, "no memory for the lines of a path")
				: code;
	}
	p->event = 0;
	add_block_gap(p, &read.before);
	if (code)
		return code;
	p->next_seq = read.seq;
	if (read.in.found) {
		stack_reset(&p->stack);
		add_block_gap(p, &read.in);
		return 0;
	}
	begin_path_block(p);
	met->news = PATH_OPENED;
	return 0;
}

/* The rest of the block cannot be decoded: it is lost. */
static void give_up_block(struct thread_path *p)
{
	const struct block_head *head = &p->blocks.block.head;

	p->events.left = 0;
	add_path_gap(p, PL_GAP_DAMAGED, head->events > p->event ? head->events - p->event : 0);
	block_reader_give_up(&p->blocks);
	p->next_seq = head->first_seq + head->events;
	p->explained = true;
}

/* ---- events ---- */

void thread_path_pass(struct thread_path *p, const struct event *e)
{
	if (e->kind == EVENT_POPS) {
		p->pops = e->a <= p->stack.depth ? e->a : 0;
		return;
	}
	if (e->kind == EVENT_FURTHER && e->a == EVENT_VALUES)
		p->values = e->text;
	if (e->kind == EVENT_FURTHER && e->a == EVENT_VARIABLES)
		p->variables = e->text;
	stack_apply(&p->stack, e);
	const struct stack_task *task =
		e->kind == EVENT_TASK && p->renamed ? stack_running_task(&p->stack) : NULL;
	if (task && !stack_task_waits(&p->stack))
		p->renamed(p->who, task);
}

/* What cannot be read is met again by who goes on. */
void thread_path_take_links(struct thread_path *p)
{
	struct pl_view rest = p->events;
	struct event e;

	while (rest.left && !event_read(&rest, &p->stack.calls, &e) && e.kind == EVENT_LINK) {
		thread_path_pass(p, &e);
		p->events = rest;
	}
}

/* Pop one of the frames to be popped: it returned or yielded, was only linked, or should not be
 * gone. */
static int pop_next(struct thread_path *p)
{
	static const struct event one = {.kind = EVENT_POPS, .a = 1};
	struct follow_code *c = top_follow(p);
	struct follow_lines lines;

	p->pops--;
	enum follow_answer answer = follow_pop(c, stack_top(&p->stack), &lines);
	if (answer == FOLLOW_LINES) {
		p->held = (struct event){.kind = follow_left_by(c), .unit = EVENT_NO_UNIT};
		p->holds = true;
		p->silent = true;
		return tell_lines(p, &lines);
	}
	if (answer == FOLLOW_BROKEN && !p->explained) {
		add_gap_at(p, PL_GAP_VANISHED, p->stack.depth - 1);
		p->explained = true;
	}
	stack_apply(&p->stack, &one);
	return 0;
}

/* EVENT_LINE_AT: is the reported line another one than that of the unit? */
static bool is_line_moved(const struct pl_code *c, const struct event *e)
{
	return c->body.graph.analysed && e->unit != EVENT_NO_UNIT &&
	       flow_line_at(&c->body.graph, e->unit) != e->line;
}

/* Did a debugger move the frame? */
static bool is_jumped(struct thread_path *p, const struct event *e)
{
	if (!p->stack.depth)
		return false;
	if (e->kind == EVENT_LINE_AT)
		return is_line_moved(thread_path_top_code(p), e);
	return e->kind == EVENT_AGAIN && !code_jumps_back(thread_path_top_code(p), e->unit);
}

/* A LINE of a start that the code does not have: which line ran is not known. */
static bool is_undecoded(struct thread_path *p, const struct event *e)
{
	return e->kind == EVENT_LINE && p->stack.depth &&
	       !code_has_start(thread_path_top_code(p), e->index);
}

/* What comes before the event's row: gaps if it contradicts the path, and the lines that led to
 * it. Without such lines the gaps belong to the event. */
static int come_before(struct thread_path *p, const struct event *e, struct path_met *met)
{
	struct path_gap jumped = {0};
	struct follow_lines lines;
	enum follow_answer answer = FOLLOW_NOTHING;

	if (p->stack.depth) {
		add_gap_at(p, PL_GAP_JUMPED,
			p->stack.depth - 1); /* where the frame is: forgotten below */
		jumped = p->gaps[--p->gap_count];
		answer = follow_event(top_follow(p), &p->stack, e, &lines);
	}
	if (is_undecoded(p, e))
		jumped.reason = PL_GAP_DAMAGED;
	if (answer == FOLLOW_BROKEN || jumped.reason == PL_GAP_DAMAGED || is_jumped(p, e))
		p->gaps[p->gap_count++] = jumped;
	if (event_is_entry(e->kind) && thread_path_code_of(p, e->code) == p->blocks.r->unknown_code)
		add_path_gap(p, PL_GAP_CODE, 0);
	if (!p->stack.depth && event_has_trait(e->kind, EVENT_FRAME) && !p->explained)
		add_path_gap(p, PL_GAP_APPEARED, 0);
	if (answer == FOLLOW_LINES && follow_count(&lines))
		return tell_lines(p, &lines);
	met->news = PATH_HELD;
	return 0;
}

/* The frame is there now: the lines that led to it come next. */
static int come_to(struct thread_path *p, const struct event *e)
{
	struct follow_lines lines;
	enum follow_answer answer = FOLLOW_NOTHING;

	if (p->stack.depth)
		answer = follow_event(top_follow(p), &p->stack, e, &lines);
	stack_apply(&p->stack, e);
	return answer == FOLLOW_LINES ? tell_lines(p, &lines) : 0;
}

/* Is it about the time or the order of events, and nothing else? */
static bool is_mark(enum event_kind kind)
{
	return kind == EVENT_TIME || kind == EVENT_IDLE || kind == EVENT_SWITCH;
}

/* Read one event. It has a row if `holds` is set afterwards; then other rows may come before it. */
static int next_event(struct thread_path *p, struct path_met *met)
{
	struct event e;

	if (event_read(&p->events, &p->stack.calls, &e)) {
		give_up_block(p);
		return 0;
	}
	if (e.kind == EVENT_AT)
		return come_to(p, &e);
	if (event_counts(e.kind)) {
		p->held = e;
		p->holds = true;
		return come_before(p, &e, met);
	}
	if (is_mark(e.kind)) {
		met->news = PATH_MARK;
		met->mark = e;
	} else {
		thread_path_pass(p, &e);
	}
	return 0;
}

int thread_path_go_on(struct thread_path *p, struct path_met *met, struct pl_err *err)
{
	int code;

	met->news = PATH_NO_NEWS;
	if (p->pops)
		code = pop_next(p);
	else if (p->events.left)
		code = next_event(p, met);
	else
		return next_block(p, met, err);
	return code < 0 ? pl_err_cause(err, code, "no memory for the lines of a path") : 0;
}

/* ---- looking ahead ---- */

/* The event is the next one with a row, and the stack is that before it. Do other rows come before
 * it? They have the time before. */
static bool something_before(const struct thread_path *p, struct stack *s, const struct event *e)
{
	struct stack_frame *f = stack_top(s);
	struct follow_lines lines;

	if (!f)
		return false;
	const struct stack_frame before = *f;
	enum follow_answer answer =
		follow_event(path_follow_code(p, thread_path_code_of(p, f->code)), s, e, &lines);
	*f = before;
	return answer == FOLLOW_LINES && follow_count(&lines);
}

/* If n frames are popped, does a row come with any of them, or a gap? As pop_next. */
static bool pops_make_row(const struct thread_path *p, const struct stack *stack, uint64_t n)
{
	struct follow_lines lines;

	for (size_t i = stack->depth; n && i; n--) {
		const struct stack_frame *f = &stack->frames[--i];
		enum follow_answer answer =
			follow_pop(path_follow_code(p, thread_path_code_of(p, f->code)), f, &lines);
		if (answer == FOLLOW_LINES || (answer == FOLLOW_BROKEN && !p->explained))
			return true;
	}
	return false;
}

/* The stack after an event without a row, which must not change the path's own stack. Without
 * memory it is unchanged. */
static struct stack *peek_apply(struct thread_path *p, struct stack *s, const struct event *e)
{
	if (s == &p->stack && stack_copy(&p->peeked, s))
		return s;
	stack_apply(&p->peeked, e);
	return &p->peeked;
}

static bool peek_block(struct thread_path *p, struct path_peek *out)
{
	struct pl_view v = p->events;
	struct event e = {.kind = EVENT_POPS, .a = p->pops};
	struct stack *s = p->pops ? peek_apply(p, &p->stack, &e) : &p->stack;

	while (v.left) {
		/* only up to the first row: events are read again before any that the calls they
		 * add could affect */
		bool damaged = event_read(&v, &p->stack.calls, &e);
		if (damaged)
			return true;
		if (e.kind == EVENT_POPS && pops_make_row(p, s, e.a))
			return true;
		if (e.kind == EVENT_AT && something_before(p, s, &e))
			return true;
		if (event_counts(e.kind)) {
			out->of_event = !something_before(p, s, &e);
			return true;
		}
		if (e.kind == EVENT_SWITCH) {
			out->switched = true;
			out->order = e.a;
		} else if (e.kind == EVENT_TIME) {
			out->ticks += e.a;
		} else if (e.kind != EVENT_IDLE) {
			s = peek_apply(p, s, &e);
		}
	}
	return false;
}

/* Only whether a row comes is looked for; to make it would change the stack. */
bool thread_path_peek(struct thread_path *p, struct path_peek *out)
{
	*out = (struct path_peek){0};
	if (p->gap_count || p->told_next < p->told_count || p->ahead.leaves || p->silent ||
		pops_make_row(p, &p->stack, p->pops))
		return true;
	out->of_event = p->holds;
	return p->holds || peek_block(p, out);
}

/* ---- going elsewhere ---- */

void thread_path_forget_waiting(struct thread_path *p)
{
	p->gap_count = 0;
	p->ahead = (struct path_ahead){0};
	p->told_count = p->told_next = 0;
	p->holds = false;
	p->silent = false;
	p->pops = 0;
}

/* The stack is that of the block, so nothing of the old place is needed; but of the first block
 * what is missing before it is still to be told (block_reader_go_to). */
const struct block_ref *thread_path_go_to(struct thread_path *p, size_t index)
{
	const struct block_ref *ref = block_reader_go_to(&p->blocks, index);

	p->next_seq = index && ref ? ref->first_seq : 0;
	p->ended = false;
	p->events = (struct pl_view){0};
	thread_path_forget_waiting(p);
	p->explained = false;
	p->stopped = false;
	stack_reset(&p->stack);
	p->code = NULL;
	return ref;
}

/* ---- the stack ---- */

const struct pl_code *thread_path_runs(struct thread_path *p, int32_t *line)
{
	const struct stack_frame *f = stack_top(&p->stack);
	const struct pl_code *c = thread_path_top_code(p);

	*line = f ? code_place_line(c, stack_place_of(&p->stack, p->stack.depth - 1), f->value) : 0;
	return c;
}

/* Tasks are sorted by the frame of their root, so one pass over both lists finds them. */
size_t thread_path_stack(const struct thread_path *p, struct pl_frame *frames, size_t max)
{
	const struct stack *s = &p->stack;
	uint32_t task = 0;

	for (uint32_t i = 0; i < s->depth && i < max; i++) {
		const struct stack_frame *f = &s->frames[i];
		const struct pl_code *c = thread_path_code_of(p, f->code);
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
void thread_path_rest(struct thread_path *p)
{
	block_reader_rest(&p->blocks);
	stack_release(&p->stack);
	stack_release(&p->peeked);
	p->events = (struct pl_view){0};
	p->code = NULL;
}

void thread_path_release(struct thread_path *p)
{
	thread_path_rest(p);
	free(p->told);
	p->told = NULL;
	p->told_room = 0;
}
