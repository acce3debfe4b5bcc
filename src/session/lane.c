#include "session/lane.h"

#include <stdlib.h>
#include <string.h>

#define STEP_FIRST 512
#define STEP_LEAST 64
#define STEP_MOST  (UINT64_MAX / 16)

static void batch_clear(struct lane_batch *b, uint64_t place)
{
	for (size_t i = 0; i < b->count; i++)
		free(b->rows[(b->from + i) % LANE_ROWS].text);
	b->from = b->count = 0;
	b->to = place;
	b->ended = false;
}

static struct reading_row *batch_at(struct lane_batch *b, size_t index)
{
	return &b->rows[(b->from + index) % LANE_ROWS];
}

void lane_go(struct lane *l, uint64_t place)
{
	l->top = l->bottom = place;
	batch_clear(&l->ahead, place);
	batch_clear(&l->behind, place);
}

void lane_grown(struct lane *l)
{
	l->ahead.ended = false;
	lane_rest(l);
}

void lane_rest(struct lane *l)
{
	pl_search_free(l->search);
	l->search = NULL;
}

void lane_release(struct lane *l)
{
	lane_rest(l);
	lane_go(l, 0);
	lane_filter_release(&l->filter);
	free(l->text);
	l->text = NULL;
}

/* ---- its search ---- */

static bool may_be_shown(void *context, const struct pl_count *row)
{
	struct lane *l = context;

	return lane_filter_may(&l->filter, row);
}

/* What is shown needs its text, so that is written here; the row is made of it (make_row). */
static int is_shown(void *context, const struct pl_event *e)
{
	struct lane *l = context;
	const struct reading_rules *rules = l->rules;
	const uint64_t place = e->seq * 2 + (e->kind != PL_EVENT_GAP);

	if (place < l->least || place >= l->limit)
		return PL_END;
	const int code = lane_filter_ask(&l->filter, e, l->err);
	l->asked_to = place + 1;
	if (code)
		return code;
	rules->write(rules->context, e, l->text, LANE_ROW_BYTES);
	return !rules->shows || rules->shows(rules->context, e, l->text) ? 0 : PL_END;
}

static void say_passed(void *context, uint64_t seq)
{
	const struct lane *l = context;

	if (l->rules->passes)
		l->rules->passes(l->rules->context, &l->of, seq);
}

/* The filter knows what went by: if that is not what was before, it begins anew. */
static int lane_prepare(struct lane *l, struct pl_err *err)
{
	const struct reading_rules *rules = l->rules;

	l->err = err;
	l->filter.r = rules->r;
	l->filter.stop = rules->stop;
	l->filter.expr = rules->expr;
	l->filter.of = l->of;
	if (l->least != l->asked_to)
		lane_filter_jump(&l->filter);
	const struct pl_wanted wanted = {.process = l->of.process,
		.thread = l->of.thread,
		.kinds = lane_filter_kinds(&l->filter, l->rules->kinds),
		.may = may_be_shown,
		.is = is_shown,
		.passes = say_passed,
		.context = l,
		.stop = l->rules->stop};

	if (!l->text && !(l->text = malloc(LANE_ROW_BYTES)))
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a row");
	if (l->search)
		return 0;
	int code = pl_search_new(&l->search, l->rules->r, &wanted, err);
	if (code == 0)
		pl_search_want_values(l->search, true);
	return code;
}

/* With the name of its task behind its text, in one piece of memory. */
static int make_row(
	struct lane *l, const struct pl_event *e, struct reading_row *row, struct pl_err *err)
{
	const size_t text = strlen(l->text) + 1, task = e->task ? strlen(e->task) + 1 : 0;
	char *at = malloc(text + task);

	if (!at)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a row");
	memcpy(at, l->text, text);
	if (task)
		memcpy(at + text, e->task, task);
	*row = (struct reading_row){.position = e->position,
		.seq = e->seq,
		.order = e->order,
		.time_ns = e->time_ns,
		.kind = e->kind,
		.depth = e->depth,
		.text = at,
		.task = task ? at + text : NULL};
	return 0;
}

/* The first row with least <= place < limit. */
static int find_row(struct lane *l, struct reading_row *row, struct pl_err *err)
{
	const uint64_t end = l->limit / 2 + (l->limit & 1);
	struct pl_event e;
	int code = lane_prepare(l, err);

	if (code == 0)
		code = pl_search_next(l->search, l->least / 2, end, &e, err);
	return code ? code : make_row(l, &e, row, err);
}

