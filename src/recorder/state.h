/* What the recorder keeps: one root for a process, one state for each thread, one record for each
 * code object.
 *
 *	code object -- co_extra, or the map --> code_record     number, and unit -> line start
 *	this thread -- self -----------------> thread           ring, shadow stack, greenlet
 *	root        -- last -----------------> thread           the thread that wrote last
 *	            -- threads --> thread --> thread ...        all of them, also ended ones
 *
 * All of the root is read and written with the GIL, unless a field says otherwise. A thread's state
 * belongs to its thread. States are never unmapped while the process lives, so that the root's
 * `last` can be followed.
 *
 * States and shadow stacks are mapped, not malloc'd: the handler of a fatal signal reads them, and
 * the program's allocator may be its own.
 */
#ifndef PL_RECORDER_STATE_H
#define PL_RECORDER_STATE_H

#include <string.h>

#include "recorder/compat.h"
#include "base/buf.h"
#include "base/expect.h"
#include "base/map.h"
#include "bytecode/passes.h"
#include "filter/filter.h"
#include "format/event.h"
#include "os/clock.h"
#include "pathline/event.h"
#include "recorder/recorder.h"
#include "ring/ring.h"

/* By which event a witness is reported (hot.c). */
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
	/* its calls are recorded with their begin (flow/begin.h), without an event of their own */
	bool late;
	/* a frame of it had no recorded caller: its returns and yields have events, because nothing
	 * may follow */
	bool bottom;
	bool hushed; /* a return or yield of it was disabled */
	/* by a filter: it has no events and no units; its number is 0 until it is needed for
	 * OUTSIDE */
	bool left_out;
#if ENGINE_TRACES
	bool *handling; /* one byte a unit, after the lines: is an exception being handled there? */
	/* it handles one at its first unit, so it is traced by instruction from there on */
	bool begins_handling;
#endif
	bool sections; /* a section began in a generator of it */
	/* it ran in a section, so that all its lines and returns are enabled; and how often that
	 * was in vain */
	uint16_t precise;
	/* at some jumps back, whether they are AGAIN depends on the LINEs of the frame */
	bool checks;
	/* a unit of it has `wavers`, and INSTRUCTION would be enabled there: it is never hot */
	bool wavers;
	/* the collector makes its graph, and its starts are not known here until a LINE of it is
	 * wanted (code_find_lines) */
	bool straight;
	bool far;		/* a LINE of it takes long (code.c), so it becomes hot sooner */
	bool planned;		/* it is or was planned again (plan.c), which happens once */
	struct plan *plan;	/* owned; NULL except while it is planned again */
	uint32_t number_before; /* the number that it had before that, or 0 */
	uint32_t text_unit;	/* its text unit (source.c), or 0 */
	uint32_t lines_heard;	/* on the fast path; at root.hot_lines the code becomes hot */
	uint32_t passes_heard;	/* reported by JUMP, and may move (hot.c); likewise */
	struct code_record *next, **at; /* of all (root.codes); at: the pointer to it, NULL: none */
	int32_t *lines;			/* of the starts, by index; after the units, or own_lines */
	int32_t *own_lines;		/* owned; for straight code, else NULL */
	/* As many as code units, caches too: the frame's own position is the index, no search. */
	struct code_unit {
		uint32_t start : 19; /* index of the line start + 1, 0: none here */
		uint32_t witness : 1;
		uint32_t begins : 1; /* it also records the call */
		/* with `begins` or before one, or before the first RESUME or a resume: the call of
		 * a frame that is here may be pending */
		uint32_t pending : 1;
		uint32_t sends : 1;  /* the frame awaits what is called here */
		uint32_t silent : 1; /* a return or yield that needs no event */
		uint32_t pass : 4;   /* enum pass_mark */
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
	return (bits & UNIT_BITS(.start = START_MAX, .pass = 15)) ==
		       UNIT_BITS(.pass = PASS_ALWAYS) &&
	       bits & UNIT_BITS(.heard = 3);
}

/* The shadow stack has the thread's frames as they were recorded: what a reader has on its own
 * stack after the last event. The difference between it and the frames that are there now must be
 * written (POPS, LINKs) before the next event. Addresses in it are only compared; only frames on
 * the interpreter's stack are followed. */
