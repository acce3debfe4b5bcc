/* The functions that a thread is in, by the entries and exits that its hooks wrote.
 *
 *	events of a ring -> native_event_read -> native_stack_take -> enter, exit, gap
 *
 * An exit ends the function that it names. One that was left without an exit, by longjmp or an
 * exception, is noticed by the stack pointer of the next event: the function's frame is not there
 * any more. That is a gap, which says how many were left, and not an exit at a guessed time.
 *
 *	f  100     an entry at 90: f and g are there, h was left
 *	g   90     an entry at 90 from another place: g was left as well; from the same place, it
 *	h   60     was compiled into g
 *
 * Pure.
 */
#ifndef PL_SOURCE_NATIVE_STACK_H
#define PL_SOURCE_NATIVE_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include "ring/native_area.h"

#define NATIVE_DEPTH_MAX 65536u

/* An event as it was written. */
struct native_word {
	uint64_t address; /* 0: `lost` events are missing */
	uint64_t lost;
	uint64_t ticks;
	uint64_t stack; /* in units of 16 bytes; only differences mean something */
	uint32_t code, site;
	bool exit, jumped;
};

struct native_frame {
	uint64_t address, ticks, stack;
	uint32_t code, site;
};

/* All zero is ready. */
struct native_stack {
	struct native_frame *frames; /* owned */
	uint32_t depth, room;
	uint64_t ticks, stack; /* of the last event */
};

enum native_gap {
	NATIVE_GAP_LEFT,     /* functions were left without an exit */
	NATIVE_GAP_LOST,     /* events found no room */
	NATIVE_GAP_NO_ENTRY, /* an exit of a function that was not entered */
	NATIVE_GAP_TOO_DEEP
};

enum native_step_kind { NATIVE_STEP_ENTER, NATIVE_STEP_EXIT, NATIVE_STEP_GAP };

struct native_step {
	enum native_step_kind kind;
	uint64_t address; /* of a gap: of the outermost function that was left; 0: none */
	uint64_t ticks;
	uint32_t depth;		 /* functions around it, as far as they are known */
	uint64_t duration_ticks; /* of an exit */
	enum native_gap gap;
	uint64_t count; /* of a gap: functions, or events */
};
#define NATIVE_STEPS_MAX 2

/* `last`: the stack before it; now_ticks: no event is later. */
void native_event_read(const struct native_event *e, const struct native_stack *last,
	uint64_t now_ticks, struct native_word *out);
/* Returns how many steps it is: a gap, the event, or both. */
uint32_t native_stack_take(struct native_stack *s, const struct native_word *w,
	struct native_step out[NATIVE_STEPS_MAX]);
void native_stack_release(struct native_stack *s);

#endif
