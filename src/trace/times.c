/* Time, shared among lines.
 *
 *	stamp S0        rows of the span                  S1: the next stamp of the thread
 *	  |  a  b  a  b  a  b  …  a  c                     |
 *	  |<------ at most a tick ----->|<-- only the last row can have taken this --|
 *	            x     x                    x             samples within the span
 *
 * A span's time is exact. What is not is who took it. Three things tell, in this order:
 *
 *	1. where the rows lie: all events of a span came within a tick of the collector, so what is
 *	   longer belongs to what ran last: from the last recorded event on
 *	2. the samples within the span
 *	3. what a row of that line costs by all samples: (samples + A) / (rows + A / mean), which is the
 *	   mean cost of a row for a line that was never seen, and its own for one that often was
 *
 * 2 and 3 are added, 3 with the weight of PRIOR samples: in a loop of microseconds a span has hundreds
 * of rows and at most a sample, so it is shared as all such loops were; in a line that blocks for long,
 * the samples of that very moment decide.
 *
 * A row is a piece of the path up to the next row; it is of the line that runs behind it: of an entry
 * the callee's first one, of a return the caller's, which goes on.
 *
 * Two passes over the rows: the first counts them. Memory is that of the lines that ran, not of the
 * path.
 */
#include "pathline/times.h"

#include <inttypes.h>
#include <stdlib.h>
#include "base/map.h"
#include "trace/samples.h"
#include "trace/seek.h"
#include "trace/walk.h"

#define A     0.5
#define PRIOR 0.5

struct entry {
	struct pl_line_time public;
	uint64_t rows;
	double seen[2]; /* weights of samples: computing, waiting */
	double ns[2];
	/* of the span */
	double span_seen[2];
	uint32_t span_rows, tail_rows;
	bool touched;
};

struct pl_times {
	struct pl_recording *r;
	struct pl_times_range range;
	struct entry *entries; /* owned */
	size_t count, room;
	struct pl_map places; /* code index << 32 | line -> index + 1 */
	struct pl_map codes;  /* address of a code -> index + 1 */
	uint64_t rows_all;
	double seen_all;
	double idle_ns, lost_ns;
	/* of the span */
	uint32_t *touched; /* owned: indices */
	size_t touched_count, touched_room;
	uint64_t tail_rows;
	struct strides strides; /* of the first pass */
	/* the last place that was looked up */
	const struct pl_code *last_code;
	int32_t last_line;
	uint32_t last;
};

/* ---- lines ---- */

static uint64_t place_key(struct pl_times *t, const struct pl_code *code, int32_t line)
{
	uint64_t *index = map_put(&t->codes, (uintptr_t)code);

	if (!index)
		return 0;
	if (!*index)
		*index = t->codes.used;
	return *index << 32 | (uint32_t)line;
}

static struct entry *add_entry(struct pl_times *t)
{
	if (t->count == t->room) {
		size_t room = t->room ? t->room * 2 : 256;
		struct entry *entries = realloc(t->entries, room * sizeof *entries);
		uint32_t *touched = realloc(t->touched, room * sizeof *touched);
		if (entries)
			t->entries = entries;
		if (touched)
			t->touched = touched;
		if (!entries || !touched)
			return NULL;
		t->room = room;
	}
	t->entries[t->count] = (struct entry){0};
	return &t->entries[t->count++];
}

/* Valid until the next one is made; NULL: no memory. */
static struct entry *find_entry(struct pl_times *t, const struct pl_code *plan, int32_t line)
{
	const struct pl_code *code = code_first(plan);

	if (t->count && code == t->last_code && line == t->last_line)
		return &t->entries[t->last];
	uint64_t key = place_key(t, code, line);
	uint64_t *place = key ? map_put(&t->places, key) : NULL;
	if (!place)
		return NULL;
	if (!*place) {
		struct entry *e = add_entry(t);
		if (!e)
			return NULL;
		e->public.code = code;
		e->public.line = line;
		*place = t->count;
	}
	t->last_code = code;
	t->last_line = line;
	t->last = (uint32_t)(*place - 1);
	return &t->entries[t->last];
}

static struct entry *entry_of_sample(struct pl_times *t, const struct sample *s)
{
	const struct pl_code *c = code_open(t->r, s->body);
	int32_t line = c ? flow_line_at(&c->body.graph, s->unit) : 0;

