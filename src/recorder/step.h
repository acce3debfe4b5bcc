/* The steps of an event, and what must come before it (step.c). All with the GIL. */
#ifndef PL_RECORDER_STEP_H
#define PL_RECORDER_STEP_H

#include "recorder/compat/python.h"
#include "base/expect.h"
#include "format/event.h"
#include "os/clock.h"
#include "recorder/code.h"
#include "recorder/root.h"
#include "recorder/thread.h"

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

static inline uint8_t *write_enter(
	struct thread *t, uint8_t *p, uint32_t site, uint32_t number, uint64_t generator)
{
	return generator || site == EVENT_NO_SITE ? event_write_enter(p, site, number, generator)
						  : event_write_call(p, &t->calls, site, number);
}

/* Make room for one event of the current thread, and write what must come before it: the time if
 * the tick changed, the switch if another thread wrote last, the gap and the stack after a loss.
 * NULL: there is no room, and the event is lost. */
uint8_t *step_slow(struct thread *t, uint8_t *p);

/* Is the frame at a start whose LINE was not reported, while all are? Then a trace function, which
 * is called before us, calls something there, or has raised. */
static inline bool line_is_unheard(
	const struct thread *t, const py_frame *frame, const struct code_record *r, uint32_t unit)
{
	if (likely(!root.policy.lines) || !t->line_frame || !r || unit >= r->unit_count ||
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

#endif
