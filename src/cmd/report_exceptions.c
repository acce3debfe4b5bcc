/* pathline report: exceptions, with what is known of those that were raised last. */
#define _GNU_SOURCE
#include "cmd/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "cmd/values.h"
#include "session/crash.h"
#include "session/library.h"
#include "session/ran.h"
#include "session/valued.h"

/* What is shown of values, in bytes. */
#define MESSAGE_BYTES 160
#define CALL_BYTES    200
/* So many events after a raise are read for another one that has values: library code has none. */
#define ARRIVAL 256

enum {
	EXC_NUMBER,
	EXC_COUNT,
	EXC_TYPE,
	EXC_MESSAGE,
	EXC_SHOWN_TYPE,
	EXC_FILE,
	EXC_LINE,
	EXC_CODE,
	EXC_CALL,
	EXC_SHOWN_CALL,
	EXC_END,
	EXC_ENDED,
	EXC_SHOWN_END,
	EXC_HANDLED_FILE,
	EXC_HANDLED_LINE,
	EXC_HANDLED_CODE,
	EXC_LAST_THREAD,
	EXC_LAST_SEQ,
	EXC_RAISED_AT,
	EXC_HANDLED_AT
};

const struct column report_exception_columns[] = {
	[EXC_NUMBER] = {"number", "n", 0, 10},
	[EXC_COUNT] = {"count", "count"},
	[EXC_TYPE] = {"type", NULL},
	[EXC_MESSAGE] = {"message", NULL},
	[EXC_SHOWN_TYPE] = {NULL, "exception", 24, 0},
	[EXC_FILE] = {"file", NULL},
	[EXC_LINE] = {"line", NULL},
	[EXC_CODE] = {"code", NULL},
	[EXC_CALL] = {"call", NULL},
	[EXC_SHOWN_CALL] = {NULL, "raised in", 24, 9},
	[EXC_END] = {"end", NULL},
	[EXC_ENDED] = {"ended", NULL},
	[EXC_SHOWN_END] = {NULL, "end"},
	[EXC_HANDLED_FILE] = {"handled_file", NULL},
	[EXC_HANDLED_LINE] = {"handled_line", NULL},
	[EXC_HANDLED_CODE] = {"handled_code", NULL},
	[EXC_LAST_THREAD] = {"last_thread", NULL},
	[EXC_LAST_SEQ] = {"last_seq", NULL},
	[EXC_RAISED_AT] = {NULL, "raised at", 32, 0},
	[EXC_HANDLED_AT] = {NULL, "by"},
	{0},
};

/* By an except or another exception; by C code; or not at all. */
static const char *end_word(enum pl_exception_end end)
{
	return end == PL_EXCEPTION_HANDLED     ? "handled"
	       : end == PL_EXCEPTION_SWALLOWED ? "swallowed"
					       : "unhandled";
}

/* "at FILE:LINE, handled at FILE:LINE", without the text of the lines, which would appear twice in
 * a row. */
static struct cell plain_place(const struct pl_code *code, int32_t line)
{
	return code ? (struct cell){.kind = CELL_PLACE, .text = pl_code_file(code), .number = line}
		    : cell_text("-");
}

/* A coroutine that returns, and sys.exit, end in good order too. Elsewhere than in a task, a
 * CancelledError is like other exceptions. */
static bool is_orderly(const struct pl_profile_exception *e)
{
	return !strcmp(e->type, "SystemExit") ||
	       (e->task && (crash_is_orderly(e->type) || !strcmp(e->type, "StopIteration")));
}

static bool is_cancelled(const struct pl_profile_exception *e)
{
	const char *dot = strrchr(e->type, '.'), *type = dot ? dot + 1 : e->type;

	return !strcmp(type, "CancelledError") || !strcmp(type, "Cancelled");
}

/* "handled" by what runs a thread, process or task means that nobody handled it. A library that
 * does so under other names is not known here. NULL: it ended nothing. */
