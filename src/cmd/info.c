/* pathline info: what a recording holds, as one page for a person or one JSON object. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "cmd/json.h"
#include "cmd/page.h"
#include "cmd/summary.h"
#include "cmd/text.h"

#define WINDOW                                                                                     \
	"from the first line of __main__ to the end of finalisation; site, .pth files and "        \
	"sitecustomize ran before recording started"

#define LABEL_WIDTH	13
#define GENERATIONS_MAX 16

static const char *recording_state(const struct pl_recording_info *i)
{
	if (!i->finished)
		return "still being written, or not finished";
	return i->recovered ? "finished by a later command, because its collector was killed"
			    : "complete";
}

/* ---- text ---- */

static void label(struct out *o, const char *word)
{
	out_tone(o, TONE_FAINT);
	out_column(o, word, LABEL_WIDTH);
	out_tone(o, TONE_PLAIN);
}

static void label_text(struct out *o, const char *word, const char *text)
{
	label(o, word);
	out_clean(o, text_of(text && text[0] ? text : "not known"));
	out_char(o, '\n');
}

static void title(struct out *o, const char *word)
{
	out_char(o, '\n');
	out_tone(o, TONE_STRONG);
	out_text(o, word);
	out_tone(o, TONE_PLAIN);
	out_char(o, '\n');
}

static void right(struct out *o, uint64_t n, size_t width)
{
	size_t digits = 1;

	for (uint64_t v = n; v >= 10; v /= 10)
		digits++;
	digits += (digits - 1) / 3;
	out_spaces(o, digits < width ? width - digits : 0);
	out_count(o, n);
}

/* A size, to the right. */
static void size_column(struct out *o, uint64_t bytes, size_t width)
{
	char text[UNITS_BYTES];
	size_t n = units_size(text, bytes);

	out_spaces(o, n < width ? width - n : 0);
	out_text(o, text);
}

static void number_column(struct out *o, uint64_t n, size_t width)
{
	char digits[24];

	snprintf(digits, sizeof digits, "%" PRIu64, n);
	out_column(o, digits, width);
}

static void write_head(struct out *o, const struct pl_recording_info *i)
{
	out_tone(o, TONE_STRONG);
	out_clean(o, text_of(i->directory));
	out_tone(o, TONE_PLAIN);
	out_text(o, "\n\n");
	label_text(o, "command", i->command);
	label(o, "host");
	out_clean(o, text_of(i->host));
	out_text(o, ", ");
	out_clean(o, text_of(i->system));
	out_char(o, '\n');
}

static void write_when(struct out *o, const struct pl_recording_info *i)
{
	label(o, "recorded");
	out_moment(o, i->start_ns);
	if (i->end_ns) {
		out_text(o, ", for ");
		out_duration(o, i->start_ns, i->end_ns);
	}
	out_text(o, ", by Pathline ");
	out_clean(o, text_of(i->pathline));
	out_text(o, " (format ");
	out_u64(o, i->format_major);
	out_char(o, '.');
	out_u64(o, i->format_minor);
	out_text(o, ")\n");
	label_text(o, "state", recording_state(i));
	label_text(o, "window", WINDOW);
}

static void write_machine(struct out *o, const struct pl_recording_info *i)
{
	label(o, "clock");
	out_clean(o, text_of(i->clock));
	if (i->ticks_per_us > 0) {
		out_text(o, ", ");
		out_fixed(o, i->ticks_per_us, 3);
		out_text(o, " ticks a µs");
	}
	out_char(o, '\n');
	label_text(o, "rings", i->arena);
	if (i->passes[0])
		label_text(o, "passes", i->passes);
	if (i->filter[0])
		label_text(o, "filter", i->filter);
	label(o, "limit");
	if (i->limit_bytes)
		out_bytes(o, i->limit_bytes);
	else
		out_text(o, "none");
	out_char(o, '\n');
}

/* Generations above p. A hostile recording may say that parents run in a circle. */
static size_t generation(const struct pl_recording *r, const struct pl_process *p)
{
	size_t n = 0;

	while (p->parent && n < GENERATIONS_MAX) {
		p = pl_recording_find_process(r, p->parent);
		if (!p)
			break;
		n++;
	}
	return n;
}

