#include "trace/flights.h"

#include <stdlib.h>
#include <string.h>
#include "base/thrown.h"

static int grow_flight_rows(struct flights *f)
{
	const uint32_t room = f->room ? f->room * 2 : 64;
	struct pl_profile_exception *rows = realloc(f->rows, room * sizeof *rows);

	if (!rows)
		return PL_ERR_MEMORY;
	f->rows = rows;
	struct flight_before *before = realloc(f->before, room * sizeof *before);
	if (!before)
		return PL_ERR_MEMORY;
	f->before = before;
	f->room = room;
	return 0;
}

/* The row that counts such an end, by its beginning and its end; NULL: no memory. If there are
 * FLIGHTS_MAX, the first one counts all others. */
static struct pl_profile_exception *row_of_end(struct flights *f, const struct flight *from,
	enum pl_exception_end end, const struct pl_code *code, int32_t line)
{
	const struct pl_code *bottom = end == PL_EXCEPTION_UNHANDLED ? from->bottom : NULL;
	const uint64_t words[] = {(uintptr_t)from->type, (uintptr_t)from->code, (uintptr_t)code,
		(uint64_t)(uint32_t)from->line << 32 | (uint32_t)line,
		(uint64_t)end << 2 | from->thread << 1 | from->task, (uintptr_t)bottom};
	uint64_t *place = map_put(&f->places, hash_bytes(words, sizeof words));

	if (!place)
		return NULL;
	if (*place)
		return &f->rows[*place - 1];
	if (f->count == FLIGHTS_MAX) {
		*place = 1;
		return f->rows;
	}
	if (f->count == f->room && grow_flight_rows(f))
		return NULL;
	f->before[f->count] = (struct flight_before){0};
	f->rows[f->count++] = (struct pl_profile_exception){.type = from->type,
		.raised = from->code,
		.raised_line = from->line,
		.end = end,
		.task = from->task,
		.thread = from->thread,
		.bottom = bottom,
		.handled = code,
		.handled_line = line};
	*place = f->count;
	return &f->rows[f->count - 1];
}

/* Returns the row that counted it; NULL: no memory. */
static struct pl_profile_exception *count_end(struct flights *f, const struct flight *from,
	enum pl_exception_end end, const struct pl_code *code, int32_t line)
{
	struct pl_profile_exception *row = row_of_end(f, from, end, code, line);

	if (!row)
		return NULL;
	row->count++;
	if (from->raised_ns < row->last_ns)
		return row;
	f->before[row - f->rows] = (struct flight_before){
		.thread = row->last_thread, .seq = row->last_seq, .ns = row->last_ns};
	row->last_thread = from->thread_number;
	row->last_seq = from->raised_seq;
	row->last_ns = from->raised_ns;
	return row;
}

static int was_unhandled(struct flights *f)
{
	f->open = false;
	return count_end(f, &f->now, PL_EXCEPTION_UNHANDLED, NULL, 0) ? 0 : PL_ERR_MEMORY;
}

static int count_swallowed(struct flights *f, const struct flight *from)
{
	return count_end(f, from, PL_EXCEPTION_SWALLOWED, from->at_code, from->at_line)
		       ? 0
		       : PL_ERR_MEMORY;
}

/* It left a frame and did not arrive in the one below, so C code there swallowed it; or its frame
 * continues. */
static int was_swallowed(struct flights *f)
{
	f->open = false;
	return count_swallowed(f, &f->now);
}

void flights_below(struct flights *f, const struct pl_code *code, int32_t line)
{
	f->now.at_code = code_first(code);
	f->now.at_line = line;
}

static void flight_is_at(struct flights *f, const struct pl_event *row)
{
	flights_below(f, row->code, row->line);
	f->now.level = row->depth;
	f->now.seq = row->seq;
	f->now.left = f->now.thrown = false;
}

