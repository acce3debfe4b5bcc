/* The exceptions that led to one, and how they are linked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "tests/lib/handlers.h"

/* Of the KeyError that the last line raises. */
static struct why *find(struct scene *x)
{
	struct why *w = calloc(1, sizeof *w);
	const struct crash of = {.type = "KeyError", .end = handlers_event(x, 7)};

	assert_non_null(w);
	w->r = x->r;
	w->stop = &scene_stop;
	assert_int_equal(why_find(w, &of, &x->err), 0);
	return w;
}

static void forget(struct why *w)
{
	why_release(w);
	free(w);
}

static void meanwhile(void **state)
{
	struct scene x;

	(void)state;
	handlers_open(&x, "        raise KeyError");
	struct why *w = find(&x);
	assert_int_equal(w->count, 2);
	assert_false(w->more);
	assert_int_equal(w->all[0].link, WHY_ASKED);
	assert_int_equal(w->all[0].raise.seq, 6);
	assert_int_equal(w->all[0].count, 1);
	assert_string_equal(w->all[1].type, "shop.SoldOut");
	assert_int_equal(w->all[1].link, WHY_CONTEXT);
	assert_int_equal(w->all[1].of, 0);
	assert_int_equal(w->all[1].raise.seq, 3);
	assert_int_equal(w->all[1].end.seq, 4);
	forget(w);
	scene_close(&x);
}

/* The source says whether it is the cause; "from None" hides what was handled. */
static void causes(void **state)
{
	struct scene x;

	(void)state;
	handlers_open(&x, "        raise KeyError from error");
	struct why *w = find(&x);
	assert_int_equal(w->count, 2);
	assert_int_equal(w->all[1].link, WHY_CAUSE);
	forget(w);
	scene_close(&x);
	handlers_open(&x, "        raise KeyError from None");
	w = find(&x);
	assert_int_equal(w->count, 1);
	forget(w);
	scene_close(&x);
}

static void no_handler(void **state)
{
	struct scene x;

	(void)state;
	handlers_open(&x, "    raise KeyError");
	struct why *w = find(&x);
	assert_int_equal(w->count, 1);
	assert_string_equal(w->all[0].type, "KeyError");
	assert_null(w->all[0].message); /* no values were kept */
	forget(w);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meanwhile),
		cmocka_unit_test(causes),
		cmocka_unit_test(no_handler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
