/* Bytecode to flow graph. A graph is built when its code first runs, so only two passes go over all
 * instructions:
 *
 *	1. decode    instructions with their lines and jumps; starts where the line changes
 *	2. mark      starts made by jumps and handlers, and where blocks begin
 *	3. emit      the arrays, which have room for the largest possible number of rows
 *
 * The rule for starts is where CPython itself places INSTRUMENTED_LINE (initialize_lines in
 * Python/instrumentation.c), or, in 3.11, where its trace function can be called for a line
 * (maybe_call_line_trace in Python/ceval.c); tests/exact/linestarts.py compares the two over the
 * standard library. What becomes a start:
 *
 *	the line changes        except at opcodes marked NO_START (END_FOR, RESUME …)
 *	a jump leads there      except NO_TARGET; for FOR_ITER and SEND the unit after the target
 *	a handler begins there  except NO_HANDLER
 *
 * A start must also have a line, and not be before the first RESUME.
 *
 * Damage is not fatal: the first fault is noted (`why`), the pass continues as far as it can, and
 * the graph has no blocks. The bytes may be hand-made, because a program can make any code object.
 */
#include "bytecode/bytecode.h"

#include <string.h>
#include "base/spare.h"
#include "bytecode/opcode.h"
#include "bytecode/table.h"
#include "pathline/error.h"

/* Flags of each unit. A cache has none. */
enum {
	UNIT_INSTRUCTION = 1,
	UNIT_START = 2,
	UNIT_LEADER = 4, /* opens a block */
	UNIT_HANDLER = 8,
	UNIT_TARGET = 16, /* a jump makes it a start */
};

/* What is known of an instruction; index: its unit. `jump` and `block` are set only if it jumps or
 * opens a block. */
struct unit {
	int32_t line;	/* LINE_NONE: none */
	uint32_t jump;	/* the target, if it jumps */
	uint32_t block; /* index of the block that it opens */
	uint16_t marks; /* of its opcode */
	uint8_t class;	/* enum opcode_class */
	uint8_t size;	/* in units, with its caches */
};

#define CO_GENERATOR 0x20u /* co_flags: a plain generator, not a coroutine or async generator */

struct build {
	const struct bytecode *code;
	const struct opcode_version *version;
	/* Owned; one piece of memory for all three, with room for `count` of each. */
	struct unit *units; /* not set where there is no instruction */
	uint32_t *turns;    /* what jumps, suspends or ends the frame, and RESUMEs; in order */
	uint8_t *flags;
	uint32_t count, turn_count;
	bool suspends;		/* its yields need no event, see silent_before() */
	uint32_t first;		/* the unit of the first RESUME; count: there is none */
	const char *why;	/* the first fault that prevents the analysis; NULL: none yet */
	struct flow_graph most; /* upper bounds of its counts */
};

/* Only the first fault is kept; later ones mostly follow from it. */
static void note_fault(struct build *s, const char *why)
{
	if (!s->why)
		s->why = why;
}

/* Reads the line table along with the code. If the table ends too early the rest has no line;
 * entries after the end of the code are ignored. */
struct line_cursor {
	struct line_reader reader;
	uint32_t end; /* the last row read ends before this unit */
	int32_t line;
};

__attribute__((noinline)) static void next_line(
	struct build *s, struct line_cursor *c, uint32_t unit)
{
	struct line_row row;

	while (c->end <= unit) {
		int err = line_read(&c->reader, &row);
		if (err < 0)
			note_fault(s, "a damaged line table");
		c->end = err == 0 ? c->end + row.units : s->count;
		c->line = err == 0 ? row.line : LINE_NONE;
		if (err == 0 && row.line != LINE_NONE)
			c->end += line_read_same(&c->reader);
	}
}

static inline int32_t line_of(struct build *s, struct line_cursor *c, uint32_t unit)
{
	if (c->end <= unit)
		next_line(s, c, unit);
	return c->line;
}

