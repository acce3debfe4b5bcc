/* pathline report: hot lines. */
#include "cmd/report.h"

#include <stdlib.h>
#include <string.h>
#include "cmd/json.h"

enum {
	LINE_SHARE, /* its times and hits */
	LINE_OWN,
	LINE_COMPUTING,
	LINE_WAITING,
	LINE_ERROR,
	LINE_CUMULATED,
	LINE_HITS,
	LINE_AVG,
	LINE_MAX, /* its longest pass, as enum longest_column */
	LINE_MAX_ERROR,
	LINE_MAX_AT,
	LINE_MAX_THREAD,
	LINE_MAX_SEQ,
	LINE_SAMPLES,
	LINE_FILE, /* where it is */
	LINE_FILE_ID,
	LINE_TEXT,
	LINE_LINE,
	LINE_CODE,
	LINE_CODE_ID,
	LINE_PLACE
};

const struct column report_line_columns[] = {
	[LINE_SHARE] = {"share", "share"},
	[LINE_OWN] = {"own_ns", "own"},
	[LINE_COMPUTING] = {"computing_ns", NULL},
	[LINE_WAITING] = {"waiting_ns", "waiting", 0, 5},
	[LINE_ERROR] = {"error_ns", "error", 0, 8},
	[LINE_CUMULATED] = {"cumulated_ns", "with calls", 0, 4},
	[LINE_HITS] = {"hits", "hits"},
	[LINE_AVG] = {"avg_ns", "avg", 0, 6},
	[LINE_MAX] = {"max_ns", "max", 0, 7},
	[LINE_MAX_ERROR] = {"max_error_ns", NULL},
	[LINE_MAX_AT] = {"max_at", NULL},
	[LINE_MAX_THREAD] = {"max_thread", NULL},
	[LINE_MAX_SEQ] = {"max_seq", "max at", 0, 9},
	[LINE_SAMPLES] = {"samples", NULL},
	[LINE_FILE] = {"file", NULL},
	[LINE_FILE_ID] = {"file_id", NULL},
	[LINE_TEXT] = {"text", NULL},
	[LINE_LINE] = {"line", NULL},
	[LINE_CODE] = {"code", NULL},
	[LINE_CODE_ID] = {"code_id", NULL},
	[LINE_PLACE] = {NULL, "line"},
	{0},
};

/* ---- which text of its file ---- */

/* Texts of one file, if it changed while it was recorded, are ordered as they came. */
static int by_text(const void *x, const void *y)
{
	const struct pl_code *a = *(const struct pl_code *const *)x;
	const struct pl_code *b = *(const struct pl_code *const *)y;
	int order = strcmp(pl_code_file(a), pl_code_file(b));

	return order ? order
		     : (pl_code_text(a) > pl_code_text(b)) - (pl_code_text(a) < pl_code_text(b));
}

/* One code stands for each text, in the order of by_text, for cell_text_number to look up. Released
 * after the sheet is written. */
static int list_texts(struct report *w)
{
	size_t count = 0, kept = 0;

	w->texts = malloc((w->t->function_count + 1) * sizeof *w->texts);
	w->text_count = 0;
	if (!w->texts) {
		cmd_say("report: no memory for the texts of its files");
		return CMD_BAD;
	}
	for (size_t i = 0; i < w->t->function_count; i++)
		if (w->t->functions[i].code)
			w->texts[count++] = w->t->functions[i].code;
	qsort(w->texts, count, sizeof *w->texts, by_text);
	for (size_t i = 0; i < count; i++)
		if (!kept || by_text(&w->texts[kept - 1], &w->texts[i]))
			w->texts[kept++] = w->texts[i];
	w->text_count = kept;
	return CMD_GO;
}

static void release_texts(struct report *w)
{
	free(w->texts);
	free(w->shared_lines);
	w->texts = NULL;
	w->shared_lines = NULL;
	w->text_count = 0;
}

/* Rows of one place are next to each other; those outside of Python are last. */
static int by_place(const void *x, const void *y)
{
	const struct pl_line_time *a = &(*(const struct pl_profile_line *const *)x)->time;
	const struct pl_line_time *b = &(*(const struct pl_profile_line *const *)y)->time;

	if (!a->code || !b->code)
		return (a->code != NULL) - (b->code != NULL);
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return by_text(&a->code, &b->code);
}

/* Lines of two codes look the same unless their functions are named: a line with a lambda or a
 * generator in it, and a def, which is a line of the module and where its function begins. */
