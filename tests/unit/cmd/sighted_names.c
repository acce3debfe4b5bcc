/* Names that occurred, for a person who asked for another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "cmd/sighted_names.h"

static struct pl_text text_from(const char *word)
{
	return (struct pl_text){.at = word, .length = strlen(word)};
}

static void said(const struct sighted_names *n, const char *word, size_t max, const char *expected)
{
	char text[64];

	sighted_names_say(n, word, text, max);
	assert_string_equal(text, expected);
}

static void nearest_or_first(void **state)
{
	struct sighted_names n = {.count = 0};

	(void)state;
	said(&n, "left", 64, "");
	assert_true(sighted_names_add(&n, text_from("left")));
	assert_true(sighted_names_add(&n, text_from("item")));
	assert_true(sighted_names_add(&n, text_from("left"))); /* it is there */
	assert_true(sighted_names_add(&n, text_from("")));
	assert_int_equal(n.count, 2);
	said(&n, "lefft", 64, "left");
	said(&n, "quantity", 64, "left, item");
	said(&n, "quantity", 15, "left, …");
	sighted_names_release(&n);
	sighted_names_release(&n);
}

static void no_more_room(void **state)
{
	struct sighted_names n = {.count = 0};
	char word[16];

	(void)state;
	for (unsigned i = 0; i < SIGHTED_NAMES_MAX + 3; i++) {
		snprintf(word, sizeof word, "name%u", i);
		assert_true(sighted_names_add(&n, text_from(word)));
	}
	assert_int_equal(n.count, SIGHTED_NAMES_MAX);
	assert_null(n.words[SIGHTED_NAMES_MAX]);
	sighted_names_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest_or_first),
		cmocka_unit_test(no_more_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
