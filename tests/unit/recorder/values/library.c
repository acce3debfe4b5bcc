/* Which types of the standard library have a text, and texts of enums and weak references. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_texts.h"

#define ENUMS                                                                                      \
	"import enum\n"                                                                            \
	"class Color(enum.Enum):\n    RED = 1\n    GREEN = 2\n"                                    \
	"class Mode(enum.Flag):\n    READ = 1\n    WRITE = 2\n"                                    \
	"class Level(enum.IntEnum):\n    LOW = 3\n"

static void members_of_enums(void **state)
{
	(void)state;
	expect_text(ENUMS, "Color.RED", "Color.RED");
	expect_text(ENUMS, "Level.LOW", "Level.LOW");
	expect_text(ENUMS, "Mode.READ | Mode.WRITE", "Mode.READ|WRITE");
	expect_text(ENUMS, "Mode(0)", NULL); /* it has no name */
}

static void weak_references(void **state)
{
	static const char before[] = "import weakref\nclass Cart: pass\ncart = Cart()\n"
				     "one = weakref.ref(cart)\n";

	(void)state;
	expect_text(before, "one", "<weakref; to 'Cart'>");
	expect_text("import weakref\nclass Cart: pass\ncart = Cart()\none = weakref.ref(cart)\n"
		    "del cart",
		"one", "<weakref; dead>");
}

static const struct library_type *row_of(const char *before, const char *expression, bool *exact)
{
	PyObject *names = expression_names(before, expression);
	const struct library_type *row = library_type_of(Py_TYPE(inside_name(names, "of")), exact);

	Py_DECREF(names);
	return row;
}

static void subclasses(void **state)
{
	bool exact = false;

	(void)state;
	assert_non_null(row_of("import datetime", "datetime.date.today()", &exact));
	assert_true(exact);
	assert_non_null(
		row_of("import datetime\nclass Day(datetime.date): pass", "Day(1, 1, 1)", &exact));
	assert_false(exact);
	/* the row of datetime and not that of its base */
	assert_string_equal(row_of("import datetime", "datetime.datetime.now()", &exact)->name,
		"datetime.datetime");
}

/* Names alone do not make it one of the standard library. */
static void others(void **state)
{
	bool exact;

	(void)state;
	assert_null(row_of("", "[]", &exact));
	assert_null(row_of("class date: pass\ndate.__module__ = 'datetime'", "date()", &exact));
	assert_null(row_of("class UUID: pass", "UUID()", &exact));
	expect_text("class UUID: pass\nUUID.__module__ = 'uuid'", "UUID()", NULL);
	expect_text("class Fraction: pass\nFraction.__module__ = 'fractions'", "Fraction()", NULL);
}

INSIDE_TESTS(values_library)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_enums),
		cmocka_unit_test(weak_references),
		cmocka_unit_test(subclasses),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
