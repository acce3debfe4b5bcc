/* Entries and exits of native functions: what follows from an order of events, and from one that is
 * broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "source/native_stack.h"

enum { A = 0x1000, B = 0x2000, C = 0x3000 };

static struct native_stack stack;
static uint64_t clock_now;

static uint32_t enter(uint64_t address, uint64_t at, uint32_t site, struct native_step *out)
{
	const struct native_word w = {
		.address = address, .stack = at, .site = site, .ticks = ++clock_now};

	return native_stack_take(&stack, &w, out);
}

static uint32_t leave(uint64_t address, uint64_t at, bool jumped, struct native_step *out)
{
	const struct native_word w = {.address = address,
		.stack = at,
		.exit = true,
		.jumped = jumped,
		.ticks = ++clock_now};

	return native_stack_take(&stack, &w, out);
}

static int begin(void **state)
{
	(void)state;
	clock_now = 100;
	return 0;
}

static int end(void **state)
{
	(void)state;
	native_stack_release(&stack);
	return 0;
}

static void is_step(
	const struct native_step *s, enum native_step_kind kind, uint64_t address, uint32_t depth)
{
	assert_int_equal(s->kind, kind);
	assert_int_equal(s->address, address);
	assert_int_equal(s->depth, depth);
}

static void test_nested(void **state)
{
	struct native_step s[NATIVE_STEPS_MAX] = {{0}};

	(void)state;
	assert_int_equal(enter(A, 100, 1, s), 1);
	is_step(s, NATIVE_STEP_ENTER, A, 0);
	assert_int_equal(enter(B, 90, 2, s), 1);
	is_step(s, NATIVE_STEP_ENTER, B, 1);
	assert_int_equal(leave(B, 90, false, s), 1);
	is_step(s, NATIVE_STEP_EXIT, B, 1);
	assert_int_equal(s->duration_ticks, 1);
	assert_int_equal(leave(A, 105, true, s), 1);
	is_step(s, NATIVE_STEP_EXIT, A, 0);
	assert_int_equal(s->duration_ticks, 3);
}

/* B is left by longjmp, and called again from another place. */
static void test_longjmp(void **state)
{
	struct native_step s[NATIVE_STEPS_MAX] = {{0}};

	(void)state;
	enter(A, 100, 1, s);
	enter(B, 90, 2, s);
	assert_int_equal(enter(B, 90, 3, s), 2);
	is_step(&s[0], NATIVE_STEP_GAP, B, 1);
	assert_int_equal(s[0].gap, NATIVE_GAP_LEFT);
	assert_int_equal(s[0].count, 1);
	is_step(&s[1], NATIVE_STEP_ENTER, B, 1);
	enter(C, 80, 4, s);
	assert_int_equal(leave(A, 100, false, s), 2);
	is_step(&s[0], NATIVE_STEP_GAP, B, 1);
	assert_int_equal(s[0].count, 2);
	is_step(&s[1], NATIVE_STEP_EXIT, A, 0);
}

/* The same place, the same stack: no two of it can be there. */
static void test_longjmp_in_a_loop(void **state)
{
	struct native_step s[NATIVE_STEPS_MAX] = {{0}};

	(void)state;
	enter(A, 100, 1, s);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(enter(B, 90, 2, s), i ? 2 : 1);
		is_step(&s[i ? 1 : 0], NATIVE_STEP_ENTER, B, 1);
	}
}

/* A function that is compiled into its caller has its stack and its site. */
static void test_inlined(void **state)
{
	struct native_step s[NATIVE_STEPS_MAX] = {{0}};

	(void)state;
	enter(A, 100, 1, s);
	assert_int_equal(enter(B, 100, 1, s), 1);
	is_step(s, NATIVE_STEP_ENTER, B, 1);
	assert_int_equal(leave(B, 100, false, s), 1);
	is_step(s, NATIVE_STEP_EXIT, B, 1);
	assert_int_equal(leave(A, 100, false, s), 1);
}

/* Which one of a recursion is over is said by the stack. */
static void test_recursion_left(void **state)
{
	struct native_step s[NATIVE_STEPS_MAX] = {{0}};

	(void)state;
	enter(A, 100, 1, s);
	enter(A, 90, 2, s);
	enter(A, 80, 2, s);
	assert_int_equal(leave(A, 100, false, s), 2);
	is_step(&s[0], NATIVE_STEP_GAP, A, 1);
	assert_int_equal(s[0].count, 2);
	is_step(&s[1], NATIVE_STEP_EXIT, A, 0);
	/* jumped to, when its own frame was gone: above it, but below its caller's */
	enter(A, 100, 1, s);
	enter(A, 90, 2, s);
	assert_int_equal(leave(A, 98, true, s), 1);
	is_step(&s[0], NATIVE_STEP_EXIT, A, 1);
}

static void test_broken(void **state)
{
	struct native_step s[NATIVE_STEPS_MAX] = {{0}};

	(void)state;
	assert_int_equal(leave(C, 100, false, s), 1);
	is_step(s, NATIVE_STEP_GAP, C, 0);
	assert_int_equal(s[0].gap, NATIVE_GAP_NO_ENTRY);
	enter(A, 100, 1, s);
	assert_int_equal(native_stack_take(&stack, &(struct native_word){.lost = 7}, s), 1);
	is_step(s, NATIVE_STEP_GAP, 0, 0);
	assert_int_equal(s[0].gap, NATIVE_GAP_LOST);
	assert_int_equal(s[0].count, 7);
	for (uint64_t i = 0; i < NATIVE_DEPTH_MAX; i++)
		assert_int_equal(enter(A, 10000000 - i, 1, s), 1);
	assert_int_equal(enter(A, 1, 1, s), 1);
	assert_int_equal(s[0].gap, NATIVE_GAP_TOO_DEEP);
}

/* The low bits say it, near to what is known. */
static void test_words(void **state)
{
	const uint64_t ticks = UINT64_C(0x123456789abcdef0), sp = 0x7ffc12345670 >> 4;
	struct native_word w = {0};
	struct native_event e = {.when = ticks << NATIVE_STACK_BITS | (sp & 0xfffff),
		.what = NATIVE_EXIT | UINT64_C(1) << 56 | UINT64_C(0xab) << 48 | 0x7f0011223344};
	struct native_stack last = {.stack = sp + 1000};

	(void)state;
	native_event_read(&e, &last, ticks + 5000, &w);
	assert_true(w.exit && w.jumped);
	assert_int_equal(w.address, 0x7f0011223344);
	assert_int_equal(w.code, 0xab);
	assert_int_equal(w.ticks, ticks);
	assert_int_equal(w.stack, sp);
	last.stack = sp - 0x7ffff;
	native_event_read(&e, &last, ticks, &w);
	assert_int_equal(w.stack, sp);
	e = (struct native_event){.when = 12};
	native_event_read(&e, &last, ticks, &w);
	assert_int_equal(w.address, 0);
	assert_int_equal(w.lost, 12);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nested),
		TEST(test_longjmp),
		TEST(test_longjmp_in_a_loop),
		TEST(test_inlined),
		TEST(test_recursion_left),
		TEST(test_broken),
		TEST(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
