/* Three steps, from what may be read in any interpreter to what may be read only in this one.
 * Before the first pointers are followed, the system is asked whether they can be read
 * (os/readable.h). */
#define _GNU_SOURCE
#include "recorder/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "os/readable.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/offsets.h"
#include "recorder/names.h"

static char text[256];

/* These builds have more fields in every object, or run more than one thread at a time. */
static const char *layout_odd_build(void)
{
	PyObject *flags = PySys_GetObject("abiflags");

	if ((Py_Version >> 16) != (PY_VERSION_HEX >> 16))
		return "this recorder was built for another version of CPython";
	if ((Py_Version >> 4 & 15) != PY_RELEASE_LEVEL_FINAL)
		return "pre-releases are not recorded";
	if (flags && PyUnicode_Check(flags) && PyUnicode_FindChar(flags, 't', 0, 8, 1) >= 0)
		return "free-threaded builds are not recorded";
	if (PySys_GetObject("gettotalrefcount") || PySys_GetObject("getobjects"))
		return "debug builds are not recorded";
	return NULL;
}

/* ---- 2. the offsets ---- */

struct layout_row {
	const char *what;
	uint64_t theirs, ours;
};

/* A build for the tests can claim another layout than it has, in the row with this number. */
static size_t forged_row(void)
{
#ifdef LAYOUT_FORGED
	const char *number = getenv("LAYOUT_FORGED");

	return number ? strtoul(number, NULL, 10) : SIZE_MAX;
#else
	return SIZE_MAX;
#endif
}

static const char *compare_layout_rows(void)
{
#define ROW(what, theirs, ours) {what, (uint64_t)(theirs), (uint64_t)(ours)},
	const struct layout_row rows[] = {LAYOUT_ROWS(ROW)};
#undef ROW
	size_t forged = forged_row();

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t ours = rows[i].ours + (i == forged ? sizeof(void *) : 0);
		if (rows[i].theirs == ours)
			continue;
		snprintf(text, sizeof text,
			"its %s is %" PRIu64 ", but %" PRIu64
			" in the headers of %s, for which the recorder was built",
			rows[i].what, rows[i].theirs, ours, PY_VERSION);
		return text;
	}
	return NULL;
}

/* ---- 3. a live frame ---- */

static struct {
	PyFunctionObject *function; /* of the interpreter's own, called for us; borrowed */
	PyObject *callback;	    /* what it calls; owned by call_probe */
	const char *wrong;	    /* what in its frame is not what the API says; NULL: nothing */
	bool called;
} probe;

static bool number_is(PyCodeObject *code, const char *name, long ours)
{
	PyObject *theirs = PyObject_GetAttrString((PyObject *)code, name);
	bool same = theirs && PyLong_AsLong(theirs) == ours;

	Py_XDECREF(theirs);
	return same;
}

static bool object_is(PyCodeObject *code, const char *name, const PyObject *ours)
{
	PyObject *theirs = PyObject_GetAttrString((PyObject *)code, name);
	bool same = theirs && theirs == ours;

	Py_XDECREF(theirs);
	return same;
}

static const char *wrong_in_code(PyCodeObject *code)
{
	if (!number_is(code, "co_flags", code->co_flags))
		return "co_flags";
	if (!number_is(code, "co_firstlineno", code->co_firstlineno))
		return "co_firstlineno";
	if (!number_is(code, "co_nlocals", code->co_nlocals))
		return "co_nlocals";
	if (!object_is(code, "co_filename", code->co_filename))
		return "co_filename";
	if (!object_is(code, "co_qualname", code->co_qualname))
		return "co_qualname";
	if (!object_is(code, "co_linetable", code->co_linetable))
		return "co_linetable";
	if (!object_is(code, "co_exceptiontable", code->co_exceptiontable))
		return "co_exceptiontable";
	return NULL;
}

/* What must be right before the frame's pointers are followed. */
static const char *wrong_in_frame(py_frame *frame, PyCodeObject *code)
{
	if (!readable_object(frame, sizeof *frame))
		return "current_frame";
	if (frame_code(frame) != code)
		return "f_executable";
	if (frame->f_globals != probe.function->func_globals)
		return "f_globals";
	if (frame_is_shim(frame) || frame_in_generator(frame))
		return "owner";
	if (frame_unit(frame, code) >= (uint32_t)Py_SIZE(code))
		return "instr_ptr";
	return NULL;
}

/* The first local variable is the callback that was passed: the one that runs now. */
static const char *wrong_to_api(py_frame *frame, PyCodeObject *code)
{
	PyFrameObject *object = PyEval_GetFrame(); /* borrowed */
	PyFrameObject *back = object ? PyFrame_GetBack(object) : NULL;
	py_frame *caller = back ? back->f_frame : NULL;

	Py_XDECREF(back);
	if (!object || frame->frame_obj != object)
		return "frame_obj";
	if (PyFrame_GetLasti(object) != (int)(frame_unit(frame, code) * sizeof(_Py_CODEUNIT)))
		return "instr_ptr";
	if (frame_caller(frame) != caller)
		return "previous";
	if (frame_local(frame, 0) != probe.callback)
		return "localsplus";
	return NULL;
}

static PyObject *on_probe(PyObject *self_object, PyObject *none)
{
	PyThreadState *state = current_thread_state();
	PyCodeObject *code = (PyCodeObject *)probe.function->func_code;
	const void *holder = frame_holder(state);
	py_frame *frame = readable_object(holder, sizeof frame) ? current_frame(state) : NULL;

	(void)self_object, (void)none;
	probe.called = true;
	probe.wrong = wrong_in_frame(frame, code);
	if (!probe.wrong)
		probe.wrong = wrong_to_api(frame, code);
	if (!probe.wrong)
		probe.wrong = wrong_in_code(code);
	if (!probe.wrong && !thread_stack_is_around(state, &frame))
		probe.wrong = "_PyThreadStateImpl";
	PyErr_Clear();
	Py_RETURN_NONE;
}

static PyMethodDef probe_method = {"pathline_probe", on_probe, METH_NOARGS, NULL};

/* The function is one of importlib's frozen bootstrap, with one line that calls its first argument;
 * every CPython has it. Neither tools nor trace functions get the call. */
static const char *call_probe(void)
{
	PyObject *function = module_attribute("_frozen_importlib", "_call_with_frames_removed");
	PyObject *result = NULL;

	if (!function || !PyFunction_Check(function))
		return "its import system is not CPython's";
	probe.callback = PyCFunction_New(&probe_method, NULL);
	if (!probe.callback)
		return "out of memory";
	probe.function = (PyFunctionObject *)function;
	probe.called = false;
	PyThreadState_EnterTracing(PyThreadState_Get());
	result = PyObject_CallOneArg(function, probe.callback);
	PyThreadState_LeaveTracing(PyThreadState_Get());
	Py_XDECREF(result);
	Py_DECREF(probe.callback);
	PyErr_Clear();
	if (!probe.called)
		return "a function of its import system cannot be called";
	if (!probe.wrong)
		return NULL;
	snprintf(text, sizeof text,
		"what its frames have for %s is not where the headers of %s have it, for which the "
		"recorder was built",
		probe.wrong, PY_VERSION);
	return text;
}

int layout_check(const char **why)
{
	const char *found = layout_odd_build();

	if (!found)
		found = compare_layout_rows();
	if (!found)
		found = call_probe();
	if (!found)
		return 0;
	*why = found;
	return -1;
}
