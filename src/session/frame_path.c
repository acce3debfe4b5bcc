#include "session/frame_path.h"

#include <stdlib.h>
#include "base/array.h"

/* Parts that are read: the first one is small, because most frames are short. */
#define FIRST_STEP 512
#define LAST_STEP  32768

void frame_path_begin(struct frame_path *f, const struct pl_event *at, uint32_t depth)
{
	const struct pl_position *p = &at->position;

	if (f->path.process != p->process || f->path.thread != p->thread) {
		path_reset(&f->path);
		pl_cursor_free(f->c);
		f->c = NULL;
	}
	f->path.r = f->r;
	f->path.stop = f->stop;
	f->path.process = p->process;
	f->path.thread = p->thread;
	f->depth = depth;
	f->greenlet = at->greenlet;
	f->from = f->to = at->seq + 1;
	f->step = FIRST_STEP;
	f->count = f->next = 0;
	f->ended = f->to_begin = f->begun = false;
	f->at = *at;
}

void frame_path_release(struct frame_path *f)
{
	path_release(&f->path);
	pl_cursor_free(f->c);
	free(f->events);
	buf_release(&f->bytes);
	*f = (struct frame_path){.r = f->r, .stop = f->stop};
}

/* ---- a part of the path ---- */

/* After these gaps of the thread a frame may have run on without events. */
static bool gap_loses(const struct pl_event *e)
{
	switch (e->gap) {
	case PL_GAP_JUMPED:
	case PL_GAP_VANISHED:
	case PL_GAP_KILLED:
	case PL_GAP_SIGNAL:
	case PL_GAP_LIVE:
	case PL_GAP_REFUSED:
	case PL_GAP_LEFT_OUT:
		return false;
	default:
		return true;
	}
}

static bool leaves_frame(const struct pl_event *e)
{
	return e->kind == PL_EVENT_RETURN || e->kind == PL_EVENT_UNWIND ||
	       e->kind == PL_EVENT_YIELD;
}

/* Values of the events, one after another, as these are. They are pointed to once all are there,
 * because the bytes move as they grow. */
static void keep_values(struct frame_path *f, const struct pl_values *v)
{
	if (v->at)
		buf_put(&f->bytes, v->at, v->bytes);
}

static const uint8_t *point_to_values(struct pl_values *v, const uint8_t *at)
{
	if (!v->at)
		return at;
	v->at = at;
	return at + v->bytes;
}

static void forget_events(struct frame_path *f)
{
	f->count = 0;
	buf_reset(&f->bytes);
}

static int add_event(struct frame_path *f, const struct pl_event *e, struct pl_err *err)
{
	struct pl_event *events = array_room(f->events, f->count, &f->room, sizeof *events);

	if (!events)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a frame's events");
	f->events = events;
	struct pl_event *kept = &f->events[f->count++];
	*kept = *e;
	kept->task = NULL;
	keep_values(f, &kept->values);
	keep_values(f, &kept->variables);
	return 0;
}

/* Is this event of the frame, if all before it was? */
static bool is_of_frame(const struct frame_path *f, const struct pl_event *e)
{
	return e->kind != PL_EVENT_MARK && e->kind != PL_EVENT_POSSIBLE &&
	       e->kind != PL_EVENT_GAP && e->greenlet == f->greenlet && e->depth == f->depth;
}

/* Has a frame at this depth gone before this event? Frames can end without an event. */
static bool is_below(const struct frame_path *f, const struct pl_event *e)
{
	return e->kind != PL_EVENT_MARK && e->kind != PL_EVENT_POSSIBLE &&
	       e->kind != PL_EVENT_GAP && e->greenlet == f->greenlet && e->depth < f->depth;
}

/* Backward, the frame is the last one of this depth in the part: what was there before another one
 * began is forgotten. */
static int take_before(struct frame_path *f, const struct pl_event *e, struct pl_err *err)
{
	const struct pl_event *last = f->count ? &f->events[f->count - 1] : NULL;

	if (e->kind == PL_EVENT_GAP && gap_loses(e))
		return add_event(f, e, err);
	if (is_below(f, e)) {
		forget_events(f);
		f->ended = true;
		return 0;
	}
	if (!is_of_frame(f, e))
		return 0;
	if (frame_path_enters(e) || (last && leaves_frame(last))) {
		forget_events(f);
		f->ended = true;
	}
	return add_event(f, e, err);
}

