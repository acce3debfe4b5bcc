/* The stack machine: what each event does, and that it refuses what cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "format/stack.h"
#include "tests/lib/random.h"

static void apply(struct stack *s, struct event e)
{
	assert_int_equal(stack_apply(s, &e), 0);
}

static void refuse(struct stack *s, struct event e)
{
	uint32_t depth = s->depth;

	assert_int_equal(stack_apply(s, &e), PL_ERR_FORMAT);
	assert_int_equal(s->depth, depth);
}

static void expect_top(const struct stack *s, uint32_t code, enum stack_place place, uint32_t value)
{
	assert_non_null(stack_top(s));
	assert_int_equal(stack_top(s)->code, code);
	assert_int_equal(stack_top(s)->place, place);
	assert_int_equal(stack_top(s)->value, value);
}

static void test_places(void **state)
{
	struct stack s = {0};
	(void)state;

	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 1, .site = EVENT_NO_SITE});
	expect_top(&s, 1, PLACE_ENTRY, 0);
	apply(&s, (struct event){.kind = EVENT_LINE, .index = 4});
	expect_top(&s, 1, PLACE_START, 4);
	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 2, .site = 30});
	apply(&s, (struct event){.kind = EVENT_LEAVE, .unit = 5});
	expect_top(&s, 1, PLACE_UNIT, 30);
	apply(&s, (struct event){.kind = EVENT_RAISE, .unit = 31});
	assert_true(stack_top(&s)->raised);
	apply(&s, (struct event){.kind = EVENT_HANDLED, .unit = 40});
	expect_top(&s, 1, PLACE_HANDLER, 40);
	assert_false(stack_top(&s)->raised);
	apply(&s, (struct event){.kind = EVENT_THROW, .code = 3, .gen = 8, .unit = 6, .site = 41});
	assert_true(stack_top(&s)->raised);
	apply(&s, (struct event){.kind = EVENT_LINE_AT, .unit = 7, .line = 99});
	expect_top(&s, 3, PLACE_UNIT, 7);
	assert_false(stack_top(&s)->raised);
	assert_int_equal(stack_top(&s)->gen, 8);
	stack_release(&s);
}

static void test_refusals(void **state)
{
	struct stack s = {0};
	(void)state;

	refuse(&s, (struct event){.kind = EVENT_LINE});
	refuse(&s, (struct event){.kind = EVENT_LEAVE});
	refuse(&s, (struct event){.kind = EVENT_TASK});
	refuse(&s, (struct event){.kind = EVENT_POPS, .a = 1});
	apply(&s, (struct event){.kind = EVENT_LINK, .code = 1});
	assert_true(stack_top(&s)->linked);
	refuse(&s, (struct event){.kind = EVENT_POPS, .a = 2});
	apply(&s, (struct event){.kind = EVENT_POPS, .a = 1});
	stack_release(&s);
	stack_release(&s);
}

static void name(struct stack *s, const char *text)
{
	apply(s, (struct event){.kind = EVENT_TASK, .text = view_of(text, strlen(text))});
}

static void test_tasks(void **state)
{
	struct stack s = {0};
	(void)state;

	for (uint32_t i = 0; i < 3; i++)
		apply(&s, (struct event){.kind = EVENT_ENTER, .code = i, .site = EVENT_NO_SITE});
	name(&s, "outer");
	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 7, .site = 1});
	assert_string_equal(stack_running_task(&s)->name, "outer");
	name(&s, "inner");
	name(&s, "renamed");
	assert_string_equal(stack_running_task(&s)->name, "renamed");
	apply(&s, (struct event){.kind = EVENT_UNWIND});
	assert_string_equal(stack_running_task(&s)->name, "outer");
	apply(&s, (struct event){.kind = EVENT_POPS, .a = 2});
	assert_null(stack_running_task(&s));
	stack_release(&s);
}

static struct event task(uint64_t number, const char *text)
{
	return (struct event){.kind = EVENT_TASK,
		.flags = EVENT_NUMBERED,
		.a = number,
		.text = view_of(text, strlen(text))};
}

static void expect_task(const struct stack *s, uint64_t number, const char *text)
{
	const struct stack_task *t = stack_running_task(s);

	assert_non_null(t);
	assert_int_equal(t->number, number);
	assert_string_equal(t->name, text);
}

/* Told before its root is pushed; until then, and after it, the one below runs. */
static void test_numbered_tasks(void **state)
{
	struct stack s = {0}, copy = {0};
	(void)state;

	apply(&s, task(1, "parent"));
	assert_true(stack_task_waits(&s));
	assert_null(stack_running_task(&s));
	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 1, .site = EVENT_NO_SITE});
	assert_false(stack_task_waits(&s));
	expect_task(&s, 1, "parent");
	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 2, .site = 1});
	apply(&s, task(2, ""));
	apply(&s, task(3, "eager"));
	apply(&s, (struct event){.kind = EVENT_LINE, .index = 4});
	expect_task(&s, 1, "parent");
	assert_int_equal(stack_copy(&copy, &s), 0);
	assert_true(stack_task_waits(&copy));
	apply(&s, (struct event){.kind = EVENT_RESUME, .code = 3, .gen = 4, .site = 1});
	expect_task(&s, 3, "eager");
	apply(&s, task(3, "renamed")); /* what it runs by hand is of it */
	assert_false(stack_task_waits(&s));
	expect_task(&s, 3, "renamed");
	assert_int_equal(stack_task_at(&s, 1)->number, 1);
	assert_int_equal(stack_task_at(&s, 2)->number, 3);
	apply(&s, (struct event){.kind = EVENT_SUSPEND});
	expect_task(&s, 1, "parent");
	apply(&s, task(5, "never"));
	apply(&s, (struct event){.kind = EVENT_POPS, .a = 1});
	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 6, .site = 1});
	expect_task(&s, 1, "parent");
	stack_release(&copy);
	stack_release(&s);
}

