/* Where the fields are that are read in place: here, and from outside. */
#ifndef PL_RECORDER_COMPAT_OFFSETS_H
#define PL_RECORDER_COMPAT_OFFSETS_H

#include "recorder/compat/python.h"

/* ROW(what, the interpreter's, ours) for each offset and size that the recorder needs and that the
 * interpreter states. The structs of the first rows end in what is read in place: the code units,
 * and a frame's local variables. */
#define LAYOUT_ROWS(ROW)                                                                           \
	ROW("size of a code object", PyCode_Type.tp_basicsize,                                     \
		offsetof(PyCodeObject, co_code_adaptive))                                          \
	ROW("size of a frame object", PyFrame_Type.tp_basicsize,                                   \
		offsetof(PyFrameObject, _f_frame_data) + offsetof(py_frame, localsplus))           \
	ROW("size of a generator", PyGen_Type.tp_basicsize,                                        \
		offsetof(PyGenObject, gi_iframe) + offsetof(py_frame, localsplus))                 \
	ROW("size of a type", PyType_Type.tp_basicsize, sizeof(PyHeapTypeObject))                  \
	ROW("size of a function", PyFunction_Type.tp_basicsize, sizeof(PyFunctionObject))          \
	LAYOUT_DEBUG_OFFSETS(ROW)

#if PY_VERSION_HEX >= 0x030d0000
#define THEIRS _PyRuntime.debug_offsets
#define LAYOUT_DEBUG_OFFSETS(ROW)                                                                  \
	ROW("debug cookie", memcmp(THEIRS.cookie, _Py_Debug_Cookie, sizeof THEIRS.cookie), 0)      \
	ROW("version of the debug offsets", THEIRS.version, Py_Version)                            \
	ROW("free-threading", THEIRS.free_threaded, 0)                                             \
	ROW("size of PyThreadState", THEIRS.thread_state.size, sizeof(PyThreadState))              \
	ROW("offset of current_frame", THEIRS.thread_state.current_frame,                          \
		offsetof(PyThreadState, current_frame))                                            \
	ROW("size of _PyInterpreterFrame", THEIRS.interpreter_frame.size, sizeof(py_frame))        \
	ROW("offset of previous", THEIRS.interpreter_frame.previous, offsetof(py_frame, previous)) \
	ROW("offset of f_executable", THEIRS.interpreter_frame.executable,                         \
		offsetof(py_frame, f_executable))                                                  \
	ROW("offset of instr_ptr", THEIRS.interpreter_frame.instr_ptr,                             \
		offsetof(py_frame, instr_ptr))                                                     \
	ROW("offset of localsplus", THEIRS.interpreter_frame.localsplus,                           \
		offsetof(py_frame, localsplus))                                                    \
	ROW("offset of owner", THEIRS.interpreter_frame.owner, offsetof(py_frame, owner))          \
	ROW("size of PyCodeObject", THEIRS.code_object.size, sizeof(PyCodeObject))                 \
	ROW("offset of co_filename", THEIRS.code_object.filename,                                  \
		offsetof(PyCodeObject, co_filename))                                               \
	ROW("offset of co_qualname", THEIRS.code_object.qualname,                                  \
		offsetof(PyCodeObject, co_qualname))                                               \
	ROW("offset of co_linetable", THEIRS.code_object.linetable,                                \
		offsetof(PyCodeObject, co_linetable))                                              \
	ROW("offset of co_firstlineno", THEIRS.code_object.firstlineno,                            \
		offsetof(PyCodeObject, co_firstlineno))                                            \
	ROW("offset of co_code_adaptive", THEIRS.code_object.co_code_adaptive,                     \
		offsetof(PyCodeObject, co_code_adaptive))                                          \
	ROW("size of PyObject", THEIRS.pyobject.size, sizeof(PyObject))                            \
	ROW("offset of ob_type", THEIRS.pyobject.ob_type, offsetof(PyObject, ob_type))             \
	ROW("size of PyTypeObject", THEIRS.type_object.size, sizeof(PyTypeObject))                 \
	ROW("offset of tp_name", THEIRS.type_object.tp_name, offsetof(PyTypeObject, tp_name))      \
	ROW("offset of tp_flags", THEIRS.type_object.tp_flags, offsetof(PyTypeObject, tp_flags))   \
	ROW("offset of ob_item in a list", THEIRS.list_object.ob_item,                             \
		offsetof(PyListObject, ob_item))                                                   \
	ROW("offset of ob_sval in bytes", THEIRS.bytes_object.ob_sval,                             \
		offsetof(PyBytesObject, ob_sval))
#else
#define LAYOUT_DEBUG_OFFSETS(ROW)
#endif

/* For the collector, which reads a thread's position from outside. */
#if PY_VERSION_HEX >= 0x030d0000
#define STATE_FRAME   offsetof(PyThreadState, current_frame)
#define STATE_THROUGH SAMPLE_NO_STEP
#define FRAME_CODE    offsetof(py_frame, f_executable)
#define FRAME_UNIT    offsetof(py_frame, instr_ptr)
#else
#define STATE_FRAME   offsetof(PyThreadState, cframe)
#define STATE_THROUGH offsetof(_PyCFrame, current_frame)
#define FRAME_CODE    offsetof(py_frame, f_code)
#define FRAME_UNIT    offsetof(py_frame, prev_instr)
#endif

#endif