static int find_shared_lines(struct report *w)
{
	const size_t count = w->t->line_count;
	const struct pl_profile_line **rows = malloc((count + 1) * sizeof *rows);

	w->shared_lines = calloc(count + 1, sizeof *w->shared_lines);
	if (!rows || !w->shared_lines) {
		free(rows);
		cmd_say("report: no memory for %zu lines", count);
		return CMD_BAD;
	}
	for (size_t i = 0; i < count; i++)
		rows[i] = &w->t->lines[i];
	qsort(rows, count, sizeof *rows, by_place);
	for (size_t i = 1; i < count; i++)
		if (rows[i]->time.code && !by_place(&rows[i - 1], &rows[i]))
			w->shared_lines[rows[i - 1] - w->t->lines] =
				w->shared_lines[rows[i] - w->t->lines] = true;
	free(rows);
	return CMD_GO;
}

/* The number that the annotated source has: texts of a file count from 1, in the order in which
 * they came. */
static struct cell cell_text_number(const struct report *w, const struct pl_code *code)
{
	const struct pl_code **at =
		code ? bsearch(&code, w->texts, w->text_count, sizeof *w->texts, by_text) : NULL;
	uint64_t number = 1;

	if (!at)
		return (struct cell){0};
	while (at > w->texts && !strcmp(pl_code_file(at[-1]), pl_code_file(code))) {
		at--;
		number++;
	}
	return cell_count(number);
}

#define LEFT_OUT_NOTE "0 hits: the code is left out by a filter, and calls code that is recorded"
#define BEFORE_NOTE   "0 hits: the line began before --from, or its code is left out by a filter"
#define BEGIN_NOTE    "0 hits of a def: the time from a call of the function to its first line"
bool line_is_open(const struct report *w, const struct pl_profile_line *l)
{
	(void)w;
	return l->possible && !l->time.hits;
}

/* Code that is left out is known as a caller only: its own calls are not counted. */
static bool is_called(const struct report *w, const struct pl_code *code)
{
	for (size_t i = 0; i < w->t->function_count; i++) {
		const struct pl_profile_function *f = &w->t->functions[i];
		if (f->code == code)
			return f->calls || f->resumes || f->throws;
	}
	return false;
}

/* If not, its time is explained in another way: see is_begin and is_left_out. */
static bool is_hit(const struct pl_profile_line *l)
{
	return !l->time.code || l->time.hits || l->possible;
}

/* Of the lines that ran when the range began, some have no hit in it. */
static bool line_is_before(const struct report *w, const struct pl_profile_line *l)
{
	return w->range.from_ns && !is_hit(l);
}

/* A call takes time before the function's first line begins. It belongs to the line of the def,
 * which has a hit only where the def itself is executed. */
static bool is_begin(const struct report *w, const struct pl_profile_line *l)
{
	return !line_is_before(w, l) && !is_hit(l) &&
	       l->time.line == pl_code_first_line(l->time.code) && is_called(w, l->time.code);
}

/* Of code that is left out no line has an event; its calls of recorded code take time. */
static bool is_left_out(const struct report *w, const struct pl_profile_line *l)
{
	return !line_is_before(w, l) && !is_hit(l) && !is_called(w, l->time.code);
}

static struct cell line_time_cell(
	const struct report *w, const struct pl_profile_line *l, unsigned column)
{
	const struct pl_line_time *t = &l->time;

	switch (column) {
	case LINE_SHARE:
		return cell_share(w, line_own_ns(t));
	case LINE_OWN:
		return cell_ns(CELL_NS, line_own_ns(t));
	case LINE_COMPUTING:
		return cell_ns(CELL_NS, t->computing_ns);
	case LINE_WAITING:
		return cell_waiting(w, t->waiting_ns, t->computing_ns, t->samples);
	case LINE_ERROR:
		return cell_ns(CELL_ERROR, t->error_ns);
	case LINE_CUMULATED:
		return cell_ns(CELL_NS, l->cumulated_ns);
	case LINE_HITS:
		return (struct cell){.kind = CELL_COUNT,
			.number = (int64_t)t->hits,
			.text = line_is_open(w, l) ? "?" : NULL};
	default:
		return cell_average(l->cumulated_ns, t->hits);
	}
}

static struct cell line_place_cell(const struct report *w, size_t row, unsigned column)
{
	const struct pl_line_time *t = &w->t->lines[row].time;

