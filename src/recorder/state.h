/* What the recorder keeps: one root a process, one state a thread, one record a code object.
 *
 *	code object -- co_extra, or the map --> code_record     number, and unit -> line start
 *	this thread -- self -----------------> thread           ring, shadow stack, greenlet
 *	root        -- last -----------------> thread           who wrote last
 *	            -- threads --> thread --> thread …          all of them, ended ones too
 *
 * Everything in the root is read and written under the GIL, but for what says otherwise. A thread's
 * state belongs to its thread; the states are never unmapped while the process lives, so that the
 * root's `last` can be followed.
 *
 * States and shadow stacks are mapped, not malloc'd: a handler of a fatal signal reads them, and
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

/* By which event a witness is heard (hot.c). */
enum heard {
	HEARD_BY_LINE,
	HEARD_MAY_MOVE, /* by LINE, until the code is hot */
	HEARD_MOVES,	/* by LINE; INSTRUCTION comes too */
	HEARD_MOVED,	/* by INSTRUCTION, LINE is switched off */
};

#define START_MAX     ((1u << 19) - 1) /* what code_unit holds; others are told by LINE_AT */
#define FAR_HOT_LINES 8		       /* so many LINEs of a far code make it hot, */
#define FAR_HOT_UNITS 8192	       /* or fewer, which times its units are this */

/* What an event needs of its code: the number that names it, and the index that stands for its
 * line. Made at the code's first event (code_describe), freed by the interpreter with the code
 * object. */
struct code_record {
	/* The collector reads these three from the code object's side (ring/arena.h). */
	const PyCodeObject *_Atomic code; /* for which it is; NULL: it is about to be freed */
	uint32_t number; /* in the recording; 0: could not be described, its events are a gap */
	uint32_t unit_count;
	uint64_t number_bytes; /* the number as events have it, ready to be copied */
	uint32_t number_length;

	bool plain; /* an entry takes nothing but its event: not generator_like, no checks */
	bool generator_like; /* its frames live in generators, coroutines or async generators */
	bool coroutine;	     /* or an asynchronous generator: a task can run it */
	bool suspends;	     /* yields of it need not be told, but its returns */
	bool late; /* its calls are told by their first witness (flow/begin.h), not by an event of their own */
	bool bottom; /* a frame of it had no caller that is recorded: its returns and yields are told, since nothing may follow */
	bool hushed; /* a return or yield of it was switched off */
	bool left_out; /* by a filter: no event of it is recorded, and it has no units; its number is 0 until it is told as OUTSIDE */
#if ENGINE_TRACES
	bool *handling; /* a byte a unit, behind the lines: is an exception being handled there? */
	bool begins_handling; /* at its first unit, so it is traced by instruction from there on */
#endif
	bool sections; /* a section was begun in a generator of it */
	uint16_t
		precise; /* it ran in a section, so all its lines and returns are heard; so often yet in vain */
	bool checks; /* of some jumps back it depends on its frame's LINEs whether they are AGAIN */
	bool wavers; /* a unit of it does, and INSTRUCTION would be heard there: it is never hot */
	bool straight; /* the collector makes its graph, and its starts are not here: until a LINE of it is wanted (code_find_lines) */
	bool far;      /* a LINE of it takes long (code.c), so it is hot sooner */
	bool planned;  /* it is or was planned anew (plan.c): once is enough */
	struct plan *plan;	/* owned; NULL but while that goes on */
	uint32_t number_before; /* the number that it had before that, or 0 */
	uint32_t text_unit;	/* whose text it has (source.c), or 0 */
	bool implied; /* some calls of it are shown by what they call (implied.c), and have no event of their own: */
	uint16_t implied_from,
		implied_to; /* those whose frames come to these units; `to` is the first behind them */
	uint16_t implied_tries;
	uint16_t
		seen_base; /* of the places in it, as the shadow stack has them; 0: none, it never was so */
	uint32_t
		number_implied; /* the number that it had before that, or has when it is so, or 0 */
	uint32_t
		lines_heard; /* by the short way; when it comes to root.hot_lines the code is hot */
	uint32_t passes_heard; /* by JUMP, that may move (hot.c); likewise */
	struct code_record *next,
		**at;	    /* of all (root.codes); at: what points to it, NULL: nothing */
	int32_t *lines;	    /* of the starts, by their index; behind the units, or own_lines */
	int32_t *own_lines; /* owned; of straight code, or NULL */
	/* As many as code units, caches too: the frame's own position is the index, no search. */
	struct code_unit {
		uint32_t start : 19; /* index of the line start + 1, 0: none here */
		uint32_t witness : 1;
		uint32_t begins : 1; /* it tells of the call, too */
		uint32_t
			pending : 1; /* of those, or not begun or resumed; a frame that stands here may not have been told */
		uint32_t sends : 1;  /* what is called here is awaited by the frame */
		uint32_t silent : 1; /* a return or yield that need not be told */
		uint32_t pass : 4;   /* enum pass_mark */
		uint32_t heard : 2; /* enum heard, of a witness, or of a jump back (unit_is_pass) */
		uint32_t
			later : 1; /* of those that may move: the instruction behind this one, which looks a name up, is to tell */
		uint32_t
			wavers : 1; /* whether LINE fires behind this instruction hangs on how it is specialised */
	} units[];
};

