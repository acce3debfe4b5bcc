/* Functions of the interpreter that the program calls, with ours called first. */
#include "recorder/sysfunction.h"

#include "recorder/compat/python.h"

/* So many are taken. */
#define TAKEN_MAX 24

static struct taken {
	PyMethodDef *row;
	PyCFunction own, theirs;
} taken_functions[TAKEN_MAX];
static size_t taken_count;

static void note_taken(PyMethodDef *row, PyCFunction own, PyCFunction theirs)
{
	for (size_t i = 0; i < taken_count; i++)
		if (taken_functions[i].row == row)
			return;
	if (taken_count < TAKEN_MAX)
		taken_functions[taken_count++] = (struct taken){row, own, theirs};
}

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
	note_taken(row, own, *theirs);
	return true;
}

void functions_give_back(void)
{
	while (taken_count) {
		const struct taken *t = &taken_functions[--taken_count];
		if (t->row->ml_meth == t->own)
			t->row->ml_meth = t->theirs;
	}
}
