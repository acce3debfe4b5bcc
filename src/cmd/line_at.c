#include "cmd/line_at.h"

/* The first event at or after this time: its seq, or UINT64_MAX if there is none. */
static uint64_t seq_from(struct pl_recording *r, const struct line_at *at, int64_t time_ns)
{
	struct pl_cursor *c = NULL;
	struct pl_event e = {.seq = UINT64_MAX};
	int code = pl_cursor_new(&c, r, at->process, at->thread, NULL);

	if (code == 0)
		code = pl_cursor_seek_time(c, time_ns, NULL);
	if (code == 0)
		code = pl_cursor_next(c, &e, NULL);
	pl_cursor_free(c);
	return code == 0 ? e.seq : UINT64_MAX;
}

static bool is_line(void *context, const struct pl_count *row)
{
	const struct line_at *at = context;

	return row->line == at->line && row->code && pl_code_same_text(row->code, at->code);
}

bool line_at_seq(struct pl_recording *r, const struct line_at *at, uint64_t *seq)
{
	const struct pl_wanted wanted = {
		.kinds = 1u << PL_EVENT_LINE, .may = is_line, .context = (void *)at};
	const uint64_t from = seq_from(r, at, at->from_ns), end = seq_from(r, at, at->to_ns);
	struct pl_search *s = NULL;
	struct pl_event e;
	int code = at->code && at->line > 0 && from < end ? 0 : PL_END;

	if (code == 0)
		code = pl_search_new(&s, r, at->process, at->thread, &wanted, NULL);
	if (code == 0)
		code = pl_search_next(s, from, end, &e, NULL);
	pl_search_free(s);
	if (code == 0)
		*seq = e.seq;
	return code == 0;
}
