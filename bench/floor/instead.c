/* Puts another callback in the place of each that a tool of sys.monitoring has. The recorder
 * hides its tool from the program, so it is looked for where the interpreter keeps it. From 3.12
 * on. Apart from floor.c, which needs none of the interpreter's own headers. */
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE_MODULE 1
#include <Python.h>
#if PY_VERSION_HEX >= 0x030c0000
#include <internal/pycore_interp.h>

/* callbacks(tool, callback): gives how many it had */
static PyObject *instead_callbacks(PyObject *self, PyObject *arguments)
{
	const char *name;
	PyObject *callback;
	int count = 0;
	PyInterpreterState *interpreter = PyInterpreterState_Get();
	(void)self;

	if (!PyArg_ParseTuple(arguments, "sO", &name, &callback))
		return NULL;
	for (int tool = 0; tool < PY_MONITORING_TOOL_IDS; tool++) {
		PyObject *named = interpreter->monitoring_tool_names[tool];
		if (!named || PyUnicode_CompareWithASCIIString(named, name) != 0)
			continue;
		for (int event = 0; event < _PY_MONITORING_EVENTS; event++) {
			PyObject **place = &interpreter->monitoring_callables[tool][event];
			if (!*place)
				continue;
			Py_XSETREF(*place, Py_NewRef(callback));
			count++;
		}
	}
	return PyLong_FromLong(count);
}

static PyMethodDef methods[] = {{"callbacks", instead_callbacks, METH_VARARGS, NULL}, {NULL}};
#else
static PyMethodDef methods[] = {{NULL}};
#endif

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT, .m_name = "instead", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_instead(void)
{
	return PyModule_Create(&module);
}
