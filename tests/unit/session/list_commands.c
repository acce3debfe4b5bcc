/* The commands that list frames, threads, processes and tasks, or go to one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "tests/lib/commands.h"

static void frames(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_goes(&x, "j #4", 0, 4);
	scene_says(&x, "bt", "> 0 Shop.book a.py:11; 1 main a.py:3");
	assert_int_equal(x.s->outcome.done, DONE_STACK);
	assert_int_equal(session_select_frame(x.s, true, &x.err), 0);
	scene_says(&x, "bt", "0 Shop.book a.py:11; > 1 main a.py:3");
	scene_close(&x);
}

static void threads(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_says(&x, "t", "> 0: MainThread; 1: worker");
	scene_says(&x, "t MainThread", "this is thread 0 MainThread");
	scene_goes(&x, "t worker", 1, 0);
	scene_says(&x, "t", "0: MainThread; > 1: worker");
	scene_denies(
		&x, "t wrker", "there is no thread wrker; there are: 0: MainThread; 1: worker");
	assert_int_equal(x.s->outcome.refusal, REFUSAL_NO_SUCH_THREAD);
	scene_close(&x);
}

/* A thread of another process is not gone to by its name: the answer says how. */
static void processes(void **state)
{
	struct scene x;

	(void)state;
	scene_begin(&x);
	maker_process(&x.m, 2);
	MAKER_NUMBERS(&x.m, RECORD_THREAD, "helper", 2, 0, 9100, 100);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 10);
	scene_line(x.t, 0);
	maker_cut(&x.m, x.t);
	maker_thread_end(&x.m, x.t);
	scene_start(&x);
	scene_says(&x, "P", "> 1: pid 4711 python a.py; 2: pid 4711 python a.py");
	scene_says(&x, "P 1", "this is process 1");
	scene_denies(&x, "P 3",
		"there is no process 3; there are: 1: pid 4711 python a.py; 2: pid 4711 python "
		"a.py");
	assert_int_equal(x.s->outcome.refusal, REFUSAL_NO_SUCH_PROCESS);
	scene_denies(&x, "t helper",
		"there is no thread helper in process 1; process 2 has it: P 2, then t helper");
	scene_close(&x);
}

static void tasks(void **state)
{
	struct scene x;

	(void)state;
	scene_open_tasks(&x);
	scene_goes(&x, "T rope", 0, 6);
	scene_says(&x, "T", "3 anvil; > 4 rope");
	scene_goes(&x, "T 3", 0, 9);
	scene_denies(
		&x, "T anvl", "there is no task anvl in this thread; there are: 3 anvil; 4 rope");
	assert_int_equal(x.s->outcome.refusal, REFUSAL_NO_SUCH_TASK);
	scene_close(&x);
}

#define MANY 40

/* Of many tasks those around the position's, or around the number that was asked for, are named. */
static void many_tasks(void **state)
{
	char name[16];
	struct scene x;

	(void)state;
	scene_begin(&x);
	x.m.flags = SCENE_COROUTINE;
	maker_body(&x.m, 4, "book", 30, 2);
	maker_enter(x.t, EVENT_NO_SITE, 10);
	for (uint64_t number = 1; number <= MANY; number++) {
		snprintf(name, sizeof name, "job-%02d", (int)number);
		scene_task(x.t, number, name, true);
		scene_line(x.t, 0);
		maker_event1(x.t, EVENT_LEAVE, MAKER_UNIT(0));
	}
	maker_cut(&x.m, x.t);
	maker_thread_end(&x.m, x.t);
	scene_start(&x);
	assert_int_equal(session_do(x.s, "T 99", &x.err), PL_END);
	assert_non_null(
		strstr(x.s->why, "there is no task 99 in this thread; 40 tasks, some of them: "));
	assert_non_null(strstr(x.s->why, "; 40 job-40; `report --tasks -n 0` lists all"));
	assert_null(strstr(x.s->why, "job-28"));
	assert_int_equal(session_do(x.s, "T job_07", &x.err), PL_END);
	assert_non_null(strstr(x.s->why, "did you mean job-07? "));
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(threads),
		cmocka_unit_test(processes),
		cmocka_unit_test(tasks),
		cmocka_unit_test(many_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