static uint8_t opcode_at(const struct bytecode *b, uint32_t unit)
{
	return b->code.at[2 * (size_t)unit];
}

static uint8_t oparg_at(const struct bytecode *b, uint32_t unit)
{
	return b->code.at[2 * (size_t)unit + 1];
}

static bool unit_jumps(const struct unit *u)
{
	return u->class >= OPCODE_JUMP_FORWARD && u->class <= OPCODE_SEND;
}

/* Set the instruction's target; `count`, where no instruction is, if it would be outside the
 * code. */
static void set_jump(struct build *s, struct unit *u, uint32_t next, uint32_t arg)
{
	if (u->class == OPCODE_JUMP_BACKWARD || u->class == OPCODE_BRANCH_BACKWARD)
		u->jump = arg <= next ? next - arg : s->count;
	else
		u->jump = arg < s->count - next ? next + arg : s->count;
}

static void set_flags(struct build *s, uint32_t at, uint8_t flags)
{
	const uint8_t added = flags & (uint8_t)~s->flags[at];

	s->flags[at] |= flags;
	s->most.start_count += (added & UNIT_START) != 0;
	s->most.block_count += (added & (UNIT_START | UNIT_LEADER)) != 0;
}

static bool is_entry_instruction(
	const struct opcode_version *v, enum opcode_class class, uint32_t arg)
{
	return class == OPCODE_RESUME && !(v->early_resume && arg == RESUME_EARLY);
}

/* What else must be known of an instruction that is not plain. */
static void decode_turn(struct build *s, uint32_t at, uint32_t arg)
{
	struct unit *u = &s->units[at];

	if (u->class == OPCODE_UNKNOWN)
		note_fault(s, "an opcode that this version does not have");
	if (unit_jumps(u))
		set_jump(s, u, at + u->size, arg);
	if (u->class >= OPCODE_RESUME)
		s->turns[s->turn_count++] = at;
	if (s->first == s->count && is_entry_instruction(s->version, u->class, arg))
		s->first = at;
}

#define LINE_BEFORE                                                                                \
	(LINE_NONE - 1) /* no instruction has this line, so the first one begins a line row */

/* Decode all instructions. After the first RESUME, an instruction whose line differs from that of
 * the one before is a start. An instruction without a line ends the line before it. The loop
 * handles plain instructions, which most are, without a call. */
static void decode_units(struct build *s, struct line_cursor *lines)
{
	const struct opcode *opcodes = s->version->opcodes;
	struct unit *units = s->units;
	uint8_t *flags = s->flags;
	const uint32_t count = s->count;
	uint32_t next, arg = 0, line_rows = 0, starts = 0;
	int32_t before = LINE_BEFORE, line = LINE_NONE;

	s->first = count;
	for (uint32_t at = 0; at < count; at = next) {
		const struct opcode *opcode = &opcodes[opcode_at(s->code, at)];
		const int32_t here = line_of(s, lines, at);
		struct unit *u = &units[at];
		next = at + 1 + opcode->caches;
		if (next > count)
			next = count;
		u->line = here;
		u->marks = opcode->marks;
		u->class = opcode->class;
		u->size = (uint8_t)(next - at);
		flags[at] = UNIT_INSTRUCTION;
		line_rows += here != before;
		before = here;
		if (opcode->class != OPCODE_PLAIN) {
			arg |= oparg_at(s->code, at);
			decode_turn(s, at, arg);
			arg = opcode->class == OPCODE_EXTENDED_ARG ? arg << 8 : 0;
			if (s->version->traced && opcode->class == OPCODE_RESUME)
				line = at == s->first ? LINE_NONE : here;
		} else {
			arg = 0;
		}
		if (at < s->first || opcode->marks & OPCODE_NO_START)
			continue;
		if (here >= 0 && here != line) {
			flags[at] = UNIT_INSTRUCTION | UNIT_START;
			starts++;
		}
		line = here;
	}
	s->most.line_count = line_rows;
	s->most.start_count = s->most.block_count = starts;
}

