/* The tables of `top`: what their columns are, and what is in each cell. */
#include "cmd/top.h"

#include <stdio.h>
#include <string.h>

/* ---- functions and lines ---- */

enum {
	PLACE_SHARE,
	PLACE_COMPUTING,
	PLACE_WAITING,
	PLACE_CUMULATED,
	PLACE_COUNT,
	PLACE_RATE,
	PLACE_PROCESS,
	PLACE_FILE,
	PLACE_LINE,
	PLACE_CODE,
	PLACE_SHOWN
};

static const struct column function_columns[] = {
	[PLACE_SHARE] = {"share", "computes"},
	[PLACE_COMPUTING] = {"computing_ns", NULL},
	[PLACE_WAITING] = {"waiting_ns", "waiting", 0, 2},
	[PLACE_CUMULATED] = {"cumulated_ns", "with calls"},
	[PLACE_COUNT] = {"calls", NULL},
	[PLACE_RATE] = {"calls_per_s", "calls/s"},
	[PLACE_PROCESS] = {"process", NULL},
	[PLACE_FILE] = {"file", NULL},
	[PLACE_LINE] = {"line", NULL},
	[PLACE_CODE] = {"code", NULL},
	[PLACE_SHOWN] = {NULL, "function"},
	{0},
};

static const struct column line_columns[] = {
	[PLACE_SHARE] = {"share", "computes"},
	[PLACE_COMPUTING] = {"computing_ns", NULL},
	[PLACE_WAITING] = {"waiting_ns", "waiting", 0, 2},
	[PLACE_CUMULATED] = {"cumulated_ns", "with calls", 0, 4},
	[PLACE_COUNT] = {"passes", NULL},
	[PLACE_RATE] = {"passes_per_s", "passes/s"},
	[PLACE_PROCESS] = {"process", NULL},
	[PLACE_FILE] = {"file", NULL},
	[PLACE_LINE] = {"line", NULL},
	[PLACE_CODE] = {"code", NULL},
	[PLACE_SHOWN] = {NULL, "line"},
	{0},
};

static int64_t look_ns(const struct top *t)
{
	return t->to_ns > t->from_ns ? t->to_ns - t->from_ns : 1;
}

static uint64_t a_second(const struct top *t, uint64_t count)
{
	return (uint64_t)((double)count * 1e9 / (double)look_ns(t) + 0.5);
}

static struct cell place_cell(const struct top *t, const struct top_place *p, unsigned column)
{
	struct cell cell = {.kind = CELL_PLACE,
		.text = pl_code_file(p->code),
		.number = p->line ? p->line : pl_code_first_line(p->code),
		.in = pl_code_name(p->code)};
	struct pl_text text;

	switch (column) {
	case PLACE_SHARE:
		return (struct cell){
			.kind = CELL_SHARE, .share = (double)p->computing_ns / (double)look_ns(t)};
	case PLACE_COMPUTING:
		return cell_ns(CELL_NS, p->computing_ns);
	case PLACE_WAITING:
		return cell_ns(CELL_NS, p->waiting_ns);
	case PLACE_CUMULATED:
		return cell_ns(CELL_NS, p->cumulated_ns);
	case PLACE_COUNT:
		return cell_count(p->count);
	case PLACE_RATE:
		return cell_count(a_second(t, p->count));
	case PLACE_PROCESS:
		return cell_number(p->process);
	case PLACE_FILE:
		return cell_text(pl_code_file(p->code));
	case PLACE_LINE:
		return cell_number(cell.number);
	case PLACE_CODE:
		return cell_text(pl_code_name(p->code));
	default:
		if (p->line && pl_source_line(t->r, p->code, p->line, &text, NULL) == 0) {
			cell.in = NULL;
			while (text.length && (*text.at == ' ' || *text.at == '\t')) {
				text.at++;
				text.length--;
			}
			cell.source = (struct text){text.at, text.length};
		}
		return cell;
	}
}

static struct cell function_cell(const void *context, size_t row, unsigned column)
{
	const struct top *t = context;

