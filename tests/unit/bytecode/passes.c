/* The marks of small loops written by hand, and of code that no compiler wrote. That the marks are
 * right for what compilers write is proven against the interpreters, by a listener of its own:
 * tests/exact/test_events.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "bytecode/opcode.h"
#include "bytecode/passes.h"
#include "lib/alloc.h"
#include "lib/random.h"
#include "pathline/error.h"

#define X(number, name, caches, class, marks) OP_##name = number,
enum op {
#include "bytecode/opcodes_3_12.h"
};
#undef X

#define VERSION	  0x030c
#define UNITS_MAX 64

/* Instructions of one unit each, with their lines, which do not go back by more than 31. */
struct written {
	uint8_t code[2 * UNITS_MAX], lines[2 * UNITS_MAX], handlers[8];
	size_t units, handler_bytes;
	int32_t line;
};

static void op(struct written *w, enum op number, uint8_t arg, int32_t line)
{
	int32_t delta = line - w->line;

	w->code[2 * w->units] = (uint8_t)number;
	w->code[2 * w->units + 1] = arg;
	w->lines[2 * w->units] = 0x80 | 13 << 3;
	w->lines[2 * w->units + 1] = (uint8_t)(delta < 0 ? -delta << 1 | 1 : delta << 1);
	w->line = line;
	w->units++;
}

static struct bytecode bytecode_of(const struct written *w)
{
	return (struct bytecode){.version = VERSION,
		.code = view_of(w->code, 2 * w->units),
		.line_table = view_of(w->lines, 2 * w->units),
		.except_table = view_of(w->handlers, w->handler_bytes)};
}

/* The marks of all units, which must be as given: a digit a unit, "." for none, "H" for 24. */
static void expect(const struct written *w, const char *marks, bool checks)
{
	struct bytecode b = bytecode_of(w);
	struct flow_graph g;
	uint8_t found[UNITS_MAX] = {0};
	char text[UNITS_MAX + 1] = {0};
	const char *why;
	bool found_checks = !checks;

	assert_int_equal(bytecode_graph(&b, &g, &why), 0);
	assert_int_equal(bytecode_passes(&b, &g, found, &found_checks), 0);
	for (size_t i = 0; i < w->units; i++)
		text[i] = (char)(found[i] ? '0' + found[i] : '.');
	assert_string_equal(text, marks);
	assert_int_equal(found_checks, checks);
	flow_graph_release(&g);
}

/* for x in y: pass. LINE fires in front of the loop, and never in it. */
static void a_loop_on_one_line(void **state)
{
	struct written w = {0};

	(void)state;
	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_POP_JUMP_IF_FALSE, 2, 2); /* the head */
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_JUMP_BACKWARD, 3, 2);
	op(&w, OP_RETURN_VALUE, 0, 2);
	expect(&w, "....1.", false);
}

/* while x: …, whose LINE fires at the head: only when the loop is entered, so that it depends on
 * the frame. */
static void a_head_that_tells(void **state)
{
	struct written w = {0};

	(void)state;
	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_POP_JUMP_IF_FALSE, 2, 2); /* the head */
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_JUMP_BACKWARD, 3, 2);
	op(&w, OP_RETURN_VALUE, 0, 3);
	expect(&w, ".8.6.", true);
}

/* async for x in y: pass, whose LINE fires at the head: it enters the loop, and is no pass. */
static void a_head_that_takes_the_next(void **state)
{
	struct written w = {0};

	(void)state;
	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_GET_ANEXT, 0, 2); /* the head */
	op(&w, OP_POP_JUMP_IF_FALSE, 2, 2);
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_JUMP_BACKWARD, 4, 2);
	op(&w, OP_RETURN_VALUE, 0, 3);
	expect(&w, "....1.", false);
}

/* The same, with a way through the loop that has a line of its own, after which LINE fires in the
 * head's line once more before the jump. */
static void a_head_that_takes_the_next_and_a_silent_way(void **state)
{
	struct written w = {0};

	(void)state;
	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_GET_ANEXT, 0, 2); /* the head */
	op(&w, OP_POP_JUMP_IF_FALSE, 4, 2);
	op(&w, OP_POP_JUMP_IF_FALSE, 1, 2);
	op(&w, OP_NOP, 0, 3);
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_JUMP_BACKWARD, 6, 2);
	op(&w, OP_RETURN_VALUE, 0, 4);
	expect(&w, ".H...86.", true);
}

static void loops_of_several_lines(void **state)
{
	struct written arrives = {0}, within = {0};

	(void)state;
	op(&arrives, OP_RESUME, 0, 1);
	op(&arrives, OP_POP_JUMP_IF_FALSE, 2, 2);
	op(&arrives, OP_NOP, 0, 3);
	op(&arrives, OP_JUMP_BACKWARD, 3, 3); /* LINE fires where it leads */
	op(&arrives, OP_RETURN_VALUE, 0, 4);
	expect(&arrives, ".....", false);

	op(&within, OP_RESUME, 0, 1);
	op(&within, OP_POP_JUMP_IF_FALSE, 3, 2);
	op(&within, OP_NOP, 0, 3);
	op(&within, OP_NOP, 0, 2);
	op(&within, OP_JUMP_BACKWARD, 4, 2); /* LINE fires on the way, twice */
	op(&within, OP_RETURN_VALUE, 0, 4);
	expect(&within, "......", false);
}