/* Forward, the frame is the first one. */
static int take_after(struct frame_path *f, const struct pl_event *e, struct pl_err *err)
{
	if (e->kind == PL_EVENT_GAP && gap_loses(e))
		return add_event(f, e, err);
	f->ended = is_below(f, e) || (is_of_frame(f, e) && frame_path_enters(e));
	if (f->ended || !is_of_frame(f, e))
		return 0;
	f->ended = leaves_frame(e);
	return add_event(f, e, err);
}

static int prepare_cursor(struct frame_path *f, struct pl_err *err)
{
	int code = f->c ? 0 : pl_cursor_new(&f->c, f->r, f->path.process, f->path.thread, err);

	if (code == 0)
		pl_cursor_want_values(f->c, true);
	return code;
}

/* Read what is in [from, to). f->ended: the frame's begin, or in the other direction its end, is
 * among that. */
static int read_part(struct frame_path *f, uint64_t from, uint64_t to, struct pl_err *err)
{
	struct pl_event e;
	int code = prepare_cursor(f, err);

	forget_events(f);
	if (code == 0)
		code = pl_cursor_seek_seq(f->c, from, err);
	while (code == 0 && !path_stopped(&f->path) && !(f->ended && !f->back)) {
		code = pl_cursor_next(f->c, &e, err);
		if (code || e.seq >= to)
			break;
		if (e.seq >= from)
			code = f->back ? take_before(f, &e, err) : take_after(f, &e, err);
	}
	if (f->bytes.failed)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a frame's values");
	const uint8_t *at = f->bytes.at;
	for (size_t i = 0; i < f->count; i++) {
		at = point_to_values(&f->events[i].values, at);
		at = point_to_values(&f->events[i].variables, at);
	}
	f->ended |= code == PL_END && !f->back;
	return code < 0 ? code : path_stopped(&f->path) ? PL_END : 0;
}

static void grow_step(struct frame_path *f)
{
	f->step = f->step < LAST_STEP ? f->step * 4 : LAST_STEP;
}

/* ---- back ---- */

static bool is_of_same_generator(void *context, const struct pl_count *row)
{
	return row->code == ((const struct pl_event *)context)->code;
}

static int begins_generator(void *context, const struct pl_event *e)
{
	return e->generator == ((const struct pl_event *)context)->generator ? 0 : PL_END;
}

/* Where the generator was called, without a visit to its runs: the last such call of its code. */
static int to_generator_call(
	struct frame_path *f, const struct pl_event *of, uint64_t *seq, struct pl_err *err)
{
	const struct pl_wanted wanted = {.process = f->path.process,
		.thread = f->path.thread,
		.kinds = 1u << PL_EVENT_CALL,
		.may = is_of_same_generator,
		.is = begins_generator,
		.context = (void *)of,
		.stop = f->stop};
	struct pl_search *s = NULL;
	struct pl_event e;
	int code = pl_search_new(&s, f->r, &wanted, err);

	if (code == 0)
		code = pl_search_previous(s, *seq, 0, &e, err);
	if (code == 0)
		*seq = e.seq;
	pl_search_free(s);
	return code;
}

/* Go on with the run to which the event of the generator with this seq belongs. */
static int go_to_run(struct frame_path *f, uint64_t seq, struct pl_event *e, struct pl_err *err)
{
	int code = prepare_cursor(f, err);

	if (code == 0)
		code = pl_cursor_seek_seq(f->c, seq, err);
	while (code == 0 && (code = pl_cursor_next(f->c, e, err)) == 0 && e->seq < seq)
		;
	if (code)
		return code;
	f->depth = e->depth;
	f->greenlet = e->greenlet;
	f->from = f->to = seq + 1;
	f->step = FIRST_STEP;
	f->ended = false;
	forget_events(f);
	return 0;
}

