/* pathline report: where the time went, as a profiler shows it, from the exact path. The views
 * asked for decide what is gathered. Each view shows it for a process, or for each of its selected
 * threads:
 *
 *	for each range (a process, or a thread of it)
 *	    pl_profile_new      goes along the path once, for all that the views need
 *	    the asked view      a sheet (sheet.h): its columns, its cells, its order
 *	--flame, --collapsed    one picture of all ranges, at the end
 *
 * A name that is not found in any range is said once, at the end (w->found).
 */
#define _GNU_SOURCE
#include "cmd/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/units.h"
#include "cmd/follow.h"
#include "cmd/page.h"
#include "cmd/progress.h"

#define ROWS_DEFAULT	  20
#define THRESHOLD_DEFAULT 0.01

/* ---- views ---- */

/* Does --file mean the whole file, annotated? Yes, if no other option is about its rows. */
static bool wants_file(const struct report *w)
{
	return w->file && !w->function && !w->filter_text && !w->sort && !w->rows_text &&
	       !w->json && !w->csv && !w->functions && !w->by;
}

/* A view, and whether it is asked for. */
struct view {
	const char *option; /* NULL: the lines, shown if no other view is asked for */
	int (*show)(struct report *w);
	bool asked;
	const struct column *columns; /* what --sort can name; NULL: the view has a fixed order */
	bool by_place;		      /* --file and --function select its rows */
};

#define VIEWS 10

/* The lines are what a user wants who asks for nothing else; --flame alone prints nothing. */
static void list_views(const struct report *w, struct view views[VIEWS])
{
	const bool calls = w->by || w->of_calls;
	const struct view all[VIEWS] = {
		{w->by ? "--by" : "--functions", calls ? report_by : report_functions,
			w->functions || w->by, calls ? report_by_columns : report_function_columns,
			true},
		{"--callers", report_callers, w->callers, report_caller_columns, false},
		{"--callees", report_callees, w->callees, report_callee_columns, false},
		{"--tree", report_tree, w->tree, NULL, false},
		{"--tasks", report_tasks, w->tasks, report_task_columns, false},
		{"--blocking", report_blocking, w->blocking_text, NULL, false},
		{"--exceptions", report_exceptions, w->exceptions, report_exception_columns, false},
		{"--requests", report_requests, w->requests, report_request_columns, false},
		{"--file", report_file, wants_file(w), report_line_columns, true},
		{NULL, w->of_hits ? report_hits : report_lines, false,
			w->of_hits ? report_hit_columns : report_line_columns, true},
	};
	bool any = w->flame || w->collapsed;

	memcpy(views, all, sizeof all);
	for (int i = 0; i < VIEWS; i++)
		any |= views[i].asked;
	views[VIEWS - 1].asked = !any;
}

/* Only one view is printed. --flame writes a separate file and can be combined with one. */
static int check_views(const struct report *w)
{
	struct view views[VIEWS];
	const struct view *asked = NULL;

	list_views(w, views);
	for (int i = 0; i < VIEWS; i++) {
		if (!views[i].asked)
			continue;
		if (asked || w->collapsed) {
			cmd_say("report: %s and %s are two views; give one of them",
				w->collapsed ? "--collapsed" : asked->option, views[i].option);
			return CMD_USAGE;
		}
		asked = &views[i];
	}
	const char *name = !asked ? w->collapsed ? "--collapsed" : "--flame" : asked->option;
	const bool filters = w->filter_text && !(asked && asked->show == report_exceptions);
	if ((w->file || w->function || filters) && !(asked && asked->by_place)) {
		cmd_say("report: %s cannot be used with %s; it chooses lines and functions",
			w->file	      ? "--file"
			: w->function ? "--function"
				      : "--filter",
			name);
		return CMD_USAGE;
	}
	if (w->sort && asked && asked->columns)
		return sheet_check_sort("report", asked->columns, w->sort);
	if (w->sort) {
		cmd_say("report: --sort cannot be used with %s, which has its own order", name);
		return CMD_USAGE;
	}
	return CMD_GO;
}

/* What the sheets of all views have in common; a view fills in its cells and rows. */
struct sheet report_sheet(const struct report *w, const char *type, const struct column *columns)
{
	return (struct sheet){.type = type,
		.columns = columns,
		.context = w,
		.sort = w->sort,
		.most = w->rows,
		.indent = 1,
		.gap = 2,
		.process = w->range.process,
		.thread = w->range.one_thread ? w->range.thread : PL_ALL_THREADS};
}

