/* Calls by the value of an argument: recordings that are made here, of main, which calls f(n). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cmd/groups.h"
#include "lib/values.h"
#include "tests/lib/recording.h"

#define ARGUMENT_N "\1n"

struct made {
	struct maker m;
	struct maker_thread *t;
	struct pl_recording *r;
	struct value_path by;
	struct groups g;
};

static bool all_wanted(const void *context, const struct pl_code *code)
{
	(void)context, (void)code;
	return true;
}

static void made_begin(struct made *x)
{
	*x = (struct made){0};
	maker_init(&x->m);
	maker_body(&x->m, 1, "main", 1, 3);
	x->m.arguments = (struct arguments){1, view_of(ARGUMENT_N, 2)};
	maker_body(&x->m, 2, "f", 10, 3);
	x->t = maker_thread(&x->m, 0);
	maker_enter(x->t, EVENT_NO_SITE, 10);
	maker_line(x->t, 0);
}

static void put_values(struct made *x, const struct pl_buf *b)
{
	maker_done(x->t, event_write_further(maker_room(x->t), EVENT_VALUES, b->at, b->used));
}

/* Flags of 0, and a number. */
static void put_number(struct made *x, int64_t number)
{
	struct pl_buf b = {0};

	buf_u8(&b, 0);
	value_number(&b, number);
	put_values(x, &b);
	buf_release(&b);
}

static void call(struct made *x, int64_t n)
{
	put_number(x, n);
	maker_enter(x->t, MAKER_UNIT(0), 20);
	maker_line(x->t, 0);
}

static void leave(struct made *x, int64_t result)
{
	put_number(x, result);
	maker_event1(x->t, EVENT_LEAVE, 0);
}

static void made_read(struct made *x, const char *by)
{
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	maker_end(&x->m);
	assert_int_equal(recording_open_files(&x->r, maker_files(&x->m), NULL), 0);
	assert_int_equal(value_path_read(&x->by, by, NULL), 0);
	x->g = (struct groups){.r = x->r, .by = &x->by, .wanted = all_wanted, .to_ns = INT64_MAX};
	assert_int_equal(groups_add(&x->g, 1, 0, NULL), 0);
	groups_sort(&x->g);
}

static void made_release(struct made *x)
{
	groups_release(&x->g);
	groups_release(&x->g);
	pl_recording_close(x->r);
	maker_release(&x->m);
}

static const struct group *group_of(const struct made *x, const char *value)
{
	for (size_t i = 0; i < x->g.count; i++)
		if (!strcmp(x->g.all[i]->value, value))
			return x->g.all[i];
	fail_msg("no group of %s", value);
	return NULL;
}

static void by_value(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	call(&x, 7);
	leave(&x, 14);
	call(&x, 7);
	leave(&x, 14);
	call(&x, 8);
	leave(&x, 16);
	made_read(&x, "n");
	assert_true(x.g.some);
	assert_int_equal(x.g.count, 2);
	const struct group *seven = group_of(&x, "7");
	assert_int_equal(seven->calls, 2);
	assert_int_equal(seven->ended, 2);
	assert_string_equal(seven->results[0].text, "14");
	assert_int_equal(seven->results[0].count, 2);
	assert_int_equal(group_of(&x, "8")->calls, 1);
	made_release(&x);
}

/* A part that the value has not, and a call without values. */
static void without_the_part(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	call(&x, 7);
	leave(&x, 14);
	maker_enter(x.t, MAKER_UNIT(0), 20);
	maker_line(x.t, 0);
	leave(&x, 1);
	made_read(&x, "n.total");
	assert_int_equal(x.g.count, 1);
	assert_int_equal(group_of(&x, "(not kept)")->calls, 2);
	made_release(&x);
}

static void no_such_argument(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	call(&x, 7);
	leave(&x, 14);
	made_read(&x, "m");
	assert_false(x.g.some);
	assert_int_equal(x.g.count, 0);
	made_release(&x);
}

/* A call whose end was not recorded has none, and does not take that of the next one. */
static void a_lost_end(void **state)
{
	struct made x;

	(void)state;
	made_begin(&x);
	call(&x, 7);
	maker_event1(x.t, EVENT_POPS, 1); /* it has gone */
	maker_line(x.t, 1);
	call(&x, 8);
	leave(&x, 16);
	call(&x, 9); /* it still runs */
	made_read(&x, "n");
	assert_int_equal(group_of(&x, "7")->calls, 1);
	assert_int_equal(group_of(&x, "7")->ended, 0);
	assert_int_equal(group_of(&x, "8")->ended, 1);
	assert_int_equal(group_of(&x, "9")->ended, 0);
	made_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_value),
		cmocka_unit_test(without_the_part),
		cmocka_unit_test(no_such_argument),
		cmocka_unit_test(a_lost_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