static void test_gap(void **state)
{
	struct stack s = {0};
	(void)state;

	for (uint32_t i = 0; i < 4; i++) {
		apply(&s, (struct event){.kind = EVENT_ENTER, .code = i, .site = 9});
		apply(&s, (struct event){.kind = EVENT_LINE, .index = i});
	}
	apply(&s, (struct event){.kind = EVENT_GAP});
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(stack_place_of(&s, i), PLACE_UNKNOWN);
	apply(&s, (struct event){.kind = EVENT_POPS, .a = 1});
	expect_top(&s, 2, PLACE_UNKNOWN, 9);
	apply(&s, (struct event){.kind = EVENT_LINE, .index = 5});
	assert_int_equal(stack_place_of(&s, 2), PLACE_START);
	assert_int_equal(stack_place_of(&s, 1), PLACE_UNKNOWN);
	stack_release(&s);
}

/* One that is left and comes back has the same frames, and the least depth has seen the switch. */
static void test_greenlets(void **state)
{
	struct stack s = {0}, copy = {0};
	(void)state;

	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 1, .site = EVENT_NO_SITE});
	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 2, .site = 3});
	stack_mark(&s);
	apply(&s, (struct event){.kind = EVENT_GREENLET, .a = 7});
	assert_int_equal(s.depth, 0);
	assert_int_equal(s.min_depth, 0);
	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 4, .site = EVENT_NO_SITE});
	name(&s, "Greenlet-7");
	assert_int_equal(stack_copy(&copy, &s), 0);
	assert_int_equal(copy.greenlet, 7);
	apply(&s, (struct event){.kind = EVENT_GREENLET, .a = 0});
	assert_null(stack_running_task(&s));
	apply(&s, (struct event){.kind = EVENT_LINK, .flags = EVENT_BACK, .code = 1, .unit = 3});
	expect_top(&s, 1, PLACE_UNIT, 3);
	assert_false(stack_top(&s)->linked);
	apply(&s, (struct event){.kind = EVENT_LINK,
			  .flags = EVENT_BACK | EVENT_MOVED,
			  .code = 2,
			  .unit = 9});
	expect_top(&s, 2, PLACE_UNKNOWN, 0);
	assert_int_equal(s.greenlet, 0);
	stack_reset(&copy);
	assert_int_equal(copy.greenlet, 0);
	stack_release(&s);
	stack_release(&copy);
}

