/* From the end of an exception back to where it was raised. */
#define _GNU_SOURCE
#include <string.h>
#include "base/buf.h"
#include "base/thrown.h"
#include "session/crash_look.h"
#include "session/valued.h"
#include "session/why_before.h"

/* The most steps for which an exception is followed through frames and tasks. */
#define STEPS_MAX 4096
/* The number of events before a frame's end that are read to find the exception that ends it. */
#define NEAR 16

#define BIT(kind) (1u << PL_EVENT_##kind)

/* ---- events around an event ---- */

/* Generators keep their identity while their depth changes. */
bool crash_same_frame(const struct pl_event *a, const struct pl_event *b)
{
	if (a->generator || b->generator)
		return a->generator == b->generator;
	return a->depth == b->depth && a->greenlet == b->greenlet;
}

struct before {
	const struct pl_event *of;
	uint32_t in_frame; /* these kinds in the frame of `of` */
	const char *type;  /* that have this type; NULL: any */
};

/* A pl_wanted's `is`. The CALL of the frame is found whatever the type is: nothing of the frame is
 * before it. */
static int call_is_before(void *context, const struct pl_event *e)
{
	const struct before *b = context;

	if (!(b->in_frame >> e->kind & 1) || !crash_same_frame(e, b->of))
		return PL_END;
	return !b->type || e->kind == PL_EVENT_CALL || (e->type && !strcmp(e->type, b->type))
		       ? 0
		       : PL_END;
}

/* The last event of these kinds in the frame of b->of before it. */
static int find_before(const struct crash_look *l, const struct before *b, struct pl_event *to)
{
	const struct pl_wanted wanted = {.process = b->of->position.process,
		.thread = b->of->position.thread,
		.kinds = b->in_frame,
		.is = call_is_before,
		.context = (void *)b,
		.stop = l->bounds->stop};
	struct pl_search *s = NULL;
	int code = pl_search_new(&s, l->r, &wanted, l->err);

	if (code == 0)
		code = pl_search_previous(s, b->of->seq, l->bound, to, l->err);
	pl_search_free(s);
	return code;
}

/* The events before an event, read again. */
struct near {
	struct pl_event events[NEAR];
	size_t count;
};

/* Events before `of`, without gaps, in their order. */
static int read_near(const struct crash_look *l, const struct pl_event *of, struct near *n)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;
	int code = pl_cursor_new(&c, l->r, of->position.process, of->position.thread, l->err);

	n->count = 0;
	if (code == 0)
		code = pl_cursor_seek_seq(c, of->seq > NEAR ? of->seq - NEAR : 0, l->err);
	while (code == 0) {
		code = pl_cursor_next(c, &e, l->err);
		if (code || e.seq >= of->seq)
			break;
		if (e.kind != PL_EVENT_GAP && n->count < NEAR)
			n->events[n->count++] = e;
	}
	pl_cursor_free(c);
	return code < 0 ? code : 0;
}

/* ---- where it was raised ---- */

/* What leaves a frame; it may be resumed later. */
static bool is_frame_end(const struct pl_event *e)
{
	return e->kind == PL_EVENT_RETURN || e->kind == PL_EVENT_YIELD ||
	       e->kind == PL_EVENT_UNWIND;
}

/* Did what is thrown there leave a coroutine that was awaited? */
static bool left_awaited(const struct near *n, size_t thrown)
{
	const struct pl_event *before = thrown ? &n->events[thrown - 1] : NULL;

	return before && before->kind == PL_EVENT_UNWIND &&
	       thrown_goes_on(before->seq, before->depth, &n->events[thrown]);
}

/* From which callee did the exception arrive? Its unwind is the event before, except for finalisers
 * that ran meanwhile; code between them that is left out has none. PL_END: none, it was raised
 * here. */
static int find_callee(
	const struct crash_look *l, const struct pl_event *raise, struct pl_event *to, bool *thrown)
{
	struct near n;
	int code = read_near(l, raise, &n);

	*thrown = false;
	for (size_t i = n.count; code == 0 && i--;) {
		const struct pl_event *e = &n.events[i];
		const bool past_left_out = l->filtered && i + 1 == n.count;
		if (e->greenlet != raise->greenlet)
			continue;
		if (e->depth > raise->depth + 1 && !(past_left_out && e->kind == PL_EVENT_UNWIND))
			continue;
		if (e->kind == PL_EVENT_UNWIND && e->depth > raise->depth) {
			*to = *e;
			return 0;
		}
		*thrown = e->kind == PL_EVENT_THROW;
		if (*thrown && left_awaited(&n, i)) {
			*to = n.events[i - 1];
			return 0;
		}
		if (e->depth <= raise->depth || !is_frame_end(e))
			break;
		while (i && !(n.events[i].depth == e->depth &&
				    (n.events[i].kind == PL_EVENT_CALL ||
					    n.events[i].kind == PL_EVENT_RESUME)))
			i--;
	}
	return code ? code : PL_END;
}

/* The exception with which a frame ends, or that its handler gets: it was raised in the frame, or
 * arrived there. If a handler passes it on, it is what the handler handled: the last one of its
 * type, because no event says when a handler ends. */
static int find_raise(const struct crash_look *l, const struct pl_event *end, const char *type,
	struct pl_event *to)
{
	const struct before last = {
		.of = end, .in_frame = BIT(RAISE) | BIT(RERAISE) | BIT(CALL), .type = type};
	int code = find_before(l, &last, to);