/* CSV of several ranges is one table, with one head. */
int report_show(struct report *w, const struct sheet *s)
{
	struct sheet sheet = *s;

	sheet.headless = w->headless;
	int code = sheet_write(&sheet, &w->out, w->form);
	w->headless = w->form == SHEET_CSV;
	if (w->form != SHEET_TEXT)
		return code;
	out_char(&w->out, '\n');
	if (code == CMD_GO)
		report_more(w, sheet_hidden(s));
	return code;
}

/* ---- a range ---- */

static bool report_progress(void *context, double done)
{
	progress_show(context, done);
	return !follow_stopped;
}

/* --flame and --collapsed show all ranges together, so their profiles are kept. */
static int keep_profile(struct report *w, struct pl_profile *p)
{
	const struct pl_process *process = pl_recording_find_process(w->r, w->range.process);
	struct pl_profile **profiles =
		realloc(w->profiles, (w->profile_count + 1) * sizeof *profiles);
	if (profiles)
		w->profiles = profiles;
	char **labels = realloc(w->labels, (w->profile_count + 1) * sizeof *labels), *label = NULL;
	if (labels)
		w->labels = labels;
	if (!profiles || !labels ||
		asprintf(&label,
			w->range.one_thread ? "process %u thread %u: %s" : "process %u%.0u: %s",
			w->range.process, w->range.one_thread ? w->range.thread : 0,
			process->command) < 0) {
		pl_profile_free(p);
		return PL_ERR_MEMORY;
	}
	w->profiles[w->profile_count] = p;
	w->labels[w->profile_count++] = label;
	return tree_add(&w->whole, pl_profile_tables(p), label);
}

/* Once for a range; a view that fails ends the report, after what was printed. */
static void show_views(struct report *w)
{
	struct view views[VIEWS];

	uint64_t most = !w->rows_text ? ROWS_DEFAULT : w->rows ? w->rows : UINT64_MAX;

	list_views(w, views);
	w->seq_most = &most;
	w->seqs = calloc(w->t->line_count + w->t->function_count + 1, sizeof *w->seqs);
	if (!w->seqs) {
		w->code = CMD_BAD;
		cmd_say("report: no memory for %zu lines", w->t->line_count);
	}
	for (int i = 0; i < VIEWS && w->code == CMD_OK; i++) {
		int code = views[i].asked ? views[i].show(w) : CMD_GO;
		if (code != CMD_GO)
			w->code = code;
	}
	free(w->seqs);
	w->seqs = NULL;
	w->seq_most = NULL;
}

/* One range: go along its path, then show it. The pager is started only now, so that the progress
 * is not written into its screen. */
static void report_range(struct report *w)
{
	struct progress progress = progress_begin();
	struct pl_profile_wanted wanted = {.range = w->range,
		.tasks = w->tasks,
		.exceptions = w->exceptions,
		.blocking_ns = w->blocking_ns,
		.progress = report_progress,
		.context = &progress};
	struct pl_profile *p = NULL;
	struct pl_err err = {0};

	int result = pl_profile_new(&p, w->r, &wanted, &err);
	progress_end(&progress);
	if (result == 0) {
		w->t = pl_profile_tables(p);
		w->some |= w->t->line_count > 0;
		page_start(w->cmd, &w->out);
		show_views(w);
		if (!w->flame && !w->collapsed)
			pl_profile_free(p);
		else
			result = keep_profile(w, p);
	}
	if (result < 0) {
		w->code = CMD_BAD;
		cmd_say("report: process %" PRIu32 ": %s", w->range.process,
			err.used ? pl_err_text(&err) : pl_error_name(result));
	}
}

static void report_process(struct report *w, const struct pl_process *p)
{
	w->range = (struct pl_times_range){.process = p->number,
		.from_ns = w->selection.from.time_ns,
		.to_ns = w->selection.to.time_ns};
	if (!report_by_thread(w)) {
		report_range(w);
		return;
	}
	w->range.one_thread = true;
	for (uint32_t n = 0; n < p->thread_count && w->code == CMD_OK; n++) {
		const struct pl_thread *t = pl_recording_thread(w->r, p->number, n);
		w->range.thread = n;
		if (t && report_wants_thread(w, p, t))
			report_range(w);
	}
}

