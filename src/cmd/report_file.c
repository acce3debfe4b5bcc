/* pathline report --file: a file's source, with what its lines took. */
#include "cmd/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/units.h"
#include "cmd/statements.h"
#include "session/executed.h"

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
		a->open[l->line] |= line_is_open(a->w, &t->lines[i]);
		add_time(&a->ns[l->line], line_own_ns(l));
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
	out_text(o, report_has_passes(a->w)
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
