/* 3.11: the trace function, and what it looks up to know which event it is. Other versions have
 * next to nothing here. */
#ifndef PL_RECORDER_COMPAT_TRACE_FUNCTION_H
#define PL_RECORDER_COMPAT_TRACE_FUNCTION_H

#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"

#if ENGINE_TRACES
/* Set a trace function (never NULL): as PyEval_SetTrace, but without its audit event, and the
 * program's own object in the thread state stays. */
static inline void thread_set_trace(PyThreadState *ts, Py_tracefunc function)
{
	ts->c_tracefunc = function;
	ts->cframe->use_tracing = ts->tracing ? 0 : 255;
}

/* The value on top of the frame's stack, or `below` it. Only in the trace events of a line or an
 * instruction. */
static inline PyObject *frame_stack(const py_frame *f, int below)
{
	return f->localsplus[f->stacktop - 1 - below];
}

/* The exception that the thread is handling, in any frame: borrowed, NULL if there is none. */
static inline PyObject *thread_handled(const PyThreadState *ts)
{
	const _PyErr_StackItem *item = ts->exc_info;

	while (item->previous_item && (!item->exc_value || Py_IsNone(item->exc_value)))
		item = item->previous_item;
	return item->exc_value && !Py_IsNone(item->exc_value) ? item->exc_value : NULL;
}

/* The opcode and argument at which the frame is, as compiled; only those without EXTENDED_ARG. */
static inline unsigned frame_opcode(const py_frame *f, unsigned *arg)
{
	_Py_CODEUNIT unit = *f->prev_instr;
	unsigned opcode = _Py_OPCODE(unit);

	*arg = _Py_OPARG(unit);
	return opcode == RESUME_QUICK ? RESUME : opcode;
}
#endif

/* The frame on top of a thread's stack: may its call still be reported? With a function of the
 * program's, the interpreter looks after signals and other threads before it reports the call, and
 * does not say which of the two it has done. */
static inline bool frame_may_begin_again(const PyThreadState *ts, const py_frame *f)
{
#if ENGINE_TRACES
	unsigned arg;

	return (ts->c_traceobj || ts->c_profilefunc) && f == top_frame(ts) &&
	       frame_opcode(f, &arg) == RESUME && arg < 2;
#else
	(void)ts, (void)f;
	return false;
#endif
}

#endif
