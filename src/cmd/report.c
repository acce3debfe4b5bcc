/* pathline report: where the time went, line by line. A row a line, the one with the most first; sums
 * of a process, or of each of its threads that was asked for. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "cmd/json.h"
#include "cmd/select.h"
#include "cmd/text.h"

#define ROWS_DEFAULT 20

struct report {
	struct pl_recording *r; /* owned */
	struct selection selection;
	struct out out;
	uint64_t rows; /* at most; 0: all */
	bool json;
	int code; /* exit */
};

static int64_t own_ns(const struct pl_line_time *l)
{
	return l->computing_ns + l->waiting_ns;
}

static int64_t sum_ns(const struct pl_times *t)
{
	int64_t sum = pl_times_idle_ns(t) + pl_times_lost_ns(t);

	for (size_t i = 0; i < pl_times_count(t); i++)
		if (__builtin_add_overflow(sum, own_ns(pl_times_line(t, i)), &sum))
			return INT64_MAX;
	return sum;
}

/* ---- text ---- */

static void seconds(struct out *o, int64_t ns)
{
	out_spaces(o, ns < INT64_C(10000000000) ? 4 : ns < INT64_C(100000000000) ? 3 : 2);
	out_fixed(o, (double)ns / 1e9, 4);
}

static void number(struct out *o, uint64_t n, size_t width)
{
	size_t digits = 1;

	for (uint64_t v = n; v >= 10; v /= 10)
		digits++;
	out_spaces(o, digits < width ? width - digits : 1);
	out_u64(o, n);
}

static void write_source(struct report *w, const struct pl_line_time *l)
{
	struct pl_text text;

	if (pl_source_line(w->r, l->code, l->line, &text, NULL))
		return;
	while (text.length && (*text.at == ' ' || *text.at == '\t')) {
		text.at++;
		text.length--;
	}
	out_tone(&w->out, TONE_FAINT);
	out_text(&w->out, "  ");
	out_clean(&w->out, (struct text){.at = text.at, .length = text.length});
	out_tone(&w->out, TONE_PLAIN);
}

static void write_line(struct report *w, const struct pl_line_time *l, int64_t all_ns)
{
	struct out *o = &w->out;
	double share = all_ns > 0 ? 100 * (double)own_ns(l) / (double)all_ns : 0;

	out_spaces(o, share < 9.95 ? 3 : share < 99.95 ? 2 : 1);
	out_fixed(o, share, 1);
	out_char(o, '%');
	seconds(o, l->computing_ns);
	seconds(o, l->waiting_ns);
	seconds(o, l->error_ns);
	number(o, l->hits, 13);
	number(o, l->samples, 9);
	out_text(o, "  ");
	if (l->code) {
		out_clean(o, text_of(pl_code_file(l->code)));
		out_char(o, ':');
		out_i64(o, l->line);
		write_source(w, l);
	} else {
		out_text(o, "(nothing of Python ran)");
	}
	out_char(o, '\n');
}

static void write_rest(struct out *o, const char *what, int64_t ns)
{
	if (!ns)
		return;
	out_spaces(o, 6);
	seconds(o, ns);
	out_text(o, "  ");
	out_text(o, what);
	out_char(o, '\n');
}

static void write_text(
	struct report *w, const struct pl_times *t, const struct pl_times_range *range)
{
	const struct pl_process *p = pl_recording_find_process(w->r, range->process);
	struct out *o = &w->out;

	out_tone(o, TONE_STRONG);
	out_text(o, "process ");
	out_u64(o, range->process);
	if (range->one_thread) {
		out_text(o, " thread ");
		out_u64(o, range->thread);
	}
	out_tone(o, TONE_PLAIN);
	out_text(o, "  ");
	out_clean(o, text_of(p->command));
	out_text(o, "\n share computing s waiting s   ± s            hits  samples  line\n");
	for (size_t i = 0; i < pl_times_count(t) && (!w->rows || i < w->rows); i++)
		write_line(w, pl_times_line(t, i), sum_ns(t));
	write_rest(o, "event loops had nothing to do", pl_times_idle_ns(t));
	write_rest(o, "in gaps", pl_times_lost_ns(t));
	out_char(o, '\n');
}

/* ---- JSON ---- */

static void begin_row(struct json *j, const char *type, const struct pl_times_range *range)
{
	json_line(j, type);
	json_u64(j, "process", range->process);
	if (range->one_thread)
		json_u64(j, "thread", range->thread);
	else
		json_null(j, "thread");
}

static void write_json(
	struct report *w, const struct pl_times *t, const struct pl_times_range *range)
{
	struct json j = {.out = &w->out};

