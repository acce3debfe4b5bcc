/* Sums by body: of which code an event is, and what is not known yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "collector/costs.h"

static void know(struct bodies *b, uint32_t code, uint64_t body)
{
	uint64_t *to = map_put(&b->codes, code);

	assert_non_null(to);
	*to = body + 1;
}

static void push(struct stack *s, uint32_t code)
{
	assert_int_equal(stack_push(s, &(struct stack_frame){.code = code}), 0);
}

static void an_entry_is_of_its_own_code_the_rest_of_the_top(void **state)
{
	struct costs c = {.on = true};
	struct bodies b = {0};
	struct stack s = {0};

	(void)state;
	know(&b, 10, 3);
	know(&b, 11, 700); /* beyond the first rows */
	push(&s, 10);
	costs_count(&c, &b, &s, &(struct event){.kind = EVENT_LINE});
	costs_count(&c, &b, &s, &(struct event){.kind = EVENT_ENTER, .code = 11});
	push(&s, 11);
	costs_count(&c, &b, &s, &(struct event){.kind = EVENT_LINE});
	costs_count(&c, &b, &s, &(struct event){.kind = EVENT_LINE_AT});
	costs_count(&c, &b, &s, &(struct event){.kind = EVENT_POPS, .a = 1}); /* no row */
	assert_int_equal(c.rows[4][PL_EVENT_LINE], 1);
	assert_int_equal(c.rows[4][PL_EVENT_CALL], 0);
	assert_int_equal(c.rows[701][PL_EVENT_CALL], 1);
	assert_int_equal(c.rows[701][PL_EVENT_LINE], 2);
	stack_release(&s);
	map_release(&b.codes);
	costs_release(&c);
}

static void a_code_may_be_described_later(void **state)
{
	struct costs c = {.on = true};
	struct bodies b = {0};
	struct stack s = {0};

	(void)state;
	costs_count(&c, &b, &s, &(struct event){.kind = EVENT_MARK}); /* without a frame */
	costs_count(&c, &b, &s, &(struct event){.kind = EVENT_ENTER, .code = 5});
	know(&b, 5, 0);
	costs_count(&c, &b, &s, &(struct event){.kind = EVENT_ENTER, .code = 5});
	assert_int_equal(c.rows[0][PL_EVENT_MARK], 1);
	assert_int_equal(c.rows[0][PL_EVENT_CALL], 1);
	assert_int_equal(c.rows[1][PL_EVENT_CALL], 1);
	map_release(&b.codes);
	costs_release(&c);
	costs_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_is_of_its_own_code_the_rest_of_the_top),
		cmocka_unit_test(a_code_may_be_described_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