static bool is_instruction(const struct build *s, uint32_t at)
{
	return at >= s->first && at < s->count && s->flags[at] & UNIT_INSTRUCTION;
}

static void mark_start(struct build *s, uint32_t at, uint8_t flags)
{
	if (is_instruction(s, at))
		set_flags(s, at, flags);
}

/* The unit that a jump makes a start: its target, or the instruction after an END_FOR or END_SEND
 * there. */
static void mark_jump_start(struct build *s, const struct unit *u)
{
	bool one_more = u->class == OPCODE_FOR_ITER || u->class == OPCODE_SEND;
	uint32_t at = u->jump + (one_more ? 1 : 0);

	if (u->class == OPCODE_FOR_ITER && !s->version->loop_marks)
		return;
	if (!is_instruction(s, at))
		return;
	const struct unit *to = &s->units[at];
	bool starts = to->line >= 0 && !(to->marks & OPCODE_NO_TARGET);
	set_flags(s, at, UNIT_TARGET | (starts ? UNIT_START : 0));
}

/* A jump ends its block and opens two: at its target and after itself. FOR_ITER opens two more
 * after its target: where execution continues after the loop depends on the iterator. */
static void mark_jump_targets(struct build *s, uint32_t at)
{
	const struct unit *u = &s->units[at];

	if (!is_instruction(s, u->jump)) {
		note_fault(s, "a jump to what is no instruction");
		return;
	}
	mark_jump_start(s, u);
	mark_start(s, u->jump, UNIT_LEADER);
	mark_start(s, at + u->size, UNIT_LEADER);
	if (u->class == OPCODE_FOR_ITER) {
		mark_start(s, u->jump + 1, UNIT_LEADER);
		mark_start(s, u->jump + s->version->loop_exit, UNIT_LEADER);
	}
}

static void mark_handlers(struct build *s)
{
	struct pl_view v = s->code->except_table;
	struct handler_row row;
	int err;

	while ((err = handler_read(&v, &row)) == 0) {
		if (!is_instruction(s, row.target)) {
			note_fault(s, "an exception handler at what is no instruction");
			continue;
		}
		const struct unit *u = &s->units[row.target];
		bool starts = u->line >= 0 && !(u->marks & OPCODE_NO_HANDLER);
		set_flags(s, row.target, UNIT_LEADER | UNIT_HANDLER | (starts ? UNIT_START : 0));
	}
	if (err < 0)
		note_fault(s, "a damaged exception table");
}

static void mark_blocks(struct build *s)
{
	if (s->first == s->count) {
		note_fault(s, "no RESUME");
		return;
	}
	set_flags(s, s->first, UNIT_LEADER);
	for (uint32_t i = 0; i < s->turn_count; i++) {
		const uint32_t at = s->turns[i];
		const struct unit *u = &s->units[at];
		if (at < s->first)
			continue;
		if (unit_jumps(u))
			mark_jump_targets(s, at);
		if (u->class == OPCODE_RESUME)
			set_flags(s, at, UNIT_LEADER);
		if (u->class >= OPCODE_YIELD)
			mark_start(s, at + u->size, UNIT_LEADER);
		s->most.edge_count += u->class == OPCODE_FOR_ITER ? 3 : unit_jumps(u);
	}
	mark_handlers(s);
}

/* An instruction that looks up a name is also slower while INSTRUCTION is enabled on it; the next
 * instruction may be cheaper. Returns the distance to that; 0: it cannot be used instead. */
static uint8_t cheaper_after(const struct build *s, uint32_t at)
{
	const struct unit *u = &s->units[at], *next = u + u->size;

	if (!(u->marks & OPCODE_LOOKS_UP) || at + u->size >= s->count)
		return 0;
	bool plain = next->class == OPCODE_PLAIN && next->size == 1 &&
		     !(s->flags[at + u->size] & (UNIT_START | UNIT_LEADER)) &&
		     !(next->marks & OPCODE_NO_START);
	return plain ? u->size : 0;
}

