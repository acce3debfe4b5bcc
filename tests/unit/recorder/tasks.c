/* Which task runs a coroutine, and what it is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/tasks.h"
#include "tests/lib/inside_recording.h"

#define MOST 4

static struct task_told told[MOST];
static bool found[MOST];
static unsigned count;

static PyObject *find_here(PyObject *module, PyObject *unused)
{
	PyThreadState *ts = current_thread_state();
	py_frame *frame = top_frame(ts);

	(void)module, (void)unused;
	if (frame && frame_is_root(frame) && count < MOST) {
		found[count] = task_find(ts, frame, true, &told[count]);
		count++;
	}
	Py_RETURN_NONE;
}

static int begin(void **state)
{
	count = 0;
	return recording_begin(state);
}

static int end(void **state)
{
	tasks_forget();
	return recording_end(state);
}

/* frame_is_root asks for the record. */
static void run(const char *text, unsigned finds)
{
	Py_DECREF(inside_run(text, "/shop/cart.py", "cart", find_here));
	assert_int_equal(count, finds);
	assert_null(PyErr_Occurred());
}

static bool has_name(unsigned i, const char *name)
{
	return found[i] && told[i].length == strlen(name) &&
	       !memcmp(told[i].name, name, told[i].length);
}

static void of_asyncio(void **state)
{
	(void)state;
	run("import asyncio\n"
	    "async def work(name):\n"
	    "    asyncio.current_task().set_name(name)\n"
	    "    call()\n"
	    "    await asyncio.sleep(0)\n"
	    "    call()\n"
	    "async def main():\n"
	    "    await asyncio.gather(work('one'), work('two'))\n"
	    "asyncio.run(main())\n",
		4);
	assert_true(has_name(0, "one") && has_name(1, "two"));
	assert_true(has_name(2, "one") && has_name(3, "two"));
	assert_true(told[0].number && told[0].number != told[1].number);
	assert_true(told[0].number == told[2].number && told[1].number == told[3].number);
}

/* The name that nobody has asked for yet. */
static void a_name_by_default(void **state)
{
	(void)state;
	run("import asyncio\nasync def main(): call()\nasyncio.run(main())\n", 1);
	assert_true(found[0] && told[0].length > 5 && !memcmp(told[0].name, "Task-", 5));
}

static void a_long_name(void **state)
{
	(void)state;
	run("import asyncio\n"
	    "async def main():\n"
	    "    asyncio.current_task().set_name('x' * 500)\n    call()\n"
	    "asyncio.run(main())\n",
		1);
	assert_true(found[0] && told[0].length > 0 && told[0].length <= EVENT_TEXT_MAX);
}

static void a_coroutine_without_a_task(void **state)
{
	(void)state;
	run("async def main(): call()\n"
	    "try: main().send(None)\nexcept StopIteration: pass\n",
		1);
	assert_false(found[0]);
}

static void names_of_greenlets(void **state)
{
	PyObject *names = inside_bind("class G: pass\ng, plain = G(), G()\ng.name = 'reader'\n");
	char name[EVENT_TEXT_MAX];

	(void)state;
	assert_int_equal(greenlet_name(inside_name(names, "g"), 3, name), 6);
	assert_memory_equal(name, "reader", 6);
	assert_int_equal(greenlet_name(inside_name(names, "plain"), 3, name), 10);
	assert_memory_equal(name, "Greenlet-3", 10);
	Py_DECREF(names);
}

INSIDE_TESTS(tasks)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_asyncio, begin, end),
		cmocka_unit_test_setup_teardown(a_name_by_default, begin, end),
		cmocka_unit_test_setup_teardown(a_long_name, begin, end),
		cmocka_unit_test_setup_teardown(a_coroutine_without_a_task, begin, end),
		cmocka_unit_test_setup_teardown(names_of_greenlets, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
