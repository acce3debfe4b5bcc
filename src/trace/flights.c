#include "trace/flights.h"

#include <stdlib.h>
#include <string.h>

/* The row that counts such an end; NULL: no memory. If there are FLIGHTS_MAX, the first one counts
 * all others. */
static struct pl_profile_exception *find(struct flights *f, const struct flight *from,
	enum pl_exception_end end, const struct pl_code *code, int32_t line)
{
	const struct pl_code *bottom = end == PL_EXCEPTION_UNHANDLED ? f->bottom : NULL;
	const uint64_t words[] = {(uintptr_t)from->type, (uintptr_t)from->code, (uintptr_t)code,
		(uint64_t)(uint32_t)from->line << 32 | (uint32_t)line,
		(uint64_t)end << 2 | f->thread << 1 | f->task, (uintptr_t)bottom};
	uint64_t *place = map_put(&f->places, hash_bytes(words, sizeof words));

	if (!place)
		return NULL;
	if (*place)
		return &f->rows[*place - 1];
	if (f->count == FLIGHTS_MAX) {
		*place = 1;
		return f->rows;
	}
	if (f->count == f->room) {
		uint32_t room = f->room ? f->room * 2 : 64;
		struct pl_profile_exception *rows = realloc(f->rows, room * sizeof *rows);
		if (!rows)
			return NULL;
		f->rows = rows;
		f->room = room;
	}
	f->rows[f->count++] = (struct pl_profile_exception){.type = from->type,
		.raised = from->code,
		.raised_line = from->line,
		.end = end,
		.task = f->task,
		.thread = f->thread,
		.bottom = bottom,
		.handled = code,
		.handled_line = line};
	*place = f->count;
	return &f->rows[f->count - 1];
}

/* The flight is over: it is counted by its beginning and its end. *index: the row that counts
 * it. */
static int land(struct flights *f, enum pl_exception_end end, const struct pl_code *code,
	int32_t line, uint32_t *index)
{
	struct pl_profile_exception *row = find(f, &f->now, end, code, line);

	f->open = false;
	f->left = false;
	f->thrown = f->thread = false;
	f->bottom = NULL;
	if (!row)
		return PL_ERR_MEMORY;
	row->count++;
	if (index)
		*index = (uint32_t)(row - f->rows);
	return 0;
}

/* It left a frame and did not arrive in the one below, so C code there swallowed it; or its frame
 * continues. */
static int was_swallowed(struct flights *f)
{
	return land(f, PL_EXCEPTION_SWALLOWED, f->at.code, f->at.line, NULL);
}

void flights_below(struct flights *f, const struct pl_code *code, int32_t line)
{
	f->at = (struct flight){.code = code_first(code), .line = line};
}

static void is_at(struct flights *f, const struct pl_event *row)
{
	flights_below(f, row->code, row->line);
	f->seq = row->seq;
	f->left = false;
	f->thrown = false;
}

/* A flight can begin with another row than RAISE, where the path begins in the middle of it. */
static void begin(struct flights *f, const struct pl_event *row)
{
	f->open = true;
	f->task = false;
	f->now = (struct flight){.type = row->type ? row->type : "?",
		.code = code_first(row->code),
		.line = row->line};
}

/* It continues from a handler that had it: finally, with, or `raise`. So it was not handled there,
 * and is not counted as such. */
static void go_on(struct flights *f, struct context_frame *top)
{
	struct pl_profile_exception *row = &f->rows[top->flight - 1];

	row->count -= row->count > 0;
	f->open = true;
	f->task = false;
	f->now = (struct flight){.type = row->type, .code = row->raised, .line = row->raised_line};
	top->flight = 0;
}

static int handled(struct flights *f, struct context_frame *top, const struct pl_event *row)
{
	uint32_t index;

	if (!f->open)
		begin(f, row);
	int code = land(f, PL_EXCEPTION_HANDLED, code_first(row->code), row->line, &index);
	if (code == 0)
		top->flight = index + 1;
	return code;
}

/* It left a frame. In the outermost one nothing was there to take it. */
static int unwound(
	struct flights *f, const struct context_frame *top, const struct pl_event *row, bool bottom)
{
	if (!f->open)
		return 0;
	f->task = top->task || (row->greenlet && !row->depth);
	if (!row->depth && !row->greenlet && !row->position.thread)
		f->bottom = code_first(row->code);
	f->thread = bottom && row->position.thread;
	if (!row->depth)
		return land(f, PL_EXCEPTION_UNHANDLED, NULL, 0, NULL);
	f->left = true;
	f->depth = row->depth;
	f->seq = row->seq;
	return 0;
}

/* What is thrown into a coroutine goes to the innermost one that it awaits. When it leaves that, it
 * is thrown into the one that awaits, whose next row is then a RAISE. */
static void was_thrown(struct flights *f, const struct pl_event *row)
{
	if (!f->open || !f->left || row->seq != f->seq + 1 || row->depth + 1 != f->depth)
		return;
	f->seq = row->seq;
	f->thrown = true;
}

/* Is the row about the same exception? The rows of an exception follow one another. But when a
 * frame ends on the way, freeing what it held may run other code. */
static bool belongs(const struct flights *f, const struct pl_event *row)
{
	switch (row->kind) {
	case PL_EVENT_RAISE:
		return f->left && row->seq == f->seq + 1 &&
		       (!f->thrown || (row->type && !strcmp(row->type, f->now.type)));
	case PL_EVENT_THROW:
	case PL_EVENT_HANDLED:
		return f->left || row->seq == f->seq + 1;
	case PL_EVENT_RERAISE:
	case PL_EVENT_UNWIND:
		return !f->left && row->seq == f->seq + 1;
	default:
		return row->kind == PL_EVENT_GAP;
	}
}

/* A thread has one exception on its way at a time: one that is handled while another waits (in
 * finally) is kept with the frame of its handler (context_frame.flight). */
int flights_row(struct flights *f, struct contexts *x, const struct pl_event *row, bool bottom)
{
	struct context_frame *top = x->depth ? &x->frames[x->depth - 1] : NULL;
	int code = f->open && !belongs(f, row) ? was_swallowed(f) : 0;

	if (code || !top)
		return code;
	switch (row->kind) {
	case PL_EVENT_RAISE:
		if (!f->open)
			begin(f, row);
		is_at(f, row);
		return 0;
	case PL_EVENT_RERAISE:
		if (top->flight)
			go_on(f, top);
		else if (!f->open)
			begin(f, row);
		is_at(f, row);
		return 0;
	case PL_EVENT_HANDLED:
		return handled(f, top, row);
	case PL_EVENT_UNWIND:
		return unwound(f, top, row, bottom);
	case PL_EVENT_THROW:
		was_thrown(f, row);
		return 0;
	default:
		return 0;
	}
}

int flights_end(struct flights *f, uint64_t next_seq)
{
	if (!f->open)
		return 0;
	if (f->left || f->seq + 1 != next_seq)
		return was_swallowed(f);
	return land(f, PL_EXCEPTION_UNHANDLED, NULL, 0, NULL);
}

void flights_release(struct flights *f)
{
	map_release(&f->places);
	free(f->rows);
	*f = (struct flights){0};
}
