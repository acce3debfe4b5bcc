#define _GNU_SOURCE
#include "cmd/summary.h"

#include <stdio.h>
#include <string.h>
#include "base/units.h"

static void add_thread(struct summary *s, const struct pl_thread *t)
{
	s->threads++;
	s->events += t->events;
	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
		s->counts[k] += t->counts[k];
}

static void add_process(struct summary *s, const struct pl_recording *r, const struct pl_process *p)
{
	s->switches += p->switches;
	s->waits += p->waits;
	s->codes_left_out += p->codes_left_out;
	s->codes_unanalysed += p->codes_unanalysed;
	s->values_cut += p->values_cut;
	for (uint32_t n = 0; n < p->thread_count; n++) {
		const struct pl_thread *t = pl_recording_thread(r, p->number, n);
		if (t)
			add_thread(s, t);
	}
}

struct summary summary_of(const struct pl_recording *r)
{
	struct summary s = {.processes = pl_recording_process_count(r)};

	for (uint32_t i = 0; i < s.processes; i++)
		add_process(&s, r, pl_recording_process(r, i));
	for (uint32_t i = 0; pl_recording_size(r, i); i++)
		s.bytes += pl_recording_size(r, i)->bytes;
	s.damaged = pl_recording_damage_count(r) > 0;
	return s;
}

/* Did recording end before the process? */
static bool ran_on(const struct pl_recording *r, const struct pl_process *p)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	return p->end == PL_PROCESS_RUNNING &&
	       (info.finished || (info.unfinished && !info.snapshot));
}

static bool is_detached(const struct pl_process *p)
{
	return p->end == PL_PROCESS_RUNNING && p->end_ns;
}

const char *summary_end_word(const struct pl_recording *r, const struct pl_process *p)
{
	static const char *const words[] = {
		[PL_PROCESS_RUNNING] = "running",
		[PL_PROCESS_EXITED] = "exited",
		[PL_PROCESS_SIGNALED] = "killed",
		[PL_PROCESS_EXECED] = "exec",
		[PL_PROCESS_LOST] = "lost",
	};

	if (is_detached(p))
		return "detached";
	if ((size_t)p->end >= sizeof words / sizeof *words || ran_on(r, p))
		return "not known";
	return words[p->end];
}

/* LOST with a code: it wrote no end, which is so only if a signal kills it. */
void summary_end(
	const struct pl_recording *r, const struct pl_process *p, char text[SUMMARY_END_BYTES])
{
	const char *name = p->end == PL_PROCESS_SIGNALED ? sigabbrev_np(p->end_code) : NULL;

	if (p->end == PL_PROCESS_EXITED)
		snprintf(text, SUMMARY_END_BYTES, "exit %d", p->end_code);
	else if (name)
		snprintf(text, SUMMARY_END_BYTES, "SIG%s", name);
	else if (p->end == PL_PROCESS_SIGNALED)
		snprintf(text, SUMMARY_END_BYTES, "signal %d", p->end_code);
	else if (p->end == PL_PROCESS_EXECED)
		snprintf(text, SUMMARY_END_BYTES, "became another program");
	else if (p->end == PL_PROCESS_LOST && p->end_code)
		snprintf(text, SUMMARY_END_BYTES, "killed, it seems");
	else if (p->end == PL_PROCESS_LOST)
		snprintf(text, SUMMARY_END_BYTES, "not known");
	else
		snprintf(text, SUMMARY_END_BYTES, "%s", summary_end_word(r, p));
}

/* Of the recording as a whole: a gap at the beginning of a thread is not one of these. */
const struct pl_loss *summary_dropped(const struct pl_recording *r)
{
	const struct pl_loss *l;

	for (uint32_t i = 0; (l = pl_recording_loss(r, i)); i++)
		if (l->reason == PL_GAP_EVICTED && !l->process)
			return l;
	return NULL;
}

const struct pl_loss *summary_stopped(const struct pl_recording *r)
{
	const struct pl_loss *l;

	for (uint32_t i = 0; (l = pl_recording_loss(r, i)); i++)
		if (l->reason == PL_GAP_COLLECTOR)
			return l;
	return NULL;
}

size_t summary_missing(
	const struct pl_recording *r, char texts[SUMMARY_MISSING_MAX][SUMMARY_MISSING_BYTES])
{
	const struct pl_loss *dropped = summary_dropped(r), *stopped = summary_stopped(r);
	char count[UNITS_BYTES];
	size_t n = 0;

	if (dropped) {
		units_count(count, dropped->lost);
		snprintf(texts[n++], SUMMARY_MISSING_BYTES,
			"without the oldest %s%s of the recording, which --limit dropped",
			dropped->lost ? count : "part",
			!dropped->lost	     ? ""
			: dropped->lost == 1 ? " event"
					     : " events");
	}
	if (stopped)
		snprintf(texts[n++], SUMMARY_MISSING_BYTES, "recording stopped early: %.250s",
			stopped->text && stopped->text[0] ? stopped->text
							  : pl_gap_reason_text(stopped->reason));
	return n;
}
