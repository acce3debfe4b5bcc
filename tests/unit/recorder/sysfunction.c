/* C functions of the interpreter with ours in front of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/sysfunction.h"
#include "tests/lib/inside.h"

static PyCFunction theirs;
static int calls;

static PyObject *counted(PyObject *module, PyObject *argument)
{
	calls++;
	return theirs(module, argument);
}

static PyObject *put_in_front(PyObject *module, PyObject *argument)
{
	return counted(module, argument);
}

/* math.floor takes one argument. */
static PyObject *floor_function(void)
{
	PyObject *module = PyImport_ImportModule("math"),
		 *function = PyObject_GetAttrString(module, "floor");

	Py_DECREF(module);
	return function;
}

static long call(PyObject *function)
{
	PyObject *argument = PyFloat_FromDouble(2.5),
		 *result = PyObject_CallOneArg(function, argument);
	const long found = result ? PyLong_AsLong(result) : -1;

	Py_XDECREF(result);
	Py_DECREF(argument);
	return found;
}

static void taken_and_given_back(void **state)
{
	PyObject *function = floor_function();

	(void)state;
	calls = 0;
	assert_true(function_take(function, METH_O, counted, &theirs));
	assert_int_equal(call(function), 2);
	assert_int_equal(calls, 1);
	/* once more, as in another interpreter: the original stays the same one */
	const PyCFunction original = theirs;
	assert_true(function_take(function, METH_O, counted, &theirs));
	assert_ptr_equal(theirs, original);
	functions_give_back();
	assert_int_equal(call(function), 2);
	assert_int_equal(calls, 1);
	functions_give_back();
	Py_DECREF(function);
}

/* What another one has put in front meanwhile stays. */
static void another_in_front(void **state)
{
	PyObject *function = floor_function();
	PyMethodDef *row = ((PyCFunctionObject *)function)->m_ml;

	(void)state;
	assert_true(function_take(function, METH_O, counted, &theirs));
	row->ml_meth = put_in_front;
	functions_give_back();
	assert_ptr_equal(row->ml_meth, put_in_front);
	row->ml_meth = theirs;
	assert_int_equal(call(function), 2);
	Py_DECREF(function);
}

static void refused(void **state)
{
	PyObject *function = floor_function();

	(void)state;
	assert_false(function_take(NULL, METH_O, counted, &theirs));
	assert_false(function_take(Py_None, METH_O, counted, &theirs));
	assert_false(function_take(function, METH_NOARGS, counted, &theirs));
	Py_DECREF(function);
}

INSIDE_TESTS(sysfunction)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken_and_given_back),
		cmocka_unit_test(another_in_front),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
