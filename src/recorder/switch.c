/* Where a thread is, written when another one goes on, or before its own end. */
#include "recorder/switch.h"

#include <sched.h>
#include <string.h>
#include "format/event.h"
#include "pathline/event.h"
#include "recorder/code.h"
#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"
#include "recorder/fork.h"
#include "recorder/link.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/shadow_frames.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "recorder/values/kept.h"
#include "recorder/tiers/tiers.h"
#include "ring/ring.h"

/* The frame on its shadow stack in which another thread is. One that has not begun or was not
 * resumed yet is skipped. 0: not known. The shadow stack may still have a frame that returned, at
 * the address of a new one, which will have an event after its RESUME. */
static uint32_t stand_place(const struct thread *t, py_frame *frame)
{
	for (frame = frame_recorded(frame); frame; frame = frame_recorded(frame_caller(frame))) {
		uint32_t place = shadow_find(&t->shadow, frame);
		if (place && frame_not_resumed(frame) &&
			!shadow_has(&t->shadow, place, MARK_STANDS))
			place = 0;
		if (place && (frame_not_begun(frame) || !entry_is_true(t, place, frame)))
			return 0;
		if (place)
			return place;
	}
	return 0;
}

/* How many frames that are left out are above `place`, called from where the frame there is. */
static uint32_t outside_above(const struct thread *t, uint32_t place)
{
	py_frame *frame = shadow_at(&t->shadow, place)->frame;
	uint32_t count = shadow_left_out_above(&t->shadow, place);
	bool called = count && entry_is_called_from(shadow_at(&t->shadow, place + 1),
				       frame_unit(frame, frame_code(frame)));

	return called ? count : 0;
}

uint8_t *thread_write_owed(struct thread *t, uint8_t *p)
{
	p = event_write1(p, EVENT_AGAIN | EVENT_OPEN, t->owes - 1);
	t->owes = 0;
	return p;
}

/* A pass is written before its jump, at which the interpreter may release the GIL. If a thread is
 * still there, the pass is to come. Or it has been, and this is the next time around, of which
 * another tool was called before us. So when it came is not known, once it is written. Returns
 * where the stream ends now. */
static uint8_t *take_back(struct thread *t, const PyThreadState *ts)
{
	const size_t ahead = ring_ahead(&t->ring);
	py_frame *frame = ahead ? top_frame(ts) : NULL;
	uint8_t here[EVENT_BYTES_MAX];

	while (frame && ts->tracing && t->shadow.top != frame) /* the frames of a callback */
		frame = frame_caller(frame);
	if (!frame || t->shadow.top != frame)
		return t->ring.at;
	const uint32_t unit = frame_unit(frame, frame_code(frame));
	const size_t bytes = (size_t)(event_write1(here, EVENT_AGAIN, unit) - here);
	if (bytes > ahead || memcmp(t->ring.at - bytes, here, bytes) != 0)
		return t->ring.at;
	t->owes = unit + 1;
	return t->ring.at - bytes; /* what variables became stays in front of it */
}

/* Is it where it was when the pass was taken back? */
static bool stands_at_owed(const struct thread *t, py_frame *frame)
{
	return t->shadow.top == frame && frame_unit(frame, frame_code(frame)) + 1 == t->owes;
}

/* Another thread waits for the GIL, or is in C: write in its stream where it is, as if that were
 * its own event. What it did since its last event is known then, and was before this switch. In a
 * callback of another tool it may be on a line that is not recorded. `last`: no event of the thread
 * can follow, so this one has a time, before which all that has no event ran. */
static void write_stand(struct thread *t, PyThreadState *ts, bool last)
{
	py_frame *frame = ts && !t->fresh ? top_frame(ts) : NULL;
	uint8_t *p = t->ring.at;

	if (!frame || !p || p >= t->ring.limit)
		return;
	const bool owed = t->owes;
	p = take_back(t, ts);
	if (last)
		p = write_time(t, p, now_ticks());
	if (ts->tracing) {
		if (owed) /* no callback comes between the jump and its target */
			p = thread_write_owed(t, p);
		ring_commit(&t->ring, p);
		return;
	}
	if (t->owes && !stands_at_owed(t, frame))
		p = thread_write_owed(t, p);
	uint32_t place = stand_place(t, frame);
	if (!place) {
		ring_commit(&t->ring, p);
		return;
	}
	uint32_t outside =
		shadow_at(&t->shadow, place)->frame != frame ? outside_above(t, place) : 0;
	if (place + outside < t->shadow.depth)
		p = event_write1(p, EVENT_POPS, t->shadow.depth - place - outside);
	shadow_cut(&t->shadow, place + outside);
	if (!outside)
		p = write_here(t, p);
	ring_commit(&t->ring, p);
}

