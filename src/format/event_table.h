/* The table of events: all that is said of a kind, once.
 *
 * These are made of it: the decoder (event.c), the fast decoders (event_read_common, and that of
 * trace/fast_forward.c), the stack (stack.c), which events count and need a frame, which stand
 * apart, the minor version that a block needs, and the test of FORMAT.md's tables
 * (tests/unit/format).
 *
 *	X(constant, number, fields, row, stack, traits, since, text)
 *
 *	fields   FIELDS_n(…): how many, and which, in the order of the bytes (EVENT_FIELD_NAMES)
 *	row      the row of the path that it becomes, which counts in `seq`; EVENT_NO_ROW: none
 *	stack    what it does to the stack (EVENT_STACKS)
 *	traits   those below, or 0
 *	since    the format's minor version that first had it, without flags (EVENT_FLAG_MINORS)
 *	text     the fields, as FORMAT.md has them
 *
 * The answers are constants: most are a bit of a set that the compiler makes.
 */
#ifndef PL_FORMAT_EVENT_TABLE_H
#define PL_FORMAT_EVENT_TABLE_H

#include "pathline/event.h"

/* Traits. */
#define EVENT_FRAME  1 /* it needs a frame; without one it contradicts the path */
#define EVENT_APART  2 /* says when, not what: differs in all runs of a loop; stored apart */
#define EVENT_COMMON 4 /* frequent: event_read_common has it */
#define EVENT_STEP                                                                                 \
	8 /* its effect depends on it and its frame's place alone (trace/fast_forward.h) */
#define EVENT_FAST    16 /* fast_forward.c takes it, or each of its pops, from the bytes */
#define EVENT_SECTION 32 /* stored in a section of its block */

#define EVENT_NO_ROW UINT8_MAX

/* SITE is there unless EVENT_NO_CALLER is set: the unit at which the frame below is, as the
 * interpreter has it (it can be a cache unit). GEN is the identity of a frame of a generator or
 * coroutine, counted from 1 in its process. */
#define EVENT_KINDS(X)                                                                             \
	X(ENTER, 1, FIELDS_3(site, code, made), PL_EVENT_CALL, enter,                              \
		EVENT_COMMON | EVENT_STEP | EVENT_FAST, 0, "[site] code [gen if EVENT_GENERATOR]") \
	X(LEAVE, 2, FIELDS_1(unit), PL_EVENT_RETURN, pop,                                          \
		EVENT_FRAME | EVENT_COMMON | EVENT_STEP | EVENT_FAST, 0, "unit")                   \
	X(SUSPEND, 3, FIELDS_1(unit), PL_EVENT_YIELD, pop,                                         \
		EVENT_FRAME | EVENT_COMMON | EVENT_STEP | EVENT_FAST, 0, "unit")                   \
	X(RESUME, 4, FIELDS_4(site, code, gen, unit), PL_EVENT_RESUME, resume,                     \
		EVENT_COMMON | EVENT_STEP | EVENT_FAST, 0,                                         \
		"[site] code gen unit; EVENT_KNOWN: place [unit if not EVENT_SAME_UNIT]")          \
	X(THROW, 5, FIELDS_4(site, code, gen, unit), PL_EVENT_THROW, throw, EVENT_STEP, 0,         \
		"[site] code gen unit")                                                            \
	X(UNWIND, 6, FIELDS_0(), PL_EVENT_UNWIND, pop,                                             \
		EVENT_FRAME | EVENT_COMMON | EVENT_STEP | EVENT_FAST, 0, "")                       \
	X(RAISE, 7, FIELDS_2(unit, type), PL_EVENT_RAISE, raise,                                   \
		EVENT_FRAME | EVENT_COMMON | EVENT_STEP | EVENT_FAST, 0, "unit type")              \
	X(RERAISE, 8, FIELDS_3(unit, lasti, type), PL_EVENT_RERAISE, reraise,                      \
		EVENT_FRAME | EVENT_COMMON | EVENT_STEP | EVENT_FAST, 0, "unit lasti type")        \
	X(HANDLED, 9, FIELDS_2(unit, type), PL_EVENT_HANDLED, handle,                              \
		EVENT_FRAME | EVENT_COMMON | EVENT_STEP | EVENT_FAST, 0, "unit type")              \
	X(POPS, 10, FIELDS_1(a), EVENT_NO_ROW, pops, EVENT_FRAME | EVENT_COMMON | EVENT_FAST, 0,   \
		"n: frames on top that ended, or were linked no more, without an event")           \
	X(LINK, 11, FIELDS_3(code, gen, unit), EVENT_NO_ROW, link, 0, 0,                           \
		"code gen unit: a frame is there without an event of its own")                     \
	X(LINE_AT, 12, FIELDS_2(unit, line), PL_EVENT_LINE, stand, EVENT_FRAME, 0,                 \
		"unit line: a line that the code's table does not have")                           \
	X(TIME, 13, FIELDS_1(a), EVENT_NO_ROW, nothing, EVENT_APART | EVENT_COMMON, 0,             \
		"ticks since the last time of this stream; it is that of the next event")          \
	X(SWITCH, 14, FIELDS_3(a, b, c), EVENT_NO_ROW, nothing, EVENT_APART, 0,                    \
		"number thread+1 position: where the thread that wrote before stands")             \
	X(GAP, 15, FIELDS_2(a, b), PL_EVENT_GAP, gap, 0, 0, "reason lost")                         \
	X(TASK, 16, FIELDS_2(number, text), EVENT_NO_ROW, task, 0, 0,                              \
		"[number if EVENT_NUMBERED] name string: a frame is the root of a task")           \
	X(MARK, 17, FIELDS_1(text), PL_EVENT_MARK, nothing, 0, 0, "text string")                   \
	X(STOP, 18, FIELDS_2(a, b), PL_EVENT_GAP, stop, 0, 0,                                      \
		"signal unit+1: a fatal signal arrived; unit of the top frame, 0: not known")      \
	X(AGAIN, 19, FIELDS_1(unit), PL_EVENT_AGAIN, pass,                                         \
		EVENT_FRAME | EVENT_COMMON | EVENT_STEP | EVENT_FAST, 1,                           \
		"unit: of a jump back, to another pass of a loop that fires no LINE")              \
	X(GREENLET, 20, FIELDS_1(a), EVENT_NO_ROW, greenlet, 0, 1,                                 \
		"number: the thread goes on in that greenlet, 0: on its own stack")                \
	X(AT, 21, FIELDS_1(unit), EVENT_NO_ROW, find, EVENT_FRAME | EVENT_STEP | EVENT_FAST, 2,    \
		"unit: where the top frame stands, before what is about to hide it")               \
	X(OUTSIDE, 22, FIELDS_2(site, code), PL_EVENT_OUTSIDE, outside, EVENT_STEP | EVENT_FAST,   \
		2, "[site] code: a call into code that is not recorded, by a filter")              \
	X(IDLE, 23, FIELDS_2(a, b), EVENT_NO_ROW, nothing, EVENT_APART, 2,                         \
		"ticks from the last time of this stream on, ticks: its event loop waited")

