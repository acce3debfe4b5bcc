/* Along a thread's path, span by span: fast-forwards count what ran, with contexts, up to the next
 * stamp; there the span's time is divided (share.h). The walk gives the rows around a stamp, which
 * say where the span ends.
 *
 *	profile_count_prior    some blocks: what does a row of each line cost?
 *	profile_count_samples  all samples: in which lines was the program seen, and did it wait?
 *	share_thread           for each thread, from stamp to stamp:
 *	    fast_forward_to        counts rows, moves the contexts
 *	    profile_on_row         a row at a stamp: closes the span, then changes the stack
 *	    profile_close_span     samples of the span, then share_out
 *
 * The cost of a row of each line must be known before the first span is divided. It is an estimate,
 * so for a large recording it comes from some of its blocks, evenly spread. That makes one pass of
 * the two short.
 *
 * Besides the sums, the longest pass of each line and the longest call of each function are kept.
 * Their times are those of frames (contexts.h): doubled ticks, odd if the event had its own time.
 */
#include "trace/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include "trace/blocks.h"
#include "trace/parts.h"

#define PRIOR_BLOCKS 256u /* of a thread are counted to estimate the cost of rows */
/* ---- a thread ---- */

/* Has the top frame had no event since it was called? */
static bool is_entered(const struct stack *s)
{
	return s->depth && stack_place_of(s, s->depth - 1) == PLACE_ENTRY;
}

/* To the next stamp. Without a transition between two rows nothing ran in between, and the tail is
 * that of the row before. */
static int fast_forward_to(struct pl_profile *p, const struct fast_forward_limit *limit)
{
	const uint64_t seq = p->walk.clock.path.next_seq;
	struct contexts *x = &p->contexts;
	int32_t line;
	int code;

	x->now = p->walk.clock.ticks << 1;
	while ((code = fast_forward(&p->forward, &p->walk.clock, limit)) == FAST_FORWARD_FULL) {
		code = profile_take_transitions(p);
		if (code)
			break;
		fast_forward_forget(&p->forward);
	}
	stack_mark(&p->walk.clock.path.stack);
	if (code || p->walk.clock.path.next_seq == seq)
		return code;
	/* what ran last, up to the stamp */
	const struct pl_code *c = thread_path_runs(&p->walk.clock.path, &line);
	share_begin_tail(&p->share);
	p->entered = is_entered(&p->walk.clock.path.stack);
	p->implied = p->walk.clock.path.implied;
	const uint32_t node = x->depth ? x->frames[x->depth - 1].node : 0;
	if (share_tail(&p->share, c, line, node))
		return PL_ERR_MEMORY;
	blocks_note_tail(p, node);
	return 0;
}

/* By blocks that were passed; a worker of several multiplies its own by their number. false:
 * stop. */
static bool tell_progress(struct pl_profile *p, uint64_t block)
{
	if (!p->wanted.progress || p->walk.clock.path.blocks.next_block == block)
		return true;
	p->blocks_done += p->walk.clock.path.blocks.next_block > block
				  ? p->walk.clock.path.blocks.next_block - block
				  : 0;
	uint32_t parts = p->parts ? p->parts : 1;
	double done = p->blocks_all ? (double)p->blocks_done * parts / (double)p->blocks_all : 1;
	return p->wanted.progress(p->wanted.context, done < 1 ? done : 1);
}

/* PL_END: the path is over. 0: the part or the range is, with the row that is past it in `walk`.
 * PL_END + 1: it was stopped. */
static int walk_rows(struct pl_profile *p, struct pl_err *err)
{
	const struct fast_forward_limit limit = {.ticks = p->range_to, .seq = UINT64_MAX};
	struct pl_event row;
	int code;

	for (;;) {
		const uint64_t block = p->walk.clock.path.blocks.next_block;
		code = p->open && !p->before ? fast_forward_to(p, &limit) : 0;
		if (code)
			return code;
		const struct stood before = profile_line_before_row(p);
		code = walk_next(&p->walk, &row, err);
		if (code == 0)
			p->exact_to = profile_is_exact(&p->walk.clock, &row);
		if (code || p->walk.clock.path.blocks.next_block > p->last_block)
			return code;
		if (!tell_progress(p, block))
			return PL_END + 1;
		code = profile_is_after_range(p, row.time_ns) ? 0
							      : profile_on_row(p, &row, &before);
		if (code || profile_is_after_range(p, row.time_ns))
			return code;
	}
}

