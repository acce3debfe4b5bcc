/* The interpreter as the recorder needs it: each difference between versions of CPython is here and
 * nowhere else.
 *
 * Frames are read in place, never as frame objects: making those would allocate, and the program
 * could see them.
 */
#ifndef PL_RECORDER_COMPAT_H
#define PL_RECORDER_COMPAT_H

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

/* With the GIL, the state of this thread. Not checked: a fatal signal may come where there is
 * none. */
static inline PyThreadState *current_thread_state(void)
{
#if PY_VERSION_HEX >= 0x030d0000
	return PyThreadState_GetUnchecked();
#else
	return _PyThreadState_UncheckedGet();
#endif
}

/* Are the interpreter's GIL, and the field that says which thread holds it, where the headers have
 * them? Before 3.13 the interpreter does not say. */
static inline bool gil_is_laid_out(void)
{
#if PY_VERSION_HEX >= 0x030d0000
	const __typeof__(_PyRuntime.debug_offsets.interpreter_state) *at =
		&_PyRuntime.debug_offsets.interpreter_state;

	return at->ceval_gil == offsetof(PyInterpreterState, ceval.gil) &&
	       at->gil_runtime_state_holder - at->gil_runtime_state ==
		       offsetof(struct _gil_runtime_state, last_holder);
#else
	return PY_VERSION_HEX >= 0x030c0000;
#endif
}

/* The GIL's own cell, which names the thread state that holds it or did so last; it was not checked
 * whether it can be read. NULL: not known. In 3.11 it is the cell that _PyThreadState_UncheckedGet
 * reads. */
static inline PyThreadState *const *gil_holder(const PyInterpreterState *interpreter)
{
#if PY_VERSION_HEX < 0x030c0000
	(void)interpreter;
	return (PyThreadState *const *)&_PyRuntime.gilstate.tstate_current;
#else
	if (gil_is_laid_out() && interpreter->ceval.gil)
		return (PyThreadState *const *)&interpreter->ceval.gil->last_holder;
	return NULL;
#endif
}

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

#if PY_VERSION_HEX < 0x030d0000
static inline int PyUnicode_EqualToUTF8(PyObject *str, const char *text)
{
	return PyUnicode_CompareWithASCIIString(str, text) == 0;
}
#endif

/* The state of the thread with this native id; NULL: it has none (any more). States are removed
 * from the list with the GIL; new ones are added at its head. */
static inline PyThreadState *thread_state_of(uint64_t native_id)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main());

	while (ts && ts->native_thread_id != native_id)
		ts = PyThreadState_Next(ts);
	return ts;
}

/* Has the program (or a debugger) set a trace function in it? On 3.11 it is ours. */
static inline bool thread_is_traced(const PyThreadState *ts)
{
#if PY_VERSION_HEX < 0x030c0000
	(void)ts;
	return false;
#else
	return ts->c_tracefunc != NULL;
#endif
}

/* If the callback for a jump raises, the frame is at the target, whose LINE has not fired. */
#define JUMP_RAISES_AT_TARGET (PY_VERSION_HEX >= 0x030c0000 && PY_VERSION_HEX < 0x030d0000)

/* Does another tool get jumps here, where that matters? */
static inline bool others_hear_jumps(const PyCodeObject *code, int tool)
{
#if JUMP_RAISES_AT_TARGET
	const _PyCoMonitoringData *data = code->_co_monitoring;
	const uint8_t *tools = data ? data->active_monitors.tools : NULL;

	return tools && (tools[PY_MONITORING_EVENT_JUMP] | tools[PY_MONITORING_EVENT_BRANCH]) &
				~(1u << tool);
#else
	(void)code;
	(void)tool;
	return false;
#endif
}

/* The interpreter's own table of enabled lines, at `unit`: it reads that for each of them. */
#define LINE_ENTRY_BYTES 2 /* for one unit; from 3.14 on at least */
static inline void code_begin_to_load(const PyCodeObject *code, uint32_t unit)
{
#if PY_VERSION_HEX >= 0x030c0000
	const _PyCoMonitoringData *data = code->_co_monitoring;

	if (data)
		__builtin_prefetch(
			(const void *)((uintptr_t)data->lines + LINE_ENTRY_BYTES * (size_t)unit));
#else
	(void)code, (void)unit;
#endif
}

