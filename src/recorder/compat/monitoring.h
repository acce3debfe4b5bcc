/* What the interpreter reports to sys.monitoring, and which tools get it. Nothing is changed. */
#ifndef PL_RECORDER_COMPAT_MONITORING_H
#define PL_RECORDER_COMPAT_MONITORING_H

#include "recorder/compat/python.h"

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

#if CODE_MAY_BE_HOT
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

#endif
