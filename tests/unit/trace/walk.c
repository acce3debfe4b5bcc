/* The last stage: the rows. Paths of all kinds are in cursor.c, which reads them through the API;
 * here is what only a walk has. */
#include "tests/unit/trace/stages.h"
#include "trace/walk.h"

static void make(struct stages *s)
{
	stages_init(s);
	maker_event1(s->t, EVENT_TIME, 10);
	maker_enter(s->t, EVENT_NO_SITE, 10);
	maker_line(s->t, 0);
	maker_cut(&s->m, s->t);
	maker_line(s->t, 1);
	maker_line(s->t, 2);
	maker_event1(s->t, EVENT_LEAVE, MAKER_UNIT(2));
	maker_cut(&s->m, s->t);
	stages_open(s);
}

static void expect(struct walk *w, enum pl_event_kind kind, int32_t line, uint32_t block)
{
	struct pl_event row;

	assert_int_equal(walk_next(w, &row, NULL), 0);
	assert_int_equal(row.kind, kind);
	assert_int_equal(row.line, line);
	assert_int_equal(row.position.block, block);
	assert_string_equal(pl_code_name(row.code), "main");
}

static void expect_second(struct walk *w)
{
	expect(w, PL_EVENT_LINE, 3, 1);
	expect(w, PL_EVENT_LINE, 4, 1);
	expect(w, PL_EVENT_RETURN, 4, 1);
}

static void test_rows(void **state)
{
	struct stages s;
	struct pl_event row;
	struct walk w;

	(void)state;
	make(&s);
	walk_init(&w, s.r, s.thread);
	expect(&w, PL_EVENT_CALL, 1, 0);
	expect(&w, PL_EVENT_LINE, 2, 0);
	expect_second(&w);
	assert_int_equal(walk_next(&w, &row, NULL), PL_END);
	assert_int_equal(walk_path(&w)->next_seq, 5);
	assert_int_equal(walk_possible(&w, &row, NULL), PL_END); /* there is no frame */
	walk_release(&w);
	stages_close(&s);
}

/* A walk that rests keeps its place in the list of blocks, and any block can be gone to. */
static void test_rest_and_go_to(void **state)
{
	struct stages s;
	struct pl_event row;
	struct walk w;

	(void)state;
	make(&s);
	walk_init(&w, s.r, s.thread);
	walk_go_to(&w, 1);
	expect_second(&w);
	walk_rest(&w);
	assert_int_equal(walk_next(&w, &row, NULL), PL_END);
	walk_go_to(&w, 0);
	expect(&w, PL_EVENT_CALL, 1, 0);
	walk_release(&w);
	stages_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rest_and_go_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
