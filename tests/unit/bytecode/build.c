/* Small codes written by hand, an instruction a line with its source line, and the graphs that they must give; codes
 * that cannot be analysed; and bytes that no compiler wrote. The rule as a whole is proven against CPython itself in
 * tests/exact/linestarts.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "bytecode/bytecode.h"
#include "bytecode/opcode.h"
#include "lib/alloc.h"
#include "lib/random.h"
#include "lib/writer.h"
#include "pathline/error.h"

#define X(number, name, caches, class, marks) OP12_##name = number,
enum op12 {
#include "bytecode/opcodes_3_12.h"
};
#undef X
#define X(number, name, caches, class, marks) OP13_##name = number,
enum op13 {
#include "bytecode/opcodes_3_13.h"
};
#undef X
#define X(number, name, caches, class, marks) OP14_##name = number,
enum op14 {
#include "bytecode/opcodes_3_14.h"
};
#undef X
#define X(number, name, caches, class, marks) OP15_##name = number,
enum op15 {
#include "bytecode/opcodes_3_15.h"
};
#undef X

static struct flow_graph built(const struct writer *w)
{
	struct bytecode b = written(w);
	struct flow_graph g;
	const char *why;

	assert_int_equal(bytecode_graph(&b, &g, &why), 0);
	assert_null(why);
	assert_true(g.analysed);
	assert_int_equal(flow_graph_check(&g), 0);
	return g;
}

#define NOT_THERE 9

/* How the edge between the blocks of two units fires; NOT_THERE when there is none. */
static int edge(const struct flow_graph *g, uint32_t from, uint32_t to)
{
	uint32_t a = flow_block_at(g, from), b = flow_block_at(g, to);

	assert_int_equal(g->blocks[b].unit, to);
	for (uint32_t i = 0; i < g->blocks[a].edge_count; i++)
		if (g->edges[g->blocks[a].first_edge + i].to == b)
			return (int)g->edges[g->blocks[a].first_edge + i].fires;
	return NOT_THERE;
}

static uint32_t edges_from(const struct flow_graph *g, uint32_t unit)
{
	return g->blocks[flow_block_at(g, unit)].edge_count;
}

static uint32_t flags_at(const struct flow_graph *g, uint32_t unit)
{
	return g->blocks[flow_block_at(g, unit)].flags;
}

static void expect_starts(const struct flow_graph *g, uint32_t count, const uint32_t *units)
{
	assert_int_equal(g->start_count, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(g->starts[i].unit, units[i]);
		assert_false(g->starts[i].witness);
	}
}
#define STARTS(g, ...)                                                                             \
	expect_starts(g, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                     \
		(uint32_t[]){__VA_ARGS__})

static void a_line_starts_after_resume(void **state)
{
	struct writer w = writer_of(0x030d, 1);

	(void)state;
	op(&w, OP13_RESUME, 0, 1);	 /* 0 */
	op(&w, OP13_NOP, 0, 1);		 /* 1: the same line fires, because of RESUME */
	op(&w, OP13_NOP, 0, 1);		 /* 2 */
	op(&w, OP13_NOP, 0, 3);		 /* 3 */
	op(&w, OP13_NOP, 0, NO_LINE);	 /* 4: ends the line */
	op(&w, OP13_RETURN_VALUE, 0, 3); /* 5 */
	struct flow_graph g = built(&w);
	STARTS(&g, 1, 3, 5);
	assert_int_equal(edge(&g, 0, 1), FLOW_ALWAYS);
	assert_int_equal(edge(&g, 1, 3), FLOW_ALWAYS);
	assert_int_equal(edge(&g, 3, 5), FLOW_ALWAYS);
	assert_int_equal(flags_at(&g, 0), FLOW_BLOCK_ENTRY);
	assert_int_equal(flags_at(&g, 5), FLOW_BLOCK_RETURNS | FLOW_BLOCK_SILENT);
	assert_int_equal(flow_line_at(&g, 2), 1);
	assert_int_equal(flow_line_at(&g, 4), 0);
	assert_int_equal(g.block_count, 4);
	flow_graph_release(&g);
}

