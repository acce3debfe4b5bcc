/* The recorder as a module of the program: `_pathline`, which the package `pathline`
 * (python/pathline) loads from the file that is already in this process. It is in no sys.modules
 * and on no path; a program without the package never sees it.
 *
 *   begin() -> id      each event of this thread or task is stamped from here on; 0: it cannot be
 *   end(id)            no more; unknown ids are ignored
 */
#include "recorder/compat/python.h"

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

static PyMethodDef methods[] = {
	{"begin", module_begin, METH_NOARGS, NULL},
	{"end", module_end, METH_O, NULL},
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
