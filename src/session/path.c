#include "session/path.h"

#include <stdlib.h>

/* For steps away from where something is expected. */
#define NEAR_STEP   64
#define NEAR_GROWTH 8

void path_reset(struct path *p)
{
	p->count = 0;
	p->from = p->to = 0;
	p->ended = false;
	pl_cursor_free(p->c);
	pl_cursor_free(p->probe);
	pl_search_free(p->deeper);
	p->c = p->probe = NULL;
	p->deeper = NULL;
}

void path_release(struct path *p)
{
	path_reset(p);
	free(p->events);
	p->events = NULL;
}

/* The window has room for twice PATH_WINDOW events, for gaps that may follow the last one
 * (is_full). */
static int path_prepare(struct path *p, struct pl_err *err)
{
	if (!p->events)
		p->events = malloc(2 * PATH_WINDOW * sizeof *p->events);
	if (!p->events)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a window of the path");
	return p->c ? 0 : pl_cursor_new(&p->c, p->r, p->process, p->thread, err);
}

/* Clear texts that are valid only until the cursor moves. */
static void forget_texts(struct pl_event *e)
{
	e->task = NULL;
	if (e->kind == PL_EVENT_MARK)
		e->type = NULL;
}

/* One event a seq: a gap that the reader put before an event has that event's seq, and gives way to
 * it. */
static void path_keep(struct path *p, const struct pl_event *e)
{
	struct pl_event *last = p->count ? &p->events[p->count - 1] : NULL;

	if (e->kind == PL_EVENT_POSSIBLE)
		return;
	if (last && last->seq >= e->seq) {
		if (last->kind != PL_EVENT_GAP)
			return;
		p->count--;
	}
	last = &p->events[p->count++];
	*last = *e;
	forget_texts(last);
}

/* A gap at the window's end may come from the reader, before the next event. */
static bool window_is_full(const struct path *p)
{
	return p->count >= 2 * PATH_WINDOW ||
	       (p->count >= PATH_WINDOW && p->events[p->count - 1].kind != PL_EVENT_GAP);
}

/* Fill the window with what is there from this seq on. If that is where the last one ended, the
 * cursor goes on from there, and does not seek. */
static int path_load(struct path *p, uint64_t seq, struct pl_err *err)
{
	struct pl_event e;
	bool goes_on = p->c && p->count && p->to == seq && !p->ended;
	int code = path_prepare(p, err);

	if (code == 0 && !goes_on)
		code = pl_cursor_seek_seq(p->c, seq, err);
	p->count = 0;
	p->from = p->to = seq;
	p->ended = false;
	while (code == 0 && !window_is_full(p)) {
		code = pl_cursor_next(p->c, &e, err);
		if (code == 0 && e.seq >= seq)
			path_keep(p, &e);
	}
	p->ended = code == PL_END;
	if (code < 0) {
		path_reset(p);
		return code;
	}
	p->to = p->ended || !p->count ? UINT64_MAX : p->events[p->count - 1].seq + 1;
	return 0;
}

