/* The stack machine: a thread's call stack after each event.
 *
 * The collector uses it to open blocks with the stack, and the cursor to give each event its frame.
 * Both use the same code, so they cannot disagree. It is given hostile bytes too: an event that
 * needs a frame which is not there is refused, and changes nothing.
 *
 *   frames   main | handle | fetch | parse       the last one is the top
 *   tasks           ^ "Task-7"                   few: a name belongs to the frame that is its root
 *
 * A thread has a stack for each of its greenlets, and the machine has the stack of the one that
 * runs. GREENLET puts that aside and names another; LINKs bring its frames back. While a greenlet
 * is left its frames do not change. So thread, greenlet and place on the stack name a frame across
 * all switches, and nothing must be kept of greenlets that wait.
 *
 * Tasks are stored apart from the frames, so that a frame is 24 bytes however deep a recursion is.
 * The running task is the last one, without a search; if the last one is that of a frame that is
 * not pushed yet, it is the one before.
 */
#ifndef PL_FORMAT_STACK_H
#define PL_FORMAT_STACK_H

#include "format/event.h"

/* Where a frame is, according to its last event. The numbers are part of the format (block.h). */
enum stack_place {
	PLACE_UNKNOWN = 0,
	PLACE_UNIT = 1,	 /* value: code unit */
	PLACE_START = 2, /* value: index of a line start, whose LINE has fired */
	/* value: code unit; a handler whose own LINE, if it has one, has not fired yet */
	PLACE_HANDLER = 3,
	PLACE_ENTRY = 4, /* entered, and no event since */
	PLACE_COUNT
};

/* An exception in a frame. The numbers are part of the format. */
enum stack_raised {
	RAISED_NOT = 0,
	/* RAISE came, HANDLED did not yet; the frame is where it was raised, or later if the
	 * exception was swallowed */
	RAISED_HERE = 1,
	RAISED_AGAIN = 2, /* THROW or RERAISE came: where the frame is cannot be relied on */
};

struct stack_frame {
	uint32_t code; /* number of the code, as in the events */
	uint32_t value;
	uint64_t gen;	/* 0: a plain function */
	uint8_t place;	/* enum stack_place */
	uint8_t linked; /* its entry had no event, or its end will have none */
	uint8_t raised; /* enum stack_raised */
	/* where the unrecorded lines began that led to its place (follow.h); PLACE_UNKNOWN: here */
	uint8_t from_place;
	uint32_t from_value;
};

struct stack_task {
	uint64_t number; /* in its process, from 1; 0: the recording is older than 1.9 */
	uint32_t frame;	 /* index of the frame that is its root */
	uint8_t length;
	char name[EVENT_TEXT_MAX + 1]; /* ends with NUL */
};

/* Invariants: tasks[i].frame grows with i, and is at most depth (the next frame); min_depth <=
 * depth; stale < depth, or both are 0. */
struct stack {
	struct stack_frame *frames; /* owned; frames[depth - 1] is the top */
	uint32_t depth;
	uint32_t room;
	uint32_t min_depth; /* the least depth since stack_mark */
	uint64_t greenlet;  /* number of the greenlet whose stack it is; 0: the thread's own */
	/* this many frames from the bottom moved in a gap: use stack_place_of */
	uint32_t stale;
	uint32_t task_count;
	uint32_t task_room;
	struct stack_task *tasks; /* owned */
	/* known ones: of the stream's events as they are read, not as they are applied */
	struct event_calls calls;
};

/* Apply the event. ENTER, RESUME and THROW push a frame, after setting the caller's place to the
 * site, as OUTSIDE does. LEAVE, SUSPEND and UNWIND pop one: the event's frame is gone afterwards,
 * so a reader must look before it applies. GAP leaves the frames, but their places are no longer
 * known; its writer says with POPS and LINK what else changed. 0; PL_ERR_FORMAT: it needs a frame
 * that is not there (nothing changed); PL_ERR_MEMORY. */
int stack_apply(struct stack *s, const struct event *e);

/* The frame that an entry (event_is_entry) pushes. */
static inline struct stack_frame stack_entered(
	enum event_kind kind, uint32_t code, uint32_t unit, uint64_t gen)
{
	const bool goes_on = event_has_field(kind, EVENT_FIELD_unit);

	return (struct stack_frame){.code = code,
		.value = goes_on ? unit : 0,
		.gen = gen,
		.place = goes_on ? PLACE_UNIT : PLACE_ENTRY,
		.linked = kind == EVENT_OUTSIDE,
		.raised = kind == EVENT_THROW ? RAISED_AGAIN : RAISED_NOT};
}

/* NULL: there is no frame. Valid until the next push. */
static inline struct stack_frame *stack_top(const struct stack *s)
{
	return s->depth ? &s->frames[s->depth - 1] : NULL;
}

/* The place of frame i; unknown if a gap came since. */
static inline enum stack_place stack_place_of(const struct stack *s, uint32_t i)
{
	return i < s->stale ? PLACE_UNKNOWN : (enum stack_place)s->frames[i].place;
}

/* The running task: that of the frame nearest to the top, or NULL. */
static inline const struct stack_task *stack_running_task(const struct stack *s)
{
	uint32_t n = s->task_count;

	if (n && s->tasks[n - 1].frame == s->depth)
		n--;
	return n ? &s->tasks[n - 1] : NULL;
}

/* Is the frame that is pushed next the root of a task? */
static inline bool stack_task_waits(const struct stack *s)
{
	return s->task_count && s->tasks[s->task_count - 1].frame == s->depth;
}

/* The task in which frame i runs, or NULL. */
static inline const struct stack_task *stack_task_at(const struct stack *s, uint32_t i)
{
	uint32_t n = s->task_count;

	while (n && s->tasks[n - 1].frame > i)
		n--;
	return n ? &s->tasks[n - 1] : NULL;
}

/* The frame has reached a start whose LINE has no event: it is there now, in the same stretch of
 * unrecorded lines. */
void stack_pass_start(struct stack_frame *f, uint32_t start);
/* Likewise, it has jumped back to `unit`. */
void stack_pass_jump(struct stack_frame *f, uint32_t unit);

/* Begin to look for the least depth. */
static inline void stack_mark(struct stack *s)
{
	s->min_depth = s->depth;
}

/* Push a frame, or set the task whose root is the top frame; block.c builds a stack from its bytes
 * so. 0, PL_ERR_MEMORY; stack_set_task: PL_ERR_FORMAT without a frame, or if the name is too
 * long. */
int stack_push(struct stack *s, const struct stack_frame *f);
int stack_set_task(struct stack *s, uint64_t number, struct pl_view name);
/* Pop n frames, as stack_apply does for POPS. */
int stack_pops(struct stack *s, uint64_t n);

/* Into a stack that is empty or has another one. 0, PL_ERR_MEMORY. */
int stack_copy(struct stack *to, const struct stack *from);
/* Empties it, keeps the memory. */
void stack_reset(struct stack *s);
void stack_release(struct stack *s);

#endif
