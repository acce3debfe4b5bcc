/* Lines that may have run without an event, where a path breaks off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/possible.h"
#include "tests/lib/sessions.h"

/* main calls Shop.book, whose line 11 is the last event; then the process ended in this way. */
static void open_ended(struct scene *x, enum pl_process_end end, bool finished)
{
	scene_begin(x);
	maker_switch(x->t, 1);
	maker_enter(x->t, EVENT_NO_SITE, 10);
	scene_line(x->t, 0);
	maker_enter(x->t, MAKER_UNIT(0), 20);
	scene_line(x->t, 0);
	maker_cut(&x->m, x->t);
	if (finished)
		maker_thread_end(&x->m, x->t);
	if (end != PL_PROCESS_RUNNING)
		maker_process_end(&x->m, end, SIGKILL);
	scene_start(x);
}

/* Each line says that it ran, so after the last one the next may have begun without its event. */
static void killed(void **state)
{
	struct possible p = {0};
	struct scene x;

	(void)state;
	open_ended(&x, PL_PROCESS_SIGNALED, false);
	assert_int_equal(possible_add(&p, x.r, 1, PL_ALL_THREADS, &x.err), 0);
	const size_t count = p.count;
	assert_int_equal(possible_add(&p, x.r, 1, 7, &x.err), 0);
	assert_int_equal(p.count, count); /* there is no such thread */
	possible_release(&p);
	assert_int_equal(p.count, 0);
	scene_close(&x);
}

/* What came to its end in good order has nothing after its last event. */
static void ended(void **state)
{
	struct possible p = {0};
	struct scene x;

	(void)state;
	open_ended(&x, PL_PROCESS_EXITED, true);
	assert_int_equal(possible_add(&p, x.r, 1, PL_ALL_THREADS, &x.err), 0);
	assert_int_equal(p.count, 0);
	assert_int_equal(possible_add(&p, x.r, 9, PL_ALL_THREADS, &x.err), 0); /* no process */
	assert_int_equal(p.count, 0);
	scene_close(&x);
}

/* A sample saw it in another line than its last event. */
static void seen_by_samples(void **state)
{
	const struct sample later = {
		.ticks = 50, .thread = 0, .weight = 1, .body = 3, .unit = MAKER_UNIT(2)};
	struct possible p = {0};
	struct scene x;

	(void)state;
	scene_begin(&x);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 10);
	scene_line(x.t, 0);
	maker_enter(x.t, MAKER_UNIT(0), 20);
	scene_line(x.t, 0);
	maker_cut(&x.m, x.t);
	maker_samples(&x.m, &later, 1);
	maker_process_end(&x.m, PL_PROCESS_SIGNALED, SIGKILL);
	scene_start(&x);
	assert_int_equal(possible_add(&p, x.r, 1, PL_ALL_THREADS, &x.err), 0);
	assert_int_equal(session_to_seq(x.s, 3, &x.err), 0);
	const struct pl_code *book = x.s->replay.at.code;
	assert_true(possible_has(&p, book, 13));
	assert_false(possible_has(&p, book, 99));
	possible_release(&p);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed),
		cmocka_unit_test(ended),
		cmocka_unit_test(seen_by_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
