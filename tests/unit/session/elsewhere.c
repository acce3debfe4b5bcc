/* Where stops are when there is none on the way: which threads, how many, and the sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void expect(struct scene *x, bool back, const char *text)
{
	char said[ELSEWHERE_BYTES];
	struct elsewhere e;

	assert_int_equal(elsewhere_find(&x->s->replay, back, &e, &x->err), 0);
	elsewhere_text(&x->s->replay, back, &e, said);
	assert_string_equal(said, text);
}

static void nowhere(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	expect(&x, false, "no later stop in this process");
	expect(&x, true, "no earlier stop in this process");
	scene_close(&x);
}

/* Line 22 of work runs once, in the worker; lines of Shop.book in the main thread alone. */
static void other_threads(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	x.s->replay.only_here = true;
	stops_add(&x.s->replay.stops, STOP_LINE, "a.py", 22);
	expect(&x, false, "no later stop in this thread; 1 in worker (a: all threads)");
	scene_at(&x, session_to_seq(x.s, 18, &x.err), 0, 18);
	expect(&x, false, "no later stop in this thread"); /* the worker ran it before */
	expect(&x, true, "no earlier stop in this thread; 1 in worker (a: all threads)");
	scene_close(&x);
}

static void other_way(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	stops_add(&x.s->replay.stops, STOP_CALL, "book", 0);
	scene_at(&x, session_to_seq(x.s, 18, &x.err), 0, 18);
	expect(&x, false, "no later stop in this process; 2 earlier (C: back)");
	scene_at(&x, session_to_seq(x.s, 13, &x.err), 0, 13); /* that stop itself is no other */
	expect(&x, false, "no later stop in this process; 1 earlier (C: back)");
	scene_at(&x, session_to_seq(x.s, 1, &x.err), 0, 1);
	expect(&x, true, "no earlier stop in this process; 2 later (c: forward)");
	scene_close(&x);
}

/* More than a few are not counted; a stop at one hit of a line is one. */
static void numbers(void **state)
{
	struct elsewhere e = {.count = 2, .more = true, .processes = true};
	char said[ELSEWHERE_BYTES];
	struct scene x;

	(void)state;
	scene_open(&x);
	stops_add(&x.s->replay.stops, STOP_LINE, "a.py", 11)->hits = 2;
	scene_at(&x, session_to_seq(x.s, 18, &x.err), 0, 18);
	expect(&x, false, "no later stop in this process; 1 earlier (C: back)");
	e.rows[0].of = e.rows[1].of = ELSEWHERE_PROCESS;
	e.rows[0].number = 2;
	e.rows[0].count = ELSEWHERE_MAX;
	e.rows[1].number = 3;
	e.rows[1].count = 17;
	elsewhere_text(&x.s->replay, false, &e, said);
	assert_string_equal(said,
		"no later stop in this process; 1,000+ in process 2, 17 in process 3, more in "
		"others (P: processes)");
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nowhere),
		cmocka_unit_test(other_threads),
		cmocka_unit_test(other_way),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
