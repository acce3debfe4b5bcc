/* Which greenlet runs, as a module in place of greenlet says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_recording.h"

static PyObject *running, *main_one;

static PyObject *get_current(void)
{
	return Py_NewRef(running);
}

static int is_main(PyObject *greenlet)
{
	return greenlet == main_one;
}

/* The places are those of greenlet's header. */
static void *api[10] = {[4] = (void *)(uintptr_t)get_current, [8] = (void *)(uintptr_t)is_main};
static struct thread thread;
static struct shadow_entry entries[8];
static PyObject *one, *two;

static int begin(void **state)
{
	(void)state;
	PyObject *module = PyModule_New("greenlet"),
		 *capsule = PyCapsule_New(api, "greenlet._C_API", NULL);

	PyModule_AddObjectRef(module, "_C_API", capsule);
	PyDict_SetItemString(PyImport_GetModuleDict(), "greenlet", module);
	Py_DECREF(capsule);
	Py_DECREF(module);
	greenlets_forget();
	names_forget();
	main_one = running = PyList_New(0);
	one = PyList_New(0);
	two = PyList_New(0);
	memset(entries, 0, sizeof entries);
	thread = (struct thread){.shadow = {.entries = entries, .room = 7}};
	return 0;
}

static int end(void **state)
{
	(void)state;
	PyDict_DelItemString(PyImport_GetModuleDict(), "greenlet");
	greenlets_forget();
	names_forget();
	Py_CLEAR(main_one);
	Py_CLEAR(one);
	Py_CLEAR(two);
	return 0;
}

/* Now runs this one, after the last one was left with so many frames. */
static void expect_change(PyObject *to, uint32_t left_with)
{
	thread.shadow.depth = left_with;
	running = to;
	assert_true(greenlet_changed(&thread, false));
	assert_false(greenlet_changed(&thread, false));
	assert_ptr_equal(thread.greenlet_at, to == main_one ? NULL : to);
}

static void none_is_running(void **state)
{
	(void)state;
	assert_null(greenlet_running());
	assert_false(greenlet_changed(&thread, false));
	running = one;
	assert_ptr_equal(greenlet_running(), one);
	PyDict_DelItemString(PyImport_GetModuleDict(), "greenlet");
	greenlets_forget();
	names_forget();
	assert_null(greenlet_running()); /* it is never imported */
	assert_null(PyErr_Occurred());
	PyDict_SetItemString(PyImport_GetModuleDict(), "greenlet", Py_None);
}

static void each_keeps_its_number_and_frames(void **state)
{
	(void)state;
	expect_change(one, 3);
	const uint64_t first = thread.greenlet;
	assert_true(first != 0 && thread.kept == 0);
	expect_change(two, 2);
	assert_true(thread.greenlet != first && thread.kept == 0);
	expect_change(one, 1);
	assert_true(thread.greenlet == first && thread.kept == 2);
	expect_change(main_one, 4);
	assert_true(thread.greenlet == 0 && thread.kept == 3);
}

/* It was left without a frame, so it is over, and its address serves another one. */
static void one_that_is_over(void **state)
{
	(void)state;
	expect_change(one, 3);
	const uint64_t first = thread.greenlet;
	expect_change(main_one, 0);
	expect_change(one, 3);
	assert_true(thread.greenlet != first && thread.kept == 0);
}

static void after_a_loss(void **state)
{
	(void)state;
	expect_change(one, 3);
	const uint64_t first = thread.greenlet;
	expect_change(main_one, 2);
	greenlets_lost(&thread);
	expect_change(one, 3);
	assert_true(thread.greenlet == first && thread.kept == 0);
}

/* A frame without a caller begins: the greenlet's frames ended with a thread. */
static void one_that_begins_again(void **state)
{
	(void)state;
	expect_change(one, 3);
	const uint64_t first = thread.greenlet;
	expect_change(main_one, 2);
	running = one;
	thread.shadow.depth = 3;
	assert_true(greenlet_changed(&thread, true));
	assert_true(thread.greenlet != first);
}

#if !ENGINE_TRACES
/* Of a class in greenlet's place: one that waits in a generator, one that does not, one whose frame
 * is something else. */
static PyObject *make_waiting(void)
{
	PyObject *names = PyDict_New();
	PyObject *done = PyRun_String("class Greenlet:\n"
				      " def __init__(self, frame): self.frame = frame\n"
				      " gr_frame = property(lambda self: self.frame)\n"
				      "waits = (n for n in ())\n"
				      "made = [Greenlet(waits.gi_frame), Greenlet(None)]\n",
		Py_file_input, names, names);

	assert_non_null(done);
	Py_DECREF(done);
	api[0] = PyDict_GetItemString(names, "Greenlet");
	return names;
}

static void codes_of_those_that_wait(void **state)
{
	(void)state;
	PyObject *names = make_waiting(), *made = PyDict_GetItemString(names, "made"),
		 *codes = greenlets_waiting_codes(), *code;
	Py_ssize_t at = 0;

	assert_int_equal(PyDict_Size(codes), 1);
	assert_true(PyDict_Next(codes, &at, NULL, &code) && PyCode_Check(code));
	Py_DECREF(codes);
	PyObject *first = PyList_GetItem(made, 0);
	PyObject_SetAttrString(first, "frame", Py_True);
	assert_null(greenlets_waiting_codes());
	assert_null(PyErr_Occurred());
	PyDict_Clear(names);
	Py_DECREF(names);
	api[0] = NULL;
}

/* A version without the C API. */
static void no_codes_are_known(void **state)
{
	(void)state;
	PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), "greenlet");

	PyObject_SetAttrString(module, "_C_API", Py_None);
	greenlets_forget();
	PyObject *codes = greenlets_waiting_codes();
	assert_int_equal(PyDict_Size(codes), 0); /* nor anything that could make one */
	Py_DECREF(codes);
	PyObject_SetAttrString(module, "getcurrent", Py_True);
	assert_null(greenlets_waiting_codes());
}
#endif

#define WITH_GREENLETS(test) cmocka_unit_test_setup_teardown(test, begin, end)

INSIDE_TESTS(greenlets)
{
	const struct CMUnitTest tests[] = {
		WITH_GREENLETS(none_is_running),
		WITH_GREENLETS(each_keeps_its_number_and_frames),
		WITH_GREENLETS(one_that_is_over),
		WITH_GREENLETS(after_a_loss),
		WITH_GREENLETS(one_that_begins_again),
#if !ENGINE_TRACES
		WITH_GREENLETS(codes_of_those_that_wait),
		WITH_GREENLETS(no_codes_are_known),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
