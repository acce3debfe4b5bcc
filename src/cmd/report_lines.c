/* pathline report: hot lines, and a file's source with what its lines took. */
#include "base/buf.h"
#include "cmd/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "cmd/json.h"
#include "cmd/statements.h"
#include "session/executed.h"

/* ---- hot lines ---- */

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

/* A line's own time: what it computed, and what it waited for, without its calls. */
static int64_t own_ns(const struct pl_line_time *l)
{
	return l->computing_ns + l->waiting_ns;
}

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
#define OPEN_NOTE     "?: no event says whether it ran; it may have, where the path breaks off"

/* It is not known whether it ran: it has no event, and may have run where the path breaks off. */
static bool is_open(const struct report *w, const struct pl_profile_line *l)
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
		return cell_share(w, own_ns(t));
	case LINE_OWN:
		return cell_ns(CELL_NS, own_ns(t));
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
			.text = is_open(w, l) ? "?" : NULL};
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

/* Does the recording have the passes of loops that stay on a line? */
static bool has_passes(const struct report *w)
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
	json_text(&j, "hits_are", has_passes(w) ? "passes" : "lines");
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
	if (!has_passes(w))
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
	if (any_line(w, s.rows, is_open))
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

/* ---- a file ---- */

/* What is known of the lines of one text of a file. */
struct annotated {
	struct report *w;
	const char *file;
	const struct pl_code *code; /* one of its codes, by which its source is found */
	uint64_t *hits;		    /* owned, as are the next five; by line */
	int64_t *ns, *error_ns;
	bool *known;  /* the line can run */
	bool *begins; /* a function that ran begins there */
	bool *open;   /* it may have run where the path breaks off */
	int32_t count;
	bool whole; /* nothing of its path is missing */
};

static void release_annotated(struct annotated *a)
{
	free(a->hits);
	free(a->ns);
	free(a->error_ns);
	free(a->known);
	free(a->begins);
	free(a->open);
}

/* Is it code from the text that is shown? */
static bool is_of(const struct annotated *a, const struct pl_code *code)
{
	return pl_code_same_text(code, a->code);
}

/* There is no call for the number of lines: it is doubled until there is no such line, then halved
 * in on. */