/* A code_unit as a number: what a hook asks of it is loaded once. */
static inline uint32_t unit_bits(struct code_unit u)
{
	uint32_t bits;

	_Static_assert(sizeof u == sizeof bits, "one load");
	memcpy(&bits, &u, sizeof bits);
	return bits;
}

#define UNIT_BITS(...) unit_bits((struct code_unit){__VA_ARGS__})

/* A jump back that is AGAIN each time, and may be heard by INSTRUCTION in place of JUMP. What else is heard so has a start, or stands
 * behind one and is no jump. */
static inline bool unit_is_pass(uint32_t bits)
{
	return (bits & UNIT_BITS(.start = START_MAX, .pass = 15)) ==
		       UNIT_BITS(.pass = PASS_ALWAYS) &&
	       bits & UNIT_BITS(.heard = 3);
}

/* The shadow stack is the thread's frames as the stream has told them: what a reader has on its own
 * stack after the last event. So the difference to the frames that are there now is what must be
 * written (POPS, LINKs) in front of the next event. Addresses are compared; what is followed is
 * only what the interpreter has on its stack at this moment. */
struct thread {
	struct ring_writer ring;
	struct event_calls calls; /* that are known to who reads the stream */
	py_frame *top;	   /* == frames[depth - 1], NULL when empty: compared at every event */
	py_frame **frames; /* the shadow of the call stack, bottom first; mapped, not malloc'd */
	uint32_t depth;
	uint32_t room;
	uint64_t tick;	     /* the collector's tick when we last looked */
	uint64_t time_ticks; /* the last time written into the stream */
	uint64_t lost;	     /* events since there was no room */
	uint32_t number;     /* in its process */
	const void
		*state_told; /* the collector knows its PyThreadState to be this; compared only */
	_Atomic bool ended;  /* its thread is gone; set without the GIL */
	_Atomic bool
		taken; /* somebody writes into the ring outside of an event: its end, or another thread */
	uint32_t ticks_to_name; /* until the thread's name is looked at again */
	bool fresh;		/* the stream must tell the whole stack before its next event */
	bool calls_lost; /* events were, with or without the entries of frames that stand ahead of their begin */
	bool named; /* a THREAD message was sent */
	bool known; /* the stream holds something: frames can be popped from it */
	bool stale; /* every return is told now, but the shadow stack may hold frames that returned untold before */
	/* The last LINE that was heard, while all are (root.tells_lines). */
	const py_frame *entered;    /* the last one; compared only */
	const uint8_t *resumed_at;  /* where the ring was behind the last RESUME; compared only */
	const py_frame *line_frame; /* compared only */
	uint32_t line_unit;
	uint32_t
		owes; /* a pass that was taken back, as it was told before it began: the jump's unit + 1; 0: none */
	uint32_t lands; /* where the last jump goes that JUMP told ahead: the unit + 1 */
	uint64_t idle_from,
		idle_ticks; /* its event loop waited since the last event; 0: it did not, else `tick` is NO_TICK */
	uint64_t tick_looked; /* of the last look at what is looked at each tick */
	uint64_t native_id;
	const void *name_seen; /* the str object that was its name; compared only, never followed */
	/* Of its greenlets (greenlets.c). */
	const void
		*greenlet_at; /* the one that runs; NULL: the thread's own stack; compared only */
	uint64_t greenlet;    /* its number, 0: the thread's own stack */
	uint32_t kept;	      /* so many of its frames were there when it was left */
	uint32_t own_frames;  /* of the thread's own stack, when that was left */
	uint16_t own_losses;
	bool greenlets; /* it has any */
	bool unsure; /* events were lost: the shadow stack's depth says nothing of the greenlet */
	struct thread *next; /* all of them */
};

static inline uint8_t *write_enter(
	struct thread *t, uint8_t *p, uint32_t site, uint32_t number, uint64_t generator)
{
	return generator || site == EVENT_NO_SITE ? event_write_enter(p, site, number, generator)
						  : event_write_call(p, &t->calls, site, number);
}