/* A flight can begin with another row than RAISE, where the path begins in the middle of it. */
static void begin_flight(struct flights *f, const struct pl_event *row)
{
	f->open = true;
	f->now = (struct flight){.type = row->type ? row->type : "?",
		.code = code_first(row->code),
		.line = row->line,
		.thread_number = row->position.thread,
		.raised_seq = row->seq,
		.raised_ns = row->time_ns};
}

/* Not counted, and if it was the last one, the one before is. */
static void uncount_flight(struct flights *f, const struct flight *now, uint32_t number)
{
	struct pl_profile_exception *row = &f->rows[number];
	const struct flight_before *before = &f->before[number];

	row->count -= row->count > 0;
	if (row->last_thread != now->thread_number || row->last_seq != now->raised_seq)
		return;
	row->last_thread = before->thread;
	row->last_seq = before->seq;
	row->last_ns = before->ns;
}

/* It continues from a handler that had it: finally, with, or `raise`. So it was not handled there,
 * and is not counted as such. Others of its row may have been counted since, of other threads too:
 * the frame has which one it is. */
static void flight_goes_on(
	struct flights *f, struct context_frame *top, const struct pl_event *reraise)
{
	const struct pl_profile_exception *row = &f->rows[top->flight - 1];

	f->open = true;
	f->now = (struct flight){.type = row->type,
		.code = row->raised,
		.line = row->raised_line,
		.thread_number = reraise->position.thread,
		.raised_seq = top->raised_seq,
		.raised_ns = top->raised_ns};
	uncount_flight(f, &f->now, top->flight - 1);
	top->flight = 0;
}

static int was_handled(struct flights *f, struct context_frame *top, const struct pl_event *row)
{
	if (!f->open)
		begin_flight(f, row);
	f->open = false;
	const struct pl_profile_exception *counted =
		count_end(f, &f->now, PL_EXCEPTION_HANDLED, code_first(row->code), row->line);
	if (!counted)
		return PL_ERR_MEMORY;
	top->flight = (uint32_t)(counted - f->rows) + 1;
	top->raised_seq = f->now.raised_seq;
	top->raised_ns = f->now.raised_ns;
	return 0;
}

/* It left a frame. In the outermost one nothing was there to take it. */
static int was_unwound(
	struct flights *f, const struct context_frame *top, const struct pl_event *row, bool bottom)
{
	struct flight *now = &f->now;

	if (!f->open)
		return 0;
	now->task = top->task || (row->greenlet && !row->depth);
	if (!row->depth && !row->greenlet && !row->position.thread)
		now->bottom = code_first(row->code);
	now->thread = bottom && row->position.thread;
	if (!row->depth)
		return was_unhandled(f);
	now->left = true;
	now->level = row->depth - 1;
	now->seq = row->seq;
	return 0;
}

/* The next row of what awaits is then a RAISE. */
static void was_thrown(struct flights *f, const struct pl_event *row)
{
	struct flight *now = &f->now;

	if (!f->open || !now->left || !thrown_goes_on(now->seq, now->level + 1, row))
		return;
	now->seq = row->seq;
	now->thrown = true;
}

/* Is the row about the same exception? The rows of an exception follow one another. But when a
 * frame ends on the way, freeing what it held may run other code, whose rows need not come here. No
 * frame is left, and none handles, without a RAISE or RERAISE of its own before that. */
static bool row_belongs(const struct flight *now, const struct pl_event *row)
{
	const bool next = row->seq == now->seq + 1;

	switch (row->kind) {
	case PL_EVENT_RAISE:
		return now->left && next && row->type && !strcmp(row->type, now->type);
	case PL_EVENT_THROW:
		return now->left || next;
	case PL_EVENT_HANDLED:
		return now->left || next || row->depth == now->level;
	case PL_EVENT_UNWIND:
		return !now->left && (next || row->depth == now->level);
	case PL_EVENT_RERAISE:
		return !now->left && next;
	default:
		return row->kind == PL_EVENT_GAP;
	}
}

