/* pathline info --json: one object for a recording. */
#include <string.h>
#include "cmd/info.h"
#include "cmd/json.h"
#include "cmd/summary.h"

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
	json_text(j, "stripped", i->stripped);
	json_u64(j, "limit_bytes", i->limit_bytes);
	json_moment(j, "start", i->start_ns);
	json_moment(j, "end", i->end_ns);
	json_bool(j, "finished", i->finished);
	json_bool(j, "recovered", i->recovered);
	json_bool(j, "unfinished", i->unfinished);
	json_bool(j, "snapshot", i->snapshot);
	json_text(j, "window", info_window(i));
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
	json_u64(j, "held_ns", p->held_ns);
	json_u64(j, "waited_ns", p->waited_ns);
	json_u64(j, "began_ns", p->began_ns);
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

static void json_sources(struct json *j, const struct pl_recording *r)
{
	json_open(j, "event_sources", '[');
	for (uint32_t i = 0; pl_event_source(r, i); i++) {
		const struct pl_event_source *s = pl_event_source(r, i);
		json_open(j, NULL, '{');
		json_text(j, "name", s->name);
		json_text(j, "state", pl_source_state_name(s->state));
		json_text(j, "text", s->text);
		json_u64(j, "events", s->events);
		json_u64(j, "lost", s->lost);
		json_close(j, '}');
	}
	json_close(j, ']');
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
void info_json(struct out *o, struct pl_recording *r, const char *directory)
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
	json_sources(&j, r);
	json_sizes(&j, r);
	json_open(&j, "losses", '[');
	for (uint32_t i = 0; i < pl_recording_loss_count(r); i++)
		json_loss(&j, pl_recording_loss(r, i));
	json_close(&j, ']');
	json_line_end(&j);
}
