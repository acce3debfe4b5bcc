/* Orders that a running program carries out: come in, and leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include "recorder/order.h"
#include "tests/lib/inside_start.h"

static const char *why;

static int come_in(const char *path)
{
	why = NULL;
	return ordered_come_in(path, &why);
}

/* ---- the program itself ---- */

static void comes_in_and_leaves(void **state)
{
	(void)state;
	assert_int_equal(come_in(started_path), 0);
	assert_int_equal(atomic_load(&started_arena.head->slots[0].state), SLOT_LIVE);
	Py_DECREF(hooked_run("def f(): return 1\nf()\n", inside_nothing));
	assert_true(hooked_has("f( "));
	assert_int_equal(come_in(started_path), -1);
	assert_string_equal(why, "this process is recorded already");
	assert_int_equal(ordered_leave(&why), 0);
	assert_int_equal(atomic_load(&started_arena.head->slots[0].end), SLOT_END_DETACHED);
	assert_int_equal(come_in(started_path), 0);
	assert_int_equal(ordered_leave(&why), 0);
}

static void no_arena(void **state)
{
	(void)state;
	assert_int_equal(come_in("/none"), -1);
	assert_non_null(strstr(why, "cannot be opened"));
	atomic_store(&started_arena.head->state, ARENA_CLOSED);
	assert_int_equal(come_in(started_path), -1);
	assert_non_null(strstr(why, "cannot be opened"));
	assert_int_equal(atomic_load(&started_arena.head->refused), 0);
}

/* `attach` reads the reason in the arena. */
static void refused(void **state)
{
	(void)state;
	Py_DECREF(
		inside_bind("import sys\nfor i in range(6): sys.monitoring.use_tool_id(i, 'x')\n"));
	assert_int_equal(come_in(started_path), -1);
	Py_DECREF(inside_bind("import sys\nfor i in range(6): sys.monitoring.free_tool_id(i)\n"));
	assert_int_equal(atomic_load(&started_arena.head->refused), 1);
	assert_string_equal(started_arena.head->refused_why, why);
	assert_non_null(strstr(why, "all six tool ids"));
	assert_int_equal(ordered_leave(&why), -1);
	assert_string_equal(why, "it was not begun from here");
}

/* ---- from outside ---- */

static struct recorder_order *give(bool leave, const char *path)
{
	char *pages = mmap(NULL, ORDER_PAGES_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct recorder_order *order = (struct recorder_order *)(void *)(pages + ORDER_AT);

	assert_ptr_not_equal(pages, MAP_FAILED);
	*order = (struct recorder_order){
		.may_unmap = 1, .leave = leave, .library_fd = -1, .pid = getpid()};
	snprintf(order->arena, sizeof order->arena, "%s", path);
	return order;
}

static bool is_unmapped(const struct recorder_order *order)
{
	return msync((char *)(uintptr_t)order - ORDER_AT, ORDER_PAGES_BYTES, MS_ASYNC) < 0 &&
	       errno == ENOMEM;
}

/* As a pending call, with the GIL. An error that is set stays set. */
static void an_order(void **state)
{
	struct recorder_order *order = give(false, started_path);

	(void)state;
	PyErr_SetString(PyExc_KeyError, "x");
	assert_null(pathline_recorder_ordered(order));
	assert_true(PyErr_ExceptionMatches(PyExc_KeyError));
	PyErr_Clear();
	assert_true(is_unmapped(order));
	assert_int_equal(atomic_load(&started_arena.head->slots[0].state), SLOT_LIVE);
	order = give(true, "");
	assert_null(pathline_recorder_ordered(order));
	assert_true(is_unmapped(order));
	assert_int_equal(atomic_load(&started_arena.head->slots[0].end), SLOT_END_DETACHED);
	assert_null(root.arena.head);
}

/* In a thread of its own, which waits for the GIL. */
static void *carry_out(void *order)
{
	return pathline_recorder_ordered(order);
}

static void by_a_thread(void **state)
{
	struct recorder_order *order = give(false, started_path);
	pthread_t thread;

	(void)state;
	order->own_thread = 1;
	assert_int_equal(pthread_create(&thread, NULL, carry_out, order), 0);
	Py_BEGIN_ALLOW_THREADS;
	while (atomic_load(&started_arena.head->slots[0].state) != SLOT_LIVE)
		sched_yield();
	Py_END_ALLOW_THREADS;
	assert_true(is_unmapped(order));
	assert_non_null(root.slot);
}

/* Then the pages stay, with the reason. */
static void it_cannot_be_opened(void **state)
{
	struct recorder_order *order = give(false, "/none");

	(void)state;
	assert_null(pathline_recorder_ordered(order));
	assert_false(is_unmapped(order));
	assert_int_equal(order->status, ORDER_NO_ARENA);
	assert_null(root.arena.head);
	munmap((char *)order - ORDER_AT, ORDER_PAGES_BYTES);
}

INSIDE_TESTS(ordered)
{
	const struct CMUnitTest tests[] = {
		STARTED_TEST(comes_in_and_leaves),
		STARTED_TEST(no_arena),
		STARTED_TEST(refused),
		STARTED_TEST(an_order),
		STARTED_TEST(by_a_thread),
		STARTED_TEST(it_cannot_be_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