	return line ? find_entry(t, c, line) : NULL;
}

/* ---- the first pass: counts ---- */

static bool is_behind(const struct pl_times *t, int64_t time_ns)
{
	return t->range.to_ns && time_ns > t->range.to_ns;
}

static int begin_walk(
	struct pl_times *t, struct walk *w, struct thread_entry *thread, struct pl_err *err)
{
	walk_init(w, t->r, thread);
	return t->range.from_ns ? walk_seek_time(w, t->range.from_ns, err) : 0;
}

static int add_rows(struct pl_times *t, const struct pl_code *code, int32_t line,
	enum pl_event_kind kind, uint64_t rows)
{
	struct entry *e = find_entry(t, code, line);

	if (!e)
		return PL_ERR_MEMORY;
	e->rows += rows;
	e->public.hits += kind == PL_EVENT_LINE ? rows : 0;
	t->rows_all += rows;
	return 0;
}

/* The rows of a thread, by strides; what those do not tell is counted where the walk stands. */
struct counting {
	struct pl_times *t;
	struct walk walk;
};

static int count_here(struct counting *k, enum pl_event_kind kind)
{
	int32_t line;
	const struct pl_code *c = walk_runs(&k->walk, &line);

	return add_rows(k->t, c, line, kind, 1);
}

static int count_row(void *context, const struct pl_event *row)
{
	return count_here(context, row->kind);
}

static int count_popped(void *context, struct walk *w)
{
	(void)w; /* is the context's */
	return count_here(context, PL_EVENT_RETURN);
}

static int add_step(void *context, const struct pl_count *row)
{
	return add_rows(context, row->code, row->line, row->kind, row->events);
}

static int take_steps(void *context)
{
	const struct counting *k = context;

	return strides_take(&k->t->strides, add_step, k->t);
}

static int count_rows(struct pl_times *t, struct thread_entry *thread, struct pl_err *err)
{
	struct counting k = {.t = t};
	const struct walk_visit visit = {
		.strides = &t->strides, .row = count_row, .full = take_steps, .context = &k};
	int code = begin_walk(t, &k.walk, thread, err);

	t->strides.popped = count_popped;
	t->strides.context = &k;
	if (code == 0)
		code = walk_go_on(
			&k.walk, t->range.to_ns ? t->range.to_ns + 1 : INT64_MAX, &visit, err);
	walk_release(&k.walk);
	if (code == 0 || code == PL_END)
		code = take_steps(&k);
	return code == PL_ERR_MEMORY ? pl_err_cause(err, code, "no memory for times") : code;
}

static bool is_wanted(const struct pl_times *t, const struct sample *s)
{
	int64_t at = recording_time(t->r, s->ticks);

	return (!t->range.one_thread || s->thread == t->range.thread) && at >= t->range.from_ns &&
	       !is_behind(t, at);
}

static int count_samples(struct pl_times *t, struct pl_err *err)
{
	struct samples_walk w = {.r = t->r, .process = t->range.process};
	struct sample s;
	int code;

	while ((code = samples_walk_next(&w, &s, err)) == 0) {
		struct entry *e = is_wanted(t, &s) ? entry_of_sample(t, &s) : NULL;
		if (!e)
			continue;
		e->seen[s.waiting] += s.weight;
		e->public.samples++;
		t->seen_all += s.weight;
	}
	samples_walk_release(&w);
	return code == PL_END ? 0 : code;
}

/* ---- a span ---- */

struct spans {
	struct pl_times *t;
	struct thread_entry *thread;
	struct walk walk;
	struct samples_walk samples;
	struct sample sample; /* the next one of the thread */
	bool has_sample;
	uint64_t implied; /* rows that no event told, up to here */
	uint64_t open_ticks;
	uint64_t idle_from, idle_to; /* the wait of its event loop in the span that is closed now */
	bool open;
	struct pl_err *err;
};

/* What a row of the line costs, in samples: its own mean, pulled towards that of all where little
 * was seen. */
static double row_cost(const struct pl_times *t, const struct entry *e)
{
	double mean = t->seen_all > 0 && t->rows_all ? t->seen_all / (double)t->rows_all : 1;

	return (e->seen[0] + e->seen[1] + A) / ((double)e->rows + A / mean);
}