/* Frames that are there at the end are counted up to there. */
static void leave_all(struct pl_profile *p, uint64_t end_ticks)
{
	struct contexts *x = &p->contexts;

	profile_wait_to_end(p, end_ticks);
	x->now = end_ticks << 1;
	while (x->depth) {
		const struct context_frame *f = &x->frames[--x->depth];
		const struct stack_frame *s = &p->walk.clock.path.stack.frames[x->depth];
		if (f->task && p->tasks[f->task - 1].last < end_ticks)
			p->tasks[f->task - 1].last = end_ticks;
		if (x->depth >= p->walk.clock.path.stack.depth || !path_end_kept(p, x->depth))
			continue;
		const struct pl_code *c = thread_path_code_of(&p->walk.clock.path, s->code);
		if (path_end_stayed(p, x->depth))
			profile_line_passed(p, f, c,
				code_place_line(c,
					stack_place_of(&p->walk.clock.path.stack, x->depth),
					s->value));
		profile_frame_left(p, f);
	}
}

static void begin_thread(struct pl_profile *p, struct thread_entry *thread)
{
	p->thread = thread;
	p->implied = 0;
	p->open = p->exact_from = p->exact_to = p->ends = false;
	p->idle_from = p->idle_to = 0;
	p->end = (struct profile_end){0};
	p->recent_count = p->left_count = p->tail_line = 0;
	p->stand = (struct profile_stand){0};
	p->wait = (struct profile_wait){0};
	p->pass++;
	flights_restart(&p->flights);
	walk_init(&p->walk, p->r, thread);
	p->walk.clock.path.renamed = profile_renamed_task;
	p->walk.clock.path.who = p;
	p->walk.clock.rough = true;
	contexts_restart(&p->contexts);
	p->last_block = UINT64_MAX;
	p->fresh = p->before = p->bottom_known = false;
}

/* If the range begins between two stamps, then at the row after the first of them: what ran there
 * may still have run when the range began. */
static int seek_range(struct pl_profile *p, struct pl_err *err)
{
	const int64_t from_ns = p->wanted.range.from_ns;
	int code = walk_seek_time(&p->walk, from_ns, err);
	const int64_t span_ns = recording_time(p->r, p->walk.clock.ticks);

	if (code < 0 || span_ns >= from_ns)
		return code;
	p->before = true;
	return walk_seek_time(&p->walk, span_ns, err);
}

/* Move to where its part of the thread begins; false: it has none. */
static bool begin_part(struct pl_profile *p, struct thread_entry *thread)
{
	size_t first, last;

	if (p->parts < 2)
		return true;
	first = parts_edge(thread, p->part, p->parts);
	last = parts_edge(thread, p->part + 1, p->parts);
	if (first >= last && (thread->block_count || p->part))
		return false;
	if (first) {
		walk_go_to(&p->walk, first);
		p->fresh = true;
	}
	if (last < thread->block_count)
		p->last_block = thread->evicted + last;
	return true;
}

/* Where it ends decides what happens to the frames that are still there: at the border of a part
 * the next one goes on with them; at the end of the path, or of the range, they are over. */
static int share_thread(struct pl_profile *p, struct thread_entry *thread, struct pl_err *err)
{
	begin_thread(p, thread);
	if ((thread->ended && thread->end_ticks < p->range_from) || !begin_part(p, thread)) {
		walk_release(&p->walk);
		return 0;
	}
	int code = p->range_from ? seek_range(p, err) : 0;
	if (code == 0)
		code = looks_begin(
			&p->seen, p->r, p->wanted.range.process, p->thread->public.number, err);
	if (code == 0)
		code = walk_rows(p, err);
	uint64_t end = p->walk.clock.ticks;
	p->row_seq = p->walk.clock.path.next_seq - (code == 0 && p->walk.clock.path.next_seq);
	const bool ended = code == PL_END;
	if (ended && p->open)
		code = path_end_find(p, &end, err);
	if (code == 0 && p->open) {
		bool border = p->walk.clock.path.blocks.next_block > p->last_block;
		p->ends = ended;
		code = p->end.lost ? profile_lose_span(p, end) : profile_close_span(p, end);
		if (border)
			parts_keep_open(p);
		else
			leave_all(p, end);
		if (code == 0 && p->wanted.exceptions)
			code = flights_end(&p->flights, p->walk.clock.path.next_seq);
	}
	share_forget(&p->share, &p->contexts);
	looks_release(&p->seen);
	walk_release(&p->walk);
	return code == PL_END ? 0 : code;
}

