/* Functions of the interpreter that the program calls, with ours in front of them. */
#include "recorder/state.h"

/* The method table is the interpreter's, and writable data; the function object stays what it was. */
bool function_take(PyObject *function, int flags, PyCFunction own, PyCFunction *theirs)
{
	if (!function || !PyCFunction_CheckExact(function) ||
		PyCFunction_GET_FLAGS(function) != flags)
		return false;
	PyMethodDef *row = ((PyCFunctionObject *)function)->m_ml;
	if (row->ml_meth != own)
		*theirs = row->ml_meth;
	row->ml_meth = own;
	return true;
}
