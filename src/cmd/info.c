/* pathline info: what a recording holds, as one page for a person or one JSON object.
 *
 * Both are written from the same calls (pathline.h), part by part and in the same order, so that
 * they can be compared side by side: what a person reads has its field in the JSON. Heads of blocks
 * are enough for all of it; no event is decoded.
 */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/units.h"
#include "cmd/json.h"
#include "cmd/page.h"
#include "cmd/sheet.h"
#include "cmd/summary.h"
#include "cmd/text.h"
#include "os/local.h"

#define WINDOW                                                                                     \
	"from the first line of __main__ to the end of finalisation; site, .pth files and "        \
	"sitecustomize ran before recording started"

#define LABEL_WIDTH	13
#define COUNT_WIDTH	32 /* of a count and its name */
#define GENERATIONS_MAX 16
#define NAMED_MAX	16 /* processes of an interpreter that are named */

static const char *recording_state(const struct pl_recording *r, const struct pl_recording_info *i)
{
	if (i->unfinished)
		return "not finished: its end is missing, and nothing writes it any more";
	if (!i->finished)
		return "still being written, or not finished";
	if (i->recovered)
		return "finished by a later command, because its collector was killed";
	return summary_stopped(r) ? "recording stopped before the program ended" : "complete";
}

/* ---- text ---- */

/* "command      python3 app.py": a word, and its text from column LABEL_WIDTH on. */
static void label(struct out *o, const char *word)
{
	out_line(o);
	out_tone(o, TONE_FAINT);
	out_column(o, word, LABEL_WIDTH);
	out_tone(o, TONE_PLAIN);
}

/* Long texts go on in the next lines, below where they began. */
static void label_text(struct out *o, const char *word, const char *text)
{
	label(o, word);
	out_wrap(o, text && text[0] ? text : "not known", LABEL_WIDTH);
	out_line_end(o);
}

/* A part of the page, after an empty line. */
static void info_title(struct out *o, const char *word)
{
	out_char(o, '\n');
	out_tone(o, TONE_STRONG);
	out_text(o, word);
	out_tone(o, TONE_PLAIN);
	out_char(o, '\n');
}

/* What was run, and where. */
static void write_head(struct out *o, const struct pl_recording_info *i)
{
	char host[512];

	out_line(o);
	out_tone(o, TONE_STRONG);
	out_wrap(o, i->directory, 0);
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
	out_char(o, '\n');
	label_text(o, "command", i->command);
	snprintf(host, sizeof host, "%s, %s", i->host, i->system);
	label_text(o, "host", host);
}

/* A recording that is still being written has no end. */
static void write_when(
	struct out *o, const struct pl_recording *r, const struct pl_recording_info *i)
{
	char moment[LOCAL_BYTES], span[UNITS_BYTES], text[512];
	int64_t length_ns = 0;

	if (i->start_ns)
		local_moment(moment, i->start_ns);
	else
		snprintf(moment, sizeof moment, "unknown");
	const bool lasted = i->start_ns && i->end_ns;

	if (lasted && i->end_ns > i->start_ns)
		length_ns = units_between(i->start_ns, i->end_ns);
	units_duration(span, length_ns);
	snprintf(text, sizeof text, "%s%s%s, by Pathline %.200s (format %u.%u)", moment,
		lasted ? ", for " : "", lasted ? span : "", i->pathline, i->format_major,
		i->format_minor);
	label_text(o, "recorded", text);
	label_text(o, "state", recording_state(r, i));
	label_text(o, "window", WINDOW);
}

/* "calls, of mine; depth=3,items=10; secrets redacted, also iban". Nothing, if none were kept. */
static void write_values(struct out *o, const struct pl_recording_info *i)
{
	struct pl_buf text = {0};

	if (!i->values[0] || !strcmp(i->values, "none"))
		return;
	buf_printf(&text, "%s", i->values);
	if (i->values_of[0])
		buf_printf(&text, ", of %s", i->values_of);
	if (i->values_limit[0])
		buf_printf(&text, "; %s", i->values_limit);
	if (i->secrets[0])
		buf_printf(&text, "; secrets %s", i->secrets);
	if (i->redact[0])
		buf_printf(&text, ", also %s", i->redact);
	buf_u8(&text, 0);
	label_text(o, "values", text.failed ? i->values : (const char *)text.at);
	buf_release(&text);
}

