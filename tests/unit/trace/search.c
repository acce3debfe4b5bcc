/* Searches that are narrowed to fewer kinds and widened again: between two answers, and from within
 * the question about an event. The path, by seq:
 *
 *	0 call main   1 line 2   2 line 3   3 call f    4 line 11   5 return f     first block
 *	6 line 4      7 line 2   8 line 3   9 line 4   10 line 2                   second block
 *	11 line 3    12 call f  13 line 11 14 return f 15 line 4   16 return main  third block
 */
#include "stages.h"
#include "pathline/search.h"

#define OF(kind) (1u << PL_EVENT_##kind)
#define ALL	 (OF(CALL) | OF(LINE) | OF(RETURN))

struct fixture {
	struct stages s;
	struct pl_search *search;
	uint32_t from_call;   /* 0, or what the search is narrowed to at a call ... */
	bool until_return;    /* ... and at a return it is for all again */
	uint32_t asked;	      /* how often */
	uint32_t asked_kinds; /* about which kinds */
};

static void call_f(struct maker_thread *t, uint32_t unit)
{
	maker_enter(t, unit, 20);
	maker_line(t, 0);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(0) + 3);
}

static void make_path(struct stages *s)
{
	stages_init(s);
	maker_body(&s->m, 2, "f", 10, 3);
	maker_enter(s->t, EVENT_NO_SITE, 10);
	maker_line(s->t, 0);
	maker_line(s->t, 1);
	call_f(s->t, MAKER_UNIT(1) + 1);
	maker_cut(&s->m, s->t);
	for (int i = 2; i < 7; i++)
		maker_line(s->t, (uint32_t)i % 3);
	maker_cut(&s->m, s->t);
	maker_line(s->t, 1);
	call_f(s->t, MAKER_UNIT(1) + 1);
	maker_line(s->t, 2);
	maker_event1(s->t, EVENT_LEAVE, MAKER_UNIT(2));
	maker_cut(&s->m, s->t);
	stages_open(s);
}

static int note_asked(void *context, const struct pl_event *e)
{
	struct fixture *f = context;

	f->asked++;
	f->asked_kinds |= 1u << e->kind;
	if (e->kind == PL_EVENT_CALL && f->from_call)
		pl_search_narrow(f->search, f->from_call);
	if (e->kind == PL_EVENT_RETURN && f->until_return)
		pl_search_narrow(f->search, 0);
	return 0;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	const struct pl_wanted wanted = {
		.process = 1, .kinds = ALL, .is = note_asked, .context = f};

	if (!f)
		return -1;
	make_path(&f->s);
	*state = f;
	return pl_search_new(&f->search, f->s.r, &wanted, NULL);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	pl_search_free(f->search);
	stages_close(&f->s);
	free(f);
	return 0;
}

/* The seqs that it finds from there on: "0 3 12 ". */
static void expect_from(struct fixture *f, uint64_t seq, const char *expected)
{
	struct pl_buf found = {0};
	struct pl_event e;
	int code;

	while ((code = pl_search_next(f->search, seq, UINT64_MAX, &e, NULL)) == 0) {
		buf_printf(&found, "%d ", (int)e.seq);
		seq = e.seq + 1;
	}
	buf_u8(&found, 0);
	assert_int_equal(code, PL_END);
	assert_string_equal((const char *)found.at, expected);
	buf_release(&found);
}

static void expect_next(struct fixture *f, uint64_t seq, uint64_t expected)
{
	struct pl_event e;

	assert_int_equal(pl_search_next(f->search, seq, UINT64_MAX, &e, NULL), 0);
	assert_int_equal(e.seq, expected);
}

static void expect_previous(struct fixture *f, uint64_t seq, uint64_t expected)
{
	struct pl_event e;

	assert_int_equal(pl_search_previous(f->search, seq, 0, &e, NULL), 0);
	assert_int_equal(e.seq, expected);
}