/* What a trace function does is not recorded: where its frame stands is not known, though it calls
 * from somewhere. */
static void test_hidden(void **state)
{
	const struct event hidden = {
		.kind = EVENT_LINK, .flags = EVENT_HIDDEN, .code = 2, .unit = EVENT_NO_UNIT};
	struct stack s = {0};
	(void)state;

	assert_int_equal(event_minor(&hidden), 6);
	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 1, .site = EVENT_NO_SITE});
	apply(&s, (struct event){.kind = EVENT_LINE, .index = 3});
	apply(&s, hidden);
	apply(&s, (struct event){.kind = EVENT_ENTER, .code = 3, .site = 5});
	assert_int_equal(stack_place_of(&s, 1), PLACE_UNKNOWN);
	apply(&s, (struct event){.kind = EVENT_POPS, .a = 1});
	assert_true(stack_top(&s)->linked);
	assert_int_equal(stack_place_of(&s, 1), PLACE_UNKNOWN);
	apply(&s, (struct event){.kind = EVENT_POPS, .a = 1});
	expect_top(&s, 1, PLACE_START, 3);
	stack_release(&s);
}

/* Whatever comes: depths and the least depth stay true, a copy is the same. */
static void test_random(void **state)
{
	struct stack s = {0}, copy = {0};
	struct random random = {.state = 11};
	uint32_t least = 0;
	(void)state;

	for (int i = 0; i < 100000; i++) {
		struct event e = {
			.kind = (enum event_kind)random_below(&random, EVENT_GREENLET + 1),
			.a = random_below(&random, 4),
			.text = view_of("abcdefg", random_below(&random, 7)),
			.code = random_below(&random, 9)};
		stack_apply(&s, &e);
		if (i % 1000 == 0) {
			stack_mark(&s);
			least = s.depth;
		}
		least = s.depth < least ? s.depth : least;
		assert_int_equal(s.min_depth, least);
		assert_true(s.stale ? s.stale < s.depth : true);
		if (s.task_count)
			assert_in_range(stack_running_task(&s)->frame, 0, s.depth - 1);
		if (i % 100 == 0) {
			assert_int_equal(stack_copy(&copy, &s), 0);
			assert_int_equal(copy.depth, s.depth);
			for (uint32_t k = 0; k < s.depth; k++)
				assert_int_equal(copy.frames[k].code, s.frames[k].code);
		}
	}
	stack_release(&s);
	stack_release(&copy);
}

/* What the table says of a kind is what the machine does: which needs a frame, begins one, ends
 * one. */
static void test_table(void **state)
{
	static const enum event_kind kinds[] = {
#define X(constant, ...) EVENT_##constant,
		EVENT_TABLE(X)
#undef X
	};
	(void)state;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct event e = {.kind = kinds[i],
			.code = 7,
			.unit = 3,
			.a = kinds[i] == EVENT_POPS,
			.flags = kinds[i] == EVENT_TASK ? EVENT_NUMBERED : 0};
		struct stack s = {0};
		assert_int_equal(
			stack_apply(&s, &e) == PL_ERR_FORMAT, event_has_trait(e.kind, EVENT_FRAME));
		stack_reset(&s);
		apply(&s, (struct event){.kind = EVENT_ENTER, .code = 1, .site = EVENT_NO_SITE});
		apply(&s, (struct event){.kind = EVENT_ENTER, .code = 2, .site = 4});
		apply(&s, e);
		if (event_is_entry(e.kind))
			assert_int_equal(s.depth, 3);
		if (event_is_exit(e.kind))
			assert_int_equal(s.depth, 1);
		if (event_is_entry(e.kind) || e.kind == EVENT_LINK)
			expect_top(&s, 7,
				event_has_field(e.kind, EVENT_FIELD_unit) ? PLACE_UNIT
									  : PLACE_ENTRY,
				event_has_field(e.kind, EVENT_FIELD_unit) ? 3 : 0);
		else
			assert_int_not_equal(stack_top(&s) ? stack_top(&s)->code : 0, 7);
		stack_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_numbered_tasks),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_greenlets),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