/* What older recordings do not say is left out. */
static void write_machine(struct out *o, const struct pl_recording_info *i)
{
	char size[UNITS_BYTES];

	label(o, "clock");
	out_clean(o, text_of(i->clock));
	if (i->ticks_per_us > 0) {
		out_text(o, ", ");
		out_fixed(o, i->ticks_per_us, 3);
		out_text(o, " MHz");
	}
	out_line_end(o);
	if (i->stamps[0]) {
		label(o, "stamps");
		out_text(o, "--clock ");
		out_clean(o, text_of(i->stamps));
		out_line_end(o);
	}
	label_text(o, "memory", i->arena);
	if (i->passes[0])
		label_text(o, "passes", i->passes);
	if (i->filter[0])
		label_text(o, "filter", i->filter);
	write_values(o, i);
	units_size(size, i->limit_bytes);
	label_text(o, "limit", i->limit_bytes ? size : "none");
}

/* ---- its processes and threads ---- */

/* Generations above p. In a hostile recording parents may form a circle. */
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

enum {
	PROCESS_NUMBER,
	PROCESS_PID,
	PROCESS_END,
	PROCESS_LENGTH,
	PROCESS_PARENT,
	PROCESS_HOW,
	PROCESS_COMMAND
};

static const struct column process_columns[] = {
	[PROCESS_NUMBER] = {NULL, "process"},
	[PROCESS_PID] = {NULL, "pid", 0, 7},
	[PROCESS_END] = {NULL, "ended"},
	[PROCESS_LENGTH] = {NULL, "length", 0, 9},
	[PROCESS_PARENT] = {NULL, "parent", 0, 8},
	[PROCESS_HOW] = {NULL, "how", 0, 8},
	[PROCESS_COMMAND] = {NULL, "command"},
	{0},
};

struct process_row {
	const struct pl_process *process;
	char end[SUMMARY_END_BYTES];
	char *command; /* owned; indented further than its parent's; NULL: no memory */
};

static struct cell process_cell(const void *context, size_t row, unsigned column)
{
	const struct process_row *r = (const struct process_row *)context + row;
	const struct pl_process *p = r->process;

	switch (column) {
	case PROCESS_NUMBER:
		return cell_number(p->number);
	case PROCESS_PID:
		return cell_number(p->pid);
	case PROCESS_END:
		return cell_text(r->end);
	case PROCESS_LENGTH:
		if (!p->start_ns || p->end_ns <= p->start_ns)
			return (struct cell){0};
		return (struct cell){
			.kind = CELL_NS, .number = units_between(p->start_ns, p->end_ns)};
	case PROCESS_PARENT:
		return (struct cell){
			.kind = p->parent ? CELL_NUMBER : CELL_NONE, .number = p->parent};
	case PROCESS_HOW:
		return cell_text(p->parent ? p->how : "-");
	default:
		return cell_text(r->command ? r->command : p->command);
	}
}

/* A table, indented further than its title. */
static struct sheet info_table(const struct column *columns, const void *context, size_t rows)
{
	return (struct sheet){
		.columns = columns, .context = context, .rows = rows, .indent = 2, .gap = 2};
}

/* In the order of their numbers, in which they began; the command is indented below its
 * parent's. */
static void write_processes(struct out *o, const struct pl_recording *r)
{
	const uint32_t count = pl_recording_process_count(r);
	struct process_row *rows = calloc(count + 1, sizeof *rows);
	struct sheet s = info_table(process_columns, rows, count);

	info_title(o, "processes");
	s.cell = process_cell;
	for (uint32_t i = 0; rows && i < count; i++) {
		const struct pl_process *p = rows[i].process = pl_recording_process(r, i);
		summary_end(r, p, rows[i].end);
		if (asprintf(&rows[i].command, "%*s%s", (int)(2 * generation(r, p)), "",
			    p->command) < 0)
			rows[i].command = NULL;
	}
	if (rows)
		sheet_write(&s, o, SHEET_TEXT);
	for (uint32_t i = 0; rows && i < count; i++)
		free(rows[i].command);
	free(rows);
}