struct thread {
	struct ring_writer ring;
	struct event_calls calls; /* known to the readers of the stream */
	py_frame *top;	   /* == frames[depth - 1], NULL when empty: compared at every event */
	py_frame **frames; /* a copy of the call stack, bottom first; mapped, not malloc'd */
	uint32_t depth;
	uint32_t room;
	uint64_t tick;	     /* the collector's tick at the last event */
	uint64_t time_ticks; /* the last time written into the stream */
	uint64_t lost;	     /* events lost since there was no room */
	uint32_t number;     /* in its process */
	/* the address of its PyThreadState that was given to the collector; compared only */
	const void *state_told;
	_Atomic bool ended; /* its thread is gone; set without the GIL */
	/* another than its own event writes into the ring: its end, or another thread */
	_Atomic bool taken;
	uint32_t ticks_to_name; /* until the thread's name is looked at again */
	bool fresh;		/* the whole stack must be written before the next event */
	bool calls_lost;	/* events were lost, perhaps also calls that are pending */
	bool named;		/* a THREAD message was sent */
	bool known; /* something was written to the stream, so frames can be popped from it */
	/* every return has an event now, but the shadow stack may have frames that returned without
	 * one before */
	bool stale;
	/* The last LINE that was reported, while all lines are recorded (root.tells_lines). */
	const py_frame *entered;    /* the last one; compared only */
	const uint8_t *resumed_at;  /* where the ring was after the last RESUME; compared only */
	const py_frame *line_frame; /* compared only */
	uint32_t line_unit;
	/* a pass was taken back because it was written before it began: the jump's unit + 1; 0:
	 * none */
	uint32_t owes;
	uint32_t lands; /* where the last jump leads that was written ahead: the unit + 1 */
	/* from when and for how long the event loop waited since the last event; idle_ticks 0: it
	 * did not; else `tick` is NO_TICK */
	uint64_t idle_from, idle_ticks;
	uint64_t tick_looked; /* of the last look at what is checked once a tick */
	uint64_t native_id;
	/* INSTRUCTION reports a witness of this frame, LOOK_UP_UNITS before its place; or NULL */
	const py_frame *later;
	const void *name_seen; /* the str object of its name; compared only, never followed */
	/* The task that it entered last (names.c): the root, by frame and generator, and the hash
	 * of the name that was written. The task lives while that generator runs. frame NULL:
	 * none. */
	const py_frame *task_frame;
	uint64_t task_generator, task_number, task_name;
	PyObject *task;

	/* Of its greenlets (greenlets.c). */
	/* the greenlet that runs; NULL: the thread's own stack; compared only */
	const void *greenlet_at;
	uint64_t greenlet;   /* its number, 0: the thread's own stack */
	uint32_t kept;	     /* number of its frames when it was left */
	uint32_t own_frames; /* number of frames of the thread's own stack when that was left */
	uint16_t own_losses;
	bool greenlets; /* it has any */
	/* events were lost: the depth of the shadow stack says nothing about the greenlet */
	bool unsure;
	struct thread *next; /* all of them */
};

static inline uint8_t *write_enter(
	struct thread *t, uint8_t *p, uint32_t site, uint32_t number, uint64_t generator)
{
	return generator || site == EVENT_NO_SITE ? event_write_enter(p, site, number, generator)
						  : event_write_call(p, &t->calls, site, number);
}

/* Never a tick: a thread whose last tick this is takes the slow path, and stamps. */
#define NO_TICK UINT64_MAX

/* A section in which each event is stamped (sections.c). */
struct section {
	uint64_t id;
	/* frame of a generator or coroutine: compared only; NULL: the section is in none */
	const py_frame *frame;
	struct thread *thread; /* NULL: the thread that forked this process */
	uint64_t greenlet;     /* number */
};
#define SECTIONS_MAX 256

/* A task as it was at one time. */
struct task_told {
	PyObject *task; /* borrowed, while it runs; NULL: only its number is known */
	uint64_t number;
	uint32_t length;
	char name[EVENT_TEXT_MAX];
};

/* Where a frame was at the fork that made this process. */
struct stood {
	struct task_told task; /* the task of which it is the root; number 0: none */
	const py_frame *frame; /* as the shadow stack has it; compared only */
	uint64_t generator;
	uint32_t number; /* of its code */
	uint32_t unit;
};

