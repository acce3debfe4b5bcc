/* Which waits count as idle, and what a thread keeps of them until its next event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/loops.h"
#include "recorder/recorder.h"
#include "recorder/root.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "recorder/waits.h"

struct recorder_root root;
__thread struct thread *self;

static struct thread thread;
static bool is_loop;
static int asked_times;

/* This thread is in no Python. */
PyThreadState *PyGILState_GetThisThreadState(void)
{
	return NULL;
}

bool loops_library(const char *path)
{
	assert_non_null(path);
	asked_times++;
	return is_loop;
}

bool loops_selects(const char *function)
{
	(void)function;
	return false;
}

bool loops_run(const char *file, const char *function)
{
	(void)file, (void)function;
	return false;
}

static int setup(void **state)
{
	(void)state;
	root = (struct recorder_root){.clock = CLOCK_MONO};
	thread = (struct thread){.tick = 5};
	self = &thread;
	is_loop = true;
	asked_times = 0;
	return 0;
}

/* An address in this program: another one each time, because answers are kept. */
static const void *caller(unsigned n)
{
	return (const void *)((uintptr_t)setup + 4 * (uintptr_t)n);
}

static void a_library_that_is_a_loop(void **state)
{
	(void)state;
	const uint64_t since = recorder_waits.begin(caller(1));
	assert_true(since != 0);
	assert_true(recorder_waits.begin(caller(1)) >= since);
	assert_int_equal(asked_times, 1); /* the answer is kept */
	is_loop = false;
	assert_true(recorder_waits.begin(caller(2)) == 0);
	assert_true(recorder_waits.begin(caller(2)) == 0);
	assert_int_equal(asked_times, 2);
	assert_true(recorder_waits.begin(caller(1)) != 0);
}

/* The next address with the same place takes it. */
static void answers_do_not_mix(void **state)
{
	(void)state;
	assert_true(recorder_waits.begin(caller(3)) != 0);
	is_loop = false;
	assert_true(recorder_waits.begin(caller(3 + 64)) == 0);
	is_loop = true;
	assert_true(recorder_waits.begin(caller(3)) != 0);
	assert_int_equal(asked_times, 3);
}

static void an_address_in_no_library(void **state)
{
	(void)state;
	assert_true(recorder_waits.begin((const void *)64) == 0);
	assert_int_equal(asked_times, 0);
}

static void a_thread_that_is_not_recorded(void **state)
{
	(void)state;
	root.forked = true;
	assert_true(recorder_waits.begin(caller(4)) == 0);
	root.forked = false;
	atomic_store(&root.stopped, 1);
	assert_true(recorder_waits.begin(caller(4)) == 0);
	atomic_store(&root.stopped, 0);
	self = NULL;
	assert_true(recorder_waits.begin(caller(4)) == 0);
	recorder_waits.end(1);
	assert_int_equal(asked_times, 0);
}

/* Several without an event between them are one, from the beginning of the first. */
static void waits_add_up(void **state)
{
	(void)state;
	const uint64_t first = now_ticks() - 1000;
	recorder_waits.end(first);
	const uint64_t once = thread.idle_ticks;
	assert_true(thread.idle_from == first);
	assert_true(once >= 1000);
	assert_true(thread.tick == NO_TICK); /* the next event writes it */
	recorder_waits.end(now_ticks() - 500);
	assert_true(thread.idle_from == first);
	assert_true(thread.idle_ticks >= once + 500);
}

static void a_wait_that_ends_before_it_began(void **state)
{
	(void)state;
	recorder_waits.end(UINT64_MAX); /* the clock of another core */
	assert_true(thread.idle_ticks == 0);
	assert_true(thread.tick == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_library_that_is_a_loop, setup),
		cmocka_unit_test_setup(answers_do_not_mix, setup),
		cmocka_unit_test_setup(an_address_in_no_library, setup),
		cmocka_unit_test_setup(a_thread_that_is_not_recorded, setup),
		cmocka_unit_test_setup(waits_add_up, setup),
		cmocka_unit_test_setup(a_wait_that_ends_before_it_began, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