/* A line's weights in its span: of all its rows, and of those that lie in the tail; computing and
 * waiting. */
struct weights {
	double all[2], tail[2];
};

static struct weights weigh(const struct pl_times *t, const struct entry *e, double cost_all)
{
	double seen = e->seen[0] + e->seen[1], waits = seen > 0 ? e->seen[1] / seen : 0;
	double row = PRIOR * row_cost(t, e) / cost_all;
	const double part[2] = {1 - waits, waits};
	struct weights w;

	for (int k = 0; k < 2; k++) {
		w.all[k] = row * e->span_rows * part[k] + e->span_seen[k];
		w.tail[k] = row * e->tail_rows * part[k] + (e->tail_rows ? e->span_seen[k] : 0);
	}
	return w;
}

/* Share so many ns among the lines of the span; at least tail_ns of them belong to its tail. */
static void share_out(struct pl_times *t, double ns, double tail_ns)
{
	double cost = 0, all = 0, tail = 0;

	for (size_t i = 0; i < t->touched_count; i++) {
		const struct entry *e = &t->entries[t->touched[i]];
		cost += row_cost(t, e) * e->span_rows;
	}
	for (size_t i = 0; i < t->touched_count && cost > 0; i++) {
		struct weights w = weigh(t, &t->entries[t->touched[i]], cost);
		all += w.all[0] + w.all[1];
		tail += w.tail[0] + w.tail[1];
	}
	double in_tail = all > 0 ? ns * tail / all : 0;
	if (in_tail < tail_ns)
		in_tail = tail_ns;
	for (size_t i = 0; i < t->touched_count && all > 0; i++) {
		struct entry *e = &t->entries[t->touched[i]];
		struct weights w = weigh(t, e, cost);
		for (int k = 0; k < 2; k++) {
			e->ns[k] += tail > 0 ? in_tail * w.tail[k] / tail : 0;
			e->ns[k] += all > tail
					    ? (ns - in_tail) * (w.all[k] - w.tail[k]) / (all - tail)
					    : 0;
		}
	}
}

static void forget_span(struct pl_times *t)
{
	for (size_t i = 0; i < t->touched_count; i++) {
		struct entry *e = &t->entries[t->touched[i]];
		e->span_rows = e->tail_rows = 0;
		e->span_seen[0] = e->span_seen[1] = 0;
		e->touched = false;
	}
	t->touched_count = 0;
	t->tail_rows = 0;
}

static struct entry *touch(struct pl_times *t, struct entry *e)
{
	if (e && !e->touched) {
		e->touched = true;
		t->touched[t->touched_count++] = (uint32_t)(e - t->entries);
	}
	return e;
}

static int next_sample(struct spans *s)
{
	int code;

	do
		code = samples_walk_next(&s->samples, &s->sample, s->err);
	while (code == 0 && s->sample.thread != s->thread->public.number);
	s->has_sample = code == 0;
	return code == PL_END ? 0 : code;
}

/* The samples from the span's opening up to its end. */
static int take_samples(struct spans *s, uint64_t end_ticks)
{
	int code = 0;

	while (code == 0 && s->has_sample && s->sample.ticks < end_ticks) {
		bool idle = s->sample.ticks >= s->idle_from && s->sample.ticks < s->idle_to;
		struct entry *e = s->sample.ticks >= s->open_ticks && !idle
					  ? touch(s->t, entry_of_sample(s->t, &s->sample))
					  : NULL;
		if (e)
			e->span_seen[s->sample.waiting] += s->sample.weight;
		code = next_sample(s);
	}
	return code;
}

/* Of what a file says, so it can be further than an int64 counts. */
static int64_t apart_ns(int64_t from, int64_t to)
{
	int64_t ns;

	return __builtin_sub_overflow(to, from, &ns) ? INT64_MAX : ns;
}

/* The part of a span that was asked for, in ns. */
static double wanted_ns(const struct pl_times *t, uint64_t from_ticks, uint64_t to_ticks)
{
	struct clock_time from, to;

	clockmap_time(&t->r->clock, from_ticks, &from);
	clockmap_time(&t->r->clock, to_ticks, &to);
	double left = (double)apart_ns(from.mono_ns, to.mono_ns);
	if (t->range.from_ns > from.real_ns)
		left -= (double)apart_ns(from.real_ns, t->range.from_ns);
	if (t->range.to_ns && t->range.to_ns < to.real_ns)
		left -= (double)apart_ns(t->range.to_ns, to.real_ns);
	return left > 0 ? left : 0;
}

