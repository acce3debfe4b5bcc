#include "export/path.h"

#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/map.h"

#define BEGIN_KINDS (1u << PL_EVENT_CALL | 1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW)
#define END_KINDS   (1u << PL_EVENT_RETURN | 1u << PL_EVENT_YIELD | 1u << PL_EVENT_UNWIND)
#define POINT_KINDS (1u << PL_EVENT_RAISE | 1u << PL_EVENT_MARK | 1u << PL_EVENT_GAP)

/* A frame that is open. What a filter leaves out is not here, so those below may be missing. */
struct open_frame {
	struct export_slice slice, line;
	bool in_line;
	uint32_t depth;
	unsigned char *kept; /* owned: bytes of the values; NULL: there are none */
};

struct open_track {
	struct export_track track;
	struct open_frame *frames; /* owned, by ascending depth */
	size_t count, room;
};

/* A thread that is gone along. */
struct walked {
	struct export_path *path;
	const struct pl_process *process;
	const struct pl_thread *thread;
	struct pl_cursor *c;
	struct open_track **tracks; /* owned; the thread's own, then one for each greenlet */
	size_t count, room;
	struct pl_map by_greenlet; /* owned: its number -> index in `tracks` */
	struct pl_frame *stack;	   /* owned */
	size_t stack_room;
	struct open_track *running; /* one of them; NULL: none yet */
	int64_t last_ns;	    /* of the last event */
};

/* ---- tracks ---- */

/* All tracks of a thread are the same one in the output if the format wants it so. */
static int add_track(struct walked *w, uint64_t greenlet)
{
	struct export *x = w->path->x;
	const bool first = !w->count || !x->format->by_thread;
	struct open_track **tracks = array_room(w->tracks, w->count, &w->room, sizeof *tracks);

	if (!tracks)
		return PL_ERR_MEMORY;
	w->tracks = tracks;
	struct open_track *t = calloc(1, sizeof *t);
	uint64_t *index = t ? map_put(&w->by_greenlet, greenlet) : NULL;
	if (!index) {
		free(t);
		return PL_ERR_MEMORY;
	}
	t->track = first ? (struct export_track){.number = ++w->path->tracks,
				   .process = w->process,
				   .thread = w->thread,
				   .greenlet = greenlet}
			 : w->tracks[0]->track;
	*index = w->count;
	w->tracks[w->count++] = t;
	return first && x->format->track ? x->format->track(x, &t->track) : 0;
}

static int track_of(struct walked *w, uint64_t greenlet, struct open_track **out)
{
	const uint64_t *index = map_find(&w->by_greenlet, greenlet);
	int code = index ? 0 : add_track(w, greenlet);

	if (code == 0 && !index)
		index = map_find(&w->by_greenlet, greenlet);
	*out = code == 0 ? w->tracks[*index] : NULL;
	return code;
}

/* ---- slices ---- */

static struct open_frame *top_of(struct open_track *t)
{
	return t->count ? &t->frames[t->count - 1] : NULL;
}

/* The innermost slice that is open, 0: none. */
static uint64_t around(struct open_track *t)
{
	const struct open_frame *top = top_of(t);

	return !top ? 0 : top->in_line ? top->line.number : top->slice.number;
}

static int end_slice(struct walked *w, struct export_slice *s, const struct pl_event *e)
{
	struct export *x = w->path->x;

	s->end_ns = w->last_ns;
	return x->format->slice_end ? x->format->slice_end(x, s, e) : 0;
}

/* Its number is known already if it begins again. */
static int begin_slice(struct walked *w, struct export_slice *s, const char *task)
{
	struct export *x = w->path->x;

	if (!s->root)
		s->root = s->number;
	return x->format->slice_begin ? x->format->slice_begin(x, s, task) : 0;
}

static int end_line(struct walked *w, struct open_frame *frame)
{
	if (!frame->in_line)
		return 0;
	frame->in_line = false;
	return end_slice(w, &frame->line, NULL);
}

/* The top frame ends, with `e` or without an event. */
static int pop(struct walked *w, struct open_track *t, const struct pl_event *e)
{
	struct open_frame *frame = top_of(t);
	int code = end_line(w, frame);

	if (code == 0)
		code = end_slice(w, &frame->slice, e);
	free(frame->kept);
	t->count--;
	return code;
}

/* Those of at least this depth, from the top. */
static int pop_from(struct walked *w, struct open_track *t, uint32_t depth)
{
	int code = 0;

	while (code == 0 && t->count && top_of(t)->depth >= depth)
		code = pop(w, t, NULL);
	return code;
}

/* The bytes of the values are not valid for as long as the frame. */
static bool keep_values(struct open_frame *frame, const struct pl_values *values)
{
	if (!values->bytes)
		return true;
	frame->kept = malloc(values->bytes);
	if (!frame->kept)
		return false;
	memcpy(frame->kept, values->at, values->bytes);
	frame->slice.values = *values;
	frame->slice.values.at = frame->kept;
	return true;
}