/* The same version by the same path: a virtual environment has its own path. */
static bool same_python(const struct pl_process *a, const struct pl_process *b)
{
	return !strcmp(a->interpreter, b->interpreter) && !strcmp(a->executable, b->executable);
}

/* Each interpreter once, with the processes that ran it. */
static void write_python(struct out *o, const struct pl_recording *r, uint32_t index)
{
	const struct pl_process *p = pl_recording_process(r, index);
	const uint32_t count = pl_recording_process_count(r);
	struct pl_buf text = {0};
	uint32_t more = 0, named = 0;

	if (!p->interpreter[0]) /* its description was lost */
		return;
	for (uint32_t i = 0; i < index; i++)
		if (same_python(pl_recording_process(r, i), p))
			return;
	for (uint32_t i = index; i < count; i++)
		more += same_python(pl_recording_process(r, i), p);
	buf_printf(
		&text, "%s, %s, in process%s", p->interpreter, p->executable, more > 1 ? "es" : "");
	for (uint32_t i = index; i < count && named < NAMED_MAX; i++)
		if (same_python(pl_recording_process(r, i), p))
			buf_printf(&text, "%s%" PRIu32, named++ ? ", " : " ",
				pl_recording_process(r, i)->number);
	if (more > named)
		buf_printf(&text, " and %" PRIu32 " more", more - named);
	buf_u8(&text, 0);
	out_line(o);
	out_text(o, "  ");
	out_wrap(o, text.failed ? p->executable : (const char *)text.at, 4);
	out_line_end(o);
	buf_release(&text);
}

static void write_pythons(struct out *o, const struct pl_recording *r)
{
	info_title(o, "interpreters");
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++)
		write_python(o, r, i);
}

enum { THREAD_PROCESS, THREAD_NUMBER, THREAD_TID, THREAD_EVENTS, THREAD_SEQ, THREAD_NAME };

static const struct column thread_columns[] = {
	[THREAD_PROCESS] = {NULL, "process"},
	[THREAD_NUMBER] = {NULL, "thread"},
	[THREAD_TID] = {NULL, "tid", 0, 8},
	[THREAD_EVENTS] = {NULL, "events"},
	[THREAD_SEQ] = {NULL, "first seq", 0, 9},
	[THREAD_NAME] = {NULL, "name"},
	{0},
};

static struct cell thread_cell(const void *context, size_t row, unsigned column)
{
	const struct pl_thread *t = ((const struct pl_thread *const *)context)[row];

	switch (column) {
	case THREAD_PROCESS:
		return cell_number(t->process);
	case THREAD_NUMBER:
		return cell_number(t->number);
	case THREAD_TID:
		return cell_number(t->native_id);
	case THREAD_EVENTS:
		return cell_count(t->events);
	case THREAD_SEQ:
		return cell_count(t->first_seq);
	default:
		return cell_text(t->name && t->name[0] ? t->name : "-");
	}
}

/* A thread whose number has no record, after damage, has no row. */
static void write_threads(struct out *o, const struct pl_recording *r)
{
	const size_t most = summary_of(r).threads;
	const struct pl_thread **threads = calloc(most + 1, sizeof *threads);
	size_t count = 0;

	info_title(o, "threads");
	for (uint32_t i = 0; threads && i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		for (uint32_t n = 0; n < p->thread_count && count < most; n++) {
			const struct pl_thread *t = pl_recording_thread(r, p->number, n);
			if (t)
				threads[count++] = t;
		}
	}
	struct sheet s = info_table(thread_columns, threads, count);
	s.cell = thread_cell;
	if (threads)
		sheet_write(&s, o, SHEET_TEXT);
	free(threads);
}

/* ---- counts and losses ---- */

/* A number, right-aligned, and its description. */
static void write_count(struct out *o, const char *name, const char *number, const char *words)
{
	const size_t width = text_width(number);

	out_line(o);
	out_text(o, "  ");
	out_column(o, name, 12);
	out_spaces(o, width < 16 ? 16 - width : 0);
	out_text(o, number);
	if (*words) {
		out_text(o, "  ");
		out_wrap(o, words, COUNT_WIDTH);
	}
	out_line_end(o);
}

