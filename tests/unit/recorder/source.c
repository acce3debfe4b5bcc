/* The text that a code was compiled from: where it is looked for, and what is told of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include "format/code_text.h"
#include "tests/lib/inside_recording.h"

static uint32_t unit_told;

/* What was told of the unit of code that was compiled from the text under this name. */
static struct code_text told_of(const char *text, const char *file)
{
	PyCodeObject *code = inside_code(text, file);
	struct pl_view last = {NULL, 0};
	struct code_text t = {.how = 0};

	errno = EXDEV;
	unit_told = source_unit(code, 7);
	assert_int_equal(errno, EXDEV);
	assert_null(PyErr_Occurred());
	if (messages_of(MESSAGE_TEXT, &last))
		assert_int_equal(code_text_read(last, &t), 0);
	Py_DECREF(code);
	return t;
}

static bool is_text(struct pl_view v, const char *text)
{
	return v.left == strlen(text) && !memcmp(v.at, text, v.left);
}

static void what_no_file_has(void **state)
{
	(void)state;
	const struct code_text t = told_of("x = 1\n", "/no/such/file.py");
	assert_int_equal(unit_told, 7);
	assert_int_equal(t.unit, 7);
	assert_int_equal(t.how, CODE_TEXT_NONE);
	assert_int_equal(t.error, ENOENT);
	assert_true(is_text(t.file, "/no/such/file.py"));
}

static void a_name_that_is_no_file(void **state)
{
	struct pl_view last;

	(void)state;
	told_of("x = 1\n", "<generated>");
	assert_int_equal(unit_told, 0);
	assert_int_equal(messages_of(MESSAGE_TEXT, &last), 0);
	const struct code_text t = told_of("x = 1\n", "<frozen os>");
	assert_int_equal(t.how, CODE_TEXT_FROZEN);
}

/* What the program, as a notebook, gave to linecache. */
static void of_linecache(void **state)
{
	PyObject *names = inside_bind("import linecache\n"
				      "linecache.cache['<cell 1>'] = "
				      "(6, None, ['x = 1\\n', 'y = 2\\n'], '<cell 1>')\n");

	(void)state;
	const struct code_text t = told_of("x = 1\ny = 2\n", "<cell 1>");
	assert_int_equal(unit_told, 7);
	assert_int_equal(t.how, CODE_TEXT_DECODED);
	assert_true(is_text(t.text, "x = 1\ny = 2\n"));
	Py_DECREF(names);
}

/* A file that was written just now is sent whole: its stamp may stay when it changes. */
static void a_fresh_file(void **state)
{
	PyObject *names = inside_bind("import os, tempfile\n"
				      "handle, path = tempfile.mkstemp('.py')\n"
				      "os.write(handle, b'x = 1\\n')\nos.close(handle)\n");
	const char *path = PyUnicode_AsUTF8(inside_name(names, "path"));

	(void)state;
	const struct code_text t = told_of("x = 1\n", path);
	assert_true(t.how == CODE_TEXT_BYTES || t.how == CODE_TEXT_LATE);
	assert_true(is_text(t.text, "x = 1\n"));
	assert_true(t.stamp[2] == 6);
	unlink(path);
	Py_DECREF(names);
}

/* All code of a compilation has one unit. */
static void one_unit(void **state)
{
	PyCodeObject *module = inside_code("def f(): pass\n", "/no/such/shop.py");
	struct pl_view last;

	(void)state;
	assert_int_equal(source_unit(module, 3), 3);
	assert_int_equal(source_unit(inside_function(module), 4), 3);
	assert_int_equal(messages_of(MESSAGE_TEXT, &last), 1);
	Py_DECREF(module);
}

/* A system call that the program does not make could end it. */
static void a_confined_program(void **state)
{
	static const _Atomic bool confined = true;

	(void)state;
	root.confined = &confined;
	const struct code_text t = told_of("x = 1\n", "/no/such/file.py");
	assert_int_equal(t.how, CODE_TEXT_CONFINED);
}

INSIDE_TESTS(source)
{
	const struct CMUnitTest tests[] = {
		RECORDED_TEST(what_no_file_has),
		RECORDED_TEST(a_name_that_is_no_file),
		RECORDED_TEST(of_linecache),
		RECORDED_TEST(a_fresh_file),
		RECORDED_TEST(one_unit),
		RECORDED_TEST(a_confined_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
