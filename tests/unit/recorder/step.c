/* What must come before an event, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "format/event.h"
#include "pathline/event.h"
#include "recorder/fork.h"
#include "recorder/greenlets.h"
#include "recorder/names.h"
#include "recorder/sections.h"
#include "recorder/start.h"
#include "recorder/step.h"
#include "recorder/switch.h"
#include "recorder/window.h"

struct recorder_root root;
__thread struct thread *self;

static struct arena_head head;
static struct thread thread, other;
static struct shadow_entry entries[8];
static uint8_t bytes[256], refilled[256];
static bool has_room, collector_lives, in_section;
static int refills, looks, names_checked, states_told, greenlets_were_lost, stopped_by;

/* What other files write is a byte here, which no event begins with. */
#define SWITCHED 0xf1
#define OWED	 0xf2
#define STOOD	 0xf3

uint8_t *write_switch(struct thread *t, uint8_t *p)
{
	root.last = t;
	*p++ = SWITCHED;
	return p;
}

uint8_t *thread_write_owed(struct thread *t, uint8_t *p)
{
	t->owes = 0;
	*p++ = OWED;
	return p;
}

uint8_t *write_stood(struct thread *t, uint8_t *p)
{
	(void)t;
	root.stood = NULL;
	*p++ = STOOD;
	return p;
}

uint8_t *ring_refill(struct ring_writer *w, uint64_t now_ticks)
{
	(void)now_ticks;
	refills++;
	if (!has_room)
		return NULL;
	w->at = refilled;
	w->limit = refilled + sizeof refilled;
	return w->at;
}

bool ring_collector_alive(const struct arena *a, const struct process_slot *slot)
{
	(void)a, (void)slot;
	return collector_lives;
}

bool sections_on(const struct thread *t)
{
	(void)t;
	return in_section;
}

void recorder_stop(enum pl_gap_reason reason)
{
	stopped_by = reason;
}

void thread_tell_state(struct thread *t)
{
	(void)t;
	states_told++;
}

void interpreters_look(void)
{
	looks++;
}

static PyThreadState *current;

#if PY_VERSION_HEX >= 0x030d0000
PyThreadState *PyThreadState_GetUnchecked(void)
#else
PyThreadState *_PyThreadState_UncheckedGet(void)
#endif
{
	return current;
}

void thread_check_name(struct thread *t, const PyThreadState *ts)
{
	(void)t;
	assert_ptr_equal(ts, current);
	names_checked++;
}

void greenlets_lost(struct thread *t)
{
	(void)t;
	greenlets_were_lost++;
}

/* A thread that has just written, at a tick that has passed since. */
static int setup(void **state)
{
	static int any;

	(void)state;
	current = (PyThreadState *)(void *)&any; /* compared only */
	memset(bytes, 0, sizeof bytes);
	memset(entries, 0, sizeof entries);
	head = (struct arena_head){.tick = 5};
	root = (struct recorder_root){.arena.head = &head, .clock = CLOCK_MONO, .last = &thread};
	thread = (struct thread){.tick = 5, .tick_looked = 5, .ticks_to_name = 2, .known = true};
	thread.shadow = (struct shadow){.entries = entries, .room = 7};
	thread.ring.at = bytes;
	thread.ring.limit = bytes + sizeof bytes;
	has_room = collector_lives = true;
	in_section = false;
	refills = looks = names_checked = states_told = greenlets_were_lost = 0;
	stopped_by = -1;
	return 0;
}

static size_t length_of(const uint8_t *end)
{
	return (size_t)(end - bytes);
}

/* The TIME that brings a stream from `before` to the thread's time. */
static uint8_t *time_since(uint8_t *p, uint64_t before)
{
	assert_true(thread.time_ticks > before);
	return event_write_time(p, thread.time_ticks - before);
}

static void nothing_is_due(void **state)
{
	(void)state;
	assert_false(step_is_slow(&thread, bytes));
	assert_ptr_equal(step(&thread), bytes);
	assert_ptr_equal(step_slow(&thread, bytes), bytes);
	assert_int_equal(looks + refills, 0);
}

static void the_time_at_a_new_tick(void **state)
{
	uint8_t expected[32];

	(void)state;
	head.tick = 6;
	assert_true(step_is_slow(&thread, bytes));
	uint8_t *end = step(&thread);
	assert_int_equal(length_of(end), time_since(expected, 0) - expected);
	assert_memory_equal(bytes, expected, length_of(end));
	assert_true(thread.tick == 6);
	assert_false(step_is_slow(&thread, end));
	assert_int_equal(looks, 1);
	assert_int_equal(states_told, 1);
}

/* Time does not go backward in a thread, whatever the clock of another core says. */
static void the_time_does_not_go_back(void **state)
{
	uint8_t expected[32];

	(void)state;
	head.tick = 6;
	thread.time_ticks = UINT64_MAX - 1;
	uint8_t *end = step(&thread);
	assert_true(thread.time_ticks == UINT64_MAX - 1);
	assert_int_equal(length_of(end), event_write_time(expected, 0) - expected);
}

static void a_name_is_looked_at_rarely(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 + 64; i++) {
		head.tick++;
		assert_non_null(step_slow(&thread, bytes));
		assert_int_equal(names_checked, i >= 65 ? 2 : i >= 1);
	}
	assert_int_equal(looks, 66);
}