/* Only at the end it is known that no range has it. */
static int check_found(struct report *w)
{
	const char *function = w->callers ? w->callers : w->callees ? w->callees : w->function;

	if (w->found || (!function && !w->file && !w->by && !w->filter.expr))
		return CMD_GO;
	if (w->filter.expr) {
		char why[EXPRESSION_WHY_BYTES];
		expression_why(&w->filter, w->r, why);
		cmd_say("report: nothing that ran in what was asked for is selected%s", why);
		return CMD_NOTHING;
	}
	if (w->by) {
		cmd_say("report: --by: no function%s%s%s that ran in what was asked for has an "
			"argument of the name of '%s'",
			w->function ? " '" : "", w->function ? w->function : "",
			w->function ? "'" : "", w->by);
		return CMD_NOTHING;
	}
	if (function)
		cmd_say("report: no function '%s'%s%s%s ran in what was asked for; "
			"`pathline report --functions -n 0%s` lists those that did",
			function, w->file ? " of a file '" : "", w->file ? w->file : "",
			w->file ? "'" : "", cmd_recording());
	else
		cmd_say("report: no line of a file '%s' ran in what was asked for; "
			"`pathline report -n 0%s` lists those that did",
			w->file, cmd_recording());
	return CMD_NOTHING;
}

/* Heads without rows leave open why there are none: a time can be mistyped. */
static void report_says_nothing(const struct report *w)
{
	const struct selection *s = &w->selection;
	char range[SELECT_RANGE_BYTES];
	struct pl_recording_info info;

	if (w->some || (!s->from_text && !s->to_text))
		return;
	pl_recording_info(w->r, &info);
	select_range(&info, range);
	if (s->from_text)
		cmd_say("report: no line ran from %s %s%s; the recording is from %s", s->from_text,
			s->to_text ? "to " : "on", s->to_text ? s->to_text : "", range);
	else
		cmd_say("report: no line ran up to %s; the recording is from %s", s->to_text,
			range);
}

void report_ranges(struct report *w)
{
	if (w->requests) {
		const int code = report_requests(w);
		w->code = code == CMD_GO ? CMD_OK : code;
		return;
	}
	for (uint32_t i = 0;
		i < pl_recording_process_count(w->r) && !w->out.error && w->code == CMD_OK; i++) {
		const struct pl_process *p = pl_recording_process(w->r, i);
		if (select_process(&w->selection, w->r, p))
			report_process(w, p);
	}
	if (w->code == CMD_OK && (w->flame || w->collapsed))
		w->code = report_whole(w);
}

int report_conclude(struct report *w)
{
	if (w->code == CMD_OK) {
		int code = check_found(w);
		w->code = code == CMD_GO ? CMD_OK : code;
	}
	if (w->code == CMD_OK)
		report_says_nothing(w);
	if (w->code == CMD_OK)
		report_say_missing(w);
	if (w->code == CMD_OK)
		w->code = cmd_say_damages("report", w->r, 0);
	return w->code;
}

static int report_all(struct report *w)
{
	report_ranges(w);
	return report_conclude(w);
}

/* ---- the words ---- */

/* 0 is all. */
static int read_rows(struct report *w)
{
	const char *text = w->rows_text;
	char *end = NULL;

	w->rows = w->csv ? 0 : ROWS_DEFAULT;
	if (!text)
		return CMD_GO;
	errno = 0;
	w->rows = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return CMD_GO;
	cmd_say("report: '%s' is not a number of rows", text);
	return CMD_USAGE;
}

/* A number and its unit, which is needed: 50 could be meant as ms or s. */
static int read_blocking(struct report *w)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
	char *end = NULL;

	if (!w->blocking_text)
		return CMD_GO;
	double v = strtod(w->blocking_text, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (end != w->blocking_text && !strcmp(end, units[i].name) &&
			v * units[i].ns >= 1 && v * units[i].ns < 9e18) {
			w->blocking_ns = (int64_t)(v * units[i].ns);
			return CMD_GO;
		}
	cmd_say("report: '%s' is not a duration; give one such as 50ms or 2s", w->blocking_text);
	return CMD_USAGE;
}

static int read_threshold(struct report *w)
{
	const char *text = w->threshold_text;
	char *end = NULL;

	w->threshold = THRESHOLD_DEFAULT;
	if (!text)
		return CMD_GO;
	w->threshold = strtod(text, &end) / 100;
	if (end != text && (!*end || !strcmp(end, "%")) && w->threshold >= 0 && w->threshold <= 1)
		return CMD_GO;
	cmd_say("report: '%s' is not a share; give one such as 1%%", text);
	return CMD_USAGE;
}

/* All that can be refused is refused here, before the pager is opened and anything is read at
 * length. */
static int report_prepare(struct report *w)
{
	int code = read_rows(w);

	if (code == CMD_GO)
		code = read_blocking(w);
	if (code == CMD_GO)
		code = read_threshold(w);
	if (code == CMD_GO && w->json && w->csv) {
		cmd_say("report: --json and --csv cannot be used together");
		return CMD_USAGE;
	}
	w->form = w->json ? SHEET_JSON : w->csv ? SHEET_CSV : SHEET_TEXT;
	w->selection.command = "report";
	w->selection.times_only = true;
	w->cmd->no_pager |= w->follows;
	if (code == CMD_GO && w->follows)
		code = report_check_follow(w);
	if (code == CMD_GO)
		code = select_read(&w->selection, w->r);
	if (code == CMD_GO)
		code = report_read_filter(w);
	if (code == CMD_GO)
		code = check_views(w);
	if (code == CMD_GO)
		code = report_read_by(w);
	if (code == CMD_GO)
		code = page_open(w->cmd, &w->out, w->form == SHEET_TEXT && !w->collapsed);
	return code;
}

