#include "trace/walk.h"

#include <inttypes.h>

void walk_init(struct walk *w, struct pl_recording *r, struct thread_entry *t)
{
	*w = (struct walk){.r = r, .thread = t, .last_ns = INT64_MIN};
	w->stream.files = r->files;
}

/* ---- frames ---- */

/* By the open block's own table (open_codes). Never NULL: a code that is missing is "?". */
static struct pl_code *code_of(const struct walk *w, uint32_t number)
{
	const uint64_t *found = map_find(&w->block.bodies, number);
	struct pl_code *c = found ? (struct pl_code *)(uintptr_t)*found : NULL;

	return c ? c : w->r->unknown_code;
}

/* The code of the top frame, NULL without a frame. */
static struct pl_code *top_code(struct walk *w)
{
	const struct stack_frame *f = stack_top(&w->stack);

	if (!f)
		return NULL;
	if (!w->code || w->code_number != f->code) {
		w->code = code_of(w, f->code);
		w->code_number = f->code;
	}
	return w->code;
}

/* ---- gaps ---- */

/* They are given before the next event is read, so few wait at a time; a fifth would take the
 * fourth's place. */
static struct walk_gap *add_gap(struct walk *w, enum pl_gap_reason reason, uint64_t lost)
{
	struct walk_gap *g = &w->gaps[w->gap_count < WALK_GAPS ? w->gap_count++ : WALK_GAPS - 1];

	*g = (struct walk_gap){.reason = reason, .lost = lost, .offset = UINT32_MAX};
	return g;
}

/* A gap where a frame stands. */
static void add_gap_at(struct walk *w, enum pl_gap_reason reason, uint32_t frame)
{
	const struct stack_frame *f = &w->stack.frames[frame];
	struct walk_gap *g = add_gap(w, reason, 0);
	enum stack_place place = stack_place_of(&w->stack, frame);

	g->code = code_of(w, f->code);
	g->depth = frame;
	g->line = code_place_line(g->code, place, f->value);
	g->offset = code_place_unit(g->code, place, f->value);
}

static int64_t add_clamped(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Position, seq, order and time of the next row. Time is clamped, so that it never goes back within
 * a thread, also where the clock's map does not know better. */
static void put_place(struct walk *w, struct pl_event *row)
{
	if (w->time.real_ns > w->last_ns)
		w->last_ns = w->time.real_ns;
	row->position = (struct pl_position){.process = w->thread->public.process,
		.thread = w->thread->public.number,
		.block = w->number,
		.event = w->event};
	row->seq = w->next_seq;
	row->order = w->order;
	row->time_ns = w->last_ns;
	row->time_error_ns =
		w->at_stamp ? w->time.error_ns : add_clamped(w->time.error_ns, w->stamp_span_ns);
}

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
}

/* ---- time ---- */

/* The ticks of the next TIME in this block, 0: there is none. */
static uint64_t next_stamp(const struct walk *w)
{
	struct pl_view v = w->events;
	struct event e;

	while (v.left && event_read(&v, &e) == 0)
		if (e.kind == EVENT_TIME && e.a)
			return w->ticks + e.a;
	return 0;
}

#define SPAN_WORTH_LOOKING_NS 50000000 /* below, the bound by the tick is good enough */

/* What comes behind a stamp came before the next one, and before the collector's tick changed. */
static void stamp(struct walk *w, uint64_t ticks, bool exact)
{
	w->ticks = ticks;
	w->at_stamp = exact;
	clockmap_time(&w->r->clock, ticks, &w->time);
	w->stamp_span_ns = w->time.gap_ns;
	if (w->stamp_span_ns <= SPAN_WORTH_LOOKING_NS || ticks >= w->close_ticks)
		return;
	uint64_t next = next_stamp(w);
	int64_t span = clockmap_span(&w->r->clock, (next ? next : w->close_ticks) - ticks);
	if (span < w->stamp_span_ns)
		w->stamp_span_ns = span;
}

/* ---- blocks ---- */

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
		add_gap(w, PL_GAP_UNKNOWN, 0);
	} else if (oldest && (w->thread->evicted || w->r->first_segment > 1)) {
		add_gap(w, PL_GAP_EVICTED, lost);
	} else {
		note_damage(w, ref, "the blocks before it are missing");
		add_gap(w, PL_GAP_DAMAGED, lost);
	}
	w->explained = true;
}

