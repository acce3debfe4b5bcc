/* Texts of patterns and matches of re: as their repr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_texts.h"

static void patterns(void **state)
{
	(void)state;
	expect_repr("import re", "re.compile('a+')");
	expect_repr("import re", "re.compile(b'a+')");
	expect_repr("import re", "re.compile('a', re.I | re.M)");
	expect_repr("import re", "re.compile('a', re.A)");
	expect_repr("import re", "re.compile('it\\'s', re.X | re.S)");
}

static void matches(void **state)
{
	(void)state;
	expect_repr("import re", "re.search('b+', 'abbc')");
	expect_repr("import re", "re.search('caf.', 'un caf\\xe9')");
	expect_repr("import re", "re.search(b'b+', b'abbc')");
	expect_repr("import re", "re.match('', '')");
}

/* The text of another buffer can have changed since. */
static void of_a_buffer(void **state)
{
	PyObject *names = expression_names("import re", "re.search(b'b', bytearray(b'abc'))");
	const char *text = text_of_object(inside_name(names, "of"));

	(void)state;
	if (text)
		assert_null(strstr(text, "b'b'"));
	Py_DECREF(names);
}

INSIDE_TESTS(values_library_match)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),
		cmocka_unit_test(matches),
		cmocka_unit_test(of_a_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
