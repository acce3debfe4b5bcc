/* A thread's events by their seq: forward and back over windows, far away from them, and what is
 * found by a search for an event with a property. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/path.h"
#include "tests/lib/recording.h"

#define BLOCK_EVENTS 5000u
#define BLOCKS	     15u
#define EVENTS	     (BLOCKS * BLOCK_EVENTS + 1) /* more than two windows */
#define LEFT_OUT     3u				 /* the number of the block that can be missing */

struct made {
	struct maker m;
	struct pl_recording *r;
	struct path path;
};

/* A call of main, then lines, a tick for each. */
static void made_open(struct made *x, bool hole)
{
	*x = (struct made){0};
	maker_init(&x->m);
	maker_body(&x->m, 1, "main", 1, 3);
	struct maker_thread *t = maker_thread(&x->m, 0);
	maker_switch(t, 1);
	maker_enter(t, EVENT_NO_SITE, 10);
	for (uint32_t block = 0; block < BLOCKS; block++) {
		for (uint32_t i = 0; i < BLOCK_EVENTS; i++) {
			maker_event1(t, EVENT_TIME, 1);
			maker_line(t, i % 3);
		}
		const size_t before = x->m.segments[0].used;
		maker_cut(&x->m, t);
		if (hole && block == LEFT_OUT)
			x->m.segments[0].used = before;
	}
	maker_thread_end(&x->m, t);
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), NULL), 0);
	x->path = (struct path){.r = x->r, .process = 1};
}

static void made_release(struct made *x)
{
	path_release(&x->path);
	path_release(&x->path);
	pl_recording_close(x->r);
	maker_release(&x->m);
}

static uint64_t from(struct made *x, uint64_t seq)
{
	const struct pl_event *e;
	const int code = path_from(&x->path, seq, &e, NULL);

	assert_true(code == 0 || code == PL_END);
	return code ? UINT64_MAX : e->seq;
}

static uint64_t before(struct made *x, uint64_t seq)
{
	const struct pl_event *e;
	const int code = path_before(&x->path, seq, &e, NULL);

	assert_true(code == 0 || code == PL_END);
	return code ? UINT64_MAX : e->seq;
}

static void both_ways(void **state)
{
	struct made x;

	(void)state;
	made_open(&x, false);
	for (uint64_t seq = 0; seq < EVENTS; seq++)
		assert_int_equal(from(&x, seq), seq);
	assert_int_equal(from(&x, EVENTS), UINT64_MAX);
	for (uint64_t seq = EVENTS; seq; seq--)
		assert_int_equal(before(&x, seq), seq - 1);
	assert_int_equal(before(&x, 0), UINT64_MAX);
	made_release(&x);
}

static void far_away(void **state)
{
	const uint64_t seqs[] = {70000, 3, 40000, EVENTS - 1, 0, PATH_WINDOW, PATH_WINDOW - 1};
	struct made x;

	(void)state;
	made_open(&x, false);
	for (size_t i = 0; i < sizeof seqs / sizeof *seqs; i++)
		assert_int_equal(from(&x, seqs[i]), seqs[i]);
	for (size_t i = 0; i < sizeof seqs / sizeof *seqs; i++)
		assert_int_equal(before(&x, seqs[i] + 1), seqs[i]);
	assert_int_equal(before(&x, UINT64_MAX), EVENTS - 1);
	made_release(&x);
}

/* The seqs of a block that is missing are passed over, both ways; a gap of the reader gives way to
 * the event with its seq. */
static void over_a_hole(void **state)
{
	const uint64_t first = 1 + LEFT_OUT * BLOCK_EVENTS, next = first + BLOCK_EVENTS;
	struct made x;

	(void)state;
	made_open(&x, true);
	assert_int_equal(from(&x, first + 7), next);
	assert_int_equal(x.path.events[0].kind, PL_EVENT_LINE);
	assert_int_equal(before(&x, next), first - 1);
	assert_int_equal(before(&x, next - 5), first - 1);
	assert_int_equal(before(&x, next + 1), next);
	made_release(&x);
}

static bool before_time(const struct pl_event *e, const void *context)
{
	return e->time_ns < *(const int64_t *)context;
}

static void searches(void **state)
{
	int64_t time_ns;
	struct path_key key = {before_time, &time_ns, 0};
	struct pl_event e;
	struct made x;
	uint64_t seq;

	(void)state;
	made_open(&x, false);
	assert_int_equal(from(&x, 1), 1);
	const int64_t start_ns = x.path.events[0].time_ns - 1;
	for (key.near = 0; key.near < EVENTS + 20000; key.near += 9999) {
		time_ns = start_ns + 41234;
		assert_int_equal(path_search(&x.path, &key, &e, NULL), 0);
		assert_int_equal(e.seq, 41234);
		assert_int_equal(path_bound(&x.path, &key, false, &seq, NULL), 0);
		assert_true(seq >= 41234);
		assert_int_equal(path_bound(&x.path, &key, true, &seq, NULL), 0);
		assert_true(seq <= 41234);
		time_ns = start_ns + 10 * (int64_t)EVENTS;
		assert_int_equal(path_search(&x.path, &key, &e, NULL), PL_END);
		time_ns = 0;
		assert_int_equal(path_search(&x.path, &key, &e, NULL), 0);
		assert_int_equal(e.seq, 0);
	}
	assert_int_equal(path_last(&x.path, 40000, &e, NULL), 0);
	assert_int_equal(e.seq, 39999);
	assert_int_equal(path_last(&x.path, UINT64_MAX, &e, NULL), 0);
	assert_int_equal(e.seq, EVENTS - 1);
	assert_int_equal(path_last(&x.path, 0, &e, NULL), PL_END);
	made_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(far_away),
		cmocka_unit_test(over_a_hole),
		cmocka_unit_test(searches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
