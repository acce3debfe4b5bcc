/* The event at which a line of a report ran. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd/line_at.h"
#include "tests/lib/sessions.h"

static const struct pl_code *code_at(struct scene *x, uint64_t seq)
{
	assert_int_equal(session_to_seq(x->s, seq, &x->err), 0);
	return x->s->replay.at.code;
}

/* Lines of Shop.book ran from 3 to 7, and from 13 to 17. */
static void the_last_one(void **state)
{
	struct scene x;
	uint64_t seq = 0;

	(void)state;
	scene_open(&x);
	struct line_at at = {.process = 1, .code = code_at(&x, 4), .line = 11, .before_seq = 99};
	assert_true(line_at_seq(x.r, &at, &seq));
	assert_int_equal(seq, 14);
	at.before_seq = 14;
	assert_true(line_at_seq(x.r, &at, &seq));
	assert_int_equal(seq, 4);
	at.from_seq = 5;
	assert_false(line_at_seq(x.r, &at, &seq));
	at = (struct line_at){.process = 1, .code = at.code, .line = 99, .before_seq = 99};
	assert_false(line_at_seq(x.r, &at, &seq));
	at.code = NULL;
	assert_false(line_at_seq(x.r, &at, &seq));
	assert_int_equal(seq, 4); /* as it was */
	scene_close(&x);
}

static int64_t time_at(struct scene *x, uint64_t seq)
{
	assert_int_equal(session_to_seq(x->s, seq, &x->err), 0);
	return x->s->replay.at.time_ns;
}

/* A call, and a pass of a line in it, by the times of their ends. */
static void the_longest(void **state)
{
	struct scene x;
	uint64_t seq = 0;

	(void)state;
	scene_open(&x);
	struct line_at at = {.process = 1,
		.code = code_at(&x, 14),
		.from_ns = time_at(&x, 13),
		.to_ns = time_at(&x, 16)};
	assert_true(line_at_longest(x.r, &at, &seq));
	assert_int_equal(seq, 13);
	at.line = 11;
	at.from_ns = time_at(&x, 14);
	at.to_ns = time_at(&x, 15);
	assert_true(line_at_longest(x.r, &at, &seq));
	assert_int_equal(seq, 14);
	at.code = NULL;
	assert_false(line_at_longest(x.r, &at, &seq));
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_one),
		cmocka_unit_test(the_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
