/* To other threads, processes and tasks, and what is said of where one comes. */
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
	scene_refused(&x, session_thread(x.s, 2, &x.err), REFUSAL_NO_SUCH_THREAD);
	assert_int_equal(x.s->outcome.number, 2);
	assert_int_equal(session_thread(x.s, 0, &x.err), 0);
	assert_int_equal(x.s->outcome.done, DONE_HERE);
	scene_at(&x, session_thread(x.s, 1, &x.err), 1, 0);
	assert_int_equal(x.s->outcome.note, NOTE_BEGINS_LATER);
	scene_at(&x, session_to_seq(x.s, 3, &x.err), 1, 3);
	scene_at(&x, session_thread(x.s, 0, &x.err), 0, 18);
	assert_int_equal(x.s->outcome.note, NOTE_IS_OVER);
	scene_close(&x);
}

/* Process 2 begins later; its moment is found by the time. */
static void processes(void **state)
{
	struct maker_thread *other;
	struct scene x;

	(void)state;
	scene_begin(&x);
	maker_process(&x.m, 2);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 10);
	for (uint32_t start = 0; start < 3; start++)
		scene_line(x.t, start);
	maker_cut(&x.m, x.t);
	other = &x.m.threads[2];
	other->head = (struct block_head){.process = 2};
	MAKER_NUMBERS(&x.m, RECORD_THREAD, "MainThread", 2, 0, 9100, 100);
	maker_switch(other, 1);
	maker_enter(other, EVENT_NO_SITE, 30);
	scene_line(other, 0);
	scene_line(other, 1);
	maker_cut(&x.m, other);
	scene_start(&x);
	scene_refused(&x, session_process(x.s, 3, &x.err), REFUSAL_NO_SUCH_PROCESS);
	scene_at(&x, session_to_seq(x.s, 2, &x.err), 0, 2);
	scene_at(&x, session_process(x.s, 2, &x.err), 0, 2);
	assert_int_equal(x.s->replay.at.position.process, 2);
	assert_int_equal(session_visited(x.s, true, &x.err), 0); /* it was one move */
	assert_int_equal(x.s->replay.at.position.process, 1);
	scene_close(&x);
}

static void tasks(void **state)
{
	const struct task_name by_number = {.number = 4, .text = "4"}, by_name = {.text = "anvil"};
	struct task_name names[4];
	struct scene x;
	size_t count;

	(void)state;
	scene_open_tasks(&x);
	scene_at(&x, session_task(x.s, &by_number, &x.err), 0, 6);
	assert_true(session_is_task(x.s, &by_number));
	assert_false(session_is_task(x.s, &by_name));
	scene_at(&x, session_task(x.s, &by_name, &x.err), 0, 9);
	scene_at(&x, session_task(x.s, &by_name, &x.err), 0, 12);
	scene_refused(&x, session_task(x.s, &by_name, &x.err), REFUSAL_NO_LATER_PART);
	scene_at(&x, session_to_seq(x.s, 17, &x.err), 0, 17);
	scene_at(&x, session_task(x.s, &by_name, &x.err), 0, 12);
	assert_int_equal(x.s->outcome.note, NOTE_LAST_PART);
	assert_int_equal(session_tasks(x.s, names, 4, &count, &x.err), 0);
	assert_int_equal(count, 2);
	assert_int_equal(x.s->outcome.done, DONE_TASKS);
	scene_close(&x);
}

/* In what was not killed there is nothing to be seen later. */
static void seen(void **state)
{
	struct seen *rows;
	struct scene x;
	uint32_t count;

	(void)state;
	scene_open(&x);
	rows = session_seen_threads(x.s, false, &count);
	assert_int_equal(count, 2);
	for (uint32_t i = 0; rows && i < count; i++)
		assert_null(rows[i].code);
	free(rows);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads),
		cmocka_unit_test(processes),
		cmocka_unit_test(tasks),
		cmocka_unit_test(seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
