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

#include "recorder/compat.h"
#include "base/buf.h"
#include "base/map.h"
#include "format/event.h"
#include "os/clock.h"
#include "pathline/event.h"
#include "recorder/recorder.h"
#include "ring/ring.h"

/* What an event needs of its code: the number that names it, and the index that stands for its
 * line. Made at the code's first event (code_describe), freed by the interpreter with the code
 * object. */
struct code_record {
	uint32_t number; /* in the recording; 0: could not be described, its events are a gap */
	uint32_t unit_count;
	bool generator_like; /* its frames live in generators, coroutines or async generators */
	bool coroutine;
#if ENGINE_TRACES
	bool *handling; /* a byte a unit, behind the units: is an exception being handled there? */
#endif
	bool checks; /* of some jumps back it depends on its frame's LINEs whether they are AGAIN */
	/* As many as code units, caches too: the frame's own position is the index, no search. */
	struct code_unit {
		uint32_t start : 28; /* index of the line start + 1, 0: none here */
		uint32_t pass : 4;   /* enum pass_mark */
		int32_t line;	     /* of the start */
	} units[];
};

/* The shadow stack is the thread's frames as the stream has told them: what a reader has on its own
 * stack after the last event. So the difference to the frames that are there now is what must be
 * written (POPS, LINKs) in front of the next event. Addresses are compared; what is followed is
 * only what the interpreter has on its stack at this moment. */
struct thread {
	struct ring_writer ring;
	py_frame *top;	   /* == frames[depth - 1], NULL when empty: compared at every event */
	py_frame **frames; /* the shadow of the call stack, bottom first; mapped, not malloc'd */
	uint32_t depth;
	uint32_t room;
	uint64_t tick;		/* the collector's tick when we last looked */
	uint64_t time_ticks;	/* the last time written into the stream */
	uint64_t lost;		/* events since there was no room */
	uint32_t number;	/* in its process */
	_Atomic bool ended;	/* its thread is gone; set without the GIL */
	uint32_t ticks_to_name; /* until the thread's name is looked at again */
	bool fresh;		/* the stream must tell the whole stack before its next event */
	bool named;		/* a THREAD message was sent */
	bool known;		/* the stream holds something: frames can be popped from it */
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

struct recorder_root {
	struct arena arena;
	struct process_slot *_Atomic *slot_out; /* of the preload */
	struct process_slot *slot;
	key_hook *_Atomic *on_key; /* of the preload */
	struct thread *last;	   /* who wrote last: the word that shows a switch */
	uint64_t switches;	   /* number of the last switch */
	uint64_t generators;	   /* numbers given to generators */
	uint64_t greenlets;	   /* numbers given to greenlets */
	int64_t interpreters;	   /* begun ones that were seen, or came with the fork */
	struct ring_writer messages;
	struct thread *threads;
	uint32_t thread_count; /* numbers given */
#if CODE_HAS_WATCHER
	struct pl_map code_records; /* address of a living code object -> its record */
#else
	Py_ssize_t code_index; /* of our record in co_extra */
#endif
	enum clock_source clock;
	_Atomic uint32_t stopped; /* enum pl_gap_reason + 1; set from anywhere, never taken back */
	PyObject
		*main_names; /* __main__'s globals, while its first frame is waited for; borrowed */
	bool forked;	     /* this child has no slot of its own yet */
	uint32_t fork_parent; /* number of the process that forked it */
	uint32_t
		shared_codes; /* codes up to this number were there at a fork: another process may have them too */
	struct pl_buf command, executable, interpreter,
		stdlib_dir;	    /* texts of the PROCESS message */
	struct pl_buf command_text; /* of -c, until it is told */
	int tool;		    /* sys.monitoring's tool id */
};

extern struct recorder_root root;
/* The state of this thread, NULL before its first event and behind its end. */
extern __thread struct thread *self;

static inline uint64_t now_ticks(void)
{
	return clock_ticks(root.clock);
}

/* ---- steps of an event (thread.c); all under the GIL ---- */

/* Make room for one event of the current thread and write before it what has to stand there: the
 * time when the tick changed, the switch when another thread wrote last, the gap and the stack
 * after a loss. NULL: no room, it is lost. */
uint8_t *step_slow(struct thread *t, uint8_t *p);
struct thread *thread_begin(void);

/* The hot half: three comparisons say that nothing has to stand before the event. The tick is read
 * relaxed: it orders nothing, and an old one costs a stamp that is a little late. */
static inline uint8_t *step(struct thread *t)
{
	uint8_t *p = t->ring.at;

	if (__builtin_expect(p >= t->ring.limit || root.last != t ||
				     atomic_load_explicit(&root.arena.head->tick,
					     memory_order_relaxed) != t->tick,
		    0))
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

/* Bring the shadow stack to `frame` as its top for an event that is not an entry: writes POPS or
 * LINKs. */
uint8_t *step_to_frame(struct thread *t, uint8_t *p, py_frame *frame);
/* The same for an entry: the caller (may be NULL) becomes the top. */
uint8_t *step_to_caller(struct thread *t, uint8_t *p, py_frame *caller);
/* Name the greenlet that runs behind its bottom frame. */
uint8_t *write_greenlet_name(const struct thread *t, uint8_t *p);
void stack_push(struct thread *t, py_frame *frame);
static inline void stack_pop(struct thread *t)
{
	t->depth--;
	t->top = t->depth ? t->frames[t->depth - 1] : NULL;
}
int thread_init(void);
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
int code_init(void); /* 0, or -1: the interpreter has no more room for such as us */
static inline struct code_record *code_record(PyCodeObject *code)
{
#if CODE_HAS_WATCHER
	const uint64_t *place = map_find(&root.code_records, (uint64_t)(uintptr_t)code);
	struct code_record *r = place ? (struct code_record *)(uintptr_t)*place : NULL;
#else
	struct code_record *r = code_extra(code, root.code_index);
#endif

	return __builtin_expect(r != NULL, 1) ? r : code_describe(code);
}

/* ---- source.c ---- */
/* Tell the text of a file that is none (as linecache has it) before the first code that comes from
 * it. */
void source_tell(PyCodeObject *code, const char *file, size_t length);
/* For the module of -c: its text is that of "<string>" until close, which describes all code
 * objects within it first; other code from a "<string>" has another text. open gives false for
 * every other code. */
bool source_open_command(PyCodeObject *code);
void source_close_command(PyCodeObject *code);

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

/* ---- names.c: strings of the recording ---- */
uint32_t exception_type_number(PyObject *exception);
/* The current asyncio task's name, at most EVENT_TEXT_MAX bytes, into `name`; gives its length, 0:
 * no task. */
size_t task_name(PyThreadState *ts, PyObject *coroutine, char *name);
/* The name that the program gave to the greenlet, as gevent's can have one; else "Greenlet-" and
 * its number. As task_name. */
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
/* Hear no more, or as little as can be; from anywhere. */
void hooks_off(void);

/* ---- window.c ---- */
/* Get ready for main_begins; false: there is no __main__ to wait for. */
bool main_awaited(void);
/* Is this frame, which has just started, the first that is to be recorded? */
bool main_begins(py_frame *frame);
/* The recorder switches itself off, from anywhere; what runs on is not recorded. */
void recorder_stop(enum pl_gap_reason reason);

#endif
