/* pathline report --functions --by ARGUMENT: the calls of functions by the value of an argument;
 * without it, of those that an expression selects. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/groups.h"
#include "cmd/report.h"
#include "cmd/values.h"
#include "expr/taken_out.h"

#define RESULTS_BYTES 320

enum {
	BY_SHARE,
	BY_TOTAL,
	BY_ERROR,
	BY_CALLS,
	BY_AVG,
	BY_MAX,
	BY_RAISED,
	BY_FILE,
	BY_LINE,
	BY_CODE,
	BY_ID,
	BY_OTHERS,
	BY_VALUE,
	BY_RESULTS,
	BY_PLACE
};

const struct column report_by_columns[] = {
	[BY_SHARE] = {"share", "share"},
	[BY_TOTAL] = {"cumulated_ns", "with calls"},
	[BY_ERROR] = {"error_ns", "error", 0, 2},
	[BY_CALLS] = {"calls", "calls"},
	[BY_AVG] = {"avg_ns", "avg", 0, 4},
	[BY_MAX] = {"max_ns", "max", 0, 5},
	[BY_RAISED] = {"raised", "raised", 0, 6},
	[BY_FILE] = {"file", NULL},
	[BY_LINE] = {"line", NULL},
	[BY_CODE] = {"code", NULL},
	[BY_ID] = {"id", NULL},
	[BY_OTHERS] = {"others", NULL},
	[BY_VALUE] = {"value", "value", 32, 0},
	[BY_RESULTS] = {"results", "results", 40, 3},
	[BY_PLACE] = {NULL, "function"},
	{0},
};

struct by_rows {
	const struct report *w;
	const struct groups *groups;
	char (*results)[RESULTS_BYTES]; /* owned, of each */
};

/* "9.0 × 3, !! SoldOut, … 4 others" */
static void results_text(const struct group *g, char text[RESULTS_BYTES])
{
	size_t used = 0;

	text[0] = 0;
	for (int i = 0; i < GROUP_RESULTS && g->results[i].count; i++) {
		used += (size_t)snprintf(text + used, RESULTS_BYTES - used, "%s%s", i ? ", " : "",
			g->results[i].text);
		if (g->results[i].count > 1 && used < RESULTS_BYTES)
			used += (size_t)snprintf(text + used, RESULTS_BYTES - used, " × %" PRIu64,
				g->results[i].count);
		if (used >= RESULTS_BYTES)
			return;
	}
	if (g->other_results)
		snprintf(text + used, RESULTS_BYTES - used, ", … %" PRIu64 " other%s",
			g->other_results, g->other_results == 1 ? "" : "s");
}

static struct cell by_cell(const void *context, size_t row, unsigned column)
{
	const struct by_rows *rows = context;
	const struct group *g = rows->groups->all[row];

	switch (column) {
	case BY_SHARE:
		return cell_share(rows->w, g->total_ns);
	case BY_TOTAL:
		return cell_ns(CELL_NS, g->total_ns);
	case BY_ERROR:
		return cell_ns(CELL_ERROR,
			g->too_high_ns > g->too_low_ns ? g->too_high_ns : g->too_low_ns);
	case BY_CALLS:
		return cell_count(g->calls);
	case BY_AVG:
		return cell_average(g->total_ns, g->ended);
	case BY_MAX:
		return g->ended ? cell_ns(CELL_NS, g->most_ns) : (struct cell){0};
	case BY_RAISED:
		return cell_count(g->raised);
	case BY_FILE:
		return cell_file(g->code);
	case BY_LINE:
		return cell_number(pl_code_first_line(g->code));
	case BY_CODE:
		return cell_code(g->code);
	case BY_ID:
		return cell_code_id(g->code);
	case BY_OTHERS:
		return cell_text(g->others ? "true" : "false");
	case BY_VALUE:
		return cell_text(rows->w->by ? g->value : NULL);
	case BY_RESULTS:
		return cell_text(rows->results[row][0] ? rows->results[row] : NULL);
	default:
		return cell_function(g->code);
	}
}

static bool by_wanted(const void *context, const struct pl_code *code)
{
	const struct report *w = context;

	return report_wants(w, code, 0);
}

static int gather(struct report *w, struct groups *g)
{
	const struct pl_process *p = pl_recording_find_process(w->r, w->range.process);
	struct pl_err err = {0};
	int code = 0;

	for (uint32_t n = 0; code == 0 && n < p->thread_count; n++)
		if (!w->range.one_thread || n == w->range.thread)
			code = groups_add(g, p->number, n, &err);
	if (code < 0)
		cmd_say("report: process %" PRIu32 ": %s", p->number,
			err.used ? pl_err_text(&err) : pl_error_name(code));
	return code < 0 ? CMD_BAD : CMD_GO;
}

static int show_groups(struct report *w, struct groups *g)
{
	struct column columns[sizeof report_by_columns / sizeof *report_by_columns];
	memcpy(columns, report_by_columns, sizeof columns);
	if (!w->by)
		columns[BY_VALUE].title = NULL;
	struct sheet s = report_sheet(w, w->by ? "group" : "function", columns);
	struct by_rows rows = {
		.w = w, .groups = g, .results = calloc(g->count + 1, sizeof *rows.results)};

	if (!rows.results) {
		cmd_say("report: no memory for %zu rows", g->count);
		return CMD_BAD;
	}
	for (size_t i = 0; i < g->count; i++)
		results_text(g->all[i], rows.results[i]);
	s.cell = by_cell;
	s.context = &rows;
	s.rows = g->count;
	report_title(w, w->by ? "functions by" : "functions: calls where",
		w->by ? w->by : w->filter_text);
	const int code = report_show(w, &s);
	free(rows.results);
	return code;
}

/* What is asked for by name must be somewhere; that is said at the end, as of --function. */
int report_by(struct report *w)
{
	struct groups g = {.r = w->r,
		.by = w->by ? &w->by_path : NULL,
		.filter = w->of_calls ? &w->filter : NULL,
		.wanted = by_wanted,
		.context = w,
		.from_ns = w->range.from_ns,
		.to_ns = w->range.to_ns ? w->range.to_ns : INT64_MAX};
	int code = gather(w, &g);

	groups_sort(&g);
	w->found |= w->of_calls ? g.count > 0 : g.some;
	if (code == CMD_GO && (w->of_calls ? g.count > 0 : g.some))
		code = show_groups(w, &g);
	groups_release(&g);
	return code;
}

int report_read_by(struct report *w)
{
	struct pl_err err = {0};

	if (!w->by)
		return CMD_GO;
	if (value_path_read(&w->by_path, w->by, &err)) {
		cmd_say("report: --by: %s", pl_err_text(&err));
		return CMD_USAGE;
	}
	if (values_there(w->r))
		return CMD_GO;
	if (values_taken_out(w->r))
		cmd_say("report: --by needs values; " VALUES_TAKEN_OUT);
	else
		cmd_say("report: --by needs values, which this recording has not; `pathline record "
			"--values calls` keeps them");
	return CMD_USAGE;
}
