/* Names of Rust, after a demangler of C++. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "source/rust_name.h"

static void becomes(const char *name, const char *expected)
{
	char text[256];

	strcpy(text, name);
	rust_name(text);
	assert_string_equal(text, expected);
}

static void test_rust_names(void **state)
{
	(void)state;
	becomes("app::work::h0123456789abcdef", "app::work");
	becomes("_$LT$app..Job$u20$as$u20$core..Run$GT$::go::h0123456789abcdef",
		"<app::Job as core::Run>::go");
	becomes("app::work", "app::work");
	becomes("app::work::h0123456789abcdeX", "app::work::h0123456789abcdeX");
	becomes("h0123456789abcdef", "h0123456789abcdef");
	becomes("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rust_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
