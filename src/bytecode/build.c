/* Bytecode to flow graph, in four passes over the units, each linear:
 *
 *	1. lines     the location table spread over the units
 *	2. decode    instructions and their jumps; starts where the line changes
 *	3. mark      what jumps and handlers make a start, and where blocks begin
 *	4. emit      the arrays, of exactly the size that was counted
 *
 * The rule for starts is CPython's own placement of INSTRUMENTED_LINE (initialize_lines in
 * Python/instrumentation.c), or, in 3.11, where its trace function can be told of a line
 * (maybe_call_line_trace in Python/ceval.c); tests/exact/linestarts.py compares the two over the
 * standard library. What becomes a start:
 *
 *	the line changes        but at what the opcode table marks NO_START (END_FOR, RESUME …)
 *	a jump leads there      but NO_TARGET; behind FOR_ITER and SEND the unit behind the target
 *	a handler begins there  but NO_HANDLER
 *
 * and it must have a line, and not lie before the first RESUME.
 *
 * Damage is not fatal: it is noted once (`why`), the pass goes on as far as it can, and the graph
 * comes out without blocks. The bytes may be hand-made, as a program can make any code object.
 */
#include "bytecode/bytecode.h"

#include <stdlib.h>
#include "bytecode/opcode.h"
#include "bytecode/table.h"
#include "pathline/error.h"

#define RESUME_EARLY 4 /* oparg, see struct opcode_version */

enum {
	UNIT_INSTRUCTION = 1, /* else a cache */
	UNIT_START = 2,
	UNIT_LEADER = 4, /* opens a block */
	UNIT_HANDLER = 8,
	UNIT_TARGET = 16,  /* a jump marked it as a start */
	UNIT_GUARDED = 32, /* what it raises has a handler */
};

/* What is known of a code unit; of a cache only its line. */
struct unit {
	int32_t line;	/* LINE_NONE: it has none */
	uint32_t jump;	/* target, for what jumps */
	uint32_t block; /* the index of the block that it opens */
	uint16_t marks; /* of its opcode */
	uint8_t class;	/* enum opcode_class */
	uint8_t size;	/* in units, caches and all */
	uint8_t flags;
};

struct build {
	const struct bytecode *code;
	const struct opcode_version *version;
	struct unit *units; /* owned; count of them */
	uint32_t count;
	uint32_t first;	 /* the unit of the first RESUME; count when there is none */
	const char *why; /* the first thing found that cannot be analysed, NULL: nothing yet */
};

/* The first one is told; the others mostly follow from it. */
static void complain(struct build *s, const char *why)
{
	if (!s->why)
		s->why = why;
}

/* A table that ends too early leaves the rest without a line; one that is too long is cut. */
static void spread_lines(struct build *s)
{
	struct line_reader lines = {.v = s->code->line_table, .line = s->code->first_line};
	struct line_row row;
	uint32_t at = 0;
	int err;

	while (at < s->count && (err = line_read(&lines, &row)) == 0)
		for (uint32_t end = at + row.units; at < end && at < s->count; at++)
			s->units[at].line = row.line;
	if (at < s->count && err < 0)
		complain(s, "a damaged line table");
	for (; at < s->count; at++)
		s->units[at].line = LINE_NONE;
}

static uint8_t opcode_at(const struct bytecode *b, uint32_t unit)
{
	return b->code.at[2 * (size_t)unit];
}

static uint8_t oparg_at(const struct bytecode *b, uint32_t unit)
{
	return b->code.at[2 * (size_t)unit + 1];
}

static bool jumps(const struct unit *u)
{
	return u->class >= OPCODE_JUMP_FORWARD && u->class <= OPCODE_SEND;
}

/* Sets the instruction's target. One outside of the code becomes `count`, which is no instruction.
 */