struct recorder_root {
	struct arena arena;
	struct process_slot *_Atomic *slot_out; /* of the preload */
	struct process_slot *slot;
	key_hook *_Atomic *on_key;     /* of the preload */
	leave_hook *_Atomic *on_leave; /* likewise */
	const _Atomic bool *confined;  /* likewise */
	/* the thread that wrote last: another one must write a SWITCH */
	struct thread *last;
	uint64_t switches;   /* number of the last switch */
	uint64_t generators; /* numbers given to generators */
	uint64_t tasks;	     /* numbers given to tasks, greenlets among them */
	/* sub-interpreters that were seen to begin, or were there at the fork */
	int64_t interpreters;
	struct ring_writer messages;
	struct thread *threads;
	struct code_record *codes; /* all that are attached to a code object */
	uint32_t thread_count;	   /* numbers given */
	struct section sections[SECTIONS_MAX];
	uint32_t section_count;
	uint64_t section_ids; /* given */
#if CODE_HAS_WATCHER
	struct pl_map code_records; /* address of a living code object -> its record */
#else
	Py_ssize_t code_index; /* of our record in co_extra */
#endif
	enum clock_source clock;
	_Atomic uint32_t stopped; /* enum pl_gap_reason + 1; set by any thread, never cleared */
	/* the globals of __main__, while its first frame is awaited; borrowed */
	PyObject *main_names;
	unsigned describing; /* code objects are being described: the place in the ring is in use */
	/* each call has an event: if one of the next two is set, or all events are stamped, or some
	 * are left out */
	bool tells_calls;
	/* each return has an event: exact order is wanted, or the time of each return */
	bool tells_returns;
	/* each line as well: there may be a trace function, which can move frames, or greenlets,
	 * which hide them */
	bool tells_lines;
	/* each line is a witness and enabled: exact order is wanted, or there is a just-in-time
	 * compiler */
	bool hears_lines;
	/* the program has set a trace function: frames can be moved, and the function's own frames
	 * run without events */
	bool traced;
	bool forked;  /* this child has no slot of its own yet */
	bool filters; /* some code is left out */
	/* this many LINEs make a code hot, a far one sooner; 0: no code becomes hot */
	uint32_t hot_lines;
	uint32_t hot_in_vain; /* attempts to make code hot that failed */
	bool moves_seen; /* where LINE was disabled, INSTRUCTION did not come in the same run */
	struct first_move {
		const struct thread *thread;
		const py_frame *frame;	    /* compared only */
		struct code_record *record; /* NULL: no event has moved, or that was seen */
		uint32_t unit;
	} first_move;
	struct filter filter;
	uint32_t fork_parent; /* number of the process that forked it */
	/* the stack of the thread that forked, the top first; mapped, until it is written */
	struct stood *stood;
	uint32_t stood_count;
	uint32_t stood_pid;    /* of the child: one that it vforks has its memory */
	bool stood_unheard;    /* no event was reported as the child began: its way is not known */
	uint32_t shared_codes; /* codes up to this number may be another process's too (a fork) */
	struct pl_buf command, executable, interpreter,
		stdlib_dir;	    /* texts for the PROCESS message */
	struct pl_buf command_text; /* of -c, until it is written */
	int tool;		    /* sys.monitoring's tool id */
	/* the one of compat.h; if that is not known, a cell that names no thread */
	PyThreadState *const *gil_holder;
};

extern struct recorder_root root;

/* With exact order, INSTRUCTION at the target of a jump reports a pass that was taken back, once
 * the thread has the GIL. */
static inline bool landings_are_heard(void)
{
	return JUMP_IS_TOLD_AHEAD && root.arena.head->order == ORDER_EXACT;
}

/* The state of this thread; NULL before its first event and after its end. */
extern __thread struct thread *self;

/* The state of this thread, in a hook; NULL: ask current_thread_state. If libpython is shared, that
 * takes two calls, while the GIL's cell is one load. The state is accepted only if this thread was
 * seen with it: a cell that was changed without the GIL is not trusted. */
static inline PyThreadState *gil_holder_seen(const struct thread *t)
{
	PyThreadState *holder = __atomic_load_n(root.gil_holder, __ATOMIC_RELAXED);

	return likely(holder == t->state_told) ? holder : NULL;
}

static inline PyThreadState *state_seen(const struct thread *t)
{
	return t ? gil_holder_seen(t) : NULL;
}

static inline PyThreadState *hook_thread_state(const struct thread *t)
{
	PyThreadState *seen = state_seen(t);

	return seen ? seen : current_thread_state();
}

static inline uint64_t now_ticks(void)
{
	return clock_ticks(root.clock);
}

