/* What is said beside an answer: where one came from, how far an event is from what was asked for,
 * what other threads do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/answer.h"
#include "tests/lib/sessions.h"

static void expect(struct scene *x, int code, const char *note)
{
	assert_int_equal(code, 0);
	x->s->note[0] = 0;
	x->s->seen_noted = false;
	answer_note(x->s);
	assert_string_equal(x->s->note, note);
}

static void threads(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	expect(&x, session_switch(x.s, false, &x.err),
		"thread 1 worker runs here; you came from thread 0 MainThread");
	expect(&x, session_to_start(x.s, &x.err), "");
	expect(&x, session_thread(x.s, 0, &x.err), "");
	expect(&x, session_to_seq(x.s, 5, &x.err), "");
	expect(&x, session_thread(x.s, 1, &x.err), "worker had not begun; this is its first event");
	expect(&x, session_to_seq(x.s, 3, &x.err), "");
	expect(&x, session_thread(x.s, 0, &x.err), "this is the last event of MainThread");
	scene_close(&x);
}

static void tasks(void **state)
{
	const struct task_name anvil = {.number = 3};
	struct scene x;

	(void)state;
	scene_open_tasks(&x);
	expect(&x, session_switch(x.s, false, &x.err),
		"task 3 anvil runs here; you came from thread 0 MainThread outside of tasks");
	expect(&x, session_switch(x.s, false, &x.err),
		"task 4 rope runs here; you came from task 3 anvil");
	expect(&x, session_to_seq(x.s, 17, &x.err), "");
	expect(&x, session_task(x.s, &anvil, &x.err),
		"task 3 anvil runs no later line; this is its last part with a line");
	scene_close(&x);
}

static void numbers_and_times(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	expect(&x, session_to_seq(x.s, 99, &x.err), "there is no event #99; this is #18");
	const int64_t last_ns = x.s->replay.at.time_ns;
	expect(&x, session_to_time(x.s, last_ns + 2000000, &x.err),
		"the nearest event is 2.0 ms earlier");
	expect(&x, session_to_start(x.s, &x.err), "");
	const int64_t first_ns = x.s->replay.at.time_ns;
	expect(&x, session_to_time(x.s, first_ns - 5000000, &x.err),
		"the nearest event is 5.0 ms later");
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads),
		cmocka_unit_test(tasks),
		cmocka_unit_test(numbers_and_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
