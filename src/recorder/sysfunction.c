/* Functions of sys that the program calls, with ours in front of them. */
#include "recorder/state.h"

/* The method table is the interpreter's, and writable data; the function object stays what it was. */
PyCFunction sys_function_take(const char *name, PyCFunction own)
{
	PyObject *function = PySys_GetObject(name); /* borrowed */

	if (!function || !PyCFunction_CheckExact(function))
		return NULL;
	PyMethodDef *row = ((PyCFunctionObject *)function)->m_ml;
	PyCFunction theirs = row->ml_meth;
	row->ml_meth = own;
	return theirs;
}