static const char *ended_word(const struct report *w, const struct pl_profile_exception *e)
{
	enum crash_of of;

	if (e->task && is_cancelled(e))
		return "cancelled task";
	if (is_orderly(e))
		return NULL;
	if (e->task)
		return "task";
	if (e->end == PL_EXCEPTION_UNHANDLED && e->bottom && crash_runs_module(e->bottom))
		return pl_recording_find_process(w->r, w->range.process)->parent ? "process"
										 : "main thread";
	if (e->thread)
		return "thread";
	if (!e->handled || !crash_ends(e->handled, e->end == PL_EXCEPTION_SWALLOWED, &of))
		return NULL;
	return of == CRASH_THREAD ? "thread" : "process";
}

/* With "ended" before it; or how the exception itself ended. */
static struct cell cell_end(const struct report *w, const struct pl_profile_exception *e)
{
	static const struct {
		const char *ended, *shown;
	} words[] = {{"main thread", "ended main thread"}, {"thread", "ended thread"},
		{"process", "ended process"}, {"task", "ended task"},
		{"cancelled task", "cancelled task"}};
	const char *ended = ended_word(w, e);

	for (size_t i = 0; ended && i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i].ended, ended))
			return cell_text(words[i].shown);
	return cell_text(end_word(e->end));
}

/* That of a task that was cancelled is no failure, nor is that of a generator that is closed. */
static bool is_failure(const struct report *w, const struct pl_profile_exception *e)
{
	if (is_orderly(e))
		return false;
	return ended_word(w, e) || (e->end == PL_EXCEPTION_UNHANDLED && !crash_is_orderly(e->type));
}

/* What values say of the one that was raised last. */
struct exception_told {
	bool looked;
	char *message, *call; /* owned; NULL: not kept */
	char *shown_type, *shown_call;
};

struct exception_rows {
	const struct report *w;
	const struct pl_profile_exception **order; /* owned */
	struct exception_told *told;		   /* owned, of each row */
	struct valued *valued;
};

/* ---- values ---- */

/* The raise, or where its exception arrived first in code of which values are kept. */
static struct pl_value find_exception(
	struct valued *v, const struct pl_event *raise, struct pl_event *e)
{
	struct pl_value value = {0};

	if (valued_read(v, raise, e, NULL))
		return value;
	value = valued_exception(e);
	for (int i = 0; !value.kind && i < ARRIVAL && pl_cursor_next(v->cursor, e, NULL) == 0; i++)
		if (e->kind == PL_EVENT_RAISE && e->type && raise->type &&
			!strcmp(e->type, raise->type))
			value = valued_exception(e);
	return value;
}

static bool call_may(void *context, const struct pl_count *row)
{
	const struct pl_event *raise = context;

	return row->code == raise->code;
}

static int call_is(void *context, const struct pl_event *e)
{
	return ran_in_one_frame(e, context) ? 0 : PL_END;
}

/* "item='anvil', count=2": the arguments of the call that raised it. NULL: not kept. */
static char *call_text(struct valued *v, struct pl_event *raise)
{
	const struct pl_wanted wanted = {.process = raise->position.process,
		.thread = raise->position.thread,
		.kinds = 1u << PL_EVENT_CALL,
		.may = call_may,
		.is = call_is,
		.context = raise};
	char text[CALL_BYTES];
	struct pl_search *s = NULL;
	struct pl_event call;
	int code = pl_search_new(&s, v->r, &wanted, NULL);

	if (code == 0)
		code = pl_search_previous(s, raise->seq, 0, &call, NULL);
	pl_search_free(s);
	struct pl_event e;
	if (code || valued_read(v, &call, &e, NULL) || !e.values.at)
		return NULL;
	values_text(&e, text, sizeof text);
	return strdup(text);
}

static char *joined(const char *a, const char *between, const char *b, const char *after)
{
	char *text = NULL;

	return asprintf(&text, "%s%s%s%s", a, between, b, after) < 0 ? NULL : text;
}