/* A loop; `after` is the instruction after END_FOR. */
static struct flow_graph loop(uint16_t version, const int ops[7], int32_t after)
{
	struct writer w = writer_of(version, 1);
	int back = version == 0x030c ? 4 : 5;

	op(&w, ops[0], 0, 1);		   /* 0 RESUME */
	op(&w, ops[1], 3 + (back - 4), 2); /* 1 FOR_ITER, one cache */
	op(&w, ops[2], 0, 3);		   /* 3 the body */
	op(&w, ops[3], back, 3);	   /* 4 JUMP_BACKWARD, to 1; a cache from 3.13 on */
	op(&w, ops[2], 0, NO_LINE);	   /* never reached */
	op(&w, ops[4], 0, 2);		   /* END_FOR */
	op(&w, ops[5], 0, after);
	op(&w, ops[6], 0, 9); /* RETURN_VALUE */
	return built(&w);
}

static void a_loop_ends_in_three_ways(void **state)
{
	static const int ops12[] = {OP12_RESUME, OP12_FOR_ITER, OP12_NOP, OP12_JUMP_BACKWARD,
		OP12_END_FOR, OP12_NOP, OP12_RETURN_VALUE};
	static const int ops13[] = {OP13_RESUME, OP13_FOR_ITER, OP13_NOP, OP13_JUMP_BACKWARD,
		OP13_END_FOR, OP13_POP_TOP, OP13_RETURN_VALUE};
	static const int ops14[] = {OP14_RESUME, OP14_FOR_ITER, OP14_NOP, OP14_JUMP_BACKWARD,
		OP14_END_FOR, OP14_POP_ITER, OP14_RETURN_VALUE};

	(void)state;
	struct flow_graph g = loop(0x030c, ops12, 2);
	STARTS(&g, 1, 3, 7, 8);
	assert_int_equal(edges_from(&g, 1), 3);
	assert_int_equal(edge(&g, 1, 3), FLOW_ALWAYS);
	assert_int_equal(edge(&g, 1, 6), FLOW_NEVER);
	assert_int_equal(edge(&g, 1, 7), FLOW_MAYBE); /* the callee may have been inlined */
	assert_int_equal(edge(&g, 6, 7), FLOW_NEVER);
	assert_int_equal(edge(&g, 3, 1), FLOW_ALWAYS);
	flow_graph_release(&g);

	g = loop(0x030d, ops13, 2);
	STARTS(&g, 1, 3, 8, 9);
	assert_int_equal(edges_from(&g, 1), 4);
	assert_int_equal(edge(&g, 1, 7), FLOW_NEVER);
	assert_int_equal(edge(&g, 1, 8), FLOW_NEVER);
	assert_int_equal(edge(&g, 1, 9), FLOW_ALWAYS);
	flow_graph_release(&g);

	g = loop(0x030e, ops14, 5);
	STARTS(&g, 1, 3, 9);
	assert_int_equal(edges_from(&g, 1), 3);
	assert_int_equal(edge(&g, 1, 7), FLOW_NEVER);
	assert_int_equal(edge(&g, 1, 8), FLOW_NEVER);
	assert_int_equal(edge(&g, 8, 9), FLOW_ALWAYS);
	flow_graph_release(&g);
}

static void a_generator_goes_on_at_resume(void **state)
{
	struct writer w = writer_of(0x030d, 1);

	(void)state;
	op(&w, OP13_RETURN_GENERATOR, 0, 1);	       /* 0 */
	op(&w, OP13_POP_TOP, 0, 1);		       /* 1 */
	op(&w, OP13_RESUME, 0, 1);		       /* 2 */
	op(&w, OP13_SEND, 3, 2);		       /* 3, to 8 */
	op(&w, OP13_YIELD_VALUE, 1, 2);		       /* 5 */
	op(&w, OP13_RESUME, 2, 2);		       /* 6 */
	op(&w, OP13_JUMP_BACKWARD_NO_INTERRUPT, 5, 2); /* 7, to 3 */
	op(&w, OP13_END_SEND, 0, 2);		       /* 8 */
	op(&w, OP13_POP_TOP, 0, 2);		       /* 9 */
	op(&w, OP13_RETURN_VALUE, 0, 2);	       /* 10 */
	struct flow_graph g = built(&w);
	STARTS(&g, 3, 9);
	assert_int_equal(flags_at(&g, 0), FLOW_BLOCK_BEFORE);
	assert_int_equal(edges_from(&g, 0), 0);
	assert_int_equal(flags_at(&g, 2), FLOW_BLOCK_ENTRY);
	assert_int_equal(edge(&g, 2, 3), FLOW_ALWAYS);
	assert_int_equal(flags_at(&g, 5), FLOW_BLOCK_YIELDS);
	assert_int_equal(edges_from(&g, 5), 0);
	assert_int_equal(flags_at(&g, 6), FLOW_BLOCK_RESUME);
	assert_int_equal(edge(&g, 3, 8), FLOW_NEVER);
	assert_int_equal(edge(&g, 8, 9), FLOW_NEVER);
	assert_int_equal(edge(&g, 6, 3), FLOW_NEVER);
	struct bytecode b = written(&w);
	assert_int_equal(bytecode_first_unit(&b), 2);
	flow_graph_release(&g);
}

