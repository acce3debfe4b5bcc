/* The engine of 3.11, which has no sys.monitoring: a trace function in C in every thread state.
 *
 * The program may set a trace function too, by sys.settrace or in C. Then its object stays where
 * the interpreter keeps it (sys.gettrace gives it), its function is called by ours behind each
 * event, and ours stays in place:
 *
 *	thread state   c_tracefunc  on_trace, always
 *	               c_traceobj   the program's own, or NULL
 *	this thread    programs     what the program would have had as c_tracefunc
 *
 * Of an event only its kind is told (call, line, return, exception, opcode); what it means is read
 * from where the frame stands. An exception that is handled or raised again is no event there: from
 * an exception on until nothing is being handled any more, the frame is traced instruction by
 * instruction, and these two are seen at their instructions.
 *
 * tracing.c is the hot path, linked against an allow-list; settrace.c puts it in.
 */
#ifndef PL_RECORDER_TRACING_H
#define PL_RECORDER_TRACING_H

#include "recorder/state.h"

/* What the program would have had as this thread's trace function; NULL: none. */
extern __thread Py_tracefunc programs;
/* Somebody has set the trace function of another thread: trace_find_own gives it to that thread. */
extern bool set_elsewhere;
/* Events are heard, not only passed on: false before __main__ and when the recorder has stopped. */
extern bool listening;
/* It is the first frame of __main__ that is waited for. */
extern bool awaiting;
/* Events go no short way: some are left out, or the calls are stamped, or set_elsewhere. Kept by trace_choose_way. */
extern bool in_full_only;

int on_trace(PyObject *object, PyFrameObject *f, int what, PyObject *arg);
/* Something has set this thread state's trace function: let it be the program's, and ours come
 * first again. */
void trace_adopt(PyThreadState *ts);
/* The program has a trace function now: the frames on the stack whose lines we do not want tell them again. */
void trace_outside_again(PyThreadState *ts);
/* Behind a change of what in_full_only follows from. */
void trace_choose_way(void);
/* What was set for this thread by another one. */
void trace_find_own(PyThreadState *ts);

#endif
