/* Texts of paths: as their repr, which nothing has to have been asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_texts.h"

static void joined_and_normalized(void **state)
{
	static const char *const all[] = {"", "'a'", "'a', 'b'", "'/'", "'//'", "'///a'", "'//a/b'",
		"'a//b/./c/'", "'.'", "'..', 'a'", "'a', '/b', 'c'", "'a', '//b'", "'a', '', 'b'",
		"pathlib.PurePath('a'), 'b'"};
	char expression[80];

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		snprintf(expression, sizeof expression, "pathlib.PosixPath(%s)", all[i]);
		expect_repr("import pathlib", expression);
		snprintf(expression, sizeof expression, "pathlib.PurePosixPath(%s)", all[i]);
		expect_repr("import pathlib", expression);
	}
}

/* What str() remembers changes nothing. */
static void after_str(void **state)
{
	(void)state;
	expect_repr("import pathlib\np = pathlib.Path('a//b')\nstr(p)", "p");
	expect_repr("import pathlib\np = pathlib.Path('/a', 'b')\nstr(p), p.parts", "p.parent");
	expect_repr("import pathlib\np = pathlib.Path('/a', 'b')", "p / 'c'");
}

static void windows(void **state)
{
	(void)state;
	expect_text("import pathlib", "pathlib.PureWindowsPath('a')", NULL);
}

INSIDE_TESTS(values_library_path)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joined_and_normalized),
		cmocka_unit_test(after_str),
		cmocka_unit_test(windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