static void emit_line(const struct build *s, struct flow_graph *g, uint32_t at)
{
	int32_t line = s->units[at].line;

	g->lines[g->line_count++] = (struct flow_line){.unit = at, .line = line > 0 ? line : 0};
}

/* Where LINE is enabled the interpreter runs the instruction unspecialised, so one with caches
 * becomes slower (`dear`). */
static void emit_start(const struct build *s, struct flow_graph *g, uint32_t at)
{
	const struct unit *u = &s->units[at];

	g->starts[g->start_count++] = (struct flow_start){.unit = at,
		.line = u->line,
		.dear = u->size > 1,
		.cheaper_after = cheaper_after(s, at)};
}

/* 3.13.0 keeps a start's line in one byte, as the distance from a line that it computes from the
 * unit (compute_line_delta in Python/instrumentation.c). If the distance does not fit, the byte is
 * COMPUTED_LINE, -126, or, where the line changes, COMPUTED_LINE_LINENO_CHANGE: LINE then fires
 * there without comparing with the line before. A start that is a jump target has COMPUTED_LINE,
 * and is compared. */
static bool is_unchecked_start(const struct build *s, uint32_t at)
{
	const struct unit *u = &s->units[at];

	if (!s->version->delta_unchecked || s->flags[at] & UNIT_TARGET)
		return false;
	int64_t delta = (int64_t)u->line - s->code->first_line - (at >> 4);
	return delta <= -126 || delta > 127;
}

/* 3.13.5 and later keep a line as its distance from the first line plus 2, unsigned, in as many
 * bytes as the largest distance in the code needs; 0 means no line. So a line before the first one
 * is stored as the number of another line, or as none. LINE does not fire between two lines with
 * equal numbers. */
static bool has_one_number(const struct build *s, const struct unit *from, const struct unit *to)
{
	const int64_t first = s->code->first_line;

	if (!s->version->delta_cut ||
		(to->line >= first && (from->line >= first || from->line < 0)))
		return false;
	int64_t apart = from->line < 0 ? to->line - first + 2 : (int64_t)to->line - from->line;
	return apart % (UINT8_MAX + 1) == 0;
}

/* 3.11's trace function is called for a line when the previous instruction had another line or was
 * the first RESUME, or is further on in the code: a jump backwards, except to a SEND. */
static enum flow_fires fires_traced(const struct build *s, const struct unit *from, uint32_t to)
{
	const struct unit *u = &s->units[to];
	uint32_t at = (uint32_t)(from - s->units);

	if (at == s->first || from->line != u->line)
		return FLOW_ALWAYS;
	return at > to && !(u->marks & OPCODE_NO_TARGET) ? FLOW_ALWAYS : FLOW_NEVER;
}

/* LINE fires at a start when the instruction from which it is reached has another line, or is a
 * RESUME. 3.12 looks at the unit where the frame was last. After a Python callee that was inlined
 * this is a cache, which has no line, so LINE fires on the same line too; after a C callee it does
 * not. */
static enum flow_fires fires_on_step(const struct build *s, const struct unit *from, uint32_t to)
{
	const struct unit *u = &s->units[to];

	if (!(s->flags[to] & UNIT_START))
		return FLOW_NEVER;
	if (s->version->traced)
		return fires_traced(s, from, to);
	if (from->class == OPCODE_RESUME)
		return FLOW_ALWAYS;
	if (from->line != u->line)
		return has_one_number(s, from, u) ? FLOW_MAYBE : FLOW_ALWAYS;
	return from->marks & OPCODE_INLINES || is_unchecked_start(s, to) ? FLOW_MAYBE : FLOW_NEVER;
}

/* Add the first edge of the newest block. Its `to` is a unit for now: that block may not have a
 * number yet. */