/* No tick is that: a thread whose last one it is makes a slow step, and stamps. */
#define NO_TICK UINT64_MAX

/* A section in which every event is stamped (sections.c). */
struct section {
	uint64_t id;
	const py_frame *frame; /* of a generator or coroutine: compared only; NULL: it is in none */
	struct thread *thread; /* NULL: of the one that forked this process */
	uint64_t greenlet;     /* number */
};
#define SECTIONS_MAX 256

/* A task as it was at one moment. */
struct task_told {
	uint64_t number;
	uint32_t length;
	char name[EVENT_TEXT_MAX];
};

/* Where a frame stood at the fork that made this process. */
struct stood {
	struct task_told task; /* whose root it is; number 0: of none */
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
	struct thread *last;	       /* who wrote last: the word that shows a switch */
	uint64_t switches;	       /* number of the last switch */
	uint64_t generators;	       /* numbers given to generators */
	uint64_t tasks;		       /* numbers given to tasks, greenlets among them */
	int64_t interpreters;	       /* begun ones that were seen, or came with the fork */
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
	_Atomic uint32_t stopped; /* enum pl_gap_reason + 1; set from anywhere, never taken back */
	PyObject
		*main_names; /* __main__'s globals, while its first frame is waited for; borrowed */
	unsigned
		describing; /* code objects are being described: the ring's place is in somebody's hands */
	bool tells_calls; /* every call has an event of its own: as for the next two, or all events are stamped, or some are left out */
	bool tells_returns; /* every return has an event: exact order is asked for, or each return's time */
	bool tells_lines; /* every line, too: a trace function is about, which can move frames; or greenlets are, which hide them */
	bool hears_lines; /* all are witnesses, each of which is heard: exact order is asked for, or the interpreter compiles just in time */
	bool traced; /* the program has set a trace function: frames can be moved, and those of the function itself run unheard */
	bool forked; /* this child has no slot of its own yet */
	bool filters;		/* there is code that is left out */
	uint32_t implied_count; /* codes of which calls are shown by what they call */
	uint32_t seen_places;	/* given to such: seen_base */
	uint32_t
		hot_lines; /* a code of which so many LINEs were heard is hot, a far one before; 0: none ever is */
	uint32_t hot_in_vain; /* tries of code to become hot that could not */
	bool moves_seen; /* where LINE was switched off INSTRUCTION did not come in the same run */
	struct first_move {
		const struct thread *thread;
		const py_frame *frame;	    /* compared only */
		struct code_record *record; /* NULL: no place has moved, or it was seen */
		uint32_t unit;
	} first_move;
	struct filter filter;
	uint32_t fork_parent; /* number of the process that forked it */
	struct stood *
		stood; /* the stack of the thread that forked, the top first; mapped, until it is told */
	uint32_t stood_count;
	uint32_t stood_pid; /* of the child: one that it vforks has its memory */
	bool stood_unheard; /* no event was reported as the child began: its way is not known */
	uint32_t
		shared_codes; /* codes up to this number were there at a fork: another process may have them too */
	struct pl_buf command, executable, interpreter,
		stdlib_dir;	    /* texts of the PROCESS message */
	struct pl_buf command_text; /* of -c, until it is told */
	int tool;		    /* sys.monitoring's tool id */
	PyThreadState *const
		*gil_holder; /* compat.h's; where that is not known a cell that names nobody */
};

extern struct recorder_root root;

/* Exact order: INSTRUCTION where the jump lands tells of a pass that was taken back, once the thread has the GIL. */
static inline bool landings_are_heard(void)
{
	return JUMP_IS_TOLD_AHEAD && root.arena.head->order == ORDER_EXACT;
}

/* The state of this thread, NULL before its first event and behind its end. */
extern __thread struct thread *self;

/* The state of this thread, in a hook; NULL: ask current_thread_state. Where libpython is shared that is two calls; the GIL's cell is a
 * load. A state is only taken from there with which this thread was seen: one that was changed without the GIL is believed no more
 * than any other. */
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

/* The TSC of another core may be a hair behind; time does not go backwards within a thread. */
__attribute__((always_inline)) static inline uint8_t *write_time(
	struct thread *t, uint8_t *p, uint64_t now)
{
	if (now < t->time_ticks)
		now = t->time_ticks;
	p = event_write_time(p, now - t->time_ticks);
	t->time_ticks = now;
	return p;
}

/* Two counts: the thread's becomes a GAP when there is room again; the slot's is what the collector
 * has when there never was. `fresh`: what the stream tells of the stack is not true any more. */