/* With LINE and FURTHER, whose bytes have no number of a kind: 32 and 33 are of struct event only.
 * FURTHER is what is behind EVENT_PREFIX: an event that changes nothing that the others say, so
 * that a reader that does not know its kind passes it over. */
#define EVENT_TABLE(X)                                                                             \
	EVENT_KINDS(X)                                                                             \
	X(LINE, 32, FIELDS_1(index), PL_EVENT_LINE, line, EVENT_FRAME | EVENT_STEP, 0, "index")    \
	X(FURTHER, 33, FIELDS_2(further, bytes), EVENT_NO_ROW, nothing, EVENT_SECTION, 10,         \
		"kind bytes")
#define EVENT_KIND_COUNT 34 /* for arrays */

/* X(constant, flags, since): with flags that the kind did not have at first. The first row that
 * fits counts; 0: any flags. */
#define EVENT_FLAG_MINORS(X)                                                                       \
	X(LINK, EVENT_HIDDEN, 6)                                                                   \
	X(LINK, 0, 1)                                                                              \
	X(RAISE, 0, 2)                                                                             \
	X(AGAIN, 0, 8)                                                                             \
	X(TASK, 0, 9)

/* X(name, frames, text): what an event does to the stack (stack.c has a function for each), whether
 * it pushes or pops exactly one frame, and FORMAT.md's words. */
#define EVENT_STACKS(X)                                                                            \
	X(nothing, OTHER, "")                                                                      \
	X(enter, ENTRY, "the caller stands at `site`; push a frame")                               \
	X(resume, ENTRY, "the caller stands at `site`; push a frame that stands at `unit`")        \
	X(throw, ENTRY, "as RESUME; the frame is raised")                                          \
	X(outside, ENTRY, "the caller stands at `site`; push a frame as LINK does")                \
	X(pop, EXIT, "pop")                                                                        \
	X(pops, OTHER, "pop n")                                                                    \
	X(link, OTHER, "push a linked frame")                                                      \
	X(greenlet, OTHER, "put it aside; another one is empty until LINKs fill it")               \
	X(task, OTHER, "that frame is the root of the task")                                       \
	X(gap, OTHER, "frames stay, but where they stand is not known")                            \
	X(line, OTHER, "the frame stands at a line start, and is raised no more")                  \
	X(stand, OTHER, "the frame stands at `unit`")                                              \
	X(pass, OTHER, "the frame stands at `unit`")                                               \
	X(find, OTHER, "the frame stands at `unit`")                                               \
	X(stop, OTHER, "the frame stands at the unit, if that is known")                           \
	X(raise, OTHER, "the frame is raised")                                                     \
	X(reraise, OTHER, "the frame is raised")                                                   \
	X(handle, OTHER, "the frame stands at a handler, and is raised no more")

