/* The layout of the interpreter in which this runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recorder/layout.h"
#include "tests/lib/inside.h"

/* The interpreter that runs this is one for which this recorder was compiled. */
static void is_known(void **state)
{
	const char *why = "nothing";

	(void)state;
	assert_int_equal(layout_check(&why), 0);
	assert_null(PyErr_Occurred());
}

/* What its frame check defines is gone afterwards, so it can be asked again. */
static void leaves_nothing(void **state)
{
	PyObject *modules = PyImport_GetModuleDict();
	const Py_ssize_t before = PyDict_Size(modules);
	const char *why = NULL;

	(void)state;
	assert_int_equal(layout_check(&why), 0);
	assert_int_equal(layout_check(&why), 0);
	assert_int_equal(PyDict_Size(modules), before);
}

/* A build that says it has other objects is refused before anything is read. */
static void debug_builds(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_int_equal(PySys_SetObject("gettotalrefcount", Py_None), 0);
	const int code = layout_check(&why);
	PySys_SetObject("gettotalrefcount", NULL);
	assert_int_equal(code, -1);
	assert_string_equal(why, "debug builds are not recorded");
	assert_int_equal(layout_check(&why), 0);
}

INSIDE_TESTS(layout)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_known),
		cmocka_unit_test(leaves_nothing),
		cmocka_unit_test(debug_builds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