/* It is at the jump of a pass that was just taken back. */
static void hear_landing(const struct thread *t)
{
	PyCodeObject *code = frame_code(t->shadow.top);

	tier_hear_landing(code, code_known(code), t->lands - 1);
}

static void tell_stand(struct thread *t)
{
	if (ENGINE_TRACES || !thread_take_ring(t))
		return;
	const bool owed = t->owes; /* a thread's end writes it, with the ring */
	if (!atomic_load_explicit(&t->ended, memory_order_acquire))
		write_stand(t, root.describing ? NULL : thread_state_of(t->native_id), false);
	if (landings_are_heard() && !owed && t->owes)
		hear_landing(t);
	thread_give_ring_back(t);
}

/* The thread that wrote before is named with its position in its stream: so the two streams are
 * related where the GIL changed hands. Its state is still there when the thread is not
 * (take_state). */
uint8_t *write_switch(struct thread *t, uint8_t *p)
{
	struct thread *before = root.last;

	if (before)
		tell_stand(before);

	root.last = t;
	root.switches++;
	atomic_store_explicit(&root.slot->switches, root.switches, memory_order_relaxed);
	return event_write3(p, EVENT_SWITCH, root.switches, before ? before->number + 1 : 0,
		before ? ring_position(&before->ring) : 0);
}

/* If another thread has the ring's lock, it releases it without waiting for any other. */
static void stand_killed(struct thread *t)
{
	while (!thread_take_ring(t))
		sched_yield();
	write_stand(t, PyGILState_GetThisThreadState(), true);
	thread_give_ring_back(t);
}

/* This thread, outside of an event, writes where it is. */
static void tell_own_stand(PyThreadState *ts)
{
	uint8_t *p = step(self);

	if (!p)
		return;
	py_frame *frame = frame_recorded(top_frame(ts));
	if (!frame)
		p = step_to_caller(self, p, NULL);
	else if (self->shadow.top != frame || !entry_is_true(self, self->shadow.depth, frame))
		p = step_to_frame(self, p, frame);
	p = p ? write_at(self, p) : NULL;
	if (p)
		ring_commit(&self->ring, p);
}

void thread_begins_to_tell(void)
{
	PyThreadState *ts = self ? current_thread_state() : NULL;

	for (struct thread *t = root.threads; t; t = t->next)
		t->stale = true;
	if (!ts || ts->tracing || root.describing || root.forked)
		return;
	tell_own_stand(ts);
	self->stale = false;
}

/* If there is no room, or the place in the ring is in use, it is as with a lost event. */
static void lose_the_path(struct thread *t, enum pl_gap_reason reason)
{
	uint8_t *p = t != self ? t->ring.at : root.describing ? NULL : step(t);

	if (p && p < t->ring.limit)
		ring_commit(&t->ring, event_write2(p, EVENT_GAP, reason, 0));
	else
		event_lose(t);
	t->fresh = true;
	t->tick = NO_TICK;
	t->line_frame = NULL;
	kept_forget_all();
}

void threads_lose_the_path(enum pl_gap_reason reason)
{
	for (struct thread *t = root.threads; t; t = t->next) {
		if (t != self && (t->fresh || !thread_take_ring(t)))
			continue;
		if (!atomic_load_explicit(&t->ended, memory_order_acquire))
			lose_the_path(t, reason);
		if (t != self)
			thread_give_ring_back(t);
	}
}

void threads_end_the_path(enum pl_gap_reason reason)
{
	PyThreadState *ts = self ? current_thread_state() : NULL;

	for (struct thread *t = root.threads; t; t = t->next)
		if (t != self)
			tell_stand(t);
	if (ts && !root.describing)
		tell_own_stand(ts);
	threads_lose_the_path(reason);
}

void thread_leaves(bool killed)
{
	/* the last event of a forked child may be its first */
	bool first = went_on_unheard() && (self || thread_begin());
	bool records =
		self && !root.forked && !atomic_load_explicit(&root.stopped, memory_order_relaxed);
	if (records && killed && !first) {
		stand_killed(self);
		return;
	}
	PyThreadState *ts = records ? current_thread_state() : NULL;
	if (ts)
		tell_own_stand(ts);
}
