/* What the hooks look up of a code, unit by unit, made from its flow graph. */
#include "recorder/code_units.h"

#include <stdlib.h>
#include "bytecode/bytecode.h"
#include "bytecode/handling.h"
#include "bytecode/opcode.h"
#include "bytecode/passes.h"
#include "flow/implied.h"
#include "flow/witness.h"
#include "recorder/code.h"
#include "recorder/code_body.h"
#include "recorder/compat/python.h"
#include "recorder/compat/code_object.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"
#include "recorder/root.h"
#include "recorder/values/values.h"

/* The graph's starts by their unit: what the hooks look up. A start beyond START_MAX has no number
 * here, and is recorded by LINE_AT. */
static void put_units(struct code_record *r, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->start_count && i < START_MAX; i++) {
		const struct flow_start *s = &g->starts[i];
		if (s->unit >= r->unit_count)
			continue;
		r->units[s->unit].start = (i + 1) & START_MAX;
		/* where variables are told a line takes the slow path, which no witness does */
		r->units[s->unit].witness = s->witness && !r->facts.lines;
		bool moves = CODE_MAY_BE_HOT && s->witness && s->sure;
		r->units[s->unit].heard = moves ? HEARD_MAY_MOVE : HEARD_BY_LINE;
		r->units[s->unit].later = moves && s->cheaper_after;
		r->lines[i] = s->line;
	}
}

#if ENGINE_TRACES
/* Is there an instruction at which a frame begins or goes on, and where an exception is being
 * handled? */
static bool enters_handling(const struct bytecode *parts, const bool *handling)
{
	for (size_t i = 0; i + 1 < parts->code.left; i += sizeof(_Py_CODEUNIT))
		if (parts->code.at[i] == RESUME && handling[i / sizeof(_Py_CODEUNIT)])
			return true;
	return false;
}
#endif

/* SEND, with its cache, is the last instruction of its block. */
#define SEND_UNITS 2
static void put_sends(struct code_record *r, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		uint32_t end = flow_block_end(g, i);
		uint32_t kind = g->blocks[i].flags & (FLOW_BLOCK_SWALLOWS | FLOW_BLOCK_ITERATES);
		bool sends =
			kind == FLOW_BLOCK_SWALLOWS && end >= SEND_UNITS && end <= r->unit_count;
		for (uint32_t at = end - SEND_UNITS; sends && at < end; at++)
			r->units[at].sends = 1;
	}
}

/* Of a yield that ends before `unit`: does the frame hand on what another generator yields? Then an
 * exception is thrown into that one, which this frame calls from where it is. */
static bool hands_on(const struct bytecode *parts, uint32_t unit)
{
	return (parts->code.at[2 * (size_t)unit + 1] & RESUME_REASON) != RESUME_AFTER_YIELD;
}

/* A return, or a yield, is the last unit of its block; after a yield comes its RESUME. */
static void put_silent(
	struct code_record *r, const struct bytecode *parts, const struct flow_graph *g)
{
	r->suspends = flow_suspends(g);
	for (uint32_t i = 0; i < g->block_count; i++) {
		uint32_t end = flow_block_end(g, i);
		if (!(g->blocks[i].flags & FLOW_BLOCK_SILENT) || !end || end > r->unit_count)
			continue;
		r->units[end - 1].silent = 1;
		if (!r->suspends || end >= r->unit_count)
			continue;
		if (RESUME_LOOKS_FIRST)
			r->units[end].pending = 1;
		else if (hands_on(parts, end))
			r->units[end - 1].pending = 1;
	}
}

/* Instructions have caches of different lengths, so the block is gone through from its front. */
static uint32_t last_instruction(
	const struct bytecode *parts, const struct flow_block *b, uint32_t end)
{
	const struct opcode *opcodes = opcode_version_find(parts->version)->opcodes;
	uint32_t last = b->unit;

	for (uint32_t at = last; at < end;
		at += 1u + opcodes[parts->code.at[2 * (size_t)at]].caches)
		last = at;
	return last;
}

/* Will INSTRUCTION be enabled there? */
static bool will_be_heard(const struct code_record *r, uint32_t unit)
{
	return r->units[unit].heard == HEARD_MAY_MOVE ||
	       (unit >= LOOK_UP_UNITS && r->units[unit - LOOK_UP_UNITS].later);
}

