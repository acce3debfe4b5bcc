/* A thread's state: its shadow stack, and the slow half of a step.
 *
 * What stands in front of an event, in this order, each only where it is due:
 *
 *	TIME      the collector's tick is another one, or a chunk begins
 *	SWITCH    another thread of the process wrote last
 *	GAP       events were lost
 *	POPS      frames above have gone, or (after a loss) all of them
 *	GREENLET  another greenlet runs
 *	LINK …    frames are there that the stream does not know, bottom first
 */
#define _GNU_SOURCE
#include "recorder/state.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAMES_FIRST	 1024
#define NAME_CHECK_TICKS 64 /* a thread's name is looked at anew after so many ticks */

__thread struct thread *self;
static pthread_key_t at_thread_end;

/* ---- the shadow stack ---- */

/* mremap moves pages, not bytes. */
static bool frames_grow(struct thread *t, uint32_t room)
{
	void *at = t->frames ? mremap(t->frames, t->room * sizeof *t->frames,
				       room * sizeof *t->frames, MREMAP_MAYMOVE)
			     : mmap(NULL, room * sizeof *t->frames, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	t->frames = at;
	t->room = room;
	return true;
}

static bool frames_reserve(struct thread *t, uint32_t more)
{
	uint32_t room = t->room ? t->room : FRAMES_FIRST;

	while (room - t->depth < more)
		room *= 2;
	return room == t->room || frames_grow(t, room);
}

void stack_push(struct thread *t, py_frame *frame)
{
	if (__builtin_expect(t->depth == t->room, 0) && !frames_reserve(t, 1)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return;
	}
	t->frames[t->depth++] = frame;
	t->top = frame;
}

static void stack_cut(struct thread *t, uint32_t depth)
{
	t->depth = depth;
	t->top = depth ? t->frames[depth - 1] : NULL;
}

/* Its place in the shadow stack, counted from 1; 0: it is not there. From the top,
 * where it mostly is. */
static uint32_t stack_find(const struct thread *t, const py_frame *frame)
{
	uint32_t i = t->depth;

	while (i && t->frames[i - 1] != frame)
		i--;
	return i;
}

/* The event bytes up to p are whole: publish them, and make room for the next. */
static uint8_t *step_on(struct thread *t, uint8_t *p)
{
	ring_commit(&t->ring, p);
	return p < t->ring.limit ? p : ring_refill(&t->ring, t->time_ticks);
}

/* A LINK of its own commit: a chain can be longer than a step has room for. */
/* The event is lost, but not what was written before it: the shadow stack has that already. */
static uint8_t *give_up(struct thread *t, uint8_t *p)
{
	ring_commit(&t->ring, p);
	return NULL;
}

/* The frame becomes the top, above depth `below`. */
static uint8_t *write_link(
	struct thread *t, uint8_t *p, py_frame *frame, uint32_t below, unsigned flags)
{
	PyCodeObject *code = frame_code(frame);
	struct code_record *record = code_record(code);

	if (!record)
		return give_up(t, p);
	stack_cut(t, below + 1);
	uint64_t generator =
		frame_in_generator(frame) && record->generator_like ? generator_of(frame) : 0;
	p = event_write3(p, EVENT_LINK | flags, record->number, generator, frame_unit(frame, code));
	return step_on(t, p);
}

/* ---- greenlets ---- */

/* Another one runs: the shadow stack is empty from here on. */
static uint8_t *write_greenlet(struct thread *t, uint8_t *p)
{
	stack_cut(t, 0);
	return step_on(t, event_write1(p, EVENT_GREENLET, t->greenlet));
}

uint8_t *write_greenlet_name(const struct thread *t, uint8_t *p)
{
	PyObject *running = t->greenlet ? greenlet_running() : NULL;
	char name[EVENT_TEXT_MAX];

	if (!running || running != t->greenlet_at)
		return p;
	return event_write_text(p, EVENT_TASK, name, greenlet_name(running, t->greenlet, name));
}

/* ---- steps to a frame ---- */

/* Frames that a greenlet was left with are the same when it runs again; only `frame`, whose event
 * it is, has gone on. */
static unsigned link_flags(const struct thread *t, uint32_t place, bool moved)
{
	if (place >= t->kept)
		return 0;
	return moved ? EVENT_BACK | EVENT_MOVED : EVENT_BACK;
}

/* `frame` is not on the shadow stack: link it, with all its callers down to one that is there.
 *
 *	shadow   a b x y          the interpreter: frame -> d -> c -> b -> a
 *	POPS 2   a b              `base` is b's place, `count` the three above it
 *	LINKs    a b c d frame    written bottom first, so they are put down first and written then
 */
static uint8_t *link_chain(struct thread *t, uint8_t *p, py_frame *frame, bool moved)
{
	uint32_t count = 0, base = 0;

	for (py_frame *f = frame; f; f = frame_caller(f)) {
		base = stack_find(t, f);
		if (base)
			break;
		count++;
	}
	if (!base && greenlet_changed(t, false))
		p = write_greenlet(t, p);
	else if (t->depth > base)
		p = event_write1(p, EVENT_POPS, t->depth - base);
	stack_cut(t, base);
	if (!p)
		return NULL;
	if (!frames_reserve(t, count)) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	py_frame *f = frame;
	for (uint32_t i = count; i; i--, f = frame_caller(f))
		t->frames[base + i - 1] = f;
	for (uint32_t i = 0; i < count && p; i++) {
		p = write_link(t, p, t->frames[base + i], base + i,
			link_flags(t, base + i, moved && i + 1 == count));
		if (p && base + i == 0)
			p = write_greenlet_name(t, p);
	}
	t->kept = 0;
	return p;
}

/* A foreign frame that is not on the shadow stack: it stands above what is there of Python. */
static uint8_t *link_foreign(struct thread *t, uint8_t *p, py_frame *frame)
{
	PyCodeObject *code = (PyCodeObject *)((uintptr_t)frame & ~(uintptr_t)1);
	struct code_record *record = code_record(code);

	p = step_to_caller(t, p, top_frame(current_thread_state()));
	if (!p || !record)
		return p ? give_up(t, p) : NULL;
	p = event_write3(p, EVENT_LINK, record->number, 0, EVENT_NO_UNIT);
	stack_push(t, frame);
	return step_on(t, p);
}

static uint8_t *step_to(struct thread *t, uint8_t *p, py_frame *frame, bool moved)
{
	uint32_t place = stack_find(t, frame);

	if (!place)
		return frame_is_foreign(frame) ? link_foreign(t, p, frame)
					       : link_chain(t, p, frame, moved);
	p = event_write1(p, EVENT_POPS, t->depth - place);
	stack_cut(t, place);
	return p;
}

uint8_t *step_to_frame(struct thread *t, uint8_t *p, py_frame *frame)
{
	return step_to(t, p, frame, true);
}

uint8_t *step_to_caller(struct thread *t, uint8_t *p, py_frame *caller)
{
	uint32_t place = t->depth;

	if (!caller && greenlet_changed(t, true))
		return write_greenlet(t, p);
	/* Foreign frames above the caller stay: it is they that call. */
	while (place && frame_is_foreign(t->frames[place - 1]))
		place--;
	if (place < t->depth && (place ? t->frames[place - 1] : NULL) == caller)
		return p;
	if (caller)
		return step_to(t, p, caller, false);
	if (t->depth)
		p = event_write1(p, EVENT_POPS, t->depth);
	stack_cut(t, 0);
	return p;
}

/* ---- the slow half of a step ---- */

static uint8_t *write_time(struct thread *t, uint8_t *p)
{
	uint64_t now = now_ticks();

	/* The TSC of another core may be a hair behind; time does not go backwards within a thread.
	 */
	if (now < t->time_ticks)
		now = t->time_ticks;
	p = event_write1(p, EVENT_TIME, now - t->time_ticks);
	t->time_ticks = now;
	return p;
}

/* The thread that wrote before is named with its position in its stream: so the two streams are
 * tied together where the GIL changed hands. Its state is still there when the thread is not
 * (take_state). */
static uint8_t *write_switch(struct thread *t, uint8_t *p)
{
	struct thread *before = root.last;

	root.last = t;
	root.switches++;
	atomic_store_explicit(&root.slot->switches, root.switches, memory_order_relaxed);
	return event_write3(p, EVENT_SWITCH, root.switches, before ? before->number + 1 : 0,
		before ? ring_position(&before->ring) : 0);
}

/* After a loss the reader knows nothing of the stack: empty it; the next event links what is there.
 */
static uint8_t *write_loss(struct thread *t, uint8_t *p)
{
	if (t->lost)
		p = event_write2(p, EVENT_GAP,
			root.arena.head->on_full == FULL_DROP ? PL_GAP_DROPPED : PL_GAP_FULL,
			t->lost);
	if (t->depth && t->known)
		p = event_write1(p, EVENT_POPS, t->depth);
	stack_cut(t, 0);
	if (t->greenlets)
		greenlets_lost(t);
	t->lost = 0;
	t->fresh = false;
	return p;
}

/* Looking for room costs a walk over the arena, and for the collector a system call: not at every
 * lost event. */
#define LOST_PER_LOOK 256u
#define LOST_PER_CALL (64 * LOST_PER_LOOK)

/* A time is written after each refill too: the chunk's open_ticks is that of the last time told,
 * and a block may begin there. Without room `at` stays where it was, so the next event comes here
 * again. */
uint8_t *step_slow(struct thread *t, uint8_t *p)
{
	bool full = p >= t->ring.limit;
	if ((full && t->lost % LOST_PER_LOOK) ||
		atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return NULL;
	uint64_t tick = atomic_load_explicit(&root.arena.head->tick, memory_order_relaxed);
	if (full) {
		p = ring_refill(&t->ring, t->time_ticks);
		if (!p) {
			if (t->lost % LOST_PER_CALL == 0 &&
				!ring_collector_alive(&root.arena, root.slot))
				recorder_stop(PL_GAP_COLLECTOR);
			return NULL;
		}
		p = write_time(t, p);
	} else if (tick != t->tick) {
		p = write_time(t, p);
		interpreters_look();
		if (--t->ticks_to_name == 0) {
			t->ticks_to_name = NAME_CHECK_TICKS;
			thread_check_name(t);
		}
	}
	t->tick = tick;
	if (root.last != t)
		p = write_switch(t, p);
	if (t->fresh)
		p = write_loss(t, p);
	t->known = true;
	return p;
}

/* ---- its life ---- */

/* Runs without the GIL: it touches nothing that others write. */
static void thread_end(void *p)
{
	struct thread *t = p;

	self = NULL;
	ring_close(&t->ring);
	atomic_store_explicit(&t->ended, true, memory_order_release);
}

int thread_init(void)
{
	return pthread_key_create(&at_thread_end, thread_end);
}

/* States of ended threads serve again, but for the one that the word names: its position is still
 * to be told. */
static struct thread *take_state(void)
{
	for (struct thread *t = root.threads; t; t = t->next)
		if (t != root.last && atomic_load_explicit(&t->ended, memory_order_acquire))
			return t;
	struct thread *t =
		mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t == MAP_FAILED)
		return NULL;
	t->next = root.threads;
	root.threads = t;
	return t;
}

/* Numbers are given in the order in which threads are first seen. The state may have served another
 * thread, whose shadow stack's memory it keeps. */
struct thread *thread_begin(void)
{
	if (atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return NULL;
	if (root.forked && !process_begin_in_child())
		return NULL;
	struct thread *t = take_state();
	if (!t || (!t->frames && !frames_grow(t, FRAMES_FIRST))) {
		recorder_stop(PL_GAP_UNKNOWN);
		return NULL;
	}
	py_frame **frames = t->frames;
	uint32_t room = t->room;
	struct thread *next = t->next;
	*t = (struct thread){
		.frames = frames, .room = room, .next = next, .number = root.thread_count++};
	t->native_id = (uint64_t)syscall(SYS_gettid);
	t->time_ticks = now_ticks();
	t->ticks_to_name = 1;
	t->fresh = true;
	ring_init(&t->ring, &root.arena, root.slot, t->number);
	self = t;
	pthread_setspecific(at_thread_end, t);
	thread_check_name(t);
	return t;
}

/* fork leaves one thread, and rings that are the parent's. States are kept to serve again; who
 * writes first in the child gets number 0. */
void thread_forget_all(void)
{
	for (struct thread *t = root.threads; t; t = t->next) {
		ring_forget(&t->ring);
		atomic_store_explicit(&t->ended, true, memory_order_relaxed);
	}
	self = NULL;
	root.last = NULL;
	root.thread_count = 0;
}
