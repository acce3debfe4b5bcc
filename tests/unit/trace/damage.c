/* Damage, at random: no crash, no leak, and never a changed path that looks sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/damage.h"

#define ROUNDS 4000

static void make(struct maker *m)
{
	maker_init(m);
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

	make(&m);
	damage_rounds(&m, ROUNDS, 7);
	maker_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
