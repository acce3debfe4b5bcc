/* pathline report: which rows are chosen, by --file, --function and --filter.
 *
 * A report is made of counts, which know a process, a thread, a code and a line. What else an
 * expression can ask about belongs to single calls and events, and is refused.
 */
#include "cmd/report.h"

#define COUNTED (EXPR_CODE | EXPR_LINE | EXPR_THREAD)

int report_read_filter(struct report *w)
{
	const int code = expression_read(&w->filter, "report", w->filter_text, w->r);

	if (code != CMD_GO || !w->filter.expr)
		return code;
	if (w->filter.needs & ~(uint32_t)COUNTED) {
		cmd_say("report: --filter: a report knows process, thread, module, file, func and "
			"line; for other fields there is `pathline calls --filter`, for times "
			"--from and --to");
		return CMD_USAGE;
	}
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

	return !w->filter.expr || expr_ask(w->filter.expr, &s) == EXPR_YES;
}

bool report_wants(const struct report *w, const struct pl_code *code, int32_t line)
{
	if (!report_chooses(w))
		return true;
	return code && (!w->file || name_is_file(pl_code_file(code), w->file)) &&
	       (!w->function || name_is_code(code, w->function)) && passes_filter(w, code, line);
}
