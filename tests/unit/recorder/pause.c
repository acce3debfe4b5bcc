/* What a thread runs while it is paused is lost, and a gap says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/pause.h"
#include "tests/lib/inside_hooks.h"

static const struct event *gap;
static unsigned begun; /* pauses in each other */
static unsigned nested;

/* Begin `nested` pauses, or end them. */
static PyObject *toggle(PyObject *module, PyObject *unused)
{
	PyObject *text = PyUnicode_FromString("left out: f");

	(void)module, (void)unused;
	const bool begins = !begun;
	for (unsigned i = 0; i < nested; i++) {
		if (begins)
			begun += pause_begin(text);
		else
			pause_end();
	}
	if (!begins)
		begun = 0;
	Py_DECREF(text);
	Py_RETURN_NONE;
}

static void run(const char *text, unsigned times)
{
	const char *why = NULL;

	begun = 0;
	nested = times;
	assert_true(hooked_in(&why));
	Py_DECREF(hooked_run(text, toggle));
	assert_null(PyErr_Occurred());
	gap = event_among(hooked_events, hooked_count, EVENT_GAP);
}

#define TEXT                                                                                       \
	"def f(): return 1\ndef g(): return 2\ndef h(): return 3\n"                                \
	"g()\ncall()\nf()\nf()\ncall()\nh()\n"

static void it_is_left_out(void **state)
{
	(void)state;
	run(TEXT, 1);
	assert_non_null(gap);
	assert_int_equal(gap->a, PL_GAP_NOTRACE);
	assert_true(gap->b >= 2);
	assert_null(strstr(hooked_path, "f( "));
	assert_true(hooked_has("g( "));
	assert_true(hooked_has("h( "));
	assert_int_equal(hooked_count_of(EVENT_MARK), 1);
	assert_int_equal(hooked_count_of(EVENT_GAP), 1);
}

static void in_each_other(void **state)
{
	(void)state;
	run(TEXT, 3);
	assert_int_equal(hooked_count_of(EVENT_MARK), 1);
	assert_int_equal(hooked_count_of(EVENT_GAP), 1);
	assert_null(strstr(hooked_path, "f( "));
	assert_true(hooked_has("h( "));
}

/* The stack is written again: what runs afterwards has its caller. */
static void frames_are_linked_again(void **state)
{
	(void)state;
	run("def f(): return 1\ndef g():\n    call()\n    f()\n    call()\n    return h()\n"
	    "def h(): return 3\ng()\n",
		1);
	assert_non_null(gap);
	bool linked = false;
	for (const struct event *e = gap; e < hooked_events + hooked_count; e++)
		linked |= e->kind == EVENT_LINK && !strcmp(hooked_name(e->code), "g");
	assert_true(linked);
	assert_true(hooked_has("h( "));
}

static void nobody_records(void **state)
{
	PyObject *text = PyUnicode_FromString("x");

	(void)state;
	atomic_store(&root.stopped, 1);
	assert_false(pause_begin(text));
	pause_end();
	atomic_store(&root.stopped, 0);
	Py_DECREF(text);
}

INSIDE_TESTS(pause)
{
	const struct CMUnitTest tests[] = {
		HOOKED_TEST(it_is_left_out),
		HOOKED_TEST(in_each_other),
		HOOKED_TEST(frames_are_linked_again),
		HOOKED_TEST(nobody_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