#define CO_GENERATOR	   0x20
#define CO_ASYNC_GENERATOR 0x200

/* A yield, and one that hands on what another one yielded (its RESUME says 2); `reason`: of the first one's. */
static struct flow_graph two_yields(uint32_t flags, int reason, int32_t line)
{
	struct writer w = writer_of(0x030d, 1);

	w.flags = flags;
	op(&w, OP13_RETURN_GENERATOR, 0, 1);	       /* 0 */
	op(&w, OP13_POP_TOP, 0, 1);		       /* 1 */
	op(&w, OP13_RESUME, 0, 1);		       /* 2 */
	op(&w, OP13_YIELD_VALUE, 0, line);	       /* 3 */
	op(&w, OP13_RESUME, reason, 2);		       /* 4 */
	op(&w, OP13_SEND, 3, 3);		       /* 5, to 10 */
	op(&w, OP13_YIELD_VALUE, 1, 3);		       /* 7 */
	op(&w, OP13_RESUME, 2, 3);		       /* 8 */
	op(&w, OP13_JUMP_BACKWARD_NO_INTERRUPT, 5, 3); /* 9, to 5 */
	op(&w, OP13_END_SEND, 0, 3);		       /* 10 */
	op(&w, OP13_RETURN_VALUE, 0, 3);	       /* 11 */
	return built(&w);
}

/* Which of the two, and the return, need no event. */
static void expect_silent(struct flow_graph g, bool own, bool handed_on, bool returns)
{
	assert_int_equal((flags_at(&g, 3) & FLOW_BLOCK_SILENT) != 0, own);
	assert_int_equal((flags_at(&g, 7) & FLOW_BLOCK_SILENT) != 0, handed_on);
	assert_int_equal((flags_at(&g, 11) & FLOW_BLOCK_SILENT) != 0, returns);
	assert_int_equal(flow_suspends(&g), own || handed_on);
	flow_graph_release(&g);
}

static void yields_of_a_generator_need_no_event(void **state)
{
	(void)state;
	expect_silent(two_yields(CO_GENERATOR, 1, 2), true, true, false);
	expect_silent(two_yields(CO_GENERATOR, 2, 2), true, true, false);
	expect_silent(two_yields(CO_GENERATOR, 1, NO_LINE), false, true, false);
	expect_silent(two_yields(CO_ASYNC_GENERATOR, 1, 2), false, false, true);
	expect_silent(two_yields(0, 1, 2), false, false, true);
}

/* A join on the line of the call before it. */
static int after_a_call(uint16_t version, int resume, int call, int branch, int ret)
{
	struct writer w = writer_of(version, 1);
	uint8_t join = version == 0x030c ? 6 : 7;

	op(&w, resume, 0, 1);
	op(&w, branch, 4, 2); /* to after the call; a cache from 3.13 on */
	op(&w, call, 0, 2);   /* three caches */
	op(&w, ret, 0, 2);
	struct flow_graph g = built(&w);
	int fires = edge(&g, 2u + (version > 0x030c), join);
	flow_graph_release(&g);
	return fires;
}