/* e: a begin; or a gap after which the frame is there. */
static int push(struct walked *w, struct open_track *t, const struct pl_event *e)
{
	struct open_frame *frames = array_room(t->frames, t->count, &t->room, sizeof *frames);

	if (!frames)
		return PL_ERR_MEMORY;
	t->frames = frames;
	const struct open_frame *top = top_of(t);
	struct open_frame frame = {.depth = e->depth,
		.slice = {.track = &t->track,
			.code = e->code,
			.number = ++w->path->slices,
			.parent = around(t),
			.root = top ? top->slice.root : 0,
			.is_task = e->task_id && (!top || top->slice.task_id != e->task_id),
			.generator = e->generator,
			.task_id = e->task_id,
			.begin_ns = e->time_ns,
			.begun = e->kind}};
	if (e->kind != PL_EVENT_GAP)
		frame.slice.at = e->position;
	if (!keep_values(&frame, &e->values))
		return PL_ERR_MEMORY;
	t->frames[t->count++] = frame;
	return begin_slice(w, &top_of(t)->slice, e->task);
}

/* ---- greenlets ---- */

/* Another greenlet runs: what is open of the last one ends, and begins again when it goes on. */
static int leave_track(struct walked *w, struct open_track *t)
{
	int code = 0;

	for (size_t i = t->count; i > 0 && code == 0; i--) {
		struct open_frame *frame = &t->frames[i - 1];
		if (frame->in_line)
			code = end_slice(w, &frame->line, NULL);
		if (code == 0)
			code = end_slice(w, &frame->slice, NULL);
	}
	return code;
}

static int enter_track(struct walked *w, struct open_track *t)
{
	int code = 0;

	for (size_t i = 0; i < t->count && code == 0; i++) {
		struct open_frame *frame = &t->frames[i];
		frame->slice.begin_ns = frame->line.begin_ns = w->last_ns;
		code = begin_slice(w, &frame->slice, NULL);
		if (code == 0 && frame->in_line)
			code = begin_slice(w, &frame->line, NULL);
	}
	return code;
}

static int run_track(struct walked *w, struct open_track *t)
{
	struct open_track *last = w->running;
	int code = 0;

	if (last && last != t && w->path->x->format->by_thread)
		code = leave_track(w, last);
	if (code == 0 && last && last != t && w->path->x->format->by_thread)
		code = enter_track(w, t);
	w->running = t;
	return code;
}

/* ---- gaps ---- */

static int read_stack(struct walked *w, size_t *depth)
{
	*depth = pl_cursor_stack(w->c, w->stack, w->stack_room);
	if (*depth <= w->stack_room)
		return 0;
	struct pl_frame *larger = realloc(w->stack, *depth * sizeof *larger);
	if (!larger)
		return PL_ERR_MEMORY;
	w->stack = larger;
	w->stack_room = *depth;
	*depth = pl_cursor_stack(w->c, w->stack, w->stack_room);
	return 0;
}

/* The open frames that are on the stack, counted from the bottom. */
static size_t still_there(const struct walked *w, const struct open_track *t, size_t depth)
{
	size_t n = 0;

	while (n < t->count && t->frames[n].depth < depth) {
		const struct pl_frame *f = &w->stack[t->frames[n].depth];
		if (f->code != t->frames[n].slice.code ||
			f->generator != t->frames[n].slice.generator)
			break;
		n++;
	}
	return n;
}

/* Those of the stack that are not open. Whether one is wanted is known only at its begin, so where
 * something is left out, these are. */
static int push_stack(struct walked *w, struct open_track *t, size_t depth, int64_t time_ns)
{
	struct pl_event e = {.kind = PL_EVENT_GAP, .time_ns = time_ns};
	int code = 0;

	e.depth = t->count ? top_of(t)->depth + 1 : 0;
	for (; code == 0 && !w->path->wants && e.depth < depth; e.depth++) {
		const struct pl_frame *f = &w->stack[e.depth];
		e.code = f->code;
		e.generator = f->generator;
		e.task_id = f->task_id;
		e.task = f->task;
		code = push(w, t, &e);
	}
	return code;
}

/* The stack may be another one now. */
static int follow_stack(struct walked *w, struct open_track *t, const struct pl_event *gap)
{
	size_t depth;
	int code = read_stack(w, &depth);

	if (code)
		return code;
	const size_t there = still_there(w, t, depth);
	while (code == 0 && t->count > there)
		code = pop(w, t, NULL);
	return code ? code : push_stack(w, t, depth, gap->time_ns);
}

/* ---- events ---- */

static int take_end(struct walked *w, struct open_track *t, const struct pl_event *e)
{
	int code = pop_from(w, t, e->depth + 1);
	const struct open_frame *top = top_of(t);

	if (code == 0 && top && top->depth == e->depth && top->slice.code == e->code)
		code = pop(w, t, e);
	return code;
}

