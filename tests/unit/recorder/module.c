/* The module _pathline: what the package calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/left_out.h"
#include "tests/lib/inside_recording.h"

PyMODINIT_FUNC PyInit__pathline(void);

static PyObject *module;

/* As a loader makes it. */
static int begin(void **state)
{
	PyObject *names = inside_bind("from importlib.machinery import ModuleSpec\n"
				      "spec = ModuleSpec('_pathline', None)\n");
	PyModuleDef *definition = (PyModuleDef *)PyInit__pathline();

	module = PyModule_FromDefAndSpec(definition, inside_name(names, "spec"));
	Py_DECREF(names);
	if (!module || PyModule_ExecDef(module, definition) < 0 || recording_begin(state) != 0)
		return -1;
	return thread_begin() ? 0 : -1; /* it had events */
}

static int end(void **state)
{
	Py_CLEAR(module);
	root.section_count = 0;
	return recording_end(state);
}

/* The names of the text, in which `module` is the module; what it raises is in `error`. */
static PyObject *run(const char *text)
{
	PyObject *names = PyDict_New(), *done;
	char all[1024];

	snprintf(all, sizeof all,
		"error = None\ntry:\n    %s\nexcept Exception as e:\n    error = repr(e)\n", text);
	PyObject *code = (PyObject *)inside_code(all, "/shop/cart.py");
	PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
	PyDict_SetItemString(names, "module", module);
	done = PyEval_EvalCode(code, names, names);
	assert_non_null(done);
	Py_DECREF(done);
	Py_DECREF(code);
	return names;
}

/* expected: the repr of `found`, or NULL; error: what was raised, or a part of it. */
static void expect(const char *text, const char *expected, const char *error)
{
	PyObject *names = run(text), *raised = inside_name(names, "error"), *repr = NULL;

	if (error) {
		assert_true(PyUnicode_Check(raised));
		assert_non_null(strstr(PyUnicode_AsUTF8(raised), error));
	} else {
		repr = PyObject_Repr(inside_name(names, "found"));
		assert_true(raised == Py_None);
		assert_string_equal(PyUnicode_AsUTF8(repr), expected);
	}
	Py_XDECREF(repr);
	Py_DECREF(names);
}

static void sections(void **state)
{
	(void)state;
	expect("found = module.begin() > 0", "True", NULL);
	assert_int_equal(root.section_count, 1);
	expect("found = module.end(12345)", "None", NULL); /* of another one */
	assert_int_equal(root.section_count, 1);
	expect("id = module.begin(); module.end(id); found = module.end(id)", "None", NULL);
	assert_int_equal(root.section_count, 1);
	expect("module.end('one')", NULL, "TypeError");
	expect("module.end(-1)", NULL, "OverflowError");
}

static void without_a_recording(void **state)
{
	struct process_slot *slot = root.slot;

	(void)state;
	expect("found = module.is_recording()", "True", NULL);
	root.slot = NULL;
	expect("found = module.begin()", "0", NULL);
	expect("found = module.is_recording()", "False", NULL);
	expect("found = module.mark('paid')", "None", NULL);
	root.slot = slot;
	assert_int_equal(root.section_count, 0);
}

static void marks(void **state)
{
	struct event events[32];

	(void)state;
	expect("found = module.mark('paid', order=7)", "None", NULL);
	const unsigned count = events_from(self, 0, events, 32);
	const struct event *e = event_among(events, count, EVENT_MARK);
	assert_true(e && view_has(e->text, "paid order=7"));
	expect("module.mark()", NULL, "missing 1 required positional argument: 'text'");
	expect("module.mark('a', 'b')", NULL, "takes 1 positional argument but 2 were given");
	assert_int_equal(events_from(self, 0, events, 32), count);
}

static void code_that_is_left_out(void **state)
{
	PyObject *names;

	(void)state;
	names = run("f = lambda: 1; module.leave_out(f.__code__)");
	PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(inside_name(names, "f"));
	assert_true(code_record(code)->left_out);
	Py_DECREF(names);
	expect("module.leave_out(1)", NULL, "leave_out() takes a code object");
}

/* The reason is the result: the package raises it. */
static void why_it_cannot_come_in(void **state)
{
	(void)state;
	expect("found = module.come_in('/none') == 'this process is recorded already'", "True",
		NULL);
	expect("found = type(module.leave())", "<class 'str'>", NULL);
	expect("module.come_in(3)", NULL, "TypeError");
	assert_true(root.slot != NULL);
}

INSIDE_TESTS(module)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(sections),
		TEST(without_a_recording),
		TEST(marks),
		TEST(code_that_is_left_out),
		TEST(why_it_cannot_come_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
