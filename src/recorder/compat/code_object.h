/* What belongs to a code object: extra data, kinds of code. */
#ifndef PL_RECORDER_COMPAT_CODE_OBJECT_H
#define PL_RECORDER_COMPAT_CODE_OBJECT_H

#include "recorder/compat/python.h"

/* Since 3.14 a function whose code has extra data is not "stateless", and cannot be passed to
 * another interpreter. So the records are in a map by address, and a watcher says when a code
 * object is freed. Before, they are in co_extra. */
#define CODE_HAS_WATCHER (PY_VERSION_HEX >= 0x030e0000)

/* co_extra's memory, as Objects/codeobject.c has it; reading it through the API would cost a call
 * for each event. */
struct code_extras {
	Py_ssize_t size;
	void *values[];
};

static inline void *code_extra(const PyCodeObject *code, Py_ssize_t index)
{
	const struct code_extras *x = (const struct code_extras *)code->co_extra;

	return x && index < x->size ? x->values[index] : NULL;
}

/* Since 3.15 events of exceptions belong to a code object, and the interpreter assumes that the
 * code was instrumented: with any tool it crashes where code without a RESUME (hand-made, which
 * cannot be instrumented) raises. It looks for data that names a tool; this gives it data without
 * one, which is freed with the code. */
static inline void code_make_safe(PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030f0000
	if (code->_co_firsttraceable >= Py_SIZE(code) && !code->_co_monitoring)
		code->_co_monitoring = PyMem_Calloc(1, sizeof *code->_co_monitoring);
#else
	(void)code;
#endif
}

/* A module, the body of a class, or what exec gets: its names are not fast locals. Most of it runs
 * once. */
static inline bool code_runs_once(const PyCodeObject *code)
{
	return !(code->co_flags & CO_OPTIMIZED);
}

/* The first local variables are its arguments: positional ones, those by keyword only, then that of
 * `*` and that of `**`. */
static inline uint32_t code_argument_count(const PyCodeObject *code)
{
	return (uint32_t)(code->co_argcount + code->co_kwonlyargcount) +
	       ((code->co_flags & CO_VARARGS) != 0) + ((code->co_flags & CO_VARKEYWORDS) != 0);
}

/* The variable of the i-th argument as a signature has them: that of `*` before those by keyword
 * only. */
static inline uint32_t code_argument_variable(const PyCodeObject *code, uint32_t i)
{
	const uint32_t plain = (uint32_t)code->co_argcount;
	const uint32_t star = plain + (uint32_t)code->co_kwonlyargcount;

	if (!(code->co_flags & CO_VARARGS) || i < plain || i > star)
		return i;
	return i == plain ? star : i - 1;
}

/* What a task can run, and what can await. */
#define COROUTINE_FLAGS	  (CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR)
#define CODE_IS_GENERATOR (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)

#endif
