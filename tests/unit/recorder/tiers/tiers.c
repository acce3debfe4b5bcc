/* Which tier an event concerns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "bytecode/passes.h"
#include "recorder/code.h"
#include "recorder/root.h"
#include "recorder/tiers/hot.h"
#include "recorder/tiers/reoptimize.h"
#include "recorder/tiers/tiers.h"

struct recorder_root root;

#define UNIT 2
static struct code_record *record;
static bool is_due, is_counting, is_heard;
static int begun_times, counted_times;

bool hot_begins(PyCodeObject *code, struct code_record *r, uint32_t unit)
{
	(void)code;
	assert_ptr_equal(r, record);
	assert_int_equal(unit, UNIT);
	begun_times++;
	return true;
}

bool hot_instruction_is_heard(
	struct thread *t, const py_frame *frame, struct code_record *r, uint32_t unit)
{
	(void)t, (void)frame, (void)r;
	assert_int_equal(unit, UNIT);
	return is_heard;
}

bool reoptimize_is_due(const struct code_record *r)
{
	(void)r;
	return is_due;
}

bool reoptimize_is_counting(const struct code_record *r)
{
	(void)r;
	return is_counting;
}

bool reoptimize_counts(struct code_record *r, uint32_t unit)
{
	(void)r, (void)unit;
	counted_times++;
	return true;
}

static int setup(void **state)
{
	(void)state;
	record = calloc(1, sizeof *record + 4 * sizeof record->units[0]);
	assert_non_null(record);
	record->unit_count = 4;
	root = (struct recorder_root){.hot_lines = 10};
	is_due = is_counting = is_heard = false;
	begun_times = counted_times = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(record);
	return 0;
}

static void code_becomes_hot_with_one_line(void **state)
{
	(void)state;
	for (record->lines_heard = 0; record->lines_heard < 20; record->lines_heard++) {
		const bool now = record->lines_heard == 10;
		assert_int_equal(tier_line(NULL, record, UNIT), now);
		assert_int_equal(tier_concerns_line(record), now);
	}
	assert_int_equal(begun_times, 1);
}

static void or_when_its_lines_were_counted(void **state)
{
	(void)state;
	record->lines_heard = 3;
	is_due = true;
	assert_true(tier_line(NULL, record, UNIT));
}

static void with_hot_0_never(void **state)
{
	(void)state;
	root.hot_lines = 0;
	is_due = true;
	assert_false(tier_line(NULL, record, UNIT));
	assert_false(tier_concerns_line(record));
	assert_int_equal(begun_times, 0);
}

static void an_instruction_is_heard_or_counted(void **state)
{
	(void)state;
	assert_false(tier_instruction(NULL, NULL, record, UNIT));
	is_heard = true;
	assert_true(tier_instruction(NULL, NULL, record, UNIT));
	is_heard = false;
	is_counting = true;
	assert_true(tier_instruction(NULL, NULL, record, UNIT));
	assert_int_equal(counted_times, 1);
}

/* A pass is no line, so it is not counted among them. */
static void a_pass_is_not_counted(void **state)
{
	(void)state;
	record->units[UNIT].pass = PASS_ALWAYS;
	record->units[UNIT].heard = HEARD_MOVED;
	is_heard = is_counting = true;
	assert_true(tier_instruction(NULL, NULL, record, UNIT));
	assert_int_equal(counted_times, 0);
	record->units[UNIT].start = 1; /* that is a line */
	assert_true(tier_instruction(NULL, NULL, record, UNIT));
	assert_int_equal(counted_times, 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(code_becomes_hot_with_one_line),
		TEST(or_when_its_lines_were_counted),
		TEST(with_hot_0_never),
		TEST(an_instruction_is_heard_or_counted),
		TEST(a_pass_is_not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
