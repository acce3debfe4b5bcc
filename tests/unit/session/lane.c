/* The rows of one thread, in both directions from a window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/lane.h"
#include "tests/lib/sessions.h"

#define ROWS	(1u << PL_EVENT_CALL | 1u << PL_EVENT_RAISE | 1u << PL_EVENT_RETURN)
#define AT(seq) ((uint64_t)(seq)*2 + 1)

static void write_kind(void *context, const struct pl_event *e, char *text, size_t max)
{
	(void)context;
	snprintf(text, max, "%s", pl_event_kind_name(e->kind));
}

static bool shows_calls(void *context, const struct pl_event *e, const char *text)
{
	(void)context, (void)e;
	return !strcmp(text, "call");
}

struct laned {
	struct scene x;
	struct reading_rules rules;
	struct lane l;
};

static void lane_begin(struct laned *t, uint64_t place)
{
	*t = (struct laned){.l = {.of = {.process = 1}}};
	scene_open(&t->x);
	t->rules = (struct reading_rules){
		.r = t->x.r, .stop = &scene_stop, .kinds = ROWS, .write = write_kind};
	t->l.rules = &t->rules;
	lane_go(&t->l, place);
}

static void lane_end(struct laned *t)
{
	lane_release(&t->l);
	lane_release(&t->l);
	scene_close(&t->x);
}

/* The next row is taken into the window, and is this one. */
static void takes(struct laned *t, bool back, uint64_t seq, const char *text)
{
	const struct reading_row *next;

	assert_int_equal(lane_peek(&t->l, back, &next, &t->x.err), 0);
	struct reading_row row = lane_take(&t->l, back);
	assert_int_equal(row.seq, seq);
	assert_string_equal(row.text, text);
	assert_int_equal(row_place(&row), AT(seq));
	free(row.text);
}

static void ends(struct laned *t, bool back)
{
	const struct reading_row *row;

	assert_int_equal(lane_peek(&t->l, back, &row, &t->x.err), PL_END);
}

static void both_directions(void **state)
{
	struct laned t;

	(void)state;
	lane_begin(&t, AT(8));
	takes(&t, false, 8, "raise");
	takes(&t, false, 13, "call");
	takes(&t, true, 6, "raise");
	assert_int_equal(t.l.top, AT(6));
	assert_int_equal(t.l.bottom, AT(13) + 1);
	takes(&t, true, 3, "call");
	takes(&t, true, 0, "call");
	ends(&t, true);
	takes(&t, false, 17, "return");
	ends(&t, false);
	lane_end(&t);
}

/* A row that has left the window is found again. */
static void dropped(void **state)
{
	const struct reading_row *next;
	struct laned t;

	(void)state;
	lane_begin(&t, 0);
	takes(&t, false, 0, "call");
	assert_int_equal(lane_peek(&t.l, false, &next, &t.x.err), 0);
	struct reading_row row = lane_take(&t.l, false);
	assert_int_equal(row.seq, 3);
	lane_drop(&t.l, false, &row);
	free(row.text);
	takes(&t, false, 3, "call");
	takes(&t, false, 6, "raise");
	lane_end(&t);
}

static void by_their_texts(void **state)
{
	struct laned t;

	(void)state;
	lane_begin(&t, 0);
	t.rules.shows = shows_calls;
	takes(&t, false, 0, "call");
	takes(&t, false, 3, "call");
	takes(&t, false, 13, "call");
	ends(&t, false);
	lane_end(&t);
}

/* What was stopped is looked for again. */
static void interrupted(void **state)
{
	struct laned t;

	(void)state;
	lane_begin(&t, AT(8));
	scene_stop = 1;
	ends(&t, false);
	ends(&t, true);
	scene_stop = 0;
	takes(&t, true, 6, "raise");
	takes(&t, false, 8, "raise");
	lane_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_directions),
		cmocka_unit_test(dropped),
		cmocka_unit_test(by_their_texts),
		cmocka_unit_test(interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