static void set_jump(struct build *s, struct unit *u, uint32_t next, uint32_t arg)
{
	if (u->class == OPCODE_JUMP_BACKWARD || u->class == OPCODE_BRANCH_BACKWARD)
		u->jump = arg <= next ? next - arg : s->count;
	else
		u->jump = arg < s->count - next ? next + arg : s->count;
}

/* Decodes one instruction with its caches; gives the unit behind it. */
static uint32_t decode_one(struct build *s, uint32_t at, uint32_t arg)
{
	const struct opcode *opcode = &s->version->opcodes[opcode_at(s->code, at)];
	struct unit *u = &s->units[at];
	uint32_t next = at + 1 + opcode->caches;

	if (opcode->class == OPCODE_UNKNOWN)
		complain(s, "an opcode that this version does not have");
	if (next > s->count)
		next = s->count;
	u->class = opcode->class;
	u->marks = opcode->marks;
	u->size = (uint8_t)(next - at);
	u->flags = UNIT_INSTRUCTION;
	if (jumps(u))
		set_jump(s, u, next, arg);
	for (uint32_t cache = at + 1; cache < next; cache++)
		s->units[cache] = (struct unit){.line = u->line};
	return next;
}

static bool is_entry(const struct opcode_version *v, enum opcode_class class, uint32_t arg)
{
	return class == OPCODE_RESUME && !(v->early_resume && arg == RESUME_EARLY);
}

/* Decodes all; behind the first RESUME, what begins another line than the instruction before is a
 * start. An instruction without a line ends the line before it. */
static void decode(struct build *s)
{
	uint32_t next, arg = 0;
	int32_t line = LINE_NONE;

	s->first = s->count;
	for (uint32_t at = 0; at < s->count; at = next) {
		struct unit *u = &s->units[at];
		arg |= oparg_at(s->code, at);
		next = decode_one(s, at, arg);
		if (s->first == s->count && is_entry(s->version, u->class, arg))
			s->first = at;
		arg = u->class == OPCODE_EXTENDED_ARG ? arg << 8 : 0;
		if (s->version->traced && u->class == OPCODE_RESUME)
			line = at == s->first ? LINE_NONE : u->line;
		if (s->first == s->count || u->marks & OPCODE_NO_START)
			continue;
		if (u->line >= 0 && u->line != line)
			u->flags |= UNIT_START;
		line = u->line;
	}
}

static bool is_instruction(const struct build *s, uint32_t at)
{
	return at >= s->first && at < s->count && s->units[at].flags & UNIT_INSTRUCTION;
}

static void mark(struct build *s, uint32_t at, uint8_t flags)
{
	if (is_instruction(s, at))
		s->units[at].flags |= flags;
}

/* The unit that a jump marks as a start: the target, or the instruction behind an END_FOR or
 * END_SEND there. */
static void mark_jump_start(struct build *s, const struct unit *u)
{
	bool behind = u->class == OPCODE_FOR_ITER || u->class == OPCODE_SEND;
	uint32_t at = u->jump + (behind ? 1 : 0);

	if (u->class == OPCODE_FOR_ITER && !s->version->loop_marks)
		return;
	if (!is_instruction(s, at))
		return;
	struct unit *to = &s->units[at];
	to->flags |= UNIT_TARGET;
	if (to->line >= 0 && !(to->marks & OPCODE_NO_TARGET))
		to->flags |= UNIT_START;
}

/* A jump ends its block and opens two: its target, and what is behind it. FOR_ITER opens two more
 * behind its target: where the loop goes on when it ends depends on the iterator. */
static void mark_jump(struct build *s, uint32_t at)
{
	const struct unit *u = &s->units[at];

	if (!is_instruction(s, u->jump)) {
		complain(s, "a jump to what is no instruction");
		return;
	}
	mark_jump_start(s, u);
	mark(s, u->jump, UNIT_LEADER);
	mark(s, at + u->size, UNIT_LEADER);
	if (u->class == OPCODE_FOR_ITER) {
		mark(s, u->jump + 1, UNIT_LEADER);
		mark(s, u->jump + s->version->loop_exit, UNIT_LEADER);
	}
}

