/* Which handler was at work when an exception was raised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/why_before.h"
#include "tests/lib/handlers.h"

static int before(struct scene *x, const char *type, struct pl_event *handled)
{
	struct why *w = calloc(1, sizeof *w);
	const struct pl_event raise = handlers_event(x, 6);
	const struct why_before b = {.raise = &raise, .type = type};

	assert_non_null(w);
	w->r = x->r;
	w->stop = &scene_stop;
	w->valued.r = x->r;
	const int code = why_before(w, &b, handled, &x->err);
	why_release(w);
	free(w);
	return code;
}

static void at_work(void **state)
{
	struct pl_event handled;
	struct scene x;

	(void)state;
	handlers_open(&x, "        raise KeyError");
	assert_int_equal(before(&x, "shop.SoldOut", &handled), 0);
	assert_int_equal(handled.kind, PL_EVENT_HANDLED);
	assert_int_equal(handled.seq, 4);
	assert_int_equal(before(&x, NULL, &handled), 0); /* of any type */
	assert_int_equal(before(&x, "ValueError", &handled), PL_END);
	scene_close(&x);
}

/* A line that is not below the except is not in its handler. */
static void over(void **state)
{
	struct pl_event handled;
	struct scene x;

	(void)state;
	handlers_open(&x, "    raise KeyError");
	assert_int_equal(before(&x, "shop.SoldOut", &handled), PL_END);
	scene_close(&x);
}

static void sources(void **state)
{
	struct scene x;
	size_t indent = 0;

	(void)state;
	handlers_open(&x, "\t\traise KeyError  ");
	const struct pl_code *code = handlers_event(&x, 6).code;
	struct pl_text t = why_source(x.r, code, 5, &indent);
	assert_int_equal(t.length, strlen("raise KeyError"));
	assert_memory_equal(t.at, "raise KeyError", t.length);
	assert_int_equal(indent, 16); /* a tab goes to the next eighth column */
	indent = 0;
	t = why_source(x.r, code, 3, &indent);
	assert_int_equal(indent, 8);
	assert_null(why_source(x.r, code, 0, &indent).at);
	assert_null(why_source(x.r, NULL, 3, &indent).at);
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_work),
		cmocka_unit_test(over),
		cmocka_unit_test(sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