static inline void event_lose(struct thread *t)
{
	t->lost++;
	t->fresh = true;
	t->tick = NO_TICK; /* the next step is a slow one, which tells of it */
	if (root.slot)
		atomic_fetch_add_explicit(&root.slot->lost, 1, memory_order_relaxed);
}

/* ---- steps of an event (thread.c); all under the GIL ---- */

/* Make room for one event of the current thread and write before it what has to stand there: the
 * time when the tick changed, the switch when another thread wrote last, the gap and the stack
 * after a loss. NULL: no room, it is lost. */
uint8_t *step_slow(struct thread *t, uint8_t *p);
struct thread *thread_begin(void);

/* Does the frame stand on a start of which no LINE was heard, while all are? Then a trace function, to whom the line is told first,
 * calls something there, or has raised. */
static inline bool line_is_unheard(
	const struct thread *t, const py_frame *frame, const struct code_record *r, uint32_t unit)
{
	if (likely(!root.tells_lines) || !t->line_frame || !r || unit >= r->unit_count ||
		!r->units[unit].start)
		return false;
	return t->line_frame != frame || t->line_unit != unit;
}

/* The hot half: three comparisons say that nothing has to stand before the event. The tick is read
 * relaxed: it orders nothing, and an old one costs a stamp that is a little late.
 * _inline: in a callback that calls nothing, and so saves no registers. */
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
 * objects but no frames of the interpreter; in the shadow stack its code stands for the frame, told
 * apart by the lowest bit. */
static inline py_frame *foreign_frame(const PyCodeObject *code)
{
	return (py_frame *)((uintptr_t)code | 1);
}

static inline bool frame_is_foreign(const py_frame *frame)
{
	return (uintptr_t)frame & 1;
}

/* A frame of code that is left out of the recording comes and goes without an event, so where it lies says nothing of which
 * one it is. In its place the shadow stack has what the stream has told: the number of its code, and the site in its caller. */
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

/* Is this one of the shadow stack a frame to be looked into? */
static inline bool frame_is_real(const py_frame *frame)
{
	return !((uintptr_t)frame & 3);
}

/* Where a frame of the shadow stack lies there may be another one by now, of code whose calls are told late (code_record.late), which
 * has told nothing yet: so it is where that stands ahead of its begin. Unless it was told early, for something was to be recorded
 * that needs the frame: then the shadow stack has it with a mark, in a bit that no address has.
 *
 *	main -> low, at `if a < b`, which calls K.__lt__      shadow   main  K.__init__, the place of low
 *	low is told early: POPS 1, ENTER low                           main  low+EARLY
 */
#define MARK_EARLY ((uintptr_t)1 << 63)
/* Its witness was told where it stands, and is not to be told by the instruction behind (code_unit.later). */
#define MARK_TOLD ((uintptr_t)1 << 62)
/* It was linked before it began, for what was called there: of a signal's handler, by the first RESUME. */
#define MARK_LINKED ((uintptr_t)1 << 61)
/* It stands where it yields, but is not suspended: it raises there, or the yield is being told. Who stands there else has not been resumed. */
#define MARK_STANDS ((uintptr_t)1 << 60)
/* How far the frame, which has MARK_EARLY, was seen to have come: of code whose calls are shown (implied.c), whose seen_base it counts from. Twice
 * the unit at which it stood when an event came of what it had called there; and 1, if that was the call that runs once. 0: it was not seen. */
#define SEEN_SHIFT 48
#define SEEN_MAX   0xfffu
#define ONLY_EARLY                                                                                 \
	((uint32_t)(MARK_EARLY >>                                                                  \
		    SEEN_SHIFT)) /* an entry's marks with nothing else, and not seen */
#define MARK_SEEN ((uintptr_t)SEEN_MAX << SEEN_SHIFT)
#define MARKS	  ((uintptr_t)-1 << SEEN_SHIFT)

static inline py_frame *frame_marked(const py_frame *frame, uintptr_t mark)
{
	return (py_frame *)((uintptr_t)frame | mark);
}

static inline uint32_t entry_seen(const py_frame *entry)
{
	return (uint32_t)((uintptr_t)entry >> SEEN_SHIFT) & SEEN_MAX;
}

static inline py_frame *frame_seen(const py_frame *marked, uint32_t seen)
{
	return (py_frame *)((uintptr_t)marked | (uintptr_t)seen << SEEN_SHIFT);
}

static inline py_frame *frame_unmarked(const py_frame *entry)
{
	return (py_frame *)((uintptr_t)entry & ~(frame_is_real(entry) ? MARKS : 0));
}

