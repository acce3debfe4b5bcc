/* The names of the codes, which --json and the editors' protocol show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "session/outcome.h"

/* Lower-case words with hyphens, none of which is given twice. */
static void expect_names(const char *(*name)(int), int count)
{
	for (int i = 0; i < count; i++) {
		const char *one = name(i);
		assert_non_null(one);
		assert_int_equal(strspn(one, "abcdefghijklmnopqrstuvwxyz-"), strlen(one));
		for (int other = 0; other < i; other++)
			assert_string_not_equal(one, name(other));
	}
}

static const char *name_of_done(int code)
{
	return done_name((enum done)code);
}

static const char *name_of_refusal(int code)
{
	return refusal_name((enum refusal)code);
}

static void are_their_own(void **state)
{
	(void)state;
	expect_names(name_of_done, DONE_VALUE + 1);
	expect_names(name_of_refusal, REFUSAL_NO_EARLIER_WRITE + 1);
}

/* Others rely on them. */
static void do_not_change(void **state)
{
	(void)state;
	assert_string_equal(done_name(DONE_MOVED), "moved");
	assert_string_equal(done_name(DONE_STOP_SET), "stop-set");
	assert_string_equal(done_name(DONE_VALUE), "value");
	assert_string_equal(refusal_name(REFUSAL_NONE), "");
	assert_string_equal(refusal_name(REFUSAL_NEVER_RAN), "never-ran");
	assert_string_equal(refusal_name(REFUSAL_NO_EARLIER_WRITE), "no-earlier-write");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(are_their_own),
		cmocka_unit_test(do_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
