/* From each jump back, walk against the direction of execution along steps that certainly fire no
 * LINE. The blocks reached are the places from which the jump can come without a LINE. The walk
 * does not go through jumps to the loop's head or before it, since those lower `told`, and it ends
 * where LINE always fires. So it stays within a few blocks, and a loop of several lines is
 * recognised at once.
 *
 * Two kinds of steps are added to those of the graph: from a yield to the resume after it, and from
 * all blocks that an exception handler covers to the handler. LINE may or may not fire at a
 * handler.
 */
#include "bytecode/passes.h"

#include <stdlib.h>
#include "bytecode/opcode.h"
#include "bytecode/table.h"
#include "pathline/error.h"

#define NO_JUMP 0

struct step {
	uint32_t from;
	enum flow_fires fires;
};

struct jump {
	uint32_t unit;
	uint32_t from, to; /* blocks */
};

/* The state of an analysis. Steps are ordered by where they lead: those to block b are
 * steps[first[b]] up to steps[first[b + 1]]. */
struct passes {
	const struct bytecode *code;
	const struct flow_graph *g;
	const struct opcode_version *version;
	uint8_t *marks;
	/* jumps back that have an event, by unit; owned, with the arrays after them: */
	struct jump *jumps;
	uint32_t jump_count;
	uint32_t *jump_of;  /* block -> number of its jump + 1, or NO_JUMP */
	uint32_t *seen;	    /* block -> the last walk that reached it */
	uint32_t *reached;  /* blocks of this walk, its start first */
	uint32_t *first;    /* block -> the first of the steps that lead to it */
	struct step *steps; /* owned */
	uint32_t reach_count;
	uint32_t walk;
};

/* Does LINE fire at the jump's target each time? Then it has no silent pass. */
static bool always_fires(const struct passes *s, const struct jump *j)
{
	return s->g->edges[s->g->blocks[j->from].first_edge].fires == FLOW_ALWAYS;
}

static uint32_t target_unit(const struct passes *s, const struct jump *j)
{
	return s->g->blocks[j->to].unit;
}

/* ---- the jumps ---- */

/* The jump back at `unit`, if the graph has one there. */
static bool jump_at(const struct passes *s, uint32_t unit, struct jump *out)
{
	const struct opcode *op = &s->version->opcodes[s->code->code.at[2 * (size_t)unit]];

	if (op->class != OPCODE_JUMP_BACKWARD || op->marks & OPCODE_UNHEARD)
		return false;
	uint32_t from = flow_block_at(s->g, unit);
	if (from == FLOW_NONE)
		return false;
	const struct flow_block *b = &s->g->blocks[from];
	if (b->edge_count != 1 || s->g->edges[b->first_edge].to > from)
		return false;
	*out = (struct jump){.unit = unit, .from = from, .to = s->g->edges[b->first_edge].to};
	return true;
}

/* Runs twice: to count the jumps, and to store them. */
static void find_jumps(struct passes *s)
{
	uint32_t next;
	struct jump j;

	s->jump_count = 0;
	for (uint32_t at = 0; at < s->g->unit_count; at = next) {
		next = at + 1u + s->version->opcodes[s->code->code.at[2 * (size_t)at]].caches;
		if (!jump_at(s, at, &j))
			continue;
		if (s->jumps) {
			s->jumps[s->jump_count] = j;
			s->jump_of[j.from] = s->jump_count + 1;
		}
		s->jump_count++;
	}
}

/* ---- the steps, by where they lead ---- */

typedef void (*step_visit)(struct passes *s, uint32_t from, uint32_t to, enum flow_fires fires);

static void visit_handlers(struct passes *s, step_visit visit)
{
	struct pl_view v = s->code->except_table;
	struct handler_row row;

	while (handler_read(&v, &row) == 0) {
		uint32_t to = flow_block_at(s->g, row.target);
		uint32_t block = flow_block_at(s->g, row.start);
		uint64_t end = (uint64_t)row.start + row.length;
		if (to == FLOW_NONE)
			continue;
		for (; block < s->g->block_count && s->g->blocks[block].unit < end; block++)
			visit(s, block, to, FLOW_MAYBE);
	}
}

static void visit_steps(struct passes *s, step_visit visit)
{
	const struct flow_graph *g = s->g;

	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		for (uint32_t e = b->first_edge; e < b->first_edge + b->edge_count; e++)
			visit(s, i, g->edges[e].to, g->edges[e].fires);
		if (b->flags & FLOW_BLOCK_YIELDS && i + 1 < g->block_count)
			visit(s, i, i + 1, FLOW_NEVER);
	}
	visit_handlers(s, visit);
}

static void count_step(struct passes *s, uint32_t from, uint32_t to, enum flow_fires fires)
{
	(void)from, (void)fires;
	s->first[to + 1]++;
}

/* first[to] counts down from the end of the steps to `to` to their beginning. */
static void put_step(struct passes *s, uint32_t from, uint32_t to, enum flow_fires fires)
{
	s->steps[--s->first[to]] = (struct step){.from = from, .fires = fires};
}

/* Count, sum up, then store from the end of each block's part to its beginning: three linear
 * passes, one allocation. */
static int index_steps(struct passes *s)
{
	uint32_t blocks = s->g->block_count;

	visit_steps(s, count_step);
	for (uint32_t i = 0; i < blocks; i++)
		s->first[i + 1] += s->first[i];
	s->steps = calloc(s->first[blocks] + 1u, sizeof *s->steps);
	if (!s->steps)
		return PL_ERR_MEMORY;
	for (uint32_t i = 0; i < blocks; i++)
		s->first[i] = s->first[i + 1];
	visit_steps(s, put_step);
	return 0;
}

