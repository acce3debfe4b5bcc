/* From part to part of a path: tasks within a run of a thread, and runs of other threads; and to a
 * task by its number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void threads(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_switch(x.s, false, &x.err), 1, 0);
	scene_at(&x, session_switch(x.s, false, &x.err), 0, 11);
	scene_at(&x, session_switch(x.s, false, &x.err), 1, 3);
	scene_refused(&x, session_switch(x.s, false, &x.err), REFUSAL_NO_LATER_SWITCH);
	scene_at(&x, session_switch(x.s, true, &x.err), 0, 11);
	scene_at(&x, session_switch(x.s, true, &x.err), 1, 0);
	scene_at(&x, session_switch(x.s, true, &x.err), 0, 0);
	scene_refused(&x, session_switch(x.s, true, &x.err), REFUSAL_NO_LATER_SWITCH);
	scene_close(&x);
}

/* From within a run, back is to where it began. */
static void back_to_the_beginning(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_to_seq(x.s, 15, &x.err), 0, 15);
	scene_at(&x, session_switch(x.s, true, &x.err), 0, 11);
	scene_close(&x);
}

/* Each part begins with a line of another task, or where one goes on after it was suspended. */
static void tasks(void **state)
{
	const uint64_t forward[] = {3, 6, 9, 12, 15}, back[] = {12, 9, 6, 3, 0};
	struct scene x;

	(void)state;
	scene_open_tasks(&x);
	for (size_t i = 0; i < sizeof forward / sizeof *forward; i++)
		scene_at(&x, session_switch(x.s, false, &x.err), 0, forward[i]);
	for (size_t i = 0; i < sizeof back / sizeof *back; i++)
		scene_at(&x, session_switch(x.s, true, &x.err), 0, back[i]);
	scene_close(&x);
}

static void to_a_task(void **state)
{
	const struct task_name rope = {.number = 4}, anvil = {.number = 3};
	struct scene x;

	(void)state;
	scene_open_tasks(&x);
	assert_int_equal(replay_task(&x.s->replay, &rope, &x.err), 0);
	assert_int_equal(x.s->replay.at.seq, 6);
	assert_int_equal(replay_task(&x.s->replay, &rope, &x.err), 0);
	assert_int_equal(x.s->replay.at.seq, 15);
	assert_int_equal(replay_task(&x.s->replay, &rope, &x.err), PL_END);
	/* it runs no more: to its last part */
	assert_int_equal(replay_task(&x.s->replay, &anvil, &x.err), 0);
	assert_int_equal(x.s->replay.at.seq, 12);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads),
		cmocka_unit_test(back_to_the_beginning),
		cmocka_unit_test(tasks),
		cmocka_unit_test(to_a_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