	return place_cell(t, &t->functions.rows[row], column);
}

static struct cell line_cell(const void *context, size_t row, unsigned column)
{
	const struct top *t = context;

	return place_cell(t, &t->lines.rows[row], column);
}

/* ---- threads ---- */

enum {
	THREAD_PROCESS,
	THREAD_NUMBER,
	THREAD_NAME,
	THREAD_STATE,
	THREAD_STILL,
	THREAD_FILE,
	THREAD_LINE,
	THREAD_CODE,
	THREAD_IN,
	THREAD_SHOWN
};

static const struct column thread_columns[] = {
	[THREAD_PROCESS] = {"process", "process", 0, 3},
	[THREAD_NUMBER] = {"thread", "thread", 0, 2},
	[THREAD_NAME] = {"name", "name", 20, 0},
	[THREAD_STATE] = {"state", "state"},
	[THREAD_STILL] = {"still_ns", "for"},
	[THREAD_FILE] = {"file", NULL},
	[THREAD_LINE] = {"line", NULL},
	[THREAD_CODE] = {"code", NULL},
	[THREAD_IN] = {"in", "in", 20, 4},
	[THREAD_SHOWN] = {NULL, "at"},
	{0},
};

/* Where something is, with the function. */
static struct cell at_cell(const struct pl_code *code, int32_t line)
{
	return code ? (struct cell){.kind = CELL_PLACE,
			      .text = pl_code_file(code),
			      .number = line,
			      .in = pl_code_name(code)}
		    : (struct cell){0};
}

static struct cell code_file(const struct pl_code *code)
{
	return cell_text(code ? pl_code_file(code) : NULL);
}

static struct cell code_name(const struct pl_code *code)
{
	return cell_text(code ? pl_code_name(code) : NULL);
}

static struct cell thread_cell(const void *context, size_t row, unsigned column)
{
	const struct top *t = context;
	const struct top_thread *h = &t->threads[row];
	const struct pl_thread *of = pl_recording_thread(t->r, h->process, h->number);
	const bool still = top_is_still(t, h);

	switch (column) {
	case THREAD_PROCESS:
		return cell_number(h->process);
	case THREAD_NUMBER:
		return cell_number(h->number);
	case THREAD_NAME:
		return cell_text(of && of->name[0] ? of->name : "?");
	case THREAD_STATE:
		return cell_text(still ? "still" : "runs");
	case THREAD_STILL:
		return still ? cell_ns(CELL_NS, t->to_ns - h->last_ns) : (struct cell){0};
	case THREAD_FILE:
		return code_file(h->code);
	case THREAD_LINE:
		return cell_number(h->line);
	case THREAD_CODE:
		return code_name(h->code);
	case THREAD_IN:
		return code_name(h->in);
	default:
		return at_cell(h->code, h->line);
	}
}

/* ---- tasks ---- */

enum {
	TASK_PROCESS,
	TASK_NUMBER,
	TASK_NAME,
	TASK_STATE,
	TASK_STILL,
	TASK_RUN,
	TASK_STRETCHES,
	TASK_FILE,
	TASK_LINE,
	TASK_CODE,
	TASK_SHOWN
};

static const struct column task_columns[] = {
	[TASK_PROCESS] = {"process", "process", 0, 3},
	[TASK_NUMBER] = {"task", "task", 0, 2},
	[TASK_NAME] = {"name", "name", 24, 0},
	[TASK_STATE] = {"state", "state"},
	[TASK_STILL] = {"waits_ns", "for"},
	[TASK_RUN] = {"run_ns", "ran", 0, 4},
	[TASK_STRETCHES] = {"stretches", NULL},
	[TASK_FILE] = {"file", NULL},
	[TASK_LINE] = {"line", NULL},
	[TASK_CODE] = {"code", NULL},
	[TASK_SHOWN] = {NULL, "at"},
	{0},
};

static struct cell task_cell(const void *context, size_t row, unsigned column)
{
	const struct top *t = context;
	const struct top_task *k = &t->tasks[row];

