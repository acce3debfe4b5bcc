#include "format/stack.h"

#include <stdlib.h>

#define FIRST_ROOM 64

static int grow_array(void **array, uint32_t *room, size_t item_bytes)
{
	uint32_t more = *room ? *room * 2 : FIRST_ROOM;
	void *at = more > *room ? realloc(*array, more * item_bytes) : NULL;

	if (!at)
		return PL_ERR_MEMORY;
	*array = at;
	*room = more;
	return 0;
}

/* Room for one more frame. */
static int reserve_frame(struct stack *s)
{
	void *frames = s->frames;

	if (s->depth < s->room)
		return 0;
	if (grow_array(&frames, &s->room, sizeof *s->frames))
		return PL_ERR_MEMORY;
	s->frames = frames;
	return 0;
}

int stack_push(struct stack *s, const struct stack_frame *f)
{
	if (reserve_frame(s))
		return PL_ERR_MEMORY;
	s->frames[s->depth++] = *f;
	return 0;
}

/* The place of the top frame is always its own: a place that a gap made unknown is marked when its
 * frame becomes the top. */
static void reveal_top(struct stack *s)
{
	if (!s->stale || s->depth > s->stale)
		return;
	s->stale = 0;
	if (!s->depth)
		return;
	s->frames[s->depth - 1].place = PLACE_UNKNOWN;
	s->frames[s->depth - 1].from_place = PLACE_UNKNOWN;
	s->stale = s->depth - 1;
}

/* Tasks go with the frames that are their roots. */
int stack_pops(struct stack *s, uint64_t n)
{
	if (n > s->depth)
		return PL_ERR_FORMAT;
	s->depth -= (uint32_t)n;
	if (s->depth < s->min_depth)
		s->min_depth = s->depth;
	reveal_top(s);
	while (s->task_count && s->tasks[s->task_count - 1].frame >= s->depth)
		s->task_count--;
	return 0;
}

static void name_task(struct stack_task *t, struct pl_view name)
{
	t->length = (uint8_t)name.left;
	if (name.left)
		memcpy(t->name, name.at, name.left);
	t->name[name.left] = 0;
}

/* A second task for the same frame replaces the first. */
static int put_stack_task(struct stack *s, uint32_t frame, uint64_t number, struct pl_view name)
{
	while (s->task_count && s->tasks[s->task_count - 1].frame >= frame)
		s->task_count--;
	if (!number && !name.left)
		return 0;
	if (s->task_count == s->task_room) {
		void *tasks = s->tasks;
		if (grow_array(&tasks, &s->task_room, sizeof *s->tasks))
			return PL_ERR_MEMORY;
		s->tasks = tasks;
	}
	struct stack_task *t = &s->tasks[s->task_count++];
	t->number = number;
	t->frame = frame;
	name_task(t, name);
	return 0;
}

int stack_set_task(struct stack *s, uint64_t number, struct pl_view name)
{
	if (!s->depth || name.left > EVENT_TEXT_MAX)
		return PL_ERR_FORMAT;
	return put_stack_task(s, s->depth - 1, number, name);
}

/* A coroutine that the program runs itself within a task belongs to that task. */
static int begin_task(struct stack *s, const struct event *e)
{
	struct stack_task *last;

	if (e->text.left > EVENT_TEXT_MAX)
		return PL_ERR_FORMAT;
	if (stack_task_waits(s))
		s->task_count--;
	last = s->task_count ? &s->tasks[s->task_count - 1] : NULL;
	if (!last || !e->a || last->number != e->a)
		return put_stack_task(s, s->depth, e->a, e->text);
	if (e->text.left)
		name_task(last, e->text);
	return 0;
}

/* The top frame is at a place that its own event tells: no unrecorded lines lead there. */
static int place_top(
	struct stack *s, enum stack_place where, uint32_t value, enum stack_raised raised)
{
	struct stack_frame *f = stack_top(s);

