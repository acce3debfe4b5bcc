/* Where a thread is, written when another one goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "pathline/event.h"
#include "recorder/switch.h"
#include "tests/lib/inside_recording.h"

#define PROGRAM                                                                                    \
	"import threading\n"                                                                       \
	"thread = threading.Thread(target=call)\n"                                                 \
	"call()\nthread.start()\nthread.join()\n"

static struct thread *others[4];
static unsigned count;
/* of the first thread, when the second one wrote */
static uint64_t position;
static struct event seen[128];
static unsigned seen_count;

static PyObject *link_this(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	link_here();
	if (count < 4)
		others[count++] = self;
	if (count == 2) {
		position = ring_position(&others[0]->ring);
		seen_count = events_from(self, 0, seen, 128);
	}
	Py_RETURN_NONE;
}

static void run(void)
{
	count = 0;
	Py_DECREF(inside_run(PROGRAM, "/shop/cart.py", "cart", link_this));
	assert_int_equal(count, 2);
}

/* The thread that wrote before is named, with how far its stream was. */
static void streams_are_related(void **state)
{
	struct event events[128];

	(void)state;
	run();
	const struct event *first =
		event_among(events, events_from(others[0], 0, events, 128), EVENT_SWITCH);
	assert_true(first && first->a == 1 && first->b == 0);
	const struct event *second = event_among(seen, seen_count, EVENT_SWITCH);
	assert_true(second && second->a == 2 && second->b == others[0]->number + 1);
	assert_true(second->c == position);
	assert_int_equal(atomic_load(&root.slot->switches), 2);
}

/* The first one is at join by then: what it did since its last event is known. */
static void the_other_stands(void **state)
{
	struct event events[128];

	(void)state;
	run();
	const unsigned n = events_from(others[0], 0, events, 128);
	if (ENGINE_TRACES)
		assert_null(event_among(events, n, EVENT_AT));
	else
		assert_int_equal(events[n - 1].kind, EVENT_AT);
}

static PyObject *leave_here(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	link_here();
	thread_leaves(false);
	threads_lose_the_path(PL_GAP_TOOLS);
	Py_RETURN_NONE;
}

static void a_path_that_is_lost(void **state)
{
	struct event events[128];

	(void)state;
	Py_DECREF(inside_run("call()\n", "/shop/cart.py", "cart", leave_here));
	const unsigned n = events_from(self, 0, events, 128);
	assert_int_equal(events[n - 1].kind, EVENT_GAP);
	assert_int_equal(events[n - 1].a, PL_GAP_TOOLS);
	assert_int_equal(events[n - 1].b, 0);
	assert_true(self->fresh);
	/* and all frames come again */
	Py_DECREF(inside_run("call()\n", "/shop/cart.py", "cart", link_this));
	assert_false(self->fresh);
	const unsigned all = events_from(self, 0, events, 128);
	assert_int_equal(count_of(events + n, all - n, EVENT_LINK), self->shadow.depth);
}

static void a_pass_that_it_owes(void **state)
{
	struct thread t = {.owes = 8};
	struct event_calls calls = {.print = 0};
	uint8_t bytes[EVENT_BYTES_MAX];
	struct event e;

	(void)state;
	struct pl_view v = view_of(bytes, (size_t)(thread_write_owed(&t, bytes) - bytes));
	assert_int_equal(event_read(&v, &calls, &e), 0);
	assert_true(e.kind == EVENT_AGAIN && e.unit == 7 && event_is_open(&e));
	assert_int_equal(t.owes, 0);
}

INSIDE_TESTS(switch)
{
	const struct CMUnitTest tests[] = {
		RECORDED_TEST(streams_are_related),
		RECORDED_TEST(the_other_stands),
		RECORDED_TEST(a_path_that_is_lost),
		RECORDED_TEST(a_pass_that_it_owes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
