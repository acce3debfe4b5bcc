/* Functions of the interpreter that the program calls, with ours called first. */
#include "recorder/sysfunction.h"

#include "recorder/compat/python.h"

/* The method table belongs to the interpreter and is writable data; the function object does not
 * change. */
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