/* How many of the window are before seq. */
static size_t count_before(const struct path *p, uint64_t seq)
{
	size_t low = 0, high = p->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->events[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int path_from(struct path *p, uint64_t seq, const struct pl_event **e, struct pl_err *err)
{
	int code = 0;

	if (!p->c || seq < p->from || seq >= p->to)
		code = path_load(p, seq, err);
	if (code)
		return code;
	size_t index = count_before(p, seq);
	if (index == p->count)
		return PL_END;
	*e = &p->events[index];
	return 0;
}

/* Load from `from`, and say whether something of that is before seq. */
static int try_before(struct path *p, uint64_t from, uint64_t seq, bool *some, struct pl_err *err)
{
	int code = path_load(p, from, err);

	*some = code == 0 && count_before(p, seq) > 0;
	return code;
}

/* Make the window hold the last event before seq. Seq may be far after the end, or after a hole. So
 * this goes back in growing steps, from the thread's end if seq is after it, to where there is
 * something (low), and from there closer to where there is nothing more (high). */
static int load_before(struct path *p, uint64_t seq, struct pl_err *err)
{
	const struct pl_thread *t = pl_recording_thread(p->r, p->process, p->thread);
	uint64_t first = t ? t->first_seq : 0, end = first + (t ? t->events : 0);
	uint64_t low = seq, high = seq, step = PATH_WINDOW;
	bool some = false;
	int code = 0;

	if (seq > end) {
		code = path_load(p, end, err);
		if (code == 0 && !p->count)
			low = high = end;
	}
	while (code == 0 && !some && low > first) {
		high = low;
		low = low - first > step ? low - step : first;
		step = step <= UINT64_MAX / 2 ? step * 2 : step;
		code = try_before(p, low, seq, &some, err);
	}
	while (code == 0 && some && p->to < high) {
		uint64_t middle = low + (high - low) / 2;
		code = try_before(p, middle, seq, &some, err);
		if (some) {
			low = middle;
		} else if (code == 0) {
			high = middle;
			code = try_before(p, low, seq, &some, err);
		}
	}
	return code;
}

int path_before(struct path *p, uint64_t seq, const struct pl_event **e, struct pl_err *err)
{
	bool inside = p->c && seq > p->from && seq <= p->to;

	if (!inside || !count_before(p, seq)) {
		int code = load_before(p, seq, err);
		if (code)
			return code;
	}
	size_t index = count_before(p, seq);
	if (!index)
		return PL_END;
	*e = &p->events[index - 1];
	return 0;
}

/* The first event at or after seq, by a cursor of its own: the window stays. */
static int path_probe(struct path *p, uint64_t seq, struct pl_event *e, struct pl_err *err)
{
	int code = p->probe ? 0 : pl_cursor_new(&p->probe, p->r, p->process, p->thread, err);

	if (code == 0)
		code = pl_cursor_seek_seq(p->probe, seq, err);
	while (code == 0) {
		code = pl_cursor_next(p->probe, e, err);
		if (code == 0 && e->seq >= seq && e->kind != PL_EVENT_POSSIBLE)
			break;
	}
	return code;
}

/* The event is in [low, high]: all before low are before it, and the one at high is not. */
struct bounds {
	uint64_t low, high;
	bool known;	   /* `e` is the event at high */
	struct pl_event e; /* its texts are the probe's */
};

/* Ask at seq, and move one of the bounds there. */
static int narrow(struct path *p, const struct path_key *key, uint64_t seq, struct bounds *b,
	struct pl_err *err)
{
	struct pl_event at;
	int code = path_probe(p, seq, &at, err);

	if (code < 0)
		return code;
	if (code == 0 && key->is_before(&at, key->context)) {
		b->low = at.seq + 1;
	} else {
		b->high = seq;
		b->known = code == 0;
		b->e = at;
	}
	return 0;
}

/* Is it at the edge: after the thread's last event, or at its first one? This is common, for
 * threads that have ended or not begun. */
static int try_edge(
	struct path *p, const struct path_key *key, bool up, struct bounds *b, struct pl_err *err)
{
	const uint64_t end = b->high - 1;

	if (!up)
		return narrow(p, key, b->low, b, err);
	int code = b->low < end ? narrow(p, key, end - 1, b, err) : 0;
	if (b->low == end)
		b->high = end;
	return code;
}

/* Growing steps from `near`, until the bounds are on both sides of it, or as close as that. */
static int narrow_around(
	struct path *p, const struct path_key *key, struct bounds *b, struct pl_err *err)
{
	uint64_t first = b->low, last = b->high, step = NEAR_STEP;
	uint64_t seq = key->near < first ? first : key->near < last ? key->near : last - 1;
	int code = narrow(p, key, seq, b, err);

	const bool up = b->low > seq;
	while (code == 0 && b->low < b->high && (up ? b->high == last : b->low == first)) {
		if (up && step < last - b->low)
			seq = b->low + step - 1;
		else if (!up && step <= b->high - first)
			seq = b->high - step;
		else
			break;
		code = narrow(p, key, seq, b, err);
		if (code == 0 && step == NEAR_STEP && (up ? b->high == last : b->low == first)) {
			code = try_edge(p, key, up, b, err);
			first = b->low;
			last = b->high;
		}
		step *= NEAR_GROWTH;
	}
	return code;
}

/* high is one more than the thread's end: there may be no such event. */
static struct bounds bounds_of(const struct path *p)
{
	const struct pl_thread *t = pl_recording_thread(p->r, p->process, p->thread);
	const uint64_t first = t ? t->first_seq : 0;

	return (struct bounds){.low = first, .high = first + (t ? t->events : 0) + 1};
}

int path_bound(
	struct path *p, const struct path_key *key, bool below, uint64_t *seq, struct pl_err *err)
{
	struct bounds b = bounds_of(p);
	int code = narrow_around(p, key, &b, err);

	*seq = below ? b.low : b.high;
	return code;
}

/* First around `near`, in steps that grow, then by halving: each probe seeks, so the number of them
 * is the cost, and mostly the event is near. */
int path_search(struct path *p, const struct path_key *key, struct pl_event *e, struct pl_err *err)
{
	struct bounds b = bounds_of(p);
	const struct pl_event *window;
	int code = narrow_around(p, key, &b, err);

	while (code == 0 && b.low < b.high)
		code = narrow(p, key, b.low + (b.high - b.low) / 2, &b, err);
	if (code || !b.known)
		return code ? code : PL_END;
	*e = b.e;
	/* the gap may come from the reader: then the event after it has the same seq */
	if (e->kind == PL_EVENT_GAP) {
		code = path_from(p, b.low, &window, err);
		if (code)
			return code;
		*e = *window;
	}
	forget_texts(e);
	return 0;
}

int path_last(struct path *p, uint64_t seq, struct pl_event *e, struct pl_err *err)
{
	const struct pl_thread *t = pl_recording_thread(p->r, p->process, p->thread);
	const uint64_t first = t ? t->first_seq : 0, end = first + (t ? t->events : 0);
	const struct pl_event *window;
	int code;

	seq = seq < end ? seq : end;
	if (seq <= first)
		return PL_END;
	code = path_probe(p, seq - 1, e, err);
	if (code == 0 && e->seq < seq && e->kind != PL_EVENT_GAP) {
		forget_texts(e);
		return 0;
	}
	/* a hole, or a gap */
	code = code < 0 ? code : path_before(p, seq, &window, err);
	if (code == 0)
		*e = *window;
	return code;
}

int path_pass_deeper(struct path *p, uint32_t frames, bool back, uint64_t *seq, struct pl_err *err)
{
	const struct pl_wanted none = {.process = p->process, .thread = p->thread, .stop = p->stop};
	int code = p->deeper ? 0 : pl_search_new(&p->deeper, p->r, &none, err);

	return code ? code : pl_search_shallow(p->deeper, frames, back, seq, err);
}

static bool is_of_code(void *context, const struct pl_count *row)
{
	return row->code == ((const struct pl_event *)context)->code;
}

static int is_of_generator(void *context, const struct pl_event *e)
{
	return e->generator == ((const struct pl_event *)context)->generator ? 0 : PL_END;
}

/* Only events of that code are looked at, and of those only the generator's own count. */
int path_to_generator(
	struct path *p, const struct pl_event *of, bool back, uint64_t *seq, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = p->process,
		.thread = p->thread,
		.kinds = 1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW | 1u << PL_EVENT_YIELD,
		.may = is_of_code,
		.is = is_of_generator,
		.context = (void *)of,
		.stop = p->stop};
	struct pl_search *s = NULL;
	struct pl_event e;
	int code = pl_search_new(&s, p->r, &wanted, err);

	if (code == 0)
		code = back ? pl_search_previous(s, *seq, 0, &e, err)
			    : pl_search_next(s, *seq, UINT64_MAX, &e, err);
	if (code == 0)
		*seq = e.seq;
	pl_search_free(s);
	return code;
}