	switch (column) {
	case LINE_FILE:
		return cell_file(t->code);
	case LINE_FILE_ID:
		return cell_file_id(t->code);
	case LINE_TEXT:
		return cell_text_number(w, t->code);
	case LINE_LINE:
		return cell_ns(CELL_NUMBER, t->line);
	case LINE_CODE:
		return cell_code(t->code);
	case LINE_CODE_ID:
		return cell_code_id(t->code);
	default: {
		struct cell place = cell_place(w, t->code, t->line);
		place.in = w->shared_lines[row] ? pl_code_name(t->code) : NULL;
		return place;
	}
	}
}

static struct cell line_cell(const void *context, size_t row, unsigned column)
{
	const struct report *w = context;
	const struct pl_profile_line *l = &w->t->lines[row];

	switch (column) {
	case LINE_MAX:
	case LINE_MAX_ERROR:
	case LINE_MAX_AT:
	case LINE_MAX_THREAD:
		return cell_longest(&l->longest, column - LINE_MAX);
	case LINE_MAX_SEQ:
		return cell_longest_seq(w, row, &l->longest, l->time.code, l->time.line);
	case LINE_SAMPLES:
		return cell_count(l->time.samples);
	default:
		return column < LINE_MAX ? line_time_cell(w, l, column)
					 : line_place_cell(w, row, column);
	}
}

bool report_has_passes(const struct report *w)
{
	struct pl_recording_info info;

	pl_recording_info(w->r, &info);
	return !strcmp(info.passes, "all");
}

/* Those that are chosen. */
static bool line_wanted(const void *context, size_t row)
{
	const struct report *w = context;
	const struct pl_code *code = w->t->lines[row].time.code;

	if (!code && w->form == SHEET_TEXT)
		return false; /* report_rest says it */
	return report_wants(w, code, w->t->lines[row].time.line);
}

/* After the lines: their times and these add up to the whole. */
static void write_sum(struct report *w)
{
	struct json j = {.out = &w->out};

	report_rest(w);
	if (w->form != SHEET_JSON)
		return;
	json_line(&j, "time");
	json_u64(&j, "process", w->range.process);
	if (w->range.one_thread)
		json_u64(&j, "thread", w->range.thread);
	else
		json_null(&j, "thread");
	json_i64(&j, "sum_ns", w->t->sum_ns);
	json_i64(&j, "idle_ns", w->t->idle_ns);
	json_i64(&j, "lost_ns", w->t->lost_ns);
	json_i64(&j, "tick_ns", w->t->tick_ns);
	report_json_missing(w, &j);
	json_text(&j, "hits_are", report_has_passes(w) ? "passes" : "lines");
	json_line_end(&j);
}

/* Is there such a line among those that are shown? Notes below a table are only for what is in
 * it. */
static bool any_line(const struct report *w, size_t rows,
	bool (*is)(const struct report *w, const struct pl_profile_line *l))
{
	uint64_t shown = 0;

	for (size_t i = 0; i < rows && (!w->rows || shown < w->rows); i++) {
		if (!line_wanted(w, i))
			continue;
		if (is(w, &w->t->lines[i]))
			return true;
		shown++;
	}
	return false;
}

/* The hot lines, by own time, then notes on what is unusual in them, then the time outside of all
 * lines. */
int report_lines(struct report *w)
{
	struct column columns[sizeof report_line_columns / sizeof *report_line_columns];
	memcpy(columns, report_line_columns, sizeof columns);
	if (!report_has_passes(w))
		columns[LINE_HITS].title = "hits (no passes)";
	struct sheet s = report_sheet(w, "line", columns);
	bool any = false;

	for (size_t i = 0; i < w->t->line_count && !any; i++)
		any = line_wanted(w, i);
	w->found |= any;
	if (!any && report_chooses(w))
		return CMD_GO;
	if (list_texts(w) != CMD_GO || find_shared_lines(w) != CMD_GO)
		return CMD_BAD;
	s.cell = line_cell;
	s.wanted = line_wanted;
	s.rows = w->t->line_count;
	report_title(w, NULL, NULL);
	int code = report_show(w, &s);
	if (any_line(w, s.rows, line_is_open))
		report_note(w, OPEN_NOTE);
	if (any_line(w, s.rows, line_is_before))
		report_note(w, BEFORE_NOTE);
	if (report_has_filter(w) && any_line(w, s.rows, is_left_out))
		report_note(w, LEFT_OUT_NOTE);
	if (any_line(w, s.rows, is_begin))
		report_note(w, BEGIN_NOTE);
	write_sum(w);
	release_texts(w);
	return code;
}