/* if x: a line of its own. One way through the loop tells, the other does not. */
static void a_silent_way(void **state)
{
	struct written w = {0};

	(void)state;
	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_POP_JUMP_IF_FALSE, 4, 2); /* the head */
	op(&w, OP_POP_JUMP_IF_FALSE, 1, 2);
	op(&w, OP_NOP, 0, 3);
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_JUMP_BACKWARD, 5, 2);
	op(&w, OP_RETURN_VALUE, 0, 4);
	expect(&w, ".8...86.", true);
}

/* A loop on one line within one of several, whose jump leads to a line: it is not looked at, nor is
 * the LINE in front of it. */
static void a_loop_within(void **state)
{
	struct written w = {0};

	(void)state;
	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_POP_JUMP_IF_FALSE, 5, 2);
	op(&w, OP_NOP, 0, 3);
	op(&w, OP_POP_JUMP_IF_FALSE, 2, 3);
	op(&w, OP_NOP, 0, 3);
	op(&w, OP_JUMP_BACKWARD, 3, 3);
	op(&w, OP_JUMP_BACKWARD, 6, 3);
	op(&w, OP_RETURN_VALUE, 0, 4);
	expect(&w, ".....1..", false);
}

/* The way through a handler tells nothing, but LINE has fired in what it covers. */
static void a_handler(void **state)
{
	struct written w = {.handlers = {0x80 | 3, 1, 6, 0}, .handler_bytes = 4};

	(void)state;
	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_POP_JUMP_IF_FALSE, 2, 2); /* the head */
	op(&w, OP_NOP, 0, 3);		    /* covered */
	op(&w, OP_JUMP_BACKWARD, 3, 3);
	op(&w, OP_RETURN_VALUE, 0, 4);
	op(&w, OP_NOP, 0, 2); /* the handler */
	op(&w, OP_JUMP_BACKWARD, 6, 2);
	expect(&w, "........", false);
	w.handlers[0] = 0x80 | 2; /* the head too: now an exception may come before the LINE */
	expect(&w, ".88...86", true);
}

/* Of the jump of an await no event tells. */
static void an_unheard_jump(void **state)
{
	struct written w = {0};

	(void)state;
	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_JUMP_BACKWARD_NO_INTERRUPT, 2, 2);
	expect(&w, "...", false);
}

/* Small jumps among instructions without caches, so that most lead to one. */
static void put_random(struct random *r, struct written *w)
{
	static const enum op ops[] = {OP_NOP, OP_NOP, OP_POP_JUMP_IF_FALSE, OP_JUMP_BACKWARD,
		OP_JUMP_BACKWARD_NO_INTERRUPT, OP_JUMP_FORWARD, OP_YIELD_VALUE, OP_RESUME,
		OP_RETURN_VALUE};

	*w = (struct written){0};
	op(w, OP_RESUME, 0, 1);
	for (uint32_t n = random_below(r, UNITS_MAX); w->units < n;)
		op(w, ops[random_below(r, sizeof ops / sizeof *ops)], (uint8_t)random_below(r, 6),
			1 + (int32_t)random_below(r, 3));
	w->handler_bytes = random_below(r, sizeof w->handlers + 1);
	for (size_t i = 0; i < w->handler_bytes; i++)
		w->handlers[i] = (uint8_t)random_below(r, 40);
}

static unsigned marks_of(const struct written *w)
{
	struct bytecode b = bytecode_of(w);
	struct flow_graph g;
	const char *why;
	unsigned count = 0;
	bool checks;

	bytecode_graph(&b, &g, &why);
	uint8_t *marks = calloc(w->units, 1); /* the sanitizer watches its ends */
	assert_non_null(marks);
	assert_int_equal(bytecode_passes(&b, &g, marks, &checks), 0);
	for (size_t i = 0; i < w->units; i++)
		count += marks[i] != 0;
	free(marks);
	flow_graph_release(&g);
	return count;
}

static void any_code(void **state)
{
	struct random r = {5};
	struct written w;
	unsigned marked = 0;

	(void)state;
	for (int round = 0; round < 60000; round++) {
		put_random(&r, &w);
		marked += marks_of(&w);
	}
	assert_true(marked > 1000); /* or it tests less than it seems to */
}

static void without_memory(void **state)
{
	struct written w = {0};
	struct flow_graph g;
	const char *why;
	uint8_t marks[UNITS_MAX] = {0};
	unsigned refused = 0;
	bool checks;

	(void)state;
	op(&w, OP_RESUME, 0, 1);
	op(&w, OP_NOP, 0, 2);
	op(&w, OP_JUMP_BACKWARD, 2, 2);
	struct bytecode b = bytecode_of(&w);
	assert_int_equal(bytecode_graph(&b, &g, &why), 0);
	for (;; refused++) {
		alloc_grant = refused + 1;
		int err = bytecode_passes(&b, &g, marks, &checks);
		if (alloc_grant)
			break;
		assert_int_equal(err, PL_ERR_MEMORY);
		assert_false(checks);
		assert_int_equal(marks[2], 0);
	}
	alloc_grant = 0;
	assert_int_equal(refused, 2); /* what is asked by block, and the steps */
	flow_graph_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_on_one_line),
		cmocka_unit_test(a_head_that_tells),
		cmocka_unit_test(a_head_that_takes_the_next),
		cmocka_unit_test(a_head_that_takes_the_next_and_a_silent_way),
		cmocka_unit_test(loops_of_several_lines),
		cmocka_unit_test(a_silent_way),
		cmocka_unit_test(a_loop_within),
		cmocka_unit_test(a_handler),
		cmocka_unit_test(an_unheard_jump),
		cmocka_unit_test(any_code),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
