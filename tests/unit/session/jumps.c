/* Jumps to numbers of events, and to times: absolute ones, from here, and in percent of the
 * thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void numbers(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_to_seq(x.s, 7, &x.err), 0, 7);
	assert_int_equal(x.s->outcome.note, NOTE_NONE);
	scene_at(&x, session_to_seq(x.s, 4711, &x.err), 0, 18);
	assert_int_equal(x.s->outcome.note, NOTE_OTHER_SEQ);
	assert_int_equal(x.s->outcome.seq, 4711);
	scene_at(&x, session_to_start(x.s, &x.err), 0, 0);
	scene_at(&x, session_to_end(x.s, &x.err), 0, 18);
	assert_int_equal(x.s->outcome.note, NOTE_SEEN_ALL);
	scene_close(&x);
}

static void times(void **state)
{
	int64_t first_ns;
	struct scene x;

	(void)state;
	scene_open(&x);
	first_ns = x.s->replay.at.time_ns; /* of line 2, seq 1; a tick before each line */
	scene_at(&x, session_to_time(x.s, first_ns + 1, &x.err), 0, 2);
	assert_int_equal(x.s->outcome.note, NOTE_NONE);
	scene_at(&x, session_to_time(x.s, first_ns + 1000, &x.err), 0, 18);
	assert_int_equal(x.s->outcome.note, NOTE_OFF);
	assert_true(x.s->outcome.off_ns < 0);
	scene_at(&x, session_to_time(x.s, 0, &x.err), 0, 0);
	assert_true(x.s->outcome.off_ns > 0);
	scene_close(&x);
}

static void words(void **state)
{
	int64_t time_ns = 0;
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_true(session_read_time(x.s, "+3ns", &time_ns));
	assert_int_equal(time_ns, x.s->replay.at.time_ns + 3);
	assert_true(session_read_time(x.s, "-1h", &time_ns));
	assert_int_equal(time_ns, x.s->replay.at.time_ns - INT64_C(3600000000000));
	assert_false(session_read_time(x.s, "#3", &time_ns));
	assert_false(session_read_time(x.s, "noon", &time_ns));
	scene_close(&x);
}

static void percents(void **state)
{
	int before = -1;
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_at(&x, session_to_start(x.s, &x.err), 0, 0);
	for (uint64_t seq = 0; seq <= 18; seq++) {
		scene_at(&x, session_to_seq(x.s, seq, &x.err), 0, seq);
		const int percent = session_percent(x.s);
		assert_in_range(percent, before < 0 ? 0 : before, 100);
		before = percent;
	}
	assert_int_equal(before, 100);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(times),
		cmocka_unit_test(words),
		cmocka_unit_test(percents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
