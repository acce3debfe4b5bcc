/* Damage, at random: no crash, no leak, and never a changed path that looks sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tests/lib/counts.h"
#include "tests/lib/damage.h"

#define ROUNDS 4000

/* Before each commit an eighth of them is tried. */
static uint32_t rounds(void)
{
	const char *suite = getenv("PATHLINE_SUITE");

	return suite && !strcmp(suite, "quick") ? ROUNDS / 8 : ROUNDS;
}

static void make(struct maker *m, bool chains)
{
	maker_init(m);
	m->chains = chains;
	maker_body(m, 1, "main", 1, 3);
	maker_body(m, 2, "f", 10, 3);
	maker_string(m, 5, "ValueError");
	for (uint32_t n = 0; n < 3; n++)
		maker_thread(m, n);
	uint64_t run = 1;
	for (uint32_t i = 0; i < 24; i++) {
		struct maker_thread *t = &m->threads[i % 3];
		maker_switch(t, run++);
		maker_event1(t, EVENT_TIME, 30 + i);
		maker_enter(t, i < 3 ? EVENT_NO_SITE : MAKER_UNIT(0), i < 3 ? 10 : 20);
		maker_line(t, 0);
		maker_further(t, 1 + i % 4, "a\1\2\3");
		maker_event2(t, EVENT_RAISE, MAKER_UNIT(0), 5);
		maker_event2(t, EVENT_HANDLED, MAKER_UNIT(0), 5);
		maker_line(t, 0);
		if (i % 2)
			maker_cut(m, t);
		if (i == 12)
			maker_next_segment(m);
	}
	for (uint32_t n = 0; n < 3; n++) {
		maker_cut(m, &m->threads[n]);
		maker_thread_end(m, &m->threads[n]);
	}
	maker_process_end(m, PL_PROCESS_EXITED, 0);
	maker_end(m);
}

static void test_damage(void **state)
{
	struct maker m;
	(void)state;

	make(&m, false);
	damage_rounds(&m, rounds(), 7);
	maker_release(&m);
}

static void test_damage_in_chains(void **state)
{
	struct maker m;
	(void)state;

	make(&m, true);
	damage_rounds(&m, rounds(), 8);
	maker_release(&m);
}

/* What is left of a damaged recording is counted as it is visited. */
static void compare_counts_of_damaged(bool chains)
{
	struct random random = {.state = 11};
	struct pl_buf before = {0};
	struct maker m;

	make(&m, chains);
	for (uint32_t i = 0; i < rounds() / 10; i++) {
		struct pl_buf *b = damage_any_file(&m, &random);
		struct pl_recording *r;
		struct counts_test t;
		buf_reset(&before);
		buf_put(&before, b->at, b->used);
		damage_bytes(b, &random);
		if (recording_open_files(&r, maker_files(&m), NULL) == 0) {
			const char *what = counts_compare(&t, r, i + 1);
			if (what)
				fail_msg("round %u: %s", i, what);
			pl_recording_close(r);
		}
		buf_reset(b);
		buf_put(b, before.at, before.used);
	}
	buf_release(&before);
	maker_release(&m);
}

static void test_counts_of_damaged(void **state)
{
	(void)state;

	compare_counts_of_damaged(false);
	compare_counts_of_damaged(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_damage_in_chains),
		cmocka_unit_test(test_counts_of_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
