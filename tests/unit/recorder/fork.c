/* Where the thread that forks is, as the child has it before its first event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include "recorder/fork.h"
#include "tests/lib/inside_recording.h"

static uint32_t frames, stood;
static bool unheard[2];
static unsigned calls;

/* First the thread stands; the second time it has gone on. */
static PyObject *stand_here(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	if (calls == 0) {
		link_here();
		thread_stands_at_fork();
		frames = frames_here();
		stood = root.stood_count;
	}
	if (calls < 2)
		unheard[calls++] = went_on_unheard();
	Py_RETURN_NONE;
}

static void run(const char *text)
{
	calls = 0;
	Py_DECREF(inside_run(text, "/shop/cart.py", "cart", stand_here));
}

static int end(void **state)
{
	if (root.stood)
		munmap(root.stood, root.stood_count * sizeof *root.stood);
	root.stood = NULL;
	root.stood_count = 0;
	return recording_end(state);
}

/* In the trace function's version each line is told, so nothing can have come before. */
static void all_frames_are_kept(void **state)
{
	(void)state;
	run("def f(): call()\nf()\n");
	assert_int_equal(stood, ENGINE_TRACES ? 0 : frames);
	assert_false(unheard[0]);
}

static void one_that_has_gone_on(void **state)
{
	(void)state;
	run("def f():\n    call()\n    call()\nf()\n");
	assert_false(unheard[0]);
	assert_int_equal(unheard[1], !ENGINE_TRACES);
}

/* The stack as it was, from the bottom up; once. */
static void written_once(void **state)
{
	struct event events[128];

	(void)state;
	run("def f(): call()\nf()\n");
	const struct stood *all = root.stood;
	const uint32_t top = all ? all[0].number : 0;
	const size_t from = (size_t)(self->ring.at - self->ring.chunk->bytes);
	self->native_id = root.stood_pid;
	shadow_cut(&self->shadow, 0);
	uint8_t *p = all ? write_stood(self, self->ring.at) : self->ring.at;
	assert_ptr_equal(p, self->ring.at); /* each was committed */
	const unsigned count = events_from(self, from, events, 128);
	assert_int_equal(count, stood);
	assert_int_equal(count_of(events, count, EVENT_LINK), stood);
	if (stood)
		assert_int_equal(events[count - 1].code, top);
	assert_int_equal(self->shadow.depth, stood);
	assert_null(root.stood);
	assert_false(went_on_unheard());
}

/* Only the thread that forked is in the child. */
static void another_thread(void **state)
{
	(void)state;
	run("def f(): call()\nf()\n");
	self->native_id = root.stood_pid + 1;
	assert_ptr_equal(write_stood(self, self->ring.at), self->ring.at);
	assert_true(root.stood != NULL || ENGINE_TRACES);
}

INSIDE_TESTS(fork)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_frames_are_kept, recording_begin, end),
		cmocka_unit_test_setup_teardown(one_that_has_gone_on, recording_begin, end),
		cmocka_unit_test_setup_teardown(written_once, recording_begin, end),
		cmocka_unit_test_setup_teardown(another_thread, recording_begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
