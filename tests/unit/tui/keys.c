/* One key, one meaning in each view; and the user's own keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "tui/keys.h"

static void one_meaning(void **state)
{
	const struct key *a, *b;

	(void)state;
	for (size_t i = 0; (a = keys_row(i)); i++) {
		assert_true(a->views && strlen(a->name) < KEY_BYTES && a->help[0]);
		for (size_t k = i + 1; (b = keys_row(k)); k++)
			if (a->views & b->views && !strcmp(a->name, b->name))
				fail_msg("%s has two rows in one view", a->name);
	}
}

static void bound(void **state)
{
	struct keys keys = {.count = 0};

	(void)state;
	assert_string_equal(keys_find(&keys, "s", VIEW_PATH)->command, "s");
	assert_null(keys_find(&keys, "z", VIEW_SOURCE));
	assert_string_equal(keys_find(&keys, "7", VIEW_SOURCE)->name, KEY_DIGITS);
	assert_null(keys_find(&keys, "0", VIEW_SOURCE));
	assert_string_equal(keys_find(&keys, "q", VIEW_HELP)->command, "leave");
	assert_null(keys_find(&keys, "s", VIEW_HELP));
	assert_true(keys_bind(&keys, "s j end"));
	assert_string_equal(keys_find(&keys, "s", VIEW_PATH)->command, "j end");
	assert_true(keys_bind(&keys, "s  n"));
	assert_string_equal(keys_find(&keys, "s", VIEW_SOURCE)->command, "n");
	assert_false(keys_bind(&keys, ""));
	assert_false(keys_bind(&keys, "s"));
	assert_false(keys_bind(&keys, "a-name-that-is-too-long n"));
	while (keys.count < KEYS_OWN)
		assert_true(keys_bind(&keys, "Z n"));
	assert_false(keys_bind(&keys, "Z n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_meaning),
		cmocka_unit_test(bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