/* Read once for a row that is shown. */
static const struct exception_told *told_of(const struct exception_rows *rows, size_t row)
{
	const struct pl_profile_exception *x = rows->order[row];
	struct exception_told *t = &rows->told[row];
	struct pl_event raise = {.kind = PL_EVENT_RAISE, .seq = x->last_seq, .type = x->type};
	char message[MESSAGE_BYTES];
	struct pl_event e;

	if (t->looked || !rows->valued->r)
		return t;
	t->looked = true;
	raise.position.process = rows->w->range.process;
	raise.position.thread = x->last_thread;
	const struct pl_value value = find_exception(rows->valued, &raise, &e);
	if (value.kind) {
		valued_message(&value, x->type, message, sizeof message);
		t->message = strdup(message);
	}
	if (valued_read(rows->valued, &raise, &e, NULL) == 0 && e.code) {
		raise = e;
		t->call = call_text(rows->valued, &raise);
	}
	if (t->message && t->message[0])
		t->shown_type = joined(x->type, ": ", t->message, "");
	if (t->call)
		t->shown_call = joined(pl_code_name(x->raised), "(", t->call, ")");
	return t;
}

static void release_rows(struct exception_rows *rows, size_t count)
{
	for (size_t i = 0; rows->told && i < count; i++) {
		free(rows->told[i].message);
		free(rows->told[i].call);
		free(rows->told[i].shown_type);
		free(rows->told[i].shown_call);
	}
	free(rows->told);
	free(rows->order);
	valued_release(rows->valued);
}

/* ---- rows ---- */

static struct cell text_or(const char *text, const char *otherwise)
{
	return cell_text(text ? text : otherwise);
}

static struct cell told_cell(const struct exception_rows *rows, size_t row, unsigned column)
{
	const struct pl_profile_exception *x = rows->order[row];
	const struct exception_told *t = told_of(rows, row);

	switch (column) {
	case EXC_MESSAGE:
		return cell_text(t->message);
	case EXC_CALL:
		return cell_text(t->call);
	case EXC_SHOWN_TYPE:
		return text_or(t->shown_type, x->type);
	default:
		return text_or(t->shown_call, x->raised ? pl_code_name(x->raised) : NULL);
	}
}

static struct cell exception_cell(const void *context, size_t row, unsigned column)
{
	const struct exception_rows *rows = context;
	const struct pl_profile_exception *e = rows->order[row];

	switch (column) {
	case EXC_NUMBER:
		return cell_number((int64_t)(rows->w->exceptions_before + row + 1));
	case EXC_MESSAGE:
	case EXC_CALL:
	case EXC_SHOWN_TYPE:
	case EXC_SHOWN_CALL:
		return told_cell(rows, row, column);
	case EXC_LAST_THREAD:
		return cell_number(e->last_thread);
	case EXC_LAST_SEQ:
		return cell_number(e->last_seq < INT64_MAX ? (int64_t)e->last_seq : INT64_MAX);
	case EXC_COUNT:
		return cell_count(e->count);
	case EXC_TYPE:
		return cell_text(e->type);
	case EXC_FILE:
		return cell_file(e->raised);
	case EXC_LINE:
		return cell_ns(CELL_NUMBER, e->raised_line);
	case EXC_CODE:
		return cell_code(e->raised);
	case EXC_END:
		return cell_text(end_word(e->end));
	case EXC_ENDED:
		return cell_text(ended_word(rows->w, e));
	case EXC_SHOWN_END:
		return cell_end(rows->w, e);
	case EXC_HANDLED_FILE:
		return cell_file(e->handled);
	case EXC_HANDLED_LINE:
		return e->handled ? cell_ns(CELL_NUMBER, e->handled_line) : (struct cell){0};
	case EXC_HANDLED_CODE:
		return cell_code(e->handled);
	case EXC_RAISED_AT:
		return plain_place(e->raised, e->raised_line);
	default:
		return plain_place(e->handled, e->handled_line);
	}
}

