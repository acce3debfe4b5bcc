/* The steps by which a thread's stream gets the frames that are there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_recording.h"

#define STEPS 4

/* After each step. */
static struct {
	uint32_t frames, depth;
	size_t bytes;
} after[STEPS];
static unsigned steps;

static PyObject *step_here(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	link_here();
	if (self && steps < STEPS) {
		after[steps].frames = frames_here();
		after[steps].depth = self->shadow.depth;
		after[steps++].bytes = (size_t)(self->ring.at - self->ring.chunk->bytes);
	}
	Py_RETURN_NONE;
}

static void run(const char *text)
{
	steps = 0;
	Py_DECREF(inside_run(text, "/shop/cart.py", "cart", step_here));
	for (unsigned i = 0; i < steps; i++)
		assert_int_equal(after[i].depth, after[i].frames);
}

/* The events of step i. */
static unsigned events_of(unsigned i, struct event *out)
{
	return events_from(self, i ? after[i - 1].bytes : 0, out, 128);
}

static void all_frames_first(void **state)
{
	struct event events[128];

	(void)state;
	run("def f(): call()\nf()\n");
	assert_int_equal(steps, 1);
	const unsigned count = events_of(0, events);
	assert_int_equal(count_of(events, count, EVENT_LINK), after[0].frames);
	assert_int_equal(events[count - 1].kind, EVENT_LINK);
	assert_int_equal(events[count - 2].kind, EVENT_LINK);
	/* the module, and then the function */
	assert_true(events[count - 2].code != events[count - 1].code);
}

static void a_frame_above(void **state)
{
	struct event events[128];

	(void)state;
	run("def g(): call()\ndef f():\n    call()\n    g()\nf()\n");
	assert_int_equal(steps, 2);
	assert_int_equal(after[1].depth, after[0].depth + 1);
	const unsigned count = events_of(1, events);
	assert_int_equal(count_of(events, count, EVENT_LINK), 1);
	assert_int_equal(events[count - 1].kind, EVENT_LINK);
	assert_int_equal(count_of(events, count, EVENT_POPS), 0);
	/* it is said from where it was called */
	assert_int_equal(count_of(events, count, EVENT_AT), ENGINE_TRACES ? 0 : 1);
}

static void frames_that_have_returned(void **state)
{
	struct event events[128];

	(void)state;
	run("def h(): call()\ndef g(): h()\ndef f():\n    g()\n    call()\nf()\n");
	assert_int_equal(after[1].depth + 2, after[0].depth);
	const unsigned count = events_of(1, events);
	const struct event *pops = event_among(events, count, EVENT_POPS);
	assert_true(pops && pops->a == 2);
	assert_int_equal(count_of(events, count, EVENT_LINK), 0);
}

static void nothing_new(void **state)
{
	struct event events[128];

	(void)state;
	run("def f():\n    call()\n    call()\nf()\n");
	assert_int_equal(steps, 2);
	const unsigned count = events_of(1, events);
	assert_int_equal(count_of(events, count, EVENT_LINK), 0);
	assert_int_equal(count_of(events, count, EVENT_POPS), 0);
}

/* A generator has its number, and the same one when it is met again. */
static void generators(void **state)
{
	struct event first[128], second[128];

	(void)state;
	run("def g():\n    call()\n    yield 1\n    call()\n    yield 2\n"
	    "def f():\n    call()\n    next(made)\nmade = g()\nnext(made)\nf()\n");
	assert_int_equal(steps, 3);
	const unsigned count = events_from(self, 0, first, 128);
	const unsigned last = events_of(2, second);
	assert_true(second[last - 1].kind == EVENT_LINK && second[last - 1].gen != 0);
	unsigned met = 0;
	for (unsigned i = 0; i < count; i++)
		met += first[i].kind == EVENT_LINK && first[i].gen == second[last - 1].gen;
	assert_int_equal(met, 2);
}

INSIDE_TESTS(link)
{
	const struct CMUnitTest tests[] = {
		RECORDED_TEST(all_frames_first),
		RECORDED_TEST(a_frame_above),
		RECORDED_TEST(frames_that_have_returned),
		RECORDED_TEST(nothing_new),
		RECORDED_TEST(generators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
