/* The recorder comes into a program that runs, and leaves it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_start.h"

static const char *why;
static int result;
static uint32_t frames;
static struct event events[128];
static unsigned count, links_of_others;

static PyObject *attach(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	frames = frames_here();
	result = pathline_recorder_attach(&started, &why);
	links_of_others = 0;
	for (const struct thread *t = root.threads; t; t = t->next)
		if (t != self && t->waits)
			links_of_others +=
				count_of(events, events_from(t, 0, events, 128), EVENT_LINK);
	count = self ? events_from(self, 0, events, 128) : 0;
	Py_RETURN_NONE;
}

static PyObject *leave(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	count = events_from(self, 0, events, 128);
	result = pathline_recorder_leave(&why);
	Py_RETURN_NONE;
}

static PyObject *run_attach(const char *text)
{
	result = -2;
	why = NULL;
	return inside_run(text, "/shop/cart.py", "cart", attach);
}

/* The stack as it is begins the path; what runs from then on follows. */
static void comes_in(void **state)
{
	(void)state;
	PyObject *names = run_attach("def f(): call()\ndef g(): return 1\nf()\ng()\n");
	assert_int_equal(result, 0);
	const struct event *gap = event_among(events, count, EVENT_GAP);
	assert_true(gap && gap->a == PL_GAP_ATTACHED);
	assert_int_equal(count_of(events, count, EVENT_LINK), frames);
	assert_int_equal(events[count - 1].kind, EVENT_LINK);
	hooked_look();
	assert_true(hooked_has("g( "));
	assert_int_equal(atomic_load(&started_arena.head->slots[0].state), SLOT_LIVE);
	assert_null(PyErr_Occurred());
	Py_DECREF(names);
}

static void leaves(void **state)
{
	(void)state;
	Py_DECREF(run_attach("call()\n"));
	Py_DECREF(inside_run("def f(): call()\nf()\n", "/shop/cart.py", "cart", leave));
	const struct process_slot *slot = &started_arena.head->slots[0];
	assert_int_equal(result, 0);
	assert_int_equal(atomic_load(&slot->end), SLOT_END_DETACHED);
	assert_int_equal(atomic_load(&slot->state), SLOT_DONE);
	assert_true(root.left && !root.arena.head && !root.slot && !started_slot && !root.codes);
	PyObject *name = PyObject_CallMethod(PySys_GetObject("monitoring"), "get_tool", "i", 5);
	assert_ptr_equal(name, Py_None);
	Py_DECREF(name);
	/* nothing is heard, and there is nothing to leave */
	Py_DECREF(inside_bind("def f(): return 1\nf()\n"));
	assert_int_equal(pathline_recorder_leave(&why), 0);
	assert_null(PyErr_Occurred());
}

/* Another recording ends the first one. */
static void comes_in_again(void **state)
{
	(void)state;
	Py_DECREF(run_attach("call()\n"));
	assert_true(started_map(&started.arena));
	Py_DECREF(run_attach("def f(): call()\nf()\n"));
	assert_int_equal(result, 0);
	assert_int_equal(atomic_load(&started_arena.head->slots[0].end), SLOT_END_DETACHED);
	assert_int_equal(atomic_load(&started_arena.head->slots[1].state), SLOT_LIVE);
	assert_int_equal(count_of(events, count, EVENT_LINK), frames);
	assert_false(root.left);
}

static void not_while_it_describes(void **state)
{
	(void)state;
	Py_DECREF(run_attach("call()\n"));
	root.describing = 1;
	assert_int_equal(pathline_recorder_leave(&why), -1);
	assert_string_equal(why, "the recorder is at work in another thread");
	root.describing = 0;
	assert_true(root.slot != NULL);
}

/* Threads that wait have their stacks told by the one that attaches. */
static void other_threads(void **state)
{
	(void)state;
	Py_DECREF(run_attach("import threading\nlock = threading.Lock()\nlock.acquire()\n"
			     "there = threading.Event()\n"
			     "def wait():\n    there.set()\n    lock.acquire()\n"
			     "thread = threading.Thread(target=wait)\nthread.start()\n"
			     "there.wait()\ncall()\nlock.release()\nthread.join()\n"));
	assert_int_equal(result, 0);
	assert_int_equal(root.thread_count, 2);
	assert_true(links_of_others >= 3); /* _bootstrap, run, wait */
}

static void refused(void **state)
{
	(void)state;
	Py_DECREF(
		inside_bind("import sys\nfor i in range(6): sys.monitoring.use_tool_id(i, 'x')\n"));
	Py_DECREF(run_attach("call()\n"));
	assert_int_equal(result, -1);
	assert_string_equal(why, "all six tool ids of sys.monitoring are in use");
	assert_true(!root.arena.head && !root.slot && root.left);
	Py_DECREF(inside_bind("import sys\nfor i in range(6): sys.monitoring.free_tool_id(i)\n"));
	arena_unmap(&started.arena); /* still the caller's */
}

/* The program's tool 5, which is another one of the interpreter's, goes on; ours has gone. But the
 * program's calls are translated for ever, so the recorder cannot come again. */
static void an_id_that_has_moved(void **state)
{
	(void)state;
	Py_DECREF(run_attach("call()\nimport sys\nm = sys.monitoring\nm.use_tool_id(5, 'mine')\n"));
	assert_int_equal(result, 0);
	assert_int_equal(pathline_recorder_leave(&why), 0);
	assert_null(monitoring_tool_names(PyInterpreterState_Main())[root.tool]);
	PyObject *names = inside_bind(
		"import sys\nm = sys.monitoring\nfound = [m.get_tool(5)]\n"
		"def f(): pass\n"
		"m.register_callback(5, m.events.PY_START, lambda *a: found.append(1))\n"
		"m.set_local_events(5, f.__code__, m.events.PY_START)\nf()\n"
		"m.free_tool_id(5)\nfound.append(m.get_tool(5))\n"
		"is_so = found == ['mine', 1, None]\n");
	assert_ptr_equal(inside_name(names, "is_so"), Py_True);
	assert_true(started_map(&started.arena));
	Py_DECREF(run_attach("call()\n"));
	assert_int_equal(result, -1);
	assert_non_null(strstr(why, "restart it"));
	arena_unmap(&started.arena);
	functions_give_back();
	tools_end();
	Py_DECREF(names);
}

INSIDE_TESTS(attach)
{
	const struct CMUnitTest tests[] = {
		STARTED_TEST(comes_in),
		STARTED_TEST(leaves),
		STARTED_TEST(comes_in_again),
		STARTED_TEST(not_while_it_describes),
		STARTED_TEST(other_threads),
		STARTED_TEST(refused),
		STARTED_TEST(an_id_that_has_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