/* From the block's bodies to codes, once, so that each event finds its code in one step. */
static void open_codes(struct walk *w)
{
	struct pl_map *bodies = &w->block.bodies;

	for (size_t i = 0; i < bodies->room; i++)
		if (bodies->slots[i].used)
			bodies->slots[i].value = (uintptr_t)code_open(w->r, bodies->slots[i].value);
	w->code = NULL;
}

/* PL_ERR_FORMAT: damaged; PL_ERR_NOT_FOUND: its segment was dropped since; PL_ERR_VERSION. */
static int load(struct walk *w, const struct block_ref *ref, struct pl_err *err)
{
	struct record record;

	w->stream.file = ref->file;
	w->stream.off = ref->off;
	w->stream.size = ref->off + RECORD_HEAD_BYTES + ref->stored;
	int code = stream_head(&w->stream, err);
	if (code == 0)
		code = stream_record(&w->stream, &record, err);
	if (code == 0)
		code = block_open(&w->block, record.payload);
	return code == PL_END ? PL_ERR_FORMAT : code;
}

/* The walk's stack and the block's change places: the block has no more use for its own, and the
 * memory serves for the next one. The stack of the block counts, not the one that was walked to:
 * behind a damage only the former is known. */
static void open_block(struct walk *w, const struct block_ref *ref)
{
	const struct stack spare = w->stack;

	open_codes(w);
	w->stack = w->block.stack;
	w->block.stack = spare;
	w->events = w->block.events;
	w->open = true;
	w->order = w->block.head.order;
	w->close_ticks = ref->close_ticks;
	w->next_seq = ref->first_seq;
	stamp(w, ref->open_ticks, false);
}

/* Its path ends here: say so if it was cut off. */
static int last_gap(struct walk *w)
{
	const struct thread_entry *t = w->thread;

	if (w->ended)
		return PL_END;
	if (t->ended && w->next_seq < t->end_seq) {
		w->ended = true;
		add_gap(w, PL_GAP_DAMAGED, t->end_seq - w->next_seq);
		recording_damage(w->r, FILE_META, 0, "a thread's last blocks are missing");
		return 0;
	}
	if (!recording_killed(w->r, t) || w->stopped || !w->stack.depth)
		return PL_END;
	w->ended = true;
	w->explained = true;
	add_gap_at(w, PL_GAP_KILLED, w->stack.depth - 1);
	return 0;
}

static enum pl_gap_reason missing_reason(int code)
{
	if (code == PL_ERR_VERSION)
		return PL_GAP_UNKNOWN; /* it holds events of a later minor version */
	return code == PL_ERR_FORMAT ? PL_GAP_DAMAGED : PL_GAP_EVICTED;
}

/* Open the next block, with a gap in front of it where it does not follow. A damaged one is a gap
 * itself, and 0: the caller gives the gap and comes here again. */
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
	int code = load(w, ref, err);
	if (code == 0) {
		open_block(w, ref);
		return 0;
	}
	if (code != PL_ERR_FORMAT && code != PL_ERR_NOT_FOUND && code != PL_ERR_VERSION)
		return pl_err_cause(err, code, "block %" PRIu32 " of thread %" PRIu32, ref->number,
			t->public.number);
	/* Its bodies may still be numbers, where codes are looked for. */
	block_release(&w->block);
	stack_reset(&w->stack);
	w->next_seq = ref->first_seq + ref->events;
	w->explained = true;
	add_gap(w, missing_reason(code), ref->events);
	if (code == PL_ERR_FORMAT)
		note_damage(w, ref, "the block is damaged");
	return 0;
}

/* The rest of the block is no events: it is lost. */
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

/* Frames that were entered must leave by an event; linked ones go as they came. */
static void see_pops(struct walk *w, uint64_t n)
{
	if (n > w->stack.depth || w->explained)
		return;
	for (uint32_t i = w->stack.depth; n--; i--) {
		if (!w->stack.frames[i - 1].linked) {
			add_gap_at(w, PL_GAP_VANISHED, i - 1);
			return;
		}
	}
}