static void mark_handlers(struct build *s)
{
	struct pl_view v = s->code->except_table;
	struct handler_row row;
	int err;

	while ((err = handler_read(&v, &row)) == 0) {
		if (!is_instruction(s, row.target)) {
			complain(s, "an exception handler at what is no instruction");
			continue;
		}
		struct unit *u = &s->units[row.target];
		u->flags |= UNIT_LEADER | UNIT_HANDLER;
		for (uint32_t at = row.start; at < s->count && at - row.start < row.length; at++)
			s->units[at].flags |= UNIT_GUARDED;
		if (u->line >= 0 && !(u->marks & OPCODE_NO_HANDLER))
			u->flags |= UNIT_START;
	}
	if (err < 0)
		complain(s, "a damaged exception table");
}

static void mark_blocks(struct build *s)
{
	if (s->first == s->count) {
		complain(s, "no RESUME");
		return;
	}
	s->units[s->first].flags |= UNIT_LEADER;
	for (uint32_t at = s->first; at < s->count; at += s->units[at].size) {
		struct unit *u = &s->units[at];
		if (jumps(u))
			mark_jump(s, at);
		if (u->class == OPCODE_RESUME)
			u->flags |= UNIT_LEADER;
		if (u->class >= OPCODE_YIELD)
			mark(s, at + u->size, UNIT_LEADER);
	}
	mark_handlers(s);
}

/* Numbers the blocks and counts what the graph needs; of edges at most as many, since some fall
 * together. */
static void count_up(struct build *s, struct flow_graph *g)
{
	int32_t line = LINE_NONE;

	g->block_count = s->first > 0;
	for (uint32_t at = 0; at < s->count; at += s->units[at].size) {
		struct unit *u = &s->units[at];
		if (u->flags & UNIT_START)
			u->flags |= UNIT_LEADER;
		if (u->flags & UNIT_LEADER)
			u->block = g->block_count++;
		g->start_count += (u->flags & UNIT_START) != 0;
		g->line_count += !at || u->line != line;
		g->edge_count += u->class == OPCODE_FOR_ITER ? 3 : jumps(u);
		line = u->line;
	}
	g->edge_count += g->block_count;
	if (s->why)
		g->block_count = g->edge_count = 0;
}

/* An instruction that looks a name up is slower, too, where INSTRUCTION is heard; the one behind it may not be. */
static uint8_t heard_behind(const struct build *s, uint32_t at)
{
	const struct unit *u = &s->units[at], *next = u + u->size;

	if (!(u->marks & OPCODE_LOOKS_UP) || at + u->size >= s->count)
		return 0;
	bool plain = next->class == OPCODE_PLAIN && next->size == 1 &&
		     !(next->flags & UNIT_LEADER) && !(next->marks & OPCODE_NO_START);
	return plain ? u->size : 0;
}

/* Where a LINE is heard the interpreter runs the instruction itself unspecialised: one with caches is slower then. */
static void emit_lines(const struct build *s, struct flow_graph *g)
{
	uint32_t start = 0, row = 0;
	int32_t line = LINE_NONE;

	for (uint32_t at = 0; at < s->count; at += s->units[at].size) {
		const struct unit *u = &s->units[at];
		if (!at || u->line != line)
			g->lines[row++] =
				(struct flow_line){.unit = at, .line = u->line > 0 ? u->line : 0};
		if (u->flags & UNIT_START)
			g->starts[start++] = (struct flow_start){.unit = at,
				.line = u->line,
				.dear = u->size > 1,
				.behind = heard_behind(s, at)};
		line = u->line;
	}
}

/* 3.13 keeps a start's line as its distance, in a byte, from a line that it computes from the unit
 * (compute_line_delta in Python/instrumentation.c). One that does not fit is COMPUTED_LINE, -126,
 * or, where the line changes, COMPUTED_LINE_LINENO_CHANGE: then LINE fires there without a look at
 * the line before. A start that a jump asks for has the first, and is compared. */