/* Does the shadow stack's entry have this frame's address? */
static inline bool entry_is(const py_frame *entry, const py_frame *frame)
{
	return ((uintptr_t)entry ^ (uintptr_t)frame) << (64 - SEEN_SHIFT) == 0;
}

/* Bring the shadow stack to `frame` as its top for an event that is not an entry: writes POPS or
 * LINKs. */
uint8_t *step_to_frame(struct thread *t, uint8_t *p, py_frame *frame);
/* The same, where what the shadow stack has of the frame is of before it was left. */
uint8_t *step_to_frame_again(struct thread *t, uint8_t *p, py_frame *frame);
/* The same for an entry: the caller (may be NULL) becomes the top; one that is left out is told of by OUTSIDE, with those
 * below it. callee: what it calls, NULL: C code that reports itself called. */
uint8_t *step_to_caller(struct thread *t, uint8_t *p, py_frame *caller, py_frame *callee);
/* The top frame's witness is told here if that is due, and not behind this instruction. */
uint8_t *step_tell_due(struct thread *t, uint8_t *p);
/* Before the bottom frame of the greenlet that runs: its number and name. */
uint8_t *write_greenlet_name(const struct thread *t, uint8_t *p);
void stack_push(struct thread *t, py_frame *frame);
/* The same where there is room: depth < room. */
static inline void stack_put(struct thread *t, py_frame *frame)
{
	t->frames[t->depth++] = frame;
	t->top = frame;
}
/* Its place in the shadow stack, counted from 1; 0: it is not there. May be that of an activation that is gone (stack_place). */
static inline uint32_t stack_find(const struct thread *t, const py_frame *frame)
{
	uint32_t i = t->depth; /* from the top, where it mostly is */

	while (i && !entry_is(t->frames[i - 1], frame))
		i--;
	return i;
}
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
/* In a forked child, before anything of the parent's is forgotten: keep where this thread stands. */
void thread_stands_at_fork(void);
/* A leave_hook: write where this thread stands, if it runs Python. */
void thread_leaves(bool killed);
/* Every line and return is told from here on. This thread says where it stands, unless it is in a callback: then its event says it. The
 * others are marked as stale until their next event. */
void thread_begins_to_tell(void);
/* What runs from here on is not heard, in no thread, until further notice: a GAP in each. */
void threads_lose_the_path(enum pl_gap_reason reason);
/* The pass that it owes; its place is open. */
uint8_t *thread_write_owed(struct thread *t, uint8_t *p);
/* Calls of the thread's frames that stand ahead of their begins are told now: of this one, or of one that waits and wrote last. Not within an
 * event. */
void thread_tell_untold(struct thread *t);
/* Are there any that are shown? */
bool thread_has_untold(const struct thread *t);
/* `callee` is about to be told: calls that are shown by that were before its stamp, if it has one. */
void thread_tell_implied(struct thread *t, py_frame *callee);
void thread_forget_all(void); /* in a forked child */
/* A forked child that meets its first event becomes a process of the recording; false: it is not
 * recorded. */
bool process_begin_in_child(void);
void thread_check_name(struct thread *t);

/* Say it in the recording when other interpreters have begun in this process: they have callbacks
 * of their own, and are not recorded. Looked at every tick, and behind the end of the main one. */
void interpreters_look(void);

/* ---- code.c ---- */
/* Tell the recording of a code object, and keep its record. NULL: it could not be told, the event
 * that asked is lost; the next one tries again. Leaves no error set. */
struct code_record *code_describe(PyCodeObject *code);
/* Every code object that was told of and lives, with its record. */
void codes_each(
	void (*each)(PyCodeObject *code, struct code_record *r, void *context), void *context);
int code_init(void); /* 0, or -1: the interpreter has no more room for such as us */
struct flow_graph;
/* The code's flow graph, owned by the caller. */
bool code_graph(PyCodeObject *code, struct flow_graph *out);
/* Of straight code: from here on its starts are known, unless there is no memory for it. */
void code_find_lines(PyCodeObject *code, struct code_record *r);
/* Tells the code once more, with the graph's witnesses. Gives its number there; 0: it cannot be told. */
uint32_t code_tell_again(PyCodeObject *code, const struct flow_graph *graph);
void code_set_number(struct code_record *r, uint32_t number);
/* What a code object has of ours: its record; that of code that is left out with the sign turned, so that one comparison on the
 * hot path finds both what is not known and what is not wanted; 0: it has had no event. */
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

/* code_record for the rare cases, where it would be in the hot path's way: not known, or left out. */
struct code_record *code_without_mark(PyCodeObject *code);

/* Do the filters leave it out? */
static inline bool code_is_left_out(PyCodeObject *code)
{
	struct code_record *r = unlikely(root.filters) ? code_record(code) : NULL;

	return r && r->left_out;
}