/* Applied on the way to the next row. */
static void pass(struct walk *w, const struct event *e)
{
	if (e->kind == EVENT_TIME) {
		/* A stamp looks for the next one: one that moves nothing must not look through the
		 * block each time. */
		w->at_stamp = true;
		if (e->a)
			stamp(w, w->ticks + e->a, true);
		return;
	}
	if (e->kind == EVENT_SWITCH) {
		w->order = e->a;
		return;
	}
	if (e->kind == EVENT_POPS)
		see_pops(w, e->a);
	stack_apply(&w->stack, e);
}

/* ---- rows ---- */

static int32_t unit_line(const struct pl_code *c, uint32_t unit)
{
	return flow_line_at(&c->body.graph, unit);
}

static void put_frame(struct walk *w, struct pl_event *row)
{
	const struct stack_frame *f = stack_top(&w->stack);
	const struct stack_task *task = stack_running_task(&w->stack);

	row->code = top_code(w);
	if (!f) {
		if (row->kind != PL_EVENT_GAP && row->kind != PL_EVENT_MARK)
			row->code = w->r->unknown_code;
		return;
	}
	row->depth = w->stack.depth - 1;
	row->generator = f->gen;
	row->greenlet = w->stack.greenlet;
	row->task = task ? task->name : NULL;
}

/* The line and unit from where the frame stands, for events that do not tell. */
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

/* Which frame a row tells of: an entry of the one that it pushes, an exit of the one that it pops,
 * so one is given behind stack_apply and the other before. */
static void give_entry(struct walk *w, const struct event *e, struct pl_event *row)
{
	const struct pl_code *caller = top_code(w);

	if (caller && e->site != EVENT_NO_SITE)
		row->caller_line = unit_line(caller, e->site);
	stack_apply(&w->stack, e);
	put_frame(w, row);
	if (e->kind == EVENT_ENTER)
		put_stand(w, row);
	else
		put_unit(row, e->unit);
}