	switch (column) {
	case TASK_PROCESS:
		return cell_number(k->process);
	case TASK_NUMBER:
		return cell_number((int64_t)k->number);
	case TASK_NAME:
		return cell_text(k->name);
	case TASK_STATE:
		return cell_text(k->code ? "waits" : "ran");
	case TASK_STILL:
		return k->code ? cell_ns(CELL_NS, t->to_ns - k->last_ns) : (struct cell){0};
	case TASK_RUN:
		return k->fresh ? cell_ns(CELL_NS, k->run_ns) : (struct cell){0};
	case TASK_STRETCHES:
		return cell_count(k->fresh ? k->stretches : 0);
	case TASK_FILE:
		return code_file(k->code);
	case TASK_LINE:
		return cell_number(k->line);
	case TASK_CODE:
		return code_name(k->code);
	default:
		return at_cell(k->code, k->line);
	}
}

/* ---- exceptions ---- */

enum {
	RAISED_COUNT,
	RAISED_RATE,
	RAISED_TYPE,
	RAISED_END,
	RAISED_PROCESS,
	RAISED_THREAD,
	RAISED_SEQ,
	RAISED_FILE,
	RAISED_LINE,
	RAISED_CODE,
	RAISED_SHOWN
};

static const struct column exception_columns[] = {
	[RAISED_COUNT] = {"count", NULL},
	[RAISED_RATE] = {"count_per_s", "each second"},
	[RAISED_TYPE] = {"type", "exception", 24, 0},
	[RAISED_END] = {"end", "end", 0, 2},
	[RAISED_PROCESS] = {"process", NULL},
	[RAISED_THREAD] = {"last_thread", NULL},
	[RAISED_SEQ] = {"last_seq", NULL},
	[RAISED_FILE] = {"file", NULL},
	[RAISED_LINE] = {"line", NULL},
	[RAISED_CODE] = {"code", NULL},
	[RAISED_SHOWN] = {NULL, "raised at"},
	{0},
};

static const char *const end_words[] = {
	[PL_EXCEPTION_HANDLED] = "handled",
	[PL_EXCEPTION_SWALLOWED] = "swallowed",
	[PL_EXCEPTION_UNHANDLED] = "unhandled",
};

static struct cell exception_cell(const void *context, size_t row, unsigned column)
{
	const struct top *t = context;
	const struct top_exception *x = &t->exceptions[row];

	switch (column) {
	case RAISED_COUNT:
		return cell_count(x->count);
	case RAISED_RATE:
		return cell_count(a_second(t, x->count));
	case RAISED_TYPE:
		return cell_text(x->type);
	case RAISED_END:
		return cell_text(end_words[x->end]);
	case RAISED_PROCESS:
		return cell_number(x->process);
	case RAISED_THREAD:
		return cell_number(x->thread);
	case RAISED_SEQ:
		return cell_number((int64_t)x->seq);
	case RAISED_FILE:
		return code_file(x->code);
	case RAISED_LINE:
		return cell_number(x->line);
	case RAISED_CODE:
		return code_name(x->code);
	default:
		return at_cell(x->code, x->line);
	}
}

/* ---- all of them ---- */

static size_t function_rows(const struct top *t)
{
	return t->functions.count;
}

static size_t line_rows(const struct top *t)
{
	return t->lines.count;
}

static size_t thread_rows(const struct top *t)
{
	return t->thread_count;
}

static size_t task_rows(const struct top *t)
{
	return t->task_count;
}

static size_t exception_rows(const struct top *t)
{
	return t->exception_count;
}