static int32_t count_lines(const struct annotated *a)
{
	struct pl_text text;
	int32_t low = 0, high = 1;

	while (high < INT32_MAX / 2 && !pl_source_line(a->w->r, a->code, high, &text, NULL)) {
		low = high;
		high *= 2;
	}
	while (low + 1 < high) {
		int32_t middle = low + (high - low) / 2;
		if (pl_source_line(a->w->r, a->code, middle, &text, NULL))
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* Without a source only the lines that ran are known. */
static int32_t last_line(const struct annotated *a)
{
	int32_t last = 0;

	for (size_t i = 0; i < a->w->t->line_count; i++) {
		const struct pl_line_time *l = &a->w->t->lines[i].time;
		if (is_of(a, l->code) && l->line > last && l->line < 10000000)
			last = l->line;
	}
	return last;
}

/* The lines at which code can begin to run; of all others nothing can be said, and nothing is
 * shown. */
static void know_lines(struct annotated *a, const struct pl_code *code)
{
	size_t count = pl_code_lines(code, NULL, 0);
	int32_t *lines = calloc(count + 1, sizeof *lines);
	int32_t first = pl_code_first_line(code);

	if (lines)
		pl_code_lines(code, lines, count);
	for (size_t i = 0; lines && i < count; i++)
		if (lines[i] > 0 && lines[i] <= a->count)
			a->known[lines[i]] = true;
	if (first > 0 && first <= a->count)
		a->begins[first] = true;
	free(lines);
}

/* A hostile recording can have times that overflow. */
static void add_time(int64_t *to, int64_t ns)
{
	if (__builtin_add_overflow(*to, ns, to))
		*to = INT64_MAX;
}

/* Lists by line: a line can have several rows in the table, one for each function with a part of it
 * (a comprehension, a lambda). */
static int gather_lines(struct annotated *a)
{
	const struct pl_profile_tables *t = a->w->t;

	a->count = count_lines(a);
	if (!a->count)
		a->count = last_line(a);
	const size_t room = (size_t)a->count + 2;
	a->hits = calloc(room, sizeof *a->hits);
	a->ns = calloc(room, sizeof *a->ns);
	a->error_ns = calloc(room, sizeof *a->error_ns);
	a->known = calloc(room, sizeof *a->known);
	a->begins = calloc(room, sizeof *a->begins);
	a->open = calloc(room, sizeof *a->open);
	if (!a->hits || !a->ns || !a->error_ns || !a->known || !a->begins || !a->open) {
		cmd_say("report: no memory for the lines of %s", a->file);
		return CMD_BAD;
	}
	for (size_t i = 0; i < t->line_count; i++) {
		const struct pl_line_time *l = &t->lines[i].time;
		if (!is_of(a, l->code) || l->line <= 0 || l->line > a->count)
			continue;
		a->hits[l->line] += l->hits;
		a->open[l->line] |= is_open(a->w, &t->lines[i]);
		add_time(&a->ns[l->line], own_ns(l));
		add_time(&a->error_ns[l->line], l->error_ns);
	}
	for (size_t i = 0; i < t->function_count; i++)
		if (is_of(a, t->functions[i].code))
			know_lines(a, t->functions[i].code);
	return CMD_GO;
}

/* Is the line a statement of a function that never ran, of which the recording has no code? That is
 * what is indented deeper than its def (*def, -1: none). */
static bool is_unborn(
	const struct annotated *a, struct statements *s, struct pl_text text, int *def)
{
	enum statement statement = statements_next(s, text);

	if (statement == STATEMENT_NONE)
		return false;
	if (*def >= 0 && s->indent > *def)
		return true;
	*def = -1;
	if (statement == STATEMENT_DEF && !a->begins[s->first])
		*def = s->indent;
	return false;
}

/* At the right end of a column; what is wider is still separated by a blank. */
static void write_right(struct out *o, const char *text, size_t width)
{
	out_spaces(o, text_width(text) < width ? width - text_width(text) : 1);
	out_text(o, text);
}

/* Columns of 12, 12, 10 and 7 characters:
 *
 *	|       hits |        own |    error |  share |
 *	|      5,000 |     1.5 ms |  ±1.5 ms |   0.0% |
 *	|         12 |        0 s |    ±4 ms |   0.0% |
 *	|      never |            |          |        |
 *
 * "never" is a claim about everything that ran, so it needs a recording without holes (whole), and
 * a line that cannot have run at the end of a killed thread (open). Otherwise it is "?".
 */
static void write_margin(struct out *o, const struct annotated *a, int32_t line, bool never)
{
	char number[UNITS_BYTES];

	out_tone(o, never ? TONE_BAD : TONE_PLAIN);
	if (a->hits[line]) {
		units_count(number, a->hits[line]);
		write_right(o, number, 12);
	} else {
		out_text(o, !never			 ? "            "
			    : a->whole && !a->open[line] ? "       never"
							 : "           ?");
	}
	out_tone(o, TONE_PLAIN);
	if (a->hits[line] || a->ns[line] > 0 || a->error_ns[line] > 0) {
		double share = a->w->t->sum_ns > 0
				       ? 100 * (double)a->ns[line] / (double)a->w->t->sum_ns
				       : 0;
		char span[UNITS_BYTES];
		units_duration(span, a->ns[line]);
		write_right(o, span, 12);
		units_error(span, a->error_ns[line]);
		write_right(o, span, 10);
		snprintf(number, sizeof number, " %5.1f%%", share);
		out_text(o, number);
	} else {
		out_spaces(o, 29);
	}
}

/* Line by line: the margin, the number, the text. Without a source only the lines that ran are
 * shown. */
static void write_file(struct annotated *a)
{
	struct out *o = &a->w->out;
	struct statements statements = {0};
	int def = -1;

	out_tone(o, TONE_STRONG);
	out_text(o, has_passes(a->w)
			    ? "        hits         own     error  share   line\n"
			    : "  (no passes)\n        hits         own     error  share   line\n");
	out_tone(o, TONE_PLAIN);
	for (int32_t line = 1; line <= a->count && !o->error; line++) {
		struct pl_text text = {.at = "", .length = 0};
		bool has = !pl_source_line(a->w->r, a->code, line, &text, NULL);
		bool unborn = has && is_unborn(a, &statements, text, &def);
		char number[24];
		if (!has && !a->hits[line])
			continue;
		out_line(o);
		write_margin(o, a, line, !a->hits[line] && (a->known[line] || unborn));
		snprintf(number, sizeof number, " %6d  ", (int)line);
		out_tone(o, TONE_NAME);
		out_text(o, number);
		out_tone(o, TONE_PLAIN);
		if (has)
			out_clean(o, (struct text){.at = text.at, .length = text.length});
		out_line_end(o);
	}
	out_char(o, '\n');
}

/* Is a "?" shown that OPEN_NOTE explains? */
static bool has_open(const struct annotated *a)
{
	for (int32_t line = 1; line <= a->count; line++)
		if (a->open[line] && !a->hits[line])
			return true;
	return false;
}

/* title: the file's name, and which of its texts it is if it has several. */
static int annotate(struct report *w, const struct pl_code *code, const char *title)
{
	struct annotated a = {
		.w = w, .file = pl_code_file(code), .code = code, .whole = executed_is_whole(w->r)};
	struct pl_recording_info info;
	struct pl_text text;
	struct pl_err why = {0};
	int result = gather_lines(&a);

	if (result == CMD_GO) {
		report_title(w, NULL, title);
		if (pl_source_line(w->r, code, 1, &text, &why))
			cmd_say("report: %s: its source is not there: %s", a.file,
				why.used ? pl_err_text(&why) : "no such line");
		write_file(&a);
		pl_recording_info(w->r, &info);
		if (executed_ran_before(&info))
			report_note(w, "?: not while it was attached; it may have run before");
		else if (!a.whole)
			report_note(w, "?: not in the recording, of which a part is missing; it "
				       "may have run");
		else if (has_open(&a))
			report_note(w, OPEN_NOTE);
	}
	release_annotated(&a);
	return result;
}

/* Does an earlier row have the same file? Then it is done. */
static bool is_done(const struct report *w, size_t row)
{
	for (size_t i = 0; i < row; i++) {
		const struct pl_code *c = w->t->functions[i].code;
		if (c && !strcmp(pl_code_file(c), pl_code_file(w->t->functions[row].code)))
			return true;
	}
	return false;
}

/* The code of the file with the first text after `after`, in the order in which texts came; *count:
 * the number of texts. */
static const struct pl_code *next_text(
	const struct report *w, const char *file, const struct pl_code *after, size_t *count)
{
	const struct pl_code *next = NULL;

	*count = 0;
	for (size_t i = 0; i < w->t->function_count; i++) {
		const struct pl_code *c = w->t->functions[i].code;
		bool first = c && !strcmp(pl_code_file(c), file);
		for (size_t k = 0; k < i && first; k++)
			first = !pl_code_same_text(w->t->functions[k].code, c);
		if (!first)
			continue;
		++*count;
		if ((!after || pl_code_text(c) > pl_code_text(after)) &&
			(!next || pl_code_text(c) < pl_code_text(next)))
			next = c;
	}
	return next;
}

/* Each text of a file separately. */
static int annotate_texts(struct report *w, const char *file)
{
	const struct pl_code *c = NULL;
	struct pl_buf title = {0};
	int code = CMD_GO;
	size_t count;

	for (size_t n = 1; code == CMD_GO && (c = next_text(w, file, c, &count)); n++) {
		buf_reset(&title);
		buf_printf(&title, "%s", file);
		if (count > 1)
			buf_printf(&title, "  (text %zu of %zu)", n, count);
		buf_u8(&title, 0);
		code = annotate(w, c, title.failed ? file : (const char *)title.at);
	}
	buf_release(&title);
	return code;
}

/* Each file that the name fits, with each of its texts. */
int report_file(struct report *w)
{
	int code = CMD_GO;

	for (size_t i = 0; i < w->t->function_count && code == CMD_GO; i++) {
		const struct pl_code *c = w->t->functions[i].code;
		if (!c || !name_is_file(pl_code_file(c), w->file) || is_done(w, i))
			continue;
		w->found = true;
		code = annotate_texts(w, pl_code_file(c));
	}
	return code;
}
