/* Texts of dates, times and time zones: as their repr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_texts.h"

static const char datetime[] = "import datetime\nfrom datetime import timedelta, timezone";

static void dates(void **state)
{
	(void)state;
	expect_repr(datetime, "datetime.date(2026, 3, 1)");
	expect_repr(datetime, "datetime.date.min");
	expect_repr(datetime, "datetime.datetime(2026, 3, 1)");
	expect_repr(datetime, "datetime.datetime(2026, 3, 1, 4, 5)");
	expect_repr(datetime, "datetime.datetime(2026, 3, 1, 4, 5, 6)");
	expect_repr(datetime, "datetime.datetime(2026, 3, 1, 4, 5, 0, 7)");
	expect_repr(datetime, "datetime.datetime(2026, 3, 1, 4, 5, tzinfo=timezone.utc, fold=1)");
}

static void times(void **state)
{
	(void)state;
	expect_repr(datetime, "datetime.time()");
	expect_repr(datetime, "datetime.time(4, 5, 6, 7)");
	expect_repr(datetime, "datetime.time(4, 5, fold=1)");
	expect_repr(datetime, "datetime.time(4, tzinfo=timezone(timedelta(hours=2)))");
}

static void timedeltas(void **state)
{
	(void)state;
	expect_repr(datetime, "timedelta()");
	expect_repr(datetime, "timedelta(seconds=-1)");
	expect_repr(datetime, "timedelta(3, 4, 5)");
	expect_repr(datetime, "timedelta(microseconds=5)");
}

static void zones(void **state)
{
	(void)state;
	expect_repr(datetime, "timezone.utc");
	expect_repr(datetime, "timezone(timedelta(hours=-3), 'a\\'b')");
	expect_repr(datetime, "timezone(timedelta(0), 'zero')");
}

/* The repr of a zone of the program would run its code. */
static void a_zone_of_the_program(void **state)
{
	static const char zone[] = "import datetime\nclass Zone(datetime.tzinfo):\n"
				   "    def __repr__(self): 1 / 0\n";
	PyObject *names = expression_names(zone, "datetime.time(4, tzinfo=Zone())");
	const char *text = text_of_object(inside_name(names, "of"));

	(void)state;
	assert_non_null(text);
	assert_non_null(strstr(text, "Zone"));
	assert_null(PyErr_Occurred());
	Py_DECREF(names);
}

INSIDE_TESTS(values_library_time)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates),
		cmocka_unit_test(times),
		cmocka_unit_test(timedeltas),
		cmocka_unit_test(zones),
		cmocka_unit_test(a_zone_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