static void write_process(struct out *o, const struct pl_recording *r, const struct pl_process *p)
{
	char end[SUMMARY_END_BYTES];

	out_text(o, "  ");
	right(o, p->number, 4);
	out_text(o, "  pid ");
	out_u64(o, p->pid);
	out_text(o, "  ");
	summary_end(p, end);
	out_column(o, end, 10);
	out_text(o, "  ");
	if (p->end_ns > p->start_ns) {
		out_duration(o, p->start_ns, p->end_ns);
		out_text(o, "  ");
	}
	out_spaces(o, 2 * generation(r, p));
	out_clean(o, text_of(p->command));
	out_tone(o, TONE_FAINT);
	out_text(o, "\n          ");
	if (p->parent) {
		out_clean(o, text_of(p->how));
		out_text(o, " by process ");
		out_u64(o, p->parent);
		out_text(o, ", ");
	}
	out_clean(o, text_of(p->interpreter));
	out_text(o, ", ");
	out_clean(o, text_of(p->executable));
	out_tone(o, TONE_PLAIN);
	out_char(o, '\n');
}

static void write_thread(struct out *o, const struct pl_thread *t)
{
	out_text(o, "  ");
	right(o, t->process, 4);
	right(o, t->number, 6);
	out_text(o, "  ");
	number_column(o, t->native_id, 9);
	right(o, t->events, 14);
	right(o, t->first_seq, 16);
	out_text(o, "  ");
	out_clean(o, text_of(t->name && t->name[0] ? t->name : "-"));
	out_char(o, '\n');
}

static void write_processes(struct out *o, const struct pl_recording *r)
{
	title(o, "processes");
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++)
		write_process(o, r, pl_recording_process(r, i));
	title(o, "threads");
	out_text(o, "  of process  tid              events       first seq  name\n");
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		for (uint32_t n = 0; n < p->thread_count; n++) {
			const struct pl_thread *t = pl_recording_thread(r, p->number, n);
			if (t)
				write_thread(o, t);
		}
	}
}

/* Samples of where threads were: `report` shares time by them. */
static void write_samples(struct out *o, const struct pl_recording *r)
{
	uint64_t samples = 0, dropped = 0;

	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		samples += p->samples;
		dropped += p->samples_dropped;
	}
	out_text(o, "  ");
	out_column(o, "samples", 12);
	right(o, samples, 16);
	out_text(o, "  of where threads were; ");
	out_count(o, dropped);
	out_text(o, dropped == 1 ? " more was not usable\n" : " more were not usable\n");
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		if (!p->samples_refused)
			continue;
		out_text(o, "    none of process ");
		out_u64(o, p->number);
		out_text(o, ": the system does not let Pathline read its memory (");
		out_text(o, strerror(p->samples_refused));
		out_text(o, ").\n    `report` shares the time of its lines by their counts. "
			    "Samples need "
			    "kernel.yama.ptrace_scope\n    to be 0 or 1, and a program that is "
			    "dumpable.\n");
	}
}

/* Nothing, where there are none. */
static void write_codes(struct out *o, const char *name, uint64_t count, const char *words)
{
	if (!count)
		return;
	out_text(o, "  ");
	out_column(o, name, 12);
	right(o, count, 16);
	out_text(o, count == 1 ? "  code" : "  codes");
	out_text(o, words);
}

static void write_counts(struct out *o, const struct pl_recording *r)
{
	struct summary s = summary_of(r);

	title(o, "events");
	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
		if (s.counts[k]) {
			out_text(o, "  ");
			out_column(o, pl_event_kind_name((enum pl_event_kind)k), 12);
			right(o, s.counts[k], 16);
			out_char(o, '\n');
		}
	out_text(o, "  ");
	out_column(o, "all", 12);
	right(o, s.events, 16);
	out_text(o, "\n  ");
	out_column(o, "switches", 12);
	right(o, s.switches, 16);
	out_text(o, "  between threads\n  ");
	out_column(o, "waits", 12);
	right(o, s.waits, 16);
	out_text(o, "  of threads, for the collector\n");
	write_samples(o, r);
	write_codes(o, "left out", s.codes_left_out, ", by the filter\n");
	write_codes(o, "unanalysed", s.codes_unanalysed, ", of which every line was recorded\n");
	title(o, "on disk");
	for (uint32_t i = 0; pl_recording_size(r, i); i++) {
		const struct pl_size *z = pl_recording_size(r, i);
		out_text(o, "  ");
		out_column(o, z->kind, 12);
		size_column(o, z->bytes, 16);
		out_text(o, "  in ");
		out_count(o, z->records);
		out_text(o, z->records == 1 ? " record\n" : " records\n");
	}
}

