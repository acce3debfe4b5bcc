/* An event: what happened at one point of the path, as a cursor gives it. */
#ifndef PATHLINE_EVENT_H
#define PATHLINE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Kinds of events. A row: constant, the word that `pathline dump` prints, meaning. */
#define PL_EVENT_KINDS(X)                                                                          \
	X(CALL, "call", "a frame begins")                                                          \
	X(LINE, "line", "a line begins to run")                                                    \
	X(RETURN, "return", "a frame ends with a value")                                           \
	X(YIELD, "yield", "a frame is suspended with a value")                                     \
	X(RESUME, "resume", "a suspended frame goes on")                                           \
	X(THROW, "throw", "an exception is thrown into a suspended frame")                         \
	X(UNWIND, "unwind", "a frame ends with an exception")                                      \
	X(RAISE, "raise", "an exception arises in, or arrives at, a frame")                        \
	X(RERAISE, "reraise", "an exception that a handler or finally had goes on")                \
	X(HANDLED, "handled", "a handler begins: except, finally, with, a clean-up")               \
	X(GAP, "gap", "events are missing here, for the reason given")                             \
	X(MARK, "mark", "a mark set by a person or by the program")                                \
	X(AGAIN, "again", "another pass of a loop that stays on its line")                         \
	X(OUTSIDE, "outside", "code that is not recorded, by a filter, calls what follows")        \
	X(POSSIBLE, "possible",                                                                    \
		"what may have followed the last event: `line`, `again`, `return` or `yield`")

enum pl_event_kind {
#define X(constant, word, meaning) PL_EVENT_##constant,
	PL_EVENT_KINDS(X)
#undef X
		PL_EVENT_KIND_COUNT
};

/* Why events are missing, or why the path is not known. The numbers are part of the format. */
#define PL_GAP_REASONS(X)                                                                          \
	X(UNKNOWN, "unknown", "no reason was recorded")                                            \
	X(FULL, "full", "the ring was full and the collector did not make room in time")           \
	X(DROPPED, "dropped", "the ring was full, and --on-full=drop was chosen")                  \
	X(COLLECTOR, "collector-gone",                                                             \
		"the collector ended or could not write, so the recorder stopped itself")          \
	X(KILLED, "killed", "the process ended abruptly; what followed is not known")              \
	X(SIGNAL, "signal", "the process died of a signal at this very place")                     \
	X(JUMPED, "jumped", "the path left the flow graph: something set f_lineno or the frame")   \
	X(VANISHED, "vanished", "a frame ended without an event")                                  \
	X(APPEARED, "appeared", "a frame is there whose beginning was not recorded")               \
	X(DAMAGED, "damaged", "bytes of the recording, or of the ring, cannot be decoded")         \
	X(EVICTED, "evicted", "older blocks were dropped to keep the recording under its limit")   \
	X(CODE, "code", "a code object could not be described to the recording")                   \
	X(LIVE, "live", "the recording is still being written")                                    \
	X(REFUSED, "refused", "an interpreter that could not be recorded")                         \
	X(LEFT_OUT, "left-out", "a program was started that could not be recorded")                \
	X(TOOLS, "tools", "the program had all six tool ids of sys.monitoring")                    \
	X(STOPPED, "stopped",                                                                      \
		"the recorder had no memory, or could not start, and stopped itself")              \
	X(ATTACHED, "attached",                                                                    \
		"recording began here, in a running program: what was before is not known")        \
	X(DETACHED, "detached", "recording ended here, and the program went on")                   \
	X(NOTRACE, "notrace", "left out by @notrace(subtree=True); the mark before it says what")

enum pl_gap_reason {
#define X(constant, word, meaning) PL_GAP_##constant,
	PL_GAP_REASONS(X)
#undef X
		PL_GAP_REASON_COUNT
};

struct pl_code; /* a code object of the recording; valid until the recording is closed */

/* Names an event for ever: these numbers are never used again, as pids and tids are. */
struct pl_position {
	uint32_t process; /* its number in the recording, from 1 */
	uint32_t thread;  /* its number in the process, from 0 */
	uint32_t block;	  /* its number in the thread, from 0 */
	uint32_t event;	  /* its number in the block, from 0 */
};

