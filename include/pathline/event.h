/* What happened: one event of the path, as the cursor gives it. */
#ifndef PATHLINE_EVENT_H
#define PATHLINE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Kinds of event, in the words that `pathline dump` prints. Row: constant, word, meaning. */
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
		"what may have followed the last event: `line`, `return` or `yield`")

enum pl_event_kind {
#define X(constant, word, meaning) PL_EVENT_##constant,
	PL_EVENT_KINDS(X)
#undef X
		PL_EVENT_KIND_COUNT
};

/* Why events are missing, or why the path cannot be known. Numbers are part of the format. */
#define PL_GAP_REASONS(X)                                                                          \
	X(UNKNOWN, "unknown", "no reason was recorded")                                            \
	X(FULL, "full", "the ring was full and the collector did not make room in time")           \
	X(DROPPED, "dropped", "the ring was full, and --on-full=drop was chosen")                  \
	X(COLLECTOR, "collector-gone", "the collector died, so the recorder stopped itself")       \
	X(KILLED, "killed", "the process ended without a word; what followed is not known")        \
	X(SIGNAL, "signal", "the process died of a signal at this very place")                     \
	X(JUMPED, "jumped", "the path left the flow graph: something set f_lineno or the frame")   \
	X(VANISHED, "vanished", "a frame ended without an event")                                  \
	X(APPEARED, "appeared", "a frame is there whose beginning was not recorded")               \
	X(DAMAGED, "damaged", "bytes of the recording, or of the ring, cannot be decoded")         \
	X(EVICTED, "evicted", "older blocks were dropped to keep the recording under its limit")   \
	X(CODE, "code", "a code object could not be described to the recording")                   \
	X(LIVE, "live", "the recording is still being written")                                    \
	X(REFUSED, "refused", "an interpreter that could not be recorded")                         \
	X(LEFT_OUT, "left-out", "a program was started that could not be recorded")

enum pl_gap_reason {
#define X(constant, word, meaning) PL_GAP_##constant,
	PL_GAP_REASONS(X)
#undef X
		PL_GAP_REASON_COUNT
};

struct pl_code; /* a code object of the recording; lives as long as the recording is open */

/* A name that holds for ever: numbers of the recording, never reused as pids and tids are. */
struct pl_position {
	uint32_t process; /* number in the recording, from 1 */
	uint32_t thread;  /* number in its process, from 0 */
	uint32_t block;	  /* number in its thread, from 0 */
	uint32_t event;	  /* number in its block, from 0 */
};

/* What a cursor gives. `task`, and `type` of a mark, are valid until the cursor moves; the rest
 * until the recording is closed.
 *
 * Most gaps were recorded. The others are the reader's own: they say what its blocks, or a
 * contradiction in the path, show. Those have the seq and position of the event that they stand in
 * front of, so that recorded names never change.
 *
 * Not every line has an event of its own in the recording, so of a path that breaks off it is not known how far it went. Behind
 * the gap of one that was killed, rows of the kind POSSIBLE have each line that may still have run, in the innermost frame, and
 * where that may have returned or yielded in its caller, and so on. They did not happen one after the other, and count in nothing.
 */
struct pl_event {
	enum pl_event_kind kind;
	struct pl_position position;
	uint64_t seq;	/* counts the thread's events from 0; a gap counts as one */
	uint64_t order; /* the process-wide number of the switch that this event comes after */
	uint64_t
		order_from; /* order; or less: another thread ran meanwhile, and it may have come after that switch already */
	int64_t time_ns; /* CLOCK_REALTIME, ns since 1970; never backwards within a thread */
	int64_t time_error_ns; /* the event was at time_ns or up to so much later; INT64_MAX: that is not known */
	const struct pl_code *code; /* of its frame; NULL only for gaps and marks without a frame */
	uint32_t depth;		    /* frames below it in the thread, 0 for the bottom one */
	int32_t line;		    /* where the frame stands; 0 where it has no line */
	int32_t caller_line; /* call, resume, throw, outside: the line of the caller, 0 without one */
	uint64_t generator; /* identity of a generator's or coroutine's frame, 0 for others */
	const char *
		task; /* name of the task (asyncio, trio, greenlet) as it was then; NULL: outside of tasks, or not known; UTF-8 */
	const char *
		type; /* the exception's type; of a gap the reason, of a mark its text, of what is possible "line", "return" or "yield" */
	enum pl_gap_reason gap; /* gap only */
	uint64_t lost;		/* gap: events lost, 0 when not known */
	uint64_t
		greenlet; /* number of the greenlet in whose stack its frame is, 0: in the thread's own */
	int64_t idle_ns; /* before it the thread's event loop waited so long, with nothing to do */
	uint32_t offset; /* code unit (two bytes) in the code; UINT32_MAX where not known */
	uint64_t
		task_id; /* the task's number in its process, from 1; 0: outside of tasks, or recorded before format 1.9 */
};

const char *pl_event_kind_name(enum pl_event_kind kind);
const char *pl_gap_reason_name(enum pl_gap_reason reason);
const char *pl_gap_reason_text(enum pl_gap_reason reason);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
