/* Python.h and the interpreter's own headers, as each version has them, and what a version calls by
 * another name. The other headers of this folder have the rest of what differs between versions of
 * CPython; it differs nowhere else, but for the tables of src/bytecode/.
 *
 *	python.h            headers, names, the engine of a version
 *	interpreter.h       threads, the GIL, modules
 *	frame.h             frames, read in place
 *	code_object.h       what belongs to a code object
 *	monitoring.h        what sys.monitoring reports, and to whom
 *	instrumentation.h   the interpreter's data of instrumented code, where we change it
 *	trace_function.h    the trace function of 3.11
 *	offsets.h           where fields are
 */
#ifndef PL_RECORDER_COMPAT_PYTHON_H
#define PL_RECORDER_COMPAT_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE_MODULE 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <Python.h>
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_interpframe.h>
#include <internal/pycore_tstate.h>
#endif
#include <internal/pycore_frame.h>
#include <internal/pycore_code.h>
#include <internal/pycore_runtime.h>
#include <opcode.h>
#if PY_VERSION_HEX < 0x030c0000
#include <internal/pycore_interp.h>
#include <internal/pycore_opcode.h>
#endif
#pragma GCC diagnostic pop

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if PY_VERSION_HEX < 0x030b0000 || PY_VERSION_HEX >= 0x03100000
#error "the recorder knows CPython 3.11 to 3.15"
#endif
#ifdef Py_GIL_DISABLED
#error "free-threaded builds are not recorded"
#endif

#define PYTHON_VERSION ((uint16_t)(PY_VERSION_HEX >> 16)) /* 0x030c */

/* A short form of the interpreter's own name. One activation of a code object, on the thread's data
 * stack or in its generator (Include/internal/pycore_frame.h, since 3.14 pycore_interpframe.h). */
typedef _PyInterpreterFrame py_frame;

#if PY_VERSION_HEX < 0x030d0000
static inline int PyUnicode_EqualToUTF8(PyObject *str, const char *text)
{
	return PyUnicode_CompareWithASCIIString(str, text) == 0;
}
#endif

/* 3.12 gave them these names. */
#if PY_VERSION_HEX < 0x030c0000
#define PyUnstable_Eval_RequestCodeExtraIndex _PyEval_RequestCodeExtraIndex
#define PyUnstable_Code_SetExtra	      _PyCode_SetExtra
#endif

/* 3.11 has no sys.monitoring: events come from a trace function, which must be set in each thread
 * state. */
#define ENGINE_TRACES (PY_VERSION_HEX < 0x030c0000)

/* Called for each event. gcc makes it a call in tracing.c; in hooks.c, without being told, it
 * inlines it. */
#if ENGINE_TRACES
#define ENGINE_INLINE __attribute__((always_inline)) inline
#else
#define ENGINE_INLINE inline
#endif

#endif
