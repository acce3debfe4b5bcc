#include "trace/seek.h"

#include <stdlib.h>

/* ---- going on ---- */

/* Where to stop: before the first row that has one of these. All UINT64_MAX: nowhere. */
struct target {
	struct fast_forward_limit limit;
	const struct pl_position *position; /* NULL: none */
};

/* The least tick with such a time. clockmap_time never goes back, so halving finds it; it also
 * extrapolates beyond the samples of the clock. */
uint64_t walk_ticks_of(const struct pl_recording *r, int64_t time_ns)
{
	uint64_t low = 0, high = UINT64_MAX;
	struct clock_time time;

	if (time_ns == INT64_MAX)
		return UINT64_MAX;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		clockmap_time(&r->clock, middle, &time);
		if (time.real_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A time or a position is that of the next row, which path_clock_peek looks at without taking it.
 * PL_END: the path ended. */
static int has_arrived(struct walk *w, const struct target *t, bool *arrived, struct pl_err *err)
{
	const struct thread_path *p = &w->clock.path;
	struct path_clock_peek peek;
	int code;

	*arrived = p->next_seq >= t->limit.seq;
	if (t->limit.ticks == UINT64_MAX && !t->position)
		return 0;
	code = path_clock_peek(&w->clock, &peek, err);
	if (code)
		return code;
	*arrived = peek.ticks >= t->limit.ticks;
	if (t->position)
		*arrived =
			p->blocks.number > t->position->block ||
			(p->blocks.number == t->position->block && p->event >= t->position->event);
	return 0;
}

/* A position in the open block is a seq: both count the block's rows. */
static struct fast_forward_limit limit_of(const struct walk *w, const struct target *t)
{
	const struct thread_path *p = &w->clock.path;
	struct fast_forward_limit limit = t->limit;

	if (t->position && p->blocks.open)
		limit.seq = p->blocks.number == t->position->block && p->event <= t->position->event
				    ? p->next_seq + (t->position->event - p->event)
				    : p->next_seq;
	return limit;
}

/* As far as transitions lead; when there is no more room for them, what they counted is taken
 * (full). */
static int seek_fast_forward(struct walk *w, const struct target *t, const struct walk_visit *v)
{
	const struct fast_forward_limit limit = limit_of(w, t);
	int code;

	while ((code = fast_forward(v->forward, &w->clock, &limit)) == FAST_FORWARD_FULL) {
		code = v->full ? v->full(v->context) : 0;
		if (code)
			break;
		fast_forward_forget(v->forward);
	}
	return code;
}

/* Transitions where there are some, one row by the walk where there is none, until the target is
 * the next row. */
static int go_to_target(
	struct walk *w, const struct target *t, const struct walk_visit *v, struct pl_err *err)
{
	struct pl_event row;
	bool arrived = false;

	for (;;) {
		int code = seek_fast_forward(w, t, v);
		if (code)
			return pl_err_cause(err, code, "no memory for the transitions of a path");
		code = has_arrived(w, t, &arrived, err);
		if (code || arrived)
			return code;
		code = walk_next(w, &row, err);
		if (code == 0 && v->row)
			code = v->row(v->context, &row);
		if (code)
			return code;
	}
}

int walk_go_on(struct walk *w, const struct fast_forward_limit *limit,
	const struct walk_visit *visit, struct pl_err *err)
{
	const struct target t = {.limit = *limit};

	return go_to_target(w, &t, visit, err);
}

/* ---- seeking ---- */

/* Transitions belong to the recording, so that the next seek knows what this one learned. */
static int seek_target(struct walk *w, const struct target *t, struct pl_err *err)
{
	struct pl_recording *r = w->clock.path.blocks.r;

	if (!r->forward)
		r->forward = calloc(1, sizeof *r->forward);
	if (!r->forward)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the transitions of a path");
	int code = go_to_target(w, t, &(struct walk_visit){.forward = r->forward}, err);
	return code < 0 ? code : 0;
}

/* The first block for which `is_before` is false; they are sorted by key. */
static size_t find_block(const struct walk *w,
	bool (*is_before)(const struct walk *, const struct block_ref *, int64_t), int64_t key)
{
	size_t low = 0, high = walk_thread(w)->block_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (is_before(w, &walk_thread(w)->blocks[middle], key))
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

	clockmap_time(&w->clock.path.blocks.r->clock, ref->close_ticks, &time);
	return time.real_ns < time_ns;
}

static bool is_before_number(const struct walk *w, const struct block_ref *ref, int64_t number)
{
	(void)w;
	return ref->number < number;
}

/* All three find the block by its head, then go on inside it. */
int walk_seek_seq(struct walk *w, uint64_t seq, struct pl_err *err)
{
	const struct thread_entry *t = walk_thread(w);
	const struct target target = {.limit = {.ticks = UINT64_MAX, .seq = seq}};

	walk_go_to(w, find_block(w, ends_before_seq, (int64_t)(seq & INT64_MAX)));
	if (!t->block_count || seq <= t->blocks[0].first_seq)
		return 0;
	if (w->clock.path.blocks.next_block - t->evicted == t->block_count) {
		/* after all blocks */
		walk_go_to(w, t->block_count - 1);
	}
	return seek_target(w, &target, err);
}

/* After the last block the walk is at the end of that one, where rows without an event can
 * follow. */
int walk_seek_time(struct walk *w, int64_t time_ns, struct pl_err *err)
{
	const struct target target = {
		.limit = {.ticks = walk_ticks_of(w->clock.path.blocks.r, time_ns),
			.seq = UINT64_MAX}};
	size_t index = find_block(w, ends_before_time, time_ns);

	if (index && index == walk_thread(w)->block_count)
		index--;
	walk_go_to(w, index);
	return seek_target(w, &target, err);
}

int walk_seek_position(struct walk *w, const struct pl_position *p, struct pl_err *err)
{
	const struct target target = {
		.limit = {.ticks = UINT64_MAX, .seq = UINT64_MAX}, .position = p};

	walk_go_to(w, find_block(w, is_before_number, p->block));
	return seek_target(w, &target, err);
}