/* Passes that INSTRUCTION can record, because it records no line there. */
static void put_moving_passes(struct code_record *r)
{
	for (uint32_t i = 0; root.hot_lines && !r->facts.lines && i < r->unit_count; i++) {
		struct code_unit *u = &r->units[i];
		if (u->pass == PASS_ALWAYS && !u->start)
			u->heard = HEARD_MAY_MOVE;
	}
}

/* In 3.12 a LINE on the same line fires after a callee only if that was inlined, which needs a
 * specialised instruction. Code that becomes hot would run differently for a while, and where
 * INSTRUCTION is enabled for ever. */
static void put_waverers(
	struct code_record *r, const struct bytecode *parts, const struct flow_graph *g)
{
	for (uint32_t i = 0; i < g->block_count; i++) {
		const struct flow_block *b = &g->blocks[i];
		uint32_t end = flow_block_end(g, i);
		bool wavers = false;
		for (uint32_t k = 0; k < b->edge_count; k++)
			wavers |= g->edges[b->first_edge + k].fires == FLOW_MAYBE;
		if (!wavers || end > r->unit_count)
			continue;
		uint32_t unit = last_instruction(parts, b, end);
		r->units[unit].wavers = 1;
		r->wavers |= !(b->flags & FLOW_BLOCK_ITERATES) && will_be_heard(r, unit);
	}
}

/* LINEs that record passes of loops must be enabled. */
static bool is_kept(const struct code_record *r, const struct flow_graph *g, uint32_t start)
{
	uint32_t unit = g->starts[start].unit;

	return start >= START_MAX || (unit < r->unit_count && r->units[unit].pass & PASS_TELLS);
}

/* Without a graph (not analysed) each line is recorded. */
int code_graph_of(const struct bytecode *parts, struct flow_graph *out)
{
	const bool silent = policy_omits(&root.wishes, &(struct policy_code){0}).returns;
	const char *why;
	int err = bytecode_graph(parts, out, &why);

	for (uint32_t i = 0; !silent && i < out->block_count; i++)
		out->blocks[i].flags &= ~(uint32_t)FLOW_BLOCK_SILENT;
	return err;
}

/* To make the graph of larger code takes a quarter of a millisecond and more. */
#define LARGE_UNITS 4096

struct policy_omission code_omits(PyCodeObject *code)
{
	const struct policy_code of = {
		.generator_like = (code->co_flags & CODE_IS_GENERATOR) != 0,
		.may_be_straight = code_runs_once(code) || Py_SIZE(code) >= LARGE_UNITS,
		.watched = root.section_count || thread_is_traced(current_thread_state()),
		.lines = values_are_of_lines(code),
	};

	return policy_omits(&root.wishes, &of);
}

/* As few starts as decide the path (flow/witness.h), or all of them where each line is wanted.
 * Those with passes of loops must be among them. */
static void choose_witnesses(
	const struct code_record *r, struct flow_graph *g, struct policy_omission omits)
{
	if (!omits.starts) {
		flow_all_witnesses(g);
		return;
	}
	if (root.hot_lines)
		flow_find_sure(g);
	for (uint32_t i = 0; i < g->start_count; i++) {
		bool kept = is_kept(r, g, i);
		g->starts[i].witness = kept;
		g->starts[i].sure &= !kept;
	}
	flow_place_witnesses(g);
}

/* Without memory, no pass of the code's loops is recorded. */
static void put_passes(
	struct code_record *r, const struct bytecode *parts, const struct flow_graph *g)
{
	uint8_t *marks = g->unit_count <= r->unit_count ? calloc(r->unit_count, 1) : NULL;

	if (!marks)
		return;
	bytecode_passes(parts, g, marks, &r->checks);
	for (uint32_t i = 0; i < r->unit_count; i++)
		r->units[i].pass = marks[i] & 31u;
	free(marks);
}

/* The block of a jump that is AGAIN each time, if that can be left to the path. *flags: what says
 * so in the graph. */
static uint32_t implied_block(const struct flow_graph *g, uint32_t unit, uint32_t *flags)
{
	const uint32_t block = flow_block_at(g, unit);

	if (block == FLOW_NONE || g->blocks[block].edge_count != 1)
		return FLOW_NONE;
	const struct flow_edge *e = &g->edges[g->blocks[block].first_edge];
	const uint32_t caches = flow_block_end(g, block) - unit - 1;
	*flags = FLOW_BLOCK_PASSES | (caches ? FLOW_BLOCK_PASSES_CACHED : 0) |
		 (JUMPS_FIRST ? FLOW_BLOCK_PASSES_FIRST : 0);
	return e->to <= block && e->fires == FLOW_NEVER && caches <= 1 ? block : FLOW_NONE;
}

