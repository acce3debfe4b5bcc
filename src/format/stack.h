/* The stack machine: what a thread's call stack is behind each event.
 *
 * The collector runs it to open blocks with the stack, the cursor to give each event its frame: one piece for both, so
 * that they cannot disagree. It is lenient, for it is fed by hostile bytes too: an event that needs a frame which is
 * not there is refused and changes nothing.
 */
#ifndef PL_FORMAT_STACK_H
#define PL_FORMAT_STACK_H

#include "format/event.h"

/* Where a frame stands, as far as its last event told. */
enum stack_place {
	PLACE_UNKNOWN,
	PLACE_UNIT,    /* value: code unit */
	PLACE_START,   /* value: index of a line start, whose LINE has fired */
	PLACE_HANDLER, /* value: code unit; a handler whose own LINE, if it has one, has not fired yet */
};

struct stack_frame {
	uint32_t code;	/* number of the code, as in the events */
	uint32_t value;
	uint8_t place;	/* enum stack_place */
	uint8_t linked; /* no event told of its entry */
	uint8_t raised; /* an exception is on its way through it: RAISE came, HANDLED not yet */
	uint8_t task_length;
	char task[EVENT_TEXT_MAX]; /* the name of the task whose root it is; task_length 0: none */
	uint64_t gen;	/* 0: a plain function */
};

struct stack {
	struct stack_frame *frames; /* owned; frames[depth - 1] is the top */
	uint32_t depth;
	uint32_t room;
	uint32_t min_depth; /* the least depth since stack_mark */
};

/* Bring the stack behind the event. ENTER, RESUME and THROW push, after setting the caller's place to the site; LEAVE,
 * SUSPEND and UNWIND pop. For those three the frame of the event is gone afterwards: a reader looks before it applies.
 * 0; PL_ERR_FORMAT: it needs a frame that is not there (nothing changed); PL_ERR_MEMORY. */
int stack_apply(struct stack *s, const struct event *e);

static inline struct stack_frame *stack_top(struct stack *s)
{
	return s->depth ? &s->frames[s->depth - 1] : NULL;
}

static inline void stack_mark(struct stack *s)
{
	s->min_depth = s->depth;
}

int stack_copy(struct stack *to, const struct stack *from);
void stack_release(struct stack *s);

#endif
