/* The recorder as a module of the program: `_pathline`, which the package `pathline`
 * (python/pathline) loads from the file that is already in this process. It is in no sys.modules
 * and on no path; a program without the package never sees it.
 *
 *   begin() -> id      each event of this thread or task is stamped from here on; 0: it cannot be
 *   end(id)            no more; unknown ids are ignored
 *   mark(text, **values)    a mark in the path, at the line that calls this
 *   is_recording() -> bool
 *   leave_out(code)    it is not recorded, if nothing of it was yet
 *   pause(text) -> bool, go_on()    nothing of this thread is recorded between them
 *   flight() -> bool   what a flight recorder has kept is to be written; False: it is none
 *   come_in(arena), leave()    the recorder, into this program and out of it; None, or why not
 */
#include "recorder/compat/python.h"

#include "recorder/flight.h"
#include "recorder/left_out.h"
#include "recorder/mark.h"
#include "recorder/order.h"
#include "recorder/pause.h"
#include "recorder/root.h"
#include "recorder/sections.h"

static PyObject *module_begin(PyObject *module, PyObject *none)
{
	(void)module, (void)none;
	return PyLong_FromUnsignedLongLong(root.slot ? section_begin() : 0);
}

static PyObject *module_end(PyObject *module, PyObject *id)
{
	unsigned long long number = PyLong_AsUnsignedLongLong(id);

	(void)module;
	if (PyErr_Occurred())
		return NULL;
	section_end(number);
	Py_RETURN_NONE;
}

static PyObject *module_mark(PyObject *module, PyObject *args, PyObject *values)
{
	(void)module;
	if (PyTuple_GET_SIZE(args) == 0) {
		PyErr_SetString(
			PyExc_TypeError, "mark() missing 1 required positional argument: 'text'");
		return NULL;
	}
	if (PyTuple_GET_SIZE(args) > 1) {
		PyErr_Format(PyExc_TypeError,
			"mark() takes 1 positional argument but %zd were given",
			PyTuple_GET_SIZE(args));
		return NULL;
	}
	mark_put(PyTuple_GET_ITEM(args, 0), values);
	Py_RETURN_NONE;
}

static PyObject *module_is_recording(PyObject *module, PyObject *none)
{
	(void)module, (void)none;
	return PyBool_FromLong(mark_is_recording());
}

static PyObject *module_leave_out(PyObject *module, PyObject *code)
{
	(void)module;
	if (!PyCode_Check(code)) {
		PyErr_SetString(PyExc_TypeError, "leave_out() takes a code object");
		return NULL;
	}
	code_leave_out_named((PyCodeObject *)code);
	Py_RETURN_NONE;
}

static PyObject *module_pause(PyObject *module, PyObject *text)
{
	(void)module;
	return PyBool_FromLong(pause_begin(text));
}

static PyObject *module_go_on(PyObject *module, PyObject *none)
{
	(void)module, (void)none;
	pause_end();
	Py_RETURN_NONE;
}

static PyObject *module_flight(PyObject *module, PyObject *none)
{
	(void)module, (void)none;
	return PyBool_FromLong(flight_want());
}

static PyObject *module_come_in(PyObject *module, PyObject *path)
{
	const char *text = PyUnicode_AsUTF8AndSize(path, NULL), *why = NULL;

	(void)module;
	if (!text)
		return NULL;
	if (ordered_come_in(text, &why) < 0)
		return PyUnicode_FromString(why ? why : "the recorder gave no reason");
	Py_RETURN_NONE;
}

static PyObject *module_leave(PyObject *module, PyObject *none)
{
	const char *why = NULL;

	(void)module, (void)none;
	if (ordered_leave(&why) < 0)
		return PyUnicode_FromString(why ? why : "the recorder gave no reason");
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{"begin", module_begin, METH_NOARGS, NULL},
	{"end", module_end, METH_O, NULL},
	{"mark", (PyCFunction)(void (*)(void))module_mark, METH_VARARGS | METH_KEYWORDS,
		"Put a mark into the path, at this line: a text, and values by name."},
	{"is_recording", module_is_recording, METH_NOARGS, NULL},
	{"leave_out", module_leave_out, METH_O, NULL},
	{"flight", module_flight, METH_NOARGS, NULL},
	{"pause", module_pause, METH_O, NULL},
	{"go_on", module_go_on, METH_NOARGS, NULL},
	{"come_in", module_come_in, METH_O, NULL},
	{"leave", module_leave, METH_NOARGS, NULL},
	{0},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_pathline",
	.m_methods = methods,
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__pathline(void);
PyMODINIT_FUNC PyInit__pathline(void)
{
	return PyModuleDef_Init(&definition);
}