/* The frame, or the first below it that is not known to be left out. Describes nothing, so it may be of another thread. */
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

/* At `unit` of code whose calls are told late: may the call of the frame that stands there not have been told? */
static inline bool unit_is_pending(const struct code_record *r, py_frame *frame, uint32_t unit)
{
	return unit < r->unit_count && r->units[unit].pending && !frame_not_begun(frame);
}

/* ---- implied.c: calls that are shown by what they call ---- */
#define IMPLIED_MAX 64 /* codes */
/* Behind an event of the frame that was recorded, of hot code whose calls are told late: are its calls to be shown from here on? */
void implied_begin(struct thread *t, py_frame *frame, struct code_record *r);
/* No calls are, from here on; those that were not told are. Not within an event. calls_are_told: from here on each call has its event. Nothing
 * where none are. */
void implied_end(bool calls_are_told);
void implied_forget(const struct code_record *r); /* its code object is about to be freed */
void implied_forget_all(void);			  /* as greenlets_forget */
/* Of an entry of the shadow stack that has the frame's address, and was seen: is it of this activation? As entry_is_true. */
bool implied_is_same(const struct thread *t, uint32_t place, py_frame *frame, py_frame *callee);
/* The same where it raises at a call: is it another one, which could not call? */
bool implied_raises_anew(const struct thread *t, uint32_t place, py_frame *frame);
/* An event comes of `callee`; the shadow stack has its caller at `place`. */
void implied_note(struct thread *t, uint32_t place, py_frame *callee);
/* Does a frame that stands at `unit` go on to where its call is shown? */
static inline bool implied_at(const struct code_record *r, uint32_t unit)
{
	return r->implied && unit >= r->implied_from && unit < r->implied_to;
}
/* How far a frame of the code was seen to have come: a unit, twice, and 1. SEEN_NOT: the entry is another code's. Of one that was seen. */
#define SEEN_NOT UINT32_MAX
static inline uint32_t implied_seen(const py_frame *entry, const struct code_record *r)
{
	uint32_t seen = entry_seen(entry) - r->seen_base;

	return r->seen_base && seen < 2 * r->unit_count ? seen : SEEN_NOT;
}
/* The entry has the address of a frame of the code that comes to a begin; is it of another one? That has called on its way elsewhere. */
static inline bool implied_went_on(const py_frame *entry, const struct code_record *r)
{
	uint32_t seen = entry_seen(entry) ? implied_seen(entry, r) : 0;

	return seen == SEEN_NOT || (seen / 2 >= r->implied_from && seen / 2 < r->implied_to);
}

/* Does the frame stand where its call, which is told late, may not have been told? */
static inline bool frame_is_pending(py_frame *frame)
{
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);

	return r && r->late && unit_is_pending(r, frame, frame_unit(frame, code));
}

/* Has the frame yielded without an event, and is its resume still to be told? What runs then is called by it all the same. */
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

/* The entry at `place` of the shadow stack has the frame's address; is it of what lies there now, and runs? callee: what the frame
 * calls, which is another one than what it was last seen to call; NULL: the event is its own. */
static inline bool entry_is_true(
	const struct thread *t, uint32_t place, py_frame *frame, py_frame *callee)
{
	const py_frame *entry = t->frames[place - 1];
	bool told = (uintptr_t)entry & (MARK_EARLY | MARK_TOLD) || !frame_is_pending(frame);

	if (unlikely(entry_seen(entry) != 0) && !implied_is_same(t, place, frame, callee))
		return false;
	return told && ((uintptr_t)entry & MARK_STANDS || !frame_not_resumed(frame));
}

/* Of a frame that has not begun, at `place` in the shadow stack: was its own start told? One told late has the mark of that. */
static inline bool was_entered(const struct thread *t, uint32_t place, py_frame *frame)
{
	const struct code_record *r = code_known(frame_code(frame));

	return t->entered == frame &&
	       (!r || !r->late || (uintptr_t)t->frames[place - 1] & MARK_EARLY);
}

/* Is the witness there heard by the instruction behind it? */
static inline bool unit_tells_later(const struct code_record *r, uint32_t unit)
{
	return unit < r->unit_count && r->units[unit].later &&
	       r->units[unit].heard == HEARD_MOVED && !root.tells_lines;
}

/* Does the frame stand where its LINE was, of which the instruction behind is to tell? */
static inline bool frame_is_due(py_frame *frame)
{
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);

	return r && unit_tells_later(r, frame_unit(frame, code));
}

/* The number of a code that is left out, which is told of the first time that this is asked; 0: it cannot be told. */
uint32_t code_outside_number(PyCodeObject *code, struct code_record *r);

