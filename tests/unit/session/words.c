/* Which command a line begins with, and how it is refused. Without a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "session/words.h"

static const char *word_of(const char *line, const char **rest)
{
	const struct session_word *word = session_find_word(line, rest);

	return word ? word->word : NULL;
}

static void longest_name(void **state)
{
	const char *rest, *one, *other;

	(void)state;
	one = word_of("info breakpoints", &rest);
	assert_string_equal(rest, "");
	other = word_of("b app.py:3", &rest);
	assert_string_equal(rest, "app.py:3");
	assert_string_not_equal(one, other);
	assert_string_equal(word_of("break app.py:3", &rest), other);
	assert_null(word_of("bapp.py", &rest));
	assert_null(word_of("", &rest));
}

static void a_sign_needs_no_space(void **state)
{
	const char *rest;

	(void)state;
	assert_string_equal(word_of("/x", &rest), "/");
	assert_string_equal(rest, "x");
	assert_string_equal(word_of("/ x", &rest), "/");
	assert_string_equal(rest, "x");
	assert_string_equal(word_of("/  x", &rest), "/");
	assert_string_equal(rest, " x");
}

static void refuses(const char *line, const char *why)
{
	struct session *s = calloc(1, sizeof *s);
	struct pl_err err = {0};

	assert_non_null(s);
	assert_int_equal(session_do(s, line, &err), PL_END);
	assert_int_equal(s->outcome.refusal, REFUSAL_NOT_UNDERSTOOD);
	assert_string_equal(s->why, why);
	free(s);
}

static void refusals(void **state)
{
	(void)state;
	refuses("", "a command is missing; h lists them");
	refuses("5", "5: a count needs a command, such as 5s");
	refuses("0s", "a count is from 1 to 1000000");
	refuses("step 1000001", "a count is from 1 to 1000000");
	refuses("5q", "q does not take a count");
	refuses("s x", "s does not take an argument");
	refuses("braek x", "unknown command: braek x; did you mean break?");
	refuses("xyzzyxyzzy", "unknown command: xyzzyxyzzy; help lists the commands");
}

/* What is too long would be another stop if it were cut. */
static void long_stops(void **state)
{
	char line[STOP_NAME_MAX + 16] = "w ";

	(void)state;
	memset(line + 2, 'a', STOP_NAME_MAX);
	refuses(line, "a stop has at most 1023 bytes");
	line[0] = 'x';
	refuses(line, "a stop has at most 1023 bytes");
}

/* Each command has its own name, and is found by it and by each of its others. */
static void every_name(void **state)
{
	const struct session_word *word;
	const char *rest;

	(void)state;
	for (size_t i = 0; (word = session_word(i)); i++) {
		assert_ptr_equal(session_find_word(word->word, &rest), word);
		for (const char *at = word->others; at && *at;) {
			char name[64] = "";
			size_t n = strcspn(at, ",");
			assert_true(n < sizeof name);
			memcpy(name, at, n);
			assert_ptr_equal(session_find_word(name, &rest), word);
			at += n + (at[n] == ',');
		}
	}
}

static void help_is_whole(void **state)
{
	static char help[WORDS_HELP_BYTES];
	const struct session_word *word;

	(void)state;
	session_help(help);
	for (size_t i = 0; (word = session_word(i)); i++)
		if (word->help)
			assert_non_null(strstr(help, word->help));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longest_name),
		cmocka_unit_test(a_sign_needs_no_space),
		cmocka_unit_test(refusals),
		cmocka_unit_test(long_stops),
		cmocka_unit_test(every_name),
		cmocka_unit_test(help_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