/* One that ended an await, a yield from, a for or an async for, as it does each time: no line of
 * the program takes it. The handler of an async for is that of its own line. */
static bool is_of_loop(const struct pl_profile_exception *e)
{
	if (!strcmp(e->type, "StopIteration"))
		return e->end == PL_EXCEPTION_SWALLOWED;
	return !strcmp(e->type, "StopAsyncIteration") &&
	       (e->end == PL_EXCEPTION_SWALLOWED ||
		       (e->end == PL_EXCEPTION_HANDLED && e->handled == e->raised &&
			       e->handled_line == e->raised_line));
}

/* What ended something comes first, then what the user's own code raised. */
enum exception_order { ORDER_FAILURE, ORDER_OWN, ORDER_LIBRARY, ORDER_LOOP, ORDER_COUNT };

static enum exception_order order_of(const struct report *w, const struct pl_profile_exception *e)
{
	if (is_failure(w, e))
		return ORDER_FAILURE;
	if (is_of_loop(e))
		return ORDER_LOOP;
	return code_is_library(e->raised) ? ORDER_LIBRARY : ORDER_OWN;
}

size_t report_order_exceptions(const struct report *w, const struct pl_profile_exception **to)
{
	size_t n = 0;

	for (int order = 0; order < ORDER_COUNT; order++)
		for (size_t i = 0; i < w->t->exception_count; i++)
			if ((int)order_of(w, &w->t->exceptions[i]) == order &&
				report_wants_exception(w, &w->t->exceptions[i]))
				to[n++] = &w->t->exceptions[i];
	return n;
}

/* Without those of loops, which are the last ones; in *count how often these were raised. Programs
 * get all rows, and so does who asks for some. */
static size_t shown_rows(
	const struct report *w, const struct exception_rows *rows, size_t all, uint64_t *count)
{
	*count = 0;
	if (w->all_exceptions || w->filter.expr || w->form != SHEET_TEXT)
		return all;
	while (all && order_of(w, rows->order[all - 1]) == ORDER_LOOP)
		*count += rows->order[--all]->count;
	return all;
}

static void note_loops(struct report *w, uint64_t count)
{
	char number[UNITS_BYTES], note[UNITS_BYTES + 160];

	units_count(number, count);
	snprintf(note, sizeof note,
		"%s StopIteration or StopAsyncIteration of loops, await and yield from; --all "
		"shows them.",
		number);
	report_note(w, note);
}

int report_exceptions(struct report *w)
{
	struct sheet s = report_sheet(w, "exception", report_exception_columns);
	struct valued valued = {.r = values_there(w->r) ? w->r : NULL};
	const size_t room = w->t->exception_count + 1;
	struct exception_rows rows = {.w = w,
		.order = calloc(room, sizeof *rows.order),
		.told = calloc(room, sizeof *rows.told),
		.valued = &valued};

	w->found |= !w->filter.expr;
	if (!rows.order || !rows.told) {
		cmd_say("report: no memory for %zu rows", w->t->exception_count);
		release_rows(&rows, 0);
		return CMD_BAD;
	}
	s.cell = exception_cell;
	s.context = &rows;
	const size_t all = report_order_exceptions(w, rows.order);
	uint64_t loops;
	s.rows = shown_rows(w, &rows, all, &loops);
	w->found |= s.rows > 0;
	if (!s.rows && w->filter.expr) {
		release_rows(&rows, 0);
		return CMD_GO;
	}
	report_title(w, "exceptions", NULL);
	int code = report_show(w, &s);
	if (loops)
		note_loops(w, loops);
	else if (!s.rows)
		report_note(w, "No exception was raised in code that was recorded.");
	w->exceptions_before += all;
	release_rows(&rows, all);
	return code;
}
