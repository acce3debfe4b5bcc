/* pathline report: by function, and who calls whom. */
#include "cmd/report.h"

enum {
	FN_SHARE, /* its times and calls */
	FN_OWN,
	FN_COMPUTING,
	FN_WAITING,
	FN_CUMULATED,
	FN_ERROR,
	FN_CALLS,
	FN_RESUMES,
	FN_THROWS,
	FN_AVG,
	FN_MAX, /* its longest call, as enum longest_column */
	FN_MAX_ERROR,
	FN_MAX_AT,
	FN_MAX_THREAD,
	FN_MAX_SEQ,
	FN_SAMPLES,
	FN_FILE, /* where it is */
	FN_FILE_ID,
	FN_LINE,
	FN_CODE,
	FN_ID,
	FN_PLACE
};

const struct column report_function_columns[] = {
	[FN_SHARE] = {"share", "share"},
	[FN_OWN] = {"own_ns", "own"},
	[FN_COMPUTING] = {"computing_ns", NULL},
	[FN_WAITING] = {"waiting_ns", "waiting", 0, 3},
	[FN_CUMULATED] = {"cumulated_ns", "with calls"},
	[FN_ERROR] = {"error_ns", "error", 0, 7},
	[FN_CALLS] = {"calls", "calls"},
	[FN_RESUMES] = {"resumes", "resumes", 0, 6},
	[FN_THROWS] = {"throws", "throws", 0, 9},
	[FN_AVG] = {"avg_ns", "avg", 0, 4},
	[FN_MAX] = {"max_ns", "max", 0, 5},
	[FN_MAX_ERROR] = {"max_error_ns", NULL},
	[FN_MAX_AT] = {"max_at", NULL},
	[FN_MAX_THREAD] = {"max_thread", NULL},
	[FN_MAX_SEQ] = {"max_seq", NULL},
	[FN_SAMPLES] = {"samples", NULL},
	[FN_FILE] = {"file", NULL},
	[FN_FILE_ID] = {"file_id", NULL},
	[FN_LINE] = {"line", NULL},
	[FN_CODE] = {"code", NULL},
	[FN_ID] = {"id", "id", 0, 8},
	[FN_PLACE] = {NULL, "function"},
	{0},
};

static struct cell function_time_cell(
	const struct report *w, const struct pl_profile_function *f, unsigned column)
{
	switch (column) {
	case FN_SHARE:
		return cell_share(w, f->computing_ns + f->waiting_ns);
	case FN_OWN:
		return cell_ns(CELL_NS, f->computing_ns + f->waiting_ns);
	case FN_COMPUTING:
		return cell_ns(CELL_NS, f->computing_ns);
	case FN_WAITING:
		return cell_waiting(w, f->waiting_ns, f->computing_ns, f->samples);
	case FN_CUMULATED:
		return cell_ns(CELL_NS, f->cumulated_ns);
	case FN_ERROR:
		return cell_ns(CELL_ERROR, f->error_ns);
	case FN_CALLS:
		return cell_count(f->calls);
	case FN_RESUMES:
		return cell_count(f->resumes);
	case FN_THROWS:
		return cell_count(f->throws);
	default:
		return cell_average(f->cumulated_ns, f->calls);
	}
}

static struct cell function_place_cell(const struct pl_profile_function *f, unsigned column)
{
	switch (column) {
	case FN_FILE:
		return cell_file(f->code);
	case FN_FILE_ID:
		return cell_file_id(f->code);
	case FN_LINE:
		return f->code ? cell_ns(CELL_NUMBER, pl_code_first_line(f->code))
			       : (struct cell){0};
	case FN_CODE:
		return cell_code(f->code);
	case FN_ID:
		return cell_code_id(f->code);
	default:
		return cell_function(f->code);
	}
}

static struct cell function_cell(const void *context, size_t row, unsigned column)
{
	const struct report *w = context;
	const struct pl_profile_function *f = &w->t->functions[row];

	switch (column) {
	case FN_MAX:
	case FN_MAX_ERROR:
	case FN_MAX_AT:
	case FN_MAX_THREAD:
		return cell_longest(&f->longest, column - FN_MAX);
	case FN_MAX_SEQ:
		return cell_longest_seq(w, row, &f->longest, f->code, 0);
	case FN_SAMPLES:
		return cell_count(f->samples);
	default:
		return column < FN_MAX ? function_time_cell(w, f, column)
				       : function_place_cell(f, column);
	}
}

static bool function_wanted(const void *context, size_t row)
{
	const struct report *w = context;
	const struct pl_code *code = w->t->functions[row].code;

	if (!code && w->form == SHEET_TEXT)
		return false; /* report_rest says it */
	return report_wants(w, code, 0);
}

int report_functions(struct report *w)
{
	struct sheet s = report_sheet(w, "function", report_function_columns);
	bool any = false;

	s.cell = function_cell;
	s.wanted = function_wanted;
	s.rows = w->t->function_count;
	for (size_t i = 0; i < s.rows && !any; i++)
		any = function_wanted(w, i);
	w->found |= any;
	if (!any && report_chooses(w))
		return CMD_GO;
	report_title(w, "functions", NULL);
	int code = report_show(w, &s);
	report_rest(w);
	return code;
}

/* ---- calls ---- */