static void write_loss(struct out *o, const struct pl_loss *l)
{
	out_text(o, "  ");
	if (l->process) {
		out_text(o, "process ");
		out_u64(o, l->process);
		out_text(o, " thread ");
		out_u64(o, l->thread);
		out_text(o, " seq ");
		out_u64(o, l->seq);
		out_text(o, ": ");
	}
	if (l->lost) {
		out_count(o, l->lost);
		out_text(o, l->lost == 1 ? " event, " : " events, ");
	}
	out_text(o, pl_gap_reason_text(l->reason));
	if (l->text && l->text[0]) {
		out_text(o, ": ");
		out_clean(o, text_of(l->text));
	}
	out_char(o, '\n');
}

static void write_losses(struct out *o, const struct pl_recording *r)
{
	uint32_t n = pl_recording_loss_count(r);

	title(o, "lost");
	if (!n)
		out_text(o, "  nothing\n");
	out_tone(o, n ? TONE_BAD : TONE_PLAIN);
	for (uint32_t i = 0; i < n; i++)
		write_loss(o, pl_recording_loss(r, i));
	out_tone(o, TONE_PLAIN);
}

static void write_page(struct out *o, const struct pl_recording *r, const char *directory)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	info.directory = directory;
	write_head(o, &info);
	write_when(o, &info);
	write_machine(o, &info);
	write_processes(o, r);
	write_counts(o, r);
	write_losses(o, r);
}

/* ---- JSON ---- */

static void json_recording(struct json *j, const struct pl_recording_info *i)
{
	json_text(j, "directory", i->directory);
	json_text(j, "command", i->command);
	json_text(j, "host", i->host);
	json_text(j, "system", i->system);
	json_text(j, "pathline", i->pathline);
	json_u64(j, "format_major", i->format_major);
	json_u64(j, "format_minor", i->format_minor);
	json_text(j, "clock", i->clock);
	json_key(j, "ticks_per_us");
	out_fixed(j->out, i->ticks_per_us > 0 ? i->ticks_per_us : 0, 6);
	json_text(j, "arena", i->arena);
	json_text(j, "passes", i->passes);
	json_text(j, "filter", i->filter);
	json_u64(j, "limit_bytes", i->limit_bytes);
	json_moment(j, "start", i->start_ns);
	json_moment(j, "end", i->end_ns);
	json_bool(j, "finished", i->finished);
	json_bool(j, "recovered", i->recovered);
	json_text(j, "window", WINDOW);
}

static void json_counts(struct json *j, const uint64_t counts[PL_EVENT_KIND_COUNT])
{
	json_open(j, "counts", '{');
	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
		json_u64(j, pl_event_kind_name((enum pl_event_kind)k), counts[k]);
	json_close(j, '}');
}

static void json_thread(struct json *j, const struct pl_thread *t)
{
	json_open(j, NULL, '{');
	json_u64(j, "number", t->number);
	json_u64(j, "tid", t->native_id);
	json_text(j, "name", t->name);
	json_moment(j, "start", t->start_ns);
	json_moment(j, "end", t->end_ns);
	json_u64(j, "events", t->events);
	json_u64(j, "first_seq", t->first_seq);
	json_u64(j, "blocks", t->blocks);
	json_counts(j, t->counts);
	json_close(j, '}');
}