static inline void emit_first_edge(
	const struct build *s, struct flow_graph *g, const struct unit *from, uint32_t to)
{
	if (!is_instruction(s, to))
		return;
	g->blocks[g->block_count - 1].edge_count++;
	g->edges[g->edge_count++] =
		(struct flow_edge){.to = to, .fires = fires_on_step(s, from, to)};
}

/* Add another edge, unless the block has one to that unit. */
static void emit_edge(
	const struct build *s, struct flow_graph *g, const struct unit *from, uint32_t to)
{
	const struct flow_block *b = &g->blocks[g->block_count - 1];

	for (uint32_t i = 0; i < b->edge_count; i++)
		if (g->edges[b->first_edge + i].to == to)
			return;
	emit_first_edge(s, g, from, to);
}

/* Is it a return or yield that needs no event? A code has either silent returns or silent yields,
 * since events of one kind are needed to infer the other. Generators yield more often than they
 * return. Coroutines do both about as often, and their returns are followed by more events. If it
 * has a line, that is the line that fired last. With 3.11's engine each one has an event. */
static uint32_t silent_before(const struct build *s, uint32_t at)
{
	const struct unit *u = &s->units[at];
	const bool leaves = s->suspends ? u->class == OPCODE_YIELD : u->class == OPCODE_RETURN;

	return leaves && u->line > 0 && !s->version->traced ? FLOW_BLOCK_SILENT : 0;
}

static bool instruction_suspends(const struct build *s)
{
	uint32_t i = s->code->flags & CO_GENERATOR ? s->turn_count : 0;

	while (i && s->units[s->turns[i - 1]].class != OPCODE_YIELD)
		i--;
	return i != 0;
}

/* For a block whose last instruction is not plain; a plain one leads only to the next
 * instruction. */
static void emit_turn(const struct build *s, struct flow_graph *g, uint32_t at)
{
	const struct unit *u = &s->units[at];
	struct flow_block *b = &g->blocks[g->block_count - 1];

	b->flags |= u->class == OPCODE_RETURN ? FLOW_BLOCK_RETURNS : 0;
	b->flags |= u->class == OPCODE_FOR_ITER ? FLOW_BLOCK_ITERATES | FLOW_BLOCK_SWALLOWS : 0;
	b->flags |= u->class == OPCODE_SEND ? FLOW_BLOCK_SWALLOWS : 0;
	b->flags |= u->class == OPCODE_YIELD ? FLOW_BLOCK_YIELDS : 0;
	b->flags |= silent_before(s, at);
	b->flags |= u->class == OPCODE_RAISE ? FLOW_BLOCK_RAISES : 0;
	if (u->class >= OPCODE_YIELD)
		return;
	if (u->class != OPCODE_JUMP_FORWARD && u->class != OPCODE_JUMP_BACKWARD)
		emit_first_edge(s, g, u, at + u->size);
	if (unit_jumps(u))
		emit_edge(s, g, u, u->jump);
	if (u->class == OPCODE_FOR_ITER) {
		emit_edge(s, g, u, u->jump + 1);
		emit_edge(s, g, u, u->jump + s->version->loop_exit);
	}
}

/* The edges of the newest block, whose last instruction is at `at`. */
static inline void emit_edges(const struct build *s, struct flow_graph *g, uint32_t at)
{
	const struct unit *u = &s->units[at];

	if (u->class == OPCODE_PLAIN)
		emit_first_edge(s, g, u, at + u->size);
	else
		emit_turn(s, g, at);
}

/* If a start opens the block, it is the newest start. */
static void emit_block(struct build *s, struct flow_graph *g, uint32_t at)
{
	const uint8_t flags = s->flags[at];
	struct flow_block *b = &g->blocks[g->block_count];

	s->units[at].block = g->block_count++;
	b->unit = at;
	b->start = flags & UNIT_START ? g->start_count - 1 : FLOW_NONE;
	b->first_edge = g->edge_count;
	b->flags = flags & UNIT_HANDLER ? FLOW_BLOCK_HANDLER : 0;
	if (at == s->first)
		b->flags |= FLOW_BLOCK_ENTRY;
	else if (s->units[at].class == OPCODE_RESUME)
		b->flags |= FLOW_BLOCK_RESUME;
}