	if (!f)
		return PL_ERR_FORMAT;
	f->place = (uint8_t)where;
	f->value = value;
	f->raised = (uint8_t)raised;
	f->from_place = PLACE_UNKNOWN;
	return 0;
}

/* The frame is elsewhere now, and lines without an event may have led there. */
static void frame_goes_on(struct stack_frame *f, enum stack_place where, uint32_t value)
{
	if (f->from_place == PLACE_UNKNOWN) {
		f->from_place = f->place;
		f->from_value = f->value;
	}
	f->place = (uint8_t)where;
	f->value = value;
}

void stack_pass_start(struct stack_frame *f, uint32_t start)
{
	frame_goes_on(f, PLACE_START, start);
	f->raised = RAISED_NOT;
}

void stack_pass_jump(struct stack_frame *f, uint32_t unit)
{
	frame_goes_on(f, PLACE_UNIT, unit);
	f->raised = RAISED_NOT;
}

static int move_top(struct stack *s, uint32_t unit, enum stack_raised raised)
{
	struct stack_frame *f = stack_top(s);

	if (!f)
		return PL_ERR_FORMAT;
	frame_goes_on(f, PLACE_UNIT, unit);
	f->raised = (uint8_t)raised;
	return 0;
}

/* The frame is found elsewhere. After an exception a frame continues only if the exception was
 * swallowed. At the place where it raised, the frame may still be unwinding: a finaliser's call or
 * a switch of threads can have an event there. */
static void found_at(struct stack_frame *f, uint32_t unit)
{
	if (f->raised == RAISED_HERE && (f->place != PLACE_UNIT || f->value != unit))
		f->raised = RAISED_NOT;
	frame_goes_on(f, PLACE_UNIT, unit);
}

/* The top frame calls. */
static inline void call_from(struct stack *s, uint32_t site)
{
	struct stack_frame *caller = stack_top(s);

	if (caller && site != EVENT_NO_SITE && caller->raised != RAISED_AGAIN)
		found_at(caller, site);
}

static int apply_enter(struct stack *s, const struct event *e)
{
	const struct stack_frame f = stack_entered(e->kind, e->code, e->unit, e->gen);

	if (reserve_frame(s))
		return PL_ERR_MEMORY;
	call_from(s, e->site);
	return stack_push(s, &f);
}

/* The frames on the stack have not ended: they wait. */
static int apply_greenlet(struct stack *s, const struct event *e)
{
	int err = stack_pops(s, s->depth);

	s->greenlet = e->a;
	return err;
}

/* A frame that is there without an event of its own; where it is may not be known. */
static int apply_link(struct stack *s, const struct event *e)
{
	struct stack_frame f = {
		.code = e->code, .gen = e->gen, .place = PLACE_UNIT, .value = e->unit};

	f.linked = !(e->flags & EVENT_BACK);
	if (e->flags == EVENT_HIDDEN)
		f.raised = RAISED_AGAIN; /* as there, its way is not known */
	if (e->flags & EVENT_MOVED) {
		f.place = PLACE_UNKNOWN;
		f.value = 0;
	}
	return stack_push(s, &f);
}

/* ---- what events do, by the names of EVENT_STACKS ---- */

static int apply_nothing(struct stack *s, const struct event *e)
{
	(void)s;
	(void)e;
	return 0;
}

static int apply_line(struct stack *s, const struct event *e)
{
	return place_top(s, PLACE_START, e->index, RAISED_NOT);
}

static int apply_stand(struct stack *s, const struct event *e)
{
	return place_top(s, PLACE_UNIT, e->unit, RAISED_NOT);
}

static int apply_pass(struct stack *s, const struct event *e)
{
	return move_top(s, e->unit, RAISED_NOT);
}

static int apply_find(struct stack *s, const struct event *e)
{
	if (!s->depth)
		return PL_ERR_FORMAT;
	if (stack_top(s)->raised != RAISED_AGAIN)
		found_at(stack_top(s), e->unit);
	return 0;
}