/* Passes that go through a yield have no event: the resume implies them. */
static void imply_passes(struct code_record *r, struct flow_graph *g)
{
	uint32_t block, flags;

	for (uint32_t i = 0; i < r->unit_count; i++)
		if (r->units[i].pass == PASS_ALWAYS &&
			(block = implied_block(g, i, &flags)) != FLOW_NONE)
			g->blocks[block].flags |= flags;
	flow_imply_passes(g);
	for (uint32_t i = 0; i < g->block_count; i++)
		if (g->blocks[i].flags & FLOW_BLOCK_PASSES)
			r->units[flow_pass_unit(g, i)].pass = 0;
}

/* What is heard of it depends on them. */
static void set_values(PyCodeObject *code, struct code_record *r)
{
	r->values = code_values_of(code);
	r->in_full = r->values != NULL;
	r->plain = !r->generator_like && !r->checks && !r->values;
	code_judge(r, (struct policy_facts){
			      .values = r->values != NULL,
			      .lines = r->values && r->values->lines,
		      });
}

/* calloc, not the interpreter's allocators: tracemalloc and sys.getallocatedblocks would count it.
 */
struct code_record *code_record_of(
	PyCodeObject *code, const struct bytecode *parts, struct flow_graph *g)
{
	uint32_t units = (uint32_t)Py_SIZE(code);
	uint32_t starts = g->start_count < START_MAX ? g->start_count : START_MAX;
	struct code_record *r =
		calloc(1, sizeof *r + units * sizeof r->units[0] + starts * sizeof r->lines[0] +
				  (ENGINE_TRACES ? units * sizeof(bool) : 0));

	if (!r)
		return NULL;
	r->lines = (int32_t *)&r->units[units];
#if ENGINE_TRACES
	r->handling = (bool *)&r->lines[starts];
	bytecode_handling(parts, r->handling);
	r->enters_handling = enters_handling(parts, r->handling);
#endif
	atomic_init(&r->code, code);
	r->unit_count = units;
	r->generator_like = (code->co_flags & CODE_IS_GENERATOR) != 0;
	r->coroutine = (code->co_flags & COROUTINE_FLAGS) != 0;
	const struct policy_omission omits = code_omits(code);
	if (!omits.passes && flow_goes_back(g))
		put_passes(r, parts, g);
	set_values(code, r);
	choose_witnesses(r, g, omits);
	if (r->generator_like && g->analysed && omits.starts)
		imply_passes(r, g);
	for (uint32_t i = 0; i < units && i < code_begins(code); i++)
		r->units[i].pending = 1;
	put_units(r, g);
	put_moving_passes(r);
	put_silent(r, parts, g);
	if (PYTHON_VERSION < 0x030d && g->analysed)
		put_waverers(r, parts, g);
	if (r->generator_like)
		put_sends(r, g);
	return r;
}

/* ---- straight code ---- */

/* Without lines and starts: the collector makes the graph from the bytecode, outside the
 * program. */
struct code_record *code_straight_record(PyCodeObject *code, bool silent)
{
	uint32_t units = (uint32_t)Py_SIZE(code);
	struct code_record *r = calloc(1, sizeof *r + units * sizeof r->units[0]);

	if (!r)
		return NULL;
	atomic_init(&r->code, code);
	r->unit_count = units;
	r->straight = true;
	set_values(code, r);
	for (uint32_t i = 0; i < units && i < code_begins(code); i++)
		r->units[i].pending = 1;
	r->units[units - 1].silent = silent;
	return r;
}

/* A section began, or a debugger was set: the lines of straight code are wanted after all. */
void code_find_lines(PyCodeObject *code, struct code_record *r)
{
	struct flow_graph graph;

	root.describing++; /* memory is asked for on the way */
	if (code_graph(code, &graph)) {
		r->own_lines = calloc(graph.start_count + 1, sizeof *r->own_lines);
		r->lines = r->own_lines;
		if (r->lines) {
			put_units(r, &graph);
			r->straight = false;
		}
		flow_graph_release(&graph);
	}
	root.describing--;
}

bool code_graph(PyCodeObject *code, struct flow_graph *out)
{
	PyObject *plain = PyCode_GetCode(code);

	*out = (struct flow_graph){0};
	if (!plain) {
		PyErr_Clear();
		return false;
	}
	struct bytecode parts = code_parts(code, plain);
	bool made = code_graph_of(&parts, out) == 0;
	Py_DECREF(plain);
	return made;
}