	for (int i = 0; code == 0 && to->kind == PL_EVENT_RERAISE && i < STEPS_MAX; i++) {
		const struct pl_event from = *to;
		const struct before first = {
			.of = &from, .in_frame = BIT(RAISE) | BIT(CALL), .type = from.type};
		struct pl_event found;
		code = find_before(l, &first, &found);
		if (code == PL_END || (code == 0 && found.kind == PL_EVENT_CALL))
			return 0; /* it was raised outside of this frame, and continues here */
		*to = found;
	}
	return code == 0 && to->kind == PL_EVENT_CALL ? PL_END : code;
}

/* ---- what a task handed over ---- */

bool crash_takes_over(struct pl_recording *r, const struct pl_event *raise)
{
	static const char *const words[] = {"await", "yield from", ".result(", "run("};
	size_t indent = 0;
	const struct pl_text t = why_source(r, raise->code, raise->line, &indent);

	for (size_t i = 0; t.length && i < sizeof words / sizeof *words; i++)
		if (memmem(t.at, t.length, words[i], strlen(words[i])))
			return true;
	return false;
}

/* "got = await t": there is nothing but a task, or a future, that can have raised it. */
static bool awaits_a_name(struct pl_recording *r, const struct pl_event *raise)
{
	size_t indent = 0;
	const struct pl_text t = why_source(r, raise->code, raise->line, &indent);
	const char *await = t.length ? memmem(t.at, t.length, "await ", 6) : NULL;

	return await && !memchr(await, '(', t.length - (size_t)(await - t.at));
}

/* asyncio gives a task's exception to what waits for the task: into a coroutine, out of its run, or
 * where it is awaited when it is over. A CancelledError that is thrown into a coroutine mostly
 * comes from a cancel of its own task. `same`: only if it is known to be the same object. */
static bool is_handed_over(
	const struct crash_look *l, const struct crash *c, bool thrown, bool *same)
{
	const struct pl_event *raise = &c->raise;
	const bool sure = raise->code && strstr(pl_code_file(raise->code), "/asyncio/");

	*same = !thrown && !sure && !awaits_a_name(l->r, raise);
	if (thrown || sure)
		return !thrown || !crash_is_orderly(c->type);
	return crash_takes_over(l->r, raise);
}

static uint64_t exception_id(const struct crash_look *l, const struct pl_event *raise)
{
	struct valued valued = {.r = l->r};
	struct pl_event e;
	uint64_t id = 0;

	if (valued_read(&valued, raise, &e, NULL) == 0)
		id = valued_exception(&e).id;
	valued_release(&valued);
	return id;
}

enum crash_same crash_is_same(const struct crash_look *l, const struct crash *c, uint64_t id)
{
	struct pl_event raise;

	if (!id || find_raise(l, &c->end, c->type, &raise))
		return CRASH_MAY_BE;
	const uint64_t other = exception_id(l, &raise);
	return !other ? CRASH_MAY_BE : other == id ? CRASH_SAME : CRASH_OTHER;
}

/* Where the task ended that handed it over to the frame of c->raise. */
static int find_handed_over(const struct crash_look *l, const struct crash *c, bool thrown,
	uint64_t id, struct pl_event *to)
{
	const struct before waits = {.of = &c->raise, .in_frame = BIT(YIELD) | BIT(CALL)};
	struct crash_handed wanted = {.type = c->type, .id = id, .before = c->raise.seq};
	struct pl_event since;
	struct crash task;

	if (!c->type[0] || !is_handed_over(l, c, thrown, &wanted.same_alone))
		return PL_END;
	int code = find_before(l, &waits, &since);
	wanted.since = code == 0 && since.kind == PL_EVENT_YIELD ? since.seq : c->raise.seq;
	if (code >= 0)
		code = crash_task_end(l, &wanted, &task);
	*to = task.end;
	return code;
}

/* ---- all of its way ---- */

/* One frame inwards: the raise of the exception in the frame that ended at `at`. */
static int step_inwards(const struct crash_look *l, const struct crash *c,
	const struct pl_event *at, struct pl_event *raise)
{
	if (at->kind != PL_EVENT_RAISE)
		return find_raise(l, at, c->type[0] ? c->type : NULL, raise);
	*raise = *at;
	return 0;
}

/* From the end back to where the exception was raised. Each turn goes one frame inwards: find where
 * this frame got it, then the callee from which it came. If it came from a task that was awaited,
 * the search goes on in that task, where it ended. What ended last before it may have been
 * something else: a clean-up. */
int crash_origin(const struct crash_look *l, struct crash *c)
{
	struct pl_event at = c->end, raise;
	bool some = false, thrown = false;
	uint64_t id = 0;
	int code = 0;

	for (int i = 0; code == 0 && i < STEPS_MAX; i++) {
		code = step_inwards(l, c, &at, &raise);
		if (code == PL_END && some) {
			code = find_handed_over(l, c, false, id, &at);
			if (code == 0)
				code = step_inwards(l, c, &at, &raise);
		}
		if (code)
			break;
		c->raise = raise;
		some = true;
		id = id || !l->valued ? id : exception_id(l, &raise);
		if (l->raises)
			buf_put(l->raises, &raise, sizeof raise);
		code = find_callee(l, &raise, &at, &thrown);
		if (code == PL_END)
			code = find_handed_over(l, c, thrown, id, &at);
	}
	if (!some)
		c->raise = c->end;
	return code < 0 ? code : 0;
}