static void json_process(struct json *j, const struct pl_recording *r, const struct pl_process *p)
{
	json_open(j, NULL, '{');
	json_u64(j, "number", p->number);
	json_u64(j, "parent", p->parent);
	json_u64(j, "pid", p->pid);
	json_text(j, "how", p->how);
	json_text(j, "command", p->command);
	json_text(j, "executable", p->executable);
	json_text(j, "interpreter", p->interpreter);
	json_moment(j, "start", p->start_ns);
	json_moment(j, "end", p->end_ns);
	json_text(j, "ended", summary_end_word(p));
	if (p->end == PL_PROCESS_EXITED)
		json_i64(j, "exit", p->end_code);
	if (p->end == PL_PROCESS_SIGNALED)
		json_i64(j, "signal", p->end_code);
	if (p->end == PL_PROCESS_LOST)
		json_bool(j, "silent", p->end_code != 0);
	json_u64(j, "switches", p->switches);
	json_u64(j, "waits", p->waits);
	json_u64(j, "samples", p->samples);
	json_u64(j, "samples_dropped", p->samples_dropped);
	if (p->samples_refused)
		json_text(j, "samples_refused", strerror(p->samples_refused));
	else
		json_null(j, "samples_refused");
	json_u64(j, "codes_left_out", p->codes_left_out);
	json_u64(j, "codes_unanalysed", p->codes_unanalysed);
	json_open(j, "threads", '[');
	for (uint32_t n = 0; n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(r, p->number, n);
		if (t)
			json_thread(j, t);
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void json_loss(struct json *j, const struct pl_loss *l)
{
	json_open(j, NULL, '{');
	json_u64(j, "process", l->process);
	json_u64(j, "thread", l->thread);
	json_u64(j, "seq", l->seq);
	json_moment(j, "time", l->time_ns);
	json_text(j, "reason", pl_gap_reason_name(l->reason));
	json_u64(j, "lost", l->lost);
	json_text(j, "text", l->text);
	json_close(j, '}');
}

static void json_sizes(struct json *j, const struct pl_recording *r)
{
	json_open(j, "sizes", '[');
	for (uint32_t i = 0; pl_recording_size(r, i); i++) {
		const struct pl_size *z = pl_recording_size(r, i);
		json_open(j, NULL, '{');
		json_text(j, "kind", z->kind);
		json_u64(j, "records", z->records);
		json_u64(j, "bytes", z->bytes);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Events that were written, where `record --stat` has counted them: the path shows more. */
static uint64_t recorded_in_all(struct pl_recording *r)
{
	struct pl_recorded row;
	uint64_t sum = 0;

	for (uint32_t i = 0; pl_recording_recorded(r, i, &row); i++)
		for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
			sum += row.counts[k];
	return sum;
}

static void write_json(struct out *o, struct pl_recording *r, const char *directory)
{
	struct json j = {.out = o};
	struct pl_recording_info info;
	struct summary s = summary_of(r);

	pl_recording_info(r, &info);
	info.directory = directory;
	json_line(&j, "info");
	json_recording(&j, &info);
	json_u64(&j, "events", s.events);
	json_counts(&j, s.counts);
	if (pl_recording_recorded_count(r))
		json_u64(&j, "recorded", recorded_in_all(r));
	json_u64(&j, "switches", s.switches);
	json_open(&j, "processes", '[');
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++)
		json_process(&j, r, pl_recording_process(r, i));
	json_close(&j, ']');
	json_sizes(&j, r);
	json_open(&j, "losses", '[');
	for (uint32_t i = 0; i < pl_recording_loss_count(r); i++)
		json_loss(&j, pl_recording_loss(r, i));
	json_close(&j, ']');
	json_line_end(&j);
}

/* The directory is shown by its own name, also when it was found through `latest`. */
static void write_info(struct out *o, struct pl_recording *r, bool json)
{
	struct pl_recording_info info;
	char *real;

	pl_recording_info(r, &info);
	real = realpath(info.directory, NULL);
	if (json)
		write_json(o, r, real ? real : info.directory);
	else
		write_page(o, r, real ? real : info.directory);
	free(real);
}

int cmd_info(struct cmd *c)
{
	bool json = false;
	const struct cmd_option options[] = {
		{"json", 0, NULL, "one JSON object", .flag = &json},
		{0},
	};
	struct pl_recording *r = NULL;
	struct out o = {0};
	int written, code = cmd_parse(c, &(struct cmd_usage){"[RECORDING]",
						 "Print what was recorded: command line, machine, "
						 "processes, threads, counts, losses.",
						 options, .paged = true});

	if (code == CMD_GO)
		code = cmd_open(c, &r);
	if (code == CMD_GO)
		code = page_open(c, &o, !json);
	if (code == CMD_GO) {
		page_start(c, &o);
		write_info(&o, r, json);
		code = summary_of(r).damaged ? CMD_BAD : CMD_OK;
	}
	written = page_close(c, &o);
	pl_recording_close(r);
	return written ? written : code;
}
