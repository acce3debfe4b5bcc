#include "session/why_before.h"

#include <stdlib.h>
#include <string.h>
#include "session/ran.h"

/* The innermost frames in which a handler is looked for. */
#define FRAMES_ASKED 64
/* Longer handlers are not looked through. */
#define HANDLER_LINES 2000

#define BIT(kind) (1u << PL_EVENT_##kind)

struct pl_text why_source(
	struct pl_recording *r, const struct pl_code *code, int32_t line, size_t *indent)
{
	struct pl_text t = {0};

	if (!code || line <= 0 || pl_source_line(r, code, line, &t, NULL))
		return (struct pl_text){0};
	while (t.length && (*t.at == ' ' || *t.at == '\t' || *t.at == '\f')) {
		*indent += *t.at == '\t' ? 8 - *indent % 8 : 1;
		t.at++;
		t.length--;
	}
	while (t.length && (t.at[t.length - 1] == ' ' || t.at[t.length - 1] == '\r'))
		t.length--;
	return t;
}

static bool begins_with(struct pl_text t, const char *word)
{
	const size_t n = strlen(word);

	return t.length >= n && !memcmp(t.at, word, n);
}

/* Is the line in the handler that begins at the other one? An except has it below itself; of a
 * finally the handler's line is the first of its body; that of a with has that one line alone. */
static bool is_in_handler(
	struct pl_recording *r, const struct pl_code *code, int32_t handler, int32_t line)
{
	size_t least = 0;
	const struct pl_text first = why_source(r, code, handler, &least);
	const bool with = begins_with(first, "with ") || begins_with(first, "async with ");

	if (!first.at || line < handler || line - handler > HANDLER_LINES)
		return false;
	if (line == handler || with)
		return line == handler;
	least += begins_with(first, "except");
	for (int32_t n = handler + 1; n <= line; n++) {
		size_t indent = 0;
		const struct pl_text t = why_source(r, code, n, &indent);
		if (t.length && *t.at != '#' && indent < least)
			return false;
	}
	return true;
}

/* ---- the search in a frame ---- */

struct handled_search {
	const struct pl_event *at; /* in the frame */
	const char *type;	   /* NULL: any */
};

static bool handled_may(void *context, const struct pl_count *row)
{
	const struct handled_search *s = context;

	return row->code == s->at->code;
}

/* A clean-up that the compiler added has no line. */
static int handled_is(void *context, const struct pl_event *e)
{
	const struct handled_search *s = context;

	if (!ran_in_one_frame(e, s->at))
		return PL_END;
	if (e->kind == PL_EVENT_CALL)
		return 0;
	return e->line > 0 && (!s->type || (e->type && !strcmp(e->type, s->type))) ? 0 : PL_END;
}

static int find_handled(
	struct why *w, struct handled_search *s, struct pl_event *handled, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = s->at->position.process,
		.thread = s->at->position.thread,
		.kinds = BIT(CALL) | BIT(HANDLED),
		.may = handled_may,
		.is = handled_is,
		.context = s,
		.stop = w->stop};
	struct pl_search *search = NULL;
	int code = pl_search_new(&search, w->r, &wanted, err);

	if (code == 0)
		code = pl_search_previous(search, s->at->seq, 0, handled, err);
	pl_search_free(search);
	return code == 0 && handled->kind == PL_EVENT_CALL ? PL_END : code;
}

/* Of a frame of the stack: as if it had an event there. */
static struct pl_event event_in(
	const struct pl_event *raise, const struct pl_frame *frames, size_t depth)
{
	struct pl_event e = *raise;

	if (depth == raise->depth)
		return e;
	e.code = frames[depth].code;
	e.line = frames[depth].line;
	e.generator = frames[depth].generator;
	e.depth = (uint32_t)depth;
	return e;
}

/* From the innermost frame of the stack outward: the first handler that is at work. */
static int search_stack(
	struct why *w, const struct why_before *b, struct pl_event *handled, struct pl_err *err)
{
	const size_t depth = valued_stack(&w->valued, NULL, 0);
	struct pl_frame *frames = calloc(depth + 1, sizeof *frames);
	int code = frames ? PL_END : PL_ERR_MEMORY;

	if (frames)
		valued_stack(&w->valued, frames, depth);
	for (size_t i = 0; i < depth && i < FRAMES_ASKED && code == PL_END; i++) {
		const struct pl_event at = event_in(b->raise, frames, depth - 1 - i);
		struct handled_search s = {.at = &at, .type = b->type};
		if (w->stop && *w->stop)
			break;
		code = at.code ? find_handled(w, &s, handled, err) : PL_END;
		if (code == 0 && !is_in_handler(w->r, at.code, handled->line, at.line))
			code = PL_END;
	}
	free(frames);
	return code;
}

int why_before(
	struct why *w, const struct why_before *b, struct pl_event *handled, struct pl_err *err)
{
	struct pl_event e;
	const int code = valued_read(&w->valued, b->raise, &e, err);

	return code ? code : search_stack(w, b, handled, err);
}
