/* Typing, by characters and not by bytes, and what was typed before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "tui/prompt.h"

static void typing(void **state)
{
	struct prompt p = {.open = false};
	char long_one[PROMPT_BYTES + 10];

	(void)state;
	prompt_begin(&p, "a\xc3\xa9");
	prompt_left(&p);
	prompt_insert(&p, "b", 1);
	assert_string_equal(p.text, "ab\xc3\xa9");
	prompt_right(&p);
	prompt_right(&p);
	prompt_delete(&p);
	assert_string_equal(p.text, "ab");
	for (int i = 0; i < 4; i++)
		prompt_delete(&p);
	assert_string_equal(p.text, "");
	memset(long_one, 'x', sizeof long_one);
	long_one[sizeof long_one - 1] = 0;
	prompt_begin(&p, long_one);
	assert_int_equal(strlen(p.text), PROMPT_BYTES - 1);
	prompt_insert(&p, "y", 1);
	assert_int_equal(strlen(p.text), PROMPT_BYTES - 1);
	prompt_release(&p);
}

static void history(void **state)
{
	struct prompt p = {.open = false};
	char text[16];

	(void)state;
	for (int i = 0; i < PROMPT_HISTORY + 10; i++) {
		snprintf(text, sizeof text, "j #%d", i);
		prompt_begin(&p, text);
		prompt_end(&p);
	}
	prompt_begin(&p, "");
	prompt_later(&p);
	assert_string_equal(p.text, "");
	prompt_earlier(&p);
	prompt_earlier(&p);
	assert_string_equal(p.text, "j #136");
	prompt_later(&p);
	assert_string_equal(p.text, "j #137");
	for (int i = 0; i < 2 * PROMPT_HISTORY; i++)
		prompt_earlier(&p);
	assert_string_equal(p.text, "j #10");
	prompt_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typing),
		cmocka_unit_test(history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