/* ---- finalisers ---- */

/* Before it leaves a frame or is handled there, what the frame let go of may run: the generator of
 * its loop is closed, by a GeneratorExit of its own. The same after it left a frame; there, other
 * code means that something swallowed it. */
static bool is_in_finaliser(const struct flights *f, const struct pl_event *row)
{
	if (!f->open || row->depth <= f->now.level || f->held_count == FLIGHTS_HELD)
		return false;
	return !f->now.left ||
	       (row->kind == PL_EVENT_RAISE && row->type && !strcmp(row->type, "GeneratorExit"));
}

static void hold_flight(struct flights *f)
{
	f->held[f->held_count++] = f->now;
	f->open = false;
}

/* It goes on with the row, or was swallowed before that. */
static void take_up_held(struct flights *f, uint64_t seq)
{
	f->now = f->held[--f->held_count];
	f->now.thrown = f->now.left;
	f->now.seq = seq ? seq - 1 : 0;
	f->open = true;
}

/* An exception that left the frame above comes to this one, which may await that. */
static bool row_arrives(const struct pl_event *row)
{
	return row->kind == PL_EVENT_RAISE || row->kind == PL_EVENT_THROW;
}

/* The row is of a frame whose exception waits, or of one further out: finalisers are over. */
static int end_finalisers(struct flights *f, const struct pl_event *row)
{
	int code = 0;

	while (code == 0 && f->held_count && row->depth <= f->held[f->held_count - 1].level) {
		if (f->open && row_arrives(row) && row_belongs(&f->now, row)) {
			/* they were calls of the frame, which had swallowed it and gone on */
			code = count_swallowed(f, &f->held[--f->held_count]);
			continue;
		}
		if (f->open)
			code = was_swallowed(f);
		take_up_held(f, row->seq);
		if (code == 0 && row->depth < f->now.level)
			code = was_swallowed(f);
	}
	return code;
}

void flights_restart(struct flights *f)
{
	f->open = false;
	f->held_count = 0;
}

/* A thread has one exception on its way at a time: one that is handled while another waits (in
 * finally) is kept with the frame of its handler (context_frame.flight), and one that waits for
 * finalisers is held. */
int flights_row(struct flights *f, struct contexts *x, const struct pl_event *row, bool bottom)
{
	struct context_frame *top = x->depth ? &x->frames[x->depth - 1] : NULL;
	int code = end_finalisers(f, row);

	if (code == 0 && is_in_finaliser(f, row))
		hold_flight(f);
	if (code == 0 && f->open && !row_belongs(&f->now, row))
		code = was_swallowed(f);
	if (code || !top)
		return code;
	switch (row->kind) {
	case PL_EVENT_RAISE:
		if (!f->open)
			begin_flight(f, row);
		flight_is_at(f, row);
		return 0;
	case PL_EVENT_RERAISE:
		if (top->flight)
			flight_goes_on(f, top, row);
		else if (!f->open)
			begin_flight(f, row);
		flight_is_at(f, row);
		return 0;
	case PL_EVENT_HANDLED:
		return was_handled(f, top, row);
	case PL_EVENT_UNWIND:
		return was_unwound(f, top, row, bottom);
	case PL_EVENT_THROW:
		was_thrown(f, row);
		return 0;
	default:
		return 0;
	}
}

int flights_end(struct flights *f, uint64_t next_seq)
{
	int code = 0;

	if (f->open)
		code = f->now.left || f->now.seq + 1 != next_seq ? was_swallowed(f)
								 : was_unhandled(f);
	while (code == 0 && f->held_count) {
		take_up_held(f, next_seq);
		code = was_swallowed(f);
	}
	return code;
}

void flights_release(struct flights *f)
{
	map_release(&f->places);
	free(f->rows);
	free(f->before);
	*f = (struct flights){0};
}