static void give_exit(struct walk *w, const struct event *e, struct pl_event *row)
{
	put_frame(w, row);
	if (e->kind == EVENT_UNWIND)
		put_stand(w, row);
	else
		put_unit(row, e->unit);
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

/* Jumps back may have no line of their own: where they lead has it. */
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

static void give_mark(struct walk *w, const struct event *e, struct pl_event *row)
{
	put_frame(w, row);
	put_stand(w, row);
	memcpy(w->mark, e->text.at, e->text.left);
	w->mark[e->text.left] = 0;
	row->type = w->mark;
}

/* The row of an event, and the stack behind it. */
static void give(struct walk *w, const struct event *e, struct pl_event *row)
{
	*row = (struct pl_event){.kind = block_row(e->kind), .offset = UINT32_MAX};
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
	w->at_stamp = false;
	w->next_seq++;
	w->event++;
}

/* EVENT_LINE_AT: is the line that was told another one than the unit's? */
static bool is_moved(const struct pl_code *c, const struct event *e)
{
	return c->body.graph.analysed && e->unit != EVENT_NO_UNIT &&
	       unit_line(c, e->unit) != e->line;
}

/* What an event contradicts, put as gaps in front of it. */
static void see_contradictions(struct walk *w, const struct event *e)
{
	switch (e->kind) {
	case EVENT_LINE:
		if (!w->stack.depth)
			break;
		if (!code_can_follow(top_code(w), stack_top(&w->stack), e->index))
			add_gap_at(w, PL_GAP_JUMPED, w->stack.depth - 1);
		return;
	case EVENT_AGAIN:
		if (!w->stack.depth)
			break;
		if (!code_can_jump_back(top_code(w), stack_top(&w->stack), e->unit))
			add_gap_at(w, PL_GAP_JUMPED, w->stack.depth - 1);
		return;
	case EVENT_LINE_AT: /* a debugger moved the frame away from the line that was told */
		if (w->stack.depth && is_moved(top_code(w), e))
			add_gap_at(w, PL_GAP_JUMPED, w->stack.depth - 1);
		return;
	case EVENT_ENTER:
	case EVENT_RESUME:
	case EVENT_THROW:
		if (code_of(w, e->code) == w->r->unknown_code)
			add_gap(w, PL_GAP_CODE, 0);
		return;
	case EVENT_GAP:
	case EVENT_MARK:
	case EVENT_STOP:
		return;
	default:
		break;
	}
	if (!w->stack.depth && !w->explained)
		add_gap(w, PL_GAP_APPEARED, 0);
}

/* Read one event and give its row; false: it makes no row, or gaps come first. */
static bool step(struct walk *w, struct pl_event *row)
{
	struct event e;

	if (event_read(&w->events, &e)) {
		give_up_block(w);
		return false;
	}
	if (!event_counts(e.kind)) {
		pass(w, &e);
		return false;
	}
	see_contradictions(w, &e);
	if (w->gap_count) {
		w->held = e;
		w->holds = true;
		return false;
	}
	give(w, &e, row);
	return true;
}

/* Most events by far are lines of one byte, of a frame that is known and may be there: their row in
 * one go, as step and give_line would make it. */
static bool give_short_line(struct walk *w, struct pl_event *row)
{
	if (!w->events.left || *w->events.at < 0x80 || *w->events.at == 0xff || !w->stack.depth)
		return false;
	struct stack_frame *f = stack_top(&w->stack);
	struct pl_code *c = top_code(w);
	uint32_t start = *w->events.at & 0x7f;
	if (start >= c->body.graph.start_count || !code_can_follow(c, f, start))
		return false;
	w->events.at++;
	w->events.left--;
	f->place = PLACE_START;
	f->value = start;
	f->raised = false;
	*row = (struct pl_event){.kind = PL_EVENT_LINE,
		.line = c->body.graph.starts[start].line,
		.offset = c->body.graph.starts[start].unit};
	put_place(w, row);
	put_frame(w, row);
	w->explained = false;
	w->stopped = false;
	w->at_stamp = false;
	w->next_seq++;
	w->event++;
	return true;
}

/* In this order: gaps that wait, the event that they stood before, the next event, the next block.
 */
int walk_next(struct walk *w, struct pl_event *row, struct pl_err *err)
{
	for (;;) {
		if (w->gap_count) {
			give_gap(w, row);
			return 0;
		}
		if (w->holds) {
			w->holds = false;
			give(w, &w->held, row);
			return 0;
		}
		if (give_short_line(w, row))
			return 0;
		if (w->events.left) {
			if (step(w, row))
				return 0;
			continue;
		}
		int code = next_block(w, err);
		if (code)
			return code;
	}
}

/* Look through the open block; false: no more rows in it. */
static bool peek_block(const struct walk *w, struct walk_peek *out)
{
	struct pl_view v = w->events;
	struct event e;

	while (v.left) {
		if (*v.at & 0x80 || event_read(&v, &e) || event_counts(e.kind))
			return true;
		if (e.kind == EVENT_SWITCH)
			out->order = e.a;
		else if (e.kind == EVENT_TIME)
			out->ticks += e.a;
	}
	return false;
}

/* What makes no row at a block's end is applied here, since the next row is in another block. */
int walk_peek(struct walk *w, struct walk_peek *out, struct pl_err *err)
{
	struct event e;

	for (;;) {
		*out = (struct walk_peek){.order = w->order, .ticks = w->ticks};
		if (w->gap_count || w->holds || peek_block(w, out))
			return 0;
		while (w->events.left && event_read(&w->events, &e) == 0)
			pass(w, &e);
		int code = w->gap_count ? 0 : next_block(w, err);
		if (code)
			return code;
	}
}

/* ---- seeking ---- */

/* Stand in front of a block of the list. */
static void go_to(struct walk *w, size_t index)
{
	const struct thread_entry *t = w->thread;
	const struct block_ref *ref = index < t->block_count ? &t->blocks[index] : NULL;

	w->next_block = t->evicted + index;
	w->next_seq = index && ref ? ref->first_seq : 0;
	w->next_number = index && ref ? ref->number : 0;
	w->open = false;
	w->ended = false;
	w->events = (struct pl_view){0};
	w->gap_count = 0;
	w->holds = false;
	w->explained = false;
	w->stopped = false;
	w->last_ns = INT64_MIN;
	w->order = ref ? ref->order : 0;
	w->ticks = ref ? ref->open_ticks : 0;
	stack_reset(&w->stack);
	w->code = NULL;
}

/* The first block for which `behind` says no; they go by growing key. */
static size_t find_block(const struct walk *w,
	bool (*behind)(const struct walk *, const struct block_ref *, int64_t), int64_t key)
{
	size_t low = 0, high = w->thread->block_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (behind(w, &w->thread->blocks[middle], key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool ends_before_seq(const struct walk *w, const struct block_ref *ref, int64_t seq)
{
	(void)w;
	return ref->first_seq + ref->events <= (uint64_t)seq;
}

static bool ends_before_time(const struct walk *w, const struct block_ref *ref, int64_t time_ns)
{
	struct clock_time time;

	clockmap_time(&w->r->clock, ref->close_ticks, &time);
	return time.real_ns < time_ns;
}

static bool is_before_number(const struct walk *w, const struct block_ref *ref, int64_t number)
{
	(void)w;
	return ref->number < number;
}

/* All three: the block by its head, then row by row inside it. A gap of the way there is not given.
 */
int walk_seek_seq(struct walk *w, uint64_t seq, struct pl_err *err)
{
	const struct thread_entry *t = w->thread;
	struct pl_event row;
	int code = 0;

	go_to(w, find_block(w, ends_before_seq, (int64_t)(seq & INT64_MAX)));
	if (!t->block_count || seq <= t->blocks[0].first_seq)
		return 0;
	if (w->next_block - t->evicted == t->block_count) {
		/* Behind them all. */
		go_to(w, t->block_count - 1);
	}
	while (code == 0 && w->next_seq < seq)
		code = walk_next(w, &row, err);
	return code < 0 ? code : 0;
}

int walk_seek_time(struct walk *w, int64_t time_ns, struct pl_err *err)
{
	size_t index = find_block(w, ends_before_time, time_ns);
	struct clock_time time = {0};
	struct walk_peek peek;
	struct pl_event row;
	uint64_t known = 0;
	int code;

	if (index && index == w->thread->block_count)
		index--;
	go_to(w, index);
	while ((code = walk_peek(w, &peek, err)) == 0) {
		if (!known || peek.ticks != known)
			clockmap_time(&w->r->clock, peek.ticks, &time);
		known = peek.ticks;
		if (time.real_ns >= time_ns)
			return 0;
		code = walk_next(w, &row, err);
		if (code)
			break;
	}
	return code < 0 ? code : 0;
}

int walk_seek_position(struct walk *w, const struct pl_position *p, struct pl_err *err)
{
	struct walk_peek peek;
	struct pl_event row;
	int code;

	go_to(w, find_block(w, is_before_number, p->block));
	while ((code = walk_peek(w, &peek, err)) == 0) {
		if (w->number > p->block || (w->number == p->block && w->event >= p->event))
			return 0;
		code = walk_next(w, &row, err);
		if (code)
			break;
	}
	return code < 0 ? code : 0;
}

/* ---- the stack ---- */

size_t walk_stack(const struct walk *w, struct pl_frame *frames, size_t max)
{
	const struct stack *s = &w->stack;
	uint32_t task = 0;

	for (uint32_t i = 0; i < s->depth && i < max; i++) {
		const struct stack_frame *f = &s->frames[i];
		const struct pl_code *c = code_of(w, f->code);
		enum stack_place place = stack_place_of(s, i);
		frames[i] = (struct pl_frame){.code = c,
			.line = code_place_line(c, place, f->value),
			.offset = code_place_unit(c, place, f->value),
			.generator = f->gen,
			.linked = f->linked};
		if (task < s->task_count && s->tasks[task].frame == i)
			frames[i].task = s->tasks[task++].name;
	}
	return s->depth;
}

/* The place in the list and the numbers stay; the stack is the next block's to tell. */
void walk_rest(struct walk *w)
{
	block_release(&w->block);
	stream_release(&w->stream);
	stack_release(&w->stack);
	w->stream.room = (struct pl_buf){0};
	w->events = (struct pl_view){0};
	w->open = false;
	w->code = NULL;
}

void walk_release(struct walk *w)
{
	walk_rest(w);
}