static bool unchecked(const struct build *s, uint32_t at)
{
	const struct unit *u = &s->units[at];

	if (!s->version->delta_unchecked || u->flags & UNIT_TARGET)
		return false;
	int64_t delta = (int64_t)u->line - s->code->first_line - (at >> 4);
	return delta <= -126 || delta > 127;
}

/* 3.11's trace function hears of a line when the instruction before had another one, was the first
 * RESUME, or stands further on: a jump backwards, but for that to a SEND. */
static enum flow_fires fires_traced(const struct build *s, const struct unit *from, uint32_t to)
{
	const struct unit *u = &s->units[to];
	uint32_t at = (uint32_t)(from - s->units);

	if (at == s->first || from->line != u->line)
		return FLOW_ALWAYS;
	return at > to && !(u->marks & OPCODE_NO_TARGET) ? FLOW_ALWAYS : FLOW_NEVER;
}

/* LINE fires at a start when the instruction by which it is reached has another line, or is a
 * RESUME. 3.12 looks at the unit where the frame stood last: behind a Python callee that was
 * inlined this is a cache, which has no line, so that LINE fires on the same line too; behind a C
 * callee it does not. */
static enum flow_fires fires(const struct build *s, const struct unit *from, uint32_t to)
{
	const struct unit *u = &s->units[to];

	if (!(u->flags & UNIT_START))
		return FLOW_NEVER;
	if (s->version->traced)
		return fires_traced(s, from, to);
	if (from->line != u->line || from->class == OPCODE_RESUME)
		return FLOW_ALWAYS;
	return from->marks & OPCODE_INLINES || unchecked(s, to) ? FLOW_MAYBE : FLOW_NEVER;
}

static void emit_edge(
	const struct build *s, struct flow_graph *g, const struct unit *from, uint32_t to)
{
	struct flow_block *b = &g->blocks[g->block_count - 1];

	if (!is_instruction(s, to))
		return;
	for (uint32_t i = 0; i < b->edge_count; i++)
		if (g->edges[b->first_edge + i].to == s->units[to].block)
			return;
	b->edge_count++;
	g->edges[g->edge_count++] =
		(struct flow_edge){.to = s->units[to].block, .fires = fires(s, from, to)};
}

/* A return of which no event needs to tell. Where it has a line that is the last one that fired; 3.11's engine tells all. */
static uint32_t silent(const struct build *s, const struct unit *u)
{
	return u->line > 0 && !s->version->traced ? FLOW_BLOCK_SILENT : 0;
}

/* The edges of the last block so far, whose last instruction is at `at`. */
static void emit_edges(const struct build *s, struct flow_graph *g, uint32_t at)
{
	const struct unit *u = &s->units[at];
	struct flow_block *b = &g->blocks[g->block_count - 1];

	b->flags |= u->class == OPCODE_RETURN ? FLOW_BLOCK_RETURNS | silent(s, u) : 0;
	b->flags |= u->class == OPCODE_FOR_ITER ? FLOW_BLOCK_ITERATES | FLOW_BLOCK_SWALLOWS : 0;
	b->flags |= u->class == OPCODE_SEND ? FLOW_BLOCK_SWALLOWS : 0;
	b->flags |= u->class == OPCODE_YIELD ? FLOW_BLOCK_YIELDS : 0;
	b->flags |= u->class == OPCODE_RAISE ? FLOW_BLOCK_RAISES : 0;
	if (u->class >= OPCODE_YIELD)
		return;
	if (u->class != OPCODE_JUMP_FORWARD && u->class != OPCODE_JUMP_BACKWARD)
		emit_edge(s, g, u, at + u->size);
	if (jumps(u))
		emit_edge(s, g, u, u->jump);
	if (u->class == OPCODE_FOR_ITER) {
		emit_edge(s, g, u, u->jump + 1);
		emit_edge(s, g, u, u->jump + s->version->loop_exit);
	}
}

