/* The nesting of handlers, spread along all ways through the code until nothing new is found. An
 * instruction has the same nesting on all ways to it, and code is laid out forwards, so a few
 * passes are enough. */
#include "bytecode/handling.h"

#include <stdlib.h>
#include "bytecode/opcode.h"
#include "bytecode/table.h"

struct nesting {
	const struct bytecode *code;
	const struct opcode_version *version;
	uint8_t *level; /* owned; a unit's nesting + 1; 0: not reached so far */
	uint32_t count;
	bool changed;
};

/* The first level found is kept: it is the same on all ways. So the passes end. */
static void reach_unit(struct nesting *s, uint64_t unit, unsigned level)
{
	if (unit >= s->count || s->level[unit] || level > UINT8_MAX)
		return;
	s->level[unit] = (uint8_t)level;
	s->changed = true;
}

static unsigned level_after(const struct opcode *opcode, unsigned level)
{
	if (opcode->marks & OPCODE_HANDLES)
		return level + 1;
	if (opcode->marks & OPCODE_HANDLED && level > 1)
		return level - 1;
	return level;
}

static const struct opcode *opcode_of(const struct nesting *s, uint32_t unit)
{
	return &s->version->opcodes[s->code->code.at[2 * (size_t)unit]];
}

/* Where the instruction at `at` leads; next: the unit after it and its caches. */
static void follow_instruction(struct nesting *s, uint32_t at, uint32_t next, uint32_t arg)
{
	const struct opcode *opcode = opcode_of(s, at);
	unsigned level = level_after(opcode, s->level[at]);

	switch (opcode->class) {
	case OPCODE_BRANCH:
		reach_unit(s, (uint64_t)next + arg, level);
		break;
	case OPCODE_BRANCH_BACKWARD:
		reach_unit(s, arg <= next ? next - arg : s->count, level);
		break;
	case OPCODE_JUMP_FORWARD:
		reach_unit(s, (uint64_t)next + arg, level);
		return;
	case OPCODE_JUMP_BACKWARD:
		reach_unit(s, arg <= next ? next - arg : s->count, level);
		return;
	case OPCODE_RETURN:
	case OPCODE_RAISE:
		return;
	}
	reach_unit(s, next, level);
}

/* The nesting in which a range raises its exceptions: the lowest in the range, because what undoes
 * a nesting (COPY, POP_EXCEPT, RERAISE) raises after it has done so, and PUSH_EXC_INFO does not
 * raise. */
static unsigned level_of_range(const struct nesting *s, const struct handler_row *row)
{
	uint64_t end = (uint64_t)row->start + row->length;
	unsigned least = 0;

	for (uint32_t at = row->start; at < end && at < s->count; at++) {
		unsigned level = s->level[at] ? level_after(opcode_of(s, at), s->level[at]) : 0;
		if (level && (!least || level < least))
			least = level;
	}
	return least;
}

static void follow_handlers(struct nesting *s)
{
	struct pl_view v = s->code->except_table;
	struct handler_row row;

	while (handler_read(&v, &row) == 0) {
		unsigned level = level_of_range(s, &row);
		if (level)
			reach_unit(s, row.target, level);
	}
}

/* One pass in code order. Jumps back, and handlers that are before their range, are followed in the
 * next pass. */
static void nesting_pass(struct nesting *s)
{
	uint32_t next, arg = 0;

	s->changed = false;
	for (uint32_t at = 0; at < s->count; at = next) {
		const uint8_t *unit = s->code->code.at + 2 * (size_t)at;
		const struct opcode *opcode = opcode_of(s, at);
		arg |= unit[1];
		next = at + 1 + opcode->caches;
		if (s->level[at])
			follow_instruction(s, at, next, arg);
		arg = opcode->class == OPCODE_EXTENDED_ARG ? arg << 8 : 0;
	}
	follow_handlers(s);
}

/* A bare `raise` where nothing is being handled raises the exception that the caller is
 * handling. */
static bool raises_bare(const struct nesting *s)
{
	uint32_t next;

	for (uint32_t at = 0; at < s->count; at = next) {
		const struct opcode *opcode = opcode_of(s, at);
		next = at + 1 + opcode->caches;
		if (opcode->marks & OPCODE_BARE && s->level[at] == 1 &&
			s->code->code.at[2 * (size_t)at + 1] == 0)
			return true;
	}
	return false;
}

void bytecode_handling(const struct bytecode *b, bool *units)
{
	struct nesting s = {.code = b, .version = opcode_version_find(b->version)};

	s.count = (uint32_t)(b->code.left / 2);
	if (!s.version)
		s.count = 0;
	s.level = calloc(s.count ? s.count : 1, 1);
	s.changed = s.level && s.count;
	if (s.changed)
		s.level[0] = 1;
	while (s.changed)
		nesting_pass(&s);
	bool everywhere = !s.level || raises_bare(&s);
	for (uint32_t at = 0; at < s.count; at++)
		units[at] =
			everywhere || s.level[at] != 1 || opcode_of(&s, at)->marks & OPCODE_HANDLES;
	free(s.level);
}
