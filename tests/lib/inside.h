/* Unit tests of the recorder's files that run inside an interpreter: the runner (inside.py) loads
 * them with the recorder's objects, in each version that there is.
 *
 *	PyCodeObject *code = inside_code("x = 1\n", "/shop/cart.py");
 *	inside_run("call()\n", "/shop/cart.py", "shop.cart", callback)
 *	PyObject *names = inside_bind("import datetime\nday = datetime.date(2026, 3, 1)\n")
 *
 * A failed assertion leaves the test by a long jump, so a callback must not make any: it is to put
 * aside what it finds.
 */
#ifndef TEST_INSIDE_H
#define TEST_INSIDE_H

#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"

/* What the runner calls; the number of tests that failed. */
#define INSIDE_TESTS(name)                                                                         \
	__attribute__((visibility("default"))) int inside_test_##name(void);                       \
	int inside_test_##name(void)

static inline PyCodeObject *inside_code(const char *text, const char *file)
{
	PyObject *code = Py_CompileString(text, file, Py_file_input);

	assert_non_null(code);
	assert_true(PyCode_Check(code));
	return (PyCodeObject *)code;
}

/* The first code in the code's constants: that of a function. */
static inline PyCodeObject *inside_function(PyCodeObject *code)
{
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++)
		if (PyCode_Check(PyTuple_GET_ITEM(code->co_consts, i)))
			return (PyCodeObject *)PyTuple_GET_ITEM(code->co_consts, i);
	return NULL;
}

/* Run the text as this module; `call` in it is the function. Returns its names, owned. */
static inline PyObject *inside_run(
	const char *text, const char *file, const char *module, PyCFunction call)
{
	static PyMethodDef row = {"call", NULL, METH_NOARGS, NULL};
	PyObject *code = (PyObject *)inside_code(text, file), *names = PyDict_New(),
		 *name = PyUnicode_FromString(module), *function;

	row.ml_meth = call;
	function = PyCFunction_New(&row, NULL);
	PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
	PyDict_SetItemString(names, "__name__", name);
	PyDict_SetItemString(names, "call", function);
	PyObject *result = PyEval_EvalCode(code, names, names);
	if (!result)
		PyErr_Print();
	assert_non_null(result);
	Py_DECREF(result);
	Py_DECREF(function);
	Py_DECREF(name);
	Py_DECREF(code);
	return names;
}

static inline PyObject *inside_nothing(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	Py_RETURN_NONE;
}

/* The names that the text binds, owned. */
static inline PyObject *inside_bind(const char *text)
{
	return inside_run(text, "/shop/cart.py", "shop.cart", inside_nothing);
}

/* Borrowed. */
static inline PyObject *inside_name(PyObject *names, const char *name)
{
	PyObject *found = PyDict_GetItemString(names, name);

	assert_non_null(found);
	return found;
}

#endif