/* The TSC of another core may be slightly behind; time does not go backward within a thread. */
__attribute__((always_inline)) static inline uint8_t *write_time(
	struct thread *t, uint8_t *p, uint64_t now)
{
	if (now < t->time_ticks)
		now = t->time_ticks;
	p = event_write_time(p, now - t->time_ticks);
	t->time_ticks = now;
	return p;
}

/* Two counts: the thread's becomes a GAP when there is room again; the collector uses the slot's if
 * there never was. `fresh`: the stack in the stream is no longer right. */
static inline void event_lose(struct thread *t)
{
	t->lost++;
	t->fresh = true;
	t->tick = NO_TICK; /* the next step takes the slow path, which writes the gap */
	if (root.slot)
		atomic_fetch_add_explicit(&root.slot->lost, 1, memory_order_relaxed);
}

/* ---- steps of an event (thread.c); all with the GIL ---- */

/* Make room for one event of the current thread, and write what must come before it: the time if
 * the tick changed, the switch if another thread wrote last, the gap and the stack after a loss.
 * NULL: there is no room, and the event is lost. */
uint8_t *step_slow(struct thread *t, uint8_t *p);
struct thread *thread_begin(void);

/* Is the frame at a start whose LINE was not reported, while all are? Then a trace function, which
 * is called before us, calls something there, or has raised. */
static inline bool line_is_unheard(
	const struct thread *t, const py_frame *frame, const struct code_record *r, uint32_t unit)
{
	if (likely(!root.tells_lines) || !t->line_frame || !r || unit >= r->unit_count ||
		!r->units[unit].start)
		return false;
	return t->line_frame != frame || t->line_unit != unit;
}

/* The hot half: three comparisons show that nothing must come before the event. The tick is read
 * relaxed: it orders nothing, and an old one costs a stamp that is a little late. _inline: for a
 * callback that calls nothing, and so saves no registers. */
__attribute__((always_inline)) static inline bool step_is_slow_inline(
	const struct thread *t, const uint8_t *p)
{
	return p >= t->ring.limit || root.last != t ||
	       atomic_load_explicit(&root.arena.head->tick, memory_order_relaxed) != t->tick;
}

static ENGINE_INLINE bool step_is_slow(const struct thread *t, const uint8_t *p)
{
	return step_is_slow_inline(t, p);
}

static inline uint8_t *step(struct thread *t)
{
	uint8_t *p = t->ring.at;

	if (unlikely(step_is_slow(t, p)))
		return step_slow(t, p);
	return p;
}

/* C code can report events of its own through PyMonitoring_* (Cython does since 3.13). It has code
 * objects but no frames of the interpreter. In the shadow stack its code represents the frame,
 * marked by the lowest bit. */
static inline py_frame *foreign_frame(const PyCodeObject *code)
{
	return (py_frame *)((uintptr_t)code | 1);
}

static inline bool frame_is_foreign(const py_frame *frame)
{
	return (uintptr_t)frame & 1;
}

/* A frame of code that is left out begins and ends without an event, so its address does not
 * identify it. In its place the shadow stack has what was written to the stream: the number of its
 * code, and the site in its caller. */
static inline py_frame *outside_frame(uint32_t number, uint32_t site)
{
	return (py_frame *)((uintptr_t)site << 34 | (uintptr_t)number << 2 | 2);
}

#define OUTSIDE_SITE_MAX ((1u << 30) - 1)

static inline uint32_t outside_site(const py_frame *frame)
{
	return (uint32_t)((uintptr_t)frame >> 34);
}

static inline bool frame_is_outside(const py_frame *frame)
{
	return ((uintptr_t)frame & 3) == 2;
}

/* Is this entry of the shadow stack a frame that can be looked into? */
static inline bool frame_is_real(const py_frame *frame)
{
	return !((uintptr_t)frame & 3);
}

/* At the address of a frame of the shadow stack there may be another frame by now. If its calls are
 * recorded late (code_record.late) and it is pending, then it is another one, of which nothing was
 * written. But if an event needed the frame while it was pending, its call was written early: then
 * its entry has a mark, in a bit that no address has.
 *
 *   main -> low, at `if a < b`, which calls K.__lt__   shadow   main  K.__init__, the place of low
 *   low is written early: POPS 1, ENTER low                     main  low+EARLY */
#define MARK_EARLY ((uintptr_t)1 << 63)
/* Its witness was written where the frame is, and must not be written by the instruction after it
 * (code_unit.later). */