/* X(name): how a field is read, and struct event's name of it. MADE is `gen` with EVENT_GENERATOR;
 * NUMBER is `a` with EVENT_NUMBERED. FURTHER is `a`, a kind; BYTES is `text`, of any length. */
#define EVENT_FIELD_NAMES(X)                                                                       \
	X(index)                                                                                   \
	X(site)                                                                                    \
	X(code)                                                                                    \
	X(gen)                                                                                     \
	X(made)                                                                                    \
	X(unit) X(lasti) X(type) X(line) X(text) X(number) X(a) X(b) X(c) X(further) X(bytes)

enum event_kind {
	EVENT_NONE = 0, /* an unwritten byte; never in a block */
#define X(constant, number, ...) EVENT_##constant = number,
	EVENT_TABLE(X)
#undef X
};

enum {
	FRAMES_OTHER,
	FRAMES_ENTRY,
	FRAMES_EXIT,
#define X(name, frames, text) EVENT_FRAMES_##name = FRAMES_##frames,
	EVENT_STACKS(X)
#undef X
};

enum {
#define X(name) EVENT_FIELD_AT_##name,
	EVENT_FIELD_NAMES(X)
#undef X
};

enum {
#define X(name) EVENT_FIELD_##name = 1 << EVENT_FIELD_AT_##name,
	EVENT_FIELD_NAMES(X)
#undef X
};

/* Of FIELDS_n(…): which, as bits, and how many. */
#define EVENT_BITS_FIELDS_0()		 0
#define EVENT_BITS_FIELDS_1(a)		 EVENT_FIELD_##a
#define EVENT_BITS_FIELDS_2(a, b)	 (EVENT_BITS_FIELDS_1(a) | EVENT_FIELD_##b)
#define EVENT_BITS_FIELDS_3(a, b, c)	 (EVENT_BITS_FIELDS_2(a, b) | EVENT_FIELD_##c)
#define EVENT_BITS_FIELDS_4(a, b, c, d)	 (EVENT_BITS_FIELDS_3(a, b, c) | EVENT_FIELD_##d)
#define EVENT_COUNT_FIELDS_0()		 0
#define EVENT_COUNT_FIELDS_1(a)		 1
#define EVENT_COUNT_FIELDS_2(a, b)	 2
#define EVENT_COUNT_FIELDS_3(a, b, c)	 3
#define EVENT_COUNT_FIELDS_4(a, b, c, d) 4

/* ---- what is asked of it ---- */

/* A set of kinds is a sum of these, made by the compiler. */
#define EVENT_KIND_BIT(condition, number) ((condition) ? (uint64_t)1 << (number) : 0)

/* Does the event count in `seq` and in a block's events? Then a reader shows it as a row. */
static inline bool event_counts(enum event_kind kind)
{
#define X(constant, number, fields, row, ...) | EVENT_KIND_BIT((row) != EVENT_NO_ROW, number)
	return (0 EVENT_TABLE(X)) >> kind & 1;
#undef X
}

/* Has it one of these traits? */
#define EVENT_HAS_TRAIT(constant, number, fields, row, stack, traits, ...)                         \
	| EVENT_KIND_BIT(((traits) & (asked)) != 0, number)
__attribute__((always_inline)) static inline bool event_has_trait(
	enum event_kind kind, unsigned asked)
{
	return (0 EVENT_TABLE(EVENT_HAS_TRAIT)) >> kind & 1;
}

/* Has it one of these fields? */
#define EVENT_HAS_FIELD(constant, number, fields, ...)                                             \
	| EVENT_KIND_BIT(((EVENT_BITS_##fields) & (asked)) != 0, number)
__attribute__((always_inline)) static inline bool event_has_field(
	enum event_kind kind, unsigned asked)
{
	return (0 EVENT_TABLE(EVENT_HAS_FIELD)) >> kind & 1;
}

/* Does it begin a frame, or go on with one? */
static inline bool event_is_entry(enum event_kind kind)
{
#define X(constant, number, fields, row, stack, ...)                                               \
	| EVENT_KIND_BIT(EVENT_FRAMES_##stack == FRAMES_ENTRY, number)
	return (0 EVENT_TABLE(X)) >> kind & 1;
#undef X
}

/* Is the top frame gone afterwards, and no other? */
static inline bool event_is_exit(enum event_kind kind)
{
#define X(constant, number, fields, row, stack, ...)                                               \
	| EVENT_KIND_BIT(EVENT_FRAMES_##stack == FRAMES_EXIT, number)
	return (0 EVENT_TABLE(X)) >> kind & 1;
#undef X
}

/* Only for what event_counts. */
static inline enum pl_event_kind event_row(enum event_kind kind)
{
	static const uint8_t rows[EVENT_KIND_COUNT] = {
#define X(constant, number, fields, row, ...) [number] = row,
		EVENT_TABLE(X)
#undef X
	};

	return (enum pl_event_kind)rows[kind];
}

#endif
