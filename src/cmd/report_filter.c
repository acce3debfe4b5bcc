/* pathline report: which rows are chosen, by --file, --function and --filter.
 *
 * Most views are made of counts, which know a process, a thread, a code and a line. If an
 * expression asks for more, what it is about is gone through instead: lines that run, calls of
 * functions. What no row of a view can be counted by is refused.
 */
#include <string.h>
#include "cmd/report.h"

#define COUNTED (EXPR_CODE | EXPR_LINE | EXPR_THREAD)

static int refuse_times(void)
{
	cmd_say("report: --filter: --exceptions are counted by type and place; for times, "
		"arguments and messages there is `pathline dump --filter \"event == 'raise' and "
		"...\"%s`",
		cmd_recording());
	return CMD_USAGE;
}

static int refuse_of_lines(void)
{
	cmd_say("report: --filter: a line has no duration, result or exception; --functions "
		"counts the calls that have, as `pathline calls --filter EXPR%s` shows them",
		cmd_recording());
	return CMD_USAGE;
}

/* The rows have the types, and where exceptions arose. */
static int check_exception_filter(const struct expr *e)
{
	static const char *const known[] = {"process", "pid", "thread", "tid", "module", "file",
		"func", "line", "exception", "event", NULL};
	const struct expr_field_row *row;

	for (size_t i = 0; (row = expr_field_row(i)); i++) {
		size_t k = 0;
		while (known[k] && strcmp(known[k], row->word))
			k++;
		if (!known[k] && expr_reads(e, row->word))
			break;
	}
	return !row && !expr_reads_parts(e) ? CMD_GO : refuse_times();
}

int report_read_filter(struct report *w)
{
	const int code = expression_read(&w->filter, "report", w->filter_text, w->r);
	const struct expr *e = w->filter.expr;

	if (code != CMD_GO || !e)
		return code;
	if (w->exceptions)
		return check_exception_filter(e);
	const bool more = w->filter.needs & ~(uint32_t)COUNTED;
	w->of_calls = more && (w->functions || w->by);
	w->of_hits = more && !w->of_calls;
	if (w->of_hits && (expr_reads(e, "duration") || expr_reads(e, "result") ||
				  expr_reads(e, "exception")))
		return refuse_of_lines();
	if (w->filter.needs & EXPR_LINE && (w->functions || w->by)) {
		cmd_say("report: --filter: functions are shown as a whole; a condition on line "
			"chooses lines, so leave out %s",
			w->by ? "--by" : "--functions");
		return CMD_USAGE;
	}
	return CMD_GO;
}

bool report_chooses(const struct report *w)
{
	return w->file || w->function || w->filter.expr;
}

bool report_by_thread(const struct report *w)
{
	return w->selection.thread || w->filter.needs & EXPR_THREAD;
}

bool report_wants_thread(struct report *w, const struct pl_process *p, const struct pl_thread *t)
{
	return select_thread(&w->selection, w->r, t) &&
	       (!w->filter.expr || expr_may_thread(w->filter.expr, p, t));
}

static bool passes_filter(const struct report *w, const struct pl_code *code, int32_t line)
{
	const struct pl_times_range *range = &w->range;
	const struct expr_subject s = {
		.scope = EXPR_OF_EVENT,
		.known = EXPR_CODE | EXPR_THREAD | (line > 0 ? EXPR_LINE : 0),
		.code = code,
		.line = line,
		.process = pl_recording_find_process(w->r, range->process),
		.thread = range->one_thread
				  ? pl_recording_thread(w->r, range->process, range->thread)
				  : NULL,
	};

	if (!w->filter.expr)
		return true;
	if (w->of_calls)
		return expr_may_code(w->filter.expr, EXPR_OF_CALL, code);
	return expr_ask(w->filter.expr, &s) == EXPR_YES;
}

bool report_wants_place(const struct report *w, const struct pl_code *code)
{
	return code && (!w->file || name_is_file(pl_code_file(code), w->file)) &&
	       (!w->function || name_is_code(code, w->function));
}

bool report_wants(const struct report *w, const struct pl_code *code, int32_t line)
{
	return !report_chooses(w) || (report_wants_place(w, code) && passes_filter(w, code, line));
}

bool report_wants_exception(const struct report *w, const struct pl_profile_exception *x)
{
	const struct pl_times_range *range = &w->range;
	const struct expr_subject s = {
		.scope = EXPR_OF_EVENT,
		.known = EXPR_KIND | EXPR_CODE | EXPR_LINE | EXPR_THREAD | EXPR_END,
		.kind = PL_EVENT_RAISE,
		.end_kind = PL_EVENT_RAISE,
		.code = x->raised,
		.line = x->raised_line,
		.process = pl_recording_find_process(w->r, range->process),
		.thread = pl_recording_thread(w->r, range->process, x->last_thread),
		.type = x->type,
		.duration_ns = EXPR_NO_DURATION,
	};

	return !w->filter.expr || expr_ask(w->filter.expr, &s) == EXPR_YES;
}
