/* An expression that selects rows of a lane: the same ones from wherever one begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "session/lane_filter.h"
#include "tests/lib/sessions.h"

#define KINDS (1u << PL_EVENT_CALL | 1u << PL_EVENT_RETURN | 1u << PL_EVENT_LINE)

struct filtered {
	struct scene x;
	struct lane_filter f;
};

static void filter_begin(struct filtered *t, const char *text)
{
	const struct expr_words words = {.variables = false};
	struct expr_fault fault;

	*t = (struct filtered){.f = {.of = {.process = 1}}};
	scene_open_values(&t->x);
	t->f.r = t->x.r;
	if (text)
		assert_int_equal(expr_read(&t->f.expr, text, &words, &fault), 0);
}

static void filter_end(struct filtered *t)
{
	lane_filter_release(&t->f);
	lane_filter_release(&t->f);
	expr_free(t->f.expr);
	scene_close(&t->x);
}

/* Ask about the events from one seq to another; the seqs of those that are selected, as bits. */
static unsigned asked(struct filtered *t, uint64_t from, uint64_t to)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;
	unsigned selected = 0;

	assert_int_equal(pl_cursor_new(&c, t->x.r, 1, 0, &t->x.err), 0);
	pl_cursor_want_values(c, true);
	assert_int_equal(pl_cursor_seek_seq(c, from, &t->x.err), 0);
	while (pl_cursor_next(c, &e, &t->x.err) == 0 && e.seq <= to) {
		const int code = lane_filter_ask(&t->f, &e, &t->x.err);
		assert_true(code == 0 || code == PL_END);
		selected |= code == 0 ? 1u << e.seq : 0;
	}
	pl_cursor_free(c);
	return selected;
}

static void without_an_expression(void **state)
{
	struct filtered t;

	(void)state;
	filter_begin(&t, NULL);
	assert_int_equal(lane_filter_kinds(&t.f, KINDS), KINDS);
	assert_true(lane_filter_may(&t.f, &(struct pl_count){.kind = PL_EVENT_LINE}));
	assert_int_equal(asked(&t, 0, 9), 0x3ff);
	filter_end(&t);
}

static void kinds(void **state)
{
	struct filtered t;

	(void)state;
	filter_begin(&t, "event == 'call'");
	assert_int_equal(lane_filter_kinds(&t.f, KINDS), 1u << PL_EVENT_CALL);
	assert_false(lane_filter_may(&t.f, &(struct pl_count){.kind = PL_EVENT_LINE}));
	assert_int_equal(asked(&t, 0, 9), 1u << 0 | 1u << 2 | 1u << 8);
	filter_end(&t);
	filter_begin(&t, "thread == 'worker'");
	assert_int_equal(asked(&t, 0, 9), 0);
	filter_end(&t);
}

/* The end of a call has its arguments, also where one begins in the middle of it. */
static void of_a_call(void **state)
{
	struct filtered t;

	(void)state;
	filter_begin(&t, "event == 'return' and args.n == 5");
	assert_int_equal(asked(&t, 0, 9), 1u << 6);
	lane_filter_jump(&t.f);
	assert_int_equal(asked(&t, 4, 9), 1u << 6);
	lane_filter_jump(&t.f);
	assert_int_equal(asked(&t, 6, 9), 1u << 6);
	filter_end(&t);
	filter_begin(&t, "event == 'return' and args.n == 9");
	assert_int_equal(asked(&t, 4, 9), 0);
	filter_end(&t);
}

/* For the arguments of ends, the calls must go by: of code that can match. */
static void what_must_go_by(void **state)
{
	struct filtered t;

	(void)state;
	filter_begin(&t, "event == 'return' and args.n == 5");
	assert_int_equal(
		lane_filter_kinds(&t.f, KINDS) & (1u << PL_EVENT_CALL), 1u << PL_EVENT_CALL);
	assert_int_equal(session_to_seq(t.x.s, 3, &t.x.err), 0);
	const struct pl_count call = {.kind = PL_EVENT_CALL, .code = t.x.s->replay.at.code};
	assert_true(lane_filter_may(&t.f, &call));
	assert_int_equal(session_to_seq(t.x.s, 0, &t.x.err), 0);
	const struct pl_count of_main = {.kind = PL_EVENT_CALL, .code = t.x.s->replay.at.code};
	assert_false(lane_filter_may(&t.f, &of_main)); /* it has no n */
	filter_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_an_expression),
		cmocka_unit_test(kinds),
		cmocka_unit_test(of_a_call),
		cmocka_unit_test(what_must_go_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
