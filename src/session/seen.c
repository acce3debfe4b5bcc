#include "session/seen.h"

#include <inttypes.h>
#include <stdio.h>
#include "base/units.h"

/* Looks that found the same line, one after another, are one stay there; another line begins a new
 * one. */
static void seen_add(struct seen *row, const struct pl_sample *s)
{
	const bool same =
		row->code == s->code && row->line == s->line && row->waiting == s->waiting;

	if (!same)
		row->from_ns = s->time_ns;
	row->code = s->code;
	row->line = s->line;
	row->waiting = s->waiting;
	row->to_ns = s->time_ns;
}

/* Samples of all threads are in one stream, in order of time: one reading answers for all rows. */
int seen_last(struct pl_recording *r, uint32_t process, struct seen *rows, uint32_t count,
	struct pl_err *err)
{
	struct pl_samples *samples = NULL;
	struct pl_sample s;
	int code = pl_samples_new(&samples, r, process, err);

	while (code == 0) {
		code = pl_samples_next(samples, &s, err);
		if (code == 0 && s.line > 0 && s.thread < count && rows[s.thread].wanted &&
			s.time_ns >= rows[s.thread].after_ns)
			seen_add(&rows[s.thread], &s);
	}
	pl_samples_free(samples);
	return code < 0 ? code : 0;
}

/* The time of an event is its earliest one: a look between that and the latest one may have been
 * before the event. The gap of a kill has the time of the event before it, and any error. Where
 * events were lost, the thread may have gone on from where a look found it, and come back. */
void seen_ask(struct path *path, struct seen *row)
{
	struct pl_event last;
	int code = path_last(path, UINT64_MAX, &last, NULL);
	bool lost = false;

	if (code == 0 && last.kind == PL_EVENT_GAP) {
		lost = last.gap == PL_GAP_FULL || last.gap == PL_GAP_DROPPED ||
		       last.gap == PL_GAP_COLLECTOR;
		code = path_last(path, last.seq, &last, NULL);
	}
	*row = (struct seen){.wanted = false};
	if (code || lost ||
		(!last.depth && (last.kind == PL_EVENT_RETURN || last.kind == PL_EVENT_UNWIND)))
		return;
	row->wanted = !__builtin_add_overflow(last.time_ns, last.time_error_ns, &row->after_ns);
}

void seen_text(const struct seen *seen, char text[SEEN_BYTES])
{
	const int64_t span_ns = seen->to_ns - seen->from_ns;
	char span[UNITS_BYTES];

	units_duration(span, span_ns);
	snprintf(text, SEEN_BYTES, "line %" PRId32 " of %.120s, %s%s%s", seen->line,
		pl_code_name(seen->code), seen->waiting ? "waiting" : "running",
		span_ns > 0 ? " for " : "", span_ns > 0 ? span : "");
}
