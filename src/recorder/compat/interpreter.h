/* Threads, the GIL and modules of the interpreter. */
#ifndef PL_RECORDER_COMPAT_INTERPRETER_H
#define PL_RECORDER_COMPAT_INTERPRETER_H

#include "recorder/compat/python.h"

/* With the GIL, the state of this thread. Not checked: a fatal signal may come where there is
 * none. */
static inline PyThreadState *current_thread_state(void)
{
#if PY_VERSION_HEX >= 0x030d0000
	return PyThreadState_GetUnchecked();
#else
	return _PyThreadState_UncheckedGet();
#endif
}

/* Are the interpreter's GIL, and the field that says which thread holds it, where the headers have
 * them? Before 3.13 the interpreter does not say. */
static inline bool gil_is_laid_out(void)
{
#if PY_VERSION_HEX >= 0x030d0000
	const __typeof__(_PyRuntime.debug_offsets.interpreter_state) *at =
		&_PyRuntime.debug_offsets.interpreter_state;

	return at->ceval_gil == offsetof(PyInterpreterState, ceval.gil) &&
	       at->gil_runtime_state_holder - at->gil_runtime_state ==
		       offsetof(struct _gil_runtime_state, last_holder);
#else
	return PY_VERSION_HEX >= 0x030c0000;
#endif
}

/* The GIL's own cell, which names the thread state that holds it or did so last; it was not checked
 * whether it can be read. NULL: not known. In 3.11 it is the cell that _PyThreadState_UncheckedGet
 * reads. */
static inline PyThreadState *const *gil_holder(const PyInterpreterState *interpreter)
{
#if PY_VERSION_HEX < 0x030c0000
	(void)interpreter;
	return (PyThreadState *const *)&_PyRuntime.gilstate.tstate_current;
#else
	if (gil_is_laid_out() && interpreter->ceval.gil)
		return (PyThreadState *const *)&interpreter->ceval.gil->last_holder;
	return NULL;
#endif
}

/* The state of the thread with this native id; NULL: it has none (any more). States are removed
 * from the list with the GIL; new ones are added at its head. */
static inline PyThreadState *thread_state_of(uint64_t native_id)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main());

	while (ts && ts->native_thread_id != native_id)
		ts = PyThreadState_Next(ts);
	return ts;
}

/* Has the program (or a debugger) set a trace function in it? On 3.11 it is ours. */
static inline bool thread_is_traced(const PyThreadState *ts)
{
#if PY_VERSION_HEX < 0x030c0000
	(void)ts;
	return false;
#else
	return ts->c_tracefunc != NULL;
#endif
}

/* An exception that is on its way, put aside. */
struct raised {
	PyObject *type, *value, *trace; /* since 3.12 the value alone; owned */
};

static inline struct raised raised_take(void)
{
	struct raised r = {0};

#if PY_VERSION_HEX >= 0x030c0000
	r.value = PyErr_GetRaisedException();
#else
	PyErr_Fetch(&r.type, &r.value, &r.trace);
#endif
	return r;
}

static inline void raised_give_back(struct raised r)
{
#if PY_VERSION_HEX >= 0x030c0000
	PyErr_SetRaisedException(r.value);
#else
	PyErr_Restore(r.type, r.value, r.trace);
#endif
}

/* Also without the GIL. */
static inline bool interpreter_finalizing(void)
{
#if PY_VERSION_HEX >= 0x030d0000
	return Py_IsFinalizing();
#else
	return _Py_IsFinalizing();
#endif
}

/* The number of interpreters that have begun in this process, also of those that are gone; the main
 * one is the first. */
static inline int64_t interpreters_begun(void)
{
	return (int64_t)_PyRuntime.interpreters.next_id;
}

/* sys.modules as import has it, borrowed; NULL: it is gone. Late in finalisation, when __del__
 * still runs, PyImport_GetModuleDict would be a fatal error. */
static inline PyObject *imported_modules(void)
{
#if PY_VERSION_HEX >= 0x030c0000
	return PyInterpreterState_Main()->imports.modules;
#else
	return PyInterpreterState_Main()->modules;
#endif
}

/* Borrowed; NULL if this version has no pointer to it, or outside of tasks. */
static inline PyObject *thread_running_task(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030e0000
	return ((_PyThreadStateImpl *)ts)->asyncio_running_task;
#else
	(void)ts;
	return NULL;
#endif
}

/* Is this place in the thread's stack, according to the thread's own fields? They are before its
 * running task. */
static inline bool thread_stack_is_around(const PyThreadState *ts, const void *place)
{
#if PY_VERSION_HEX >= 0x030e0000
	const _PyThreadStateImpl *own = (const _PyThreadStateImpl *)ts;

	return own->c_stack_hard_limit < (uintptr_t)place && (uintptr_t)place < own->c_stack_top;
#else
	(void)ts, (void)place;
	return true;
#endif
}

#endif
