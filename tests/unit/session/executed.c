/* What ran is counted a slice at a time, and what is missing is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static uint64_t events_of(const struct executed *e, enum pl_event_kind kind, const char *name)
{
	uint64_t events = 0;

	for (size_t i = 0; i < e->table.count; i++)
		if (e->table.rows[i].kind == kind && e->table.rows[i].code &&
			!strcmp(pl_code_name(e->table.rows[i].code), name))
			events += e->table.rows[i].events;
	return events;
}

static void all_of_it(void **state)
{
	struct executed e = {.done = false};
	struct scene x;
	int steps = 0;

	(void)state;
	scene_open(&x);
	e.r = x.r;
	for (; !e.done; steps++)
		assert_int_equal(executed_work(&e, &x.err), 0);
	assert_true(steps > 1);
	assert_int_equal(executed_work(&e, &x.err), 0); /* nothing is left to do */
	assert_int_equal(events_of(&e, PL_EVENT_CALL, "Shop.book"), 2);
	assert_int_equal(events_of(&e, PL_EVENT_LINE, "Shop.book"), 5);
	assert_int_equal(events_of(&e, PL_EVENT_CALL, "work"), 1);
	assert_int_equal(e.file_count, 1);
	assert_string_equal(pl_code_file(e.files[0]), "a.py");
	assert_int_equal(e.possible.count, 0);
	assert_true(executed_is_whole(x.r));
	executed_release(&e);
	assert_ptr_equal(e.r, x.r);
	assert_false(e.done);
	executed_release(&e);
	scene_close(&x);
}

static void of_what_was_killed(void **state)
{
	struct executed e = {.done = false};
	struct scene x;

	(void)state;
	scene_begin(&x);
	x.m.unheard = true;
	maker_body(&x.m, 4, "quiet", 30, 2);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 40);
	maker_cut(&x.m, x.t);
	maker_process_end(&x.m, PL_PROCESS_SIGNALED, SIGKILL);
	scene_start(&x);
	e.r = x.r;
	while (!e.done)
		assert_int_equal(executed_work(&e, &x.err), 0);
	assert_int_equal(e.possible.count, 2);
	assert_int_equal(e.possible.rows[0].line, 31);
	executed_release(&e);
	scene_close(&x);
}

static void with_a_gap(void **state)
{
	struct scene x;

	(void)state;
	scene_begin(&x);
	maker_switch(x.t, 1);
	maker_enter(x.t, EVENT_NO_SITE, 10);
	scene_line(x.t, 0);
	maker_cut(&x.m, x.t);
	const size_t used = x.m.segments[0].used;
	scene_line(x.t, 1);
	maker_cut(&x.m, x.t);
	x.m.segments[0].used = used;
	scene_line(x.t, 2);
	maker_cut(&x.m, x.t);
	maker_thread_end(&x.m, x.t);
	scene_start(&x);
	assert_false(executed_is_whole(x.r));
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it),
		cmocka_unit_test(of_what_was_killed),
		cmocka_unit_test(with_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
