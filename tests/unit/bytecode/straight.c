/* What is called straight, and what is not; and that its graph is so, whatever the bytes. Over the
 * standard library: graphdump --walks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "bytecode/straight.h"
#include "flow/witness.h"
#include "lib/random.h"
#include "lib/straight.h"
#include "lib/writer.h"

#define X(number, name, caches, class, marks) OP_##name = number,
enum op {
#include "bytecode/opcodes_3_12.h"
};
#undef X
#define X(number, name, caches, class, marks) OP_3_13_##name = number,
enum op_3_13 {
#include "bytecode/opcodes_3_13.h"
};
#undef X

#define VERSION 0x030c

/* A class body of two lines. */
static struct writer body(void)
{
	struct writer w = writer_of(VERSION, 1);

	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_LOAD_NAME, 0, 1);
	op(&w, OP_STORE_NAME, 1, 1);
	op(&w, OP_LOAD_NAME, 0, 2);
	op(&w, OP_BINARY_OP, 0, 2);
	op(&w, OP_STORE_NAME, 1, 2);
	return w;
}

static bool is_straight(const struct writer *w, bool *silent)
{
	struct bytecode b = written(w);

	return bytecode_is_straight(&b, silent);
}

static void one_way_is_straight(void **state)
{
	struct writer w = body(), bare = body(), closure = writer_of(VERSION, 1);
	bool silent = false;

	(void)state;
	op(&w, OP_RETURN_CONST, 0, 2);
	assert_true(is_straight(&w, &silent));
	assert_true(silent);
	op(&bare, OP_RETURN_CONST, 0, NO_LINE);
	assert_true(is_straight(&bare, &silent));
	assert_false(silent);
	op(&closure, OP_MAKE_CELL, 0, NO_LINE);
	op(&closure, OP_RESUME, 0, 1);
	op(&closure, OP_EXTENDED_ARG, 1, 1);
	op(&closure, OP_LOAD_CONST, 1, 1);
	op(&closure, OP_RETURN_VALUE, 0, 1);
	assert_true(is_straight(&closure, &silent));
	assert_true(silent);
}

static void a_turn_is_not(void **state)
{
	static const enum op turns[] = {OP_POP_JUMP_IF_FALSE, OP_JUMP_BACKWARD, OP_FOR_ITER,
		OP_SEND, OP_YIELD_VALUE, OP_RAISE_VARARGS, OP_RERAISE, OP_RETURN_VALUE, OP_RESUME,
		OP_END_FOR};
	bool silent;

	(void)state;
	for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
		struct writer w = body();
		op(&w, (int)turns[i], 1, 2);
		op(&w, OP_NOP, 0, 2);
		op(&w, OP_RETURN_CONST, 0, 2);
		assert_false(is_straight(&w, &silent));
	}
}

/* In 3.13 and later a module's RESUME is before its first line, where lines may not be told
 * apart. LINE fires after a RESUME whatever its line is, but not so after others. */
static void a_module_is_straight(void **state)
{
	bool silent;

	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct writer w = writer_of(0x030d, 1);
		op(&w, OP_3_13_RESUME, 0, 0);
		for (unsigned i = 0; i < more; i++)
			op(&w, OP_3_13_NOP, 0, 0);
		op(&w, OP_3_13_RETURN_CONST, 0, 1);
		assert_true(is_straight(&w, &silent) == !more);
	}
}

static void what_cannot_be_analysed_is_not(void **state)
{
	struct writer w = body(), handled = body(), early = writer_of(VERSION, 1), unknown = body(),
		      damaged = body();
	bool silent;

	(void)state;
	assert_false(is_straight(&w, &silent)); /* it does not return */
	op(&early, OP_RETURN_CONST, 0, 1);	/* nor begin */
	assert_false(is_straight(&early, &silent));
	op(&handled, OP_RETURN_CONST, 0, 2);
	handler(&handled, 1, 2, 3);
	assert_false(is_straight(&handled, &silent));
	op(&unknown, OP_RETURN_CONST, 0, 2);
	unknown.version = 0x0310;
	assert_false(is_straight(&unknown, &silent));
	op(&damaged, OP_RETURN_CONST, 0, 2);
	memset(damaged.lines, 0x7f, damaged.line_bytes); /* a number without an end */
	damaged.lines[0] = 0x80 | 13 << 3;
	assert_false(is_straight(&damaged, &silent));
}

static void expect_straight_graph(const struct bytecode *b, bool silent)
{
	struct flow_graph g;
	const char *why;

	assert_int_equal(bytecode_graph(b, &g, &why), 0);
	assert_int_equal(flow_place_witnesses(&g), 0);
	assert_true(graph_is_straight(&g, silent));
	flow_graph_release(&g);
}

/* Mostly of what goes on, so that some is straight. */
static void whatever_the_bytes(void **state)
{
	struct random r = {5};
	uint8_t code[24], lines[48];
	unsigned straight = 0;
	bool silent;

	(void)state;
	for (unsigned round = 0; round < 300000; round++) {
		const uint16_t version = (uint16_t)(0x030b + random_below(&r, 6));
		const struct opcode_version *v = opcode_version_find(version);
		size_t units = 1 + random_below(&r, sizeof code / 2);
		random_fill(&r, code, sizeof code);
		random_fill(&r, lines, sizeof lines);
		for (size_t i = 0; v && i < units; i++) {
			const unsigned class = i + 1 == units ? OPCODE_RETURN
					       : i	      ? OPCODE_PLAIN
							      : OPCODE_RESUME;
			const bool other = !random_below(&r, 40);
			while (!other && v->opcodes[code[2 * i]].class != class)
				code[2 * i]++;
		}
		struct bytecode b = {.version = version,
			.code = view_of(code, 2 * units),
			.line_table = view_of(lines, random_below(&r, sizeof lines + 1)),
			.first_line = (int32_t)random_below(&r, 100)};
		if (!bytecode_is_straight(&b, &silent))
			continue;
		expect_straight_graph(&b, silent);
		straight++;
	}
	assert_true(straight > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_way_is_straight),
		cmocka_unit_test(a_turn_is_not),
		cmocka_unit_test(a_module_is_straight),
		cmocka_unit_test(what_cannot_be_analysed_is_not),
		cmocka_unit_test(whatever_the_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
