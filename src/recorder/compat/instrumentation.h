/* The interpreter's data of instrumented code, where it is changed in place: a LINE is disabled
 * before it comes, and INSTRUCTION is enabled at some units only.
 */
#ifndef PL_RECORDER_COMPAT_INSTRUMENTATION_H
#define PL_RECORDER_COMPAT_INSTRUMENTATION_H

#include "recorder/compat/python.h"
#include "recorder/compat/monitoring.h"

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

#endif