static void write_number(struct out *o, const char *name, uint64_t n, const char *words)
{
	char text[UNITS_BYTES];

	units_count(text, n);
	write_count(o, name, text, words);
}

/* Why there are no samples, and what can be done about it. */
static void write_not_sampled(struct out *o, const struct pl_process *p)
{
	char text[640];

	snprintf(text, sizeof text,
		"none of process %" PRIu32 ": the system does not let Pathline read its memory "
		"(%.200s). `report` shares the time of its lines by their counts. Samples need "
		"kernel.yama.ptrace_scope to be 0 or 1, and a program that is dumpable.",
		p->number, strerror(p->samples_refused));
	out_line(o);
	out_text(o, "    ");
	out_wrap(o, text, 4);
	out_line_end(o);
}

/* Samples of where threads were; `report` divides time by them. */
static void write_samples(struct out *o, const struct pl_recording *r)
{
	char count[UNITS_BYTES], text[96];
	uint64_t samples = 0, dropped = 0;

	for (uint32_t i = 0; i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		samples += p->samples;
		dropped += p->samples_dropped;
	}
	units_count(count, dropped);
	snprintf(text, sizeof text, "of where threads were; %s more %s not usable", count,
		dropped == 1 ? "was" : "were");
	write_number(o, "samples", samples, text);
	for (uint32_t i = 0; i < pl_recording_process_count(r); i++)
		if (pl_recording_process(r, i)->samples_refused)
			write_not_sampled(o, pl_recording_process(r, i));
}

/* Writes nothing if there are none. */
static void write_codes(struct out *o, const char *name, uint64_t count, const char *words)
{
	char text[96];

	snprintf(text, sizeof text, "%s%s", count == 1 ? "code" : "codes", words);
	if (count)
		write_number(o, name, count, text);
}

/* Events as the path has them, which is more than were written: see doc/ARCHITECTURE.md,
 * witnesses. */
static void write_counts(
	struct out *o, const struct pl_recording *r, const struct pl_recording_info *info)
{
	struct summary s = summary_of(r);

	info_title(o, "events");
	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
		if (s.counts[k])
			write_number(o, pl_event_kind_name((enum pl_event_kind)k), s.counts[k], "");
	write_number(o, "all", s.events, "");
	if (info->unknown_events)
		write_number(o, "not known", info->unknown_events,
			info->unknown_events == 1
				? "event of a kind that this version does not know"
				: "events of kinds that this version does not know");
	if (info->value_events)
		write_number(o, "values", info->value_events,
			info->value_events == 1 ? "event with its values"
						: "events with their values");
	if (info->variable_events)
		write_number(o, "variables", info->variable_events,
			info->variable_events == 1 ? "event with what variables became"
						   : "events with what variables became");
	if (s.values_cut)
		write_number(o, "values cut", s.values_cut,
			s.values_cut == 1 ? "event with types alone: more than --values-limit"
					  : "events with types alone: more than --values-limit");
	write_number(o, "switches", s.switches, "between threads");
	write_number(o, "waits", s.waits, "of threads, for the collector");
	write_samples(o, r);
	write_codes(o, "left out", s.codes_left_out, ", by the filter");
	write_codes(o, "unanalysed", s.codes_unanalysed, ", of which every line was recorded");
	info_title(o, "on disk");
	for (uint32_t i = 0; pl_recording_size(r, i); i++) {
		const struct pl_size *z = pl_recording_size(r, i);
		char size[UNITS_BYTES], count[UNITS_BYTES], text[64];
		units_size(size, z->bytes);
		units_count(count, z->records);
		snprintf(text, sizeof text, "in %s record%s", count, z->records == 1 ? "" : "s");
		bool dropped = !strcmp(z->kind, "evicted");
		if (dropped)
			strcat(text, ": what --limit dropped");
		write_count(o, dropped ? "dropped" : z->kind, size, text);
	}
}