/* The frame was resumed by this event: its run before that ends where it was left. */
static int to_earlier_run(struct frame_path *f, const struct pl_event *resumed, struct pl_err *err)
{
	const struct pl_event entry = *resumed;
	struct pl_event left;
	uint64_t seq = entry.seq;

	if ((entry.kind != PL_EVENT_RESUME && entry.kind != PL_EVENT_THROW) || !entry.generator)
		return PL_END;
	int code = f->to_begin ? to_generator_call(f, &entry, &seq, err)
			       : path_to_generator(&f->path, &entry, true, &seq, err);
	if (code == 0)
		code = go_to_run(f, seq, &left, err);
	if (code == 0 && left.kind != PL_EVENT_YIELD && left.kind != PL_EVENT_CALL) {
		f->ended = true; /* where it was left is not recorded */
		return PL_END;
	}
	return code;
}

/* Read the part before those that were read. Deeper frames behind its end are passed over; with
 * to_begin also the frame's own events. */
static int read_before(struct frame_path *f, struct pl_err *err)
{
	const struct pl_thread *t = pl_recording_thread(f->r, f->path.process, f->path.thread);
	const uint64_t first = t ? t->first_seq : 0;
	uint64_t to = f->from;
	int code =
		path_pass_deeper(&f->path, f->to_begin ? f->depth : f->depth + 1, true, &to, err);

	if (code == PL_END && !path_stopped(&f->path)) { /* all events are deeper */
		to = first;
		code = 0;
	}
	if (code)
		return code;
	/* to_begin: its call is the event behind those of other frames */
	to += f->to_begin && to < f->from;
	const uint64_t left = to > first ? to - first : 0;
	f->from = left > f->step ? to - f->step : first;
	f->to = to;
	code = read_part(f, f->from, f->to, err);
	f->ended |= f->from <= first;
	grow_step(f);
	return code;
}

int frame_path_back(struct frame_path *f, const struct pl_event **e, struct pl_err *err)
{
	int code = 0;

	f->back = true;
	while (code == 0 && !f->next) {
		if (f->ended)
			code = f->count ? to_earlier_run(f, &f->events[0], err) : PL_END;
		if (code == 0)
			code = read_before(f, err);
		f->next = code == 0 ? f->count : 0;
	}
	if (code)
		return code;
	*e = &f->events[--f->next];
	return 0;
}

/* ---- forward ---- */

static int read_after(struct frame_path *f, struct pl_err *err)
{
	uint64_t from = f->to;
	int code = path_pass_deeper(&f->path, f->depth + 1, false, &from, err);

	if (code)
		return code;
	f->from = from;
	f->to = from < UINT64_MAX - f->step ? from + f->step : UINT64_MAX;
	code = read_part(f, f->from, f->to, err);
	grow_step(f);
	return code;
}

/* The event leaves the frame: where it goes on. */
static int to_later_run(struct frame_path *f, const struct pl_event *leaves, struct pl_err *err)
{
	const struct pl_event left = *leaves;
	struct pl_event entry;
	uint64_t seq = left.seq + 1;

	if (left.kind != PL_EVENT_YIELD || !left.generator)
		return PL_END;
	int code = path_to_generator(&f->path, &left, false, &seq, err);
	if (code == 0)
		code = go_to_run(f, seq, &entry, err);
	return code ? code : add_event(f, &entry, err);
}

/* The first part: `at` may have left the frame. */
static int begin_forward(struct frame_path *f, struct pl_err *err)
{
	f->begun = true;
	if (f->at.depth == f->depth && leaves_frame(&f->at))
		return to_later_run(f, &f->at, err);
	return read_after(f, err);
}

int frame_path_forward(struct frame_path *f, const struct pl_event **e, struct pl_err *err)
{
	int code = 0;

	f->back = false;
	while (code == 0 && f->next == f->count) {
		if (!f->begun)
			code = begin_forward(f, err);
		else if (f->ended)
			code = f->count ? to_later_run(f, &f->events[f->count - 1], err) : PL_END;
		else
			code = read_after(f, err);
		f->next = 0;
	}
	if (code)
		return code;
	*e = &f->events[f->next++];
	return 0;
}
