/* Transitions with a row that may be wanted are never taken. So fast-forwards stop before each of
 * them, and the walk gives the rows there. */
#include "pathline/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include "trace/seek.h"

struct pl_search {
	struct pl_recording *r;
	struct thread_entry *thread;
	struct pl_wanted wanted, fewer; /* fewer: pl_search_narrow */
	bool narrow;			/* only the fewer are wanted */
	bool wants_values;
	struct walk walk;
	struct fast_forward forward, narrow_forward; /* these stop */
	struct walk scout;
	struct fast_forward over; /* of the scout, these do not */
};

/* The head of a block counts each row of these kinds. */
#define COUNTED_KINDS                                                                              \
	(1u << PL_EVENT_CALL | 1u << PL_EVENT_YIELD | 1u << PL_EVENT_RESUME |                      \
		1u << PL_EVENT_THROW | 1u << PL_EVENT_UNWIND | 1u << PL_EVENT_RAISE |              \
		1u << PL_EVENT_RERAISE | 1u << PL_EVENT_HANDLED | 1u << PL_EVENT_MARK)

static bool search_is_stopped(const struct pl_search *s)
{
	return s->wanted.stop && *s->wanted.stop;
}

static bool row_may_be_wanted(const struct pl_wanted *wanted, const struct pl_count *row)
{
	struct pl_count first = *row;

	first.code = code_first(row->code);
	return wanted->kinds >> row->kind & 1 &&
	       (!wanted->may || wanted->may(wanted->context, &first));
}

static bool may_be_wanted(void *context, const struct pl_count *row)
{
	return row_may_be_wanted(context, row);
}

int pl_search_new(struct pl_search **out, struct pl_recording *r, const struct pl_wanted *wanted,
	struct pl_err *err)
{
	struct thread_entry *t = recording_find_thread(r, wanted->process, wanted->thread);
	struct pl_search *s = t ? calloc(1, sizeof *s) : NULL;

	if (!t)
		return pl_err_cause(err, PL_ERR_NOT_FOUND,
			"process %" PRIu32 " has no thread %" PRIu32, wanted->process,
			wanted->thread);
	if (!s)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a search");
	s->r = r;
	s->thread = t;
	s->wanted = *wanted;
	s->forward.halts = may_be_wanted;
	s->forward.halts_context = &s->wanted;
	s->narrow_forward.halts = may_be_wanted;
	s->narrow_forward.halts_context = &s->fewer;
	walk_init(&s->walk, r, t);
	walk_init(&s->scout, r, t);
	*out = s;
	return 0;
}

void pl_search_free(struct pl_search *s)
{
	if (!s)
		return;
	walk_release(&s->walk);
	walk_release(&s->scout);
	fast_forward_release(&s->forward);
	fast_forward_release(&s->narrow_forward);
	fast_forward_release(&s->over);
	free(s);
}

void pl_search_want_values(struct pl_search *s, bool wanted)
{
	s->wants_values = wanted;
}

void pl_search_narrow(struct pl_search *s, uint32_t kinds)
{
	s->narrow = kinds != 0;
	if (!kinds || kinds == s->fewer.kinds)
		return;
	s->fewer = s->wanted;
	s->fewer.kinds = kinds;
	fast_forward_forget(&s->narrow_forward);
}

static const struct pl_wanted *wanted_now(const struct pl_search *s)
{
	return s->narrow ? &s->fewer : &s->wanted;
}

/* ---- the thread's blocks ---- */

/* The seq after the block's last event. */
static uint64_t block_end_seq(const struct block_ref *ref)
{
	return ref->first_seq + ref->events;
}

