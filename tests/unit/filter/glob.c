/* Patterns against texts, and against a matcher that tries everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "filter/glob.h"
#include "lib/random.h"

static struct pl_view v(const char *text)
{
	return view_of(text, strlen(text));
}

static void cases(void **state)
{
	static const struct {
		const char *pattern, *text;
		char separator;
		bool matches;
	} rows[] = {
		{"", "", 0, true},
		{"", "a", 0, false},
		{"a", "a", 0, true},
		{"a*", "abc", 0, true},
		{"*c", "abc", 0, true},
		{"*c", "abcd", 0, false},
		{"a*c*e", "abcde", 0, true},
		{"*", "a/b", '/', false},
		{"*/*", "a/b", '/', true},
		{"**", "a/b", '/', true},
		{"a/**/d", "a/b/c/d", '/', true},
		{"**/t*t/*.py", "home/shop/test/x.py", '/', true},
		{"**/t*t/*.py", "home/shop/test/y/x.py", '/', false},
		{"a?c", "abc", 0, true},
		{"a?c", "a/c", '/', false},
		{"a[b-d]e", "ace", 0, true},
		{"a[!b-d]e", "ace", 0, false},
		{"a[^b-d]e", "axe", 0, true},
		{"[]]", "]", 0, true},
		{"[*]", "*", 0, true},
		{"[*]", "a", 0, false},
		{"[a-]", "-", 0, true},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (glob_match(v(rows[i].pattern), v(rows[i].text), rows[i].separator) !=
			rows[i].matches)
			fail_msg("%s against %s", rows[i].pattern, rows[i].text);
}

static void soundness(void **state)
{
	(void)state;
	assert_true(glob_is_sound(v("a[b]c")));
	assert_true(glob_is_sound(v("[]a]")));
	assert_false(glob_is_sound(v("a[b")));
	assert_false(glob_is_sound(v("[]")));
	assert_false(glob_is_sound(v("[!]")));
}

/* Of patterns of a, /, * and ** alone. */
static bool naive(const char *p, const char *t)
{
	if (!*p)
		return !*t;
	if (*p != '*')
		return *p == *t && naive(p + 1, t + 1);
	bool both = p[1] == '*';
	if (naive(p + (both ? 2 : 1), t))
		return true;
	return *t && (both || *t != '/') && naive(p, t + 1);
}

static void against_naive(void **state)
{
	struct random r = {.state = 7};
	int matched = 0;
	(void)state;

	for (int n = 0; n < 200000; n++) {
		char pattern[9] = {0}, text[9] = {0};
		for (uint32_t i = random_below(&r, 9); i--;)
			pattern[i] = "ab/**"[random_below(&r, 5)];
		for (uint32_t i = random_below(&r, 9); i--;)
			text[i] = "ab/"[random_below(&r, 3)];
		bool expected = naive(pattern, text);
		matched += expected;
		if (glob_match(v(pattern), v(text), '/') != expected)
			fail_msg("%s against %s", pattern, text);
	}
	assert_true(matched > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(soundness),
		cmocka_unit_test(against_naive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
