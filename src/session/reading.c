#include "session/reading.h"

#include <stdlib.h>
#include "session/path.h"

/* Lanes of more threads do not keep their searches, which have blocks in memory. */
#define SEARCHES_KEPT 32

/* ---- the window ---- */

static struct reading_row *row_at(const struct reading *l, int64_t number)
{
	return &l->rows[(uint64_t)number % READING_ROWS];
}

static void window_clear(struct reading *l)
{
	for (size_t i = 0; i < l->used; i++)
		free(row_at(l, l->first + (int64_t)i)->text);
	l->first = 0;
	l->used = 0;
}

void reading_release(struct reading *l)
{
	window_clear(l);
	for (size_t i = 0; i < l->lane_count; i++) {
		lane_release(l->lanes[i]);
		free(l->lanes[i]);
	}
	free(l->lanes);
	free(l->rows);
	l->lanes = NULL;
	l->rows = NULL;
	l->lane_count = 0;
}

/* ---- lanes ---- */

static int lane_add(struct reading *l, const struct pl_thread *t, struct pl_err *err)
{
	struct lane **room = realloc(l->lanes, (l->lane_count + 1) * sizeof(struct lane *));
	struct lane *lane = room ? calloc(1, sizeof *lane) : NULL;

	if (room)
		l->lanes = room;
	if (!lane)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a thread's rows");
	lane->rules = &l->rules;
	lane->of = (struct pl_position){.process = t->process, .thread = t->number};
	lane_go(lane, t->first_seq * 2);
	l->lanes[l->lane_count++] = lane;
	return 0;
}

static bool has_lane(const struct reading *l, const struct pl_thread *t)
{
	for (size_t i = 0; i < l->lane_count; i++)
		if (l->lanes[i]->of.process == t->process && l->lanes[i]->of.thread == t->number)
			return true;
	return false;
}

static bool is_wanted(
	const struct reading *l, const struct pl_process *p, const struct pl_thread *t)
{
	return (!l->wants || l->wants(l->rules.context, t)) &&
	       (!l->rules.expr || expr_may_thread(l->rules.expr, p, t));
}

static int add_lanes_of(struct reading *l, const struct pl_process *p, struct pl_err *err)
{
	int code = 0;

	for (uint32_t n = 0; n < p->thread_count && code == 0; n++) {
		const struct pl_thread *t = pl_recording_thread(l->rules.r, p->number, n);
		if (t && !has_lane(l, t) && is_wanted(l, p, t))
			code = lane_add(l, t, err);
	}
	return code;
}

/* Those that are not there yet. */
static int add_lanes(struct reading *l, struct pl_err *err)
{
	int code = 0;

	if (!l->rows && !(l->rows = calloc(READING_ROWS, sizeof *l->rows)))
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a list of calls");
	for (uint32_t i = 0; i < pl_recording_process_count(l->rules.r) && code == 0; i++)
		code = add_lanes_of(l, pl_recording_process(l->rules.r, i), err);
	return code;
}

int reading_grown(struct reading *l, struct pl_err *err)
{
	for (size_t i = 0; i < l->lane_count; i++)
		lane_grown(l->lanes[i]);
	return add_lanes(l, err);
}

/* ---- where it goes ---- */

static const struct pl_thread *thread_of(const struct reading *l, const struct lane *lane)
{
	return pl_recording_thread(l->rules.r, lane->of.process, lane->of.thread);
}

int reading_go_begin(struct reading *l, struct pl_err *err)
{
	int code = add_lanes(l, err);

	window_clear(l);
	for (size_t i = 0; i < l->lane_count; i++)
		lane_go(l->lanes[i], thread_of(l, l->lanes[i])->first_seq * 2);
	return code;
}

/* A gap after the last event has the next seq. */
int reading_go_end(struct reading *l, struct pl_err *err)
{
	int code = add_lanes(l, err);

	window_clear(l);
	for (size_t i = 0; i < l->lane_count; i++) {
		const struct pl_thread *t = thread_of(l, l->lanes[i]);
		lane_go(l->lanes[i], (t->first_seq + t->events) * 2 + 1);
	}
	return code;
}

