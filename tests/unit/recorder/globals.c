/* The globals of the frame that runs a code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "recorder/globals.h"
#include "tests/lib/inside.h"

static char found_name[32];
static bool frame_is_own, frame_of_other_is_top, names_are_empty;

static void note_globals(PyCodeObject *code, PyCodeObject *other)
{
	PyObject *keep;
	py_frame *frame = frame_of(code);
	struct pl_view name = global_text(frame, "__name__", &keep);

	frame_is_own = frame && frame_code(frame) == code;
	snprintf(found_name, sizeof found_name, "%.*s", (int)name.left, (const char *)name.at);
	Py_XDECREF(keep);
	frame_of_other_is_top = frame_of(other) == frame;
	names_are_empty = !global_text(frame, "nothing", &keep).left && !keep &&
			  !global_text(frame, "__builtins__", &keep).left && !keep &&
			  !global_text(NULL, "__name__", &keep).left && !keep;
}

static PyObject *look(PyObject *module, PyObject *unused)
{
	PyFrameObject *frame = PyEval_GetFrame();
	PyCodeObject *code = PyFrame_GetCode(frame), *other = NULL;

	(void)module, (void)unused;
	other = (PyCodeObject *)Py_CompileString("1", "/other.py", Py_file_input);
	note_globals(code, other);
	Py_XDECREF(other);
	Py_DECREF(code);
	Py_RETURN_NONE;
}

static void of_the_frame(void **state)
{
	PyObject *names = inside_run("call()\n", "/shop/cart.py", "shop.cart", look);

	(void)state;
	assert_true(frame_is_own);
	assert_string_equal(found_name, "shop.cart");
	assert_true(frame_of_other_is_top); /* code that does not run yet */
	assert_true(names_are_empty);
	Py_DECREF(names);
}

INSIDE_TESTS(globals)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
