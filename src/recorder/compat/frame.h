/* Frames are read in place, never as frame objects: making those would allocate, and the program
 * could see them.
 */
#ifndef PL_RECORDER_COMPAT_FRAME_H
#define PL_RECORDER_COMPAT_FRAME_H

#include "recorder/compat/python.h"

/* NULL: there is no Python frame on the stack. 3.11 and 3.12 keep it in a struct on the C stack
 * (_PyCFrame); each call of the evaluator has its own. */
static inline py_frame *current_frame(const PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030d0000
	return ts->current_frame;
#else
	return ts->cframe->current_frame;
#endif
}

/* Where the pointer to the current frame is. */
static inline const void *frame_holder(const PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030d0000
	return &ts->current_frame;
#else
	return ts->cframe;
#endif
}

static inline PyCodeObject *frame_code(py_frame *f)
{
#if PY_VERSION_HEX >= 0x030d0000
	return _PyFrame_GetCode(f);
#else
	return f->f_code;
#endif
}

/* As frame_unit, but before the code's first unit the result is a number that no code has. */
static inline uint32_t frame_unit_or_none(const py_frame *f, const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030d0000
	return (uint32_t)(f->instr_ptr - _PyCode_CODE(code));
#else
	return (uint32_t)(f->prev_instr - _PyCode_CODE(code));
#endif
}

/* The code unit at which the frame is: f_lasti / 2. A frame that has not run its first instruction
 * is before it; here that is 0. */
static inline uint32_t frame_unit(py_frame *f, PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030d0000
	ptrdiff_t unit = f->instr_ptr - _PyCode_CODE(code);
#else
	ptrdiff_t unit = f->prev_instr - _PyCode_CODE(code);
#endif
	return unit < 0 ? 0 : (uint32_t)unit;
}

/* A frame has not begun before this unit. */
static inline uint32_t code_begins(const PyCodeObject *code)
{
	return (uint32_t)code->_co_firsttraceable + (PY_VERSION_HEX >= 0x030d0000);
}

/* Since 3.13 a frame's first RESUME handles signals, other threads and garbage before it reports
 * its start: what runs then has a caller that was not entered. */
static inline bool frame_not_begun(py_frame *f)
{
#if PY_VERSION_HEX >= 0x030d0000
	PyCodeObject *code = _PyFrame_GetCode(f);

	return f->instr_ptr <= _PyCode_CODE(code) + code->_co_firsttraceable;
#else
	(void)f;
	return false;
#endif
}

/* The same for the RESUME after a `yield`, before it reports that the frame resumes. A suspended
 * frame is there; earlier versions have it at its yield, from where it calls only a generator whose
 * value it hands on, and into which an exception is thrown. */
#define RESUME_LOOKS_FIRST (PY_VERSION_HEX >= 0x030d0000)

/* Signals and other threads at a jump back come after it, with the frame still at the jump. */
#define JUMPS_FIRST (PY_VERSION_HEX < 0x030d0000)

/* A frame that represents C code on the stack; 3.11 has none. */
static inline bool frame_is_shim(const py_frame *f)
{
#if PY_VERSION_HEX < 0x030c0000
	(void)f;
	return false;
#elif PY_VERSION_HEX >= 0x030e0000
	return f->owner >= FRAME_OWNED_BY_INTERPRETER;
#else
	return f->owner == FRAME_OWNED_BY_CSTACK;
#endif
}

/* Does it run Python code that it has begun? */
static inline bool frame_runs(py_frame *f)
{
	return !frame_is_shim(f) && !_PyFrame_IsIncomplete(f) && !frame_not_begun(f);
}

/* f, or the first frame below it that runs Python code. Frames of C code, and frames that have not
 * begun, are skipped, as f_back does. NULL: none. */
static inline py_frame *frame_of_python(py_frame *f)
{
	while (f && (frame_is_shim(f) || _PyFrame_IsIncomplete(f)))
		f = f->previous;
	return f;
}

static inline py_frame *frame_caller(py_frame *f)
{
	return frame_of_python(f->previous);
}

/* The innermost Python frame; NULL: none. */
static inline py_frame *top_frame(const PyThreadState *ts)
{
	return frame_of_python(current_frame(ts));
}

/* Is it the frame of a generator, coroutine or async generator that is alive? Then its address does
 * not change until it is gone. */
static inline bool frame_in_generator(const py_frame *f)
{
	return f->owner == FRAME_OWNED_BY_GENERATOR;
}

/* Generators, coroutines and async generators have the same beginning; the frame is inside the
 * object. */
static inline PyObject *frame_generator(py_frame *f)
{
	return (PyObject *)((char *)f - offsetof(PyGenObject, gi_iframe));
}

static inline py_frame *generator_frame(PyObject *generator)
{
	return (py_frame *)((char *)generator + offsetof(PyGenObject, gi_iframe));
}

static inline bool frame_is_executing(py_frame *f)
{
	return ((PyGenObject *)frame_generator(f))->gi_frame_state == FRAME_EXECUTING;
}

/* A generator's frame, whose RAISE comes while it is at its yield: did a callback for that yield
 * raise? The callback gets a suspended generator; since 3.14 one that is not suspended yet. */
static inline bool frame_raised_at_yield(py_frame *f)
{
	return PY_VERSION_HEX >= 0x030e0000 || !frame_is_executing(f);
}

/* A local variable of the frame: borrowed, NULL if it is unset. */
static inline PyObject *frame_local(py_frame *f, int index)
{
#if PY_VERSION_HEX >= 0x030e0000
	return PyStackRef_AsPyObjectBorrow(f->localsplus[index]);
#else
	return f->localsplus[index];
#endif
}

#endif