#define MARK_TOLD ((uintptr_t)1 << 62)
/* It was linked before it began, for what was called at its first RESUME by a signal handler. */
#define MARK_LINKED ((uintptr_t)1 << 61)
/* It is at a yield but not suspended: it raises there, or the yield is being written. Any other
 * frame that is at a yield has not been resumed. */
#define MARK_STANDS ((uintptr_t)1 << 60)
#define MARKS	    (MARK_EARLY | MARK_TOLD | MARK_LINKED | MARK_STANDS)

static inline py_frame *frame_marked(const py_frame *frame, uintptr_t mark)
{
	return (py_frame *)((uintptr_t)frame | mark);
}

static inline py_frame *frame_unmarked(const py_frame *entry)
{
	return (py_frame *)((uintptr_t)entry & ~(frame_is_real(entry) ? MARKS : 0));
}

/* Does the entry of the shadow stack have this frame's address? */
static inline bool entry_is(const py_frame *entry, const py_frame *frame)
{
	return ((uintptr_t)entry ^ (uintptr_t)frame) << 4 == 0;
}

/* Make `frame` the top of the shadow stack, for an event that is not an entry: writes POPS or
 * LINKs. */
uint8_t *step_to_frame(struct thread *t, uint8_t *p, py_frame *frame);
/* The same, if the shadow stack's entry for the frame is from before the frame was left. */
uint8_t *step_to_frame_again(struct thread *t, uint8_t *p, py_frame *frame);
/* The same for an entry: the caller (may be NULL) becomes the top. A caller that is left out is
 * written as OUTSIDE, with those below it. */
uint8_t *step_to_caller(struct thread *t, uint8_t *p, py_frame *caller);
/* Write the top frame's witness here, if that is due and will not be written by the instruction
 * after it. */
uint8_t *step_tell_due(struct thread *t, uint8_t *p);
/* Before the bottom frame of the running greenlet: write its number and name. */
uint8_t *write_greenlet_name(const struct thread *t, uint8_t *p);
void stack_push(struct thread *t, py_frame *frame);
/* The same if there is room: depth < room. */
static inline void stack_put(struct thread *t, py_frame *frame)
{
	t->frames[t->depth++] = frame;
	t->top = frame;
}
/* Its place in the shadow stack, counted from 1; 0: it is not there. The entry may be that of an
 * earlier frame at this address (stack_place). */
static inline uint32_t stack_find(const struct thread *t, const py_frame *frame)
{
	uint32_t i = t->depth; /* from the top, where it mostly is */

	while (i && !entry_is(t->frames[i - 1], frame))
		i--;
	return i;
}
/* The shadow stack alone: an event, or a POPS, must say the same. depth > 0. */
static inline void stack_pop(struct thread *t)
{
	t->depth--;
	t->top = t->depth ? t->frames[t->depth - 1] : NULL;
}
static inline void stack_mark(struct thread *t, uint32_t place, uintptr_t mark)
{
	t->frames[place - 1] = frame_marked(frame_unmarked(t->frames[place - 1]), mark);
	t->top = t->frames[t->depth - 1];
}
int thread_init(void);
/* In a forked child, before anything of the parent is forgotten: keep where this thread is. */
void thread_stands_at_fork(void);
/* A leave_hook: write where this thread is, if it runs Python. */
void thread_leaves(bool killed);
/* Each line and return has an event from here on. Writes where this thread is, unless it is in a
 * callback, whose event says so. Other threads are marked as stale until their next event. */
void thread_begins_to_tell(void);
/* What runs from here on is not reported, in any thread, until further notice: a GAP in each. */
void threads_lose_the_path(enum pl_gap_reason reason);
/* The pass that it owes; its place is open. */
uint8_t *thread_write_owed(struct thread *t, uint8_t *p);
void thread_forget_all(void); /* in a forked child */
/* A forked child with its first event becomes a process of the recording; false: it is not
 * recorded. */
bool process_begin_in_child(void);
void thread_check_name(struct thread *t);

/* Write that other interpreters have begun in this process: they have callbacks of their own, and
 * are not recorded. Called at each tick, and after the end of the main interpreter. */
void interpreters_look(void);

/* ---- code.c ---- */
/* Describe a code object to the collector, and keep its record. NULL: it could not be described,
 * and the event that needs it is lost; the next event tries again. Leaves no error set. */