/* `file`, `code`: the columns that a filter looks into, with `name`. */
static const struct {
	const char *name, *type;
	const struct column *columns;
	const char *sort;
	unsigned file, code, other;
	struct cell (*cell)(const void *context, size_t row, unsigned column);
	size_t (*rows)(const struct top *t);
} views[TOP_VIEWS] = {
	[TOP_FUNCTIONS] = {"functions", "function", function_columns, "share", PLACE_FILE,
		PLACE_CODE, PLACE_CODE, function_cell, function_rows},
	[TOP_LINES] = {"lines", "line", line_columns, "share", PLACE_FILE, PLACE_CODE, PLACE_CODE,
		line_cell, line_rows},
	[TOP_THREADS] = {"threads", "thread", thread_columns, "still", THREAD_FILE, THREAD_CODE,
		THREAD_NAME, thread_cell, thread_rows},
	[TOP_TASKS] = {"tasks", "task", task_columns, "waits", TASK_FILE, TASK_CODE, TASK_NAME,
		task_cell, task_rows},
	[TOP_EXCEPTIONS] = {"exceptions", "exception", exception_columns, "count", RAISED_FILE,
		RAISED_CODE, RAISED_TYPE, exception_cell, exception_rows},
};

enum top_view top_view_named(const char *name)
{
	enum top_view view = 0;

	while (view < TOP_VIEWS && strcmp(views[view].name, name) != 0)
		view++;
	return view;
}

const char *top_view_name(enum top_view view)
{
	return views[view].name;
}

const struct column *top_columns(enum top_view view)
{
	return views[view].columns;
}

static bool cell_has(const struct top *t, const struct cell *c)
{
	return c->text && pattern_has(&t->filter, c->text);
}

static bool is_wanted(const struct top *t, enum top_view view, size_t row)
{
	const unsigned columns[] = {views[view].file, views[view].code, views[view].other};

	if (!t->filter.text)
		return true;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		const struct cell cell = views[view].cell(t, row, columns[i]);
		if (cell_has(t, &cell))
			return true;
	}
	return false;
}

#define WANTED(name, view)                                                                         \
	static bool name(const void *context, size_t row)                                          \
	{                                                                                          \
		return is_wanted(context, view, row);                                              \
	}
WANTED(wants_function, TOP_FUNCTIONS)
WANTED(wants_line, TOP_LINES)
WANTED(wants_thread_row, TOP_THREADS)
WANTED(wants_task, TOP_TASKS)
WANTED(wants_exception, TOP_EXCEPTIONS)

static bool (*const wanted[TOP_VIEWS])(const void *, size_t) = {
	[TOP_FUNCTIONS] = wants_function,
	[TOP_LINES] = wants_line,
	[TOP_THREADS] = wants_thread_row,
	[TOP_TASKS] = wants_task,
	[TOP_EXCEPTIONS] = wants_exception,
};

struct sheet top_sheet(const struct top *t, enum top_view view)
{
	return (struct sheet){.type = views[view].type,
		.columns = views[view].columns,
		.cell = views[view].cell,
		.wanted = wanted[view],
		.context = t,
		.rows = views[view].rows(t),
		.sort = t->sorts[view] ? t->sorts[view] : views[view].sort,
		.most = t->rows,
		.indent = 1,
		.gap = 2,
		.thread = PL_ALL_THREADS};
}

bool top_where(const struct top *t, size_t index, struct top_where *where)
{
	const struct sheet s = top_sheet(t, t->view);
	size_t row;

	if (!sheet_row(&s, index, &row))
		return false;
	*where = (struct top_where){.thread = PL_ALL_THREADS};
	if (t->view == TOP_THREADS) {
		const struct top_thread *h = &t->threads[row];
		*where = (struct top_where){.process = h->process, .thread = h->number};
	} else if (t->view == TOP_TASKS) {
		const struct top_task *k = &t->tasks[row];
		where->process = k->process;
		where->code = k->code;
		where->line = k->line;
	} else if (t->view == TOP_EXCEPTIONS) {
		const struct top_exception *x = &t->exceptions[row];
		*where = (struct top_where){
			.process = x->process, .thread = x->thread, .seq = x->seq};
	} else {
		const struct top_places *all = t->view == TOP_LINES ? &t->lines : &t->functions;
		where->process = all->rows[row].process;
		where->code = all->rows[row].code;
		where->line = all->rows[row].line;
	}
	return true;
}
