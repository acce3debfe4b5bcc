/* LINEs that are not needed, disabled before they come. */
#include "recorder/spared.h"

#include "base/view.h"
#include "bytecode/opcode.h"
#include "recorder/code.h"
#include "recorder/code_units.h"
#include "recorder/compat/python.h"
#include "recorder/compat/instrumentation.h"
#include "recorder/compat/monitoring.h"
#include "recorder/root.h"

#if LINES_ARE_LOOKED_UP
#define FAR_LINES 127 /* from the code's first one; the interpreter keeps a byte for it */

static bool is_far(const PyCodeObject *code, const struct flow_start *s)
{
	int64_t lines = (int64_t)s->line - code->co_firstlineno;

	return lines >= FAR_LINES || lines <= -FAR_LINES;
}

/* Module code of thousands of lines takes long at its LINEs. LINEs that are not needed would each
 * be reported once, and then be disabled; that is done here at once. Because of the others it
 * becomes hot sooner. */
/* The larger the code, the longer the look-up. */
static uint32_t far_lines(const struct code_record *r)
{
	const uint32_t lines = FAR_HOT_UNITS / r->unit_count;

	return lines < 1 ? 1 : lines > FAR_HOT_LINES ? FAR_HOT_LINES : lines;
}

void spare_lines(
	PyCodeObject *code, struct code_record *r, const struct flow_graph *g, struct pl_view plain)
{
	const struct opcode *opcodes = opcode_version_find(PYTHON_VERSION)->opcodes;

	if (!code_omits(code).at_once || !lines_are_looked_up(code))
		return;
	for (uint32_t i = 0; i < g->start_count && i < START_MAX; i++) {
		uint32_t unit = g->starts[i].unit;
		struct code_unit here = r->units[unit];
		uint8_t opcode = plain.at[2 * (size_t)unit];
		r->far |= here.witness && is_far(code, &g->starts[i]);
		if (!here.witness)
			switch_line_off(code, unit, opcode, opcodes[opcode].caches != 0, root.tool);
	}
	if (r->far && root.hot_lines > FAR_HOT_LINES)
		r->lines_heard = root.hot_lines - far_lines(r);
}

/* Straight code needs none of its LINEs. They are disabled a part at a time, so that large code
 * stops the program for a short time only. The LINE after a part comes, and asks for the next. */
#define PART_UNITS 8192

void spare_all_lines(PyCodeObject *code, struct pl_view plain, uint32_t from)
{
	const struct opcode *opcodes = opcode_version_find(PYTHON_VERSION)->opcodes;
	const uint32_t units = (uint32_t)(plain.left / 2);

	if (!lines_are_looked_up(code))
		return;
	for (uint32_t unit = from; unit < units && unit - from < PART_UNITS;) {
		uint8_t opcode = plain.at[2 * (size_t)unit];
		switch_line_off(code, unit, opcode, opcodes[opcode].caches != 0, root.tool);
		unit += 1u + opcodes[opcode].caches;
	}
}

void spare_more_lines(PyCodeObject *code, uint32_t unit)
{
	const struct opcode *opcodes = opcode_version_find(PYTHON_VERSION)->opcodes;
	PyObject *bytes = lines_are_looked_up(code) ? PyCode_GetCode(code) : NULL; /* kept there */

	if (!bytes) {
		PyErr_Clear();
		return;
	}
	struct pl_view plain = view_of(PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
	if (unit < plain.left / 2)
		spare_all_lines(
			code, plain, unit + 1u + opcodes[plain.at[2 * (size_t)unit]].caches);
	Py_DECREF(bytes);
}
#else
void spare_all_lines(PyCodeObject *code, struct pl_view plain, uint32_t from)
{
	(void)code, (void)plain, (void)from;
}

void spare_more_lines(PyCodeObject *code, uint32_t unit)
{
	(void)code, (void)unit;
}

void spare_lines(
	PyCodeObject *code, struct code_record *r, const struct flow_graph *g, struct pl_view plain)
{
	(void)code, (void)r, (void)g, (void)plain;
}
#endif