struct code_record *code_describe(PyCodeObject *code);
/* Every code object that was described and is alive, with its record. */
void codes_each(
	void (*each)(PyCodeObject *code, struct code_record *r, void *context), void *context);
int code_init(void); /* 0, or -1: the interpreter has no free slot for us */
struct flow_graph;
/* The code's flow graph, owned by the caller. */
bool code_graph(PyCodeObject *code, struct flow_graph *out);
/* For straight code: its starts are known from here on, unless there is no memory. */
void code_find_lines(PyCodeObject *code, struct code_record *r);
/* Describe the code again, with the graph's witnesses. Returns its new number; 0: it could not be
 * described. */
uint32_t code_tell_again(PyCodeObject *code, const struct flow_graph *graph);
void code_set_number(struct code_record *r, uint32_t number);
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

/* At `unit` of code whose calls are recorded late: may the call of a frame that is there be
 * pending? */
static inline bool unit_is_pending(const struct code_record *r, py_frame *frame, uint32_t unit)
{
	return unit < r->unit_count && r->units[unit].pending && !frame_not_begun(frame);
}

/* Is the frame at a unit where its call may be pending? */
static inline bool frame_is_pending(py_frame *frame)
{
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);

	return r && r->late && unit_is_pending(r, frame, frame_unit(frame, code));
}

/* Has the frame yielded without an event, and its resume was not written yet? It still calls what
 * runs then. */
static inline bool frame_not_resumed(py_frame *frame)
{
	if (!RESUME_LOOKS_FIRST || !frame_in_generator(frame))
		return false;
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);
	uint32_t unit = frame_unit(frame, code);

	return r && r->suspends && unit < r->unit_count && r->units[unit].pending &&
	       !frame_not_begun(frame);
}

/* The entry of the shadow stack has the frame's address: is it the frame that is there now, and
 * runs? */
static inline bool entry_is_true(const py_frame *entry, py_frame *frame)
{
	bool told = (uintptr_t)entry & (MARK_EARLY | MARK_TOLD) || !frame_is_pending(frame);

	return told && ((uintptr_t)entry & MARK_STANDS || !frame_not_resumed(frame));
}

/* Of a frame that has not begun, at `place` of the shadow stack: was its own start written? One
 * that was written late has the mark for that. */
static inline bool was_entered(const struct thread *t, uint32_t place, py_frame *frame)
{
	const struct code_record *r = code_known(frame_code(frame));

	return t->entered == frame &&
	       (!r || !r->late || (uintptr_t)t->frames[place - 1] & MARK_EARLY);
}

/* Is the witness there reported by the instruction after it? */
static inline bool unit_tells_later(const struct code_record *r, uint32_t unit)
{
	return unit < r->unit_count && r->units[unit].later &&
	       r->units[unit].heard == HEARD_MOVED && !root.tells_lines;
}

/* Is the frame at its LINE, which the instruction after it should write? */
static inline bool frame_is_due(py_frame *frame)
{
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);

	return r && unit_tells_later(r, frame_unit(frame, code));
}

/* The number of a code that is left out; it is described when this is first asked. 0: it could not
 * be described. */
uint32_t code_outside_number(PyCodeObject *code, struct code_record *r);

/* ---- hot.c: witnesses reported by INSTRUCTION ---- */
/* For a LINE that is not recorded yet: does the code become hot with it? */
bool hot_begins(PyCodeObject *code, struct code_record *r, uint32_t unit);
/* After a LINE of the frame was recorded at `unit`, which the code has: should LINE be disabled
 * there, because INSTRUCTION is enabled instead from now on? `began`: the code became hot with
 * it. */
bool hot_line_moves(
	struct thread *t, py_frame *frame, struct code_record *r, uint32_t unit, bool began);
/* The code is hot: should INSTRUCTION come at `unit` again? */
bool hot_instruction_is_heard(
	struct thread *t, const py_frame *frame, struct code_record *r, uint32_t unit);
/* After JUMP recorded a pass at `unit`, enough for the code's passes to be hot: should JUMP be
 * disabled there, because INSTRUCTION records the next ones? */
bool hot_pass_moves(PyCodeObject *code, struct code_record *r, uint32_t unit);
/* In any thread's code: the next INSTRUCTION at `landing` is enabled, whatever is there; not if
 * that fails. */
void hot_hear_landing(PyCodeObject *code, const struct code_record *r, uint32_t landing);