/* The number of blocks that begin before seq. */
static size_t blocks_before(const struct thread_entry *t, uint64_t seq)
{
	size_t low = 0, high = t->block_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->blocks[middle].first_seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does the block's head leave it open whether it has such an event? Of kinds that heads do not
 * count, it always does. */
static bool may_have(const struct pl_search *s, const struct block_ref *ref)
{
	const uint32_t kinds = wanted_now(s)->kinds;

	return kinds & ~COUNTED_KINDS || kinds & ref->kinds;
}

/* ---- forwards ---- */

/* Fast-forward to before `seq`, or as far as possible: at most to the end of the block. */
static int pass_over(struct fast_forward *forward, struct walk *w, uint64_t seq, struct pl_err *err)
{
	const uint64_t next = w->clock.path.next_seq;
	const struct fast_forward_limit limit = {.ticks = UINT64_MAX,
		.seq = seq - next < FAST_FORWARD_HALT ? seq : next + FAST_FORWARD_HALT};
	int code;

	while ((code = fast_forward(forward, &w->clock, &limit)) == FAST_FORWARD_FULL)
		fast_forward_forget(forward);
	return code ? pl_err_cause(err, code, "no memory for the transitions of a path") : 0;
}

/* Is the open block over, with none of its rows left to give? */
static bool is_between_blocks(const struct thread_path *p)
{
	return !p->events.left && !p->pops && !p->holds && !p->gap_count && !p->silent &&
	       p->told_next == p->told_count && !p->ahead.begun;
}

/* Between two blocks: skip those that have none of the wanted events. */
static void pass_blocks(struct pl_search *s, uint64_t end)
{
	const struct thread_path *p = walk_path(&s->walk);
	const uint64_t next = p->blocks.next_block;
	size_t index = next > s->thread->evicted ? next - s->thread->evicted : 0, from = index;

	if (!is_between_blocks(p))
		return;
	if (s->wanted.passes)
		s->wanted.passes(s->wanted.context, p->next_seq);
	while (index + 1 < s->thread->block_count && !may_have(s, &s->thread->blocks[index]) &&
		block_end_seq(&s->thread->blocks[index]) <= end)
		index++;
	if (index != from)
		walk_go_to(&s->walk, index);
}

/* Values are of the row that the walk gave last. */
static int put_values(struct pl_search *s, struct pl_event *e, struct pl_err *err)
{
	int code = s->wants_values ? walk_put_values(&s->walk, e) : 0;

	return code ? pl_err_cause(err, code, "no memory for the values of an event") : 0;
}

static int is_wanted(struct pl_search *s, struct pl_event *e, struct pl_err *err)
{
	const struct pl_count row = {
		.code = e->code, .line = e->line, .kind = e->kind, .events = 1};

	if (!row_may_be_wanted(wanted_now(s), &row))
		return PL_END;
	int code = put_values(s, e, err);
	return code || !s->wanted.is ? code : s->wanted.is(s->wanted.context, e);
}

/* From where the walk is. */
static int go_forward(struct pl_search *s, uint64_t end, struct pl_event *event, struct pl_err *err)
{
	while (!search_is_stopped(s)) {
		pass_blocks(s, end);
		int code = s->walk.clock.path.next_seq < end
				   ? pass_over(s->narrow ? &s->narrow_forward : &s->forward,
					     &s->walk, end, err)
				   : PL_END;
		if (code == 0 && s->walk.clock.path.next_seq >= end)
			code = PL_END;
		if (code)
			return code;
		code = walk_next(&s->walk, event, err);
		if (code)
			return code;
		event->code = code_first(event->code);
		code = event->seq < end ? is_wanted(s, event, err) : PL_END;
		if (code <= 0)
			return code;
	}
	return PL_END;
}

/* If the walk is there already, as after the last answer, it goes on: a search of many events does
 * not seek for each. */
int pl_search_next(
	struct pl_search *s, uint64_t seq, uint64_t end, struct pl_event *event, struct pl_err *err)
{
	int code =
		s->walk.clock.path.next_seq == seq && seq ? 0 : walk_seek_seq(&s->walk, seq, err);

	while (code == 0) {
		code = go_forward(s, end, event, err);
		if (code || event->seq >= seq)
			break;
	}
	return code;
}

/* ---- backwards ---- */

/* Several rows can have one seq. */
struct found_row {
	uint64_t seq; /* UINT64_MAX: none */
	enum pl_event_kind kind;
};

/* The last wanted event of a block before seq: paths are read forward only, so all of them are
 * found, and the last one stays. */
static int last_of(struct pl_search *s, size_t index, uint64_t seq, struct found_row *found,
	struct pl_err *err)
{
	const uint64_t end = block_end_seq(&s->thread->blocks[index]);
	struct pl_event e;
	int code;

	*found = (struct found_row){.seq = UINT64_MAX};
	walk_go_to(&s->walk, index);
	while ((code = go_forward(s, seq < end ? seq : end, &e, err)) == 0)
		*found = (struct found_row){.seq = e.seq, .kind = e.kind};
	return code < 0 ? code : search_is_stopped(s) ? PL_END : 0;
}

/* Block by block backward; then the walk goes to the row that was found, for the event itself. */
int pl_search_previous(struct pl_search *s, uint64_t seq, uint64_t begin, struct pl_event *event,
	struct pl_err *err)
{
	const struct block_ref *blocks = s->thread->blocks;
	struct found_row found = {.seq = UINT64_MAX};
	int code = 0;

	for (size_t i = blocks_before(s->thread, seq);
		code == 0 && i-- && found.seq == UINT64_MAX;) {
		if (block_end_seq(&blocks[i]) <= begin)
			break;
		if (may_have(s, &blocks[i]))
			code = last_of(s, i, seq, &found, err);
	}
	if (code == 0)
		code = found.seq == UINT64_MAX || found.seq < begin
			       ? PL_END
			       : walk_seek_seq(&s->walk, found.seq, err);
	while (code == 0) {
		code = walk_next(&s->walk, event, err);
		if (code == 0 && event->seq == found.seq && event->kind == found.kind)
			break;
	}
	if (code == 0)
		code = put_values(s, event, err);
	if (code == 0)
		event->code = code_first(event->code);
	return code;
}

/* ---- by depth ---- */

/* The number of rows that it may leave: visiting these takes no noticeable time. */
#define SHALLOW_ROWS 4096u

/* The least depth of the stack between two seqs of a block. */
static int least_depth(
	struct pl_search *s, uint64_t from, uint64_t to, uint32_t *least, struct pl_err *err)
{
	struct walk *w = &s->scout;
	struct thread_path *p = walk_path(w);
	struct pl_event e;
	int code = walk_seek_seq(w, from, err);

	*least = UINT32_MAX;
	if (code == 0 && !p->blocks.open) { /* before a block the stack is not known */
		code = walk_next(w, &e, err);
		if (code == 0)
			*least = e.depth + 1;
	}
	stack_mark(&p->stack);
	while (code == 0 && p->next_seq < to) {
		code = pass_over(&s->over, w, to, err);
		if (code == 0 && p->next_seq < to)
			code = walk_next(w, &e, err);
		if (p->stack.min_depth < *least)
			*least = p->stack.min_depth;
	}
	return code < 0 ? code : 0;
}

/* Within a block: events with from <= seq < to. */
struct rows {
	uint64_t from, to;
};

/* To the few events at its front (`back`: at its end) of which one has so few frames. PL_END: it
 * has none. */
static int narrow_rows(
	struct pl_search *s, uint32_t frames, bool back, struct rows *in, struct pl_err *err)
{
	uint32_t least;
	int code = least_depth(s, in->from, in->to, &least, err);
	bool some = code == 0 && least <= frames;

	while (some && code == 0 && in->to - in->from > SHALLOW_ROWS && !search_is_stopped(s)) {
		uint64_t middle = in->from + (in->to - in->from) / 2;
		code = back ? least_depth(s, middle, in->to, &least, err)
			    : least_depth(s, in->from, middle, &least, err);
		if ((least <= frames) == back)
			in->from = middle;
		else
			in->to = middle;
	}
	return code ? code : some ? 0 : PL_END;
}

/* The head of a block has its least depth, so most blocks are passed over without their events. */
int pl_search_shallow(
	struct pl_search *s, uint32_t frames, bool back, uint64_t *seq, struct pl_err *err)
{
	const struct thread_entry *t = s->thread;
	const size_t before = blocks_before(t, back ? *seq : *seq + 1);
	size_t i = before ? before - 1 : 0;

	for (; before && i < t->block_count; back ? i-- : i++) {
		const struct block_ref *ref = &t->blocks[i];
		struct rows in = {.from = !back && *seq > ref->first_seq ? *seq : ref->first_seq,
			.to = back && *seq < block_end_seq(ref) ? *seq : block_end_seq(ref)};
		int code = PL_END;
		if (!search_is_stopped(s) && in.from < in.to && ref->min_depth <= frames) {
			code = narrow_rows(s, frames, back, &in, err);
			*seq = back ? in.to : in.from;
		}
		if (search_is_stopped(s))
			return PL_END;
		if (code != PL_END)
			return code;
	}
	return before ? PL_END : 0;
}
