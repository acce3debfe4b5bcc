/* The tasks of a thread: which there are, where their lines are, and where they are resumed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void lists(void **state)
{
	struct task_name names[4];
	struct tasks tasks = {.process = 1};
	struct scene x;
	size_t count;
	uint64_t number;

	(void)state;
	scene_open_tasks(&x);
	tasks.r = x.r;
	assert_int_equal(tasks_list(&tasks, names, 4, &count, &x.err), 0);
	assert_int_equal(count, 2);
	assert_int_equal(names[0].number, 3);
	assert_string_equal(names[0].text, "anvil");
	assert_string_equal(names[1].text, "rope");
	assert_int_equal(tasks_list(&tasks, names, 1, &count, &x.err), 0);
	assert_int_equal(count, 1);
	assert_int_equal(tasks_number(&tasks, "rope", &number, &x.err), 0);
	assert_int_equal(number, 4);
	assert_int_equal(tasks_number(&tasks, "nails", &number, &x.err), 0);
	assert_int_equal(number, 0);
	scene_close(&x);
}

static void names(void **state)
{
	const struct task_name numbered = {.number = 3, .text = "anvil"}, named = {.text = "anvil"};
	char text[TASK_TEXT_BYTES];

	(void)state;
	assert_true(tasks_same(3, NULL, &numbered));
	assert_false(tasks_same(4, "anvil", &numbered)); /* names can be given twice */
	assert_true(tasks_same(4, "anvil", &named));
	assert_false(tasks_same(4, NULL, &named));
	tasks_text(&numbered, text);
	assert_string_equal(text, "3 anvil");
	tasks_text(&named, text);
	assert_string_equal(text, "anvil");
}

static uint64_t find(struct scene *x, const struct task_wanted *wanted, const char *name)
{
	const struct tasks tasks = {.r = x->r, .process = 1};
	struct task_name found = {.number = 0};
	uint64_t seq = UINT64_MAX;
	const int code = tasks_find(&tasks, wanted, &seq, &found, &x->err);

	assert_int_equal(code, name ? 0 : PL_END);
	if (name)
		assert_string_equal(found.text, name);
	return seq;
}

static void lines(void **state)
{
	struct scene x;

	(void)state;
	scene_open_tasks(&x);
	assert_int_equal(
		find(&x, &(struct task_wanted){.task = {.number = 4}, .bound = UINT64_MAX}, "rope"),
		6);
	assert_int_equal(
		find(&x,
			&(struct task_wanted){.task = {.number = 4}, .seq = 7, .bound = UINT64_MAX},
			"rope"),
		15);
	assert_int_equal(
		find(&x, &(struct task_wanted){.task = {.number = 3}, .back = true, .seq = 12},
			"anvil"),
		9);
	assert_int_equal(find(&x,
				 &(struct task_wanted){.task = {.number = 3},
					 .other = true,
					 .seq = 9,
					 .bound = UINT64_MAX},
				 "rope"),
		15);
	assert_int_equal(
		find(&x, &(struct task_wanted){.task = {.number = 4}, .seq = 7, .bound = 15}, NULL),
		UINT64_MAX);
	scene_close(&x);
}

static void resumptions(void **state)
{
	struct tasks tasks = {.process = 1};
	struct task_wanted wanted = {.task = {.number = 3}, .bound = UINT64_MAX};
	struct scene x;
	uint64_t seq = 0;

	(void)state;
	scene_open_tasks(&x);
	tasks.r = x.r;
	assert_int_equal(tasks_resumed(&tasks, &wanted, &seq, &x.err), 0);
	assert_int_equal(seq, 8);
	wanted.seq = 9;
	assert_int_equal(tasks_resumed(&tasks, &wanted, &seq, &x.err), 0);
	assert_int_equal(seq, 11);
	wanted.seq = 12;
	assert_int_equal(tasks_resumed(&tasks, &wanted, &seq, &x.err), PL_END);
	tasks.greenlets = true; /* they are not suspended by an event */
	wanted.seq = 0;
	assert_int_equal(tasks_resumed(&tasks, &wanted, &seq, &x.err), PL_END);
	scene_close(&x);
}

static void of_an_event(void **state)
{
	struct tasks tasks = {.process = 1};
	struct task_name name;
	struct scene x;

	(void)state;
	scene_open_tasks(&x);
	tasks.r = x.r;
	assert_int_equal(tasks_at(&tasks, 9, &name, &x.err), 0);
	assert_int_equal(name.number, 3);
	assert_string_equal(name.text, "anvil");
	assert_int_equal(tasks_at(&tasks, 17, &name, &x.err), 0);
	assert_int_equal(name.number, 0);
	assert_string_equal(name.text, "");
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(names),
		cmocka_unit_test(lines),
		cmocka_unit_test(resumptions),
		cmocka_unit_test(of_an_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