/* ---- hot.c: witnesses heard by INSTRUCTION ---- */
/* Of a LINE that is not recorded yet: does the code become hot by it? */
bool hot_begins(PyCodeObject *code, struct code_record *r, uint32_t unit);
/* Behind a LINE of the frame that was recorded at `unit`, which the code has: is LINE to be switched off there, since INSTRUCTION
 * is heard in its place from now on? `began`: by it the code became hot. */
bool hot_line_moves(
	struct thread *t, py_frame *frame, struct code_record *r, uint32_t unit, bool began);
/* The code is hot: is INSTRUCTION to come at `unit` again? */
bool hot_instruction_is_heard(
	struct thread *t, const py_frame *frame, struct code_record *r, uint32_t unit);
/* Behind a pass that JUMP told at `unit`, one of so many that the code's passes are hot: is JUMP to be switched off there, since INSTRUCTION tells of the next ones? */
bool hot_pass_moves(PyCodeObject *code, struct code_record *r, uint32_t unit);
/* Of any thread's code: the next INSTRUCTION at `landing` is heard, whatever stands there. Where that fails it is not. */
void hot_hear_landing(PyCodeObject *code, const struct code_record *r, uint32_t landing);

/* INSTRUCTION is heard in the code, at all its units again. false: not, or not at all any more; then what had moved is lost, and a gap says so. */
bool hot_listen_anew(PyCodeObject *code);
/* Its witnesses are heard by LINE again, from its next run on. */
void hot_ends(PyCodeObject *code, struct code_record *r);
/* As hot_ends, where INSTRUCTION is heard in no code any more, and a gap says so. */
void hot_forget(struct code_record *r);

/* Witnesses that tell of calls were kept from moving by a plan, which is gone. Where such a LINE is heard, or no frame runs the code. */
void hot_begins_move(struct code_record *r);

/* ---- plan.c: hot code planned anew ---- */
/* The code is hot: are its starts to be counted? */
bool plan_begin(PyCodeObject *code, struct code_record *r);
bool plan_is_counting(const struct code_record *r);
/* They have been, and nothing was chosen yet. */
bool plan_is_due(const struct code_record *r);
/* INSTRUCTION came while they are counted: is it to come at `unit` again? */
bool plan_counts(struct code_record *r, uint32_t unit);
/* They have been counted, or it was never begun. */
void plan_choose(struct code_record *r);
/* A call of the code is about to be told: what was chosen is heard from here on, if it can be. */
void plan_enter(PyCodeObject *code, struct code_record *r);
/* The same by a LINE at `unit`, if that tells of calls. */
void plan_line(PyCodeObject *code, struct code_record *r, uint32_t unit);
void plan_drop(struct code_record *r);

/* ---- loaded.c ---- */
struct file_stamp;
enum loaded {
	LOADED_NOW,	/* the code was compiled from the file as it is, or as its hash says */
	LOADED_EARLIER, /* the file was changed since */
	LOADED_UNKNOWN,
};
/* When was the code compiled, whose file has this path and stamp? hash: the key of its .pyc's hash and
 * the hash that the file must have; the key is 0 if none is known. */
enum loaded loaded_when(
	PyCodeObject *code, const char *path, const struct file_stamp *stamp, uint64_t hash[2]);
/* The frame that runs the code; of one that is told before it runs, who is running. NULL: none. */
py_frame *frame_of(PyCodeObject *code);
/* A text in the frame's globals, or an empty one; *keep is as text_of has it. */
struct pl_view global_text(const py_frame *frame, const char *name, PyObject **keep);

/* ---- fits.c ---- */
/* Can a file with these bytes be what the code was compiled from? */
bool code_fits(PyCodeObject *code, struct pl_view bytes);

/* ---- source.c ---- */
void source_begin(void); /* an interpreter begins in this process */
/* The unit whose text the code has; 0: none is known. A unit that is not known yet is told to the
 * collector under the number of the code, which opens it. */
uint32_t source_unit(PyCodeObject *code, uint32_t number);
/* The code has its record: all code in it is described where its unit needs that. */
void source_described(PyCodeObject *code);

/* ---- signals.c ---- */
/* Fatal signals write where their thread stands before they do what they did. */
void signals_install(void);

/* ---- generators.c: identity of a generator-like frame, by the address that it keeps ---- */
uint64_t generator_new(py_frame *frame);
uint64_t generator_of(py_frame *frame); /* an unknown one gets a number */
void generator_gone(py_frame *frame);

/* ---- passes.c: up to which unit the frames of codes with `checks` are told (bytecode/passes.h)
 * ---- */
