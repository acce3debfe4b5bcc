/* Code that is written by hand, an instruction a line with its source line. */
#ifndef PL_TESTS_LIB_WRITER_H
#define PL_TESTS_LIB_WRITER_H

#include <stdint.h>
#include <string.h>
#include "bytecode/bytecode.h"
#include "bytecode/opcode.h"

#define UNITS_MAX 400
#define NO_LINE	  (-1)

/* A code that is being written. */
struct writer {
	uint16_t version;
	int32_t first_line;
	int32_t line;
	uint32_t flags; /* co_flags */
	uint8_t code[2 * UNITS_MAX];
	uint8_t lines[8 * UNITS_MAX];
	uint8_t handlers[64];
	size_t code_bytes, line_bytes, handler_bytes;
};

static inline struct writer writer_of(uint16_t version, int32_t first_line)
{
	return (struct writer){.version = version, .first_line = first_line, .line = first_line};
}

/* One location entry for one unit: kind 15, or kind 13 with a delta of up to four groups. */
static inline void put_line(struct writer *w, int32_t line)
{
	if (line == NO_LINE) {
		w->lines[w->line_bytes++] = 0x80 | 15 << 3;
		return;
	}
	int32_t delta = line - w->line;
	uint32_t value = delta < 0 ? (uint32_t)-delta << 1 | 1 : (uint32_t)delta << 1;
	w->lines[w->line_bytes++] = 0x80 | 13 << 3;
	for (; value > 63; value >>= 6)
		w->lines[w->line_bytes++] = (uint8_t)(0x40 | (value & 63));
	w->lines[w->line_bytes++] = (uint8_t)value;
	w->line = line;
}

/* An instruction with its caches. */
static inline void op(struct writer *w, int number, int arg, int32_t line)
{
	const struct opcode_version *v = opcode_version_find(w->version);
	int units = 1 + (v ? v->opcodes[number].caches : 0);

	for (int i = 0; i < units; i++) {
		w->code[w->code_bytes++] = (uint8_t)(i ? 0 : number);
		w->code[w->code_bytes++] = (uint8_t)(i ? 0 : arg);
		put_line(w, line);
	}
}

static inline void handler(struct writer *w, uint8_t start, uint8_t length, uint8_t target)
{
	const uint8_t entry[] = {(uint8_t)(0x80 | start), length, target, 0};

	memcpy(w->handlers + w->handler_bytes, entry, sizeof entry);
	w->handler_bytes += sizeof entry;
}

static inline struct bytecode written(const struct writer *w)
{
	return (struct bytecode){.version = w->version,
		.code = view_of(w->code, w->code_bytes),
		.line_table = view_of(w->lines, w->line_bytes),
		.except_table = view_of(w->handlers, w->handler_bytes),
		.first_line = w->first_line,
		.flags = w->flags};
}

#endif
