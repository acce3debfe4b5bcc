/* A thread as the recorder knows it: its ring, its shadow stack, what it did last. */
#ifndef PL_RECORDER_THREAD_H
#define PL_RECORDER_THREAD_H

#include "recorder/compat/interpreter.h"
#include "base/expect.h"
#include "format/event.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "ring/ring.h"

/* The shadow stack has the thread's frames as they were recorded: what a reader has on its own
 * stack after the last event. The difference between it and the frames that are there now must be
 * written (POPS, LINKs) before the next event. Addresses in it are only compared; only frames on
 * the interpreter's stack are followed. */
struct thread {
	struct ring_writer ring;
	struct event_calls calls; /* known to the readers of the stream */
	struct shadow shadow;
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
	/* made by another thread (attach.c); its own has had no event yet, and does not know it */
	bool waits;
	bool fresh;	 /* the whole stack must be written before the next event */
	bool left_out;	 /* events were lost because it was paused */
	uint32_t paused; /* how often, in each other (pause.c) */
	bool named;	 /* a THREAD message was sent */
	bool known;	 /* something was written to the stream, so frames can be popped from it */
	/* every return has an event now, but the shadow stack may have frames that returned without
	 * one before */
	bool stale;
	/* The last LINE that was reported, while all lines are recorded (root.policy.lines). */
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
	/* The task that it entered last (tasks.c): the root, by frame and generator, and the hash
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

/* Never a tick: a thread whose last tick this is takes the slow path, and stamps. */
#define NO_TICK UINT64_MAX

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

/* ---- thread.c; with the GIL ---- */

struct thread *thread_begin(void); /* NULL: it is not recorded */
int thread_init(void);
/* The state of another thread, which did not have to have an event; NULL: no memory. Its name is
 * told. */
struct thread *thread_begin_for(const PyThreadState *ts);
/* The recorder comes again: threads that it knows have rings in the new arena. */
void threads_begin_again(void);
/* It leaves: their streams end, the threads do not. */
void threads_leave(void);
void thread_forget_all(void); /* in a forked child */
/* Its state of the interpreter may be another one: the collector needs the address. */
void thread_tell_state(struct thread *t);

/* Onto its shadow stack. Without memory for that the recorder stops. */
void thread_push(struct thread *t, struct shadow_entry entry);

/* While another than its own event writes into its ring. false: that is so already. */
static inline bool thread_take_ring(struct thread *t)
{
	return !atomic_exchange_explicit(&t->taken, true, memory_order_acquire);
}

static inline void thread_give_ring_back(struct thread *t)
{
	atomic_store_explicit(&t->taken, false, memory_order_release);
}

#endif
