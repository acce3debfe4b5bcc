/* Requests by the frames of applications. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/requests.h"
#include "tests/lib/handlers.h"

#define WSGI "\7environ\16start_response"

/* main, the server, calls the application (code 40) twice: it returns, and it raises. In the first
 * call it calls another one (code 50). */
static void open_server(struct scene *x)
{
	scene_begin(x);
	x->m.arguments = (struct arguments){2, view_of(WSGI, sizeof WSGI - 1)};
	maker_body(&x->m, 4, "application", 40, 3);
	maker_body(&x->m, 5, "inner", 50, 2);
	maker_switch(x->t, 1);
	maker_enter(x->t, EVENT_NO_SITE, 10);
	scene_line(x->t, 0);
	maker_enter(x->t, MAKER_UNIT(0), 40); /* 2 */
	scene_line(x->t, 0);
	maker_enter(x->t, MAKER_UNIT(0), 50);
	maker_event1(x->t, EVENT_LEAVE, MAKER_UNIT(1));
	maker_event1(x->t, EVENT_LEAVE, MAKER_UNIT(2)); /* 6 */
	scene_line(x->t, 1);
	maker_enter(x->t, MAKER_UNIT(1), 40); /* 8 */
	scene_line(x->t, 0);
	scene_raise(x->t, 0);
	scene_unwind(x->t); /* 11 */
	scene_raise(x->t, 1);
	maker_event2(x->t, EVENT_HANDLED, MAKER_UNIT(2), SCENE_TYPE);
	maker_enter(x->t, MAKER_UNIT(2), 40); /* 14 */
	scene_line(x->t, 0);
	maker_cut(&x->m, x->t);
	scene_start(x);
}

static void found_by_their_frames(void **state)
{
	struct requests all = {.count = 0};
	struct scene x;

	(void)state;
	open_server(&x);
	assert_int_equal(requests_find(&all, x.r, NULL, &x.err), 0);
	assert_int_equal(all.count, 3); /* the outermost alone */
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(all.rows[i].number, i + 1);
		assert_int_equal(all.rows[i].kind, REQUEST_WSGI);
		assert_int_equal(all.rows[i].process, 1);
		assert_string_equal(all.rows[i].route, "application");
	}
	assert_int_equal(all.rows[0].seq, 2);
	assert_int_equal(all.rows[0].end_seq, 6);
	assert_true(!all.rows[0].open && all.rows[0].raised == 0);
	assert_string_equal(all.rows[0].error, "");
	assert_true(all.rows[0].end_ns > all.rows[0].begin_ns);
	requests_release(&all);
	assert_int_equal(all.count, 0);
	scene_close(&x);
}

static void how_they_end(void **state)
{
	struct requests all = {.count = 0};
	struct scene x;

	(void)state;
	open_server(&x);
	assert_int_equal(requests_find(&all, x.r, NULL, &x.err), 0);
	assert_int_equal(all.rows[1].end_seq, 11);
	assert_string_equal(all.rows[1].error, "shop.SoldOut");
	assert_int_equal(all.rows[1].raised, 1);
	assert_true(all.rows[2].open);
	assert_int_equal(request_waiting_ns(&all.rows[0]), -1); /* nobody looked */
	requests_release(&all);
	scene_close(&x);
}

static void stopped(void **state)
{
	static const volatile sig_atomic_t stop = 1;
	struct requests all = {.count = 0};
	struct scene x;

	(void)state;
	open_server(&x);
	assert_int_equal(requests_find(&all, x.r, &stop, &x.err), PL_END);
	requests_release(&all);
	scene_close(&x);
}

static void words(void **state)
{
	(void)state;
	assert_string_equal(request_kind_name(REQUEST_WSGI), "wsgi");
	assert_string_equal(request_kind_name(REQUEST_RQ), "rq");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_by_their_frames),
		cmocka_unit_test(how_they_end),
		cmocka_unit_test(stopped),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
