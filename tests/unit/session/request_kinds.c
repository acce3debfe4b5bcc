/* Which code is an application, and what the values of its call say of a request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "session/request_kinds.h"
#include "tests/lib/handlers.h"

#define WSGI "\7environ\16start_response"
#define ASGI "\5scope\7receive\4send"

/* The call of a function with these arguments is event 0; owned by the scene. */
static struct pl_event call_of(struct scene *x, const char *arguments, uint32_t count)
{
	scene_begin(x);
	x->m.arguments = (struct arguments){count, view_of(arguments, strlen(arguments))};
	maker_body(&x->m, 4, "Shop.__call__", 40, 2);
	maker_switch(x->t, 1);
	maker_enter(x->t, EVENT_NO_SITE, 40);
	scene_line(x->t, 0);
	maker_event1(x->t, EVENT_LEAVE, MAKER_UNIT(1));
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	scene_start(x);
	return handlers_event(x, 0);
}

static void expect_code(const char *arguments, uint32_t count, enum request_code expected)
{
	struct scene x;
	const struct pl_event call = call_of(&x, arguments, count);
	struct request_codes codes = {.r = x.r};

	assert_int_equal(request_code_of(&codes, call.code), expected);
	assert_int_equal(request_code_of(&codes, call.code), expected);
	assert_int_equal(request_code_of(&codes, NULL), CODE_LIBRARY);
	assert_true(request_code_is_own(call.code));
	request_codes_release(&codes);
	scene_close(&x);
}

static void by_its_arguments(void **state)
{
	(void)state;
	expect_code(WSGI, 2, CODE_WSGI);
	expect_code("\4self" WSGI, 3, CODE_WSGI);
	expect_code(ASGI, 3, CODE_ASGI);
	expect_code("\16start_response\7environ", 2, CODE_OTHER); /* in another order */
	expect_code("\7environ\4more\16start_response", 3, CODE_OTHER);
	expect_code("\5scope\7receive", 2, CODE_OTHER);
	assert_true(request_code_begins(CODE_RQ));
	assert_false(request_code_begins(CODE_OTHER));
}

static void put_pair(struct pl_buf *b, const char *key, const char *value)
{
	value_str(b, key, strlen(key));
	value_str(b, value, strlen(value));
}

static void expect_route(const char *path, const char *method, const char *route)
{
	struct request q = {.kind = REQUEST_WSGI};
	struct pl_buf b = {0};
	struct scene x;
	struct pl_event call = call_of(&x, WSGI, 2);

	value_container(&b, VALUE_DICT, 1, method ? 2 : 1);
	if (method)
		put_pair(&b, "REQUEST_METHOD", method);
	put_pair(&b, "PATH_INFO", path);
	value_tag(&b, VALUE_END);
	value_tag(&b, VALUE_NONE);
	call.values = (struct pl_values){.at = b.at, .bytes = (uint32_t)b.used};
	assert_true(request_describe(&q, &call));
	assert_string_equal(q.route, route);
	assert_string_equal(q.target, path);
	buf_release(&b);
	scene_close(&x);
}

static void routes(void **state)
{
	(void)state;
	expect_route("/", "GET", "GET /");
	expect_route("/orders/17/rows", "POST", "POST /orders/:n/rows");
	expect_route("/orders/17a", "GET", "GET /orders/17a");
	expect_route("/b/0123abcd-0123-abcd", "GET", "GET /b/:n");
	expect_route("/orders/17", NULL, "/orders/:n");
}

static void without_values(void **state)
{
	struct request q = {.kind = REQUEST_WSGI};
	struct scene x;
	const struct pl_event call = call_of(&x, WSGI, 2);

	(void)state;
	assert_true(request_describe(&q, &call));
	assert_string_equal(q.route, "Shop.__call__");
	assert_string_equal(q.target, "");
	scene_close(&x);
}

/* The lifespan of an ASGI application is no request. */
static void scopes(void **state)
{
	static const char *const types[] = {"http", "lifespan", "websocket"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct request q = {.kind = REQUEST_ASGI};
		struct pl_buf b = {0};
		struct scene x;
		struct pl_event call = call_of(&x, ASGI, 3);
		value_container(&b, VALUE_DICT, 1, 3);
		put_pair(&b, "type", types[i]);
		put_pair(&b, "method", "GET");
		put_pair(&b, "path", "/a/1");
		value_tag(&b, VALUE_END);
		call.values = (struct pl_values){.at = b.at, .bytes = (uint32_t)b.used};
		assert_int_equal(request_describe(&q, &call), i == 0);
		if (i == 0)
			assert_string_equal(q.route, "GET /a/:n");
		buf_release(&b);
		scene_close(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_its_arguments),
		cmocka_unit_test(routes),
		cmocka_unit_test(without_values),
		cmocka_unit_test(scopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
