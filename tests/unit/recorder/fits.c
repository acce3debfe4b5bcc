/* Whether a file can be what a code was compiled from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "recorder/fits.h"
#include "tests/lib/inside.h"

#define TEXT                                                                                       \
	"import os\n"                                                                              \
	"\n"                                                                                       \
	"def reserve(item, count):\n"                                                              \
	"    total = count * 42\n"                                                                 \
	"    return total\n"                                                                       \
	"\n"                                                                                       \
	"reserve('anvil', 3)\n"

static bool fits(const char *text)
{
	PyCodeObject *code = inside_code(TEXT, "/shop/cart.py");
	const bool found = code_fits(code, view_of(text, strlen(text)));

	assert_null(PyErr_Occurred());
	Py_DECREF(code);
	return found;
}

static void its_own_text(void **state)
{
	(void)state;
	assert_true(fits(TEXT));
	assert_true(fits("\xef\xbb\xbf" TEXT)); /* the mark of an editor */
	assert_true(fits(TEXT "# something after it\n"));
}

/* A file that was changed after the code was compiled. */
static void another_text(void **state)
{
	(void)state;
	assert_false(fits(""));
	assert_false(fits("import os\n"));
	assert_false(fits("\n" TEXT)); /* all is a line further down */
	assert_false(fits("import os\n\ndef release(item, count):\n    total = count * 42\n"
			  "    return total\n\nrelease('anvil', 3)\n"));
	assert_false(fits("import os\n\ndef reserve(item, count):\n    total = count * 43\n"
			  "    return total\n\nreserve('anvil', 3)\n"));
	assert_false(fits("import os\n\ndef reserve(item, count):\n    total = count * 42\n"
			  "    return total\n\nreserve('rope', 3)\n"));
}

INSIDE_TESTS(fits)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_own_text),
		cmocka_unit_test(another_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
