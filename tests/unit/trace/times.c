/* Times of lines: nothing of a thread's time is lost or counted twice, however far apart a file
 * says that two moments are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "pathline/times.h"
#include "tests/lib/recording.h"

/* Line 12 is reached `first` ticks after the call, line 13 `second` after that; of these its loop
 * waits for `idle`. */
static void make_lines(struct maker *m, uint64_t first, uint64_t second, uint64_t idle)
{
	struct maker_thread *t = maker_thread(m, 0);

	maker_body(m, 7, "f", 10, 3);
	maker_enter(t, EVENT_NO_SITE, 70);
	maker_line(t, 0);
	maker_event1(t, EVENT_TIME, first);
	maker_line(t, 1);
	if (idle)
		maker_event2(t, EVENT_IDLE, 1, idle);
	maker_event1(t, EVENT_TIME, second);
	maker_line(t, 2);
	maker_cut(m, t);
	maker_thread_end(m, t);
}

static struct pl_times *times_of(struct maker *m, struct pl_recording **r)
{
	const struct pl_times_range range = {.process = 1};
	struct pl_times *times;

	assert_int_equal(recording_open_files(r, maker_files(m), NULL), 0);
	assert_int_equal(pl_times_new(&times, *r, &range, NULL), 0);
	return times;
}

static int64_t own_ns(const struct pl_times *times, int32_t line)
{
	for (size_t i = 0; i < pl_times_count(times); i++) {
		const struct pl_line_time *l = pl_times_line(times, i);
		if (l->line == line)
			return l->computing_ns + l->waiting_ns;
	}
	return 0;
}

static void all_of_it_is_shared(void **state)
{
	struct maker m;
	struct pl_recording *r;
	(void)state;

	maker_init(&m);
	make_lines(&m, 3000000, 5000000, 2000000);
	maker_end(&m);
	struct pl_times *times = times_of(&m, &r);
	assert_in_range(own_ns(times, 10) + own_ns(times, 11), 3000000 - 2, 3000000 + 2);
	assert_in_range(own_ns(times, 12), 3000000 - 2, 3000000 + 2);
	assert_int_equal(pl_times_idle_ns(times), 2000000);
	assert_int_equal(pl_times_lost_ns(times), 0);
	pl_times_free(times);
	pl_recording_close(r);
	maker_release(&m);
}

/* A point of the clock in the middle of all ticks: what is before and after it is further apart
 * than an int64 counts. */
static void moments_far_apart(void **state)
{
	const uint64_t middle = UINT64_C(1) << 63, mono = 5000000000000000000;
	struct maker m;
	struct pl_recording *r;
	(void)state;

	m = (struct maker){.arena = true, .there = {true}};
	maker_header(&m, FORMAT_MAJOR, FORMAT_MINOR);
	MAKER_NUMBERS(&m, RECORD_CLOCK, NULL, middle, mono, mono, 5, 0);
	maker_process(&m, 1);
	make_lines(&m, UINT64_MAX - 200, 100, 3);
	struct pl_times *times = times_of(&m, &r);
	for (size_t i = 0; i < pl_times_count(times); i++) {
		const struct pl_line_time *l = pl_times_line(times, i);
		assert_true(l->computing_ns >= 0 && l->waiting_ns >= 0);
		assert_true(l->computing_ns <= INT64_MAX - l->waiting_ns);
	}
	pl_times_free(times);
	pl_recording_close(r);
	maker_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_is_shared),
		cmocka_unit_test(moments_far_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