static void a_callee_may_hide_the_line_on_3_12(void **state)
{
	(void)state;
	assert_int_equal(after_a_call(0x030c, OP12_RESUME, OP12_CALL, OP12_POP_JUMP_IF_TRUE,
				 OP12_RETURN_VALUE),
		FLOW_MAYBE);
	assert_int_equal(after_a_call(0x030d, OP13_RESUME, OP13_CALL, OP13_POP_JUMP_IF_TRUE,
				 OP13_RETURN_VALUE),
		FLOW_NEVER);
	assert_int_equal(after_a_call(0x030e, OP14_RESUME, OP14_CALL, OP14_POP_JUMP_IF_TRUE,
				 OP14_RETURN_VALUE),
		FLOW_NEVER);
}

/* Into the start after an END_SEND, which no jump asks for, at `line`. */
static int into_a_far_line(uint16_t version, int resume, int nop, int ret, int32_t line)
{
	struct writer w = writer_of(version, 1000);

	op(&w, resume, 0, 1000); /* 0 */
	op(&w, nop, 0, 1000);	 /* 1 */
	op(&w, nop, 0, line);	 /* 2: a handler too, so that it opens a block on its own line */
	op(&w, ret, 0, line);	 /* 3 */
	handler(&w, 1, 1, 3);
	struct flow_graph g = built(&w);
	STARTS(&g, 1, 2, 3);
	assert_int_equal(
		flags_at(&g, 3), FLOW_BLOCK_HANDLER | FLOW_BLOCK_RETURNS | FLOW_BLOCK_SILENT);
	int fires = edge(&g, 2, 3);
	flow_graph_release(&g);
	return fires;
}

static void a_far_line_is_not_compared_on_3_13(void **state)
{
	(void)state;
	assert_int_equal(into_a_far_line(0x030d, OP13_RESUME, OP13_NOP, OP13_RETURN_VALUE, 1127),
		FLOW_NEVER);
	assert_int_equal(into_a_far_line(0x030d, OP13_RESUME, OP13_NOP, OP13_RETURN_VALUE, 1128),
		FLOW_MAYBE);
	assert_int_equal(
		into_a_far_line(0x030d, OP13_RESUME, OP13_NOP, OP13_RETURN_VALUE, 875), FLOW_NEVER);
	assert_int_equal(
		into_a_far_line(0x030d, OP13_RESUME, OP13_NOP, OP13_RETURN_VALUE, 874), FLOW_MAYBE);
	assert_int_equal(into_a_far_line(0x030e, OP14_RESUME, OP14_NOP, OP14_RETURN_VALUE, 2000),
		FLOW_NEVER);
	assert_int_equal(into_a_far_line(0x030c, OP12_RESUME, OP12_NOP, OP12_RETURN_VALUE, 2000),
		FLOW_NEVER);
}

/* Into a far line on the line before, when a jump asks for that start too: then the line before is looked at. */
static void a_far_line_that_a_jump_asks_for_is_compared(void **state)
{
	struct writer w = writer_of(0x030d, 1000);

	(void)state;
	op(&w, OP13_RESUME, 0, 1000);		/* 0 */
	op(&w, OP13_POP_JUMP_IF_TRUE, 1, 2000); /* 1, a cache, to 4 */
	op(&w, OP13_NOP, 0, 2000);		/* 3 */
	op(&w, OP13_NOP, 0, 2000);		/* 4 */
	op(&w, OP13_RETURN_VALUE, 0, 2000);	/* 5: a handler, for which no jump asks */
	handler(&w, 1, 1, 5);
	struct flow_graph g = built(&w);
	STARTS(&g, 1, 4, 5);
	assert_int_equal(edge(&g, 1, 4), FLOW_NEVER);
	assert_int_equal(edge(&g, 3, 4), FLOW_NEVER);
	assert_int_equal(edge(&g, 4, 5), FLOW_MAYBE);
	flow_graph_release(&g);
}

static void a_jump_to_pop_iter_starts_nothing(void **state)
{
	struct writer w = writer_of(0x030e, 1);

	(void)state;
	op(&w, OP14_RESUME, 0, 1);	 /* 0 */
	op(&w, OP14_JUMP_FORWARD, 1, 2); /* 1, to 3 */
	op(&w, OP14_NOP, 0, 2);		 /* 2 */
	op(&w, OP14_POP_ITER, 0, 3);	 /* 3 */
	op(&w, OP14_RETURN_VALUE, 0, 2); /* 4: the line is still 2 */
	struct flow_graph g = built(&w);
	STARTS(&g, 1);
	assert_int_equal(edge(&g, 1, 3), FLOW_NEVER);
	flow_graph_release(&g);
}