static bool is_before_order(const struct pl_event *e, const void *context)
{
	return e->order < ((const struct pl_event *)context)->order;
}

static bool is_before_time(const struct pl_event *e, const void *context)
{
	return e->time_ns < ((const struct pl_event *)context)->time_ns;
}

static int lane_go_event(struct lane *lane, const struct pl_event *at, struct pl_err *err)
{
	const bool same = lane->of.process == at->position.process;
	struct path path = {.r = lane->rules->r,
		.process = lane->of.process,
		.thread = lane->of.thread,
		.stop = lane->rules->stop};
	const struct path_key key = {.is_before = same ? is_before_order : is_before_time,
		.context = at,
		.near = UINT64_MAX};
	struct pl_event e;

	if (same && lane->of.thread == at->position.thread) {
		lane_go(lane, at->seq * 2);
		return 0;
	}
	const struct pl_thread *t =
		pl_recording_thread(lane->rules->r, lane->of.process, lane->of.thread);
	int code = path_search(&path, &key, &e, err);
	path_release(&path);
	lane_go(lane, code == 0 ? e.seq * 2 : (t->first_seq + t->events) * 2 + 1);
	return code < 0 ? code : 0;
}

int reading_go_event(struct reading *l, const struct pl_event *e, struct pl_err *err)
{
	int code = add_lanes(l, err);

	window_clear(l);
	for (size_t i = 0; i < l->lane_count && code == 0; i++)
		code = lane_go_event(l->lanes[i], e, err);
	return code;
}

/* ---- rows ---- */

static bool row_is_before(const struct reading_row *a, const struct reading_row *b)
{
	if (a->position.process == b->position.process && a->order != b->order)
		return a->order < b->order;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->position.process != b->position.process)
		return a->position.process < b->position.process;
	return a->position.thread < b->position.thread;
}

/* The lane that has the next row, or the one before; NULL: none has. */
static int choose_lane(struct reading *l, bool back, struct lane **chosen, struct pl_err *err)
{
	const struct reading_row *best = NULL, *row;

	*chosen = NULL;
	for (size_t i = 0; i < l->lane_count; i++) {
		int code = lane_peek(l->lanes[i], back, &row, err);
		if (l->lane_count > SEARCHES_KEPT)
			lane_rest(l->lanes[i]);
		if (code < 0)
			return code;
		if (code || (best && row_is_before(best, row) != back))
			continue;
		best = row;
		*chosen = l->lanes[i];
	}
	const bool stopped = l->rules.stop && *l->rules.stop;
	return best && !stopped ? 0 : PL_END;
}

static struct lane *lane_of(const struct reading *l, const struct reading_row *row)
{
	for (size_t i = 0; i < l->lane_count; i++)
		if (l->lanes[i]->of.process == row->position.process &&
			l->lanes[i]->of.thread == row->position.thread)
			return l->lanes[i];
	return NULL;
}

/* At the other end: the window is full. */
static void window_drop(struct reading *l, bool back)
{
	struct reading_row *row = row_at(l, back ? l->first : l->first + (int64_t)l->used - 1);

	lane_drop(lane_of(l, row), back, row);
	free(row->text);
	l->first += back;
	l->used--;
}

static int extend(struct reading *l, bool back, struct pl_err *err)
{
	struct lane *lane;
	int code = choose_lane(l, back, &lane, err);

	if (code)
		return code;
	if (l->used == READING_ROWS)
		window_drop(l, !back);
	l->first -= back;
	l->used++;
	*row_at(l, back ? l->first : l->first + (int64_t)l->used - 1) = lane_take(lane, back);
	return 0;
}

int reading_row(
	struct reading *l, int64_t number, const struct reading_row **row, struct pl_err *err)
{
	int code = 0;

	while (code == 0 && number < l->first)
		code = extend(l, true, err);
	while (code == 0 && number >= l->first + (int64_t)l->used)
		code = extend(l, false, err);
	if (code == 0)
		*row = row_at(l, number);
	return code;
}
