/* Threads of C that run Python, in the ways that C code has of it. Each function takes a callable
 * and a count. */
#include <Python.h>
#include <pthread.h>

#define AT_ONCE 20

struct work {
	PyObject *function;
	long number, calls;
	PyThreadState *state;
};

static void call(const struct work *w, long number)
{
	PyObject *got = PyObject_CallFunction(w->function, "l", number);

	if (!got)
		PyErr_WriteUnraisable(w->function);
	Py_XDECREF(got);
}

static void *for_a_moment(void *p)
{
	struct work *w = p;
	PyGILState_STATE held = PyGILState_Ensure();

	call(w, w->number);
	PyGILState_Release(held);
	return NULL;
}

/* One state over many calls, without the GIL in between; nested, too. */
static void *keeps(void *p)
{
	struct work *w = p;
	PyGILState_STATE held = PyGILState_Ensure();
	PyThreadState *state = PyEval_SaveThread();

	for (long i = 0; i < w->calls; i++) {
		for_a_moment(w);
		PyEval_RestoreThread(state);
		call(w, i);
		state = PyEval_SaveThread();
	}
	PyEval_RestoreThread(state);
	PyGILState_Release(held);
	return NULL;
}

/* The thread ends, its state stays. */
static void *leaves(void *p)
{
	struct work *w = p;

	PyGILState_Ensure();
	call(w, w->number);
	PyEval_SaveThread();
	return NULL;
}

/* A state made by hand, in the thread that has it. */
static void *makes(void *p)
{
	struct work *w = p;
	PyThreadState *state = PyThreadState_New(w->state->interp);

	PyEval_RestoreThread(state);
	call(w, w->number);
	PyThreadState_Clear(state);
	PyThreadState_DeleteCurrent();
	return NULL;
}

static PyObject *run(PyObject *args, void *(*body)(void *))
{
	pthread_t threads[AT_ONCE];
	struct work works[AT_ONCE];
	PyObject *function;
	long count;

	if (!PyArg_ParseTuple(args, "Ol", &function, &count))
		return NULL;
	PyThreadState *state = PyEval_SaveThread();
	for (long done = 0; done < count; done += AT_ONCE) {
		long some = count - done < AT_ONCE ? count - done : AT_ONCE;
		for (long i = 0; i < some; i++) {
			works[i] = (struct work){function, done + i, 5, state};
			pthread_create(&threads[i], NULL, body, &works[i]);
		}
		for (long i = 0; i < some; i++)
			pthread_join(threads[i], NULL);
	}
	PyEval_RestoreThread(state);
	Py_RETURN_NONE;
}

#define RUNS(body)                                                                                 \
	static PyObject *run_##body(PyObject *module, PyObject *args)                              \
	{                                                                                          \
		(void)module;                                                                      \
		return run(args, body);                                                            \
	}                                                                                          \
	struct eats_semicolon
RUNS(for_a_moment);
RUNS(keeps);
RUNS(leaves);
RUNS(makes);

static PyMethodDef methods[] = {
	{"for_a_moment", run_for_a_moment, METH_VARARGS, NULL},
	{"keeps", run_keeps, METH_VARARGS, NULL},
	{"leaves", run_leaves, METH_VARARGS, NULL},
	{"makes", run_makes, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "cthreads", NULL, -1, methods};

PyMODINIT_FUNC PyInit_cthreads(void)
{
	return PyModule_Create(&module);
}