/* ---- a walk from a jump ---- */

static bool has_seen(const struct passes *s, uint32_t block)
{
	return s->seen[block] == s->walk;
}

static void reach_block(struct passes *s, uint32_t block)
{
	if (has_seen(s, block))
		return;
	s->seen[block] = s->walk;
	s->reached[s->reach_count++] = block;
}

/* Is the step a jump back to the head of j's loop, or to before it? */
static bool lowers_count(
	const struct passes *s, const struct step *step, uint32_t to, const struct jump *j)
{
	return s->jump_of[step->from] != NO_JUMP && s->jumps[s->jump_of[step->from] - 1].to == to &&
	       s->g->blocks[to].unit <= target_unit(s, j);
}

static void walk_back(struct passes *s, const struct jump *j)
{
	s->walk++;
	s->reach_count = 0;
	reach_block(s, j->from);
	for (uint32_t i = 0; i < s->reach_count; i++) {
		uint32_t to = s->reached[i];
		for (uint32_t k = s->first[to]; k < s->first[to + 1]; k++)
			if (s->steps[k].fires != FLOW_ALWAYS &&
				!lowers_count(s, &s->steps[k], to, j))
				reach_block(s, s->steps[k].from);
	}
}

/* Can LINE fire when the block is entered, by a step that does not lower `told`? Entry and resume
 * have no LINE of their own. */
static bool can_tell(const struct passes *s, uint32_t block)
{
	if (s->g->blocks[block].start == FLOW_NONE)
		return false;
	for (uint32_t k = s->first[block]; k < s->first[block + 1]; k++)
		if (s->steps[k].fires != FLOW_NEVER)
			return true;
	return false;
}

/* Can the jump come without a LINE since it was last taken, or since a jump to before its head? */
static bool can_be_silent(const struct passes *s, const struct jump *j)
{
	for (uint32_t i = 0; i < s->jump_count; i++)
		if (s->jumps[i].to <= j->to && !always_fires(s, &s->jumps[i]) &&
			has_seen(s, s->jumps[i].to))
			return true;
	return false;
}

/* Is the block the head of a `for`? */
static bool takes_next(const struct passes *s, uint32_t block)
{
	const size_t unit = s->g->blocks[block].unit;

	return s->version->opcodes[s->code->code.at[2 * unit]].marks & OPCODE_NEXT;
}

/* Can LINE fire inside the loop on a way to the jump? If not, the jump is AGAIN each time. */
static bool can_be_told(const struct passes *s, const struct jump *j)
{
	const uint32_t inside = takes_next(s, j->to) ? j->to + 1 : j->to;

	for (uint32_t i = 0; i < s->reach_count; i++)
		if (s->reached[i] >= inside && can_tell(s, s->reached[i]))
			return true;
	return false;
}

static void mark_unit(struct passes *s, uint32_t unit, enum pass_mark mark)
{
	s->marks[unit] = (uint8_t)(s->marks[unit] | mark);
}

static void mark_teller(struct passes *s, uint32_t block)
{
	const uint32_t unit = s->g->blocks[block].unit;

	mark_unit(s, unit, PASS_TELLS);
	if (takes_next(s, block))
		mark_unit(s, unit, PASS_ENTERS);
}

/* Mark everything on which a check depends: the LINEs that can be the last one before it, and the
 * jumps that lower `told`. */
static void mark_what_it_sees(struct passes *s, const struct jump *j)
{
	for (uint32_t i = 0; i < s->reach_count; i++)
		if (can_tell(s, s->reached[i]))
			mark_teller(s, s->reached[i]);
	for (uint32_t i = 0; i < s->jump_count; i++)
		if (s->jumps[i].to <= j->to && has_seen(s, s->jumps[i].to) &&
			!always_fires(s, &s->jumps[i]))
			mark_unit(s, s->jumps[i].unit, PASS_TRACK);
}

/* true: the result depends on what the frame does, so the code's frames must be watched. */
static bool decide_jump(struct passes *s, const struct jump *j)
{
	if (always_fires(s, j))
		return false;
	walk_back(s, j);
	if (!can_be_silent(s, j))
		return false;
	if (!can_be_told(s, j)) {
		mark_unit(s, j->unit, PASS_ALWAYS);
		return false;
	}
	mark_unit(s, j->unit, PASS_CHECK);
	mark_what_it_sees(s, j);
	return true;
}

int bytecode_passes(
	const struct bytecode *b, const struct flow_graph *g, uint8_t *marks, bool *checks)
{
	struct passes s = {
		.code = b, .g = g, .version = opcode_version_find(b->version), .marks = marks};
	size_t blocks = g->block_count;
	int err = 0;

	*checks = false;
	if (!s.version || !g->analysed)
		return 0;
	find_jumps(&s);
	if (!s.jump_count)
		return 0;
	err = PL_ERR_MEMORY;
	s.jumps = calloc(1, s.jump_count * sizeof *s.jumps + (4 * blocks + 1) * sizeof(uint32_t));
	if (!s.jumps)
		goto done;
	s.jump_of = (uint32_t *)(s.jumps + s.jump_count);
	s.seen = s.jump_of + blocks;
	s.reached = s.seen + blocks;
	s.first = s.reached + blocks;
	if (index_steps(&s) < 0)
		goto done;
	find_jumps(&s);
	for (uint32_t i = 0; i < s.jump_count; i++)
		*checks |= decide_jump(&s, &s.jumps[i]);
	err = 0;
done:
	free(s.jumps);
	free(s.steps);
	return err;
}
