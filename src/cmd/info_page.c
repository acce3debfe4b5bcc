/* pathline info: the page for a person. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/units.h"
#include "cmd/info.h"
#include "cmd/summary.h"
#include "os/local.h"

#define LABEL_WIDTH 13
#define COUNT_WIDTH 32 /* of a count and its name */

static const char *recording_state(const struct pl_recording *r, const struct pl_recording_info *i)
{
	if (i->snapshot)
		return "a snapshot, whole up to its time: the recording went on when it was made";
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

void info_title(struct out *o, const char *word)
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
	label_text(o, "window", info_window(i));
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
	if (i->stripped[0])
		label_text(o, "taken out",
			!strcmp(i->stripped, "values sources") ? "values, source texts"
			: !strcmp(i->stripped, "sources")      ? "source texts"
							       : "values");
	units_size(size, i->limit_bytes);
	label_text(o, "limit", i->limit_bytes ? size : "none");
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

/* Events of sources beside the recorder; or why there are none. */
static void write_sources(struct out *o, const struct pl_recording *r)
{
	char count[UNITS_BYTES], text[96];

	for (uint32_t i = 0; pl_event_source(r, i); i++) {
		const struct pl_event_source *s = pl_event_source(r, i);
		units_count(count, s->lost);
		snprintf(text, sizeof text,
			s->lost ? "beside the path; %s lost" : "beside the path", count);
		write_number(o, s->name, s->events, text);
		if (!s->text[0])
			continue;
		out_line(o);
		out_text(o, "    ");
		out_wrap(o, s->text, 4);
		out_line_end(o);
	}
}

/* Writes nothing if there are none. */
static void write_codes(struct out *o, const char *name, uint64_t count, const char *words)
{
	char text[96];

	snprintf(text, sizeof text, "%s%s", count == 1 ? "code" : "codes", words);
	if (count)
		write_number(o, name, count, text);
}

/* A row for a count of events that not all recordings have. */
static void write_some(struct out *o, const char *name, uint64_t count, const char *const words[2])
{
	if (count)
		write_number(o, name, count, words[count > 1]);
}

static void write_further_counts(
	struct out *o, const struct summary *s, const struct pl_recording_info *info)
{
	static const char *const unknown[] = {"event of a kind that this version does not know",
		"events of kinds that this version does not know"};
	static const char *const values[] = {"event with its values", "events with their values"};
	static const char *const variables[] = {
		"event with what variables became", "events with what variables became"};
	static const char *const cut[] = {"event with types alone: more than --values-limit",
		"events with types alone: more than --values-limit"};

	write_some(o, "not known", info->unknown_events, unknown);
	write_some(o, "values", info->value_events, values);
	write_some(o, "variables", info->variable_events, variables);
	write_some(o, "values cut", s->values_cut, cut);
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
	write_further_counts(o, &s, info);
	write_number(o, "switches", s.switches, "between threads");
	write_number(o, "waits", s.waits, "of threads, for the collector");
	write_samples(o, r);
	write_sources(o, r);
	write_codes(o, "left out", s.codes_left_out, ", by the filter");
	write_codes(o, "unanalysed", s.codes_unanalysed, ", of which every line was recorded");
}

static void write_sizes(struct out *o, const struct pl_recording *r)
{
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
void info_page(struct out *o, const struct pl_recording *r, const char *directory)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	info.directory = directory;
	write_head(o, &info);
	write_when(o, r, &info);
	write_machine(o, &info);
	info_processes(o, r);
	info_pythons(o, r);
	info_threads(o, r);
	write_counts(o, r, &info);
	write_sizes(o, r);
	write_losses(o, r);
}