/* 3.15 gets the iterator before it makes the generator: events cannot begin at the instructions
 * before that. */
static void a_generator_expression_begins_at_its_second_resume(void **state)
{
	struct writer w = writer_of(0x030f, 1);

	(void)state;
	op(&w, OP15_RESUME, 4, NO_LINE);     /* 0, a cache */
	op(&w, OP15_LOAD_FAST, 0, 1);	     /* 2 */
	op(&w, OP15_GET_ITER, 0, 1);	     /* 3, a cache */
	op(&w, OP15_RETURN_GENERATOR, 0, 1); /* 5 */
	op(&w, OP15_POP_TOP, 0, 1);	     /* 6 */
	op(&w, OP15_RESUME, 0, 1);	     /* 7, a cache */
	op(&w, OP15_NOP, 0, 1);		     /* 9 */
	op(&w, OP15_RETURN_VALUE, 0, 1);     /* 10 */
	struct bytecode b = written(&w);
	assert_int_equal(bytecode_first_unit(&b), 7);
	struct flow_graph g = built(&w);
	STARTS(&g, 9);
	assert_int_equal(edge(&g, 7, 9), FLOW_ALWAYS);
	flow_graph_release(&g);
}

static void an_argument_is_extended(void **state)
{
	struct writer w = writer_of(0x030e, 1);

	(void)state;
	op(&w, OP14_RESUME, 0, 1);	 /* 0 */
	op(&w, OP14_EXTENDED_ARG, 1, 2); /* 1: the start is here */
	op(&w, OP14_JUMP_FORWARD, 4, 2); /* 2, to 3 + 0x104 */
	for (int i = 3; i < 263; i++)
		op(&w, OP14_NOP, 0, 3);
	op(&w, OP14_EXTENDED_ARG, 1, 2);  /* 263: a target on the same line */
	op(&w, OP14_JUMP_BACKWARD, 9, 2); /* 264, a cache, to 266 - 0x109 = 1 */
	struct flow_graph g = built(&w);
	STARTS(&g, 1, 3, 263);
	assert_int_equal(edge(&g, 1, 263), FLOW_NEVER);
	assert_int_equal(edge(&g, 263, 1), FLOW_NEVER);
	assert_int_equal(edge(&g, 3, 263), FLOW_ALWAYS);
	assert_int_equal(edges_from(&g, 1), 1);
	flow_graph_release(&g);
}

static void handlers_open_blocks(void **state)
{
	struct writer w = writer_of(0x030c, 1);

	(void)state;
	op(&w, OP12_RESUME, 0, 1);	  /* 0 */
	op(&w, OP12_NOP, 0, 2);		  /* 1 */
	op(&w, OP12_RETURN_CONST, 0, 2);  /* 2 */
	op(&w, OP12_PUSH_EXC_INFO, 0, 2); /* 3: a start, as it is a handler */
	op(&w, OP12_RERAISE, 0, 2);	  /* 4 */
	op(&w, OP12_END_ASYNC_FOR, 0, 4); /* 5: a handler, and never a start */
	op(&w, OP12_NOP, 0, NO_LINE);	  /* 6: a handler without a line */
	op(&w, OP12_RETURN_CONST, 0, 4);  /* 7 */
	handler(&w, 1, 1, 3);
	handler(&w, 1, 1, 5);
	handler(&w, 1, 1, 6);
	struct flow_graph g = built(&w);
	STARTS(&g, 1, 3, 7);
	assert_int_equal(flags_at(&g, 3), FLOW_BLOCK_HANDLER | FLOW_BLOCK_RAISES);
	assert_int_equal(flags_at(&g, 5), FLOW_BLOCK_HANDLER);
	assert_int_equal(flags_at(&g, 6), FLOW_BLOCK_HANDLER);
	assert_int_equal(edge(&g, 5, 6), FLOW_NEVER);
	assert_int_equal(edge(&g, 6, 7), FLOW_ALWAYS);
	assert_int_equal(edges_from(&g, 3), 0);
	flow_graph_release(&g);
}