	for (size_t i = 0; i < pl_times_count(t); i++) {
		const struct pl_line_time *l = pl_times_line(t, i);
		begin_row(&j, "line", range);
		json_text(&j, "file", l->code ? pl_code_file(l->code) : NULL);
		json_i64(&j, "line", l->line);
		json_text(&j, "code", l->code ? pl_code_name(l->code) : NULL);
		json_u64(&j, "hits", l->hits);
		json_u64(&j, "samples", l->samples);
		json_i64(&j, "own_ns", own_ns(l));
		json_i64(&j, "computing_ns", l->computing_ns);
		json_i64(&j, "waiting_ns", l->waiting_ns);
		json_i64(&j, "error_ns", l->error_ns);
		json_line_end(&j);
	}
	begin_row(&j, "time", range);
	json_i64(&j, "sum_ns", sum_ns(t));
	json_i64(&j, "idle_ns", pl_times_idle_ns(t));
	json_i64(&j, "lost_ns", pl_times_lost_ns(t));
	json_line_end(&j);
}

/* ---- what was asked for ---- */

static void report_range(struct report *w, const struct pl_times_range *range)
{
	struct pl_err err = {0};
	struct pl_times *t = NULL;
	int result = pl_times_new(&t, w->r, range, &err);

	if (result < 0) {
		w->code = CMD_BAD;
		cmd_say("report: process %" PRIu32 ": %s", range->process,
			err.used ? pl_err_text(&err) : pl_error_name(result));
		return;
	}
	if (w->json)
		write_json(w, t, range);
	else
		write_text(w, t, range);
	pl_times_free(t);
}

static void report_process(struct report *w, const struct pl_process *p)
{
	struct pl_times_range range = {.process = p->number,
		.from_ns = w->selection.from.time_ns,
		.to_ns = w->selection.to.time_ns};

	if (!w->selection.thread) {
		report_range(w, &range);
		return;
	}
	range.one_thread = true;
	for (uint32_t n = 0; n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(w->r, p->number, n);
		range.thread = n;
		if (t && select_thread(&w->selection, w->r, t))
			report_range(w, &range);
	}
}

static int read_rows(struct report *w, const char *text)
{
	char *end = NULL;

	w->rows = ROWS_DEFAULT;
	if (!text)
		return CMD_GO;
	errno = 0;
	w->rows = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return CMD_GO;
	cmd_say("report: '%s' is no number of rows", text);
	return CMD_USAGE;
}

static int prepare(struct report *w, const struct cmd *c, const char *rows)
{
	int code = read_rows(w, rows);

	if (code == CMD_GO)
		code = select_read(&w->selection, w->r);
	if (code == CMD_GO &&
		(w->selection.from.kind == MOMENT_SEQ || w->selection.to.kind == MOMENT_SEQ)) {
		cmd_say("report: --from and --to are times here, not numbers of events");
		return CMD_USAGE;
	}
	if (code == CMD_GO && out_init(&w->out, 1, c->color_out) < 0) {
		cmd_say("%s: no memory for its output", c->name);
		return CMD_BAD;
	}
	return code;
}

int cmd_report(struct cmd *c)
{
	struct report w = {.code = CMD_OK};
	const char *rows = NULL;
	const struct cmd_option options[] = {
		{"rows", 'n', "N", "at most N lines; 0: all. Without it: 20", .text = &rows},
		{"json", 0, NULL, "one JSON object a line of the program, all of them",
			.flag = &w.json},
		{"process", 'p', "LIST", "by number, pid, or a part of the command line",
			.text = &w.selection.process},
		{"thread", 't', "LIST", "by number, native id, or name; each by itself",
			.text = &w.selection.thread},
		{"from", 0, "WHEN", "10:52:01.5, 2026-11-21 10:52, +1.5 (seconds from the start)",
			.text = &w.selection.from_text},
		{"to", 0, "WHEN", "the same", .text = &w.selection.to_text},
		{0},
	};
	int written,
		code = cmd_parse(c, &(struct cmd_usage){"[DIR]",
					    "Say where the time went: the lines with the most "
					    "of it, own time, computing and waiting apart.\n"
					    "Hits are exact; how time is shared between lines is "
					    "sampled, and has its error (±).",
					    options});

	if (code == CMD_GO)
		code = cmd_open(c, &w.r);
	if (code == CMD_GO)
		code = prepare(&w, c, rows);
	if (code == CMD_GO) {
		for (uint32_t i = 0; i < pl_recording_process_count(w.r) && !w.out.error; i++) {
			const struct pl_process *p = pl_recording_process(w.r, i);
			if (select_process(&w.selection, w.r, p))
				report_process(&w, p);
		}
		code = w.code;
	}
	written = out_release(&w.out);
	pl_recording_close(w.r);
	return written ? written : code;
}