/* Where, how many, why, and what the recorder or reader said about it. */
static void write_loss(struct out *o, const struct pl_loss *l)
{
	char count[UNITS_BYTES];
	struct pl_buf text = {0};

	if (l->process)
		buf_printf(&text, "process %" PRIu32 " thread %" PRIu32 " seq %" PRIu64 ": ",
			l->process, l->thread, l->seq);
	units_count(count, l->lost);
	if (l->lost)
		buf_printf(&text, "%s event%s, ", count, l->lost == 1 ? "" : "s");
	buf_printf(&text, "%s", pl_gap_reason_text(l->reason));
	if (l->text && l->text[0])
		buf_printf(&text, ": %s", l->text);
	buf_u8(&text, 0);
	out_line(o);
	out_text(o, "  ");
	out_wrap(o, text.failed ? pl_gap_reason_text(l->reason) : (const char *)text.at, 4);
	out_line_end(o);
	buf_release(&text);
}

/* All that is known to be missing; "nothing" is said too, as that is what one looks for here. */
static void write_losses(struct out *o, const struct pl_recording *r)
{
	uint32_t n = pl_recording_loss_count(r);

	info_title(o, "lost");
	if (!n)
		out_text(o, "  nothing\n");
	out_tone(o, n ? TONE_BAD : TONE_PLAIN);
	for (uint32_t i = 0; i < n; i++)
		write_loss(o, pl_recording_loss(r, i));
	out_tone(o, TONE_PLAIN);
}

/* The page, from the whole to its parts. */
static void write_page(struct out *o, const struct pl_recording *r, const char *directory)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	info.directory = directory;
	write_head(o, &info);
	write_when(o, r, &info);
	write_machine(o, &info);
	write_processes(o, r);
	write_pythons(o, r);
	write_threads(o, r);
	write_counts(o, r, &info);
	write_losses(o, r);
}

/* ---- JSON ---- */

/* The same as the head of the page, with plain values. */
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
	json_text(j, "stamps", i->stamps);
	json_text(j, "filter", i->filter);
	json_text(j, "values", i->values);
	json_text(j, "values_of", i->values_of);
	json_text(j, "values_limit", i->values_limit);
	json_text(j, "secrets", i->secrets);
	json_text(j, "redact", i->redact);
	json_u64(j, "limit_bytes", i->limit_bytes);
	json_moment(j, "start", i->start_ns);
	json_moment(j, "end", i->end_ns);
	json_bool(j, "finished", i->finished);
	json_bool(j, "recovered", i->recovered);
	json_bool(j, "unfinished", i->unfinished);
	json_text(j, "window", WINDOW);
}

/* All kinds, also those that did not occur, so that a program need not ask which there are. */
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

/* A process, with its threads inside. A member that belongs to one way to end, such as the signal,
 * is there only if it ended so. */
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
	json_text(j, "ended", summary_end_word(r, p));
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
	json_u64(j, "values_cut", p->values_cut);
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

/* Events that were written, if `record --stat` has counted them; the path shows more. */
static uint64_t recorded_in_all(struct pl_recording *r)
{
	struct pl_recorded row;
	uint64_t sum = 0;

	for (uint32_t i = 0; pl_recording_recorded(r, i, &row); i++)
		for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
			sum += row.counts[k];
	return sum;
}

/* One object for the recording, on one line. */
static void info_json(struct out *o, struct pl_recording *r, const char *directory)
{
	struct json j = {.out = o};
	struct pl_recording_info info;
	struct summary s = summary_of(r);

	pl_recording_info(r, &info);
	info.directory = directory;
	json_line(&j, "info");
	json_recording(&j, &info);
	json_u64(&j, "events", s.events);
	json_u64(&j, "unknown_events", info.unknown_events);
	json_u64(&j, "value_events", info.value_events);
	json_u64(&j, "variable_events", info.variable_events);
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

/* The directory is shown by its own name, even if it was found through `latest`. */
static void write_info(struct out *o, struct pl_recording *r, bool json)
{
	struct pl_recording_info info;
	char *real;

	pl_recording_info(r, &info);
	real = realpath(info.directory, NULL);
	if (json)
		info_json(o, r, real ? real : info.directory);
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
