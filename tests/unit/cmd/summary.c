/* A recording in a few numbers and words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd/summary.h"
#include "tests/lib/sessions.h"

static void numbers(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	const struct summary s = summary_of(x.r);
	assert_int_equal(s.processes, 1);
	assert_int_equal(s.threads, 2);
	assert_int_equal(s.events, 19 + 4);
	assert_int_equal(s.counts[PL_EVENT_CALL], 4);
	assert_int_equal(s.counts[PL_EVENT_RAISE], 2);
	assert_true(s.bytes > 100);
	assert_false(s.damaged);
	scene_close(&x);
}

static void expect_end(enum pl_process_end end, uint32_t code, const char *text, const char *word)
{
	char found[SUMMARY_END_BYTES];
	struct scene x;

	scene_begin(&x);
	maker_enter(x.t, EVENT_NO_SITE, 10);
	scene_line(x.t, 0);
	maker_cut(&x.m, x.t);
	if (end != PL_PROCESS_RUNNING)
		maker_process_end(&x.m, end, code);
	scene_start(&x);
	const struct pl_process *p = pl_recording_find_process(x.r, 1);
	summary_end(x.r, p, found);
	assert_string_equal(found, text);
	assert_string_equal(summary_end_word(x.r, p), word);
	scene_close(&x);
}

static void ends(void **state)
{
	(void)state;
	expect_end(PL_PROCESS_EXITED, 3, "exit 3", "exited");
	expect_end(PL_PROCESS_SIGNALED, SIGKILL, "SIGKILL", "killed");
	expect_end(PL_PROCESS_SIGNALED, 60, "signal 60", "killed");
	expect_end(PL_PROCESS_EXECED, 0, "became another program", "exec");
	expect_end(PL_PROCESS_LOST, 9, "killed, it seems", "lost");
	expect_end(PL_PROCESS_LOST, 0, "not known", "lost");
	expect_end(PL_PROCESS_RUNNING, 0, "not known", "not known"); /* recording ended before */
}

static void nothing_missing(void **state)
{
	char texts[SUMMARY_MISSING_MAX][SUMMARY_MISSING_BYTES];
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_null(summary_dropped(x.r));
	assert_null(summary_stopped(x.r));
	assert_int_equal(summary_missing(x.r, texts), 0);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(ends),
		cmocka_unit_test(nothing_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