/* For an instruction that opens a block; `last`: the instruction before it. */
static void open_block(struct build *s, struct flow_graph *g, uint32_t at, uint32_t last)
{
	if (at > s->first)
		emit_edges(s, g, last);
	emit_block(s, g, at);
}

static void emit_rows(struct build *s, struct flow_graph *g)
{
	const struct unit *units = s->units;
	const uint8_t *flags = s->flags;
	const uint32_t count = s->count, first = g->analysed ? s->first : count;
	uint32_t last = 0;
	int32_t line = LINE_BEFORE;

	if (g->analysed && s->first > 0)
		g->blocks[g->block_count++] =
			(struct flow_block){.start = FLOW_NONE, .flags = FLOW_BLOCK_BEFORE};
	for (uint32_t at = 0; at < count; at += units[at].size) {
		if (units[at].line != line)
			emit_line(s, g, at);
		line = units[at].line;
		if (flags[at] & UNIT_START)
			emit_start(s, g, at);
		if (at >= first && flags[at] & (UNIT_START | UNIT_LEADER))
			open_block(s, g, at, last);
		last = at;
	}
	if (g->analysed)
		emit_edges(s, g, last);
	for (uint32_t i = 0; i < g->edge_count; i++)
		g->edges[i].to = units[g->edges[i].to].block;
}

static struct pl_spare kept_rows;

static int emit_graph(struct build *s, struct flow_graph *out)
{
	struct flow_graph g = s->most;

	g.spare = &kept_rows;
	g.unit_count = s->count;
	g.analysed = !s->why;
	g.block_count = g.analysed ? g.block_count + 1 : 0; /* the one before the first RESUME */
	g.edge_count = g.analysed ? g.edge_count + g.block_count : 0;
	if (flow_graph_init(&g) < 0)
		return PL_ERR_MEMORY;
	g.start_count = g.block_count = g.edge_count = g.line_count = 0;
	emit_rows(s, &g);
	*out = g;
	return 0;
}

/* Everything except the lines needs the version's opcodes; without them each unit counts as an
 * instruction. */
static void analyse_units(struct build *s)
{
	struct line_cursor lines = {
		.reader = {.v = s->code->line_table, .line = s->code->first_line}};

	if (s->version) {
		decode_units(s, &lines);
		mark_blocks(s);
		s->suspends = instruction_suspends(s);
		return;
	}
	note_fault(s, "a version whose opcodes are not known");
	s->first = s->count;
	s->most.line_count = s->count;
	for (uint32_t at = 0; at < s->count; at++)
		s->units[at] = (struct unit){.line = line_of(s, &lines, at), .size = 1};
}

static struct pl_spare kept_units;

static bool build_make_room(struct build *s)
{
	const size_t count = s->count ? s->count : 1;

	s->units = spare_take(
		&kept_units, count * (sizeof *s->units + sizeof *s->turns + sizeof *s->flags));
	if (!s->units)
		return false;
	s->turns = (uint32_t *)(s->units + count);
	s->flags = (uint8_t *)(s->turns + count);
	memset(s->flags, 0, count);
	return true;
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
	if (!build_make_room(&s))
		goto done;
	analyse_units(&s);
	err = emit_graph(&s, out);
	if (err == 0 && s.why) {
		*why = s.why;
		err = PL_ERR_FORMAT;
	}
done:
	spare_give(&kept_units, s.units);
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
		if (is_entry_instruction(v, opcode->class, arg))
			return at;
		arg = opcode->class == OPCODE_EXTENDED_ARG ? arg << 8 : 0;
		at += 1u + opcode->caches;
	}
	return 0;
}
