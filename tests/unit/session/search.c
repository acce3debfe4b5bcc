/* Looking for stops, and for names, in all threads of a process in their order, or in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/sessions.h"

static void go_on(struct scene *x, bool back, uint32_t thread, uint64_t seq)
{
	assert_int_equal(replay_continue(&x->s->replay, back, &x->err), 0);
	assert_int_equal(x->s->replay.at.position.thread, thread);
	assert_int_equal(x->s->replay.at.seq, seq);
}

/* Line 22 is the worker's, which runs between the two calls. */
static void stops_of_all_threads(void **state)
{
	struct replay *p;
	struct scene x;

	(void)state;
	scene_open(&x);
	p = &x.s->replay;
	stops_add(&p->stops, STOP_CALL, "book", 0);
	stops_add(&p->stops, STOP_LINE, "a.py", 22);
	go_on(&x, false, 0, 3);
	go_on(&x, false, 1, 2);
	go_on(&x, false, 0, 13);
	assert_int_equal(replay_continue(p, false, &x.err), PL_END);
	assert_int_equal(p->at.seq, 13); /* unchanged */
	go_on(&x, true, 1, 2);
	go_on(&x, true, 0, 3);
	assert_int_equal(replay_continue(p, true, &x.err), PL_END);
	p->only_here = true;
	go_on(&x, false, 0, 13);
	scene_close(&x);
}

static void at_one_hit(void **state)
{
	struct replay *p;
	struct scene x;

	(void)state;
	scene_open(&x);
	p = &x.s->replay;
	stops_add(&p->stops, STOP_LINE, "a.py", 11)->hits = 2;
	go_on(&x, false, 0, 14);
	assert_int_equal(replay_continue(p, false, &x.err), PL_END);
	assert_int_equal(replay_seq(p, 1, 0, 18, &x.err), 0);
	go_on(&x, true, 0, 14);
	scene_close(&x);
}

static void for_once(void **state)
{
	struct replay *p;
	struct scene x;

	(void)state;
	scene_open(&x);
	p = &x.s->replay;
	stops_add(&p->stops, STOP_LINE, "a.py", 11)->once = true;
	go_on(&x, false, 0, 4);
	assert_int_equal(p->stops.count, 0);
	scene_close(&x);
}

static void exceptions(void **state)
{
	struct replay *p;
	struct scene x;

	(void)state;
	scene_open(&x);
	p = &x.s->replay;
	stops_add(&p->stops, STOP_RAISE, "SoldOut", 0);
	go_on(&x, false, 0, 6); /* and not where it arrives in the caller */
	assert_int_equal(replay_continue(p, false, &x.err), PL_END);
	scene_close(&x);
}

static void find(struct scene *x, const char *pattern, bool back, uint64_t seq)
{
	struct pattern p = {0};

	assert_int_equal(pattern_read(&p, pattern, false, NULL), 0);
	const int code = replay_search(&x->s->replay, &p, back, &x->err);
	assert_int_equal(code, seq == UINT64_MAX ? PL_END : 0);
	if (code == 0)
		assert_int_equal(x->s->replay.at.seq, seq);
	pattern_release(&p);
}

static void names(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	find(&x, "^Shop", false, 3);
	find(&x, "^Shop|Out$", false, 6);
	find(&x, "^Shop", false, 13);
	find(&x, "work", false, UINT64_MAX);
	find(&x, "work", true, 0);
	assert_int_equal(x.s->replay.at.position.thread, 1);
	scene_close(&x);
}

static bool is_named(void *context, const struct pl_count *row)
{
	return row->code && !strcmp(pl_code_name(row->code), context);
}

static void ever(void **state)
{
	char work[] = "work", play[] = "play";
	struct pl_wanted wanted = {.kinds = 1u << PL_EVENT_CALL, .may = is_named, .context = work};
	struct scene x;

	(void)state;
	scene_open(&x);
	assert_int_equal(replay_ever(&x.s->replay, &wanted, &x.err), 0);
	wanted.context = play;
	assert_int_equal(replay_ever(&x.s->replay, &wanted, &x.err), PL_END);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stops_of_all_threads),
		cmocka_unit_test(at_one_hit),
		cmocka_unit_test(for_once),
		cmocka_unit_test(exceptions),
		cmocka_unit_test(names),
		cmocka_unit_test(ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