void passes_line(py_frame *frame, uint32_t unit);
/* A jump back to `unit`; true: it is AGAIN. */
bool passes_jump(py_frame *frame, uint32_t unit);
void passes_forget(py_frame *frame); /* it begins, or is over */

/* ---- greenlets.c ---- */
/* The greenlet that runs on this thread, borrowed; NULL: the thread's own stack, or there are no
 * greenlets. */
PyObject *greenlet_running(void);
/* Ask whether another one runs than the thread's state says, which then tells of that one. begins:
 * a frame without a caller is being entered. */
bool greenlet_changed(struct thread *t, bool begins);
/* Events of this thread were lost. */
void greenlets_lost(struct thread *t);
void greenlets_forget(void); /* another interpreter begins in this process */

/* ---- sections.c: every event of them is stamped ---- */
uint64_t section_begin(void); /* in this thread or task; 0: it cannot be */
void section_end(uint64_t id);
/* Is the thread in one? */
bool sections_on(const struct thread *t);
/* Code runs on the thread: in a section all of it is heard from now on. true: that was not so. */
bool section_hears(const struct thread *t, struct code_record *r);
void sections_of_new_thread(struct thread *t);
void sections_forked(void);

/* ---- waits.c ---- */
extern const struct wait_hooks recorder_waits;

/* A plain generator, as trio's loop is one, runs coroutines and awaits none. */
static inline bool frame_may_await(py_frame *frame)
{
	return frame_in_generator(frame) && frame_code(frame)->co_flags & COROUTINE_FLAGS;
}

/* ---- names.c: strings of the recording ---- */
uint32_t exception_type_number(PyObject *exception);
/* The task whose root the coroutine's frame is; false: of none. begins: it is being entered by something other than a coroutine, so
 * the task is the thread's current one, whatever that runs. Else it can be known from before, without its name. */
bool task_find(PyThreadState *ts, py_frame *frame, bool begins, struct task_told *out);
/* The TASK that goes before the frame, if it is a root. As task_find. */
uint8_t *task_write(uint8_t *p, PyThreadState *ts, py_frame *frame, bool begins);
/* The name that the program gave to the greenlet, as gevent's can have one; else "Greenlet-" and
 * its number: at most EVENT_TEXT_MAX bytes into `name`; gives its length. */
size_t greenlet_name(PyObject *greenlet, uint64_t number, char *name);
void names_forget(void); /* as greenlets_forget */
/* module.name, borrowed; NULL when the module is not imported or has no such name. */
PyObject *module_attribute(const char *module, const char *name);
/* A str as bytes, with surrogateescape; *keep is to be released by the caller (may be NULL). Never
 * leaves an error. */
const char *text_of(PyObject *str, size_t *length, PyObject **keep);

/* ---- message.c ---- */
/* Under the GIL. false: no room in the arena, or no memory; nothing of it was written. */
bool message_put(uint8_t kind, const struct pl_buf *fields);
void message_process(uint32_t how);
void message_thread(const struct thread *t, const char *name, size_t length);
void message_note(enum pl_gap_reason reason, const char *text);

/* ---- the engine: install.c, or settrace.c on 3.11 ---- */
int hooks_install(bool at_main, const char **why);
/* What was switched off is heard once more. */
void hooks_hear_again(void);
/* Every line and return has its event from now on: what has none may be another frame's, or another greenlet's. */
void hooks_tell_lines(void);
/* The same, for the program has a trace function or a debugger; nothing where the recorder has stopped itself. */
void hooks_are_traced(void);
/* Every call has its event from now on. */
void hooks_tell_calls(void);
/* Hear no more, or as little as can be; from anywhere. */
void hooks_off(void);

/* ---- tools.c ---- */
/* Does the program have all tool ids of sys.monitoring, and the recorder none? No event is
 * reported then. */
bool tools_are_all_taken(void);

/* ---- sysfunction.c ---- */
/* Puts `own` in the place of what the function (may be NULL) calls, which goes to *theirs, for `own` to call. The table outlives the
 * interpreter: in one begun anew it is there already, and *theirs stays. false: it is none of C that takes its arguments by `flags`
 * (METH_O, …), and nothing was done. */
bool function_take(PyObject *function, int flags, PyCFunction own, PyCFunction *theirs);

/* ---- window.c ---- */
/* Get ready for main_begins; false: there is no __main__ to wait for. */
bool main_awaited(void);
/* Is this frame, which has just started, the first that is to be recorded? */
bool main_begins(py_frame *frame);
/* The recorder switches itself off, from anywhere; what runs on is not recorded. */
void recorder_stop(enum pl_gap_reason reason);

#endif
