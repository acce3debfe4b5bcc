/* The stack machine: what a thread's call stack is behind each event.
 *
 * The collector runs it to open blocks with the stack, the cursor to give each event its frame: one
 * piece for both, so that they cannot disagree. It is lenient, for it is fed by hostile bytes too:
 * an event that needs a frame which is not there is refused and changes nothing.
 *
 *	frames   main | handle | fetch | parse          the last one is the top
 *	tasks           ^ "Task-7"                      few: a name hangs on the frame that is its root
 *
 * A thread has a stack for each of its greenlets, and the machine has the one that runs. GREENLET
 * puts that aside and names another; LINKs bring its frames back. While a greenlet is left its
 * frames do not change, so thread, greenlet and place on the stack name an activation over all
 * switches, and nothing has to be kept of those that wait.
 *
 * Tasks stand apart from the frames, so that a frame is 24 bytes however deep a recursion goes. The
 * task that runs is the last one, without a search; where the last one is told of a frame that is
 * yet to be pushed, it is the one before.
 */
#ifndef PL_FORMAT_STACK_H
#define PL_FORMAT_STACK_H

#include "format/event.h"

/* Where a frame stands, as far as its last event told. Numbers are part of the format (block.h). */
enum stack_place {
	PLACE_UNKNOWN = 0,
	PLACE_UNIT = 1,	   /* value: code unit */
	PLACE_START = 2,   /* value: index of a line start, whose LINE has fired */
	PLACE_HANDLER = 3, /* value: code unit; a handler whose own LINE, if it has one, has not
			      fired yet */
	PLACE_ENTRY = 4,   /* entered, and nothing since */
	PLACE_COUNT
};

/* How an exception is on its way through a frame. Numbers are part of the format. */
enum stack_raised {
	RAISED_NOT = 0,
	RAISED_HERE =
		1, /* RAISE came, HANDLED not yet; the frame stands where it was raised, or went on if that was swallowed */
	RAISED_AGAIN =
		2, /* THROW or RERAISE came: what the frame says of where it stands is not to be relied on */
};

struct stack_frame {
	uint32_t code; /* number of the code, as in the events */
	uint32_t value;
	uint64_t gen;	/* 0: a plain function */
	uint8_t place;	/* enum stack_place */
	uint8_t linked; /* no event told of its entry, or none will tell of its end */
	uint8_t raised; /* enum stack_raised */
	uint8_t from_place; /* where the stretch of unrecorded lines began in which it stands (follow.h); PLACE_UNKNOWN: here */
	uint32_t from_value;
};

struct stack_task {
	uint64_t number; /* in its process, from 1; 0: a recording of before 1.9 */
	uint32_t frame;	 /* index of the frame that is its root */
	uint8_t length;
	char name[EVENT_TEXT_MAX + 1]; /* ends with NUL */
};

/* Invariants: tasks[i].frame grows with i, and is at most depth (the next frame); min_depth <= depth; stale < depth or
 * both are 0. */
struct stack {
	struct stack_frame *frames; /* owned; frames[depth - 1] is the top */
	uint32_t depth;
	uint32_t room;
	uint32_t min_depth; /* the least depth since stack_mark */
	uint64_t greenlet;  /* number of the greenlet whose stack it is; 0: the thread's own */
	uint32_t stale;	    /* so many frames from the bottom moved in a gap: use stack_place_of */
	uint32_t task_count;
	uint32_t task_room;
	struct stack_task *tasks; /* owned */
	struct event_calls
		calls; /* that are known: of the stream's events as they are read, not as they are applied */
};

/* Bring the stack behind the event. ENTER, RESUME and THROW push, after setting the caller's place
 * to the site, as OUTSIDE does; LEAVE, SUSPEND and UNWIND pop. For those three the frame of the event is gone
 * afterwards: a reader looks before it applies. GAP leaves the frames, but where they stand is not
 * known from there on; who wrote it tells with POPS and LINK what else changed. 0; PL_ERR_FORMAT:
 * it needs a frame that is not there (nothing changed); PL_ERR_MEMORY. */
int stack_apply(struct stack *s, const struct event *e);

static inline struct stack_frame *stack_top(const struct stack *s)
{
	return s->depth ? &s->frames[s->depth - 1] : NULL;
}

/* Where frame i stands: unknown when a gap came since. */
static inline enum stack_place stack_place_of(const struct stack *s, uint32_t i)
{
	return i < s->stale ? PLACE_UNKNOWN : (enum stack_place)s->frames[i].place;
}

/* The task that runs: the one nearest to the top, or NULL. */
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

/* The task that frame i runs in, or NULL. */
static inline const struct stack_task *stack_task_at(const struct stack *s, uint32_t i)
{
	uint32_t n = s->task_count;

	while (n && s->tasks[n - 1].frame > i)
		n--;
	return n ? &s->tasks[n - 1] : NULL;
}

/* The frame has come to a start whose LINE no event tells: it stands there, in the stretch in which it was. */
void stack_pass_start(struct stack_frame *f, uint32_t start);

static inline void stack_mark(struct stack *s)
{
	s->min_depth = s->depth;
}

/* Push a frame, or tell of which task the top one is the root, as block.c does to build a stack from its bytes. 0,
 * PL_ERR_MEMORY; stack_set_task: PL_ERR_FORMAT without a frame, or for a name that is too long. */
int stack_push(struct stack *s, const struct stack_frame *f);
int stack_set_task(struct stack *s, uint64_t number, struct pl_view name);
/* As stack_apply, of POPS. */
int stack_pops(struct stack *s, uint64_t n);

int stack_copy(struct stack *to, const struct stack *from);
/* Empties it, keeps the memory. */
void stack_reset(struct stack *s);
void stack_release(struct stack *s);

#endif