/* INSTRUCTION is enabled again at all units of the code. false: it is not, or not any more; then
 * what had moved is lost, and a gap says so. */
bool hot_listen_anew(PyCodeObject *code);
/* Its witnesses are reported by LINE again, from its next run on. */
void hot_ends(PyCodeObject *code, struct code_record *r);
/* As hot_ends, if INSTRUCTION is no longer enabled in any code, and a gap says so. true: something
 * of it was recorded by INSTRUCTION, or counted. */
bool hot_forget(struct code_record *r);
/* Another tool gets branches from here on: no code is hot, and none becomes hot. Nothing is
 * lost. */
void hot_stop(void);

/* A plan kept witnesses that record calls from moving, and is gone: now they may move. Call it
 * where such a LINE is reported, or while no frame runs the code. */
void hot_begins_move(struct code_record *r);

/* ---- plan.c: hot code is planned again ---- */
/* The code is hot: should its starts be counted? */
bool plan_begin(PyCodeObject *code, struct code_record *r);
bool plan_is_counting(const struct code_record *r);
/* They have been counted, and nothing was chosen yet. */
bool plan_is_due(const struct code_record *r);
/* INSTRUCTION came while they are counted: should it come at `unit` again? */
bool plan_counts(struct code_record *r, uint32_t unit);
/* They have been counted, or that never began. */
void plan_choose(struct code_record *r);
/* A call of the code is about to be written: enable what was chosen from here on, if possible. */
void plan_enter(PyCodeObject *code, struct code_record *r);
/* The same with a LINE at `unit`, if that also records calls. */
void plan_line(PyCodeObject *code, struct code_record *r, uint32_t unit);
void plan_drop(struct code_record *r);

/* ---- loaded.c ---- */
struct file_stamp;
enum loaded {
	LOADED_NOW,	/* the code was compiled from the file as it is, or as its hash says */
	LOADED_EARLIER, /* the file was changed since */
	LOADED_UNKNOWN,
};
/* When was the code compiled, whose file has this path and stamp? hash: the key of its .pyc's hash
 * and the hash that the file must have; the key is 0 if none is known. */
enum loaded loaded_when(
	PyCodeObject *code, const char *path, const struct file_stamp *stamp, uint64_t hash[2]);
/* The frame that runs the code; if the code is described before it runs, the frame that is running.
 * NULL: none. */
py_frame *frame_of(PyCodeObject *code);
/* A text in the frame's globals, or an empty one; *keep is as text_of has it. */
struct pl_view global_text(const py_frame *frame, const char *name, PyObject **keep);

/* ---- fits.c ---- */
/* Can a file with these bytes be what the code was compiled from? */
bool code_fits(PyCodeObject *code, struct pl_view bytes);

/* ---- source.c ---- */
void source_begin(void); /* an interpreter begins in this process */
/* The text unit of the code; 0: none is known. A new unit is described to the collector under the
 * number of the code that opens it. */
uint32_t source_unit(PyCodeObject *code, uint32_t number);
/* The code has its record: describe all code in it, if its unit needs that. */
void source_described(PyCodeObject *code);

/* ---- signals.c ---- */
/* The handlers of fatal signals write where their thread is, and then do what they did before. */
void signals_install(void);

/* ---- generators.c: identity of a generator-like frame, by the address that it keeps ---- */
uint64_t generator_new(py_frame *frame);
uint64_t generator_of(py_frame *frame); /* an unknown one gets a number */
void generator_gone(py_frame *frame);

/* ---- passes.c: the last unit of frames of codes with `checks` (bytecode/passes.h) ---- */
void passes_line(py_frame *frame, uint32_t unit);
/* A jump back to `unit`; true: it is AGAIN. */
bool passes_jump(py_frame *frame, uint32_t unit);
void passes_forget(py_frame *frame); /* it begins, or is over */

/* ---- greenlets.c ---- */
/* The greenlet that runs on this thread, borrowed; NULL: the thread's own stack, or there are no
 * greenlets. */
PyObject *greenlet_running(void);
/* Does another greenlet run than the thread's state says? The state is updated. begins: a frame
 * without a caller is being entered. */
bool greenlet_changed(struct thread *t, bool begins);
/* Events of this thread were lost. */
void greenlets_lost(struct thread *t);
void greenlets_forget(void); /* another interpreter begins in this process */