static void report_release(struct report *w)
{
	tree_release(&w->whole);
	expression_release(&w->filter);
	for (size_t i = 0; i < w->profile_count; i++) {
		pl_profile_free(w->profiles[i]);
		free(w->labels[i]);
	}
	free(w->profiles);
	free(w->labels);
	pl_recording_close(w->r);
}

static const char about[] =
	"Say where the time went: the lines with the most of it. Hits and calls are exact; how\n"
	"time is shared between lines is sampled, and has its error (±).";

/* The table of its options. */
static int report_parse(struct report *w)
{
	const struct cmd_option options[] = {
		{"rows", 'n', "N", "at most N rows; 0: all. Without it: 20, of --csv all",
			.text = &w->rows_text},
		{"sort", 's', "COLUMN",
			"a heading or a key of --json, such as own, cumulated (with calls), hits,\n"
			"max, avg, calls",
			.text = &w->sort, .words = "own cumulated hits max avg calls"},
		{"file", 0, "FILE",
			"its source, annotated; with --function, -n, --sort, --json: its lines",
			.text = &w->file},
		{"function", 0, "NAME", "only lines of that function", .text = &w->function},
		{"filter", 0, "EXPR",
			"only rows of which the expression is true; see FILTERS in\n"
			"pathline-calls(1): \"module == 'shop' and line > 40\"",
			.text = &w->filter_text},
		{"functions", 'f', NULL, "by function: calls, own and cumulated time",
			.flag = &w->functions},
		{"by", 0, "ARGUMENT",
			"the same by the values of an argument, as count or order.item; with\n"
			"--function: of that function",
			.text = &w->by},
		{"callers", 0, "NAME", "who calls it, where, and how often", .text = &w->callers},
		{"callees", 0, "NAME", "what it calls", .text = &w->callees},
		{"tree", 0, NULL, "the call tree", .flag = &w->tree},
		{"threshold", 0, "PART",
			"with --tree: what takes at least that part of the time. Without it: 1%",
			.text = &w->threshold_text},
		{"tasks", 0, NULL,
			"by asyncio task and greenlet: running, waiting, longest stretch",
			.flag = &w->tasks},
		{"blocking", 0, "TIME", "where a thread or an event loop stood still longer: 50ms",
			.text = &w->blocking_text},
		{"exceptions", 0, NULL, "raised where, handled where, how often",
			.flag = &w->exceptions},
		{"requests", 0, NULL,
			"of servers: calls of WSGI and ASGI applications, celery and rq tasks, by\n"
			"route; and the slowest",
			.flag = &w->requests},
		{"all", 0, NULL, "of --exceptions also those that end a loop or an await",
			.flag = &w->all_exceptions},
		{"flame", 0, "FILE", "write a flame graph, an SVG for a browser",
			.text = &w->flame},
		{"collapsed", 0, NULL, "stacks with microseconds, a line each, for other tools",
			.flag = &w->collapsed},
		{"json", 0, NULL, "one JSON object a line, all rows", .flag = &w->json},
		{"csv", 0, NULL, "the same as CSV", .flag = &w->csv},
		SELECT_PROCESS(w->selection),
		SELECT_THREAD(w->selection, "; each by itself"),
		{"from", 0, "WHEN",
			"10:52:01.5, 2026-11-21 10:52, +1.5 or +100ms (from the start), 42%\n(of "
			"the whole recording)",
			.text = &w->selection.from_text},
		{"to", 0, "WHEN", "the same", .text = &w->selection.to_text},
		{"follow", 0, NULL, "the same table again, each second, until the program ends",
			.flag = &w->follows},
		{0},
	};

	return cmd_parse(w->cmd, &(struct cmd_usage){"[RECORDING]", about, options, .paged = true});
}

int cmd_report(struct cmd *c)
{
	struct report w = {.cmd = c, .code = CMD_OK};
	int code = report_parse(&w);

	if (code == CMD_GO)
		code = cmd_open(c, &w.r);
	if (code == CMD_GO)
		code = report_prepare(&w);
	if (code == CMD_GO)
		code = w.follows ? report_follow(&w) : report_all(&w);
	int written = page_close(c, &w.out);
	report_release(&w);
	return written ? written : code;
}
