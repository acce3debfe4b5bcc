/* 3.11: frames that a program has on its stacks when the recorder comes, and when it leaves. */
#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"

#include "recorder/code.h"
#include "recorder/engine.h"
#include "recorder/greenlets.h"
#include "recorder/root.h"
#include "recorder/tracing.h"

/* ---- coming ---- */

static bool is_handling(py_frame *frame)
{
	PyCodeObject *code = frame_code(frame);
	const struct code_record *r = code_known(code);
	const uint32_t unit = frame_unit(frame, code);

	return r && !r->left_out && unit < r->unit_count && r->handling && r->handling[unit];
}

/* The lowest frame of the stack that handles an exception; NULL: none does. */
static py_frame *lowest_handling(const PyThreadState *ts)
{
	py_frame *lowest = NULL;

	for (py_frame *f = top_frame(ts); f; f = frame_caller(f))
		if (is_handling(f))
			lowest = f;
	return lowest;
}

/* What is being handled may be raised again, which only tracing by instruction shows. The switch is
 * in the frame's object, which is made if it must be; with it code of the program may run (garbage
 * collection), so a frame is looked at only by its object. */
void hooks_take_stack(PyThreadState *ts)
{
	py_frame *lowest = lowest_handling(ts);
	PyFrameObject *f = lowest ? PyThreadState_GetFrame(ts) : NULL;

	while (f) {
		PyFrameObject *back = f->f_frame == lowest ? NULL : PyFrame_GetBack(f);
		if (is_handling(f->f_frame))
			f->f_trace_opcodes |= SWITCH_OURS;
		Py_DECREF(f);
		f = back;
	}
	PyErr_Clear();
}

/* A greenlet that waits has a copy of the interpreter's switch for tracing on its own stack, which
 * is somewhere else in memory while it waits: it would go on untraced. */
bool hooks_reach_all(const char **why)
{
	if (!greenlets_may_wait())
		return true;
	*why = "it has greenlets, and one that waits cannot be traced on CPython 3.11; start it "
	       "with `pathline record`";
	return false;
}

/* ---- leaving ---- */

static void leave_frame(py_frame *frame)
{
	PyFrameObject *f = frame->frame_obj;

	if (!f)
		return;
	f->f_trace_opcodes &= SWITCH_PROGRAM;
	if (f->f_trace_lines & SWITCH_OURS)
		f->f_trace_lines &= SWITCH_PROGRAM;
	else if (root.filters && !f->f_trace_lines && code_is_left_out(frame_code(frame)))
		f->f_trace_lines = SWITCH_PROGRAM;
}

void trace_leave_frames(const PyThreadState *ts)
{
	for (py_frame *frame = top_frame(ts); frame; frame = frame_caller(frame))
		leave_frame(frame);
}
