/* The slow half of a step.
 *
 * What comes before an event, in this order, each only if it is due:
 *
 *	TIME      the collector's tick is another one, or a chunk begins
 *	SWITCH    another thread of the process wrote last
 *	GAP       events were lost
 *	POPS      frames above have gone, or (after a loss) all of them
 *	GREENLET  another greenlet runs
 *	LINK ...  frames are there that the stream does not know, bottom first
 */
#include "recorder/step.h"

#include "base/expect.h"
#include "format/event.h"
#include "pathline/event.h"
#include "recorder/fork.h"
#include "recorder/greenlets.h"
#include "recorder/names.h"
#include "recorder/root.h"
#include "recorder/sections.h"
#include "recorder/shadow.h"
#include "recorder/start.h"
#include "recorder/switch.h"
#include "recorder/thread.h"
#include "recorder/window.h"
#include "ring/ring.h"

#define NAME_CHECK_TICKS 64 /* a thread's name is checked again after this many ticks */

static uint8_t *write_idle(struct thread *t, uint8_t *p)
{
	uint64_t before = t->idle_from > t->time_ticks ? t->idle_from - t->time_ticks : 0;

	p = event_write2(p, EVENT_IDLE, before, t->idle_ticks);
	t->idle_ticks = 0;
	return p;
}

static uint8_t *write_idle_and_time(struct thread *t, uint8_t *p)
{
	return write_time(t, t->idle_ticks ? write_idle(t, p) : p, now_ticks());
}

static enum pl_gap_reason reason_of_loss(const struct thread *t)
{
	if (t->left_out)
		return PL_GAP_NOTRACE;
	return root.arena.head->on_full == FULL_DROP ? PL_GAP_DROPPED : PL_GAP_FULL;
}

/* After a loss the reader knows nothing of the stack: empty it; the next event links what is
 * there. */
static uint8_t *step_write_loss(struct thread *t, uint8_t *p)
{
	if (t->lost)
		p = event_write2(p, EVENT_GAP, reason_of_loss(t), t->lost);
	t->left_out = false;
	if (t->shadow.depth && t->known)
		p = event_write1(p, EVENT_POPS, t->shadow.depth);
	shadow_cut(&t->shadow, 0);
	if (t->greenlets)
		greenlets_lost(t);
	t->lost = 0;
	t->fresh = false;
	return p;
}

static void look_each_tick(struct thread *t, uint64_t tick)
{
	if (tick == t->tick_looked)
		return;
	t->tick_looked = tick;
	thread_tell_state(t);
	interpreters_look();
	if (--t->ticks_to_name == 0) {
		t->ticks_to_name = NAME_CHECK_TICKS;
		thread_check_name(t, current_thread_state());
	}
}

static bool stamps_all(const struct thread *t)
{
	return root.arena.head->stamps == STAMPS_LINE || (root.section_count && sections_on(t));
}

/* Looking for room costs a walk over the arena, and the collector a system call, so not at every
 * lost event. */
#define LOST_PER_LOOK 256u
#define LOST_PER_CALL (64 * LOST_PER_LOOK)

/* A new chunk; NULL: there is no room. A program that was attached goes on without the command that
 * records it, so it asks for the collector each time. */
static uint8_t *refill(struct thread *t)
{
	uint8_t *p = ring_refill(&t->ring, t->time_ticks);
	bool asks = p ? root.leave_soon != NULL : t->lost % LOST_PER_CALL == 0;

	if (!asks || ring_collector_alive(&root.arena, root.slot))
		return p;
	recorder_stop(PL_GAP_COLLECTOR);
	if (root.leave_soon)
		root.leave_soon();
	return NULL;
}

/* A time is written after each refill as well: the chunk's open_ticks is the last time that was
 * written, and a block may begin there. Without room `at` does not change, so the next event comes
 * here again. */
uint8_t *step_slow(struct thread *t, uint8_t *p)
{
	bool full = p >= t->ring.limit;
	if ((full && t->lost % LOST_PER_LOOK) || t->paused ||
		atomic_load_explicit(&root.stopped, memory_order_relaxed))
		return NULL;
	uint64_t tick = atomic_load_explicit(&root.arena.head->tick, memory_order_relaxed);
	if (full) {
		p = refill(t);
		if (!p)
			return NULL;
		p = write_idle_and_time(t, p);
	} else if (tick != t->tick) {
		p = write_idle_and_time(t, p);
		look_each_tick(t, tick);
	}
	t->tick = stamps_all(t) ? NO_TICK : tick;
	if (root.last != t)
		p = write_switch(t, p);
	if (t->owes)
		p = thread_write_owed(t, p);
	if (t->fresh)
		p = step_write_loss(t, p);
	t->known = true;
	return unlikely(root.stood != NULL) ? write_stood(t, p) : p;
}