/* Code can be hot (tiers/hot.c). */
#define CODE_MAY_BE_HOT (PY_VERSION_HEX >= 0x030c0000)

/* Where INSTRUCTION is enabled, another tool gets wrong sources of branches: since 3.14 that of
 * BRANCH_LEFT is where the frame's last event was. */
#define BRANCHES_NEED_LINES (PY_VERSION_HEX >= 0x030e0000)

#define LOOK_UP_UNITS 5 /* of LOAD_GLOBAL, with its caches */

/* At each LINE that is far from the code's first line, 3.12 and 3.13.0 look the number up from the
 * beginning of the line table. */
#define LINES_ARE_LOOKED_UP (PY_VERSION_HEX >= 0x030c0000 && PY_VERSION_HEX < 0x030e0000)
/* Is JUMP reported before the jump releases the GIL, if that was requested? */
#define JUMP_IS_TOLD_AHEAD (PY_VERSION_HEX < 0x030d0000)

#if LINES_ARE_LOOKED_UP
/* Do what the interpreter itself does when a callback of LINE returns DISABLE (remove_line_tools in
 * Python/instrumentation.c). `data->lines` has two bytes for each unit: the opcode that
 * INSTRUMENTED_LINE has replaced, which is 0 or 255 where none can be, and the line. Later releases
 * of 3.13 have another layout, whose first byte is 2 to 5 for any code. If anything is not as
 * expected, nothing is changed.
 *
 *	opcode      what PyCode_GetCode has there
 *	has_cache   it is followed by a cache */
static inline bool lines_are_looked_up(const PyCodeObject *code)
{
	const _PyCoMonitoringData *data = code->_co_monitoring;
	unsigned first = data && data->lines ? *(const uint8_t *)data->lines : 2;

	return first == 0 || first == 255;
}

static inline bool is_hidden(unsigned hidden, unsigned opcode)
{
	bool instrumented = hidden >= MIN_INSTRUMENTED_OPCODE && hidden != INSTRUMENTED_LINE &&
			    hidden != INSTRUMENTED_INSTRUCTION;

	return hidden == opcode || instrumented;
}

/* Only after lines_are_looked_up. */
static inline void switch_line_off(
	PyCodeObject *code, uint32_t unit, unsigned opcode, bool has_cache, int tool)
{
	_PyCoMonitoringData *data = code->_co_monitoring;
	_Py_CODEUNIT *at = &_PyCode_CODE(code)[unit];
	unsigned hidden = ((const uint8_t *)data->lines)[2 * (size_t)unit];
	uint8_t *tools = data->line_tools ? &data->line_tools[unit] : NULL;
	uint8_t left = tools ? *tools : data->active_monitors.tools[PY_MONITORING_EVENT_LINE];

	if (at->op.code != INSTRUMENTED_LINE || !is_hidden(hidden, opcode))
		return;
	left &= (uint8_t) ~(1u << tool);
	if (tools)
		*tools = left;
	if (left)
		return;
	at->op.code = (uint8_t)hidden;
	if (has_cache && hidden == opcode)
#if PY_VERSION_HEX >= 0x030d0000
		at[1].counter = adaptive_counter_warmup();
#else
		at[1].cache = adaptive_counter_warmup();
#endif
}
#endif

#if CODE_MAY_BE_HOT
#define INSTRUCTION_EVENT (1 << PY_MONITORING_EVENT_INSTRUCTION)

/* Does an instruction with `wavers` run no code in place? For loops, what they run over decides. */
static inline bool waverer_is_settled(const PyCodeObject *code, uint32_t unit)
{
#if PY_VERSION_HEX < 0x030d0000
	unsigned opcode = _PyCode_CODE(code)[unit].op.code;

	return opcode == FOR_ITER_RANGE || opcode == FOR_ITER_LIST || opcode == FOR_ITER_TUPLE;
#else
	(void)code, (void)unit;
	return true;
#endif
}