static void test_between_answers(void **state)
{
	struct fixture *f = *state;

	expect_from(f, 0, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 ");
	pl_search_narrow(f->search, OF(CALL));
	expect_from(f, 0, "0 3 12 ");
	pl_search_narrow(f->search, OF(RETURN));
	expect_from(f, 0, "5 14 16 ");
	pl_search_narrow(f->search, 0);
	expect_from(f, 9, "9 10 11 12 13 14 15 16 ");
	pl_search_narrow(f->search, OF(RETURN)); /* the same choice again */
	expect_from(f, 0, "5 14 16 ");
}

/* It is asked about no event of another kind, and goes on where it was. */
static void test_asks_less(void **state)
{
	struct fixture *f = *state;

	expect_next(f, 0, 0);
	expect_next(f, 1, 1);
	f->asked = f->asked_kinds = 0;
	pl_search_narrow(f->search, OF(CALL));
	expect_next(f, 2, 3);
	expect_next(f, 4, 12);
	assert_int_equal(f->asked, 2);
	assert_int_equal(f->asked_kinds, OF(CALL));
	pl_search_narrow(f->search, 0);
	expect_next(f, 13, 13);
}

/* From within `is`, it is for the events after that one. */
static void test_from_within(void **state)
{
	struct fixture *f = *state;

	f->from_call = OF(CALL) | OF(RETURN);
	f->until_return = true;
	expect_from(f, 0, "0 3 5 6 7 8 9 10 11 12 14 15 16 ");
	assert_int_equal(f->asked, 13);
}

static void test_backward(void **state)
{
	struct fixture *f = *state;
	struct pl_event e;

	pl_search_narrow(f->search, OF(CALL));
	expect_previous(f, UINT64_MAX, 12);
	expect_previous(f, 12, 3);
	expect_previous(f, 3, 0);
	assert_int_equal(pl_search_previous(f->search, 0, 0, &e, NULL), PL_END);
	assert_int_equal(f->asked_kinds, OF(CALL));
	pl_search_narrow(f->search, 0);
	expect_previous(f, 12, 11);
}

/* What `is` narrows it to while the last event is looked for does not change which one that is. */
static void test_backward_from_within(void **state)
{
	struct fixture *f = *state;

	f->from_call = OF(CALL);
	expect_previous(f, 13, 12);
	pl_search_narrow(f->search, 0);
	f->from_call = OF(RETURN);
	expect_previous(f, 14, 12);
}

/* A gap has the seq of the event after it. Of two rows with one seq, that one is given which is
 * wanted now. */
static void test_rows_of_one_seq(void **state)
{
	const struct pl_wanted wanted = {.process = 1, .kinds = OF(LINE) | OF(GAP)};
	struct stages s;
	struct pl_search *search;
	struct pl_event e;
	(void)state;

	stages_init(&s);
	maker_enter(s.t, EVENT_NO_SITE, 10);
	maker_line(s.t, 0);
	maker_line(s.t, 2); /* over the line between */
	maker_cut(&s.m, s.t);
	stages_open(&s);
	assert_int_equal(pl_search_new(&search, s.r, &wanted, NULL), 0);
	pl_search_narrow(search, OF(LINE));
	assert_int_equal(pl_search_previous(search, 3, 0, &e, NULL), 0);
	assert_int_equal(e.seq, 2);
	assert_int_equal(e.kind, PL_EVENT_LINE);
	pl_search_narrow(search, OF(GAP));
	assert_int_equal(pl_search_previous(search, 3, 0, &e, NULL), 0);
	assert_int_equal(e.seq, 2);
	assert_int_equal(e.kind, PL_EVENT_GAP);
	pl_search_free(search);
	stages_close(&s);
}

/* A kind that was never wanted is not wanted by being chosen alone. */
static void test_other_kinds(void **state)
{
	struct fixture *f = *state;

	pl_search_narrow(f->search, OF(YIELD));
	expect_from(f, 0, "");
	assert_int_equal(f->asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_between_answers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_asks_less, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_from_within, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_backward, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_backward_from_within, set_up, tear_down),
		cmocka_unit_test(test_rows_of_one_seq),
		cmocka_unit_test_setup_teardown(test_other_kinds, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
