/* From a position to the exception that is meant, and to where that came to its end. */
#include <string.h>
#include "session/ran.h"
#include "session/why.h"

/* So many events after it was raised are read to find its end. */
#define FOLLOWED 65536

#define BIT(kind) (1u << PL_EVENT_##kind)

/* ---- forward, to its end ---- */

/* An exception on its way. */
struct on_its_way {
	struct pl_event in; /* its last raise; the frame that it is in, or has left */
	bool left;	    /* it has left that frame */
	bool handled;	    /* a handler there has it */
	struct crash *out;
};

static bool types_equal(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* It has left a frame: false, if the row shows that it did not arrive in the one below. */
static bool arrives(struct on_its_way *f, const struct pl_event *e)
{
	if (e->kind == PL_EVENT_RAISE && e->depth < f->in.depth &&
		types_equal(e->type, f->out->type)) {
		f->in = *e;
		f->left = false;
		return true;
	}
	return e->kind == PL_EVENT_THROW || e->kind == PL_EVENT_GAP || e->depth >= f->in.depth;
}

/* In its frame. false: it is over, and its end is known. */
static bool goes_on(struct on_its_way *f, const struct pl_event *e)
{
	switch (e->kind) {
	case PL_EVENT_HANDLED:
		f->out->end = *e;
		f->handled = true;
		return true;
	case PL_EVENT_RERAISE:
		f->handled = f->handled && !types_equal(e->type, f->out->type);
		return true;
	case PL_EVENT_UNWIND:
		if (f->handled)
			return false;
		f->out->end = *e;
		f->left = true;
		return e->depth > 0;
	case PL_EVENT_RAISE:
	case PL_EVENT_RETURN:
	case PL_EVENT_YIELD:
		return false;
	default:
		return true;
	}
}

static int follow_out(
	struct why *w, const struct pl_event *raise, struct crash *out, struct pl_err *err)
{
	struct on_its_way f = {.in = *raise, .out = out};
	struct pl_cursor *c = NULL;
	struct pl_event e;
	bool on = true;
	int code = pl_cursor_new(&c, w->r, raise->position.process, raise->position.thread, err);

	out->end = *raise;
	if (code == 0)
		code = pl_cursor_seek_seq(c, raise->seq + 1, err);
	for (uint32_t i = 0; code == 0 && on && i < FOLLOWED; i++) {
		code = pl_cursor_next(c, &e, err);
		if (code == 0 && f.left)
			on = arrives(&f, &e);
		else if (code == 0 && ran_in_one_frame(&e, &f.in))
			on = goes_on(&f, &e);
	}
	pl_cursor_free(c);
	return code < 0 ? code : 0;
}

/* ---- the event that is meant ---- */

static int is_in_frame(void *context, const struct pl_event *e)
{
	return !context || ran_in_one_frame(e, context) ? 0 : PL_END;
}

/* kinds: of the frame of `in`, or if that is NULL of all. */
static int find_event(struct why *w, const struct pl_position *thread, uint32_t kinds,
	struct pl_event *in, struct pl_search **out)
{
	const struct pl_wanted wanted = {.process = thread->process,
		.thread = thread->thread,
		.kinds = kinds,
		.is = is_in_frame,
		.context = in,
		.stop = w->stop};

	return pl_search_new(out, w->r, &wanted, NULL);
}

/* The call at `from`, if an exception ended it. PL_END: none did. */
static int find_call_end(
	struct why *w, struct pl_event *from, struct crash *out, struct pl_err *err)
{
	struct pl_search *s = NULL;
	struct pl_event raise;
	int code = find_event(w, &from->position, BIT(UNWIND) | BIT(RETURN) | BIT(YIELD), from, &s);

	if (code == 0)
		code = pl_search_next(s, from->seq + 1, UINT64_MAX, &out->end, err);
	pl_search_free(s);
	if (code || out->end.kind != PL_EVENT_UNWIND)
		return code ? code : PL_END;
	s = NULL;
	code = find_event(w, &from->position, BIT(RAISE) | BIT(RERAISE), from, &s);
	if (code == 0)
		code = pl_search_previous(s, out->end.seq, from->seq, &raise, err);
	pl_search_free(s);
	out->type = code == 0 && raise.type ? raise.type : "";
	return code < 0 ? code : 0;
}

static int find_raise_before(struct why *w, const struct pl_position *thread, uint64_t seq,
	struct pl_event *raise, struct pl_err *err)
{
	struct pl_search *s = NULL;
	int code = find_event(w, thread, BIT(RAISE), NULL, &s);

	if (code == 0)
		code = pl_search_previous(s, seq < UINT64_MAX ? seq + 1 : seq, 0, raise, err);
	pl_search_free(s);
	return code;
}

static int read_event(struct why *w, const struct pl_position *thread, uint64_t seq,
	struct pl_event *e, struct pl_err *err)
{
	struct pl_cursor *c = NULL;
	int code = pl_cursor_new(&c, w->r, thread->process, thread->thread, err);

	if (code == 0)
		code = pl_cursor_seek_seq(c, seq, err);
	do
		code = code ? code : pl_cursor_next(c, e, err);
	while (code == 0 && e->kind == PL_EVENT_GAP && e->seq <= seq);
	pl_cursor_free(c);
	return code;
}

int why_at(struct why *w, const struct pl_position *thread, uint64_t seq, struct crash *out,
	struct pl_err *err)
{
	struct pl_event e;
	int code = read_event(w, thread, seq, &e, err);

	*out = (struct crash){.type = ""};
	if (code == 0 && e.seq == seq && (BIT(CALL) | BIT(RESUME) | BIT(THROW)) >> e.kind & 1) {
		code = find_call_end(w, &e, out, err);
		if (code != PL_END)
			return code;
	}
	if (code >= 0)
		code = find_raise_before(w, thread, seq, &e, err);
	if (code)
		return code;
	out->type = e.type ? e.type : "";
	out->raise = e;
	return follow_out(w, &e, out, err);
}