/* RESUME, two lines, and what spoils it. */
static struct writer sound(void)
{
	struct writer w = writer_of(0x030d, 1);

	op(&w, OP13_RESUME, 0, 1);	/* 0 */
	op(&w, OP13_LOAD_GLOBAL, 0, 2); /* 1, four caches */
	return w;
}

static void expect_refused(const struct writer *w, const char *reason, uint32_t starts)
{
	struct bytecode b = written(w);
	struct flow_graph g;
	const char *why;

	assert_int_equal(bytecode_graph(&b, &g, &why), PL_ERR_FORMAT);
	assert_string_equal(why, reason);
	assert_false(g.analysed);
	assert_int_equal(flow_graph_check(&g), 0);
	assert_int_equal(g.start_count, starts);
	assert_int_equal(g.block_count, 0);
	assert_int_equal(flow_line_at(&g, (uint32_t)(w->code_bytes / 2) - 1), w->line);
	flow_graph_release(&g);
}

static void says_why_it_cannot(void **state)
{
	struct writer w;

	(void)state;
	w = sound();
	op(&w, OP13_JUMP_BACKWARD, 4, 3); /* 6, to 4 */
	expect_refused(&w, "a jump to what is no instruction", 2);
	w = sound();
	op(&w, OP13_JUMP_BACKWARD, 9, 3);
	expect_refused(&w, "a jump to what is no instruction", 2);
	w = sound();
	for (int i = 0; i < 3; i++)
		op(&w, OP13_EXTENDED_ARG, 255, 3);
	op(&w, OP13_JUMP_BACKWARD, 255 - 4, 3); /* 9; 11 - (2^32 - 5) is 16 in 32 bits */
	for (int i = 11; i < 20; i++)
		op(&w, OP13_NOP, 0, 3);
	expect_refused(&w, "a jump to what is no instruction", 2);
	w = sound();
	op(&w, OP13_JUMP_FORWARD, 1, 3);
	expect_refused(&w, "a jump to what is no instruction", 2);
	w = sound();
	op(&w, 255, 0, 3);
	expect_refused(&w, "an opcode that this version does not have", 2);
	w = sound();
	handler(&w, 0, 1, 3);
	expect_refused(&w, "an exception handler at what is no instruction", 1);
	w = sound();
	handler(&w, 0, 1, 60);
	expect_refused(&w, "an exception handler at what is no instruction", 1);
	w = sound();
	handler(&w, 0, 1, 1);
	w.handler_bytes--;
	expect_refused(&w, "a damaged exception table", 1);
	w = sound();
	w.code[0] = OP13_NOP;
	expect_refused(&w, "no RESUME", 0);
	w = sound();
	w.version = 0x0300;
	expect_refused(&w, "a version whose opcodes are not known", 0);
	assert_false(bytecode_knows(0x0300));
	assert_true(bytecode_knows(0x030c) && bytecode_knows(0x030d) && bytecode_knows(0x030e) &&
		    bytecode_knows(0x030f));
}

static void a_damaged_line_table_ends_the_lines(void **state)
{
	static const uint8_t bad[] = {0x80 | 13 << 3, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f};
	struct writer w = sound();
	struct flow_graph g;
	const char *why;

	(void)state;
	memcpy(w.lines, bad, sizeof bad);
	struct bytecode b = written(&w);
	assert_int_equal(bytecode_graph(&b, &g, &why), PL_ERR_FORMAT);
	assert_string_equal(why, "a damaged line table");
	assert_int_equal(flow_line_at(&g, 1), 0);
	flow_graph_release(&g);
	b.line_table.left = 0; /* none at all is no damage */
	assert_int_equal(bytecode_graph(&b, &g, &why), 0);
	assert_int_equal(g.start_count, 0);
	flow_graph_release(&g);
}

static void an_empty_code_is_none(void **state)
{
	struct bytecode b = {.version = 0x030d};
	struct flow_graph g;
	const char *why;

	(void)state;
	assert_int_equal(bytecode_graph(&b, &g, &why), PL_ERR_FORMAT);
	assert_string_equal(why, "no RESUME");
	assert_int_equal(flow_graph_check(&g), 0);
	assert_int_equal(bytecode_first_unit(&b), 0);
	flow_graph_release(&g);
}

