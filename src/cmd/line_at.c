#include "cmd/line_at.h"

#include <string.h>

/* A pass is looked for in the outermost frames. */
#define FRAMES_MAX 1024
#define BIT(kind)  (1u << PL_EVENT_##kind)
#define ENTRIES	   (BIT(CALL) | BIT(RESUME) | BIT(THROW) | BIT(OUTSIDE))

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
	const struct pl_wanted wanted = {.process = at->process,
		.thread = at->thread,
		.kinds = 1u << PL_EVENT_LINE,
		.may = is_line,
		.context = (void *)at};
	struct pl_search *s = NULL;
	struct pl_event e;
	int code = at->code && at->line > 0 && at->from_seq < at->before_seq ? 0 : PL_END;

	if (code == 0)
		code = pl_search_new(&s, r, &wanted, NULL);
	if (code == 0)
		code = pl_search_previous(s, at->before_seq, at->from_seq, &e, NULL);
	pl_search_free(s);
	if (code == 0)
		*seq = e.seq;
	return code == 0;
}

/* ---- the longest pass ---- */

struct pass {
	const struct line_at *at;
	uint64_t begin, end; /* seq: it began at or after the one, and before the other */
	uint32_t depth;	     /* of its frame */
	bool known;	     /* the depth is; else it is the least so far */
	uint64_t seq;	     /* at which it began, as far as it was looked for */
};

static bool is_code(const struct pl_code *code, const struct pl_code *other)
{
	return code && pl_code_same_text(code, other) &&
	       pl_code_first_line(code) == pl_code_first_line(other) &&
	       !strcmp(pl_code_name(code), pl_code_name(other));
}

/* When the pass ended, its frame was on the stack. Of several in recursion the outermost one took
 * longest. */
static int find_end(struct pl_recording *r, struct pass *pass)
{
	const struct line_at *at = pass->at;
	struct pl_frame frames[FRAMES_MAX];
	struct pl_cursor *c = NULL;
	struct pl_event e;
	int code = pl_cursor_new(&c, r, at->process, at->thread, NULL);

	if (code == 0)
		code = pl_cursor_seek_time(c, at->to_ns, NULL);
	size_t depth = code == 0 ? pl_cursor_stack(c, frames, FRAMES_MAX) : 0;
	for (size_t i = 0; i < depth && i < FRAMES_MAX && !pass->known; i++) {
		pass->known = is_code(frames[i].code, at->code) &&
			      (!at->line || frames[i].line == at->line);
		pass->depth = (uint32_t)i;
	}
	if (code == 0)
		code = pl_cursor_next(c, &e, NULL);
	pass->end = code == 0 ? e.seq : UINT64_MAX;
	pl_cursor_free(c);
	return code < 0 ? code : 0;
}

/* The first event with the stamp at or before the time at which the pass began. */
static void find_begin(struct pl_recording *r, struct pass *pass)
{
	const struct line_at *at = pass->at;
	const uint64_t next = seq_from(r, at, at->from_ns);
	struct pl_cursor *c = NULL;
	struct pl_event e;
	int code = pl_cursor_new(&c, r, at->process, at->thread, NULL);

	if (code == 0)
		code = pl_cursor_seek_seq(c, next ? next - 1 : 0, NULL);
	if (code == 0)
		code = pl_cursor_next(c, &e, NULL);
	pl_cursor_free(c);
	pass->begin = code == 0 ? seq_from(r, at, e.time_ns) : 0;
}

static bool may_begin(void *context, const struct pl_count *row)
{
	const struct pass *pass = context;

	return is_code(row->code, pass->at->code) &&
	       (row->kind != PL_EVENT_LINE || row->line == pass->at->line);
}

/* In a frame whose depth is known the last one is it. Else the frame was left between two stamps,
 * and the last one in the outermost frame is. */
static int note_begin(void *context, const struct pl_event *e)
{
	struct pass *pass = context;

	if (pass->known)
		return e->depth == pass->depth ? 0 : PL_END;
	if (pass->at->line && pass->at->line != e->line)
		return PL_END;
	if (e->depth <= pass->depth) {
		pass->depth = e->depth;
		pass->seq = e->seq;
	}
	return PL_END;
}

static int search_pass(struct pl_recording *r, struct pass *pass, uint32_t kinds)
{
	const struct line_at *at = pass->at;
	const struct pl_wanted wanted = {.process = at->process,
		.thread = at->thread,
		.kinds = kinds,
		.may = may_begin,
		.is = note_begin,
		.context = pass};
	struct pl_search *s = NULL;
	struct pl_event e;
	int code = pl_search_new(&s, r, &wanted, NULL);

	if (code == 0 && pass->known)
		code = pl_search_previous(s, pass->end, 0, &e, NULL);
	else if (code == 0)
		code = pl_search_next(s, pass->begin, pass->end, &e, NULL);
	if (code == 0)
		pass->seq = e.seq;
	pl_search_free(s);
	return code < 0 ? code : 0;
}

/* A pass begins at its line, or where its frame begins or goes on: of the line of a `def` no event
 * but the call says that it ran. */
bool line_at_longest(struct pl_recording *r, const struct line_at *at, uint64_t *seq)
{
	struct pass pass = {.at = at, .seq = UINT64_MAX};

	if (!at->code || find_end(r, &pass) < 0)
		return false;
	if (!pass.known) {
		pass.depth = UINT32_MAX;
		find_begin(r, &pass);
	}
	if (search_pass(r, &pass, at->line ? BIT(LINE) | ENTRIES : ENTRIES) < 0)
		return false;
	*seq = pass.seq;
	return pass.seq != UINT64_MAX;
}
