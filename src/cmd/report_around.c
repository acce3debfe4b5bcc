/* pathline report: what stands in front of the rows of a view, and after them. */
#include <inttypes.h>
#include <stdio.h>
#include "base/units.h"
#include "cmd/report.h"
#include "cmd/summary.h"
#include "os/local.h"

/* ---- what is missing ---- */

/* Programs see what is missing, too: a share of an incomplete recording is a share of the rest. */
void report_json_missing(const struct report *w, struct json *j)
{
	const struct pl_loss *dropped = summary_dropped(w->r), *stopped = summary_stopped(w->r);

	json_u64(j, "dropped", dropped ? dropped->lost : 0);
	if (stopped)
		json_text(j, "stopped",
			stopped->text && stopped->text[0] ? stopped->text
							  : pl_gap_reason_text(stopped->reason));
	else
		json_null(j, "stopped");
}

/* Below a title: the shares are of what is there. */
static void write_missing(struct report *w)
{
	char texts[SUMMARY_MISSING_MAX][SUMMARY_MISSING_BYTES];
	const size_t count = summary_missing(w->r, texts);

	for (size_t i = 0; i < count; i++) {
		out_line(&w->out);
		out_wrap(&w->out, texts[i], 0);
		out_line_end(&w->out);
	}
}

/* Where no title says it: in JSON a row, else a message. */
void report_say_missing(struct report *w)
{
	char texts[SUMMARY_MISSING_MAX][SUMMARY_MISSING_BYTES];
	const size_t count = summary_missing(w->r, texts);
	struct json j = {.out = &w->out};

	if (count && w->form == SHEET_JSON && !w->collapsed) {
		json_line(&j, "missing");
		report_json_missing(w, &j);
		json_line_end(&j);
	}
	for (size_t i = 0; i < count; i++)
		if (w->form == SHEET_CSV || w->collapsed || w->flame)
			cmd_say("report: %s", texts[i]);
}

/* ---- in front of rows, and after them ---- */

/* What the rows are about: process, thread, its date, the view, and the command. JSON and CSV have
 * these in each row. */
void report_title(struct report *w, const char *what, const char *name)
{
	const struct pl_process *p = pl_recording_find_process(w->r, w->range.process);
	const bool described = p->start_ns;
	struct pl_recording_info info;
	char date[LOCAL_BYTES];
	struct out *o = &w->out;

	if (w->form != SHEET_TEXT)
		return;
	pl_recording_info(w->r, &info);
	out_line(o);
	out_tone(o, TONE_STRONG);
	out_text(o, "process ");
	out_u64(o, w->range.process);
	if (w->range.one_thread) {
		out_text(o, " thread ");
		out_u64(o, w->range.thread);
	}
	out_tone(o, TONE_PLAIN);
	out_text(o, "  ");
	out_put(o, date, local_date(date, described ? p->start_ns : info.start_ns));
	if (what) {
		out_text(o, "  ");
		out_text(o, what);
	}
	if (name) {
		out_char(o, ' ');
		out_path(o, name, out_line_left(o) / 2);
	}
	out_text(o, "  ");
	out_clean(o, text_of(described ? p->command : "(its command line was lost)"));
	out_line_end(o);
	write_missing(w);
}

/* A line below a table: time that is in none of its rows. */
static void write_rest(struct report *w, int64_t ns, const char *what)
{
	char share[16], span[UNITS_BYTES];
	struct out *o = &w->out;

	if (ns <= 0)
		return;
	snprintf(share, sizeof share, "%.1f%%",
		w->t->sum_ns > 0 ? 100 * (double)ns / (double)w->t->sum_ns : 0);
	units_duration(span, ns);
	out_line(o);
	out_tone(o, TONE_FAINT);
	out_spaces(o, strlen(share) < 7 ? 7 - strlen(share) : 0);
	out_text(o, share);
	out_spaces(o, text_width(span) < 9 ? 9 - text_width(span) : 1);
	out_text(o, span);
	out_text(o, "  ");
	out_text(o, what);
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

bool report_has_filter(const struct report *w)
{
	struct pl_recording_info info;

	pl_recording_info(w->r, &info);
	return info.filter[0];
}

/* So that the shares of a table and of what is in none of its rows add up to the whole. Of some
 * rows only (--file, --function) they would not. */
void report_rest(struct report *w)
{
	int64_t outside_ns = 0;

	if (w->form != SHEET_TEXT || report_chooses(w))
		return;
	for (size_t i = 0; i < w->t->line_count; i++) {
		const struct pl_line_time *l = &w->t->lines[i].time;
		if (!l->code && __builtin_add_overflow(
					outside_ns, l->computing_ns + l->waiting_ns, &outside_ns))
			outside_ns = INT64_MAX;
	}
	write_rest(w, w->t->idle_ns, "idle: event loops had nothing to do (in no row above)");
	write_rest(w, outside_ns,
		report_has_filter(w) ? "no recorded code on the stack: code that is left out, C "
				       "code, start and end of a thread"
				     : "no Python code on the stack: start of a thread, its end, C "
				       "code");
	write_rest(w, w->t->lost_ns, "in gaps: the path is not known");
	if (outside_ns || w->t->idle_ns || w->t->lost_ns)
		out_char(&w->out, '\n');
}

void report_note(struct report *w, const char *note)
{
	if (w->form != SHEET_TEXT)
		return;
	out_line(&w->out);
	out_tone(&w->out, TONE_FAINT);
	out_text(&w->out, note);
	out_tone(&w->out, TONE_PLAIN);
	out_line_end(&w->out);
	out_char(&w->out, '\n');
}

/* Below a table that -n has cut. */
void report_more(struct report *w, size_t rows)
{
	char note[UNITS_BYTES + 40], count[UNITS_BYTES];

	if (!rows)
		return;
	units_count(count, rows);
	snprintf(note, sizeof note, "%s more row%s; -n 0 shows all", count, rows == 1 ? "" : "s");
	report_note(w, note);
}