/* A copy of exactly the view's size, so that a read past it is seen; the caller frees it. */
static void *shrink(struct pl_view *v)
{
	void *copy = malloc(v->left ? v->left : 1);

	assert_non_null(copy);
	if (v->left)
		memcpy(copy, v->at, v->left);
	v->at = copy;
	return copy;
}

/* True when it was analysed. */
static bool build_exactly(struct bytecode b)
{
	void *parts[] = {shrink(&b.code), shrink(&b.line_table), shrink(&b.except_table)};
	struct flow_graph g;
	const char *why;
	int err = bytecode_graph(&b, &g, &why);

	assert_true(err == 0 ? !why : err == PL_ERR_FORMAT && why && !g.analysed);
	assert_int_equal(flow_graph_check(&g), 0);
	assert_true(bytecode_first_unit(&b) <= b.code.left / 2);
	flow_graph_release(&g);
	for (int i = 0; i < 3; i++)
		free(parts[i]);
	return err == 0;
}

/* Code of known opcodes with small arguments, so that many jumps land; then all that random bytes can do. */
static void builds_from_any_bytes(void **state)
{
	struct random r = {3};
	uint8_t code[120], lines[100], handlers[40];
	unsigned analysed = 0;

	(void)state;
	for (int round = 0; round < 60000; round++) {
		uint16_t version = (uint16_t)(0x030b + random_below(&r, 6));
		const struct opcode_version *v = opcode_version_find(version);
		random_fill(&r, code, sizeof code);
		random_fill(&r, lines, sizeof lines);
		random_fill(&r, handlers, sizeof handlers);
		for (size_t i = 0; v && round % 4 && i < sizeof code; i += 2) {
			while (v->opcodes[code[i]].class == OPCODE_UNKNOWN)
				code[i] = (uint8_t)random_next(&r);
			code[i + 1] &= 7;
		}
		struct bytecode b = {.version = version,
			.code = view_of(code, random_below(&r, sizeof code + 1)),
			.line_table = view_of(lines, random_below(&r, sizeof lines + 1)),
			.except_table = view_of(handlers, round % 3 ? 0 : random_below(&r, 41)),
			.first_line = (int32_t)random_next(&r)};
		analysed += build_exactly(b);
	}
	assert_true(analysed > 1000); /* or it tests less than it seems to */
}

static void fails_without_memory(void **state)
{
	struct writer w = sound();
	struct bytecode b = written(&w);
	struct flow_graph g;
	const char *why;
	unsigned refused = 0;

	(void)state;
	for (;;) {
		alloc_grant = refused + 1;
		int err = bytecode_graph(&b, &g, &why);
		if (alloc_grant)
			break;
		assert_int_equal(err, PL_ERR_MEMORY);
		assert_null(why);
		flow_graph_release(&g);
		refused++;
	}
	alloc_grant = 0;
	assert_int_equal(refused, 2); /* its work space, and the graph */
	flow_graph_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_starts_after_resume),
		cmocka_unit_test(a_loop_ends_in_three_ways),
		cmocka_unit_test(a_generator_goes_on_at_resume),
		cmocka_unit_test(yields_of_a_generator_need_no_event),
		cmocka_unit_test(a_callee_may_hide_the_line_on_3_12),
		cmocka_unit_test(a_far_line_is_not_compared_on_3_13),
		cmocka_unit_test(a_far_line_that_a_jump_asks_for_is_compared),
		cmocka_unit_test(a_jump_to_pop_iter_starts_nothing),
		cmocka_unit_test(a_generator_expression_begins_at_its_second_resume),
		cmocka_unit_test(an_argument_is_extended),
		cmocka_unit_test(handlers_open_blocks),
		cmocka_unit_test(says_why_it_cannot),
		cmocka_unit_test(a_damaged_line_table_ends_the_lines),
		cmocka_unit_test(an_empty_code_is_none),
		cmocka_unit_test(builds_from_any_bytes),
		cmocka_unit_test(fails_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
