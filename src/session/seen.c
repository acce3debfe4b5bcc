#include "session/seen.h"

#include <inttypes.h>
#include <stdio.h>
#include "base/units.h"

static void add(struct seen *row, const struct pl_sample *s)
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
			add(&rows[s.thread], &s);
	}
	pl_samples_free(samples);
	return code < 0 ? code : 0;
}

bool seen_after(const struct pl_event *last)
{
	return last->depth || (last->kind != PL_EVENT_RETURN && last->kind != PL_EVENT_UNWIND);
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
