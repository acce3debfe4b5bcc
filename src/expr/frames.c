#define _GNU_SOURCE
#include "expr/frames.h"

#include <stdlib.h>
#include "base/buf.h"
#include "base/units.h"

struct frame_entry {
	const struct pl_code *code; /* NULL: what runs here is not known */
	uint64_t generator, greenlet;
	int64_t begin_ns;
	struct pl_values args, raised;	     /* in the rooms below */
	struct pl_buf args_room, raise_room; /* owned */
};

#define OF(kind) (1u << PL_EVENT_##kind)

uint32_t frames_kinds(void)
{
	return OF(CALL) | OF(RESUME) | OF(THROW) | OF(RETURN) | OF(YIELD) | OF(UNWIND) | OF(RAISE) |
	       OF(RERAISE) | OF(GAP);
}

static int copy_values(struct pl_buf *room, struct pl_values *to, const struct pl_values *from)
{
	*to = (struct pl_values){0};
	if (!from->at)
		return 0;
	buf_reset(room);
	buf_put(room, from->at, from->bytes);
	buf_u8(room, 0); /* not even of none is the room NULL */
	if (room->failed)
		return PL_ERR_MEMORY;
	*to = *from;
	to->at = room->at;
	return 0;
}

static void free_entry(struct frame_entry *f)
{
	buf_release(&f->args_room);
	buf_release(&f->raise_room);
}

/* NULL is fine. */
static void free_asleep(struct frame_entry *f)
{
	if (f)
		free_entry(f);
	free(f);
}

/* NULL: no memory, or it is too deep. */
static struct frame_entry *entry_at(struct frames *f, uint32_t depth)
{
	if (depth >= FRAMES_DEPTH_MAX)
		return NULL;
	if (depth >= f->room) {
		const size_t room =
			(size_t)depth + 1 > 2 * f->room ? (size_t)depth + 1 : 2 * f->room;
		struct frame_entry *at = realloc(f->at, room * sizeof *at);
		if (!at)
			return NULL;
		memset(at + f->room, 0, (room - f->room) * sizeof *at);
		f->at = at;
		f->room = room;
	}
	return &f->at[depth];
}

/* The entry of the event's frame; NULL: its beginning is not known. */
static struct frame_entry *entry_of(struct frames *f, const struct pl_event *e)
{
	struct frame_entry *one = e->depth < f->room ? &f->at[e->depth] : NULL;

	return one && one->code && one->code == e->code && one->generator == e->generator &&
			       one->greenlet == e->greenlet
		       ? one
		       : NULL;
}

static void close_entry(struct frames *f, struct frame_entry *one)
{
	f->open -= one->code != NULL;
	one->code = NULL;
}

/* ---- generators ---- */

static void wake(struct frames *f, struct frame_entry *one)
{
	uint64_t *kept = one->generator ? map_find(&f->asleep, one->generator) : NULL;

	if (!kept)
		return;
	struct frame_entry *asleep = (struct frame_entry *)(uintptr_t)*kept;
	if (asleep->code == one->code) {
		const struct pl_buf room = one->args_room;
		one->args = asleep->args;
		one->args_room = asleep->args_room;
		asleep->args_room = room;
	}
	map_remove(&f->asleep, one->generator);
	free_asleep(asleep);
}

/* Its arguments stay in the entry, for the subject of its yield, and a copy is kept. */
static int sleep_on(struct frames *f, const struct frame_entry *one)
{
	if (!one->generator || !one->args.at || f->asleep.used >= FRAMES_ASLEEP_MAX)
		return 0;
	struct frame_entry *asleep = calloc(1, sizeof *asleep);
	uint64_t *kept = NULL;
	if (asleep && copy_values(&asleep->args_room, &asleep->args, &one->args) == 0)
		kept = map_put(&f->asleep, one->generator);
	if (!kept) {
		free_asleep(asleep);
		return PL_ERR_MEMORY;
	}
	free_asleep((struct frame_entry *)(uintptr_t)*kept);
	asleep->code = one->code;
	*kept = (uint64_t)(uintptr_t)asleep;
	return 0;
}

/* ---- events ---- */

static int begin(struct frames *f, const struct pl_event *e, struct expr_subject *s)
{
	struct frame_entry *one = entry_at(f, e->depth);

	if (!one)
		return e->depth < FRAMES_DEPTH_MAX ? PL_ERR_MEMORY : 0;
	close_entry(f, one);
	f->open += e->code != NULL;
	one->code = e->code;
	one->generator = e->generator;
	one->greenlet = e->greenlet;
	one->begin_ns = e->time_ns;
	one->args = one->raised = (struct pl_values){0};
	wake(f, one);
	if (e->kind == PL_EVENT_CALL && copy_values(&one->args_room, &one->args, &e->values))
		return PL_ERR_MEMORY;
	if (e->kind != PL_EVENT_CALL)
		s->args = one->args.at ? &one->args : NULL;
	return 0;
}

static int end(struct frames *f, const struct pl_event *e, struct expr_subject *s)
{
	struct frame_entry *one = entry_of(f, e);
	int code = 0;

	if (!one)
		return 0;
	s->args = one->args.at ? &one->args : NULL;
	s->duration_ns = units_between(one->begin_ns, e->time_ns);
	if (e->kind == PL_EVENT_UNWIND && one->raised.at)
		s->exception = &one->raised;
	if (e->kind == PL_EVENT_YIELD)
		code = sleep_on(f, one);
	close_entry(f, one);
	return code;
}

/* What is above a gap is not known; what is below it may have been left, too. */
static void forget(struct frames *f)
{
	for (size_t i = 0; i < f->room; i++)
		f->at[i].code = NULL;
	f->open = 0;
}

void frames_drop(struct frames *f, const struct pl_event *e)
{
	struct frame_entry *one = entry_of(f, e);

	if (one)
		close_entry(f, one);
}

int frames_put(struct frames *f, const struct pl_event *e, struct expr_subject *s)
{
	struct frame_entry *one;

	expr_subject_of(s, e);
	switch (e->kind) {
	case PL_EVENT_CALL:
	case PL_EVENT_RESUME:
	case PL_EVENT_THROW:
		return begin(f, e, s);
	case PL_EVENT_RETURN:
	case PL_EVENT_YIELD:
	case PL_EVENT_UNWIND:
		return end(f, e, s);
	case PL_EVENT_RAISE:
	case PL_EVENT_RERAISE:
		one = entry_of(f, e);
		return one && e->values.at ? copy_values(&one->raise_room, &one->raised, &e->values)
					   : 0;
	case PL_EVENT_GAP:
		forget(f);
		return 0;
	default:
		return 0;
	}
}

void frames_release(struct frames *f)
{
	for (size_t i = 0; i < f->room; i++)
		free_entry(&f->at[i]);
	for (size_t i = 0; i < f->asleep.room; i++)
		if (f->asleep.slots[i].used)
			free_asleep((struct frame_entry *)(uintptr_t)f->asleep.slots[i].value);
	map_release(&f->asleep);
	free(f->at);
	*f = (struct frames){0};
}