#if PY_VERSION_HEX < 0x030d0000
/* How an instruction with `wavers` is specialised, and when it will be: enabling INSTRUCTION resets
 * that. */
struct waverer_state {
	uint8_t opcode;
	uint16_t counter;
};

static inline uint8_t *opcode_place(const PyCodeObject *code, uint32_t unit)
{
	_Py_CODEUNIT *at = &_PyCode_CODE(code)[unit];

	return at->op.code == INSTRUMENTED_LINE ? &code->_co_monitoring->lines[unit].original_opcode
						: &at->op.code;
}

static inline struct waverer_state waverer_look(const PyCodeObject *code, uint32_t unit)
{
	return (struct waverer_state){
		*opcode_place(code, unit), _PyCode_CODE(code)[unit + 1].cache};
}

/* INSTRUCTION is enabled in all the code by now, and no tool had it before; but not there, where
 * all must be as before. Only after keep_instruction_tools. */
static inline void waverer_restore(
	const PyCodeObject *code, uint32_t unit, struct waverer_state before, int tool)
{
	_PyCoMonitoringData *data = code->_co_monitoring;
	uint8_t *place = opcode_place(code, unit);

	if (*place != INSTRUMENTED_INSTRUCTION || before.opcode == INSTRUMENTED_INSTRUCTION)
		return;
	*place = before.opcode;
	_PyCode_CODE(code)[unit + 1].cache = before.counter;
	data->per_instruction_opcodes[unit] = 0;
	data->per_instruction_tools[unit] &= (uint8_t) ~(1u << tool);
}
#endif

/* Does another tool get LINE here? */
static inline bool others_hear_line(const PyCodeObject *code, uint32_t unit, int tool)
{
	const _PyCoMonitoringData *data = code->_co_monitoring;
	uint8_t tools = data->line_tools ? data->line_tools[unit]
					 : data->active_monitors.tools[PY_MONITORING_EVENT_LINE];

	return tools & ~(1u << tool);
}

/* Does another tool get instructions or jumps in the code? */
static inline bool others_hear_passes(const PyCodeObject *code, int tool)
{
	const _PyCoMonitoringData *data = code->_co_monitoring;
	const uint8_t *tools = data->active_monitors.tools;

	return (tools[PY_MONITORING_EVENT_JUMP] | tools[PY_MONITORING_EVENT_INSTRUCTION]) &
	       ~(1u << tool);
}

/* Does another tool get branches that INSTRUCTION would spoil? In the code, as it was last
 * instrumented; and in any code. */
static inline bool others_hear_branches(const PyCodeObject *code, int tool)
{
#if BRANCHES_NEED_LINES
	const uint8_t *tools = code->_co_monitoring->active_monitors.tools;

	return (tools[PY_MONITORING_EVENT_BRANCH_LEFT] | tools[PY_MONITORING_EVENT_BRANCH_RIGHT]) &
	       ~(1u << tool);
#else
	(void)code, (void)tool;
	return false;
#endif
}

/* With two or more tools, code notes for each place which of them has INSTRUCTION there. These
 * notes begin empty, so the first tool would get no more events; therefore they are made from the
 * beginning. false: no memory. */
static inline bool keep_instruction_tools(const PyCodeObject *code, int tool)
{
	_PyCoMonitoringData *data = code->_co_monitoring;
	size_t units = (size_t)Py_SIZE(code);

	if (!data || data->per_instruction_tools)
		return data;
	data->per_instruction_tools = PyMem_Malloc(units);
	if (data->per_instruction_tools)
		memset(data->per_instruction_tools, 1 << tool, units);
	return data->per_instruction_tools;
}
#endif

#if PY_VERSION_HEX >= 0x030c0000
/* In sys.monitoring: who has taken an id, NULL: nobody; and the callbacks of an id, by event. */
static inline PyObject **monitoring_tool_names(const PyInterpreterState *interpreter)
{
	return (PyObject **)interpreter->monitoring_tool_names;
}

