/* The globals of the frame that runs a code. */
#include "recorder/globals.h"

#include "base/view.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/names.h"

static py_frame *elsewhere; /* of another thread; NULL: none */

void frame_is_elsewhere(py_frame *frame)
{
	elsewhere = frame;
}

py_frame *frame_of(PyCodeObject *code)
{
	py_frame *top = top_frame(current_thread_state()), *f = top;

	if (elsewhere && frame_code(elsewhere) == code)
		return elsewhere;
	while (f && frame_code(f) != code)
		f = frame_caller(f);
	return f ? f : elsewhere ? elsewhere : top;
}

struct pl_view global_text(const py_frame *frame, const char *name, PyObject **keep)
{
	PyObject *names = frame ? frame->f_globals : NULL;
	PyObject *text = names && PyDict_Check(names) ? PyDict_GetItemString(names, name) : NULL;
	size_t length;

	*keep = NULL;
	if (!text || !PyUnicode_Check(text))
		return view_of("", 0);
	const char *at = text_of(text, &length, keep);
	return view_of(at, length);
}
