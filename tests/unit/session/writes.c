/* The lines that write a variable of a frame, back and forward; another call's are not these. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/writes.h"
#include "tests/lib/sessions.h"

/* From this event; the seq of the line that writes it, and what it writes. NULL: there is none. */
static void expect(struct scene *x, uint64_t from, bool back, uint64_t seq, const char *text)
{
	const char *name = x->s->variable;
	struct write_search search = {.r = x->r, .name = name, .depth = 1, .back = back};
	struct path path = {.r = x->r, .process = 1};
	struct write_found found;
	const struct pl_event *e;

	assert_int_equal(path_from(&path, from, &e, &x->err), 0);
	assert_int_equal(write_find(&search, e, &found, &x->err), text ? 0 : PL_END);
	if (text) {
		assert_int_equal(found.seq, seq);
		assert_string_equal(found.text, text);
	}
	path_release(&path);
}

static void both_ways(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	snprintf(x.s->variable, sizeof x.s->variable, "sum");
	expect(&x, 3, false, 5, "7"); /* a line's own write does not count */
	expect(&x, 2, false, 3, "1");
	expect(&x, 5, false, 0, NULL);
	expect(&x, 6, true, 5, "7");
	expect(&x, 5, true, 3, "1");
	expect(&x, 3, true, 0, NULL);
	scene_close(&x);
}

/* What the call passed, no line wrote. */
static void of_an_argument(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	snprintf(x.s->variable, sizeof x.s->variable, "n");
	expect(&x, 6, true, 4, "6");
	expect(&x, 4, true, 2, "5"); /* by the call */
	expect(&x, 2, true, 0, NULL);
	expect(&x, 9, true, 8, "9");
	expect(&x, 9, false, 0, NULL);
	scene_close(&x);
}

static void unknown(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	snprintf(x.s->variable, sizeof x.s->variable, "total");
	expect(&x, 3, false, 0, NULL);
	expect(&x, 6, true, 0, NULL);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(of_an_argument),
		cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