static void emit_block(const struct build *s, struct flow_graph *g, uint32_t at, uint32_t start)
{
	const struct unit *u = &s->units[at];
	struct flow_block *b = &g->blocks[g->block_count++];

	b->unit = at;
	b->start = start;
	b->first_edge = g->edge_count;
	b->flags = u->flags & UNIT_HANDLER ? FLOW_BLOCK_HANDLER : 0;
	if (at == s->first)
		b->flags |= FLOW_BLOCK_ENTRY;
	else if (u->class == OPCODE_RESUME)
		b->flags |= FLOW_BLOCK_RESUME;
}

/* Counts the graph's blocks and edges anew while it fills them in. */
static void emit_blocks(const struct build *s, struct flow_graph *g)
{
	uint32_t start = 0, last = s->first;

	g->block_count = g->edge_count = 0;
	if (s->first > 0)
		g->blocks[g->block_count++] =
			(struct flow_block){.start = FLOW_NONE, .flags = FLOW_BLOCK_BEFORE};
	for (uint32_t at = s->first; at < s->count; at += s->units[at].size) {
		const struct unit *u = &s->units[at];
		if (u->flags & UNIT_LEADER) {
			if (at > s->first)
				emit_edges(s, g, last);
			emit_block(s, g, at, u->flags & UNIT_START ? start++ : FLOW_NONE);
		}
		if (u->marks & OPCODE_CALLS || u->flags & UNIT_GUARDED)
			g->blocks[g->block_count - 1].eventful = true;
		last = at;
	}
	emit_edges(s, g, last);
}

static int emit(struct build *s, struct flow_graph *out)
{
	struct flow_graph g = {.unit_count = s->count, .analysed = !s->why};

	count_up(s, &g);
	if (flow_graph_init(&g) < 0)
		return PL_ERR_MEMORY;
	emit_lines(s, &g);
	if (g.analysed)
		emit_blocks(s, &g);
	*out = g;
	return 0;
}

/* All but the lines needs the version's opcodes; without them each unit is taken for an
 * instruction. */
static void analyse(struct build *s)
{
	spread_lines(s);
	if (s->version) {
		decode(s);
		mark_blocks(s);
		return;
	}
	complain(s, "a version whose opcodes are not known");
	s->first = s->count;
	for (uint32_t at = 0; at < s->count; at++)
		s->units[at].size = 1;
}

int bytecode_graph(const struct bytecode *b, struct flow_graph *out, const char **why)
{
	struct build s = {.code = b, .version = opcode_version_find(b->version)};
	int err = PL_ERR_MEMORY;

	*out = (struct flow_graph){0};
	*why = NULL;
	if (b->code.left / 2 >= FLOW_NONE)
		return PL_ERR_MEMORY;
	s.count = (uint32_t)(b->code.left / 2);
	s.units = calloc(s.count ? s.count : 1, sizeof *s.units);
	if (!s.units)
		goto done;
	analyse(&s);
	err = emit(&s, out);
	if (err == 0 && s.why) {
		*why = s.why;
		err = PL_ERR_FORMAT;
	}
done:
	free(s.units);
	return err;
}

bool bytecode_knows(uint16_t version)
{
	return opcode_version_find(version) != NULL;
}

uint32_t bytecode_first_unit(const struct bytecode *b)
{
	const struct opcode_version *v = opcode_version_find(b->version);
	uint32_t count = (uint32_t)(b->code.left / 2), arg = 0;

	for (uint32_t at = 0; v && at < count;) {
		const struct opcode *opcode = &v->opcodes[opcode_at(b, at)];
		arg |= oparg_at(b, at);
		if (is_entry(v, opcode->class, arg))
			return at;
		arg = opcode->class == OPCODE_EXTENDED_ARG ? arg << 8 : 0;
		at += 1u + opcode->caches;
	}
	return 0;
}