static bool is_stopped(const struct lane *l)
{
	return l->rules->stop && *l->rules->stop;
}

/* ---- ahead ---- */

static int fill_ahead(struct lane *l, struct pl_err *err)
{
	struct lane_batch *b = &l->ahead;
	int code = 0;

	l->limit = UINT64_MAX;
	b->from = 0;
	while (code == 0 && b->count < LANE_ROWS) {
		struct reading_row *row = &b->rows[b->count];
		l->least = b->to;
		code = find_row(l, row, err);
		if (code)
			break;
		b->to = row_place(row) + 1;
		b->count++;
	}
	b->ended = code == PL_END && !is_stopped(l);
	return code < 0 ? code : 0;
}

/* ---- behind ---- */

/* The last rows of a stretch, as many as a batch has. *found counts all of them. */
static int read_stretch(struct lane *l, size_t *found, struct pl_err *err)
{
	struct lane_batch *b = &l->behind;
	struct reading_row row;
	int code;

	*found = 0;
	b->from = b->count = 0;
	while ((code = find_row(l, &row, err)) == 0) {
		if (b->count == LANE_ROWS) {
			free(b->rows[b->from].text);
			b->from = (b->from + 1) % LANE_ROWS;
			b->count--;
		}
		*batch_at(b, b->count++) = row;
		l->least = row_place(&row) + 1;
		++*found;
	}
	return code < 0 ? code : 0;
}

static uint64_t first_place(const struct lane *l)
{
	const struct pl_thread *t = pl_recording_thread(l->rules->r, l->of.process, l->of.thread);

	return t ? t->first_seq * 2 : 0;
}

/* The next batch takes about as many places as give a whole one. */
static void choose_step(struct lane *l, size_t found)
{
	if (found > LANE_ROWS && l->step > STEP_LEAST)
		l->step /= 2;
	else if (found < LANE_ROWS / 4 && l->step < STEP_MOST)
		l->step *= 2;
}

/* In stretches that grow, until there is a row. If it is stopped, what was read of a stretch is
 * forgotten: its last rows may be missing. */
static int fill_behind(struct lane *l, struct pl_err *err)
{
	struct lane_batch *b = &l->behind;
	const uint64_t first = first_place(l);
	size_t found = 0;
	int code = 0;

	l->step = l->step ? l->step : STEP_FIRST;
	while (code == 0 && !found && b->to > first && !is_stopped(l)) {
		const uint64_t from = b->to - first > l->step ? b->to - l->step : first;
		l->least = from;
		l->limit = b->to;
		code = read_stretch(l, &found, err);
		if (is_stopped(l))
			break;
		choose_step(l, found);
		b->to = from;
	}
	if (code < 0 || is_stopped(l)) {
		batch_clear(b, l->top);
		return code < 0 ? code : PL_END;
	}
	if (found > LANE_ROWS)
		b->to = row_place(batch_at(b, 0));
	b->ended = b->to <= first;
	return 0;
}

/* ---- the window ---- */

int lane_peek(struct lane *l, bool back, const struct reading_row **row, struct pl_err *err)
{
	struct lane_batch *b = back ? &l->behind : &l->ahead;
	int code = 0;

	if (!b->count && !b->ended)
		code = back ? fill_behind(l, err) : fill_ahead(l, err);
	if (code)
		return code;
	if (!b->count)
		return PL_END;
	*row = batch_at(b, back ? b->count - 1 : 0);
	return 0;
}

struct reading_row lane_take(struct lane *l, bool back)
{
	struct lane_batch *b = back ? &l->behind : &l->ahead;
	const struct reading_row row = *batch_at(b, back ? b->count - 1 : 0);
	const uint64_t place = row_place(&row);

	b->count--;
	if (back) {
		l->top = place;
	} else {
		b->from = (b->from + 1) % LANE_ROWS;
		l->bottom = place + 1;
	}
	return row;
}

void lane_drop(struct lane *l, bool back, const struct reading_row *row)
{
	const uint64_t place = row_place(row);

	if (back) {
		l->top = place + 1;
		batch_clear(&l->behind, l->top);
	} else {
		l->bottom = place;
		batch_clear(&l->ahead, l->bottom);
	}
}