/* All events of a span came within that of its beginning. */
static double tick_ns(const struct pl_times *t, uint64_t ticks)
{
	struct clock_time time;

	clockmap_time(&t->r->clock, ticks, &time);
	return (double)time.gap_ns;
}

/* Of the span; it is nobody's. */
static double idle_ns(const struct spans *s, uint64_t end_ticks)
{
	uint64_t from = s->idle_from > s->open_ticks ? s->idle_from : s->open_ticks;
	uint64_t to = s->idle_to < end_ticks ? s->idle_to : end_ticks;

	return to > from ? wanted_ns(s->t, from, to) : 0;
}

static int close_span(struct spans *s, uint64_t end_ticks)
{
	struct pl_times *t = s->t;
	int code = take_samples(s, end_ticks);
	double ns = end_ticks > s->open_ticks ? wanted_ns(t, s->open_ticks, end_ticks) : 0;
	double tick = tick_ns(t, s->open_ticks), idle = idle_ns(s, end_ticks);

	t->idle_ns += idle < ns ? idle : ns;
	ns -= idle < ns ? idle : ns;

	share_out(t, ns, ns > tick ? ns - tick : 0);
	forget_span(t);
	s->open_ticks = end_ticks;
	return code;
}

/* The tail is what came from the last recorded event on. */
static void begin_tail(struct pl_times *t)
{
	for (size_t i = 0; i < t->touched_count && t->tail_rows; i++)
		t->entries[t->touched[i]].tail_rows = 0;
	t->tail_rows = 0;
}

static int add_row(struct spans *s, const struct pl_event *row)
{
	struct pl_times *t = s->t;
	int32_t line;
	int code = 0;

	if (!s->open) {
		s->open = true;
		s->open_ticks = s->walk.ticks;
	}
	if (row->kind == PL_EVENT_GAP && row->gap != PL_GAP_JUMPED && row->gap != PL_GAP_KILLED) {
		if (s->walk.ticks > s->open_ticks)
			t->lost_ns += wanted_ns(t, s->open_ticks, s->walk.ticks);
		forget_span(t);
		s->open_ticks = s->walk.ticks;
	}
	if (row->idle_ns) {
		s->idle_from = s->walk.idle_from;
		s->idle_to = s->walk.idle_from + s->walk.idle_ticks;
	}
	if (s->walk.ticks != s->open_ticks)
		code = close_span(s, s->walk.ticks);
	if (s->walk.implied == s->implied)
		begin_tail(t);
	s->implied = s->walk.implied;
	const struct pl_code *c = walk_runs(&s->walk, &line);
	struct entry *e = touch(t, find_entry(t, c, line));
	if (!e)
		return pl_err_cause(s->err, PL_ERR_MEMORY, "no memory for times");
	e->span_rows++;
	e->tail_rows++;
	t->tail_rows++;
	return code;
}

/* ---- the second pass ---- */

static uint64_t last_ticks(const struct spans *s)
{
	const struct process_entry *p = recording_find_process(s->t->r, s->t->range.process);

	if (s->thread->ended)
		return s->thread->end_ticks;
	return p && p->ended ? p->end_ticks : s->walk.ticks;
}

static int share_thread(struct pl_times *t, struct thread_entry *thread, struct pl_err *err)
{
	struct spans s = {.t = t,
		.thread = thread,
		.samples = {.r = t->r, .process = t->range.process},
		.err = err};
	struct pl_event row;
	int code = begin_walk(t, &s.walk, thread, err);

	if (code == 0)
		code = next_sample(&s);
	while (code == 0) {
		code = walk_next(&s.walk, &row, err);
		if (code == 0)
			code = add_row(&s, &row);
		if (code == 0 && is_behind(t, row.time_ns))
			break;
	}
	if ((code == 0 || code == PL_END) && s.open)
		code = close_span(&s, code == PL_END ? last_ticks(&s) : s.walk.ticks);
	forget_span(t);
	samples_walk_release(&s.samples);
	walk_release(&s.walk);
	return code == PL_END ? 0 : code;
}

