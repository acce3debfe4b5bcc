/* A session gives back what it holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/commands.h"

/* Each part of it that is made when it is first asked for; the sanitizers see what is left. */
static void gives_all_back(void **state)
{
	struct session *s;
	struct scene x;

	(void)state;
	scene_open_values(&x);
	s = x.s;
	scene_goes(&x, "j #5", 0, 5);
	assert_int_equal(session_do(s, "variables", &x.err), 0);
	assert_int_equal(session_do(s, "/ add", &x.err), 0);
	assert_int_equal(session_do(s, "hits 31", &x.err), 0);
	assert_int_equal(session_do(s, "b 32 if n > 5", &x.err), 0);
	assert_non_null(s->hits);
	assert_non_null(s->pattern.text);
	assert_int_equal(s->replay.stops.count, 1);
	session_release(s);
	assert_null(s->hits);
	assert_null(s->pattern.text);
	assert_int_equal(s->replay.stops.count, 0);
	session_release(s);
	scene_close(&x);
}

static void empty(void **state)
{
	struct session *s = calloc(1, sizeof *s);

	(void)state;
	assert_non_null(s);
	session_release(s);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_all_back),
		cmocka_unit_test(empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
