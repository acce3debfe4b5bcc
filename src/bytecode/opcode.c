#include "bytecode/opcode.h"

#include <stddef.h>

/* The rows are generated from the interpreters' own metadata (tools/gen-opcodes.py); numbers
 * without a row stay OPCODE_UNKNOWN, which is 0. Only opcodes as compiled: what is analysed never
 * has specialised or instrumented ones. */
#define X(number, name, units, kind, bits) [number] = {OPCODE_##kind, bits, units},
static const struct opcode opcodes_3_11[256] = {
#include "bytecode/opcodes_3_11.h"
};
static const struct opcode opcodes_3_12[256] = {
#include "bytecode/opcodes_3_12.h"
};
static const struct opcode opcodes_3_13[256] = {
#include "bytecode/opcodes_3_13.h"
};
static const struct opcode opcodes_3_14[256] = {
#include "bytecode/opcodes_3_14.h"
};
static const struct opcode opcodes_3_15[256] = {
#include "bytecode/opcodes_3_15.h"
};
#undef X

static const struct opcode_version versions[] = {
	{.version = 0x030b, .opcodes = opcodes_3_11, .traced = true},
	{.version = 0x030c, .opcodes = opcodes_3_12, .loop_exit = 1, .loop_marks = true},
	{.version = 0x030d,
		.opcodes = opcodes_3_13,
		.loop_exit = 2,
		.loop_marks = true,
		.delta_unchecked = true,
		.delta_cut = true}, /* its later releases: 3.13.5, not 3.13.0 */
	{.version = 0x030e, .opcodes = opcodes_3_14, .loop_exit = 1, .delta_cut = true},
	{.version = 0x030f,
		.opcodes = opcodes_3_15,
		.loop_exit = 1,
		.delta_cut = true,
		.early_resume = true},
};

const struct opcode_version *opcode_version_find(uint16_t version)
{
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (versions[i].version == version)
			return &versions[i];
	return NULL;
}
