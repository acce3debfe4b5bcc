/* The trace function for 3.11, which has no sys.monitoring: a C function in every thread state.
 *
 * The program may also set a trace function, with sys.settrace or in C. Then its object stays where
 * the interpreter keeps it (sys.gettrace returns it), ours calls its function after each event, and
 * ours stays in place:
 *
 *	thread state   c_tracefunc  on_trace, always
 *	               c_traceobj   the program's own, or NULL
 *	this thread    programs     what the program would have had as c_tracefunc
 *
 * An event has only a kind (call, line, return, exception, opcode); what it means is read from
 * where the frame is. An exception that is handled or raised again has no event. So from an
 * exception on, until nothing is being handled any more, the frame is traced instruction by
 * instruction, and these two are seen at their instructions.
 *
 * tracing.c is the hot path, linked against an allow-list; settrace.c installs it and takes it
 * away; stacks.c has the frames that a running program has at that moment.
 */
#ifndef PL_RECORDER_TRACING_H
#define PL_RECORDER_TRACING_H

#include "recorder/compat/python.h"

/* What the program would have as this thread's trace function; NULL: none. */
extern __thread Py_tracefunc programs;
/* Another thread's trace function was set: trace_find_own gives it to that thread. */
extern bool set_elsewhere;
/* Events are recorded, not only passed on: false before __main__, and after the recorder has
 * stopped. */
extern bool listening;
/* The first frame of __main__ is being awaited. */
extern bool awaiting;
/* Events take no fast path: some are left out, or calls are stamped, or set_elsewhere. Set by
 * trace_choose_way. */
extern bool slow_only;

/* A frame object's two switches, f_trace_lines and f_trace_opcodes, belong to the program: the
 * lowest bit has their value as it would be without us. */
enum {
	SWITCH_PROGRAM = 1,
	/* instructions are traced for us; lines are traced although the program does not want
	 * them */
	SWITCH_OURS = 2,
	/* f_trace_opcodes: an exception is on its way to a handler, or out of the frame */
	SWITCH_PENDING = 4,
};

/* The recorder is there: it has come, and has not left. Thread states may have on_trace all the
 * same for a moment. */
extern bool trace_is_there;

int on_trace(PyObject *object, PyFrameObject *f, int what, PyObject *arg);
/* In a thread that the recorder could not leave from elsewhere, because only that thread knows the
 * program's trace function. It gives that back, and calls it. */
int on_left(PyObject *object, PyFrameObject *f, int what, PyObject *arg);
/* Something has set this thread state's trace function: make it the program's, and ours the first
 * again. */
void trace_adopt(PyThreadState *ts);
/* The program has a trace function now: the frames on the stack whose lines we do not want report
 * them again. */
void trace_outside_again(PyThreadState *ts);
/* To be called after a change of what slow_only depends on. */
void trace_choose_way(void);
/* Take what another thread has set for this thread. */
void trace_find_own(PyThreadState *ts);
/* The recorder leaves: the frames of this thread state have their switches as the program has set
 * them. */
void trace_leave_frames(const PyThreadState *ts);

#endif