static void an_idle_wait_comes_before_its_time(void **state)
{
	uint8_t expected[64];

	(void)state;
	thread.time_ticks = 100;
	thread.idle_from = 130;
	thread.idle_ticks = 40;
	thread.tick = NO_TICK;
	uint8_t *end = step(&thread);
	uint8_t *p = time_since(event_write2(expected, EVENT_IDLE, 30, 40), 100);
	assert_int_equal(length_of(end), p - expected);
	assert_memory_equal(bytes, expected, length_of(end));
	assert_true(thread.idle_ticks == 0);
}

static void in_this_order(void **state)
{
	uint8_t expected[64], *p;
	struct stood stood = {0};

	(void)state;
	head.tick = 6;
	root.last = &other;
	root.stood = &stood;
	thread.owes = 3;
	thread.fresh = true;
	thread.lost = 9;
	for (uintptr_t i = 1; i <= 3; i++)
		shadow_put_frame(&thread.shadow, (py_frame *)(i * 64));
	uint8_t *end = step(&thread);
	p = time_since(expected, 0);
	*p++ = SWITCHED;
	*p++ = OWED;
	p = event_write2(p, EVENT_GAP, PL_GAP_FULL, 9);
	p = event_write1(p, EVENT_POPS, 3);
	*p++ = STOOD;
	assert_int_equal(length_of(end), p - expected);
	assert_memory_equal(bytes, expected, length_of(end));
	assert_true(!thread.lost && !thread.fresh && !thread.shadow.depth && !thread.shadow.top);
	assert_false(step_is_slow(&thread, end));
}

/* A reader has no frame of a stream in which nothing was written. */
static void a_loss_before_the_first_event(void **state)
{
	uint8_t expected[32];

	(void)state;
	thread.fresh = true;
	thread.lost = 4;
	thread.known = false;
	thread.greenlets = true;
	head.on_full = FULL_DROP;
	shadow_put_frame(&thread.shadow, (py_frame *)64);
	uint8_t *end = step_slow(&thread, bytes);
	uint8_t *p = event_write2(expected, EVENT_GAP, PL_GAP_DROPPED, 4);
	assert_int_equal(length_of(end), p - expected);
	assert_memory_equal(bytes, expected, length_of(end));
	assert_true(thread.known);
	assert_int_equal(thread.shadow.depth, 0);
	assert_int_equal(greenlets_were_lost, 1);
}

static void each_event_is_stamped_if_wished(void **state)
{
	(void)state;
	head.stamps = STAMPS_LINE;
	head.tick = 6;
	assert_non_null(step(&thread));
	assert_true(thread.tick == NO_TICK);
	head.stamps = 0;
	assert_non_null(step(&thread));
	assert_true(thread.tick == 6);
	root.section_count = 1;
	in_section = true;
	head.tick = 7;
	assert_non_null(step(&thread));
	assert_true(thread.tick == NO_TICK);
}

/* ---- without room ---- */

static void a_full_chunk_is_followed_by_another(void **state)
{
	uint8_t expected[32];

	(void)state;
	thread.ring.limit = bytes;
	uint8_t *end = step(&thread);
	assert_int_equal(refills, 1);
	assert_int_equal(end - refilled, time_since(expected, 0) - expected);
}

static void room_is_not_looked_for_at_each_loss(void **state)
{
	(void)state;
	thread.ring.limit = bytes;
	has_room = collector_lives = false;
	thread.lost = 1; /* there was no room a moment ago */
	assert_null(step(&thread));
	assert_int_equal(refills, 0);
	thread.lost = 256;
	assert_null(step(&thread));
	assert_int_equal(refills, 1);
	assert_int_equal(stopped_by, -1);
	thread.lost = 64 * 256; /* now and then: is there a collector at all? */
	assert_null(step(&thread));
	assert_int_equal(stopped_by, PL_GAP_COLLECTOR);
	assert_ptr_equal(thread.ring.at, bytes); /* the next event comes here again */
}

static void a_stopped_recorder_writes_nothing(void **state)
{
	(void)state;
	head.tick = 6;
	atomic_store(&root.stopped, 1);
	assert_null(step(&thread));
	thread.ring.limit = bytes;
	assert_null(step(&thread));
	assert_int_equal(refills, 0);
}

static void a_lost_event_is_counted_twice(void **state)
{
	struct process_slot slot = {0};

	(void)state;
	root.slot = &slot;
	event_lose(&thread);
	event_lose(&thread);
	assert_true(thread.lost == 2 && atomic_load(&slot.lost) == 2);
	assert_true(thread.fresh);
	assert_true(step_is_slow(&thread, bytes)); /* which writes the gap */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_is_due, setup),
		cmocka_unit_test_setup(the_time_at_a_new_tick, setup),
		cmocka_unit_test_setup(the_time_does_not_go_back, setup),
		cmocka_unit_test_setup(a_name_is_looked_at_rarely, setup),
		cmocka_unit_test_setup(an_idle_wait_comes_before_its_time, setup),
		cmocka_unit_test_setup(in_this_order, setup),
		cmocka_unit_test_setup(a_loss_before_the_first_event, setup),
		cmocka_unit_test_setup(each_event_is_stamped_if_wished, setup),
		cmocka_unit_test_setup(a_full_chunk_is_followed_by_another, setup),
		cmocka_unit_test_setup(room_is_not_looked_for_at_each_loss, setup),
		cmocka_unit_test_setup(a_stopped_recorder_writes_nothing, setup),
		cmocka_unit_test_setup(a_lost_event_is_counted_twice, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