enum {
	CALL_SHARE,
	CALL_CUMULATED,
	CALL_CALLS,
	CALL_RESUMES,
	CALL_THROWS,
	CALL_AVG,
	CALL_CALLER_FILE,
	CALL_CALLER_LINE,
	CALL_CALLER,
	CALL_CALLER_ID,
	CALL_CALLEE_FILE,
	CALL_CALLEE,
	CALL_CALLEE_ID,
	CALL_NAME,
	CALL_PLACE
};

#define CALL_COLUMNS                                                                               \
	[CALL_SHARE] = {"share", "share"}, [CALL_CUMULATED] = {"cumulated_ns", "time"},            \
	[CALL_CALLS] = {"calls", "calls"}, [CALL_RESUMES] = {"resumes", "resumes", 0, 8},          \
	[CALL_THROWS] = {"throws", "throws", 0, 9}, [CALL_AVG] = {"avg_ns", "avg", 0, 7},          \
	[CALL_CALLER_FILE] = {"caller_file", NULL}, [CALL_CALLER_LINE] = {"caller_line", NULL},    \
	[CALL_CALLER] = {"caller", NULL}, [CALL_CALLER_ID] = {"caller_id", NULL},                  \
	[CALL_CALLEE_FILE] = {"callee_file", NULL}, [CALL_CALLEE] = {"callee", NULL},              \
	[CALL_CALLEE_ID] = {"callee_id", NULL}

const struct column report_caller_columns[] = {
	CALL_COLUMNS,
	[CALL_NAME] = {NULL, "caller", 28, 0},
	[CALL_PLACE] = {NULL, "line"},
	{0},
};
const struct column report_callee_columns[] = {
	CALL_COLUMNS,
	[CALL_NAME] = {NULL, "callee", 28, 0},
	[CALL_PLACE] = {NULL, "called at"},
	{0},
};

static struct cell call_cell(const struct report *w, size_t row, unsigned column, bool callers)
{
	const struct pl_profile_call *c = &w->t->calls[row];

	switch (column) {
	case CALL_SHARE:
		return cell_share(w, c->cumulated_ns);
	case CALL_CUMULATED:
		return cell_ns(CELL_NS, c->cumulated_ns);
	case CALL_CALLS:
		return cell_count(c->calls);
	case CALL_RESUMES:
		return cell_count(c->resumes);
	case CALL_THROWS:
		return cell_count(c->throws);
	case CALL_AVG:
		return cell_average(c->cumulated_ns, c->calls);
	case CALL_CALLER_FILE:
		return cell_file(c->caller);
	case CALL_CALLER_LINE:
		return c->caller ? cell_ns(CELL_NUMBER, c->line) : (struct cell){0};
	case CALL_CALLER:
		return cell_code(c->caller);
	case CALL_CALLER_ID:
		return cell_code_id(c->caller);
	case CALL_CALLEE_FILE:
		return cell_file(c->callee);
	case CALL_CALLEE:
		return cell_code(c->callee);
	case CALL_CALLEE_ID:
		return cell_code_id(c->callee);
	case CALL_NAME:
		return callers ? cell_text(c->caller ? pl_code_name(c->caller) : "(no Python)")
			       : cell_code(c->callee);
	default:
		return c->caller ? cell_place(w, c->caller, c->line) : cell_text("-");
	}
}

static struct cell caller_cell(const void *context, size_t row, unsigned column)
{
	return call_cell(context, row, column, true);
}

static struct cell callee_cell(const void *context, size_t row, unsigned column)
{
	return call_cell(context, row, column, false);
}

/* Rows are calls, of a caller and a callee: --callers wants those of one callee, --callees those of
 * one caller. */
static bool caller_wanted(const void *context, size_t row)
{
	const struct report *w = context;

	return name_is_code(w->t->calls[row].callee, w->callers);
}

static bool callee_wanted(const void *context, size_t row)
{
	const struct report *w = context;
	const struct pl_code *caller = w->t->calls[row].caller;

	return caller && name_is_code(caller, w->callees);
}

/* Did it run in the process or thread of this table? One in which it did not has no table. */
static bool has_run(struct report *w, const char *word)
{
	for (size_t i = 0; i < w->t->function_count; i++)
		if (w->t->functions[i].code && name_is_code(w->t->functions[i].code, word)) {
			w->found = true;
			return true;
		}
	return false;
}

/* A head without rows would leave open whether something is missing. */
static int show_calls(struct report *w, const struct sheet *s, const char *none)
{
	const int code = report_show(w, s);

	for (size_t i = 0; i < s->rows; i++)
		if (s->wanted(s->context, i))
			return code;
	report_note(w, none);
	return code;
}

int report_callers(struct report *w)
{
	struct sheet s = report_sheet(w, "caller", report_caller_columns);

	s.cell = caller_cell;
	s.wanted = caller_wanted;
	s.rows = w->t->call_count;
	if (!has_run(w, w->callers))
		return CMD_OK;
	report_title(w, "callers of", w->callers);
	return show_calls(w, &s, "No call of it was recorded.");
}

int report_callees(struct report *w)
{
	struct sheet s = report_sheet(w, "callee", report_callee_columns);

	s.cell = callee_cell;
	s.wanted = callee_wanted;
	s.rows = w->t->call_count;
	if (!has_run(w, w->callees))
		return CMD_OK;
	report_title(w, "callees of", w->callees);
	return show_calls(w, &s, "It called no function that was recorded.");
}
