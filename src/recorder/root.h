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
#ifndef PL_RECORDER_ROOT_H
#define PL_RECORDER_ROOT_H

#include "recorder/compat/code_object.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"
#include "base/buf.h"
#include "base/map.h"
#include "filter/filter.h"
#include "os/clock.h"
#include "recorder/policy.h"
#include "recorder/recorder.h"
#include "recorder/sections.h"
#include "ring/ring.h"

struct code_record;
struct stood;
struct thread;

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
	struct policy_wishes wishes; /* change them by root_wish */
	struct policy policy;	     /* of the wishes */
	/* the program has set a trace function: frames can be moved, and the function's own frames
	 * run without events */
	bool traced;
	bool forked; /* this child has no slot of its own yet */
	bool left;   /* it was attached, and has left: it may come again (attach.c) */
	/* it was attached, and is to leave as soon as no callback of ours runs; else NULL */
	void (*leave_soon)(void);
	bool filters; /* some code is left out */
	bool keeps_values;
	bool keeps_lines; /* also those of variables, after each line */
	bool flight;	  /* a flight recorder: it says which exceptions nobody handles */
	bool looks_at_unwinds;
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
	struct filter values_of; /* the code of which values are kept */
	uint32_t fork_parent;	 /* number of the process that forked it */
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
	/* the interpreter's own; if that is not known, a cell that names no thread */
	PyThreadState *const *gil_holder;
};

extern struct recorder_root root;

static inline void root_wish(const struct policy_wishes *w)
{
	root.wishes = *w;
	root.policy = policy_of_recording(w);
}

/* What `pathline record` was asked for. An interpreter begins with these. */
static inline void root_wish_of_head(bool traces)
{
	const struct arena_head *h = root.arena.head;

	root_wish(&(struct policy_wishes){
		.traces = traces,
		.exact = h->order == ORDER_EXACT,
		.calls_timed = h->stamps == STAMPS_CALL,
		.lines_timed = h->stamps == STAMPS_LINE,
		.filters = root.filters,
		.passes = h->passes == PASSES_ALL,
	});
}

/* With exact order, INSTRUCTION at the target of a jump reports a pass that was taken back, once
 * the thread has the GIL. */
static inline bool landings_are_heard(void)
{
	return JUMP_IS_TOLD_AHEAD && root.arena.head->order == ORDER_EXACT;
}

#endif