/* ---- sections.c: each of their events is stamped ---- */
uint64_t section_begin(void); /* in this thread or task; 0: it cannot be */
void section_end(uint64_t id);
/* Is the thread in one? */
bool sections_on(const struct thread *t);
/* Code runs on the thread: if the thread is in a section, all of the code is enabled from now on.
 * true: it was not before. */
bool section_hears(const struct thread *t, struct code_record *r);
void sections_of_new_thread(struct thread *t);
void sections_forked(void);

/* ---- waits.c ---- */
extern const struct wait_hooks recorder_waits;

/* A plain generator, such as trio's loop, runs coroutines and awaits none. */
static inline bool frame_may_await(py_frame *frame)
{
	return frame_in_generator(frame) && frame_code(frame)->co_flags & COROUTINE_FLAGS;
}

/* ---- names.c: strings of the recording ---- */
uint32_t exception_type_number(PyObject *exception);
/* The task whose root is the coroutine's frame; false: none. begins: it is being entered by
 * something other than a coroutine, so the task is the thread's current one, whatever that runs. If
 * not, it may be known from before, without its name. */
bool task_find(PyThreadState *ts, py_frame *frame, bool begins, struct task_told *out);
/* Write the TASK before the frame, if that is a root. As task_find. */
uint8_t *task_write(uint8_t *p, PyThreadState *ts, py_frame *frame, bool begins);
/* The frame, thread.task_frame, ends or is suspended: write a TASK if its task has another name
 * since it was entered. */
uint8_t *task_write_renamed(uint8_t *p, py_frame *frame);
/* The name that the program gave to the greenlet, as gevent allows; else "Greenlet-" and its
 * number. At most EVENT_TEXT_MAX bytes into `name`; returns its length. */
size_t greenlet_name(PyObject *greenlet, uint64_t number, char *name);
void names_forget(void); /* as greenlets_forget */
/* module.name, borrowed; NULL when the module is not imported or has no such name. */
PyObject *module_attribute(const char *module, const char *name);
/* What the instance itself has by that name, a literal, in its dict or in a slot; a new reference,
 * or NULL. What would run Python code (a property, a __getattr__) is not asked. */
PyObject *plain_attribute(PyObject *object, const char *name);
/* A str as bytes, with surrogateescape; *keep is to be released by the caller (may be NULL). Never
 * leaves an error. */
const char *text_of(PyObject *str, size_t *length, PyObject **keep);

/* ---- message.c ---- */
/* With the GIL. false: there is no room in the arena, or no memory; nothing was written. */
bool message_put(uint8_t kind, const struct pl_buf *fields);
void message_process(uint32_t how);
void message_thread(const struct thread *t, const char *name, size_t length);
void message_note(enum pl_gap_reason reason, const char *text);

/* ---- the engine: install.c, or settrace.c on 3.11 ---- */
int hooks_install(bool at_main, const char **why);
/* What was disabled is enabled again. */
void hooks_hear_again(void);
/* Each line and return has an event from now on: one without an event may be of another frame, or
 * another greenlet. */
void hooks_tell_lines(void);
/* The same, because the program has a trace function or a debugger. Does nothing if the recorder
 * has stopped. */
void hooks_are_traced(void);
/* Each call has an event from now on. */
void hooks_tell_calls(void);
/* Disable all events, or as many as possible; from any thread. */
void hooks_off(void);

/* ---- tools.c ---- */
/* Does the program have all tool ids of sys.monitoring, and the recorder none? No event is
 * reported then. */
bool tools_are_all_taken(void);
/* RAISE came with this exception: was it raised by another tool's callback for JUMP or BRANCH?
 * false as well if C code is between the interpreter and what raised. */
bool tools_raised_at_jump(PyObject *exception);

/* ---- sysfunction.c ---- */
/* Put `own` in place of the C function that `function` (may be NULL) calls; *theirs gets the
 * original, for `own` to call. The table outlives the interpreter: in the next one `own` is there
 * already, and *theirs does not change. false: it is not a C function that takes its arguments by
 * `flags` (METH_O, ...), and nothing was done. */
bool function_take(PyObject *function, int flags, PyCFunction own, PyCFunction *theirs);

/* ---- window.c ---- */
/* Prepare for main_begins; false: there is no __main__ to wait for. */
bool main_awaited(void);
/* Is this frame, which has just started, the first one to be recorded? */
bool main_begins(py_frame *frame);
/* Stop the recorder, from any thread; the program runs on and is not recorded. */
void recorder_stop(enum pl_gap_reason reason);

#endif