static inline PyObject **monitoring_callbacks(const PyInterpreterState *interpreter, int tool)
{
	return (PyObject **)interpreter->monitoring_callables[tool];
}

/* Does this set of events have branches that INSTRUCTION would spoil? */
static inline bool events_need_lines(long events)
{
#if BRANCHES_NEED_LINES
	return events &
	       (1L << PY_MONITORING_EVENT_BRANCH_LEFT | 1L << PY_MONITORING_EVENT_BRANCH_RIGHT |
		       1L << PY_MONITORING_EVENT_BRANCH);
#else
	(void)events;
	return false;
#endif
}

/* From the event's number in sys.monitoring.events. */
static inline int event_index(long event)
{
	return __builtin_ctzl((unsigned long)event);
}

/* When the code was last instrumented, was that also for the tool? */
static inline bool code_is_instrumented_for(const PyCodeObject *code, int tool)
{
	const _PyCoMonitoringData *data = code->_co_monitoring;
	uint8_t tools = 0;

	for (size_t i = 0; data && i < sizeof data->active_monitors.tools; i++)
		tools |= data->active_monitors.tools[i];
	return tools & (1u << tool);
}
#endif

/* Does another tool get a frame's start or resume from the RESUME at `unit`? If it raised there,
 * that event has happened, though no instruction after it has run. */
static inline bool others_hear_resume(const PyCodeObject *code, uint32_t unit, int tool)
{
#if PY_VERSION_HEX >= 0x030c0000
	const _PyCoMonitoringData *data = code->_co_monitoring;
	bool first = unit == (uint32_t)code->_co_firsttraceable;
	uint8_t tools = 0;

	if (data)
		tools = data->tools ? data->tools[unit]
				    : data->active_monitors
					      .tools[first ? PY_MONITORING_EVENT_PY_START
							   : PY_MONITORING_EVENT_PY_RESUME];
	return tools & ~(1u << tool);
#else
	(void)code, (void)unit, (void)tool;
	return false;
#endif
}

/* Also without the GIL. */
static inline bool interpreter_finalizing(void)
{
#if PY_VERSION_HEX >= 0x030d0000
	return Py_IsFinalizing();
#else
	return _Py_IsFinalizing();
#endif
}

/* The number of interpreters that have begun in this process, also of those that are gone; the main
 * one is the first. */
static inline int64_t interpreters_begun(void)
{
	return (int64_t)_PyRuntime.interpreters.next_id;
}

/* sys.modules as import has it, borrowed; NULL: it is gone. Late in finalisation, when __del__
 * still runs, PyImport_GetModuleDict would be a fatal error. */
static inline PyObject *imported_modules(void)
{
#if PY_VERSION_HEX >= 0x030c0000
	return PyInterpreterState_Main()->imports.modules;
#else
	return PyInterpreterState_Main()->modules;
#endif
}

/* Borrowed; NULL if this version has no pointer to it, or outside of tasks. */
static inline PyObject *thread_running_task(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030e0000
	return ((_PyThreadStateImpl *)ts)->asyncio_running_task;
#else
	(void)ts;
	return NULL;
#endif
}

/* Is this place in the thread's stack, according to the thread's own fields? They are before its
 * running task. */
static inline bool thread_stack_is_around(const PyThreadState *ts, const void *place)
{
#if PY_VERSION_HEX >= 0x030e0000
	const _PyThreadStateImpl *own = (const _PyThreadStateImpl *)ts;

	return own->c_stack_hard_limit < (uintptr_t)place && (uintptr_t)place < own->c_stack_top;
#else
	(void)ts, (void)place;
	return true;
#endif
}

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

/* Since 3.14 a function whose code has extra data is not "stateless", and cannot be passed to
 * another interpreter. So the records are in a map by address, and a watcher says when a code
 * object is freed. Before, they are in co_extra. */
#define CODE_HAS_WATCHER (PY_VERSION_HEX >= 0x030e0000)

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

/* What a task can run, and what can await. */
#define COROUTINE_FLAGS	  (CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR)
#define CODE_IS_GENERATOR (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)

#endif
