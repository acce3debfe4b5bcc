#include "session/step.h"

/* co_flags */
#define CO_COROUTINE	   0x80u
#define CO_ASYNC_GENERATOR 0x200u

/* The frame whose line is looked for. */
struct aim {
	bool lines; /* any of its lines is enough */
	bool any;   /* any frame is enough */
	/* not 0: wait until this generator resumes (forward), or was left (back) */
	uint64_t suspended;
	uint64_t greenlet;
	uint32_t depth;
	const struct pl_code *code; /* of the suspended generator */
	uint32_t missed;	    /* events since the last one that mattered */
};

/* After this many events that do not matter, the next ones are passed over without a visit to
 * each. */
#define MISSED_MAX 4096

static struct aim aim_at(const struct pl_event *e, enum step step)
{
	return (struct aim){.lines = step != STEP_OUT,
		.any = step == STEP_LINE,
		.greenlet = e->greenlet,
		.depth = e->depth};
}

/* The frame has ended: its caller's is the wanted one. Below the outermost frame, whatever runs
 * next in the thread is. */
static void aim_below(struct aim *a)
{
	a->lines = true;
	if (a->depth)
		a->depth--;
	else
		a->any = true;
}

static bool is_entry_event(const struct pl_event *e)
{
	return e->kind == PL_EVENT_RESUME || e->kind == PL_EVENT_THROW;
}

static bool is_end_event(const struct pl_event *e)
{
	return e->kind == PL_EVENT_RETURN || e->kind == PL_EVENT_UNWIND;
}

/* An asynchronous generator that awaits has its consumer suspended right after it; one that yields
 * a value has not. */
static int generator_suspends(
	struct path *p, const struct pl_event *e, bool *yes, struct pl_err *err)
{
	uint32_t flags = e->code ? pl_code_flags(e->code) : 0, depth = e->depth;
	const struct pl_event *after;

	*yes = flags & CO_COROUTINE;
	if (!(flags & CO_ASYNC_GENERATOR))
		return 0;
	int code = path_from(p, e->seq + 1, &after, err);
	if (code == 0)
		*yes = after->kind == PL_EVENT_YIELD && after->depth + 1 == depth;
	return code < 0 ? code : 0;
}

static void aim_at_generator(struct aim *a, uint64_t generator, const struct pl_code *code)
{
	a->suspended = generator;
	a->code = code;
}

/* What the event does to the wanted frame, which is at the top. */
static int leave(struct path *p, struct aim *a, const struct pl_event *e, struct pl_err *err)
{
	const uint64_t generator = e->generator;
	const struct pl_code *of = e->code;
	bool waits = false;
	int code = 0;

	if (e->kind == PL_EVENT_YIELD)
		code = generator_suspends(p, e, &waits, err);
	else if (!is_end_event(e))
		return 0;
	if (waits)
		aim_at_generator(a, generator, of);
	else
		aim_below(a);
	return code;
}

/* Resume the wanted frame that is suspended; false: this event does not matter. */
static bool wakes(struct aim *a, const struct pl_event *e)
{
	if (!a->suspended)
		return a->any || e->greenlet == a->greenlet;
	if (e->generator != a->suspended)
		return false;
	a->suspended = 0;
	a->greenlet = e->greenlet;
	a->depth = e->depth;
	return true;
}

static bool is_line(const struct aim *a, const struct pl_event *e)
{
	return a->lines && e->kind == PL_EVENT_LINE && (a->any || e->depth == a->depth);
}

/* A frame may be gone without an event: an event of a frame below it, or of one in its place, shows
 * that. */
static void adjust(struct aim *a, const struct pl_event *e, bool replaced)
{
	if (a->any || e->kind == PL_EVENT_GAP || e->kind == PL_EVENT_MARK)
		return;
	if (e->depth < a->depth) {
		a->depth = e->depth;
		a->lines = true;
	} else if (e->depth == a->depth && replaced) {
		aim_below(a);
	}
}

/* With more frames than this nothing matters, because only what ends a frame leads out of it. */
static uint32_t frames_of(const struct aim *a)
{
	return a->lines ? a->depth + 1 : a->depth;
}

/* Forward, *seq is the next event to visit; backward, the event before it is. 0, also if it does
 * not move; PL_END, an error. */
static int pass(struct path *p, struct aim *a, bool back, uint64_t *seq, struct pl_err *err)
{
	if (a->any || ++a->missed < MISSED_MAX)
		return 0;
	a->missed = 0;
	if (!a->suspended)
		return path_pass_deeper(p, frames_of(a), back, seq, err);
	const struct pl_event of = {.generator = a->suspended, .code = a->code};
	int code = path_to_generator(p, &of, back, seq, err);
	*seq += back && code == 0;
	return code;
}

int step_forward(struct path *p, const struct pl_event *at, enum step step, struct pl_event *to,
	struct pl_err *err)
{
	struct aim a = aim_at(at, step);
	const struct pl_event *e;
	uint64_t seq = at->seq;
	int code = a.any ? 0 : leave(p, &a, at, err);

	while (code == 0 && !path_stopped(p)) {
		seq++;
		code = pass(p, &a, false, &seq, err);
		if (code == 0)
			code = path_from(p, seq, &e, err);
		if (code)
			return code;
		seq = e->seq;
		if (!wakes(&a, e))
			continue;
		if (e->depth < frames_of(&a))
			a.missed = 0;
		adjust(&a, e, e->kind == PL_EVENT_CALL);
		if (is_line(&a, e)) {
			*to = *e;
			return 0;
		}
		if (!a.any && e->depth == a.depth)
			code = leave(p, &a, e, err);
	}
	return code ? code : PL_END;
}

/* Backward, a frame begins where it was left. `out` takes a generator's consumer for its caller. */
static void enter_back(struct aim *a, const struct pl_event *e, bool out)
{
	uint32_t flags = e->code ? pl_code_flags(e->code) : 0;

	if (e->kind == PL_EVENT_CALL ||
		(is_entry_event(e) && out && !(flags & (CO_COROUTINE | CO_ASYNC_GENERATOR))))
		aim_below(a);
	else if (is_entry_event(e))
		aim_at_generator(a, e->generator, e->code);
}

int step_back(struct path *p, const struct pl_event *at, enum step step, struct pl_event *to,
	struct pl_err *err)
{
	struct aim a = aim_at(at, step);
	const struct pl_event *e;
	uint64_t seq = at->seq;

	if (!a.any)
		enter_back(&a, at, !a.lines);
	while (!path_stopped(p)) {
		int code = pass(p, &a, true, &seq, err);
		if (code == 0)
			code = path_before(p, seq, &e, err);
		if (code)
			return code;
		seq = e->seq;
		bool woken = a.suspended != 0;
		if (!wakes(&a, e))
			continue;
		if (e->depth < frames_of(&a))
			a.missed = 0;
		adjust(&a, e, is_end_event(e) || (e->kind == PL_EVENT_YIELD && !woken));
		if (is_line(&a, e)) {
			*to = *e;
			return 0;
		}
		if (!a.any && e->depth == a.depth)
			enter_back(&a, e, !a.lines);
	}
	return PL_END;
}
