/* Which variable of an application says what is asked for, and by which members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "recorder/values/requests.h"
#include "tests/lib/inside.h"

static uint32_t variable_of(const char *def)
{
	PyCodeObject *code = inside_code(def, "/shop/app.py");
	const uint32_t found = request_variable_of(inside_function(code));

	Py_DECREF(code);
	return found;
}

static void applications(void **state)
{
	(void)state;
	assert_int_equal(variable_of("def app(environ, start_response): pass\n"), 0);
	assert_int_equal(variable_of("def call(self, environ, start_response): pass\n"), 1);
	assert_int_equal(variable_of("async def app(scope, receive, send): pass\n"), 0);
	assert_int_equal(variable_of("async def call(self, scope, receive, send): pass\n"), 1);
	/* those by keyword only come after that of `*` */
	assert_int_equal(variable_of("def f(*rest, environ, start_response): pass\n"), 0);
}

static void other_codes(void **state)
{
	(void)state;
	assert_int_equal(variable_of("def f(environ): pass\n"), REQUEST_NO_VARIABLE);
	assert_int_equal(
		variable_of("def f(start_response, environ): pass\n"), REQUEST_NO_VARIABLE);
	assert_int_equal(variable_of("def f(scope, receive): pass\n"), REQUEST_NO_VARIABLE);
	assert_int_equal(
		variable_of("def f(): environ = start_response = 1\n"), REQUEST_NO_VARIABLE);
}

/* The keys that come first, in their order, with a blank after each. */
static void expect(const char *dict, const char *expected)
{
	char text[512] = "of = ", keys[128] = "";
	struct member members[REQUEST_KEYS];

	PyObject *names = inside_bind(strcat(strcat(text, dict), "\n"));
	const size_t count = request_members(inside_name(names, "of"), members);
	for (size_t i = 0; i < count; i++) {
		assert_true(request_is_key(members[i].key));
		strcat(strcat(keys, PyUnicode_AsUTF8(members[i].key)), " ");
	}
	assert_string_equal(keys, expected);
	Py_DECREF(names);
}

static void members_that_come_first(void **state)
{
	(void)state;
	expect("{'A': 1, 'PATH_INFO': '/', 'B': 2, 'REQUEST_METHOD': 'GET'}",
		"REQUEST_METHOD PATH_INFO ");
	expect("{'path': '/', 'raw_path': b'/', 'type': 'http', 'method': 'GET'}",
		"type method path ");
	expect("{1: 2, None: 3, b'path': 4, 'p\\u00e4th': 5}", "");
	expect("{}", "");
}

INSIDE_TESTS(values_requests)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(applications),
		cmocka_unit_test(other_codes),
		cmocka_unit_test(members_that_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
