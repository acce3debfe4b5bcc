/* A code object as the recorder knows it: its record, and what it needs at each of its units. */
#ifndef PL_RECORDER_CODE_H
#define PL_RECORDER_CODE_H

#include <string.h>

#include "recorder/compat/python.h"
#include "recorder/compat/code_object.h"
#include "recorder/compat/frame.h"
#include "base/expect.h"
#include "base/map.h"
#include "bytecode/passes.h"
#include "recorder/root.h"

struct code_values;
struct reoptimization;

/* By which event a witness is reported (tiers/hot.c). */
enum heard {
	HEARD_BY_LINE,
	HEARD_MAY_MOVE, /* by LINE, until the code is hot */
	HEARD_MOVES,	/* by LINE; INSTRUCTION comes too */
	HEARD_MOVED,	/* by INSTRUCTION; LINE is disabled */
};

/* the largest that code_unit can have; others are recorded as LINE_AT */
#define START_MAX     ((1u << 19) - 1)
#define FAR_HOT_LINES 8	   /* this many LINEs of a far code make it hot, */
#define FAR_HOT_UNITS 8192 /* or fewer, if LINEs times its units reach this */

/* What an event needs of its code: the number that names it, and the index that represents its
 * line. Made at the code's first event (code_describe), freed by the interpreter with the code
 * object. */
struct code_record {
	/* The collector reads these three, starting from the code object (ring/arena.h). */
	const PyCodeObject *_Atomic code; /* to which it belongs; NULL: that is about to be freed */
	/* in the recording; 0: the code could not be described, and its events are a gap */
	uint32_t number;
	uint32_t unit_count;
	uint64_t number_bytes; /* the number as events have it, ready to be copied */
	uint32_t number_length;

	bool plain;	     /* a call needs only its event: not generator_like, no checks */
	bool generator_like; /* its frames belong to generators, coroutines or async generators */
	bool coroutine;	     /* or an asynchronous generator: a task can run it */
	bool suspends;	     /* its yields need no event, but its returns do */
	struct policy_facts facts; /* change them by code_judge */
	struct policy policy;	   /* of the facts; see code_policy */
	bool hushed;		   /* a return or yield of it was disabled */
	/* by a filter: it has no events and no units; its number is 0 until it is needed for
	 * OUTSIDE */
	bool left_out;
#if ENGINE_TRACES
	bool *handling; /* one byte a unit, after the lines: is an exception being handled there? */
	/* it handles one where it begins or is resumed, so it is traced by instruction then */
	bool enters_handling;
#endif
	bool sections; /* a section began in a generator of it */
	bool in_full;  /* its resumes and yields take the slow path: `sections`, or values */
	/* with facts.section: this many of its lines may follow outside of sections until the fact
	 * is forgotten */
	uint16_t section_lines;
	/* at some jumps back, whether they are AGAIN depends on the LINEs of the frame */
	bool checks;
	/* a unit of it has `wavers`, and INSTRUCTION would be enabled there: it is never hot */
	bool wavers;
	/* the collector makes its graph, and its starts are not known here until a LINE of it is
	 * wanted (code_find_lines) */
	bool straight;
	bool far;	  /* a LINE of it takes long (spared.c), so it becomes hot sooner */
	bool reoptimized; /* it is, or is being (tiers/reoptimize.c), which happens once */
	struct reoptimization *reoptimization; /* owned; NULL except while that goes on */
	struct code_values *values;	       /* owned (values/values.h); NULL: none are kept */
	uint32_t number_before;		       /* the number that it had before that, or 0 */
	uint32_t text_unit;		       /* its text unit (source.c), or 0 */
	uint32_t lines_heard;  /* on the fast path; at root.hot_lines the code becomes hot */
	uint32_t passes_heard; /* reported by JUMP, and may move (tiers/hot.c); likewise */
	struct code_record *next, **at; /* of all (root.codes); at: the pointer to it, NULL: none */
	int32_t *lines;			/* of the starts, by index; after the units, or own_lines */
	int32_t *own_lines;		/* owned; for straight code, else NULL */
	/* As many as code units, caches too: the frame's own position is the index, no search. */
	struct code_unit {
		uint32_t start : 19; /* index of the line start + 1, 0: none here */
		uint32_t witness : 1;
		/* before the first RESUME, or where a frame is that yielded without an event: the
		 * entry or resume of a frame that is here may be pending */
		uint32_t pending : 1;
		uint32_t sends : 1;  /* the frame awaits what is called here */
		uint32_t silent : 1; /* a return or yield that needs no event */
		uint32_t pass : 5;   /* enum pass_mark */
		uint32_t heard : 2;  /* enum heard, for a witness or a jump back (unit_is_pass) */
		/* for those that may move: the instruction after this one, which looks a name up,
		 * has the event */
		uint32_t later : 1;
		/* whether LINE fires after this instruction depends on its specialisation */
		uint32_t wavers : 1;
	} units[];
};