/* Values that were kept of an event, or members of one: pl_values_next (values.h) takes them from
 * the front. All zero: there are none. */
struct pl_values {
	const unsigned char *at;
	uint32_t bytes;
	uint16_t flags; /* PL_VALUES_* */
	uint8_t of;	/* what they are members of: enum pl_value_kind; 0: of nothing */
};
/* The limit for a second was reached, so that only types were kept. */
#define PL_VALUES_OVER_BUDGET 1
/* Of variables: all that are bound are there, so others are not bound. The first
 * PL_VALUES_CHANGED(flags) of them have changed. */
#define PL_VALUES_ALL		 2
#define PL_VALUES_CHANGED(flags) ((flags) >> 2)
/* Of variables: others have changed as well, and had no room in the event. */
#define PL_VALUES_MORE(flags) (((flags) & (PL_VALUES_ALL | 4)) == 4)

/* What a cursor gives. `task`, `values`, `variables`, and the `type` of a mark, are valid until the
 * cursor moves; all else is valid until the recording is closed.
 *
 * Most gaps were recorded. The reader adds others, where a block is missing or the path contradicts
 * itself. Such a gap has the seq and position of the event after it, so that the numbers of
 * recorded events never change.
 *
 * Not every line has an event of its own in the recording, so where a path breaks off its end is
 * not known exactly. After the gap of a thread that was killed, rows of kind PL_EVENT_POSSIBLE give
 * each line that may still have run: first in the innermost frame; then, if that frame may have
 * returned or yielded, in its caller, and so on. These rows are not in order, and no count includes
 * them.
 */
struct pl_event {
	enum pl_event_kind kind;
	struct pl_position position;
	uint64_t seq;	/* the number of the thread's events before this one; a gap counts as one */
	uint64_t order; /* number, in the process, of the last switch between threads before it */
	/* The same as `order`, if the place of this event in the order is exact. Less: another
	 * thread ran meanwhile, and this event may have happened as early as after switch
	 * order_from. */
	uint64_t order_from;
	int64_t time_ns; /* CLOCK_REALTIME, ns since 1970; never goes backwards within a thread */
	/* The event was at time_ns, or up to this much later. INT64_MAX: not known. */
	int64_t time_error_ns;
	const struct pl_code *code; /* of the frame; NULL only for gaps and marks without a frame */
	uint32_t depth;		    /* frames below it in the thread, 0 for the bottom one */
	int32_t line;		    /* at which the frame is; 0: it has none */
	int32_t caller_line; /* of call, resume, throw and outside: the caller's line, or 0 */
	uint64_t generator;  /* identity of a generator's or coroutine's frame, 0 for others */
	/* The name that the task (asyncio, trio, greenlet) had then; UTF-8. NULL: outside of tasks,
	 * or not known. */
	const char *task;
	/* The type of the exception. Of a gap: the reason. Of a mark: its text. Of
	 * PL_EVENT_POSSIBLE: "line", "again", "return" or "yield". */
	const char *type;
	enum pl_gap_reason gap; /* of a gap only */
	uint64_t lost;		/* of a gap: events lost, 0: not known */
	/* The number of the greenlet on whose stack the frame is; 0: the thread's own stack. */
	uint64_t greenlet;
	int64_t idle_ns; /* time for which the event loop waited, with nothing to do, before it */
	uint32_t offset; /* code unit (two bytes) in the code; UINT32_MAX: not known */
	/* The task's number in its process, from 1. 0: outside of tasks, or the recording is older
	 * than format 1.9. */
	uint64_t task_id;
	/* If they are wanted (pl_cursor_want_values): what was passed, and what was changed. */
	struct pl_values values, variables;
};

/* Words as in `dump`, and for a reason also what it means. They are valid for ever; a value that
 * this version does not know has "?". */
const char *pl_event_kind_name(enum pl_event_kind kind);
const char *pl_gap_reason_name(enum pl_gap_reason reason);
const char *pl_gap_reason_text(enum pl_gap_reason reason);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