static int apply_raise(struct stack *s, const struct event *e)
{
	return move_top(s, e->unit, RAISED_HERE);
}

static int apply_reraise(struct stack *s, const struct event *e)
{
	return move_top(s, e->unit, RAISED_AGAIN);
}

static int apply_handle(struct stack *s, const struct event *e)
{
	return place_top(s, PLACE_HANDLER, e->unit, RAISED_NOT);
}

static int apply_pop(struct stack *s, const struct event *e)
{
	(void)e;
	return stack_pops(s, 1);
}

static int apply_pops(struct stack *s, const struct event *e)
{
	return stack_pops(s, e->a);
}

static int apply_task(struct stack *s, const struct event *e)
{
	return e->flags & EVENT_NUMBERED ? begin_task(s, e) : stack_set_task(s, 0, e->text);
}

static int apply_stop(struct stack *s, const struct event *e)
{
	if (s->depth && e->b && e->b <= UINT32_MAX)
		return move_top(s, (uint32_t)(e->b - 1), RAISED_NOT);
	return 0;
}

static int apply_gap(struct stack *s, const struct event *e)
{
	(void)e;
	s->stale = s->depth;
	reveal_top(s);
	return 0;
}

#define apply_outside apply_enter
#define apply_resume  apply_enter
#define apply_throw   apply_enter

/* The place of the top frame after each event:
 *
 *	LINE                  START     its LINE has fired
 *	LINE_AT, AGAIN, STOP  UNIT
 *	ENTER, OUTSIDE        ENTRY     and the caller: UNIT, of the call
 *	RESUME, THROW, LINK   UNIT      THROW: raised; a LINK that MOVED or is HIDDEN: UNKNOWN
 *	RAISE, RERAISE        UNIT      raised, until HANDLED
 *	HANDLED               HANDLER
 *	GAP                   UNKNOWN   all frames */
int stack_apply(struct stack *s, const struct event *e)
{
	switch (e->kind) {
#define X(constant, number, fields, row, stack, ...)                                               \
	case EVENT_##constant:                                                                     \
		return apply_##stack(s, e);
		/* kinds may do the same: NOLINTNEXTLINE(bugprone-branch-clone) */
		EVENT_TABLE(X)
#undef X
	default:
		return 0;
	}
}

/* *to keeps its memory, so the copy of each block needs no allocation. After a failure it is
 * unchanged, but may have more memory. */
int stack_copy(struct stack *to, const struct stack *from)
{
	if (to->room < from->depth) {
		struct stack_frame *frames = realloc(to->frames, from->depth * sizeof *frames);
		if (!frames)
			return PL_ERR_MEMORY;
		to->frames = frames;
		to->room = from->depth;
	}
	if (to->task_room < from->task_count) {
		struct stack_task *tasks = realloc(to->tasks, from->task_count * sizeof *tasks);
		if (!tasks)
			return PL_ERR_MEMORY;
		to->tasks = tasks;
		to->task_room = from->task_count;
	}
	if (from->depth)
		memcpy(to->frames, from->frames, from->depth * sizeof *to->frames);
	if (from->task_count)
		memcpy(to->tasks, from->tasks, from->task_count * sizeof *to->tasks);
	to->depth = from->depth;
	to->min_depth = from->min_depth;
	to->greenlet = from->greenlet;
	to->stale = from->stale;
	to->task_count = from->task_count;
	to->calls = from->calls;
	return 0;
}

void stack_reset(struct stack *s)
{
	s->depth = 0;
	s->min_depth = 0;
	s->greenlet = 0;
	s->stale = 0;
	s->task_count = 0;
	s->calls = (struct event_calls){0};
}

void stack_release(struct stack *s)
{
	free(s->frames);
	free(s->tasks);
	*s = (struct stack){0};
}