/* A code_unit as a number, so that a hook loads it once. */
static inline uint32_t unit_bits(struct code_unit u)
{
	uint32_t bits;

	_Static_assert(sizeof u == sizeof bits, "one load");
	memcpy(&bits, &u, sizeof bits);
	return bits;
}

#define UNIT_BITS(...) unit_bits((struct code_unit){__VA_ARGS__})

/* A jump back that is always AGAIN, and may be reported by INSTRUCTION instead of JUMP. Anything
 * else that is reported so has a start, or is after one and is no jump. */
static inline bool unit_is_pass(uint32_t bits)
{
	return (bits & UNIT_BITS(.start = START_MAX, .pass = 31)) ==
		       UNIT_BITS(.pass = PASS_ALWAYS) &&
	       bits & UNIT_BITS(.heard = 3);
}

/* What is written of the code's events, whatever follows from the path. */
static inline struct policy code_policy(const struct code_record *r)
{
	return policy_join(root.policy, r->policy);
}

/* ---- code.c ---- */

/* These are the facts of the code now. */
void code_judge(struct code_record *r, struct policy_facts facts);
/* A frame of it had no recorded caller. */
void code_is_bottom(struct code_record *r);

/* Describe a code object to the collector, and keep its record. NULL: it could not be described,
 * and the event that needs it is lost; the next event tries again. Leaves no error set. */
struct code_record *code_describe(PyCodeObject *code);
/* Every code object that was described and is alive, with its record. */
void codes_each(
	void (*each)(PyCodeObject *code, struct code_record *r, void *context), void *context);
int code_init(void); /* 0, or -1: the interpreter has no free slot for us */
/* The recorder leaves: no code object has anything of ours. */
void codes_forget(void);

void code_set_number(struct code_record *r, uint32_t number);

/* Attach the record to the code object. -1: there is no memory. */
int code_attach(PyCodeObject *code, struct code_record *r);
/* A number that no code of the recording has yet. */
uint32_t code_next_number(void);

/* What a code object has of ours: the address of its record; negated if the code is left out, so
 * that one comparison on the hot path finds both unknown and unwanted code; 0: it has had no
 * event. */
static inline intptr_t code_mark(PyCodeObject *code)
{
#if CODE_HAS_WATCHER
	const uint64_t *place = map_find(&root.code_records, (uint64_t)(uintptr_t)code);
	return place ? (intptr_t)*place : 0;
#else
	return (intptr_t)code_extra(code, root.code_index);
#endif
}

static inline struct code_record *code_marked(intptr_t mark)
{
	return (struct code_record *)(mark < 0 ? -mark : mark);
}

/* NULL: it has had no event. */
static inline struct code_record *code_known(PyCodeObject *code)
{
	return code_marked(code_mark(code));
}

static inline struct code_record *code_record(PyCodeObject *code)
{
	intptr_t mark = code_mark(code);

	return likely(mark != 0) ? code_marked(mark) : code_describe(code);
}

/* code_record for rare cases, which would be in the way on the hot path: not known, or left out. */
struct code_record *code_without_mark(PyCodeObject *code);

/* Does a filter leave it out? */
static inline bool code_is_left_out(PyCodeObject *code)
{
	struct code_record *r = unlikely(root.filters) ? code_record(code) : NULL;

	return r && r->left_out;
}

/* The frame, or the first below it that is not known to be left out. Describes nothing, so it may
 * be of another thread. */
static inline py_frame *frame_recorded(py_frame *frame)
{
	while (root.filters && frame) {
		const struct code_record *r = code_known(frame_code(frame));
		if (!r || !r->left_out)
			break;
		frame = frame_caller(frame);
	}
	return frame;
}

/* Has the frame yielded without an event, and its resume was not written yet? It still calls what
 * runs then. */
static inline bool frame_not_resumed(py_frame *frame)
{
	if (ENGINE_TRACES || !frame_in_generator(frame))
		return false;
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);
	uint32_t unit = frame_unit(frame, code);

	return r && r->suspends && unit < r->unit_count && r->units[unit].pending &&
	       !frame_not_begun(frame);
}

/* Is the witness there reported by the instruction after it? */
static inline bool unit_tells_later(const struct code_record *r, uint32_t unit)
{
	return unit < r->unit_count && r->units[unit].later &&
	       r->units[unit].heard == HEARD_MOVED && !root.policy.lines;
}

/* Is the frame at its LINE, which the instruction after it should write? */
static inline bool frame_is_due(py_frame *frame)
{
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);

	return r && unit_tells_later(r, frame_unit(frame, code));
}

#endif