/* Both passes, over each thread that was asked for. */
static int each_thread(struct pl_times *t,
	int (*pass)(struct pl_times *, struct thread_entry *, struct pl_err *), struct pl_err *err)
{
	const struct process_entry *p = recording_find_process(t->r, t->range.process);
	int code = 0;

	for (size_t i = 0; i < p->thread_count && code == 0; i++) {
		struct thread_entry *thread = p->threads[i];
		if (!t->range.one_thread || thread->public.number == t->range.thread)
			code = pass(t, thread, err);
	}
	return code;
}

/* ---- the result ---- */

#define TIME_NS_MAX (INT64_MAX / 4) /* 73 years; the sum of two still counts */

static int64_t rounded(double v)
{
	return v < (double)TIME_NS_MAX ? (int64_t)(v + 0.5) : TIME_NS_MAX;
}

/* By Newton, from above: the C library's would be one more library to link. */
static double square_root(double v)
{
	double root = v > 1 ? v : 1, next = (root + v / root) / 2;

	for (int i = 0; i < 64 && next < root; i++) {
		root = next;
		next = (root + v / root) / 2;
	}
	return root;
}

/* Of n samples a share of p comes out within sqrt(p (1 - p) / n): as a part of itself, sqrt((1 - p) /
 * (p n)), where p n are its own. */
static void finish_entry(struct entry *e, double all_ns)
{
	double ns = e->ns[0] + e->ns[1];
	double rest = all_ns > 0 ? 1 - ns / all_ns : 0;

	e->public.computing_ns = rounded(e->ns[0]);
	e->public.waiting_ns = rounded(e->ns[1]);
	e->public.error_ns =
		rounded(ns * square_root(rest > 0 ? rest / ((double)e->public.samples + A) : 0));
	if (e->public.error_ns > e->public.computing_ns + e->public.waiting_ns)
		e->public.error_ns = e->public.computing_ns + e->public.waiting_ns;
}

static int by_place(const struct pl_line_time *x, const struct pl_line_time *y)
{
	if (!x->code || !y->code)
		return !y->code - !x->code;
	int order = strcmp(pl_code_file(x->code), pl_code_file(y->code));
	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static int by_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	double dx = x->ns[0] + x->ns[1], dy = y->ns[0] + y->ns[1];

	if (dx != dy)
		return dx < dy ? 1 : -1;
	if (x->public.hits != y->public.hits)
		return x->public.hits < y->public.hits ? 1 : -1;
	return by_place(&x->public, &y->public);
}

static void finish(struct pl_times *t)
{
	double all_ns = 0;

	for (size_t i = 0; i < t->count; i++)
		all_ns += t->entries[i].ns[0] + t->entries[i].ns[1];
	for (size_t i = 0; i < t->count; i++)
		finish_entry(&t->entries[i], all_ns);
	if (t->count)
		qsort(t->entries, t->count, sizeof *t->entries, by_time);
}

int pl_times_new(struct pl_times **out, struct pl_recording *r, const struct pl_times_range *range,
	struct pl_err *err)
{
	if (!recording_find_process(r, range->process))
		return pl_err_cause(
			err, PL_ERR_NOT_FOUND, "there is no process %" PRIu32, range->process);
	struct pl_times *t = calloc(1, sizeof *t);
	if (!t)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for times");
	t->r = r;
	t->range = *range;
	int code = each_thread(t, count_rows, err);
	if (code == 0)
		code = count_samples(t, err);
	if (code == 0)
		code = each_thread(t, share_thread, err);
	if (code) {
		pl_times_free(t);
		return code;
	}
	finish(t);
	*out = t;
	return 0;
}

void pl_times_free(struct pl_times *t)
{
	if (!t)
		return;
	strides_release(&t->strides);
	map_release(&t->places);
	map_release(&t->codes);
	free(t->entries);
	free(t->touched);
	free(t);
}

size_t pl_times_count(const struct pl_times *t)
{
	return t->count;
}

const struct pl_line_time *pl_times_line(const struct pl_times *t, size_t index)
{
	return index < t->count ? &t->entries[index].public : NULL;
}

int64_t pl_times_idle_ns(const struct pl_times *t)
{
	return rounded(t->idle_ns);
}

int64_t pl_times_lost_ns(const struct pl_times *t)
{
	return rounded(t->lost_ns);
}