/* Both passes, over each thread that is wanted. */
static int each_thread(struct pl_profile *p,
	int (*pass)(struct pl_profile *, struct thread_entry *, struct pl_err *),
	struct pl_err *err)
{
	const struct pl_times_range *range = &p->wanted.range;
	const struct process_entry *process = recording_find_process(p->r, range->process);
	int code = 0;

	for (size_t i = 0; i < process->thread_count && code == 0; i++) {
		struct thread_entry *thread = process->threads[i];
		if (!range->one_thread || thread->public.number == range->thread)
			code = pass(p, thread, err);
	}
	return code;
}

/* ---- the API ---- */

static int prepare_profile(struct pl_profile *p)
{
	int code = contexts_init(&p->contexts);

	p->share.r = p->r;
	p->contexts.who = p;
	p->contexts.passed = profile_line_passed;
	p->contexts.left = profile_frame_left;
	p->contexts.task = profile_began_task;
	p->contexts.by_task = p->wanted.tasks;
	p->forward.contexts = &p->contexts;
	if (p->wanted.exceptions)
		p->forward.refused = 1u << EVENT_RAISE | 1u << EVENT_RERAISE | 1u << EVENT_HANDLED |
				     1u << EVENT_UNWIND | 1u << EVENT_THROW;
	if (p->wanted.tasks) /* the walk sees where tasks wait */
		p->forward.refused |= 1u << EVENT_SUSPEND;
	p->blocks = calloc(BLOCKS_MAX, sizeof *p->blocks);
	return code == 0 && p->blocks ? 0 : PL_ERR_MEMORY;
}

int profile_begin(struct pl_profile **out, struct pl_recording *r,
	const struct pl_profile_wanted *wanted, struct pl_err *err)
{
	struct pl_profile *p = calloc(1, sizeof *p);

	if (!p)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a profile");
	const struct pl_times_range *range = &wanted->range;
	p->r = r;
	p->wanted = *wanted;
	p->range_from = range->from_ns ? walk_ticks_of(r, range->from_ns) : 0;
	p->range_to = range->to_ns && range->to_ns < INT64_MAX ? walk_ticks_of(r, range->to_ns + 1)
							       : UINT64_MAX;
	if (prepare_profile(p)) {
		pl_profile_free(p);
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a profile");
	}
	*out = p;
	return 0;
}

/* The three passes. err is kept for the callbacks of the walk meanwhile. */
int profile_gather(struct pl_profile *p, struct pl_err *err)
{
	p->err = err;
	int code = each_thread(p, profile_count_prior, err);
	if (code == 0)
		code = profile_count_samples(p, err);
	if (code == 0)
		code = each_thread(p, share_thread, err);
	p->err = NULL;
	return code;
}

int pl_profile_new(struct pl_profile **out, struct pl_recording *r,
	const struct pl_profile_wanted *wanted, struct pl_err *err)
{
	struct pl_profile *p = NULL;

	if (!recording_find_process(r, wanted->range.process))
		return pl_err_cause(err, PL_ERR_NOT_FOUND, "there is no process %" PRIu32,
			wanted->range.process);
	int code = profile_begin(&p, r, wanted, err);
	if (code)
		return code;
	uint32_t parts = parts_count(r, wanted);
	code = parts > 1 ? parts_gather(p, parts, err) : profile_gather(p, err);
	share_settle(&p->share, &p->contexts);
	if (code == 0)
		code = profile_finish(p);
	if (code) {
		pl_profile_free(p);
		return code > 0		       ? PL_END
		       : code == PL_ERR_MEMORY ? pl_err_cause(err, code, "no memory for a profile")
					       : code;
	}
	*out = p;
	return 0;
}

void pl_profile_free(struct pl_profile *p)
{
	if (!p)
		return;
	fast_forward_release(&p->forward);
	contexts_release(&p->contexts);
	share_release(&p->share);
	flights_release(&p->flights);
	profile_release_tables(p);
	for (uint32_t i = 0; i < p->task_count; i++)
		free((char *)p->tasks[i].public.name);
	free(p->tasks);
	map_release(&p->task_index);
	free(p->blocks);
	free(p->open_frames.at);
	free(p->ended.at);
	free(p);
}

const struct pl_profile_tables *pl_profile_tables(const struct pl_profile *p)
{
	return &p->tables;
}
