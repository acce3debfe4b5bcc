/* What an exception ended: the main thread, a thread, a task; in which order; and what is no crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/buf.h"
#include "session/crash_look.h"
#include "tests/lib/sessions.h"

#define EXIT_TYPE 6
#define CANCELLED 7

static void begin(struct scene *x)
{
	scene_begin(x);
	maker_string(&x->m, EXIT_TYPE, "SystemExit");
	maker_string(&x->m, CANCELLED, "asyncio.exceptions.CancelledError");
}

static void end(struct scene *x)
{
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	scene_start(x);
}

static void put_raise(struct maker_thread *t, uint32_t type)
{
	maker_event2(t, EVENT_RAISE, MAKER_UNIT(0), type);
}

/* 0 call main, 1 line 2, 2 call Shop.book, 3 line 11, 4 raise, 5 unwind, 6 raise, 7 unwind. */
static void put_crash(struct maker_thread *t, uint32_t type)
{
	maker_switch(t, 1);
	maker_enter(t, EVENT_NO_SITE, 10);
	scene_line(t, 0);
	maker_enter(t, MAKER_UNIT(0), 20);
	scene_line(t, 0);
	put_raise(t, type);
	scene_unwind(t);
	put_raise(t, type);
	scene_unwind(t);
}

static void of_the_main_thread(void **state)
{
	const struct crash_bounds bounds = {.count = CRASH_COUNTED};
	char text[CRASH_SUBJECT_BYTES];
	struct pl_buf raises = {0};
	struct scene x;
	struct crash c;

	(void)state;
	begin(&x);
	put_crash(x.t, SCENE_TYPE);
	end(&x);
	assert_int_equal(crash_find(x.r, &bounds, &c, &x.err), 0);
	assert_int_equal(c.of, CRASH_MAIN_THREAD);
	assert_string_equal(c.type, "shop.SoldOut");
	assert_int_equal(c.end.seq, 7);
	assert_int_equal(c.raise.seq, 4); /* in Shop.book, where it was raised first */
	assert_int_equal(c.ended, 1);
	assert_false(c.exits);
	assert_false(c.more);
	crash_subject(x.r, &c, text);
	assert_string_equal(text, "the main thread");
	assert_int_equal(crash_trace(x.r, &c, &bounds, &raises, &x.err), 0);
	const struct pl_event *all = (const struct pl_event *)(const void *)raises.at;
	assert_int_equal(raises.used, 2 * sizeof *all);
	assert_int_equal(all[0].seq, 6); /* the outermost first */
	assert_int_equal(all[1].seq, 4);
	buf_release(&raises);
	scene_close(&x);
}

/* SystemExit counts only if there is no other. */
static void exits(void **state)
{
	const struct crash_bounds bounds = {.count = CRASH_COUNTED};
	struct scene x;
	struct crash c;

	(void)state;
	begin(&x);
	put_crash(x.t, EXIT_TYPE);
	end(&x);
	assert_int_equal(crash_find(x.r, &bounds, &c, &x.err), 0);
	assert_true(c.exits);
	assert_int_equal(c.ended, 0);
	scene_close(&x);
	begin(&x);
	put_crash(x.t, EXIT_TYPE);
	x.worker = maker_thread(&x.m, 1);
	put_crash(x.worker, SCENE_TYPE);
	maker_cut(&x.m, x.worker);
	maker_thread_end(&x.m, x.worker);
	end(&x);
	assert_int_equal(crash_find(x.r, &bounds, &c, &x.err), 0);
	assert_int_equal(c.of, CRASH_THREAD);
	assert_string_equal(c.type, "shop.SoldOut");
	scene_close(&x);
}

/* A task that an exception ends, and one that was cancelled: that one ended in good order. */
static void tasks(void **state)
{
	const struct crash_bounds bounds = {.count = CRASH_COUNTED};
	char text[CRASH_SUBJECT_BYTES];
	struct scene x;
	struct crash c;

	(void)state;
	for (uint32_t type = SCENE_TYPE; type <= CANCELLED; type += CANCELLED - SCENE_TYPE) {
		begin(&x);
		x.m.flags = SCENE_COROUTINE;
		maker_body(&x.m, 4, "book", 30, 2);
		maker_switch(x.t, 1);
		maker_enter(x.t, EVENT_NO_SITE, 10);
		scene_line(x.t, 0);
		scene_task(x.t, 3, "anvil", true);
		scene_line(x.t, 0);
		put_raise(x.t, type);
		scene_unwind(x.t);
		scene_line(x.t, 1);
		end(&x);
		assert_int_equal(
			crash_find(x.r, &bounds, &c, &x.err), type == SCENE_TYPE ? 0 : PL_END);
		if (type == SCENE_TYPE) {
			assert_int_equal(c.of, CRASH_TASK);
			assert_string_equal(c.task, "anvil");
			crash_subject(x.r, &c, text);
			assert_string_equal(text, "task anvil");
		}
		scene_close(&x);
	}
}

/* What was handled ended nothing. */
static void handled(void **state)
{
	const struct crash_bounds all = {.count = 0}, few = {.events = 3};
	struct scene x;
	struct crash c;

	(void)state;
	scene_open(&x);
	assert_int_equal(crash_find(x.r, &all, &c, &x.err), PL_END);
	assert_false(c.more);
	assert_int_equal(crash_find(x.r, &few, &c, &x.err), PL_END);
	assert_true(c.more); /* not all of it was looked at */
	scene_close(&x);
}

static void killed(void **state)
{
	const uint32_t signals[] = {SIGKILL, SIGTERM};
	struct scene x;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint32_t next = 0;
		begin(&x);
		maker_switch(x.t, 1);
		maker_enter(x.t, EVENT_NO_SITE, 10);
		scene_line(x.t, 0);
		maker_cut(&x.m, x.t);
		maker_process_end(&x.m, PL_PROCESS_SIGNALED, signals[i]);
		scene_start(&x);
		assert_int_equal(crash_next_killed(x.r, &next) != NULL, signals[i] == SIGKILL);
		assert_null(crash_next_killed(x.r, &next));
		scene_close(&x);
	}
}

static void orderly(void **state)
{
	(void)state;
	assert_true(crash_is_orderly("asyncio.exceptions.CancelledError"));
	assert_true(crash_is_orderly("GeneratorExit"));
	assert_false(crash_is_orderly("NotCancelledError"));
	assert_false(crash_is_orderly("SystemExit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_main_thread),
		cmocka_unit_test(exits),
		cmocka_unit_test(tasks),
		cmocka_unit_test(handled),
		cmocka_unit_test(killed),
		cmocka_unit_test(orderly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