static int take_line(struct walked *w, struct open_track *t, const struct pl_event *e, bool wanted)
{
	int code = pop_from(w, t, e->depth + 1);
	struct open_frame *top = top_of(t);

	if (code || !w->path->lines || !top || top->depth != e->depth)
		return code;
	code = end_line(w, top);
	if (code || !wanted)
		return code;
	top->line = (struct export_slice){.track = &t->track,
		.code = e->code,
		.line = e->line,
		.number = ++w->path->slices,
		.parent = top->slice.number,
		.root = top->slice.root,
		.begin_ns = e->time_ns,
		.at = e->position,
		.begun = e->kind};
	top->in_line = true;
	return begin_slice(w, &top->line, e->task);
}

static int take_point(struct walked *w, struct open_track *t, const struct pl_event *e, bool wanted)
{
	struct export *x = w->path->x;
	struct open_frame *top = top_of(t);

	if (e->kind == PL_EVENT_RAISE && top && top->depth == e->depth)
		top->slice.exception = e->type;
	int code = wanted && x->format->instant ? x->format->instant(x, &t->track, e) : 0;

	if (code == 0 && e->kind == PL_EVENT_GAP)
		code = follow_stack(w, t, e);
	return code;
}

static int take_event(struct walked *w, const struct pl_event *e)
{
	struct export_path *path = w->path;
	const uint32_t kind = 1u << e->kind;
	const int asked = path->wants ? path->wants(path->context, e) : 0;
	struct open_track *t;

	w->last_ns = e->time_ns;
	int code = asked < 0 ? asked : track_of(w, e->greenlet, &t);
	if (code == 0)
		code = run_track(w, t);
	if (code)
		return code;
	if (kind & POINT_KINDS)
		return take_point(w, t, e, asked == 0);
	if (kind & END_KINDS)
		return take_end(w, t, e);
	if (pl_event_is_pass(e->kind))
		return take_line(w, t, e, asked == 0);
	if (e->kind == PL_EVENT_RERAISE && top_of(t) && top_of(t)->depth == e->depth)
		top_of(t)->slice.exception = e->type;
	if (!(kind & BEGIN_KINDS))
		return 0;
	code = pop_from(w, t, e->depth);
	return code == 0 && asked == 0 ? push(w, t, e) : code;
}

/* What is open when the path ends, or past the last wanted event. Frames of greenlets that do not
 * run are closed already if the thread is one track. */
static int end_tracks(struct walked *w)
{
	const struct export_format *f = w->path->x->format;
	int code = 0;

	for (size_t i = 0; i < w->count && code == 0; i++) {
		struct open_track *t = w->tracks[i];
		if (!f->by_thread || t == w->running)
			code = pop_from(w, t, 0);
	}
	for (size_t i = 0; f->track_end && i < (f->by_thread ? 1 : w->count) && code == 0; i++)
		code = f->track_end(w->path->x, &w->tracks[i]->track, w->last_ns);
	return code;
}

static void release(struct walked *w)
{
	for (size_t i = 0; i < w->count; i++) {
		struct open_track *t = w->tracks[i];
		while (t->count)
			free(t->frames[--t->count].kept);
		free(t->frames);
		free(t);
	}
	map_release(&w->by_greenlet);
	free(w->tracks);
	free(w->stack);
}

/* The first event, after which it is known whose stack it was where the cursor stood. */
static int take_first(struct walked *w, size_t depth, const struct pl_event *e)
{
	struct open_track *t;
	int code = track_of(w, e->greenlet, &t);

	w->last_ns = e->time_ns;
	if (code == 0)
		code = run_track(w, t);
	return code ? code : push_stack(w, t, depth, e->time_ns);
}

static bool is_past(const struct export_path *path, const struct pl_event *e)
{
	return path->is_past && path->is_past(path->context, e);
}

/* Until the path ends, or what is wanted of it. */
static int walk(struct walked *w, struct pl_err *err)
{
	struct pl_event e;
	size_t depth;
	bool first = true;
	int code = read_stack(w, &depth);

	while (code == 0) {
		code = pl_cursor_next(w->c, &e, err);
		if (code == 0 && is_past(w->path, &e))
			code = PL_END;
		if (code == 0 && first)
			code = take_first(w, depth, &e);
		first = false;
		if (code == 0)
			code = take_event(w, &e);
		if (code == 0 && export_put(w->path->x))
			return w->path->x->stopped ? PL_END : PL_ERR_MEMORY;
	}
	return code == PL_END ? end_tracks(w) : code;
}

int export_path_thread(struct export_path *path, struct pl_cursor *c, const struct pl_process *p,
	const struct pl_thread *t, struct pl_err *err)
{
	struct walked w = {.path = path, .process = p, .thread = t, .c = c, .last_ns = t->start_ns};
	struct open_track *own;
	int code = track_of(&w, 0, &own);

	if (code == 0)
		code = walk(&w, err);
	release(&w);
	return code;
}
